/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random messages through OpenSSL and our module, like a program's requests: with lengths near the
 * edges, in pieces, from any address.
 */
#include "cli/selftest/selftest.h"

#include <string.h>

#include <openssl/provider.h>

#include "cli/bench/bench.h"
#include "cli/bench/work.h"
#include "cli/run/command.h"
#include "core/clock.h"

#define LONGEST 70000 /* bytes of text: more than the largest request */
#define DUE	4096  /* bytes: no threshold of a driver in use is longer */

/* Enters software and the driver; false, with the finding, if one can't be had. */
static bool enter(struct kc_exam *e, struct kc_contender c[2])
{
	if (e->all->no_module)
		return kc_exam_find(e, KC_NOT_ASKED, "%s", e->all->no_module);
	if (kc_enter_software(&c[0]) &&
	    kc_enter_backend(&c[1], e->alg, e->candidate->backend->names[0],
			     e->candidate->driver) &&
	    OSSL_PROVIDER_available(c[1].lib, "kcrypto"))
		return true;
	return kc_exam_find(e, kc_exam_none(e),
			    "kcrypto's module cannot be loaded, or does not offer it");
}

static size_t below(uint64_t *random, size_t n)
{
	return (size_t)(kc_random(random) % n);
}

/* Returns a length: short, of a few pages, or around the largest request, a third each. */
static size_t some_length(uint64_t *random)
{
	switch (below(random, 3)) {
	case 0:
		return below(random, 300);
	case 1:
		return below(random, 3 * 4096);
	default:
		return LONGEST - below(random, 12000);
	}
}

static size_t fit_length(const struct kc_message *m, size_t len)
{
	const struct kc_alg *alg = m->alg;

	if (alg->kind != KC_CIPHER) {
		if (len)
			return len;
		return 1;
	}
	if (alg->steals || alg->iv_rule == KC_IV_WHOLE) {
		if (len < alg->block_len)
			return alg->block_len;
		return len;
	}
	if (alg->stream || m->pads)
		return len;
	return len / alg->block_len * alg->block_len;
}

/* XTS, CCM and ciphertext stealing take no pieces. */
static bool takes_pieces(const struct kc_alg *alg)
{
	if (alg->steals || alg->iv_rule == KC_IV_WHOLE)
		return false;
	return alg->family != KC_CCM;
}

/* A plain message is 4 KiB to encrypt in one piece, which every kernel takes. */
static void choose(struct kc_message *m, bool is_plain, uint64_t *random)
{
	const struct kc_alg *alg = m->alg;
	bool is_whole = is_plain || !takes_pieces(alg);
	size_t len = 4096;

	m->dir = KC_ENCRYPT;
	if (!kc_alg_is_hash(alg) && !is_plain && below(random, 2))
		m->dir = KC_DECRYPT;
	m->pads = m->dir == KC_ENCRYPT && below(random, 2);
	if (!is_plain)
		len = some_length(random);
	m->len = fit_length(m, len);
	m->piece = m->len;
	if (!is_whole && below(random, 4) == 0)
		m->piece = 1 + below(random, 20000);
	m->key_len = alg->key_len;
	if (!m->key_len)
		m->key_len = 1 + below(random, KC_MAX_KEY);
	if (alg->kind == KC_AEAD)
		m->aad_len = below(random, KC_MAX_AAD);
}

/* One tag in eight is wrong. False if @software can't make it. */
static bool make(struct kc_message *m, const struct kc_alg *alg, bool is_plain, uint64_t *random,
		 const struct kc_contender *software, bool *is_forged)
{
	static unsigned char in[KC_MAX_BLOCK + LONGEST];
	unsigned char *text = in + below(random, KC_MAX_BLOCK);

	*m = (struct kc_message){ .alg = alg, .in = text };
	*is_forged = false;
	choose(m, is_plain, random);
	kc_random_fill(random, m->key, sizeof(m->key));
	kc_random_fill(random, m->iv, sizeof(m->iv));
	kc_random_fill(random, m->aad, sizeof(m->aad));
	kc_random_fill(random, text, m->len);
	if (alg->kind != KC_AEAD || m->dir == KC_ENCRYPT)
		return true;
	if (!kc_message_seal(m, text, software->lib, software->properties))
		return false;
	*is_forged = below(random, 8) == 0;
	m->tag[below(random, sizeof(m->tag))] ^= (unsigned char)*is_forged;
	return true;
}

