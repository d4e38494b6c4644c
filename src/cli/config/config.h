/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Within kcrypto config: the objects of one call, which are a root, its openssl.cnf and the plan
 * for it; the block of lines at the end of that file; and the writer, which replaces the file as a
 * whole, so that at any moment it is the old one or the new one.
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
	char main[PATH_MAX];	    /* openssl.cnf, inside the root and without symbolic links */
	bool has_providers;	    /* OpenSSL there is 3.0 or later */
	bool wants_random;	    /* it is 3.0 to 3.4, or unknown */
	char error[PATH_MAX + 512]; /* the reason for a failure, as text */
};

/* Reads the configuration, as it is or as planned. 0 or -errno, and the error as text. */
int kc_setup_read(struct kc_setup *setup);

/* Writes the error, formatted like printf. Returns @err. */
__attribute__((format(printf, 3, 4))) int kc_setup_refuse(struct kc_setup *setup, int err,
							  const char *format, ...);

/* Names openssl.cnf, and why it cannot be changed. Returns @err. */
int kc_setup_name(struct kc_setup *setup, int err);

/* Plans @after, which becomes the setup's, and reads the result like kc_setup_read(). */
int kc_setup_plan(struct kc_setup *setup, struct kc_text after);

/*
 * Prints the lines that the plan adds and removes, or carries it out. A result that turns kcrypto
 * on must not be broken. Returns an exit code.
 */
int kc_setup_finish(struct kc_setup *setup, bool is_on);

/*
 * Finds openssl.cnf: the file that the user named; on the system itself, the one that OpenSSL
 * reads; below another root, the first of the usual places that exists. Also asks for OpenSSL's
 * version there. 0 or -errno.
 */
int kc_setup_find(struct kc_setup *setup);

/* The actions that write; each returns an exit code. */
int kc_config_enable(struct kc_setup *setup);
int kc_config_disable(struct kc_setup *setup);

/*
 * Adds @lines to the block at the end of the text, or makes that block. 0; -EINVAL if the text's
 * last line would continue into it; -EBADMSG if the block has no end.
 */
int kc_block_add(const struct kc_text *text, const char *lines, struct kc_text *edited);

/*
 * Writes the planned file to a new one with the owner, mode and extended attributes of the file
 * that it replaces. 0 or -errno.
 */
int kc_apply(const struct kc_setup *setup);

#endif
