/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, tags and requests that have to be refused, and a right answer after that. */
#include "cli/selftest/checks.h"

#include <errno.h>
#include <string.h>

#include "session/session.h"

/* After the encryption of a message: with something wrong in it, is it refused? */
static bool ask_forged(struct kc_exam *e, const struct kc_question *q, const char *what,
		       uint8_t *byte, unsigned bit)
{
	struct kc_answers *a = &e->answers;
	struct kc_req req = { .dir = KC_DECRYPT,
			      .iv = a->iv,
			      .aad = a->aad,
			      .in = a->want,
			      .out = a->got,
			      .len = q->len,
			      .aad_len = q->aad_len,
			      .tag = a->got_tag };
	int err;

	memcpy(a->got_tag, a->want_tag, sizeof(a->got_tag));
	*byte ^= (uint8_t)(1u << bit);
	err = kc_session_ask(&e->session, &req, a->room);
	*byte ^= (uint8_t)(1u << bit);
	if (err == -EBADMSG) {
		atomic_fetch_add(e->requests, 1);
		return true;
	}
	return kc_exam_find(e, err ? KC_FAILS : KC_IS_WRONG, "%zu bytes with a wrong %s: %s",
			    q->len, what, err ? strerror(-err) : "accepted");
}

static bool ask_forgeries(struct kc_exam *e, size_t len)
{
	struct kc_question q = { .dir = KC_ENCRYPT, .len = kc_exam_fit(e, len), .aad_len = 13 };
	struct kc_answers *a = &e->answers;
	unsigned bits = 8 * a->key.tag_len;
	bool ok = kc_exam_ask(e, &q);

	for (unsigned i = 0; ok && i < bits; i++)
		ok = ask_forged(e, &q, "tag", &a->got_tag[i / 8], i % 8);
	ok = ok && ask_forged(e, &q, "first byte", a->want, 7) &&
	     ask_forged(e, &q, "last byte", &a->want[q.len - 1], 0) &&
	     ask_forged(e, &q, "AAD", &a->aad[q.aad_len - 1], 3) &&
	     ask_forged(e, &q, "nonce", &a->iv[1], 2);
	q.dir = KC_DECRYPT;
	return ok && kc_exam_ask(e, &q);
}

bool kc_ask_tags(struct kc_exam *e)
{
	return ask_forgeries(e, 1) && ask_forgeries(e, 64) && ask_forgeries(e, 4099) &&
	       ask_forgeries(e, KC_MAX_REQUEST);
}

const char *kc_takes_any_key(const struct kc_alg *alg)
{
	if (alg->kind == KC_DIGEST)
		return "it has no key";
	if (alg->kind == KC_MAC && !alg->key_len)
		return "any length of a key is right";
	return alg->legacy ? "keys of many lengths may be right" : NULL;
}

static bool ask_key(struct kc_exam *e, size_t len)
{
	size_t right = e->answers.key.len;
	int err;

	e->answers.key.len = len;
	err = kc_exam_open(e);
	e->answers.key.len = right;
	if (!err)
		return kc_exam_find(e, KC_IS_WRONG, "a key of %zu bytes was accepted", len);
	atomic_fetch_add(e->requests, 1);
	return true;
}

/* After a refusal the driver still has to answer right. */
static bool ask_again(struct kc_exam *e)
{
	int err = kc_exam_open(e);

	if (err)
		return kc_exam_find(e, KC_FAILS, "no session after a refusal: %s", strerror(-err));
	return kc_exam_ask_both(e, (struct kc_question){ .len = kc_exam_fit(e, 1000) });
}

bool kc_ask_keys(struct kc_exam *e)
{
	size_t len = e->alg->key_len;

	return ask_key(e, len + 1) && ask_key(e, len - 1) && ask_key(e, 1) && ask_again(e);
}

const char *kc_takes_any_request(const struct kc_alg *alg)
{
	return kc_exam_unit(alg) > 1 ? NULL : "a message of any length is right";
}

/* Part of a block. */
static bool ask_part(struct kc_exam *e, enum kc_dir dir, size_t len)
{
	struct kc_answers *a = &e->answers;
	const struct kc_req req = {
		.dir = dir, .iv = a->iv, .in = a->in, .out = a->got, .len = len
	};
	struct kc_question q = { .dir = dir, .len = len };
	char text[80];
	int err;

	e->finding->question = q;
	err = kc_exam_open(e);
	if (err)
		return kc_exam_find(e, KC_FAILS, "no session: %s", strerror(-err));
	if (kc_session_ask(&e->session, &req, a->room) == 0)
		return kc_exam_find(e, KC_IS_WRONG, "%s: accepted",
				    kc_question_text(e->alg, &q, text, sizeof(text)));
	atomic_fetch_add(e->requests, 1);
	return true;
}

/* XTS does parts of a block if there is a whole one before them. */
bool kc_ask_broken(struct kc_exam *e)
{
	size_t block = e->alg->block_len;
	bool needs_one = e->alg->iv_rule == KC_IV_WHOLE, ok = true;

	for (int dir = KC_DECRYPT; ok && dir <= KC_ENCRYPT; dir++)
		ok = ask_part(e, (enum kc_dir)dir, block - 1) && ask_part(e, (enum kc_dir)dir, 1) &&
		     (needs_one || (ask_part(e, (enum kc_dir)dir, block + 1) &&
				    ask_part(e, (enum kc_dir)dir, 4096 + block / 2)));
	return ok && ask_again(e);
}
