/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory stays open, all names are relative to its descriptor, and no link is followed: the
 * directory may be another user's.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NO_REPLACE 1 /* RENAME_NOREPLACE; musl has no renameat2() */

/* These are about the old contents, and the kernel makes them anew. */
static bool is_of_contents(const char *name)
{
	return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

/* Access lists and labels are extended attributes, too. */
static int copy_attributes(int to, int from)
{
	static char names[65536], value[65536], now[65536];
	ssize_t n = flistxattr(from, names, sizeof(names));

	if (n < 0)
		return errno == ENOTSUP ? 0 : -errno;
	for (const char *name = names; name < names + n; name += strlen(name) + 1) {
		ssize_t len =
			is_of_contents(name) ? -1 : fgetxattr(from, name, value, sizeof(value));

		if (len < 0 || fsetxattr(to, name, value, (size_t)len, 0) == 0)
			continue;
		if (fgetxattr(to, name, now, sizeof(now)) != len ||
		    memcmp(now, value, (size_t)len) != 0)
			return -ENOTSUP;
	}
	return 0;
}

/* Only root may give a file away. @model: the file to be replaced; -1: there is none. */
static int copy_rights(int fd, int model)
{
	struct stat st, ours;
	int err;

	if (model < 0)
		return fchmod(fd, 0644) == 0 ? 0 : -errno;
	if (fstat(model, &st) != 0 || fstat(fd, &ours) != 0)
		return -errno;
	if ((ours.st_uid != st.st_uid || ours.st_gid != st.st_gid) &&
	    fchown(fd, st.st_uid, st.st_gid) != 0)
		return -errno;
	err = copy_attributes(fd, model);
	return err ? err : fchmod(fd, st.st_mode & 07777) == 0 ? 0 : -errno;
}

static int write_bytes(int fd, const struct kc_text *text)
{
	size_t done = 0;

	while (done < text->len) {
		ssize_t n = write(fd, text->at + done, text->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return fsync(fd) == 0 ? 0 : -errno;
}

/* Makes the new name survive a power failure. */
static void sync_directory(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!fsync(fd);
		close(fd);
	}
}

/*
 * Another program may have written the file since it was read. With several names, only this one
 * would get the new contents.
 */
static int look_at_old(int fd, const struct kc_text *before)
{
	KC_TEXT now = { .at = NULL };
	struct stat st;
	int err = fstat(fd, &st) == 0 ? 0 : -errno;

	if (!err && !S_ISREG(st.st_mode))
		err = -ENODEV;
	else if (!err && st.st_nlink > 1)
		err = -EMLINK;
	if (!err)
		err = kc_text_read(&now, fd);
	return err ? err : kc_text_equals(&now, before) ? 0 : -ESTALE;
}

/* Opens the file that is replaced, if there was one. */
static int open_old(int dir, const char *name, const struct kc_text *before, int *fd)
{
	*fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd >= 0)
		return look_at_old(*fd, before);
	if (errno == ENOENT && !before->at)
		return 0;
	return errno == ENOENT ? -ESTALE : -errno;
}

/* @model: the file that is replaced; -1: there must be none. */
static int replace(int dir, const char *name, const struct kc_text *text, int model)
{
	char temp[64];
	int fd, err;

	snprintf(temp, sizeof(temp), ".kcrypto-%ld", (long)getpid());
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = copy_rights(fd, model);
	if (!err)
		err = write_bytes(fd, text);
	if (!err && (model >= 0 ? renameat(dir, temp, dir, name) :
				  (int)syscall(SYS_renameat2, dir, temp, dir, name, NO_REPLACE)))
		err = -errno;
	if (err)
		unlinkat(dir, temp, 0);
	close(fd);
	return err;
}

static int put(int dir, const char *name, const struct kc_setup *setup)
{
	int old, err = open_old(dir, name, &setup->before, &old);

	if (!err && setup->after.at)
		err = replace(dir, name, &setup->after, old);
	else if (!err && unlinkat(dir, name, 0) != 0)
		err = -errno;
	if (!err)
		sync_directory(dir);
	if (old >= 0)
		close(old);
	return err;
}

int kc_apply(const struct kc_setup *setup)
{
	const char *slash = strrchr(setup->main, '/');
	char path[PATH_MAX];
	int dir, err;

	snprintf(path, sizeof(path), "%.*s", (int)(slash + 1 - setup->main), setup->main);
	dir = kc_files_open(setup->root, path, O_PATH | O_DIRECTORY);
	err = dir < 0 ? -errno : put(dir, slash + 1, setup);
	if (dir >= 0)
		close(dir);
	return err;
}
