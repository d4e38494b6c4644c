/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Within kcrypto config: the objects of one call, which are a root, its openssl.cnf and the plan
 * for it; edits of a text; and the writer, which replaces files as a whole, so that at any moment
 * each is the old one or the new one.
 */
#ifndef KC_CLI_CONFIG_CONFIG_H
#define KC_CLI_CONFIG_CONFIG_H

#include "cli/conf.h"

struct kc_setup {
	const char *file; /* the only file to look at, or NULL */
	bool is_dry_run, wants_ktls;
	struct kc_files files;
	struct kc_conf conf;
	struct kc_config config;
	/* the layout; paths are inside the root */
	char main[PATH_MAX];	    /* openssl.cnf */
	char own[PATH_MAX];	    /* the file for kcrypto's lines; it may be main */
	bool wants_line;	    /* main must name it in a line */
	char leave[128];	    /* the section that must continue after that file, or "" */
	bool has_providers;	    /* OpenSSL there is 3.0 or later */
	bool wants_random;	    /* it is 3.0 to 3.4, or unknown */
	char error[PATH_MAX + 512]; /* the reason for a failure, as text */
};

/* Reads the configuration, as it is or as planned. 0 or -errno, and the error as text. */
int kc_setup_read(struct kc_setup *setup);

/* Writes the error, formatted like printf. Returns @err. */
__attribute__((format(printf, 3, 4))) int kc_setup_refuse(struct kc_setup *setup, int err,
							  const char *format, ...);

/* Names the file of an error. Returns @err. */
int kc_setup_name(struct kc_setup *setup, const char *path, int err);

/*
 * Prints the lines that the plan adds and removes, or carries it out. A result that turns kcrypto
 * on must not be broken. Returns an exit code.
 */
int kc_setup_finish(struct kc_setup *setup, bool is_on);

/*
 * Reads the file that has @suffix behind the name of the file at @path, but follows no link there;
 * @name gets its path. 0 or -errno; -ENOENT: there is none.
 */
int kc_setup_read_beside(const struct kc_setup *setup, const char *path, const char *suffix,
			 char name[PATH_MAX], struct kc_text *text);

/*
 * Finds openssl.cnf: the file that the user named; on the system itself, the one that OpenSSL
 * reads; below another root, the first of the usual places that exists. 0 or -errno.
 */
int kc_layout_find(struct kc_setup *setup);

/* Detects the layout from the file that was read. If the user named it, everything goes there. */
void kc_layout_detect(struct kc_setup *setup);

/* Did 'enable' write this file? */
bool kc_own_is_ours(const struct kc_text *text);

/* The actions that write; each returns an exit code. */
int kc_config_enable(struct kc_setup *setup);
int kc_config_disable(struct kc_setup *setup);

/*
 * Adds @lines to the block at the end of the text, or makes that block. 0; -EINVAL if the text's
 * last line would continue into it; -EBADMSG if the block has no end.
 */
int kc_block_add(const struct kc_text *text, const char *lines, struct kc_text *edited);

/* Suffix of a file's name for a copy of it as it was before the first change. */
#define KC_BACKUP ".before-kcrypto"

/*
 * Writes all changes in order, each to a new file with the owner, mode and extended attributes of
 * the one that it replaces. If one fails, those before it are undone. 0 or -errno, and the error
 * as text.
 */
int kc_apply(struct kc_setup *setup);

#endif
