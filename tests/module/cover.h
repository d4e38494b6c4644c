/* SPDX-License-Identifier: Apache-2.0 */
/* Which places in a module's code its callers have reached, by kcov. */
#ifndef KC_TESTS_MODULE_COVER_H
#define KC_TESTS_MODULE_COVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define COVERED 262144 /* bytes of code */

/* May be shared by processes. */
struct cover {
	uint64_t text; /* address of the module's code */
	atomic_uint places;
	atomic_bool is_covered[COVERED];
};

/* Called once the module has been loaded. */
void cover_module(struct cover *cover, const char *module);
/* Opens what a thread needs; only root can. Returns -1 if the kernel has no kcov. */
int cover_open(void);
/* Called once by each thread. With -1, no place is ever new. */
void cover_thread(int fd);
/*
 * Called before and after a system call; cover_end() returns whether the call reached a new place.
 */
void cover_begin(void);
bool cover_end(struct cover *cover);

#endif
