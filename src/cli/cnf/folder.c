/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cnf/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && strcmp(name + len - n, end) == 0;
}

static int is_included(const struct dirent *entry)
{
	return ends_in(entry->d_name, ".cnf") || ends_in(entry->d_name, ".conf");
}

/* Is @path a file directly below @directory? */
static bool is_below(const char *path, const char *directory)
{
	size_t n = strlen(directory);

	return strncmp(path, directory, n) == 0 && path[n] == '/' && !strchr(path + n + 1, '/') &&
	       (ends_in(path, ".cnf") || ends_in(path, ".conf"));
}

bool kc_folder_is_there(const struct kc_files *files, const char *path)
{
	char found[PATH_MAX], host[PATH_MAX];
	struct stat st;

	return kc_files_find(files, path, found) == 0 && kc_files_host(files, found, host) == 0 &&
	       stat(host, &st) == 0 && S_ISDIR(st.st_mode);
}

static int add(struct kc_folder *folder, const char *directory, const char *name)
{
	if (folder->n == KC_FOLDER_FILES)
		return -ENOBUFS;
	if (asprintf(&folder->path[folder->n], "%s%s%s", directory, *name ? "/" : "", name) < 0)
		return -ENOMEM;
	folder->n++;
	return 0;
}

/* Adds files planned anew; one to be removed cannot be read later on. */
static int add_planned(struct kc_folder *folder, const struct kc_files *files,
		       const char *directory)
{
	int err = 0;

	for (size_t i = 0; !err && i < files->n; i++)
		if (is_below(files->change[i].path, directory) && !files->change[i].before.at)
			err = add(folder, files->change[i].path, "");
	return err;
}

int kc_folder_list(struct kc_folder *folder, const struct kc_files *files, const char *path)
{
	char found[PATH_MAX], host[PATH_MAX];
	struct dirent **entries;
	int err = kc_files_find(files, path, found), n;

	folder->n = 0;
	if (!err)
		err = kc_files_host(files, found, host);
	if (err)
		return err;
	n = scandir(host, &entries, is_included, alphasort);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		if (!err)
			err = add(folder, found, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return err ? err : add_planned(folder, files, found);
}

void kc_folder_free(struct kc_folder *folder)
{
	for (size_t i = 0; i < folder->n; i++)
		free(folder->path[i]);
	folder->n = 0;
}
