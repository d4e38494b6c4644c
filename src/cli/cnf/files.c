/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows symbolic links itself: those of an image point into the image. No kernel call gets more
 * than one component, and none follows a link; openat2() would do that, but only from Linux 5.6 on.
 */
#include "cli/cnf/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40
#define MAX_FILE  ((size_t)1 << 20) /* bytes */
#define DIRECTORY (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

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

/* Opens a directory by a path without symbolic links. -1 with errno. */
static int open_directory(const char *root, const char *path)
{
	int dir = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC), next;
	char way[PATH_MAX], *rest, *name;

	snprintf(way, sizeof(way), "%s", path);
	for (name = strtok_r(way, "/", &rest); name && dir >= 0;
	     name = strtok_r(NULL, "/", &rest)) {
		next = openat(dir, name, DIRECTORY);
		close(dir);
		dir = next;
	}
	return dir;
}

/* Is @name in the directory @path a symbolic link? Puts its target into @link. */
static bool is_link(const char *root, const char *path, const char *name, char link[PATH_MAX])
{
	int dir = open_directory(root, path);
	ssize_t n = dir < 0 ? -1 : readlinkat(dir, name, link, PATH_MAX - 1);

	if (dir >= 0)
		close(dir);
	if (n >= 0)
		link[n] = '\0';
	return n >= 0;
}

/* Puts the target of a link in front of the rest of the way. */
static int follow(char path[PATH_MAX], const char *link, char rest[PATH_MAX])
{
	char way[PATH_MAX];
	int n = snprintf(way, sizeof(way), "%s%s", link, rest);

	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(rest, way, (size_t)n + 1);
	if (link[0] == '/')
		path[0] = '\0';
	return 0;
}

/* Cuts the first component off @rest, and leaves there what follows it. False: there is none. */
static bool cut(char rest[PATH_MAX], char name[NAME_MAX + 1])
{
	size_t blank = strspn(rest, "/"), len = strcspn(rest + blank, "/");

	snprintf(name, NAME_MAX + 1, "%.*s", (int)len, rest + blank);
	memmove(rest, rest + blank + len, strlen(rest + blank + len) + 1);
	return len;
}

/* Adds a component to the path; ".." takes the last one away. */
static int step(char path[PATH_MAX], const char *name)
{
	size_t used = strlen(path);

	if (strcmp(name, "..") == 0) {
		path[used ? (size_t)(strrchr(path, '/') - path) : 0] = '\0';
	} else if (strcmp(name, ".") != 0) {
		if (used + 1 + strlen(name) >= PATH_MAX)
			return -ENAMETOOLONG;
		sprintf(path + used, "/%s", name);
	}
	return 0;
}

int kc_spot_find(struct kc_spot *spot, const struct kc_files *files, const char *path, bool follows)
{
	char rest[PATH_MAX], name[NAME_MAX + 1], link[PATH_MAX];
	int links = 0, err = 0;

	*spot = (struct kc_spot){ .dir = -1, .name = "." };
	if (snprintf(rest, sizeof(rest), "%s", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	while (!err && cut(rest, name)) {
		bool is_last = !rest[strspn(rest, "/")];

		if ((!is_last || follows) && is_link(files->root, spot->path, name, link))
			err = ++links > MAX_LINKS ? -ELOOP : follow(spot->path, link, rest);
		else
			err = step(spot->path, name);
	}
	if (err)
		return err;
	memcpy(rest, spot->path, sizeof(rest));
	if (*rest) {
		spot->name = strrchr(spot->path, '/') + 1;
		step(rest, "..");
	}
	spot->dir = open_directory(files->root, rest);
	return spot->dir < 0 && errno != ENOENT ? -errno : 0;
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

struct kc_change *kc_files_change(const struct kc_files *files, const char *path)
{
	KC_SPOT spot;

	return kc_spot_find(&spot, files, path, true) == 0 ? find_change(files, spot.path) : NULL;
}

/* Begins a change with the file as it is. */
static int begin(struct kc_files *files, const char *path)
{
	struct kc_change *change = &files->change[files->n];
	KC_SPOT spot;
	int err = kc_spot_find(&spot, files, path, true);

	if (err || files->n == KC_MAX_CHANGES)
		return err ? err : -ENOBUFS;
	*change = (struct kc_change){ .is_foreseen = false };
	memcpy(change->path, spot.path, sizeof(change->path));
	err = kc_files_read_here(&spot, &change->before);
	if (err && err != -ENOENT)
		return err;
	files->n++;
	return 0;
}

int kc_files_plan(struct kc_files *files, const char *path, struct kc_text after)
{
	struct kc_change *change = kc_files_change(files, path);
	int err = change ? 0 : begin(files, path);

	if (!change && !err)
		change = &files->change[files->n - 1];
	kc_text_free(change ? &change->after : &after);
	if (change)
		change->after = after;
	return err;
}

bool kc_files_is_changed(const struct kc_change *change)
{
	return !change->is_foreseen && !kc_text_equals(&change->before, &change->after);
}

void kc_files_free(struct kc_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		kc_text_free(&files->change[i].before);
		kc_text_free(&files->change[i].after);
	}
	files->n = 0;
}
