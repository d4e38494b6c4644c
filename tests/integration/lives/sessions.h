/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors among our own that are sessions, on any backend. */
#ifndef KC_TESTS_SESSIONS_H
#define KC_TESTS_SESSIONS_H

#include <stddef.h>

/*
 * Ordered by number. An id is of the open file: a copy of the descriptor has it too, a child's too.
 */
struct sessions {
	int fd[512];
	unsigned long id[512];
	size_t n;
};

struct sessions sessions(void);

/* Of this process, whatever they are. */
size_t descriptors(void);

/* How many ids are in both. */
size_t sessions_in_common(const struct sessions *a, const struct sessions *b);

#endif