/* Without a tag, both have zeros. */
static bool gave_same(const struct kc_work w[2])
{
	if (w[0].out_len != w[1].out_len)
		return false;
	return memcmp(w[0].out, w[1].out, w[0].out_len) == 0 &&
	       memcmp(w[0].tag, w[1].tag, sizeof(w[0].tag)) == 0;
}

static bool play(const struct kc_contender c[2], const struct kc_message *m)
{
	static unsigned char out[2][KC_WORK_OUT(LONGEST)];
	struct kc_work w[2];
	bool ok[2], is_same;

	for (int i = 0; i < 2; i++)
		ok[i] = kc_work_begin(&w[i], m, c[i].lib, c[i].properties, out[i]) > 0 &&
			kc_work_message(&w[i]) > 0;
	is_same = ok[0] == ok[1] && gave_same(w);
	for (int i = 0; i < 2; i++)
		kc_work_end(&w[i]);
	return is_same;
}

/*
 * True if the driver has to do at least a part of this message. Software may do one in pieces, a
 * digest or an AEAD's message that is longer than a request, and XTS's with a part of a block.
 */
static bool is_due(const struct kc_exam *e, const struct kc_message *m)
{
	if (m->len < DUE || m->len > e->session.limit || m->piece != m->len)
		return false;
	return m->len % kc_exam_unit(e->candidate, KC_NAMED) == 0;
}

static enum kc_ruling ruling_of(enum kc_stats_error error)
{
	if (error == KC_STATS_WRONG_ANSWER || error == KC_STATS_LIED)
		return KC_IS_WRONG;
	return KC_FAILS;
}

/* Checks the counters for errors since @before; false with the finding. */
static bool kept_up(struct kc_exam *e, const struct kc_stats *before)
{
	const struct kc_stats *now = kc_counters_all();
	size_t row = (size_t)(e->alg - kc_algs);
	unsigned backend = e->candidate->backend_number;

	for (enum kc_stats_error r = 0; now && r < KC_STATS_ERRORS; r++) {
		uint64_t was = kc_stats_errors_of(&before->row[row].backend[backend], r);

		if (kc_stats_errors_of(&now->row[row].backend[backend], r) != was)
			return kc_exam_find(e, ruling_of(r), "%s; again: --seed %u --rounds %u",
					    kc_reasons[kc_stats_reasons[r]].text, e->all->seed,
					    e->all->rounds * (unsigned)e->all->n);
	}
	return true;
}

/*
 * Does one message, and counts the requests that it made. False, with the finding, if the answers
 * differ.
 */
static bool play_one(struct kc_exam *e, const struct kc_contender side[2], unsigned n)
{
	uint64_t seed = ((uint64_t)e->all->seed << 32 | (uint64_t)(e->alg - kc_algs) << 24) + n;
	uint64_t before = kc_counters_of(e->alg).requests, made;
	struct kc_message m;
	bool is_forged,
		is_right = make(&m, e->alg, n == 0, &seed, &side[0], &is_forged) && play(side, &m);

	made = kc_counters_of(e->alg).requests - before;
	atomic_fetch_add(&e->shared->requests, (unsigned)made);
	/* The driver only reports that a message is forged, and the base does it again. */
	if (!made && !is_forged && is_due(e, &m))
		made = 1;
	atomic_fetch_add(&e->shared->asked, (unsigned)made);
	if (is_right)
		return true;
	return kc_exam_find(e, KC_IS_WRONG, "message %u; again: --seed %u --rounds %u", n + 1,
			    e->all->seed, e->all->rounds * (unsigned)e->all->n);
}

bool kc_ask_random(struct kc_exam *e)
{
	struct kc_contender side[2] = { { .lib = NULL } };
	static struct kc_stats before;
	struct kc_finding *f = e->finding;

	if (!enter(e, side))
		return false;
	kc_stats_read(&before);
	for (unsigned n = 0; n < e->all->rounds; n++) {
		uint64_t start = kc_now_ns();

		if (kc_exam_leaves_out(e, LONGEST, e->all->rounds - n))
			break;
		if (!play_one(e, side, n) || !kept_up(e, &before))
			return false;
		e->took_ns = kc_now_ns() - start;
	}
	if (f->left_out && !f->asked)
		return true;
	/* An answer in which the driver had no part tells nothing about it. */
	if (!f->requests)
		return kc_exam_find(e, kc_exam_none(e), "no request reached the kernel");
	if (f->asked != f->requests)
		return kc_exam_find(e, KC_FAILS, "software did the others");
	return true;
}
