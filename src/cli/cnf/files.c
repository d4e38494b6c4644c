/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows symbolic links itself: those of an image point into the image. No kernel call gets more
 * than one component, and none follows a link; that needs no openat2(), which Linux has since 5.6.
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

/* Steps into a directory of the current one. A missing one leaves -1; all else is an error. */
static int enter(struct kc_spot *spot, const char *name)
{
	int next = spot->dir < 0 ? -1 : openat(spot->dir, name, DIRECTORY);
	int err = spot->dir >= 0 && next < 0 && errno != ENOENT ? -errno : 0;

	kc_spot_close(spot);
	spot->dir = next;
	return err;
}

/* Begins again at the root, and goes to the directory at @spot's path. */
static int enter_all(struct kc_spot *spot, const char *root)
{
	char way[PATH_MAX], *rest, *name;
	int err;

	kc_spot_close(spot);
	spot->dir = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	err = spot->dir < 0 ? -errno : 0;
	memcpy(way, spot->path, sizeof(way));
	for (name = strtok_r(way, "/", &rest); name && !err; name = strtok_r(NULL, "/", &rest))
		err = enter(spot, name);
	return err;
}

/* Puts the target of a link in front of the rest of the way. */
static int follow(struct kc_spot *spot, const char *root, const char *link, char rest[PATH_MAX])
{
	char way[PATH_MAX];
	int n = snprintf(way, sizeof(way), "%s%s", link, rest);

	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(rest, way, (size_t)n + 1);
	if (link[0] != '/')
		return 0;
	spot->path[0] = '\0';
	return enter_all(spot, root);
}

/* Is the component a symbolic link? Puts its target into @link. */
static bool is_link(const struct kc_spot *spot, const char *name, char link[PATH_MAX])
{
	ssize_t n = spot->dir < 0 ? -1 : readlinkat(spot->dir, name, link, PATH_MAX - 1);

	if (n >= 0)
		link[n] = '\0';
	return n >= 0;
}

static int go_up(struct kc_spot *spot, const char *root)
{
	char *slash = strrchr(spot->path, '/');

	if (slash)
		*slash = '\0';
	return enter_all(spot, root);
}

/* Cuts the first component off @rest, and leaves there what follows it. False: there is none. */
static bool cut(char rest[PATH_MAX], char name[NAME_MAX + 1])
{
	size_t blank = strspn(rest, "/"), len = strcspn(rest + blank, "/");

	snprintf(name, NAME_MAX + 1, "%.*s", (int)len, rest + blank);
	memmove(rest, rest + blank + len, strlen(rest + blank + len) + 1);
	return len;
}

/* One component. @is_last: it names the file. */
static int step(struct kc_spot *spot, const char *name, bool is_last)
{
	size_t used = strlen(spot->path);

	if (used + 1 + strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	sprintf(spot->path + used, "/%s", name);
	return is_last ? 0 : enter(spot, name);
}

int kc_spot_find(struct kc_spot *spot, const struct kc_files *files, const char *path, bool follows)
{
	char rest[PATH_MAX], name[NAME_MAX + 1], link[PATH_MAX];
	bool is_last = false;
	int links = 0, err;

	*spot = (struct kc_spot){ .dir = -1, .name = "." };
	if (snprintf(rest, sizeof(rest), "%s", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = enter_all(spot, files->root);
	while (!err && cut(rest, name)) {
		is_last = !rest[strspn(rest, "/")];
		if (strcmp(name, ".") == 0)
			continue;
		if (strcmp(name, "..") == 0)
			err = go_up(spot, files->root);
		else if ((!is_last || follows) && is_link(spot, name, link))
			err = ++links > MAX_LINKS ? -ELOOP : follow(spot, files->root, link, rest);
		else if (!(err = step(spot, name, is_last)) && is_last)
			spot->name = strrchr(spot->path, '/') + 1;
	}
	return err;
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
	struct kc_spot spot;
	int err;

	*text = (struct kc_text){ .at = NULL };
	if (!*files->root && !files->n) /* as OpenSSL does, also for what is only in /proc */
		return read_fd(open(path, READING), text);
	err = kc_spot_find(&spot, files, path, true);
	change = err ? NULL : find_change(files, spot.path);
	if (change)
		*text = kc_text_copy(change->after.at, change->after.len);
	if (change)
		err = text->at ? 0 : -ENOENT;
	else if (!err)
		err = kc_files_read_here(&spot, text);
	kc_spot_close(&spot);
	return err;
}

bool kc_files_has(const struct kc_files *files, const char *path)
{
	struct kc_spot spot;
	bool has = kc_spot_find(&spot, files, path, true) == 0 && spot.dir >= 0 &&
		   faccessat(spot.dir, spot.name, F_OK, 0) == 0;

	kc_spot_close(&spot);
	return has;
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
	struct kc_spot spot;
	int err = kc_spot_find(&spot, files, path, true);
	int fd = err || spot.dir < 0 ? -1 :
				       openat(spot.dir, spot.name,
					      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	kc_spot_close(&spot);
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

/* Begins a change with the file as it is. */
static int add_change(struct kc_files *files, const struct kc_spot *spot, bool is_foreseen)
{
	struct kc_change *change = &files->change[files->n];
	int err;

	if (files->n == KC_MAX_CHANGES)
		return -ENOBUFS;
	*change = (struct kc_change){ .is_foreseen = is_foreseen };
	memcpy(change->path, spot->path, sizeof(change->path));
	err = kc_files_read_here(spot, &change->before);
	if (err && err != -ENOENT)
		return err;
	files->n++;
	return 0;
}

static int plan(struct kc_files *files, const char *path, struct kc_text after, bool is_foreseen)
{
	struct kc_spot spot;
	struct kc_change *change = NULL;
	int err = kc_spot_find(&spot, files, path, true);

	if (!err && !find_change(files, spot.path))
		err = add_change(files, &spot, is_foreseen);
	if (!err)
		change = find_change(files, spot.path);
	kc_spot_close(&spot);
	kc_text_free(change ? &change->after : &after);
	if (change)
		change->after = after;
	return err;
}

int kc_files_plan(struct kc_files *files, const char *path, struct kc_text after)
{
	return plan(files, path, after, false);
}

int kc_files_foresee(struct kc_files *files, const char *path, struct kc_text after)
{
	return plan(files, path, after, true);
}

bool kc_files_is_planned(const struct kc_files *files, const char *path)
{
	return find_change(files, path);
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
