/* SPDX-License-Identifier: Apache-2.0 */
/* Links in an image point into the image, so the kernel resolves its paths as in a chroot. */
#include "cli/cnf/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
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
	if (a->len != b->len)
		return false;
	return memcmp(a->at, b->at, a->len) == 0;
}

/* Linux 5.6 has it, but the C library may not. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define RESOLVE_IN_ROOT 0x10
#define NO_REPLACE	1 /* RENAME_NOREPLACE; musl has no renameat2() */

int kc_files_open(const char *root, const char *path, int flags)
{
	const struct {
		uint64_t flags, mode, resolve;
	} how = { .flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_IN_ROOT };
	KC_FD base = -1;

	if (!*root)
		return open(path, flags | O_CLOEXEC);
	base = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (base < 0)
		return -1;
	return (int)syscall(SYS_openat2, base, path, &how, sizeof(how));
}

/* Without /proc the path stays as it was given. */
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

/* Accepts a device or pipe, too: /dev/null is an empty file to OpenSSL. */
int kc_text_read(struct kc_text *text, int fd)
{
	struct stat st;
	ssize_t n = 1;

	*text = (struct kc_text){ .at = NULL };
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
	if (strlen(text->at) != text->len)
		return -EILSEQ;
	return 0;
}

int kc_files_read(const char *root, const char *path, struct kc_text *text)
{
	KC_FD fd = kc_files_open(root, path, O_RDONLY | O_NOCTTY);

	*text = (struct kc_text){ .at = NULL };
	if (fd < 0)
		return -errno;
	return kc_text_read(text, fd);
}

static int is_included(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	if (!dot || dot == entry->d_name)
		return 0;
	return strcasecmp(dot, ".cnf") == 0 || strcasecmp(dot, ".conf") == 0;
}

/* Below another root it uses the descriptor's own name: a link would lead out of the root here. */
int kc_files_list(const char *root, const char *path, struct dirent ***list)
{
	KC_FD fd = kc_files_open(root, path, O_PATH | O_DIRECTORY);
	char link[64];

	if (fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (*root)
		path = link;
	return scandir(path, list, is_included, alphasort);
}

/* True for attributes that depend on the old contents; the kernel makes them anew. */
static bool is_of_contents(const char *name)
{
	return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

/* Access lists and labels are extended attributes, too. */
static int copy_attributes(int to, int from)
{
	static char names[65536], value[65536], now[65536];
	ssize_t n = flistxattr(from, names, sizeof(names));

	if (n < 0 && errno == ENOTSUP)
		return 0;
	if (n < 0)
		return -errno;
	for (const char *name = names; name < names + n; name += strlen(name) + 1) {
		ssize_t len;

		if (is_of_contents(name))
			continue;
		len = fgetxattr(from, name, value, sizeof(value));
		if (len < 0 || fsetxattr(to, name, value, (size_t)len, 0) == 0)
			continue;
		if (fgetxattr(to, name, now, sizeof(now)) != len ||
		    memcmp(now, value, (size_t)len) != 0)
			return -ENOTSUP;
	}
	return 0;
}

static int set_mode(int fd, mode_t mode)
{
	if (fchmod(fd, mode) != 0)
		return -errno;
	return 0;
}

/* Only root may give a file away. @model: the file to be replaced; -1: there is none. */
static int copy_rights(int fd, int model)
{
	struct stat st, ours;
	bool is_others;
	int err;

	if (model < 0)
		return set_mode(fd, 0644);
	if (fstat(model, &st) != 0 || fstat(fd, &ours) != 0)
		return -errno;
	is_others = ours.st_uid != st.st_uid || ours.st_gid != st.st_gid;
	if (is_others && fchown(fd, st.st_uid, st.st_gid) != 0)
		return -errno;
	err = copy_attributes(fd, model);
	if (err)
		return err;
	return set_mode(fd, st.st_mode & 07777);
}

static int write_bytes(int fd, const struct kc_text *text)
{
	size_t done = 0;

	while (done < text->len) {
		ssize_t n = write(fd, text->at + done, text->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += (size_t)n;
	}
	if (fsync(fd) != 0)
		return -errno;
	return 0;
}

static int rename_to(int dir, const char *temp, const char *name, bool is_new)
{
	long failed;

	if (is_new)
		failed = syscall(SYS_renameat2, dir, temp, dir, name, NO_REPLACE);
	else
		failed = renameat(dir, temp, dir, name);
	if (failed)
		return -errno;
	return 0;
}

int kc_files_replace(int dir, const char *name, const struct kc_text *text, int model, bool is_new)
{
	char temp[PATH_MAX];
	KC_FD fd = -1;
	int err;

	if (snprintf(temp, sizeof(temp), "%s.kcrypto-%ld", name, (long)getpid()) >= PATH_MAX)
		return -ENAMETOOLONG;
	/* A power failure may have left one of a process with the same number. */
	unlinkat(dir, temp, 0);
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = copy_rights(fd, model);
	if (!err)
		err = write_bytes(fd, text);
	if (!err)
		err = rename_to(dir, temp, name, is_new);
	if (err)
		unlinkat(dir, temp, 0);
	return err;
}

/* Returns the mount that a path is on; -1: unknown. */
static int mount_of(const char *path)
{
	KC_FD fd = open(path, O_PATH | O_CLOEXEC);
	char info[64], line[128];
	int mount = -1;

	if (fd < 0)
		return -1;
	snprintf(info, sizeof(info), "/proc/self/fdinfo/%d", fd);
	KC_FILE *in = fopen(info, "re");

	while (in && mount < 0 && fgets(line, sizeof(line), in))
		if (sscanf(line, "mnt_id: %d", &mount) != 1)
			mount = -1;
	return mount;
}

bool kc_files_is_mounted(const char *path)
{
	char dir[PATH_MAX], real[PATH_MAX];
	int mount;

	if (!realpath(path, real))
		return false;
	snprintf(dir, sizeof(dir), "%s", real);
	strrchr(dir, '/')[1] = '\0';
	mount = mount_of(real);
	return mount >= 0 && mount != mount_of(dir);
}
