/* SPDX-License-Identifier: Apache-2.0 */
/* Which places of a module's code its callers have been to, by kcov. */
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

/* To be called when the module has been loaded. */
void cover_module(struct cover *cover, const char *module);
/* What a thread needs, which only root gets. -1: the kernel has no kcov. */
int cover_open(void);
/* Once for each thread; with -1, nothing is ever new. */
void cover_thread(int fd);
/* Around a system call; returns whether it was where none had been. */
void cover_begin(void);
bool cover_end(struct cover *cover);

#endif
