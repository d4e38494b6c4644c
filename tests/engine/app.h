/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine as an application uses it: loaded from its file under an id, and controlled by its
 * commands. The reference is libcrypto's built-in ciphers, which no engine can replace. Builds with
 * OpenSSL 1.1.1 and 3.x.
 */
#ifndef KC_TESTS_APP_H
#define KC_TESTS_APP_H

#include <openssl/engine.h>
#include <openssl/evp.h>

#include "diff/stats_file.h"

/*
 * Loads the engine. The environment names the file and the id: KC_ENGINE_FILE, KC_ENGINE_ID. Exits
 * on failure.
 */
ENGINE *app_load(void);
void app_unload(ENGINE *e);

/* Sends a command, as a line of the engine's section in openssl.cnf does. */
void app_tell(ENGINE *e, const char *command, const char *argument);

/*
 * Turns on the software drivers, and these ciphers and digests. The engine is used only where it is
 * asked for.
 */
void app_configure(ENGINE *e, const char *ciphers, const char *digests);

/*
 * The built-in cipher with this id, as it is without providers and without engines. Returns the
 * same object each time.
 */
const EVP_CIPHER *app_reference(int nid);

/* Requests that the kernel has done so far for the cipher of this name, or for all (NULL). */
unsigned long long app_requests(const char *name);

#endif
