/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a directory that OpenSSL includes, with planned ones. */
#ifndef KC_CLI_CNF_FOLDER_H
#define KC_CLI_CNF_FOLDER_H

#include "cli/cnf/files.h"

#define KC_FOLDER_FILES 64

struct kc_folder {
	char *path[KC_FOLDER_FILES]; /* inside the root */
	size_t n;
};

bool kc_folder_is_there(const struct kc_files *files, const char *path);

/*
 * Lists the files that end in .cnf or .conf, sorted by name; OpenSSL takes them in the file
 * system's order. 0 or -errno; free @folder in either case.
 */
int kc_folder_list(struct kc_folder *folder, const struct kc_files *files, const char *path);
void kc_folder_free(struct kc_folder *folder);

#endif
