/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine as an application uses it: loaded from its file under an id, and given its commands.
 * And the reference: libcrypto's built-in ciphers, out of reach of any engine. Builds with OpenSSL
 * 1.1.1 and with 3.x.
 */
#ifndef KC_TESTS_APP_H
#define KC_TESTS_APP_H

#include <openssl/engine.h>
#include <openssl/evp.h>

#include "diff/stats_file.h"

/*
 * The file and the id come from the environment: KC_ENGINE_FILE, KC_ENGINE_ID. Exits where it
 * can't.
 */
ENGINE *app_load(void);
void app_unload(ENGINE *e);

/* A command, as a line of the engine's section of openssl.cnf is one. */
void app_tell(ENGINE *e, const char *command, const char *argument);

/*
 * The software drivers too, and these. The engine is used where it is asked for and nowhere else.
 */
void app_configure(ENGINE *e, const char *ciphers, const char *digests);

/*
 * The built-in cipher of this id, as it is without providers; no engine is asked. The same one each
 * time.
 */
const EVP_CIPHER *app_reference(int nid);

/* Requests that the kernel has done so far, of a cipher of this name or of all (NULL). */
unsigned long long app_requests(const char *name);

#endif
