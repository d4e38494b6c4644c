/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The openssl.cnf that applications read, as they read it: what reaches the provider, and if
 * nothing does, where the chain from the file to the provider is broken.
 */
#ifndef KC_CLI_CONF_H
#define KC_CLI_CONF_H

#include <limits.h>

#include "core/config.h"

struct kc_conf {
	char file[PATH_MAX];
	char section[128];  /* the provider's, else the engine's; "" if there is none */
	const char *engine; /* the engine's id where it is that, else "" */
	char engine_note[256];
	char error[PATH_MAX + 128]; /* why the file cannot be read; "" if it was */
	const char *notes[16];	    /* sentences for the user; room for all that there are */
	size_t n_notes;
};

/*
 * Reads @file, or if that is NULL the one that OpenSSL would, into @config. What an application
 * would not get, and why, is noted. @conf comes zeroed, @config from
 * kc_config_init().
 */
void kc_conf_read(struct kc_conf *conf, const char *file, struct kc_config *config);

#endif
