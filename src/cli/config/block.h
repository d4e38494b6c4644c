/* SPDX-License-Identifier: Apache-2.0 */
/* The block of lines that kcrypto config enable writes into openssl.cnf. */
#ifndef KC_CLI_CONFIG_BLOCK_H
#define KC_CLI_CONFIG_BLOCK_H

#include "cli/conf.h"

struct kc_block {
	const char *begin, *lines, *end, *after; /* the marks, and the text after them */
};

/* Finds the block. 0; -ENOENT: there is none; -EBADMSG: it has no end. */
int kc_block_find(const struct kc_text *text, struct kc_block *block);

/*
 * Adds @lines to the block at the end of the text, or makes that block. 0; -EINVAL if the text's
 * last line would continue into it; -EBADMSG if the block has no end.
 */
int kc_block_add(const struct kc_text *text, const char *lines, struct kc_text *edited);

/*
 * Takes the block out; if @is_kept, makes comments of its lines. If nothing is left of a file that
 * enable made, @edited is empty. 0 or -ENOMEM.
 */
int kc_block_undo(const struct kc_text *text, const struct kc_block *block, bool is_kept,
		  struct kc_text *edited);

/* Reads the block by itself; kc_block_is_own() recognizes its own lines. Free @cnf. */
void kc_block_read(struct kc_cnf *cnf, const struct kc_block *block, const char *root,
		   const char *main);

/* True if the line is in the block itself, not in a file that the block includes. */
bool kc_block_is_own(const struct kc_cnf *cnf, const struct kc_line *line);

/*
 * Moves the block to the end of the text, without the lines that @is_old picks. 0; -ENOENT: it
 * picks none; -ENOMEM.
 */
int kc_block_renew(const struct kc_text *text, const struct kc_block *block,
		   const struct kc_cnf *cnf,
		   bool (*is_old)(const struct kc_line *line, const void *arg), const void *arg,
		   struct kc_text *edited);

#endif
