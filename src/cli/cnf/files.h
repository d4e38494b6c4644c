/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files below @root: a directory, without a slash at the end, or "" for the system itself. Symbolic
 * links lead inside the root.
 */
#ifndef KC_CLI_CNF_FILES_H
#define KC_CLI_CNF_FILES_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The bytes of a file, followed by a NUL; NULL if there is no such file. Owns its memory. */
struct kc_text {
	char *at;
	size_t len;  /* without the NUL */
	mode_t mode; /* of the file, if it was read from one */
};

/* Opens a file or directory as a process with that root would. -1 with errno. */
int kc_files_open(const char *root, const char *path, int flags);

/*
 * Finds the file's path inside the root, without symbolic links; a file that is missing keeps its
 * path. 0 or -errno.
 */
int kc_files_resolve(const char *root, const char *path, char real[PATH_MAX]);

/*
 * Reads a file. 0 or -errno; free @text in either case. -ENOENT: there is none, and @text is empty;
 * -EISDIR: a directory; -EFBIG: larger than a MiB; -EILSEQ: it contains a NUL.
 */
int kc_files_read(const char *root, const char *path, struct kc_text *text);

/*
 * Lists the files that OpenSSL includes with the directory @path, like scandir(). They are sorted
 * by name; OpenSSL takes them in the file system's order. Returns their number; -1 if it is no
 * directory.
 */
int kc_files_list(const char *root, const char *path, struct dirent ***list);

/*
 * Writes or replaces the file @name in the directory @dir as a whole: at any moment it is the old
 * one or the new one. It gets the owner, mode and extended attributes of the open file @model; if
 * @model is -1, a mode with which everyone can read it, whatever the umask. @is_new: there must be
 * no file of that name. 0 or -errno.
 */
int kc_files_replace(int dir, const char *name, const struct kc_text *text, int model, bool is_new);

/*
 * True if the file is a mount point, as in some containers: it can be written, but not replaced.
 * False also if that is unknown.
 */
bool kc_files_is_mounted(const char *path);

/* Reads the rest of an open file, like kc_files_read(). */
int kc_text_read(struct kc_text *text, int fd);

/* Frees the text, which is absent after that. */
void kc_text_free(struct kc_text *text);

/* Declares a local text that is freed at the end of its block. */
#define KC_TEXT __attribute__((cleanup(kc_text_free))) struct kc_text

/* True if both have the same bytes, or both are absent. */
bool kc_text_equals(const struct kc_text *a, const struct kc_text *b);

#endif
