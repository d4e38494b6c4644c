/* SPDX-License-Identifier: Apache-2.0 */
/* Puts one request to the driver and to software, and words the difference. */
#include "cli/selftest/selftest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/clock.h"
#include "session/buffers.h"
#include "session/session.h"

/* SplitMix64. */
uint64_t kc_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

void kc_random_fill(uint64_t *state, uint8_t *buf, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (uint8_t)kc_random(state);
}

bool kc_exam_begin(struct kc_exam *e, size_t max, unsigned number)
{
	const struct kc_base *base = kc_base_get(e->alg);
	uint64_t random = number;
	size_t each;

	e->page = (size_t)sysconf(_SC_PAGESIZE);
	each = (max + 3 * e->page - 1) / e->page * e->page;
	e->session.fd = -1;
	e->mem = kc_pages_new(KC_MAX_REQUEST + 3 * each);
	if (!e->mem || !base)
		return false;
	kc_answers_init(&e->answers, e->candidate, base, e->mem, e->mem + KC_MAX_REQUEST, each);
	e->answers.session = &e->session;
	kc_random_fill(&random, e->answers.key_bytes, e->answers.key.len);
	kc_random_fill(&random, e->answers.aad, sizeof(e->answers.aad));
	kc_random_fill(&random, e->answers.words, sizeof(e->answers.words));
	return true;
}

void kc_exam_end(struct kc_exam *e)
{
	kc_session_close(&e->session);
	free(e->mem);
}

int kc_exam_open(struct kc_exam *e)
{
	kc_session_close(&e->session);
	return kc_session_open(&e->session, e->candidate, &e->answers.key);
}

bool kc_exam_find(struct kc_exam *e, enum kc_ruling ruling, const char *format, ...)
{
	va_list args;

	e->finding->ruling = ruling;
	va_start(args, format);
	vsnprintf(e->finding->text, sizeof(e->finding->text), format, args);
	va_end(args);
	return false;
}

enum kc_ruling kc_exam_error(int err)
{
	if (err == -ETIMEDOUT)
		return KC_HANGS;
	return KC_FAILS;
}

enum kc_ruling kc_exam_none(const struct kc_exam *e)
{
	if (e->all->depth == KC_IN_USE && e->candidate->driver[0])
		return KC_FAILS;
	return KC_NOT_ASKED;
}

static const char *verb_of(const struct kc_alg *alg, enum kc_dir dir)
{
	static const char *const verbs[] = {
		[KC_DECRYPT] = "decrypting", [KC_ENCRYPT] = "encrypting"
	};

	if (kc_alg_is_hash(alg))
		return "hashing";
	return verbs[dir];
}

const char *kc_question_text(const struct kc_alg *alg, const struct kc_question *q)
{
	static __thread char text[160];
	const size_t size = sizeof(text);
	unsigned out_offset = q->out_offset;
	int n = snprintf(text, size, "%s %zu bytes", verb_of(alg, q->dir), q->len);

	if (kc_alg_is_hash(alg))
		out_offset = 0;
	if (q->in_offset || q->out_offset)
		n += snprintf(text + n, size - (size_t)n, " from +%u to +%u of a page",
			      q->in_offset, out_offset);
	if (q->aad_len)
		n += snprintf(text + n, size - (size_t)n, ", AAD of %u", q->aad_len);
	if (q->tag_len)
		n += snprintf(text + n, size - (size_t)n, ", tag of %u", q->tag_len);
	if (q->has_iv)
		n += snprintf(text + n, size - (size_t)n, ", IV ");
	for (unsigned i = 0; q->has_iv && i < alg->iv_len; i++)
		n += snprintf(text + n, size - (size_t)n, "%02x", q->iv[i]);
	return text;
}

