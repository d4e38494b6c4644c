/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of both sides, and when there have been enough. */
#include "cli/run/times.h"

#include "cli/run/meter.h"

#define MAX_ROUNDS 16

static void note(struct kc_times *t, uint64_t ns)
{
	for (int i = 0; i < KC_TIMES_AGREEING; i++) {
		uint64_t was = t->least[i];

		t->least[i] = ns < was ? ns : was;
		ns = ns < was ? was : ns;
	}
}

/* Without a disturbance, all runs of the same work take the same time. */
static bool is_steady(const struct kc_times *t)
{
	return t->least[KC_TIMES_AGREEING - 1] - t->least[0] <= t->least[0] / 8;
}

/* As in a program, which sets a key once; but a MAC sets it for each message. */
static bool once_by_software(struct kc_timer *t)
{
	struct kc_key key = t->answers.key;

	if (t->has_key && !kc_alg_is_hash(t->base->alg))
		key.bytes = NULL;
	t->has_key = t->base->whole(t->base, t->base_ctx, &key, &t->req) > 0;
	return t->has_key;
}

static bool once(struct kc_timer *t, enum kc_side side)
{
	if (side == KC_BY_KERNEL)
		return kc_session_run(&t->session, t->candidate, &t->req) == 0;
	return once_by_software(t);
}

void kc_timer_slice(struct kc_timer *t, enum kc_side side, struct kc_times *times)
{
	struct kc_meter from = { 0 };
	uint64_t start, was, now;

	if (t->slice_ns)
		from = kc_meter_read();
	start = now = kc_terms_clock(&t->candidate->terms);
	do {
		was = now;
		if (!once(t, side))
			t->why = KC_REQUEST_FAILED;
		now = kc_terms_clock(&t->candidate->terms);
		note(times, now - was);
		times->requests++;
	} while (t->why == KC_OK && now - start < t->slice_ns);
	if (t->slice_ns)
		times->machine_ns += (double)kc_meter_since(&from).machine_ns;
}

/* Leaves its buffers for the timed requests. */
void kc_timer_prepare(struct kc_timer *t, enum kc_dir dir, size_t len)
{
	struct kc_answers *a = &t->answers;

	t->has_key = false;
	t->req = kc_answers_req(a, dir, len);
	t->req.out += t->within;
	t->req.aad_len = t->base->alg->kind == KC_AEAD ? KC_RECORD_AAD : 0;
	t->why = kc_answers_same(a, t->req, t->req.out);
	if (dir == KC_DECRYPT && t->base->alg->kind == KC_AEAD)
		t->req.in = a->want;
}

bool kc_timer_is_up(const struct kc_timer *t)
{
	return t->is_slow && kc_now_ns() >= t->until_ns;
}

/* Several requests, because on a busy machine one may take long that waits for the others' turn. */
static bool is_slow(const struct kc_timer *t, const struct kc_times *kernel)
{
	return kernel->requests >= KC_TIMES_AGREEING && kernel->least[0] > t->slice_ns;
}

/* Each round begins with the other side, so that neither always follows the other. */
void kc_times_take(struct kc_timer *t, enum kc_dir dir, size_t len, struct kc_times times[KC_SIDES])
{
	times[KC_BY_SOFTWARE] = times[KC_BY_KERNEL] = (struct kc_times)KC_TIMES_NONE;
	kc_timer_prepare(t, dir, len);
	for (int i = 0; t->why == KC_OK && i < 2 * MAX_ROUNDS; i++) {
		enum kc_side side = (i + i / 2) % 2 ? KC_BY_KERNEL : KC_BY_SOFTWARE;

		if (i >= 2 * KC_TIMES_AGREEING && is_steady(&times[KC_BY_SOFTWARE]) &&
		    is_steady(&times[KC_BY_KERNEL]))
			break;
		if (i >= 2 && kc_timer_is_up(t))
			break;
		kc_timer_slice(t, side, &times[side]);
		t->is_slow |= is_slow(t, &times[KC_BY_KERNEL]);
	}
}

uint64_t kc_times_glance(struct kc_timer *t, enum kc_dir dir, size_t len, enum kc_side side)
{
	struct kc_times times = KC_TIMES_NONE;
	uint64_t slice_ns = t->slice_ns;

	kc_timer_prepare(t, dir, len);
	t->slice_ns = 0;
	for (int i = 0; t->why == KC_OK && i < MAX_ROUNDS; i++) {
		if (i >= 2 * KC_TIMES_AGREEING && is_steady(&times))
			break;
		kc_timer_slice(t, side, &times);
	}
	t->slice_ns = slice_ns;
	return times.least[0];
}
