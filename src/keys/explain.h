/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KC_KEYS_EXPLAIN_H
#define KC_KEYS_EXPLAIN_H

/* What went wrong with a key of the kernel. @err: -errno. */
const char *kc_keys_explain(int err);

/* The same for a wrapped key; NULL: there is no difference. */
const char *kc_keys_explain_wrapped(int err);

#endif
