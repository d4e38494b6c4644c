/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the base is, whichever it is: the default provider's functions from OpenSSL 3.0 on, the
 * built-in ciphers' own before.
 */
#ifndef KC_BASE_OPEN_H
#define KC_BASE_OPEN_H

#include "core/base.h"

/*
 * Opens the private context, or counts one more user of it. 1 or 0; the error queue is left as
 * it was. Where the legacy provider is wanted and not there, its rows are not. This and
 * kc_base_close() are called by one thread at a time: under kc_process_lock() where there are more.
 */
int kc_base_open(bool with_legacy);
void kc_base_close(void);

/*
 * NULL where OpenSSL lacks this algorithm or a function of it that we need. A row of the legacy
 * provider may be asked for by who wanted that.
 */
const struct kc_base *kc_base_get(const struct kc_alg *alg);

#endif
