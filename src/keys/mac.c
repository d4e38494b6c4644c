/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HMAC with keys of the keyring. A message that fits in a buffer goes to the kernel as a whole, so
 * it survives a fork and a closed descriptor. A longer one goes piece by piece; then the kernel has
 * its state, and if the session ends, so does the message.
 */
#include "keys/keyed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "core/quiet.h"
#include "session/buffers.h"

struct kc_keyed_mac {
	struct kc_keyed keyed; /* its alg is NULL until the digest is known */
	bool is_open;	       /* after an init, until the end or a failure */
	bool is_sent;	       /* the session has the message up to the bytes in @buf */
	uint8_t *buf;	       /* NULL: nothing is kept */
	size_t used;
};

static void *new_mac(void *keys)
{
	struct kc_keyed_mac *m = calloc(1, sizeof(*m));

	if (m)
		kc_keyed_init(&m->keyed, keys, NULL);
	return m;
}

/* A session with a part of a message can't begin another one. */
static void restart(struct kc_keyed_mac *m, bool is_open)
{
	if (m->is_sent)
		kc_session_close(&m->keyed.session);
	kc_buffer_give(m->buf, m->used);
	m->buf = NULL;
	m->used = 0;
	m->is_sent = false;
	m->is_open = is_open;
}

static void free_mac(void *ctx)
{
	struct kc_keyed_mac *m = ctx;
	KC_QUIETLY;

	if (!m)
		return;
	restart(m, false);
	kc_keyed_end(&m->keyed);
	explicit_bzero(m, sizeof(*m));
	free(m);
}

/*
 * The copy gets a session of its own; a session with a part of a message is copied, too. 0 or
 * -errno.
 */
static int copy_mac_message(struct kc_keyed_mac *to, struct kc_keyed_mac *from)
{
	int err = 0;

	kc_keyed_copied(&to->keyed);
	if (from->is_sent && kc_session_keep_own(&from->keyed.session))
		err = kc_session_copy(&to->keyed.session, &from->keyed.session,
				      from->keyed.candidate);
	to->buf = NULL;
	if (err || !from->buf)
		return err;
	to->buf = kc_buffer_take();
	if (!to->buf)
		return -ENOMEM;
	memcpy(to->buf, from->buf, from->used);
	return 0;
}

static void *dup_mac(void *ctx)
{
	struct kc_keyed_mac *m = malloc(sizeof(*m));
	int err;
	KC_QUIETLY;

	if (!m)
		return NULL;
	memcpy(m, ctx, sizeof(*m));
	err = copy_mac_message(m, ctx);
	if (!err)
		return m;
	kc_raise(PROV_R_NOT_SUPPORTED, "the kernel: %s", kc_keyed_explain(&m->keyed, err));
	m->used = 0;
	free_mac(m);
	return NULL;
}

/* With another digest, the key must be set again. */
static int set_digest(struct kc_keyed_mac *m, const OSSL_PARAM *p)
{
	const char *name = NULL;
	const struct kc_alg *alg;

	if (!OSSL_PARAM_get_utf8_string_ptr(p, &name))
		return kc_refuse(PROV_R_FAILED_TO_GET_PARAMETER, "the digest must be a name");
	alg = kc_alg_find_mac(OSSL_MAC_NAME_HMAC, name);
	if (!alg)
		return kc_refuse(PROV_R_INVALID_DIGEST, "the kernel has no HMAC with %s", name);
	if (alg == m->keyed.alg)
		return 1;
	restart(m, false);
	kc_session_close(&m->keyed.session);
	m->keyed.candidate = NULL;
	m->keyed.alg = alg;
	return 1;
}

static int set_mac_params(void *ctx, const OSSL_PARAM params[])
{
	const OSSL_PARAM *p;
	KC_QUIETLY;

	if (!params)
		return 1;
	if (OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_KEY))
		return kc_refuse(PROV_R_INVALID_KEY, "a key of the kernel is needed");
	if (OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_TLS_DATA_SIZE))
		return kc_refuse(PROV_R_NOT_SUPPORTED, "TLS does not use keys of the kernel");
	p = OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_DIGEST);
	if (!p)
		return 1;
	return set_digest(ctx, p);
}

static int init_skey(void *ctx, void *key, const OSSL_PARAM params[])
{
	struct kc_keyed_mac *m = ctx;
	KC_QUIETLY;

	restart(m, false);
	if (!set_mac_params(ctx, params))
		return 0;
	if (!m->keyed.alg)
		return kc_refuse(PROV_R_MISSING_MESSAGE_DIGEST, "HMAC needs a digest");
	m->is_open = kc_keyed_take(&m->keyed, key);
	return m->is_open;
}

/* Without a key, a message begins with the present one. */
static int init_mac(void *ctx, const unsigned char *key, size_t len, const OSSL_PARAM params[])
{
	struct kc_keyed_mac *m = ctx;
	KC_QUIETLY;

	(void)len;
	if (key)
		return kc_refuse(PROV_R_INVALID_KEY, "a key of the kernel is needed");
	if (!set_mac_params(ctx, params))
		return 0;
	if (!kc_keyed_has_key(&m->keyed))
		return 0;
	restart(m, true);
	return 1;
}

