/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl.cnf with everything that it includes, read as one text: its sections by libcrypto, and
 * for each line the file that it comes from. Reads files below any root, and planned ones too.
 */
#ifndef KC_CLI_CNF_CNF_H
#define KC_CLI_CNF_CNF_H

#include <openssl/conf.h>

#include "cli/cnf/files.h"
#include "cli/cnf/lines.h"

#define KC_CNF_INCLUDES 64

struct kc_where {
	const char *file; /* its path inside the root; NULL: nowhere */
	unsigned line;	  /* counted from 1 */
};

/* A line .include, or a file that one includes. */
struct kc_include {
	char *path;		    /* as written in the line */
	char section[KC_NAME_SIZE]; /* the section of the line */
	struct kc_where where;	    /* the line */
	bool is_directory;
	bool goes_on; /* lines of the section follow */
};

struct kc_cnf {
	const char *root; /* for messages */
	struct kc_text text;
	struct kc_where *where; /* for each line of the text */
	size_t n_lines;
	char *file[KC_CNF_INCLUDES]; /* the names of the files read, the main one first */
	size_t n_files;
	struct kc_include include[KC_CNF_INCLUDES];
	size_t n_includes;
	CONF *conf;		    /* NULL after an error */
	char error[PATH_MAX + 256]; /* why it cannot be read, with file and line; or "" */
};

/*
 * Reads the file @path below the root of @files. Like OpenSSL, takes a missing file for an empty
 * one. 0 or -errno, with the error as text; free @cnf in either case.
 */
int kc_cnf_read(struct kc_cnf *cnf, const struct kc_files *files, const char *path);
void kc_cnf_free(struct kc_cnf *cnf);

/* The value of @name in @section; NULL if there is none, or @section is NULL. */
const char *kc_cnf_get(const struct kc_cnf *cnf, const char *section, const char *name);

/* The place of that value: the last such line counts. */
struct kc_where kc_cnf_where(const struct kc_cnf *cnf, const char *section, const char *name);

#endif
