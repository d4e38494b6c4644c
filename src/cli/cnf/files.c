/* SPDX-License-Identifier: Apache-2.0 */
/* The links of an image point into the image, so the kernel resolves its paths as in a chroot. */
#include "cli/cnf/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_LINKS 40
#define MAX_FILE  ((size_t)1 << 20) /* bytes */
#define DIRECTORY (O_PATH | O_DIRECTORY | O_CLOEXEC)

struct kc_text kc_text_copy(const char *at, size_t len)
{
	struct kc_text text = { .at = at ? malloc(len + 1) : NULL, .len = at ? len : 0 };

	if (text.at) {
		memcpy(text.at, at, len);
		text.at[len] = '\0';
	}
	return text;
}

void kc_text_free(struct kc_text *text)
{
	free(text->at);
	*text = (struct kc_text){ .at = NULL };
}

bool kc_text_equals(const struct kc_text *a, const struct kc_text *b)
{
	if (!a->at || !b->at)
		return a->at == b->at;
	return a->len == b->len && memcmp(a->at, b->at, a->len) == 0;
}

void kc_spot_close(struct kc_spot *spot)
{
	if (spot->dir >= 0)
		close(spot->dir);
	spot->dir = -1;
}

/* Linux 5.6; the C library may not know it. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define RESOLVE_IN_ROOT 0x10

/* As a process with that root would. -1 with errno. */
static int open_directory(const char *root, const char *path)
{
	const struct {
		uint64_t flags, mode, resolve;
	} how = { .flags = DIRECTORY, .resolve = RESOLVE_IN_ROOT };
	int base, dir;

	if (!*root)
		return open(path, DIRECTORY);
	base = open(root, DIRECTORY);
	dir = base < 0 ? -1 : (int)syscall(SYS_openat2, base, path, &how, sizeof(how));
	if (base >= 0)
		close(base);
	return dir;
}

/* Puts the path of an open directory below the root into @path; without /proc it stays. */
static void name_directory(int dir, const char *root, char path[PATH_MAX])
{
	char link[64], real[PATH_MAX];
	size_t skip = strlen(root);
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = readlink(link, real, sizeof(real) - 1);
	if (n < 0 || (size_t)n < skip || memcmp(real, root, skip) != 0)
		return;
	real[n] = '\0';
	strcpy(path, strcmp(real, "/") == 0 ? "" : real + skip);
}

/* Opens the directory of the file at @way. 0 or -errno; a directory that is missing is no error. */
static int open_parent(struct kc_spot *spot, const char *root, const char *way)
{
	char dir[PATH_MAX], *slash;

	snprintf(dir, sizeof(dir), "%s", way);
	slash = strrchr(dir, '/');
	if (!slash || strcmp(slash, "/..") == 0 || strcmp(slash, "/.") == 0)
		return -EINVAL;
	*slash = '\0';
	kc_spot_close(spot);
	spot->dir = open_directory(root, *dir ? dir : "/");
	if (spot->dir < 0 && errno != ENOENT)
		return -errno;
	if (spot->dir >= 0)
		name_directory(spot->dir, root, dir);
	if (snprintf(spot->path, PATH_MAX, "%s/%s", dir, slash + 1) >= PATH_MAX)
		return -ENAMETOOLONG;
	spot->name = slash[1] ? strrchr(spot->path, '/') + 1 : ".";
	return 0;
}

int kc_spot_find(struct kc_spot *spot, const struct kc_files *files, const char *path, bool follows)
{
	char way[2 * PATH_MAX], link[PATH_MAX];
	size_t len = (size_t)snprintf(way, sizeof(way), "%s", path);
	int err = 0;
	ssize_t n;

	*spot = (struct kc_spot){ .dir = -1 };
	while (len > 1 && len < sizeof(way) && way[len - 1] == '/')
		way[--len] = '\0';
	for (int links = 0; !err && links <= MAX_LINKS; links++) {
		err = strlen(way) < PATH_MAX ? open_parent(spot, files->root, way) : -ENAMETOOLONG;
		n = follows && !err && spot->dir >= 0 ?
			    readlinkat(spot->dir, spot->name, link, sizeof(link) - 1) :
			    -1;
		if (n < 0)
			return err;
		link[n] = '\0';
		snprintf(way, sizeof(way), "%.*s%s",
			 link[0] == '/' ? 0 : (int)(spot->name - spot->path), spot->path, link);
	}
	return -ELOOP;
}

static struct kc_change *find_change(const struct kc_files *files, const char *found)
{
	for (size_t i = 0; i < files->n; i++)
		if (strcmp(files->change[i].path, found) == 0)
			return (struct kc_change *)&files->change[i];
	return NULL;
}

