/* SPDX-License-Identifier: Apache-2.0 */
/* The lives of contexts after which residue_test.c looks for secrets: a table of calls per kind. */
#ifndef KC_TESTS_RESIDUE_H
#define KC_TESTS_RESIDUE_H

#include "diff/row.h"
#include "integration/message.h"
#include "integration/search.h"

#define RESIDUE_LEN 16000

/* The one place for secrets, wiped before each search; output may be plaintext too. */
extern struct secret {
	unsigned char key[2][KC_MAX_KEY], iv[2][KC_MAX_IV], text[RESIDUE_LEN],
		out[RESIDUE_LEN + 64];
} secret;

/* What lives: a row by one of the providers, in one direction. */
extern struct residue {
	const struct kc_alg *alg;
	struct row_of ours, theirs;
	const struct row_of *of; /* one of the two */
	int enc;
} residue;

struct residue_kind {
	void *(*prepare)(void *); /* before; or NULL */
	void *(*live)(void *);
	void *(*live_on)(void *); /* the same contexts, in a child */
	void (*free)(void);
	/* What is left by OpenSSL itself. */
	void (*excuse)(struct findings *f); /* or NULL */
	/* What has to be found of a context that lives. */
	void (*is_alive)(const struct findings *f, bool is_ours);
	/* Requests by the kernel: @at_least, or just as many. */
	unsigned (*requests)(bool in_child);
	bool at_least;
	bool wipes_stack; /* before the search: the stack is no concern */
};

extern const struct residue_kind residue_kinds[]; /* by enum kc_kind */

#endif
