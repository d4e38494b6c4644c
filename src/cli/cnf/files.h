/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files below a root directory, as they are or as planned. Reading and planning change nothing;
 * apply.h writes.
 */
#ifndef KC_CLI_CNF_FILES_H
#define KC_CLI_CNF_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define KC_MAX_CHANGES 8

/* The bytes of a file, followed by a NUL; NULL if there is no such file. Owned. */
struct kc_text {
	char *at;
	size_t len; /* without the NUL */
};

struct kc_change {
	char path[PATH_MAX]; /* inside the root, without symbolic links */
	struct kc_text before, after;
	bool is_foreseen; /* another program writes it: it counts for reading, and is not applied */
};

struct kc_files {
	const char *root; /* without a slash at its end; "" is the system itself */
	struct kc_change change[KC_MAX_CHANGES];
	size_t n;
};

/*
 * Finds the file that a process with that root would find at @path, and writes its path inside the
 * root, without symbolic links, to @found. A missing file keeps its name. 0 or -errno.
 */
int kc_files_find(const struct kc_files *files, const char *path, char found[PATH_MAX]);

/* The path of the file @found on this system. 0 or -ENAMETOOLONG. */
int kc_files_host(const struct kc_files *files, const char *found, char host[PATH_MAX]);

/*
 * Reads a file, as planned or from disk. 0 or -errno, with @text empty; -ENOENT if there is none,
 * -EFBIG beyond a MiB, -EILSEQ if it contains a NUL.
 */
int kc_files_read(const struct kc_files *files, const char *path, struct kc_text *text);

/* Plans @after as the file's contents, and takes it over. 0 or -errno. */
int kc_files_plan(struct kc_files *files, const char *path, struct kc_text after);

/* The same for a file that another program will write. */
int kc_files_foresee(struct kc_files *files, const char *path, struct kc_text after);

/* Does the plan change anything on disk? */
bool kc_files_is_changed(const struct kc_change *change);

/* Forgets the plan. */
void kc_files_free(struct kc_files *files);

/* A copy; NULL becomes an empty text of no file. */
struct kc_text kc_text_copy(const char *at, size_t len);
void kc_text_free(struct kc_text *text);
bool kc_text_equals(const struct kc_text *a, const struct kc_text *b);

#endif
