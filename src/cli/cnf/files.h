/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files below @root, a directory without a slash at its end, or "" for the system itself. Symbolic
 * links lead inside the root.
 */
#ifndef KC_CLI_CNF_FILES_H
#define KC_CLI_CNF_FILES_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The bytes of a file, followed by a NUL; NULL if there is no such file. Owned. */
struct kc_text {
	char *at;
	size_t len;  /* without the NUL */
	mode_t mode; /* of the file, if it was read from one */
};

/* Opens a file or directory as a process with that root would. -1 with errno. */
int kc_files_open(const char *root, const char *path, int flags);

/*
 * Finds the file's path inside the root without symbolic links; one that is missing keeps the path
 * that it was asked for. 0 or -errno.
 */
int kc_files_resolve(const char *root, const char *path, char real[PATH_MAX]);

/*
 * Reads a file. 0 or -errno, and free @text in either case; -ENOENT if there is none, and @text is
 * empty; -EISDIR for a directory, -EFBIG beyond a MiB, -EILSEQ if it contains a NUL.
 */
int kc_files_read(const char *root, const char *path, struct kc_text *text);

/*
 * Lists the files that OpenSSL includes with the directory @path, like scandir(), sorted by name;
 * OpenSSL takes them in the file system's order. Their number; -1 if it is no directory.
 */
int kc_files_list(const char *root, const char *path, struct dirent ***list);

/*
 * Writes a file called @name in the directory @dir, or replaces it, as a whole: at any moment it is
 * the old one or the new one. It gets the owner, mode and extended attributes of the open file
 * @model, or, if that is -1, a mode with which everyone can read it, whatever the umask.
 * @is_new: there must be none of that name. 0 or -errno.
 */
int kc_files_replace(int dir, const char *name, const struct kc_text *text, int model, bool is_new);

/*
 * Is it mounted by itself, as a container's may be? Then it can be written, but not replaced. False
 * if that cannot be known.
 */
bool kc_files_is_mounted(const char *path);

/* Reads the rest of an open file, like kc_files_read(). */
int kc_text_read(struct kc_text *text, int fd);

/* Frees the text, which is absent then. */
void kc_text_free(struct kc_text *text);

/* A local one is freed at the end of its block. */
#define KC_TEXT __attribute__((cleanup(kc_text_free))) struct kc_text

/* Have both the same bytes, or are both absent? */
bool kc_text_equals(const struct kc_text *a, const struct kc_text *b);

#endif
