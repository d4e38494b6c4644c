/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches all of this process's writable memory for secrets. Keeps only a masked form of them, so
 * that it does not find its own copies.
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
	unsigned n[SECRET_KINDS]; /* places that hold 8 consecutive bytes of such a secret */
	char where[256];	  /* of the last places, for a message */
};

void search_forget_all(void);

/* Adds every 8 bytes of the secret, from each multiple of 8 on; at most 64 KiB in all. */
void search_note(int kind, const void *secret, size_t len);

struct findings search_memory(void);

/*
 * Runs what() in a thread, on a stack that the search does not overwrite. Only search_wipe_stack()
 * wipes it.
 */
void search_on_a_stack(void *(*what)(void *));
void search_wipe_stack(void);

#endif