/* Sends the kept bytes to the kernel. @tag: for the end of a message; else NULL. 0 or -errno. */
static int send(struct kc_keyed_mac *m, uint8_t *tag)
{
	struct kc_req req = { .dir = KC_ENCRYPT, .in = m->buf, .len = m->used, .tag = tag };

	if (!m->is_sent)
		return kc_keyed_run(&m->keyed, &req);
	if (!kc_session_keep_own(&m->keyed.session))
		return -ECONNRESET;
	return kc_session_run(&m->keyed.session, m->keyed.candidate, &req);
}

static int fail_mac(struct kc_keyed_mac *m, int err)
{
	restart(m, false);
	return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED, "the kernel: %s",
			 kc_keyed_explain(&m->keyed, err));
}

static int check_mac(const struct kc_keyed_mac *m)
{
	if (!kc_keyed_has_key(&m->keyed))
		return 0;
	if (!m->is_open)
		return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED,
				 "an init is needed after the end or a failure");
	return 1;
}

/* Makes room for at least a byte. 0 or -errno. */
static int make_room(struct kc_keyed_mac *m)
{
	int err;

	if (!m->buf)
		m->buf = kc_buffer_take();
	if (!m->buf)
		return -ENOMEM;
	if (m->used < KC_MAX_REQUEST)
		return 0;
	err = send(m, NULL);
	if (err)
		return err;
	m->is_sent = true;
	m->used = 0;
	return 0;
}

static int update_mac(void *ctx, const unsigned char *in, size_t len)
{
	struct kc_keyed_mac *m = ctx;
	KC_QUIETLY;

	if (!check_mac(m))
		return 0;
	while (len) {
		int err = make_room(m);
		size_t n = kc_min(len, KC_MAX_REQUEST - m->used);

		if (err)
			return fail_mac(m, err);
		memcpy(m->buf + m->used, in, n);
		m->used += n;
		in += n;
		len -= n;
	}
	return 1;
}

static int final_mac(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_keyed_mac *m = ctx;
	int err;
	KC_QUIETLY;

	if (!check_mac(m))
		return 0;
	if (outsize < m->keyed.alg->out_len)
		return kc_refuse(PROV_R_OUTPUT_BUFFER_TOO_SMALL, "the output does not fit");
	err = send(m, out);
	if (err)
		return fail_mac(m, err);
	*outl = m->keyed.alg->out_len;
	m->is_sent = false; /* keep the session: it is ready for another message */
	restart(m, false);
	return 1;
}

static int get_mac_params(void *ctx, OSSL_PARAM params[])
{
	const struct kc_alg *alg = ((struct kc_keyed_mac *)ctx)->keyed.alg;
	const struct kc_number numbers[] = {
		{ OSSL_MAC_PARAM_SIZE, alg ? alg->out_len : 0 },
		{ OSSL_MAC_PARAM_BLOCK_SIZE, alg ? alg->block_len : 0 },
		{ NULL, 0 },
	};

	return kc_answer_numbers(params, numbers);
}

KC_LIST_CTX_PARAMS(gettable_mac_params, OSSL_PARAM_size_t(OSSL_MAC_PARAM_SIZE, NULL),
		   OSSL_PARAM_size_t(OSSL_MAC_PARAM_BLOCK_SIZE, NULL))

KC_LIST_CTX_PARAMS(settable_mac_params, OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, NULL, 0))

static const OSSL_DISPATCH functions[] = {
	KC_ENTRY(MAC_NEWCTX, mac_newctx, new_mac),
	KC_ENTRY(MAC_FREECTX, mac_freectx, free_mac),
	KC_ENTRY(MAC_DUPCTX, mac_dupctx, dup_mac),
	KC_ENTRY(MAC_INIT, mac_init, init_mac),
	KC_ENTRY(MAC_INIT_SKEY, mac_init_skey, init_skey),
	KC_ENTRY(MAC_UPDATE, mac_update, update_mac),
	KC_ENTRY(MAC_FINAL, mac_final, final_mac),
	KC_ENTRY(MAC_GET_CTX_PARAMS, mac_get_ctx_params, get_mac_params),
	KC_ENTRY(MAC_SET_CTX_PARAMS, mac_set_ctx_params, set_mac_params),
	KC_ENTRY(MAC_GETTABLE_CTX_PARAMS, mac_gettable_ctx_params, gettable_mac_params),
	KC_ENTRY(MAC_SETTABLE_CTX_PARAMS, mac_settable_ctx_params, settable_mac_params),
	{ 0, NULL },
};

const OSSL_ALGORITHM kc_keys_macs[] = {
	{ OSSL_MAC_NAME_HMAC, KC_KEYS_PROPERTY, functions,
	  "HMAC with a key in the kernel's keyring" },
	{ NULL, NULL, NULL, NULL },
};
