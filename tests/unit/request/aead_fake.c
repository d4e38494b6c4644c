/* SPDX-License-Identifier: Apache-2.0 */
/* See aead_fake.h. */
#include "request/aead_fake.h"

#include <errno.h>
#include <string.h>

const uint8_t fake_right_tag[KC_MAX_TAG] = "the right tag..";
bool fake_is_newer;

void fake_new(struct fake *f, enum kc_family family)
{
	memset(f, 0, sizeof(*f));
	f->family = family;
	f->nonce_len = 12;
	f->tag_len = 16;
}

static uint32_t mix(uint32_t sum, uint8_t byte)
{
	return (sum ^ byte) * 16777619u + 1;
}

/* Begins a message with the present nonce. */
static void begin(struct fake *f)
{
	f->aad = mix(mix(7, f->key), f->nonce);
	f->text = 0;
	f->used = true;
	f->lost = false;
}

int fake_init(struct fake *f, enum kc_dir dir, uint8_t key, uint8_t nonce, size_t nonce_len)
{
	f->dir = dir;
	if (nonce && nonce_len != f->nonce_len)
		return 0;
	if (nonce) {
		f->nonce = nonce;
		f->has_nonce = true;
		if (f->family != KC_CCM)
			f->used = f->ended = f->in_record = false;
		if (f->family == KC_CHACHA20_POLY1305)
			f->fixed = nonce;
	}
	if (!key)
		return 1;
	f->key = key;
	f->key_nonce_len = f->nonce_len;
	f->key_tag_len = f->tag_len;
	f->spoiled = false;
	/* A message that has begun becomes useless, without an error. */
	f->aad = mix(f->aad, key);
	if (f->family == KC_CHACHA20_POLY1305)
		f->used = f->in_record = false;
	return 1;
}

int fake_set_length(struct fake *f, bool of_tag, size_t len)
{
	bool is_ccm = f->family == KC_CCM;

	if (of_tag) {
		if (f->family == KC_GCM || len < 4 || len > 16 || (is_ccm && len % 2))
			return 0;
		if (is_ccm)
			f->tag_len = len;
		else
			f->tag_bytes = (unsigned)len;
		return 1;
	}
	if (!len || (is_ccm ? len < 7 || len > 13 : f->family != KC_GCM && len != 12))
		return 0;
	if (len != f->nonce_len)
		f->has_nonce = false;
	if (fake_is_newer)
		f->ended = false;
	f->nonce_len = len;
	return 1;
}

int fake_set_fixed(struct fake *f, const uint8_t *fixed, size_t len)
{
	(void)len;
	f->fixed = fixed[0];
	f->has_fixed = true;
	return 1;
}

static void make_tag(const struct fake *f, uint8_t *tag)
{
	for (unsigned i = 0; i < KC_MAX_TAG; i++)
		tag[i] = (uint8_t)(mix(mix(f->aad, (uint8_t)i), f->key_tag_len & 0xff) ^ f->text);
}

static void crypt(struct fake *f, uint8_t *out, const uint8_t *in, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		uint8_t was = in[i];

		out[i] = (uint8_t)(was ^ mix(f->key * 31u + f->nonce, (uint8_t)(f->text >> 8)));
		f->text = mix(f->text, f->dir == KC_ENCRYPT ? out[i] : was);
	}
}

static bool tag_is_right(const struct fake *f)
{
	return !f->lost && memcmp(f->tag, fake_right_tag, f->tag_bytes) == 0;
}

/* CCM keeps the tag of its last calculation, whatever becomes of that. */
static void leave(struct fake *f, const uint8_t *tag)
{
	memcpy(f->made, tag, KC_MAX_TAG);
	f->made_bytes = f->key_tag_len;
}

