/* SPDX-License-Identifier: Apache-2.0 */
/* Through OpenSSL and our module, like a program's requests. */
#include "cli/verdict/checks.h"

#include "cli/bench/field.h"
#include "cli/selftest/rounds.h"

#define MESSAGES 100
#define SEED	 1  /* kcrypto selftest has the same messages with this one */
#define ROUNDS	 5  /* at least */
#define SLICE_MS 50 /* at most: software's must not look like a driver that hangs */

const size_t kc_speed_size[KC_SPEED_SIZES] = { 1024, 4096, 16384, 32768 };

bool kc_ask_random(struct kc_exam *e)
{
	uint64_t from = (uint64_t)SEED << 32 | (uint64_t)(e->alg - kc_algs) << 24;
	struct kc_rounds r;

	if (e->subject->no_module)
		return kc_exam_find(e, KC_NOT_ASKED, "%s", e->subject->no_module);
	r = kc_rounds_run(e->candidate, MESSAGES, from);
	atomic_fetch_add(e->requests, (unsigned)r.requests);
	if (r.has_no_answer)
		return kc_exam_find(e, KC_HANGS, "message %u: no answer within %d seconds",
				    r.done + 1, KC_ROUNDS_SECONDS);
	/* An answer that the driver had no part in says nothing of it. */
	if (!r.requests)
		return kc_exam_find(e, KC_NOT_ASKED, "no message got to the driver by the module");
	if (r.wrong)
		return kc_exam_find(e, KC_IS_WRONG, "message %u of kcrypto selftest --seed %d",
				    r.done, SEED);
	return true;
}

/* Of each size and direction, with a warm-up, both sides in turns. */
static struct kc_load load_for(const struct kc_exam *e)
{
	size_t pairs_ms = (size_t)e->seconds * 1000 / e->subject->n / KC_SPEED_SIZES / 2 / 2;
	unsigned rounds = (unsigned)(pairs_ms / SLICE_MS), slice_ms = SLICE_MS;

	if (rounds < ROUNDS) {
		rounds = ROUNDS;
		slice_ms = (unsigned)(pairs_ms / (ROUNDS + 1)) + 1;
	}
	return (struct kc_load){
		.processes = 1, .threads = 1, .rounds = rounds, .slice_ms = slice_ms
	};
}

/* Returns false if not all went to the driver. */
static bool measure(struct kc_exam *e, const struct kc_field *field, enum kc_dir dir, size_t i)
{
	const struct kc_load load = load_for(e);
	const struct kc_task task = { e->alg, dir, kc_speed_size[i] };
	struct kc_result result[2];

	if (!kc_compare(field->contender, field->n, &task, &load, result) || !result[0].is_known ||
	    !kc_result_is_kernels(&result[1], &task))
		return false;
	e->speed->software[dir][i] = result[0].mb_per_s;
	e->speed->driver[dir][i] = result[1].mb_per_s;
	atomic_fetch_add(e->requests, (unsigned)result[1].requests);
	return true;
}

bool kc_ask_speed(struct kc_exam *e)
{
	struct kc_field field = { .trusts_seccomp = true };
	bool ok;

	if (e->subject->no_module)
		return kc_exam_find(e, KC_NOT_ASKED, "%s", e->subject->no_module);
	ok = kc_field_add_software(&field) &&
	     kc_field_add_backend(&field, e->alg, e->candidate->backend->name,
				  e->candidate->driver);
	for (int dir = kc_answers_first_dir(e->alg); ok && dir <= KC_ENCRYPT; dir++)
		for (size_t i = 0; ok && i < KC_SPEED_SIZES; i++)
			ok = measure(e, &field, (enum kc_dir)dir, i);
	kc_field_clear(&field);
	return ok ||
	       kc_exam_find(e, KC_NOT_ASKED, "not all requests got to the driver by the module");
}