/* A device or pipe counts, too: /dev/null is an empty file to OpenSSL. */
static int read_all(int fd, struct kc_text *text)
{
	struct stat st;
	ssize_t n = 1;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	text->mode = st.st_mode;
	text->at = calloc(1, MAX_FILE + 1);
	if (!text->at)
		return -ENOMEM;
	while (n > 0 && text->len < MAX_FILE + 1) {
		n = read(fd, text->at + text->len, MAX_FILE + 1 - text->len);
		if (n < 0)
			return -errno;
		text->len += (size_t)n;
	}
	if (text->len > MAX_FILE)
		return -EFBIG;
	return strlen(text->at) == text->len ? 0 : -EILSEQ;
}

static int read_fd(int fd, struct kc_text *text)
{
	int err = fd < 0 ? -errno : read_all(fd, text);

	if (fd >= 0)
		close(fd);
	if (err)
		kc_text_free(text);
	return err;
}

#define READING (O_RDONLY | O_CLOEXEC | O_NOCTTY)

int kc_files_read_here(const struct kc_spot *spot, struct kc_text *text)
{
	*text = (struct kc_text){ .at = NULL };
	if (spot->dir < 0)
		return -ENOENT;
	return read_fd(openat(spot->dir, spot->name, READING | O_NOFOLLOW | O_NONBLOCK), text);
}

int kc_files_read(const struct kc_files *files, const char *path, struct kc_text *text)
{
	const struct kc_change *change;
	KC_SPOT spot = { .dir = -1 };
	int err;

	*text = (struct kc_text){ .at = NULL };
	if (!*files->root && !files->n) /* as OpenSSL does, also for what is only in /proc */
		return read_fd(open(path, READING), text);
	err = kc_spot_find(&spot, files, path, true);
	change = err ? NULL : find_change(files, spot.path);
	if (change)
		*text = kc_text_copy(change->after.at, change->after.len);
	if (change)
		return text->at ? 0 : -ENOENT;
	return err ? err : kc_files_read_here(&spot, text);
}

bool kc_files_has(const struct kc_files *files, const char *path)
{
	KC_SPOT spot;

	return kc_spot_find(&spot, files, path, true) == 0 && spot.dir >= 0 &&
	       faccessat(spot.dir, spot.name, F_OK, 0) == 0;
}

static bool is_included(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcmp(dot, ".cnf") == 0 || strcmp(dot, ".conf") == 0);
}

/* Is @path a file directly below @directory? */
static bool is_below(const char *path, const char *directory)
{
	size_t n = strlen(directory);

	return strncmp(path, directory, n) == 0 && path[n] == '/' && !strchr(path + n + 1, '/') &&
	       is_included(path);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

#define MAX_LIST 64

/* Those on disk, then those planned anew; one planned to be removed cannot be read later on. */
static size_t fill(char **list, DIR *dir, const struct kc_files *files, const char *found)
{
	const struct dirent *entry;
	size_t n = 0;

	while (n < MAX_LIST && (entry = readdir(dir)))
		if (is_included(entry->d_name) &&
		    asprintf(&list[n], "%s/%s", found, entry->d_name) >= 0)
			n++;
	qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 0; n < MAX_LIST && i < files->n; i++)
		if (is_below(files->change[i].path, found) && !files->change[i].before.at &&
		    (list[n] = strdup(files->change[i].path)))
			n++;
	return n;
}

char **kc_files_list(const struct kc_files *files, const char *path)
{
	char **list = NULL;
	KC_SPOT spot;
	int err = kc_spot_find(&spot, files, path, true);
	int fd = err || spot.dir < 0 ? -1 :
				       openat(spot.dir, spot.name,
					      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir && (list = calloc(MAX_LIST + 1, sizeof(*list))))
		list[fill(list, dir, files, spot.path)] = NULL;
	if (dir)
		closedir(dir);
	return list;
}

void kc_files_unlist(char **list)
{
	for (char **path = list; path && *path; path++)
		free(*path);
	free(list);
}

bool kc_files_is_planned(const struct kc_files *files, const char *path)
{
	KC_SPOT spot;

	return kc_spot_find(&spot, files, path, true) == 0 && find_change(files, spot.path);
}

int kc_files_plan(struct kc_files *files, const char *path, struct kc_text after)
{
	KC_SPOT spot;
	int err = kc_spot_find(&spot, files, path, true);
	struct kc_change *change = err ? NULL : find_change(files, spot.path);

	if (!err && !change && files->n == KC_MAX_CHANGES)
		err = -ENOBUFS;
	if (!err && !change) {
		change = &files->change[files->n];
		*change = (struct kc_change){ .path = "" };
		memcpy(change->path, spot.path, sizeof(change->path));
		err = kc_files_read_here(&spot, &change->before);
		err = err == -ENOENT ? 0 : err;
		files->n += !err;
	}
	kc_text_free(err ? &after : &change->after);
	if (!err)
		change->after = after;
	return err;
}

bool kc_files_is_changed(const struct kc_change *change)
{
	return !kc_text_equals(&change->before, &change->after);
}

void kc_files_free(struct kc_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		kc_text_free(&files->change[i].before);
		kc_text_free(&files->change[i].after);
	}
	files->n = 0;
}