/* In place: explicit nonce, text, tag. ChaCha20-Poly1305 has no explicit nonce. */
static int record(struct fake *f, uint8_t *out, size_t *outl, const uint8_t *in, size_t len)
{
	size_t carried = f->family == KC_CHACHA20_POLY1305 ? 0 : 8, more = carried + f->tag_len;
	bool encrypts = f->dir == KC_ENCRYPT, is_right;
	struct fake one = *f;

	*outl = 0;
	if (f->family == KC_GCM)
		f->ended = true;
	f->in_record = f->family == KC_CCM;
	if (!f->key || out != in || len < more || (f->family == KC_GCM && !f->has_fixed))
		return 0;
	if (encrypts)
		memset(out, 0, carried);
	if (f->family == KC_GCM && encrypts)
		out[0] = ++f->generated;
	else if (carried && encrypts)
		out[0] = f->record_aad[0];
	one.nonce = (uint8_t)(f->fixed + (carried ? out[0] : f->record_aad[0]));
	if (f->family == KC_CCM || (carried && !encrypts))
		f->nonce = one.nonce;
	begin(&one);
	for (size_t i = 0; i < 11; i++)
		one.aad = mix(one.aad, f->record_aad[i]);
	crypt(&one, out + carried, in + carried, len - more);
	*outl = encrypts ? len : len - more;
	is_right = memcmp(in + len - f->tag_len, fake_right_tag, f->tag_len) == 0;
	make_tag(&one, one.made);
	if (f->family == KC_GCM)
		f->tag_bytes = KC_MAX_TAG;
	else if (f->family == KC_CCM)
		leave(f, encrypts || !is_right ? one.made : fake_right_tag);
	else if (encrypts)
		memcpy(f->tag, one.made, KC_MAX_TAG);
	if (encrypts)
		memcpy(out + len - f->tag_len, one.made, f->tag_len);
	return encrypts || is_right;
}

static int ccm_update(struct fake *f, uint8_t *out, size_t *outl, const uint8_t *in, size_t len)
{
	uint8_t made[KC_MAX_TAG];

	if (out && in)
		f->made_bytes = 0;
	if (!f->key || !f->has_nonce)
		return 0;
	*outl = len;
	if (!out && in) {
		if (!f->len_set && len)
			return 0;
		memset(made, mix(f->key, f->nonce) & 0xff, sizeof(made));
		leave(f, made);
		for (size_t i = 0; i < len; i++)
			f->aad = mix(f->aad, in[i]);
		return 1;
	}
	if (!out || !f->len_set) {
		begin(f);
		f->total = len;
		f->len_set = true;
	}
	if (!out)
		return 1;
	if (len != f->total) {
		f->spoiled = true;
		return 0;
	}
	if (f->dir == KC_DECRYPT && !f->tag_set)
		return 0;
	f->aad = mix(f->aad, f->spoiled);
	crypt(f, out, in, len);
	make_tag(f, made);
	if (f->dir == KC_DECRYPT && !tag_is_right(f))
		return 0;
	leave(f, f->dir == KC_ENCRYPT ? made : fake_right_tag);
	f->tag_set = f->dir == KC_ENCRYPT;
	if (f->dir == KC_DECRYPT)
		f->has_nonce = f->len_set = false;
	return 1;
}

/* A comparison destroys the message that it refuses. Without a tag there is no comparison. */
static int gcm_final(struct fake *f)
{
	if (f->dir == KC_ENCRYPT) {
		make_tag(f, f->tag);
		f->tag_bytes = KC_MAX_TAG;
	} else if (!f->tag_bytes) {
		return 0;
	} else if (!tag_is_right(f)) {
		f->lost = true;
		return 0;
	}
	f->ended = true;
	return 1;
}

/* The next call begins anew. */
static int chacha20_final(struct fake *f)
{
	if (fake_is_newer && f->dir == KC_DECRYPT && !f->tag_bytes)
		return 0;
	f->used = false;
	if (f->dir == KC_ENCRYPT)
		make_tag(f, f->tag);
	else if (!tag_is_right(f))
		return 0;
	return 1;
}

static int stream_final(struct fake *f, size_t *outl)
{
	if (!f->used)
		begin(f);
	*outl = 0;
	return f->family == KC_GCM ? gcm_final(f) : chacha20_final(f);
}

