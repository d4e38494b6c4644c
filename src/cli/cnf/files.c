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

#include "cli/cli.h"

#define MAX_FILE ((size_t)1 << 20) /* bytes */

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

/* Linux 5.6; the C library may not know it. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define RESOLVE_IN_ROOT 0x10

int kc_files_open(const char *root, const char *path, int flags)
{
	const struct {
		uint64_t flags, mode, resolve;
	} how = { .flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_IN_ROOT };
	KC_FD base = -1;

	if (!*root)
		return open(path, flags | O_CLOEXEC);
	base = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return base < 0 ? -1 : (int)syscall(SYS_openat2, base, path, &how, sizeof(how));
}

/* Without /proc the path stays as it was asked for. */
int kc_files_resolve(const char *root, const char *path, char real[PATH_MAX])
{
	char link[64], found[PATH_MAX];
	size_t skip = strlen(root);
	KC_FD fd = kc_files_open(root, path, O_PATH);
	ssize_t n;

	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (snprintf(real, PATH_MAX, "%s", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (fd < 0)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, found, sizeof(found) - 1);
	if (n > (ssize_t)skip && memcmp(found, root, skip) == 0)
		snprintf(real, PATH_MAX, "%.*s", (int)(n - (ssize_t)skip), found + skip);
	return 0;
}

/* A device or pipe counts, too: /dev/null is an empty file to OpenSSL. */
static int read_all(struct kc_text *text, int fd)
{
	struct stat st;
	ssize_t n = 1;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	text->mode = st.st_mode;
	text->at = kc_must(calloc(1, MAX_FILE + 1));
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

int kc_text_read(struct kc_text *text, int fd)
{
	int err;

	*text = (struct kc_text){ .at = NULL };
	err = read_all(text, fd);
	if (err)
		kc_text_free(text);
	return err;
}

int kc_files_read(const char *root, const char *path, struct kc_text *text)
{
	KC_FD fd = kc_files_open(root, path, O_RDONLY | O_NOCTTY);

	*text = (struct kc_text){ .at = NULL };
	return fd < 0 ? -errno : kc_text_read(text, fd);
}

static bool is_included(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcmp(dot, ".cnf") == 0 || strcmp(dot, ".conf") == 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

#define MAX_LIST 64

static void fill(char **list, DIR *dir, const char *path)
{
	const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
	const struct dirent *entry;
	size_t n = 0;

	while (n < MAX_LIST && (entry = readdir(dir)))
		if (is_included(entry->d_name) &&
		    asprintf(&list[n], "%s%s%s", path, slash, entry->d_name) >= 0)
			n++;
	list[n] = NULL;
	qsort(list, n, sizeof(*list), by_name);
}

char **kc_files_list(const char *root, const char *path)
{
	char **list;
	int fd = kc_files_open(root, path, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		return NULL;
	list = kc_must(calloc(MAX_LIST + 1, sizeof(*list)));
	fill(list, dir, path);
	closedir(dir);
	return list;
}

void kc_files_unlist(char **list)
{
	for (char **path = list; path && *path; path++)
		free(*path);
	free(list);
}