/* Writes the end of the sentence about an answer that differs. */
static void word_difference(const struct kc_exam *e, const struct kc_question *q, char *text,
			    size_t size)
{
	static const char *const answers[] = {
		[KC_CIPHER] = "text", [KC_AEAD] = "tag", [KC_DIGEST] = "digest", [KC_MAC] = "MAC"
	};
	const struct kc_answers *a = &e->answers;
	const uint8_t *want = a->want;
	const uint8_t *got = a->got + q->out_offset;
	size_t first = q->len, n = 0;

	if (e->alg->kind == KC_AEAD && q->dir == KC_DECRYPT)
		want = a->in + q->in_offset;
	for (size_t i = 0; i < q->len && !kc_alg_is_hash(e->alg); i++) {
		if (want[i] == got[i])
			continue;
		first = kc_min(first, i);
		n++;
	}
	if (n)
		snprintf(text, size, "%zu of them wrong, the first is number %zu", n, first);
	else
		snprintf(text, size, "the %s is wrong", answers[e->alg->kind]);
}

static bool find_failure(struct kc_exam *e, const struct kc_question *q, enum kc_reason why)
{
	int err = e->answers.err;
	const char *asked = kc_question_text(e->alg, q);
	char found[60];

	if (why == KC_REQUEST_FAILED)
		return kc_exam_find(e, kc_exam_error(err), "%s: %s", asked, strerror(-err));
	if (why != KC_WRONG_ANSWER)
		return kc_exam_find(e, KC_NOT_ASKED, "%s: software cannot do it", asked);
	word_difference(e, q, found, sizeof(found));
	return kc_exam_find(e, KC_IS_WRONG, "%s: %s", asked, found);
}

void kc_exam_count_asked(struct kc_exam *e)
{
	atomic_fetch_add(&e->shared->asked, 1);
}

void kc_exam_count_answer(struct kc_exam *e)
{
	atomic_fetch_add(&e->shared->requests, 1);
}

bool kc_exam_leaves_out(struct kc_exam *e, size_t len, unsigned requests)
{
	uint64_t until = e->end, ns = e->kib_ns * len / 1024;

	if (e->took_ns > ns)
		ns = e->took_ns;
	if (e->shared->asked || e->until > e->end)
		until = e->until;
	if (kc_now_ns() + ns < until)
		return false;
	atomic_fetch_add(&e->shared->left_out, requests);
	return true;
}

bool kc_exam_ask(struct kc_exam *e, const struct kc_question *q)
{
	struct kc_answers *a = &e->answers;
	const struct kc_req req = {
		.dir = q->dir, .in = a->in + q->in_offset, .len = q->len, .aad_len = q->aad_len
	};
	enum kc_reason why;
	uint64_t start;

	if (kc_exam_leaves_out(e, q->len, 1))
		return true;
	e->finding->question = *q;
	a->memory = KC_IN_ROOM;
	if (q->in_offset || q->out_offset)
		a->memory = KC_APART;
	kc_exam_count_asked(e);
	if (q->has_iv)
		memcpy(a->iv, q->iv, sizeof(a->iv));
	start = kc_now_ns();
	why = kc_answers_same(a, req, a->got + q->out_offset);
	e->took_ns = kc_now_ns() - start;
	if (why != KC_OK)
		return find_failure(e, q, why);
	kc_exam_count_answer(e);
	return true;
}

bool kc_exam_ask_both(struct kc_exam *e, struct kc_question q)
{
	for (int dir = kc_answers_first_dir(e->alg); dir <= KC_ENCRYPT; dir++) {
		q.dir = (enum kc_dir)dir;
		if (!kc_exam_ask(e, &q))
			return false;
	}
	return true;
}

/*
 * Programs give any cipher whole blocks. XTS takes parts of a block from one block on, but never
 * gets any from us.
 */
size_t kc_exam_unit(const struct kc_candidate *c, enum kc_depth depth)
{
	const struct kc_alg *alg = c->alg;
	bool takes_parts = alg->stream && alg->iv_rule != KC_IV_WHOLE && depth == KC_NAMED;

	if (c->whole || (alg->kind == KC_CIPHER && !takes_parts))
		return alg->block_len;
	return 1;
}

size_t kc_exam_fit(const struct kc_exam *e, size_t len)
{
	size_t unit = kc_exam_unit(e->candidate, e->all->depth);

	len = kc_min(len, e->session.limit);
	if (len < unit)
		return unit;
	return len / unit * unit;
}