static int update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		  const unsigned char *in, size_t len)
{
	struct fake *f = ctx;

	(void)outsize;
	if (f->in_record && out)
		return fake_is_newer && f->ended ? 0 : record(f, out, outl, in, len);
	if (f->family == KC_CCM)
		return ccm_update(f, out, outl, in, len);
	if (!f->key || !f->has_nonce || f->ended)
		return 0;
	if (!in)
		return stream_final(f, outl);
	if (!f->used)
		begin(f);
	*outl = len;
	if (out)
		crypt(f, out, in, len);
	for (size_t i = 0; !out && i < len; i++)
		f->aad = mix(f->aad, in[i]);
	return 1;
}

static int final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct fake *f = ctx;
	uint8_t none = 0;

	(void)out;
	(void)outsize;
	if (f->family == KC_CCM) {
		if (f->in_record)
			return 0;
		/* From OpenSSL 3.0.22 on, this makes up for a text that did not come. */
		if (f->has_nonce && (f->dir == KC_DECRYPT || !f->tag_set))
			return f->key && ccm_update(f, &none, outl, &none, 0);
		f->made_bytes = 0;
		*outl = 0;
		return f->key != 0;
	}
	if (!f->key || !f->has_nonce || f->ended || f->in_record || !stream_final(f, outl))
		return 0;
	/* From OpenSSL 4.0 on, ChaCha20-Poly1305 wants another nonce, before a record, too. */
	f->ended |= fake_is_newer;
	return 1;
}

int fake_kernel(enum kc_family family, const struct kc_key *key, const struct kc_req *req)
{
	bool is_record = req->aad_len == KC_RECORD_AAD;
	size_t aad_len = is_record ? 11 : req->aad_len;
	struct fake f = { .family = family,
			  .dir = req->dir,
			  .key = key->bytes[0],
			  .nonce = req->iv[family == KC_CCM],
			  .key_tag_len = key->tag_len };

	if (req->dir == KC_DECRYPT && memcmp(req->tag, fake_right_tag, key->tag_len) != 0)
		return -EBADMSG;
	begin(&f);
	for (size_t i = 0; i < aad_len; i++)
		f.aad = mix(f.aad, req->aad[i]);
	if (family == KC_CCM && !is_record)
		f.aad = mix(f.aad, 0);
	crypt(&f, req->out, req->in, req->len);
	if (req->dir == KC_ENCRYPT)
		make_tag(&f, f.made);
	if (req->dir == KC_ENCRYPT)
		memcpy(req->tag, f.made, key->tag_len);
	return 0;
}

static int get_tag(const struct kc_base *base, void *ctx, uint8_t *tag, size_t len)
{
	struct fake *f = ctx;

	(void)base;
	if (f->dir == KC_DECRYPT || !len || len > KC_MAX_TAG)
		return 0;
	if (f->family == KC_GCM && !f->tag_bytes)
		return 0;
	if (f->family == KC_CCM) {
		if (!f->tag_set || len != f->key_tag_len)
			return 0;
		f->tag_set = f->has_nonce = f->len_set = false;
	}
	memcpy(tag, f->family == KC_CCM ? f->made : f->tag, len);
	return 1;
}

static bool has_tag(const struct kc_base *base, void *ctx)
{
	const struct fake *f = ctx;

	(void)base;
	return f->dir == KC_ENCRYPT && f->tag_set;
}

/* See base/aead.c. */
static int leave_tag(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *tag,
		     bool is_set)
{
	struct fake *f = ctx;
	unsigned kept = is_set ? f->tag_bytes : 0;

	(void)base;
	f->dir = dir;
	if (f->family == KC_CHACHA20_POLY1305 && !f->tag_bytes)
		return 0;
	if (f->family == KC_GCM)
		f->tag_bytes = KC_MAX_TAG;
	memcpy(f->tag + kept, tag + kept, KC_MAX_TAG - kept);
	return 1;
}

static int set_record(struct fake *f, const uint8_t *aad, size_t len)
{
	size_t least = f->family == KC_CHACHA20_POLY1305 ? 0 : 8;

	if (len != KC_RECORD_AAD)
		return 0;
	memcpy(f->record_aad, aad, len);
	if (f->family == KC_GCM)
		memcpy(f->tag, aad, len);
	f->in_record = true;
	f->used = false;
	if (f->dir == KC_DECRYPT)
		least += f->tag_len;
	return aad[11] * 256u + aad[12] >= least;
}

