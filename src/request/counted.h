/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second set of OpenSSL's provider functions, for a process that counts all its requests: besides
 * doing what the core's own do, they note what software did, why, and how long it took. While
 * nothing is counted they are not used, and cost nothing.
 */
#ifndef KC_REQUEST_COUNTED_H
#define KC_REQUEST_COUNTED_H

#include "offload/gate.h"

/* A request that another function does, between begin and end. */
struct kc_counted {
	struct kc_gate_done before;
	uint64_t start; /* ns; 0: not timed */
	bool is_short;	/* too short for the kernel, but it may still look at one */
};

/* The gate must be initialized. */
void kc_counted_begin(struct kc_counted *k, const struct kc_gate *gate, enum kc_dir dir,
		      size_t len);
void kc_counted_end(const struct kc_counted *k, const struct kc_gate *gate, size_t len);

kc_update_fn kc_counted_cipher_update, kc_counted_cipher_oneshot;
kc_update_fn kc_counted_aead_update, kc_counted_aead_oneshot;
kc_hash_update_fn kc_counted_hash_update;
kc_final_fn kc_counted_hash_final;

#endif
