/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test: random sequences of everything that EVP can do to a cipher context, played
 * on the default provider and on ours, and compared after each step. Knows nothing of how we work.
 */
#include "diff.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "compare.h"
#include "iv_pointer.h"

#define CONTEXTS 3
#define ROOM	 (160 * 1024) /* bytes of a buffer: two largest requests and a bit */
#define MARGIN	 64

/* OpenSSL's AES-CBC for s390x ends in a segmentation fault where a one-shot is of nothing. */
#ifdef __s390x__
#define LEAST_ONESHOT 16
#else
#define LEAST_ONESHOT 0
#endif

struct pair {
	EVP_CIPHER_CTX *ours, *theirs;
	int enc;
	bool keyed;
	struct iv_pointer kept[2]; /* to the original IV, to the next block's */
};

struct diff {
	struct random random;
	EVP_CIPHER *ours, *theirs;
	struct pair pair[CONTEXTS];
	const char *step;
	unsigned char *ours_buf, *theirs_buf, *ours_apart, *theirs_apart;
};

static bool fail(struct diff *d, const char *what)
{
	fprintf(stderr, "MISMATCH: %s, after step '%s', cipher %s\n", what, d->step,
		EVP_CIPHER_get0_name(d->theirs));
	return false;
}

/* Both succeed or both fail, and a success leaves nothing that theirs does not. */
static bool same_result(struct diff *d, struct outcome ours, struct outcome theirs)
{
	const char *differs = outcome_differs(ours, theirs);

	return differs ? fail(d, differs) : true;
}

static bool same_params(struct diff *d, const struct pair *p)
{
	unsigned char a[EVP_MAX_IV_LENGTH] = { 0 }, b[EVP_MAX_IV_LENGTH] = { 0 };
	size_t iv = (size_t)EVP_CIPHER_get_iv_length(d->theirs);

	if (EVP_CIPHER_CTX_get_num(p->ours) != EVP_CIPHER_CTX_get_num(p->theirs))
		return fail(d, "num differs");
	if (EVP_CIPHER_CTX_get_key_length(p->ours) != EVP_CIPHER_CTX_get_key_length(p->theirs))
		return fail(d, "key length differs");
	if (EVP_CIPHER_CTX_get_iv_length(p->ours) != EVP_CIPHER_CTX_get_iv_length(p->theirs))
		return fail(d, "IV length differs");
	if (!iv)
		return true;
	if (!EVP_CIPHER_CTX_get_updated_iv(p->ours, a, iv) ||
	    !EVP_CIPHER_CTX_get_updated_iv(p->theirs, b, iv) || memcmp(a, b, iv) != 0)
		return fail(d, "updated IV differs");
	if (!EVP_CIPHER_CTX_get_original_iv(p->ours, a, iv) ||
	    !EVP_CIPHER_CTX_get_original_iv(p->theirs, b, iv) || memcmp(a, b, iv) != 0)
		return fail(d, "original IV differs");
	return true;
}

/* A pointer that is kept must show the right bytes at any time. */
static bool same_pointers(struct diff *d)
{
	size_t len = (size_t)EVP_CIPHER_get_iv_length(d->theirs);

	for (size_t i = 0; i < CONTEXTS; i++) {
		if (!iv_pointer_same(&d->pair[i].kept[0], len))
			return fail(d, "the original IV differs behind a pointer");
		if (!iv_pointer_same(&d->pair[i].kept[1], len))
			return fail(d, "the IV differs behind a pointer");
	}
	return true;
}

/* A pointer to an IV is taken, or written through. */
static bool step_pointer(struct diff *d, struct pair *p)
{
	EVP_CIPHER_CTX *const both[] = { p->ours, p->theirs };
	size_t way = random_below(&d->random, IV_POINTER_WAYS);
	struct iv_pointer *kept = &p->kept[!iv_pointer_is_original(way)];
	size_t len = (size_t)EVP_CIPHER_get_iv_length(d->theirs);
	const char *differs;

	d->step = "IV pointer";
	if (!len)
		return true;
	if (kept->at[0] && random_below(&d->random, 4)) {
		iv_pointer_write(kept, &d->random, len);
		return true;
	}
	differs = iv_pointer_take(kept, both, way);
	return differs ? fail(d, differs) : true;
}

