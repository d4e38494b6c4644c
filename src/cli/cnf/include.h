/* SPDX-License-Identifier: Apache-2.0 */
/* Within the reading of openssl.cnf: which file a line .include names, after the lines .pragma. */
#ifndef KC_CLI_CNF_INCLUDE_H
#define KC_CLI_CNF_INCLUDE_H

#include <dirent.h>
#include <stdbool.h>

#include "cli/cnf/files.h"
#include "cli/cnf/line.h"

struct kc_includes {
	char *directory;  /* of relative ones, or NULL: the process's */
	bool is_absolute; /* relative ones are an error */
	bool is_unclear;  /* libcrypto cannot parse what was read so far */
	/* the directory whose files are being read: OpenSSL has one at most */
	struct dirent **list;
	int n, next;
	char *path;
};

/* Keeps what a line .pragma says about includes. @value: its words, as written. */
void kc_includes_heed(struct kc_includes *includes, const char *value);

/*
 * The value of a line .include after @text, as libcrypto reads its quotes and variables, which the
 * caller frees. NULL: libcrypto makes nothing of it.
 */
char *kc_includes_expand(struct kc_includes *includes, const struct kc_text *text,
			 const struct kc_line *line);

/*
 * The path that OpenSSL opens for this value, which the caller frees. NULL: it opens none, or it is
 * below another root and relative to a directory that nobody knows.
 */
char *kc_includes_path(const struct kc_includes *includes, const char *root, const char *value);

/*
 * Begins with the files of the directory @path; within the files of a directory, OpenSSL ignores
 * another one. False: it is no directory.
 */
bool kc_includes_enter(struct kc_includes *includes, const char *root, const char *path);

/* The path of the directory's next file, which the caller frees; NULL behind the last one. */
char *kc_includes_next(struct kc_includes *includes);

/* Frees what is left of the list. */
void kc_includes_free(struct kc_includes *includes);

#endif
