/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* On disk: the file, and the new one that will replace it. */
struct paths {
	char host[PATH_MAX], temp[PATH_MAX], model[PATH_MAX];
};

/* A backup gets the rights of its file. */
static int find_paths(struct paths *p, const struct kc_files *files, const char *path)
{
	size_t len, end = strlen(KC_BACKUP);
	int err = kc_files_host(files, path, p->host);

	if (err)
		return err;
	if (snprintf(p->temp, PATH_MAX, "%s.kcrypto-XXXXXX", p->host) >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(p->model, p->host, PATH_MAX);
	len = strlen(p->model);
	if (len > end && strcmp(p->model + len - end, KC_BACKUP) == 0)
		p->model[len - end] = '\0';
	return 0;
}

static void copy_label(int fd, const char *model, const char *name)
{
	char value[1024];
	ssize_t n = getxattr(model, name, value, sizeof(value));

	if (n > 0)
		(void)!fsetxattr(fd, name, value, (size_t)n, 0);
}

/* Only root may give a file away; files made by others are their own. */
static int copy_rights(int fd, const char *model)
{
	struct stat st, ours;
	mode_t mode = 0644;

	if (stat(model, &st) == 0) {
		mode = st.st_mode & 07777;
		if (fstat(fd, &ours) != 0)
			return -errno;
		if ((ours.st_uid != st.st_uid || ours.st_gid != st.st_gid) &&
		    fchown(fd, st.st_uid, st.st_gid) != 0)
			return -errno;
		copy_label(fd, model, "security.selinux");
		copy_label(fd, model, "system.posix_acl_access");
	}
	return fchmod(fd, mode) == 0 ? 0 : -errno;
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
static void sync_directory(char *host)
{
	char *slash = strrchr(host, '/');
	int fd;

	*slash = '\0';
	fd = open(*host ? host : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*slash = '/';
	if (fd >= 0) {
		(void)!fsync(fd);
		close(fd);
	}
}

static int replace(struct paths *p, const struct kc_text *text)
{
	int fd = mkostemp(p->temp, O_CLOEXEC);
	int err = fd < 0 ? -errno : copy_rights(fd, p->model);

	if (fd < 0)
		return err;
	if (!err)
		err = write_bytes(fd, text);
	close(fd);
	if (!err && rename(p->temp, p->host) != 0)
		err = -errno;
	if (err)
		unlink(p->temp);
	return err;
}

static int put(const struct kc_files *files, const char *path, const struct kc_text *text)
{
	struct paths p;
	int err = find_paths(&p, files, path);

	if (err)
		return err;
	if (text->at)
		err = replace(&p, text);
	else if (unlink(p.host) != 0 && errno != ENOENT)
		err = -errno;
	if (!err)
		sync_directory(p.host);
	return err;
}

/* Another program may have written it since it was read. */
static int is_as_before(const struct kc_files *files, const struct kc_change *change)
{
	struct kc_files disk = { .root = files->root };
	struct kc_text now;
	int err = kc_files_read(&disk, change->path, &now);
	bool is_same = kc_text_equals(&now, &change->before);

	kc_text_free(&now);
	if (err && err != -ENOENT && err != -ENOTDIR)
		return err;
	return is_same ? 0 : -ESTALE;
}

static int explain(char error[KC_APPLY_ERROR], const struct kc_files *files, const char *path,
		   int err)
{
	const char *why = strerror(-err);

	if (err == -ESTALE)
		why = "another program has changed it meanwhile";
	else if (err == -EACCES || err == -EPERM)
		why = "this user may not write it; root may";
	else if (err == -EROFS)
		why = "it is on a file system that is mounted read-only";
	snprintf(error, KC_APPLY_ERROR, "%.*s%.*s: %.200s; nothing was changed", PATH_MAX,
		 files->root, PATH_MAX, path, why);
	return err;
}

int kc_apply(const struct kc_files *files, char error[KC_APPLY_ERROR])
{
	const struct kc_change *change = files->change, *end = change + files->n;
	int err = 0;

	for (; !err && change < end; change++) {
		if (!kc_files_is_changed(change))
			continue;
		err = is_as_before(files, change);
		if (!err)
			err = put(files, change->path, &change->after);
	}
	if (!err)
		return 0;
	explain(error, files, (--change)->path, err);
	while (change-- > files->change)
		if (kc_files_is_changed(change))
			put(files, change->path, &change->before);
	return err;
}
