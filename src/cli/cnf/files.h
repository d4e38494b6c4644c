/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files below a root directory, as they are or as planned. Symbolic links lead inside the root. A
 * file is opened by its name in a directory that stays open, so nobody can exchange the directory
 * in between. Reading and planning change nothing; config/apply.c writes.
 */
#ifndef KC_CLI_CNF_FILES_H
#define KC_CLI_CNF_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define KC_MAX_CHANGES 8

/* The bytes of a file, followed by a NUL; NULL if there is no such file. Owned. */
struct kc_text {
	char *at;
	size_t len;  /* without the NUL */
	mode_t mode; /* of the file, if it was read from one */
};

struct kc_change {
	char path[PATH_MAX]; /* inside the root, without symbolic links */
	struct kc_text before, after;
};

struct kc_files {
	const char *root; /* without a slash at its end; "" is the system itself */
	struct kc_change change[KC_MAX_CHANGES];
	size_t n;
};

/* A place for a file. */
struct kc_spot {
	int dir;	     /* its directory, opened with O_PATH; -1: there is none */
	char path[PATH_MAX]; /* inside the root, without symbolic links */
	const char *name;    /* the last component of the path */
};

/*
 * Finds the place that a process with that root would reach by @path; the file itself may be
 * missing. @follows: also follow a link that is the last component. 0 or -errno; close @spot in
 * either case.
 */
int kc_spot_find(struct kc_spot *spot, const struct kc_files *files, const char *path,
		 bool follows);
void kc_spot_close(struct kc_spot *spot);

/* A local one is closed at the end of its block. */
#define KC_SPOT __attribute__((cleanup(kc_spot_close))) struct kc_spot

/*
 * Reads a file, as planned or from disk. 0 or -errno, with @text empty; -ENOENT if there is none,
 * -EISDIR for a directory, -EFBIG beyond a MiB, -EILSEQ if it contains a NUL.
 */
int kc_files_read(const struct kc_files *files, const char *path, struct kc_text *text);

/* Reads the file itself from disk, and no link. */
int kc_files_read_here(const struct kc_spot *spot, struct kc_text *text);

/* Is there a file or directory? */
bool kc_files_has(const struct kc_files *files, const char *path);

/*
 * Returns the paths of the files that OpenSSL includes with the directory @path, planned ones too,
 * sorted by name and ended by NULL; OpenSSL takes them in the file system's order. NULL with
 * errno if it is no directory. Free with kc_files_unlist().
 */
char **kc_files_list(const struct kc_files *files, const char *path);
void kc_files_unlist(char **list);

/* Plans @after as the file's contents, and takes it over. 0 or -errno. */
int kc_files_plan(struct kc_files *files, const char *path, struct kc_text after);

bool kc_files_is_planned(const struct kc_files *files, const char *path);

/* Does the plan change anything on disk? */
bool kc_files_is_changed(const struct kc_change *change);

/* Forgets the plan. */
void kc_files_free(struct kc_files *files);

/* A copy; NULL becomes an empty text of no file. */
struct kc_text kc_text_copy(const char *at, size_t len);
void kc_text_free(struct kc_text *text);

/* A local one is freed at the end of its block. */
#define KC_TEXT __attribute__((cleanup(kc_text_free))) struct kc_text

bool kc_text_equals(const struct kc_text *a, const struct kc_text *b);

#endif