/* The IV of an init: @iv, or now and then the bytes shown by a pointer that is kept. */
static void choose_iv(struct diff *d, const struct pair *p, const unsigned char *iv,
		      const unsigned char *chosen[2])
{
	const struct iv_pointer *kept = &p->kept[random_below(&d->random, 2)];
	bool from_kept = kept->at[0] && random_below(&d->random, 2);

	chosen[0] = from_kept ? kept->at[0] : iv;
	chosen[1] = from_kept ? kept->at[1] : iv;
}

/* Key, IV, both or none; a direction or the old one. */
static bool step_init(struct diff *d, struct pair *p)
{
	unsigned char key[EVP_MAX_KEY_LENGTH], iv[EVP_MAX_IV_LENGTH];
	size_t what = p->keyed ? random_below(&d->random, 4) : 3;
	size_t key_len = (size_t)EVP_CIPHER_get_key_length(d->theirs);
	bool with_key = what & 1, with_iv = what & 2;
	bool turn = random_below(&d->random, with_key ? 2 : 12) == 0;
	int enc = turn ? !p->enc : p->enc;
	const unsigned char *chosen[2];
	struct outcome ours, theirs;

	d->step = with_key ? (with_iv ? "init" : "key only") : (with_iv ? "IV only" : "restart");
	random_bytes(&d->random, key, sizeof(key));
	random_bytes(&d->random, iv, sizeof(iv));
	if (random_below(&d->random, 8) == 0)
		memset(iv + 4, 0xff, sizeof(iv) - 4);
	if (random_below(&d->random, 8) == 0) /* one that counts from the other end */
		memset(iv + 1, 0xff, 3 + 4 * random_below(&d->random, 2));
	/* Two keys that are one, with which XTS only decrypts. */
	if (random_below(&d->random, 16) == 0)
		memcpy(key + key_len / 2, key, key_len / 2);
	choose_iv(d, p, iv, chosen);
	outcome_clear();
	ours = outcome_of(EVP_CipherInit_ex(p->ours, NULL, NULL, with_key ? key : NULL,
					    with_iv ? chosen[0] : NULL, enc));
	outcome_clear();
	theirs = outcome_of(EVP_CipherInit_ex(p->theirs, NULL, NULL, with_key ? key : NULL,
					      with_iv ? chosen[1] : NULL, enc));
	p->enc = enc;
	p->keyed |= with_key && theirs.ok > 0;
	return same_result(d, ours, theirs);
}

static size_t random_length(struct random *r)
{
	static const size_t limit[] = { 1, 17, 64, 64, 300, 300, 2000, 5000, 20000, 140000 };
	size_t n = random_below(r, limit[random_below(r, sizeof(limit) / sizeof(limit[0]))]);

	return random_below(r, 3) == 0 ? n / 16 * 16 : n;
}

/*
 * In and out: apart, the same, or shifted against each other by a little, in one buffer. The
 * default provider overwrites its own input then; so do we, by the same bytes.
 */
static bool step_update(struct diff *d, struct pair *p, bool oneshot)
{
	struct random *r = &d->random;
	size_t n = random_length(r), at = MARGIN + random_below(r, MARGIN);
	size_t place = random_below(r, 4), to = at;
	unsigned char *ours_out = d->ours_buf, *theirs_out = d->theirs_buf;
	struct outcome ours, theirs;
	int a = 0, b = 0;

	d->step = oneshot ? "one-shot" : "update";
	if (oneshot)
		n = n / 16 ? n / 16 * 16 : LEAST_ONESHOT;
	if (place == 0)
		to = at - 32 + random_below(r, 64);
	if (place >= 2) {
		ours_out = d->ours_apart;
		theirs_out = d->theirs_apart;
		to = MARGIN + random_below(r, MARGIN);
	}
	random_bytes(r, d->ours_buf, at + n + MARGIN);
	memcpy(d->theirs_buf, d->ours_buf, at + n + MARGIN);
	if (oneshot) {
		outcome_clear();
		ours = outcome_of(
			a = EVP_Cipher(p->ours, ours_out + to, d->ours_buf + at, (unsigned)n));
		outcome_clear();
		theirs = outcome_of(b = EVP_Cipher(p->theirs, theirs_out + to, d->theirs_buf + at,
						   (unsigned)n));
	} else {
		outcome_clear();
		ours = outcome_of(
			EVP_CipherUpdate(p->ours, ours_out + to, &a, d->ours_buf + at, (int)n));
		outcome_clear();
		theirs = outcome_of(EVP_CipherUpdate(p->theirs, theirs_out + to, &b,
						     d->theirs_buf + at, (int)n));
	}
	if (!same_result(d, ours, theirs))
		return false;
	if (a != b)
		return fail(d, "lengths differ");
	if (ours.ok > 0 && a > 0 && memcmp(ours_out + to, theirs_out + to, (size_t)a) != 0)
		return fail(d, "outputs differ");
	return true;
}

