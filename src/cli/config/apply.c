/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All names are opened relative to the directory's descriptor, and no link is followed: the
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

/*
 * Only root may give a file away; files made by others are their own. @model: the file to be
 * replaced, or for a backup its original; -1: there is none.
 */
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
static void sync_directory(const struct kc_spot *spot)
{
	int fd = openat(spot->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!fsync(fd);
		close(fd);
	}
}

/* With several names, only this one would get the new contents. */
static int open_model(const struct kc_spot *spot, int *model)
{
	const char *end = strstr(spot->name, KC_BACKUP);
	char name[NAME_MAX + 1];
	struct stat st;

	snprintf(name, sizeof(name), "%.*s", end ? (int)(end - spot->name) : NAME_MAX, spot->name);
	*model = openat(spot->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*model < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(*model, &st) != 0)
		return -errno;
	return !end && st.st_nlink > 1 ? -EMLINK : 0;
}

/* @is_there: it replaces a file; otherwise there must be none. */
static int replace(const struct kc_spot *spot, const struct kc_text *text, bool is_there)
{
	char temp[64];
	int model, err = open_model(spot, &model), fd;

	snprintf(temp, sizeof(temp), ".kcrypto-%ld", (long)getpid());
	fd = err ? -1 : openat(spot->dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (!err)
		err = fd < 0 ? -errno : copy_rights(fd, model);
	if (!err)
		err = write_bytes(fd, text);
	if (!err && (is_there ? renameat(spot->dir, temp, spot->dir, spot->name) :
				(int)syscall(SYS_renameat2, spot->dir, temp, spot->dir, spot->name,
					     NO_REPLACE)) != 0)
		err = -errno;
	if (err && fd >= 0)
		unlinkat(spot->dir, temp, 0);
	if (fd >= 0)
		close(fd);
	if (model >= 0)
		close(model);
	return err;
}

/* Another program may have written it since it was read. */
static int is_as_before(const struct kc_spot *spot, const struct kc_text *before)
{
	KC_TEXT now = { .at = NULL };
	int err = kc_files_read_here(spot, &now);

	if (err && err != -ENOENT && err != -ELOOP)
		return err;
	return err != -ELOOP && kc_text_equals(&now, before) ? 0 : -ESTALE;
}

static int put(const struct kc_files *files, const char *path, const struct kc_text *before,
	       const struct kc_text *after)
{
	KC_SPOT spot;
	int err = kc_spot_find(&spot, files, path, false);

	if (!err)
		err = spot.dir < 0 ? -ENOENT : is_as_before(&spot, before);
	if (!err && after->at)
		err = replace(&spot, after, before->at);
	else if (!err && unlinkat(spot.dir, spot.name, 0) != 0)
		err = -errno;
	if (!err)
		sync_directory(&spot);
	return err;
}

int kc_apply(struct kc_setup *setup)
{
	const struct kc_files *files = &setup->files;
	const struct kc_change *change = files->change, *end = change + files->n;
	int err = 0;

	for (; !err && change < end; change++)
		if (kc_files_is_changed(change))
			err = put(files, change->path, &change->before, &change->after);
	if (!err)
		return 0;
	kc_setup_name(setup, (--change)->path, err);
	while (change-- > files->change)
		if (kc_files_is_changed(change))
			put(files, change->path, &change->after, &change->before);
	return err;
}
