/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The openssl.cnf that applications read, as they read it: what reaches the provider, and if
 * nothing does, where the chain from the file to the provider is broken.
 */
#ifndef KC_CLI_CONF_H
#define KC_CLI_CONF_H

#include <stdbool.h>

#include "cli/cli.h"
#include "core/config.h"

struct kc_conf {
	char file[4096];	/* "" if OpenSSL reads none */
	char section[128];	/* the provider's, "" if there is none */
	bool is_read;		/* the file could be read and understood */
};

/*
 * Reads @file, or if that is NULL the one that OpenSSL would, into @config. What an application
 * would not get, and why, is noted. Call kc_config_init() first.
 */
void kc_conf_read(struct kc_conf *conf, const char *file, struct kc_config *config,
		  struct kc_notes *notes);

#endif
