/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl.cnf with everything that it includes, read as one text: its sections by libcrypto, and
 * its lines with the file that each comes from. Reads files below any root, and planned files.
 */
#ifndef KC_CLI_CNF_CNF_H
#define KC_CLI_CNF_CNF_H

#include <openssl/conf.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/cnf/files.h"
#include "cli/cnf/line.h"

#define KC_CNF_FILES 64

/*
 * Future contents of files, by their paths without links; a text without bytes means that there
 * will be no such file.
 */
struct kc_plan {
	struct {
		char *path;
		struct kc_text text;
	} file[KC_CNF_FILES];
	size_t n;
};

struct kc_cnf_file {
	char *path;
	mode_t mode;
	int err; /* -errno: it can't be read; programs continue without an included one */
};

struct kc_cnf {
	const char *root; /* for messages */
	char *main;	  /* the path that was asked for */
	struct kc_text text;
	struct kc_line *lines; /* of all files, in the order of the text */
	size_t n_lines;
	struct kc_cnf_file file[KC_CNF_FILES]; /* the main one, and those that it includes */
	size_t n_files;
	CONF *conf;	/* NULL after an error */
	bool is_absent; /* there is no main file, which counts as an empty one */
	/* after an error */
	int err;	     /* -errno; -EINVAL: OpenSSL can't parse it, and ignores all of it */
	struct kc_where bad; /* the place of the error */
	char why[256];
};

/*
 * Reads a file below @root. @plan: future contents, or NULL. 0 or -errno, with the error in @cnf;
 * -ENOENT: there is no such file. Free @cnf in either case.
 */
int kc_cnf_read(struct kc_cnf *cnf, const char *root, const char *path, const struct kc_plan *plan);

/* Continues like OpenSSL, for which a missing file is an empty one. */
void kc_cnf_be_empty(struct kc_cnf *cnf);

/* Frees what kc_cnf_read() made, also if that failed. */
void kc_cnf_free(struct kc_cnf *cnf);

/* Returns the end of the lines. Without lines it is NULL, to which not even 0 may be added. */
static inline const struct kc_line *kc_cnf_end(const struct kc_cnf *cnf)
{
	return cnf->lines ? cnf->lines + cnf->n_lines : NULL;
}

/*
 * Returns the value of @name in @section; NULL if there is none, or @section is NULL. OpenSSL's
 * modules look only at lines of the section; NCONF_get_string() would also look in the section
 * default.
 */
const char *kc_cnf_get(const struct kc_cnf *cnf, const char *section, const char *name);

/* True if there is a section of this name. */
bool kc_cnf_has(const struct kc_cnf *cnf, const char *section);

/*
 * Returns line @i of a section, counted from 0; NULL after the last one, and without such a
 * section.
 */
const CONF_VALUE *kc_cnf_line(const struct kc_cnf *cnf, const char *section, int i);

/*
 * Returns "FILE:LINE" for messages, until the next call: without a line the file's name, without a
 * file the main file's.
 */
const char *kc_cnf_place(const struct kc_cnf *cnf, struct kc_where where);

/* The same for a value's line: the last line with this name counts. */
const char *kc_cnf_place_of(const struct kc_cnf *cnf, const char *section, const char *name);

#endif
