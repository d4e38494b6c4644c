/* SPDX-License-Identifier: Apache-2.0 */
/* A context's key, and its sessions, all with the same key. */
#include "keys/keyed.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "core/quiet.h"

void kc_keyed_init(struct kc_keyed *k, struct kc_keys *keys, const struct kc_alg *alg)
{
	*k = (struct kc_keyed){ .keys = keys, .alg = alg };
	if (alg && alg->kind == KC_AEAD)
		k->tag_len = alg->out_len;
	kc_session_init(&k->session);
}

void kc_keyed_end(struct kc_keyed *k)
{
	kc_session_close(&k->session);
	kc_blob_drop(k->blob);
}

void kc_keyed_copied(struct kc_keyed *k)
{
	kc_session_init(&k->session);
	kc_blob_hold(k->blob);
}

const char *kc_keyed_explain(const struct kc_keyed *k, int err)
{
	const char *text = NULL;

	if (k->is_wrapped)
		text = kc_keys_explain_wrapped(err);
	if (text)
		return text;
	return kc_keys_explain(err);
}

int kc_keyed_take(struct kc_keyed *k, const struct kc_kernel_key *key)
{
	KC_QUIETLY;
	int err;

	kc_session_close(&k->session);
	k->candidate = NULL;
	if (k->alg->key_len && key->len != k->alg->key_len)
		return kc_refuse(PROV_R_INVALID_KEY_LENGTH, "%s has %zu bytes, not %u", key->id,
				 key->len, k->alg->key_len);
	if (key->is_wrapped)
		k->candidate = kc_wrapped_candidate(k->keys, k->alg);
	else
		k->candidate = kc_keys_candidate(k->keys, k->alg);
	if (!k->candidate)
		return 0;
	k->serial = key->serial;
	k->is_wrapped = key->is_wrapped;
	kc_blob_drop(k->blob);
	k->blob = kc_blob_hold(key->blob);
	k->key_len = key->len;
	k->has_answer = false;
	err = (int)kc_or_errno(getrandom(k->question, sizeof(k->question), 0));
	if (err >= 0)
		err = kc_keyed_open(k);
	if (!err)
		return 1;
	k->candidate = NULL;
	return kc_refuse(PROV_R_INVALID_KEY, "%s: %s", key->id, kc_keyed_explain(k, err));
}

int kc_keyed_has_key(const struct kc_keyed *k)
{
	if (!k->candidate)
		return kc_refuse(PROV_R_NO_KEY_SET, "a key of the kernel is needed");
	return 1;
}

/*
 * Costs one more request for each session. The tag of an AEAD's answer is wiped: it belongs to a
 * message that the program never encrypted.
 */
static int check_key(struct kc_keyed *k)
{
	uint8_t answer[KC_MAX_OUT], tag[KC_MAX_TAG];
	bool is_hash = kc_alg_is_hash(k->alg);
	const struct kc_req req = { .dir = KC_ENCRYPT,
				    .iv = k->question,
				    .in = k->question,
				    .out = answer,
				    .len = sizeof(k->question),
				    .tag = is_hash ? answer : tag };
	int err = kc_session_run(&k->session, k->candidate, &req);

	if (!err && k->is_wrapped && !k->has_answer)
		err = kc_wrapped_check(k, answer);
	if (!err && k->has_answer && !kc_key_is_same(answer, k->answer, sizeof(k->answer)))
		err = -ESTALE;
	if (err)
		kc_session_close(&k->session);
	else
		memcpy(k->answer, answer, sizeof(k->answer));
	explicit_bzero(tag, sizeof(tag));
	k->has_answer |= !err;
	return err;
}

int kc_keyed_open(struct kc_keyed *k)
{
	struct kc_key key = { .serial = k->serial, .len = k->key_len, .tag_len = k->tag_len };
	int err;

	if (kc_session_keep_own(&k->session))
		return 0;
	if (k->blob) {
		key.bytes = k->blob->bytes;
		key.len = k->blob->len;
	}
	err = kc_session_open(&k->session, k->candidate, &key);
	if (err)
		return err;
	return check_key(k);
}

/*
 * A session may have ended because the program closed its descriptor, so a failed request gets
 * another session, once. Its input is unchanged: see kc_session_run().
 */
int kc_keyed_run(struct kc_keyed *k, const struct kc_req *req)
{
	bool had_session = kc_session_keep_own(&k->session);
	int err = kc_keyed_open(k);

	if (!err)
		err = kc_session_run(&k->session, k->candidate, req);
	if (!err || !had_session)
		return err;
	err = kc_keyed_open(k);
	if (err)
		return err;
	return kc_session_run(&k->session, k->candidate, req);
}
