/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For kcrypto config alone: the objects of one call, which are a root, its openssl.cnf, and the
 * plan for it.
 */
#ifndef KC_CLI_CONFIG_SETUP_H
#define KC_CLI_CONFIG_SETUP_H

#include "cli/doctor/doctor.h"

struct kc_setup {
	const char *file; /* the only file to use, or NULL */
	bool is_dry_run, wants_ktls;
	bool is_removal;  /* only removes lines; what stays may be broken */
	const char *root; /* see cnf/files.h */
	bool is_planned;
	unsigned added;		      /* how often repairs added what is missing */
	struct kc_text before, after; /* the file's contents on disk, and as planned */
	const struct kc_plan *plan;   /* in place of @after: for several files, or NULL */
	struct kc_found found;	      /* the configuration, as it is or as planned */
	char main[PATH_MAX];	      /* openssl.cnf, inside the root and without symbolic links */
};

/* Reports why openssl.cnf can't be changed. @err: -errno. Returns an exit code. */
int kc_setup_refuse(const struct kc_setup *setup, int err);

/* Plans @after, which the setup owns from then on, and reads the result. 0 or -errno. */
int kc_setup_plan(struct kc_setup *setup, struct kc_text after);

/*
 * Prints the lines that the plan adds and removes, or carries it out. A result that turns kcrypto
 * on must not be broken. Returns an exit code.
 */
int kc_setup_finish(struct kc_setup *setup, bool is_on);

/*
 * Finds openssl.cnf: the file that the user named; on the system itself, the one that OpenSSL
 * reads; below another root, the first that exists in the usual places. 0 or -errno.
 */
int kc_setup_find(struct kc_setup *setup);

/* Reads the configuration, as it is or as planned. 0 or -errno. */
int kc_setup_read(struct kc_setup *setup);

/*
 * Judges the configuration that was read, as kcrypto doctor does. On the system itself a child
 * loads it, even if it is only planned. Valid until the next call.
 */
struct kc_diagnosis *kc_setup_judge(struct kc_setup *setup);

/* Writes @after, or removes the file, if the file is still like @before. 0 or -errno. */
int kc_setup_write(const struct kc_setup *setup);

/* Prints the lines that writing @after would change. */
void kc_setup_print_change(const struct kc_setup *setup);

#endif