static bool step_final(struct diff *d, struct pair *p)
{
	unsigned char x[EVP_MAX_BLOCK_LENGTH], y[EVP_MAX_BLOCK_LENGTH];
	struct outcome ours, theirs;
	int a = 0, b = 0;

	d->step = "final";
	outcome_clear();
	ours = outcome_of(EVP_CipherFinal_ex(p->ours, x, &a));
	outcome_clear();
	theirs = outcome_of(EVP_CipherFinal_ex(p->theirs, y, &b));
	if (!same_result(d, ours, theirs))
		return false;
	if (a != b || (ours.ok > 0 && memcmp(x, y, (size_t)a) != 0))
		return fail(d, "final blocks differ");
	return true;
}

/* A copy replaces another context, or the copied one lives on as its own copy. */
static bool step_copy(struct diff *d, struct pair *p)
{
	struct pair *to = &d->pair[random_below(&d->random, CONTEXTS)];
	struct outcome ours, theirs;

	d->step = "copy";
	if (to == p)
		return true;
	outcome_clear();
	ours = outcome_of(EVP_CIPHER_CTX_copy(to->ours, p->ours));
	outcome_clear();
	theirs = outcome_of(EVP_CIPHER_CTX_copy(to->theirs, p->theirs));
	*to = (struct pair){ to->ours, to->theirs, p->enc, p->keyed, { { { NULL } } } };
	return same_result(d, ours, theirs) && same_params(d, to);
}

/*
 * Between two blocks there is no keystream for num to point into: the default provider's behaviour
 * then depends on the code that it chooses for this CPU.
 */
static bool num_means_something(const struct diff *d, const struct pair *p)
{
	int mode = EVP_CIPHER_get_mode(d->theirs);

	return (mode == EVP_CIPH_CTR_MODE || mode == EVP_CIPH_CFB_MODE ||
		mode == EVP_CIPH_OFB_MODE) &&
	       EVP_CIPHER_CTX_get_num(p->theirs) != 0;
}

static bool steals(const struct diff *d)
{
	return EVP_CIPHER_get_flags(d->theirs) & EVP_CIPH_FLAG_CTS;
}

static bool step_cts_mode(struct diff *d, struct pair *p)
{
	static const char *const modes[] = { "CS1", "CS2", "CS3" };
	char *mode = (char *)(uintptr_t)modes[random_below(&d->random, 3)];
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, mode, 0),
		OSSL_PARAM_construct_end(),
	};
	struct outcome ours, theirs;

	d->step = mode;
	outcome_clear();
	ours = outcome_of(EVP_CIPHER_CTX_set_params(p->ours, params));
	outcome_clear();
	theirs = outcome_of(EVP_CIPHER_CTX_set_params(p->theirs, params));
	return same_result(d, ours, theirs);
}

static bool takes_key_len(const struct diff *d)
{
	return OSSL_PARAM_locate_const(EVP_CIPHER_settable_ctx_params(d->theirs),
				       OSSL_CIPHER_PARAM_KEYLEN);
}

/* Another length for the next key; without that key both refuse. */
static bool step_key_len(struct diff *d, struct pair *p)
{
	int len = random_below(&d->random, 2) ? 16 : 5 + (int)random_below(&d->random, 12);
	struct outcome ours, theirs;

	d->step = "key length";
	outcome_clear();
	ours = outcome_of(EVP_CIPHER_CTX_set_key_length(p->ours, len));
	outcome_clear();
	theirs = outcome_of(EVP_CIPHER_CTX_set_key_length(p->theirs, len));
	return same_result(d, ours, theirs);
}

