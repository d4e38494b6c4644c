/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base, whichever it is: the default provider's functions from OpenSSL 3.0 on, the functions of
 * the built-in ciphers before.
 */
#ifndef KC_BASE_OPEN_H
#define KC_BASE_OPEN_H

#include "core/base.h"

/*
 * Opens the private context, unless it is open: it stays so until the process ends. 1 or 0; leaves
 * the error queue as it was. If the legacy provider is requested but missing, its rows are missing.
 * Called by one thread at a time: under kc_process_lock() if there are several.
 */
int kc_base_open(bool with_legacy);

/*
 * NULL if OpenSSL lacks this algorithm, or a function of it that we need. Rows of the legacy
 * provider are available only to users that requested it.
 */
const struct kc_base *kc_base_get(const struct kc_alg *alg);

#endif
