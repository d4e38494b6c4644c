/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Within kcrypto config: the objects of one call, which are a root, its openssl.cnf and the plan
 * for it; the plan's steps; edits of a text; and the writer, which replaces files as a whole, so
 * that at any moment each is the old one or the new one.
 */
#ifndef KC_CLI_CONFIG_CONFIG_H
#define KC_CLI_CONFIG_CONFIG_H

#include <stdio.h>

#include "cli/cnf/files.h"
#include "cli/cnf/layout.h"
#include "cli/conf.h"
#include "cli/doctor/doctor.h"

struct kc_setup {
	const char *file; /* the only file to look at, or NULL */
	bool is_dry_run, wants_ktls;
	struct kc_files files;
	struct kc_conf conf;
	struct kc_config config;
	struct kc_layout layout;
	enum kc_uci uci;	    /* the plan for OpenWrt's entry */
	char error[PATH_MAX + 512]; /* the reason for a failure, as text */
};

/* Reads the planned configuration again; the layout stays. 0 or -errno, and the error as text. */
int kc_setup_read_planned(struct kc_setup *setup);

/*
 * Judges the configuration that was read, as kcrypto doctor does. On the system itself a child
 * loads it, even if it is only planned.
 */
const struct kc_diagnosis *kc_setup_judge(const struct kc_setup *setup);

/* Writes the error, formatted like printf. Returns @err. */
__attribute__((format(printf, 3, 4))) int kc_setup_refuse(struct kc_setup *setup, int err,
							  const char *format, ...);

/* The actions that write; each returns an exit code. */
int kc_config_enable(struct kc_setup *setup);
int kc_config_disable(struct kc_setup *setup);

/*
 * Writes the missing lines, with the headers of their sections; an empty text if nothing is
 * missing. 0, or -errno with the error in @setup if existing lines are in the way.
 */
int kc_wanted(struct kc_setup *setup, struct kc_text *lines);

/* Names the file of an error. Returns @err. */
int kc_plan_say(struct kc_setup *setup, const char *path, int err);

/*
 * Reads the file that has @suffix behind the name of the file at @path, but follows no link there;
 * @name gets its path. 0 or -errno; -ENOENT: there is none.
 */
int kc_plan_read_beside(struct kc_setup *setup, const char *path, const char *suffix,
			char name[PATH_MAX], struct kc_text *text);

/* Plans all missing lines, and reads the result, which must lack none then. 0 or -errno. */
int kc_plan_lines(struct kc_setup *setup);

/*
 * Prints the lines that the plan adds and removes, or carries it out. A result that turns kcrypto
 * on must not be broken. Returns an exit code.
 */
int kc_plan_finish(struct kc_setup *setup, bool is_on);

/*
 * Adds @lines to the block at the end of the text, or makes that block. 0; -EINVAL if the text's
 * last line would continue into it; -EBADMSG if the block has no end.
 */
int kc_edit_add(const struct kc_text *text, const char *lines, struct kc_text *edited);

/* A copy of the lines inside the block; no text if there is none. */
struct kc_text kc_edit_block(const struct kc_text *text);

/* Removes the block. 0; -ENOENT if there is none; -EBADMSG if it has no end. */
int kc_edit_undo(const struct kc_text *text, struct kc_text *edited);

/* Suffix of a file's name for a copy of it as it was before the first change. */
#define KC_BACKUP ".before-kcrypto"

#define KC_APPLY_ERROR (2 * PATH_MAX + 256)

/*
 * Writes all changes in order, each to a new file with the owner, mode and extended attributes of
 * the one that it replaces. If one fails, those before it are undone. 0, or -errno and the reason
 * in @error.
 */
int kc_apply(const struct kc_files *files, char error[KC_APPLY_ERROR]);

#endif
