/* SPDX-License-Identifier: Apache-2.0 */
/* Follows symbolic links itself: those of an image point into the image. */
#include "cli/cnf/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40
#define MAX_FILE  ((size_t)1 << 20) /* bytes */

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

int kc_files_host(const struct kc_files *files, const char *found, char host[PATH_MAX])
{
	int n = snprintf(host, PATH_MAX, "%s%s", files->root, found);

	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Removes the last component. */
static void go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

/* Is the component after @found a symbolic link? Puts its target into @link. */
static bool is_link(const struct kc_files *files, const char *found, char link[PATH_MAX])
{
	char host[PATH_MAX];
	ssize_t n = -1;

	if (kc_files_host(files, found, host) == 0)
		n = readlink(host, link, PATH_MAX - 1);
	if (n >= 0)
		link[n] = '\0';
	return n >= 0;
}

/* Puts the link's target in front of the rest of the path. */
static int follow(char *found, char rest[PATH_MAX], size_t at, const char *link)
{
	char way[PATH_MAX];
	int n = snprintf(way, sizeof(way), "%s/%s", link, rest + at);

	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	if (link[0] == '/')
		found[0] = '\0';
	else
		go_up(found);
	memcpy(rest, way, (size_t)n + 1);
	return 0;
}

int kc_files_find(const struct kc_files *files, const char *path, char found[PATH_MAX])
{
	char rest[PATH_MAX], link[PATH_MAX];
	size_t at = 0, used;
	int links = 0, err = 0;

	if (snprintf(rest, sizeof(rest), "%s", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	found[0] = '\0';
	while (!err && rest[at += strspn(rest + at, "/")]) {
		size_t len = strcspn(rest + at, "/");

		used = strlen(found);
		if (len == 2 && memcmp(rest + at, "..", 2) == 0)
			go_up(found);
		else if (used + 1 + len >= PATH_MAX)
			return -ENAMETOOLONG;
		else if (len != 1 || rest[at] != '.')
			sprintf(found + used, "/%.*s", (int)len, rest + at);
		at += len;
		if (strlen(found) > used && is_link(files, found, link)) {
			err = ++links > MAX_LINKS ? -ELOOP : follow(found, rest, at, link);
			at = 0;
		}
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

static int read_all(int fd, struct kc_text *text)
{
	struct stat st;
	ssize_t n = 1;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EISDIR;
	if ((size_t)st.st_size > MAX_FILE)
		return -EFBIG;
	text->at = calloc(1, (size_t)st.st_size + 1);
	if (!text->at)
		return -ENOMEM;
	while (n > 0 && text->len < (size_t)st.st_size) {
		n = read(fd, text->at + text->len, (size_t)st.st_size - text->len);
		if (n < 0)
			return -errno;
		text->len += (size_t)n;
	}
	return strlen(text->at) == text->len ? 0 : -EILSEQ;
}

static int read_disk(const struct kc_files *files, const char *found, struct kc_text *text)
{
	char host[PATH_MAX];
	int err = kc_files_host(files, found, host), fd;

	if (err)
		return err;
	fd = open(host, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	err = read_all(fd, text);
	close(fd);
	if (err)
		kc_text_free(text);
	return err;
}

int kc_files_read(const struct kc_files *files, const char *path, struct kc_text *text)
{
	char found[PATH_MAX];
	int err = kc_files_find(files, path, found);
	const struct kc_change *change = err ? NULL : find_change(files, found);

	*text = (struct kc_text){ .at = NULL };
	if (err)
		return err;
	if (!change)
		return read_disk(files, found, text);
	*text = kc_text_copy(change->after.at, change->after.len);
	return text->at ? 0 : -ENOENT;
}

static int plan(struct kc_files *files, const char *path, struct kc_text after, bool is_foreseen)
{
	char found[PATH_MAX];
	int err = kc_files_find(files, path, found);
	struct kc_change *change = err ? NULL : find_change(files, found);

	if (!err && !change && files->n == KC_MAX_CHANGES)
		err = -ENOBUFS;
	if (!err && !change) {
		change = &files->change[files->n];
		*change = (struct kc_change){ .is_foreseen = is_foreseen };
		memcpy(change->path, found, sizeof(found));
		err = read_disk(files, found, &change->before);
		err = err == -ENOENT || err == -ENOTDIR ? 0 : err;
		files->n += !err;
	}
	if (err) {
		kc_text_free(&after);
		return err;
	}
	kc_text_free(&change->after);
	change->after = after;
	return 0;
}

int kc_files_plan(struct kc_files *files, const char *path, struct kc_text after)
{
	return plan(files, path, after, false);
}

int kc_files_foresee(struct kc_files *files, const char *path, struct kc_text after)
{
	return plan(files, path, after, true);
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