static int set(const struct kc_base *base, void *ctx, enum kc_aead_param what, const uint8_t *bytes,
	       size_t len)
{
	struct fake *f = ctx;

	(void)base;
	if (what == KC_RECORD)
		return set_record(f, bytes, len);
	if (!bytes)
		return fake_set_length(f, true, len);
	if (f->dir == KC_ENCRYPT && f->family == KC_GCM) /* fails, and copies nevertheless */
		memcpy(f->tag, bytes, len);
	if (f->dir == KC_ENCRYPT || !len || len > KC_MAX_TAG)
		return 0;
	if (f->family == KC_CCM && (len < 4 || len % 2))
		return 0;
	memcpy(f->tag, bytes, len);
	f->tag_bytes = (unsigned)len;
	f->tag_set = f->family == KC_CCM;
	if (f->family == KC_CCM)
		f->tag_len = len;
	return 1;
}

static int lengths(const struct kc_base *base, void *ctx, struct kc_lengths *lengths)
{
	const struct fake *f = ctx;

	(void)base;
	*lengths = (struct kc_lengths){ f->nonce_len, f->tag_len };
	return 1;
}

static int record_nonce(const struct kc_base *base, void *ctx, const uint8_t *aad,
			const uint8_t *carried, bool follows, uint8_t nonce[KC_RECORD_NONCE])
{
	const struct fake *f = ctx;
	bool has_number = carried && f->family != KC_CHACHA20_POLY1305;
	uint8_t number = has_number ? carried[0] : aad[0];

	(void)base;
	if (f->family == KC_GCM && !carried)
		number = (uint8_t)((follows ? nonce[KC_RECORD_NONCE - 8] : f->generated) + 1);
	memset(nonce, 0, KC_RECORD_NONCE);
	nonce[KC_RECORD_NONCE - 8] = number;
	nonce[0] = (uint8_t)(f->fixed + number);
	return 1;
}

static int set_record_nonce(const struct kc_base *base, void *ctx,
			    const uint8_t nonce[KC_RECORD_NONCE])
{
	struct fake *f = ctx;

	(void)base;
	f->generated = (uint8_t)(nonce[KC_RECORD_NONCE - 8] - 1);
	f->ended = false;
	return 1;
}

/* Nothing remains of a text. */
static int pass_record(const struct kc_base *base, void *ctx, const uint8_t *aad,
		       const uint8_t *carried)
{
	uint8_t one[8 + KC_MAX_TAG] = { 0 };
	size_t n;

	(void)base;
	if (carried)
		memcpy(one, carried, 8);
	return set_record(ctx, aad, KC_RECORD_AAD) &&
	       (record(ctx, one, &n, one, sizeof(one)) || carried);
}

static void *make(const struct kc_base *base)
{
	static struct fake f;

	fake_new(&f, base->alg->family);
	return &f;
}

static void *copy(void *ctx)
{
	return ctx; /* the player copies the context itself */
}

static void drop(void *ctx)
{
	(void)ctx;
}

#define FAKE(row)                                                                                  \
	{                                                                                          \
		.alg = &kc_algs[KC_ALG_##row], .update = update, .oneshot = update,                \
		.final = final, .newctx = make, .freectx = drop, .dupctx = copy,                   \
		.lengths = lengths, .set = set, .get_tag = get_tag,                                \
		.has_tag = KC_ALG_##row == KC_ALG_AES_128_CCM ? has_tag : NULL,                    \
		.record_nonce = record_nonce,                                                      \
		.set_record_nonce = KC_ALG_##row == KC_ALG_AES_128_GCM ? set_record_nonce : NULL,  \
		.leave_tag = KC_ALG_##row == KC_ALG_AES_128_CCM ? NULL : leave_tag,                \
		.pass_record = KC_ALG_##row == KC_ALG_CHACHA20_POLY1305 ? NULL : pass_record       \
	}

const struct kc_base fake_bases[KC_FAMILY_COUNT] = {
	[KC_GCM] = FAKE(AES_128_GCM),
	[KC_CCM] = FAKE(AES_128_CCM),
	[KC_CHACHA20_POLY1305] = FAKE(CHACHA20_POLY1305),
};