static bool step_param(struct diff *d, struct pair *p)
{
	int on = (int)random_below(&d->random, 2);
	/*
	 * Beyond the block CFB writes to where an OpenSSL that does not check has something else.
	 */
	bool reads_only = EVP_CIPHER_get_mode(d->theirs) == EVP_CIPH_CTR_MODE;
	int num = (int)random_below(&d->random, reads_only ? 18 : 16);
	struct outcome ours, theirs;

	if (steals(d) && random_below(&d->random, 4))
		return step_cts_mode(d, p);
	if (takes_key_len(d) && random_below(&d->random, 2))
		return step_key_len(d, p);
	if (num_means_something(d, p) && on) {
		d->step = "num";
		outcome_clear();
		ours = outcome_of(EVP_CIPHER_CTX_set_num(p->ours, num));
		outcome_clear();
		theirs = outcome_of(EVP_CIPHER_CTX_set_num(p->theirs, num));
	} else {
		d->step = "padding";
		outcome_clear();
		ours = outcome_of(EVP_CIPHER_CTX_set_padding(p->ours, on));
		outcome_clear();
		theirs = outcome_of(EVP_CIPHER_CTX_set_padding(p->theirs, on));
	}
	return same_result(d, ours, theirs);
}

static bool start_contexts(struct diff *d)
{
	for (size_t i = 0; i < CONTEXTS; i++) {
		struct pair *p = &d->pair[i];

		p->enc = (int)random_below(&d->random, 2);
		p->keyed = false;
		p->ours = EVP_CIPHER_CTX_new();
		p->theirs = EVP_CIPHER_CTX_new();
		if (!EVP_CipherInit_ex(p->ours, d->ours, NULL, NULL, NULL, p->enc) ||
		    !EVP_CipherInit_ex(p->theirs, d->theirs, NULL, NULL, NULL, p->enc))
			return fail(d, "a context can't be made");
	}
	return true;
}

static void end_contexts(struct diff *d)
{
	for (size_t i = 0; i < CONTEXTS; i++) {
		EVP_CIPHER_CTX_free(d->pair[i].ours);
		EVP_CIPHER_CTX_free(d->pair[i].theirs);
		d->pair[i] = (struct pair){ .ours = NULL };
	}
}

static bool one_step(struct diff *d, struct pair *p)
{
	size_t what = random_below(&d->random, 100);

	if (!p->keyed && what >= 4) /* without a key now and then, to see that both refuse */
		what = 0;
	if (what < 20)
		return step_init(d, p);
	/* With a cipher that takes one update per init, most get only one. */
	if (what < 76 && steals(d) && random_below(&d->random, 4) && !step_init(d, p))
		return false;
	if (what < 76)
		return step_update(d, p, false);
	if (what < 82)
		return step_update(d, p, true);
	if (what < 86)
		return step_final(d, p);
	if (what < 90)
		return step_copy(d, p);
	return what < 94 ? step_param(d, p) : step_pointer(d, p);
}

static bool one_round(struct diff *d)
{
	size_t steps = 3 + random_below(&d->random, 12);
	bool ok = start_contexts(d);

	while (ok && steps--) {
		struct pair *p =
			&d->pair[random_below(&d->random, 4) ? 0 :
							       random_below(&d->random, CONTEXTS)];

		ok = one_step(d, p) && same_pointers(d);
		/* Not always: to ask for the IV is itself something that happens to a context. */
		if (ok && random_below(&d->random, 3) == 0)
			ok = same_params(d, p);
	}
	for (size_t i = 0; ok && i < CONTEXTS; i++)
		ok = same_params(d, &d->pair[i]);
	end_contexts(d);
	return ok;
}

bool diff_play(const struct diff_options *o, EVP_CIPHER *ours, EVP_CIPHER *theirs,
	       struct random source)
{
	struct diff d = { .random = source, .ours = ours, .theirs = theirs, .step = "start" };

	d.ours_buf = o->room;
	d.theirs_buf = o->room + ROOM;
	d.ours_apart = o->room + 2 * ROOM;
	d.theirs_apart = o->room + 3 * ROOM;
	return one_round(&d);
}

size_t diff_room(void)
{
	return 4 * ROOM;
}
