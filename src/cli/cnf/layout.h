/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which openssl.cnf a system has, how its distribution lays it out, and so where kcrypto's lines
 * belong. On OpenWrt that includes an entry in /etc/config/openssl, which the program uci reads and
 * writes; from the entries, an init script makes a file that openssl.cnf includes.
 */
#ifndef KC_CLI_CNF_LAYOUT_H
#define KC_CLI_CNF_LAYOUT_H

#include "cli/cnf/cnf.h"

#define KC_UCI_FILE "/etc/config/openssl"

/* The first line of the file that 'enable' writes. */
#define KC_OWN_MARK "# Written by 'kcrypto config enable'; 'kcrypto config disable' removes it.\n"

enum kc_layout_kind {
	KC_LAYOUT_PLAIN,     /* all in openssl.cnf */
	KC_LAYOUT_OWN_FILE,  /* our own file, included by a line of openssl.cnf */
	KC_LAYOUT_DIRECTORY, /* a file in a directory that openssl.cnf includes */
	KC_LAYOUT_UCI,	     /* OpenWrt: likewise, and an entry in /etc/config/openssl */
};

struct kc_layout {
	enum kc_layout_kind kind;
	const char *system;	  /* the distribution with this layout, as text */
	char main[PATH_MAX];	  /* openssl.cnf; paths are inside the root */
	char own[PATH_MAX];	  /* the file for kcrypto's lines; in the plain layout, main */
	char leave[KC_NAME_SIZE]; /* the section that must continue after that file, or "" */
	bool has_providers;	  /* OpenSSL there is 3.0 or later */
	bool wants_random;	  /* it is 3.0 to 3.4, or unknown */
	/* on OpenWrt */
	const char *suffix; /* of a module's section: "_sect"; in 22.03, "" */
};

/*
 * Finds openssl.cnf: @file, if that is not NULL; on the system itself, the file that OpenSSL reads;
 * below another root, the first of the usual places that exists. 0 or -errno.
 */
int kc_layout_find_main(const struct kc_files *files, const char *file, char main[PATH_MAX]);

/*
 * Detects the layout from the file that was read. If the caller named @file, everything goes there.
 */
void kc_layout_detect(struct kc_layout *layout, const struct kc_files *files,
		      const struct kc_cnf *cnf, const char *main, const char *file);

/* Did 'enable' write this file? */
bool kc_own_is_ours(const struct kc_text *text);

enum kc_uci { KC_UCI_AS_IT_IS, KC_UCI_ON, KC_UCI_OFF, KC_UCI_ABSENT };

/* The entry as it is. -ENOSYS: there is no uci here; -EIO: it fails. */
int kc_uci_get(const struct kc_files *files);

/* Enables the entry, disables it or removes it. 0 or -errno. */
int kc_uci_set(const struct kc_files *files, const struct kc_layout *layout, enum kc_uci state);

/*
 * Foresees the file that the init script will write. @state: the entry then; as it is, without uci,
 * the file is believed. 0 or -errno.
 */
int kc_uci_foresee(struct kc_files *files, const struct kc_layout *layout, enum kc_uci state);

#endif
