/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the reading of openssl.cnf alone: the file that a line .include names, given the lines
 * .pragma.
 */
#ifndef KC_CLI_CNF_INCLUDE_H
#define KC_CLI_CNF_INCLUDE_H

#include <dirent.h>
#include <stdbool.h>

#include "cli/cnf/files.h"
#include "cli/cnf/line.h"

struct kc_includes {
	char *directory;  /* for relative paths; NULL: the process's */
	bool is_absolute; /* a relative path is an error */
	bool is_unclear;  /* libcrypto can't parse what was read so far */
	/* the directory whose files are being read: OpenSSL has one at most */
	struct dirent **list;
	int n, next;
	char *path;
};

/* Takes in what a line .pragma says about includes. @value: its words, as written. */
void kc_includes_heed(struct kc_includes *includes, const char *value);

/*
 * Returns the value of a line .include after @text, with quotes and variables as libcrypto reads
 * them; the caller frees it. NULL: libcrypto can't read it.
 */
char *kc_includes_expand(struct kc_includes *includes, const struct kc_text *text,
			 const struct kc_line *line);

/*
 * Returns the path that OpenSSL opens for this value; the caller frees it. NULL: OpenSSL opens
 * none, or the path is below another root and relative to an unknown directory.
 */
char *kc_includes_path(const struct kc_includes *includes, const char *root, const char *value);

/*
 * Begins with the files of the directory @path. Within the files of a directory, OpenSSL ignores
 * another directory. False: @path is no directory.
 */
bool kc_includes_enter(struct kc_includes *includes, const char *root, const char *path);

/*
 * Returns the path of the directory's next file, which the caller frees; NULL after the last one.
 */
char *kc_includes_next(struct kc_includes *includes);

/* Frees the rest of the list. */
void kc_includes_free(struct kc_includes *includes);

#endif
