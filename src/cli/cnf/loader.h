/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file kcrypto.cnf beside the provider's module, which openssl.cnf includes. It has the line
 * that loads the module, and goes when the module goes. For OpenSSL, a missing included file
 * changes nothing; a line that names a missing module ends each program if its file has
 * config_diagnostics.
 */
#ifndef KC_CLI_CNF_LOADER_H
#define KC_CLI_CNF_LOADER_H

#include <limits.h>
#include <stdbool.h>

struct kc_loader {
	char file[PATH_MAX]; /* its path inside the root; "": there is none */
	char foreign
		[PATH_MAX]; /* a libcrypto of another machine that would find no module; or "" */
};

/*
 * Looks for both below @root: on the system itself where OpenSSL looks for modules, otherwise in
 * the usual places.
 */
void kc_loader_find(struct kc_loader *loader, const char *root);

/* True if there is a libcrypto with one of these versions, a pattern, below @root. */
bool kc_loader_has_library(const char *root, const char *versions);

/* True if the path leads to a file of that name. */
bool kc_loader_is(const char *path);

#endif
