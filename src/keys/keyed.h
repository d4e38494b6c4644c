/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first part of each context: its key in the kernel, and the session that has it. Knows nothing
 * of messages.
 */
#ifndef KC_KEYS_KEYED_H
#define KC_KEYS_KEYED_H

#include "keys/keys.h"
#include "session/session.h"

struct kc_keyed {
	struct kc_keys *keys;
	const struct kc_alg *alg;
	struct kc_candidate *candidate; /* of the key; NULL: there is no key */
	struct kc_session session;
	int32_t serial; /* or 0, and: */
	struct kc_blob *blob;
	bool is_wrapped;
	size_t key_len;	  /* bytes */
	unsigned tag_len; /* of the session, if it is an AEAD's */
	/* Random bytes, and what the key makes of them; a later session must have the same key. */
	uint8_t question[16], answer[16];
	bool has_answer;
};

/* @alg: NULL if it is not known yet. */
void kc_keyed_init(struct kc_keyed *k, struct kc_keys *keys, const struct kc_alg *alg);

/* The context is at its end; or it is a copy, and gets a session of its own. */
void kc_keyed_end(struct kc_keyed *k);
void kc_keyed_copied(struct kc_keyed *k);

/*
 * Takes the key for requests of k->alg. A session opens at once, so that a key that can't be used
 * is refused here. 1, or 0 with an error raised; then there is no key.
 */
int kc_keyed_take(struct kc_keyed *k, const struct kc_kernel_key *key);

/* 1: there is a key. 0: an error has been raised. */
int kc_keyed_has_key(const struct kc_keyed *k);

/*
 * Opens a session with the key, unless there is one. 0 or -errno; -ESTALE: the serial number is
 * that of another key now, or the key has other bytes.
 */
int kc_keyed_open(struct kc_keyed *k);

/* One request, and if the session has ended, another session for it. 0 or -errno. */
int kc_keyed_run(struct kc_keyed *k, const struct kc_req *req);

/* The words for such an error. */
const char *kc_keyed_explain(const struct kc_keyed *k, int err);

/*
 * @answer: the driver's to k->question, encrypted. 0 if it decrypts that again, or -errno; the
 * driver of a wrapped key can't be asked anything else.
 */
int kc_wrapped_check(struct kc_keyed *k, const uint8_t *answer);

/* Raises an error; 0. */
int kc_keys_refuse(int reason, const char *why);

#endif
