/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The openssl.cnf that applications read, on top of cnf/: the section that is kcrypto's, and what
 * its lines mean. Whether applications get anything is told by doctor/, with the help of reach.h.
 */
#ifndef KC_CLI_CONF_H
#define KC_CLI_CONF_H

#include <limits.h>

#include "cli/cnf/parts.h"
#include "policy/config.h"
#include "policy/config_keys.h"

struct kc_conf {
	char file[PATH_MAX];
	struct kc_cnf cnf;
	struct kc_parts parts;
	const char *section;	    /* the provider's, else the engine's; "" if there is none */
	const char *engine;	    /* the engine's id, if the section is an engine's, else "" */
	char module[PATH_MAX];	    /* the provider's file, named by the section or by its name */
	char error[PATH_MAX + 320]; /* why the file cannot be read; "" if it was */
};

/*
 * Reads @file or, if that is NULL, the file that OpenSSL would read, into @config. @conf is zeroed
 * or freed, @config comes from kc_config_init(). The files are read once.
 */
void kc_conf_read(struct kc_conf *conf, const char *file, struct kc_config *config);

/* The same with files below a root, or planned ones. 0 or -errno, also if there is no file. */
int kc_conf_read_of(struct kc_conf *conf, const struct kc_files *files, const char *path,
		    struct kc_config *config);

void kc_conf_free(struct kc_conf *conf);

#endif
