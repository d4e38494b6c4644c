/* SPDX-License-Identifier: Apache-2.0 */
/* Through OpenSSL and our module, like a program's requests. */
#include "cli/selftest/checks.h"

#include <openssl/provider.h>

#include "cli/bench/field.h"
#include "cli/run/counters.h"
#include "cli/selftest/message.h"

#define ROUNDS	 5  /* at least */
#define SLICE_MS 50 /* at most: software's must not look like a driver that hangs */

const size_t kc_speed_size[KC_SPEED_SIZES] = { 1024, 4096, 16384, 32768 };

/* Software and the driver; false with the finding if one can't be had. */
static bool enter(struct kc_exam *e, struct kc_field *field)
{
	*field = (struct kc_field){ .trusts_seccomp = true };
	if (e->all->no_module)
		return kc_exam_find(e, KC_NOT_ASKED, "%s", e->all->no_module);
	if (kc_field_add_software(field) &&
	    kc_field_add_backend(field, e->alg, e->candidate->backend->name,
				 e->candidate->driver) &&
	    OSSL_PROVIDER_available(field->contender[1].lib, "kcrypto"))
		return true;
	return kc_exam_none(e, "kcrypto's module cannot be loaded, or does not offer it");
}

static bool play(const struct kc_field *field, const struct kc_alg *alg, bool is_plain,
		 uint64_t seed)
{
	const struct kc_contender *software = &field->contender[0], *driver = &field->contender[1];
	static struct kc_outcome want, got;
	static struct kc_message m;

	if (!kc_message_make(&m, alg, is_plain, &seed, software->lib))
		return false;
	kc_message_run(&m, software->lib, software->properties, &want);
	kc_message_run(&m, driver->lib, driver->properties, &got);
	return kc_outcome_is_same(&want, &got);
}

bool kc_ask_random(struct kc_exam *e)
{
	uint64_t from = (uint64_t)e->all->seed << 32 | (uint64_t)(e->alg - kc_algs) << 24;
	uint64_t before = kc_counters_requests(e->alg), requests = 0;
	struct kc_field field;
	bool is_right = true;
	unsigned n = 0;

	if (!enter(e, &field))
		return false;
	for (; is_right && n < e->all->rounds; n++) {
		is_right = play(&field, e->alg, n == 0, from + n);
		requests = kc_counters_requests(e->alg) - before;
	}
	atomic_fetch_add(e->requests, (unsigned)requests);
	/* An answer that the driver had no part in tells nothing about it. */
	if (!requests)
		return kc_exam_none(e, "no request reached the kernel");
	return is_right || kc_exam_find(e, KC_IS_WRONG, "message %u; again: --seed %u --rounds %u",
					n, e->all->seed, e->all->rounds * (unsigned)e->all->n);
}

/* Of each size and direction, with a warm-up, both sides in turns. */
static struct kc_load load_for(const struct kc_exam *e)
{
	size_t pairs_ms = (size_t)e->all->seconds * 500 / e->all->n / KC_SPEED_SIZES / 2 / 2;
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
	struct kc_field field;
	bool ok = true;

	if (!enter(e, &field))
		return false;
	for (int dir = kc_answers_first_dir(e->alg); ok && dir <= KC_ENCRYPT; dir++)
		for (size_t i = 0; ok && i < KC_SPEED_SIZES; i++)
			ok = measure(e, &field, (enum kc_dir)dir, i);
	return ok || kc_exam_find(e, KC_NOT_ASKED, "not all requests reached the driver");
}
