/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's TLS, by known records with known keys through a connection to ourselves. */
#ifndef KC_CLI_SELFTEST_KTLS_H
#define KC_CLI_SELFTEST_KTLS_H

#include <stdbool.h>

enum kc_ktls { KC_KTLS_RIGHT, KC_KTLS_ABSENT, KC_KTLS_WRONG };

/*
 * Records of TLS 1.2, or 1.3 where @is_13, with AES-128-GCM: one that the kernel seals, one that it
 * opens, and a forged one that it has to refuse. *@why: a sentence where the answer is not
 * KC_KTLS_RIGHT.
 */
enum kc_ktls kc_ktls_check(bool is_13, const char **why);

#endif
