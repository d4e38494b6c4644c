/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors of this process that are sessions, on any backend. */
#ifndef KC_TESTS_SESSIONS_H
#define KC_TESTS_SESSIONS_H

#include <stddef.h>

/*
 * Ordered by descriptor number. An id belongs to the open file: a copy of the descriptor has the
 * same id, in a child too.
 */
struct sessions {
	int fd[512];
	unsigned long id[512];
	size_t n;
};

struct sessions sessions(void);

/* The number of this process's descriptors, whatever they are. */
size_t descriptors(void);

/* The number of ids that are in both. */
size_t sessions_in_common(const struct sessions *a, const struct sessions *b);

#endif
