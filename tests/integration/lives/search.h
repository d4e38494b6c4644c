/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for secrets in all of this process's writable memory. Keeps only a masked form of them, so
 * that it does not find itself.
 */
#ifndef KC_TESTS_SEARCH_H
#define KC_TESTS_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* OpenSSL's own code for these machines leaves DES's IV on the stack. */
#if defined(__i386__) || defined(__aarch64__) || defined(__arm__)
#define SEARCH_FINDS_IV true
#else
#define SEARCH_FINDS_IV false
#endif

enum { SECRET_KEY, SECRET_IV, SECRET_TEXT, SECRET_KINDS };

struct findings {
	unsigned n[SECRET_KINDS]; /* places where 8 bytes in a row of such a secret are */
	char where[256];	  /* of the last ones, for a message */
};

void search_forget_all(void);

/* Every 8 bytes from each multiple of 8 on; at most 64 KiB in all. */
void search_note(int kind, const void *secret, size_t len);

struct findings search_memory(void);

/* In a thread, on a stack that looking does not overwrite, and that is wiped on demand only. */
void search_on_a_stack(void *(*what)(void *));
void search_wipe_stack(void);

#endif
