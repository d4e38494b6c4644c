/* SPDX-License-Identifier: Apache-2.0 */
/* The child that plays the messages, and the parent that waits until the deadline. */
#include "cli/selftest/rounds.h"

#include <limits.h>
#include <unistd.h>

#include <openssl/provider.h>

#include "cli/bench/field.h"
#include "cli/child.h"
#include "cli/run/counters.h"
#include "cli/selftest/message.h"

_Static_assert(sizeof(struct kc_rounds) <= PIPE_BUF, "it is written and read whole");

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

struct job {
	const struct kc_candidate *c;
	unsigned n;
	uint64_t seed;
};

/* Reports after each message, so that the parent sees that it goes on. */
static void work(void *arg, int fd)
{
	const struct job *job = arg;
	const struct kc_candidate *c = job->c;
	uint64_t before = kc_counters_requests(c->alg);
	struct kc_field field = { .trusts_seccomp = true };
	struct kc_rounds r = { .seed = job->seed };

	r.began = kc_field_add_software(&field) &&
		  kc_field_add_backend(&field, c->alg, c->backend->name, c->driver) &&
		  OSSL_PROVIDER_available(field.contender[1].lib, "kcrypto");
	while (r.began && r.done < job->n && !r.wrong) {
		r.seed = job->seed + r.done;
		r.wrong += !play(&field, c->alg, r.done == 0, r.seed);
		r.done++;
		r.requests = kc_counters_requests(c->alg) - before;
		if (write(fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
			return;
	}
}

/* Until the pipe's end, or the deadline of one message. */
struct kc_rounds kc_rounds_run(const struct kc_candidate *c, unsigned n, uint64_t seed)
{
	struct job job = { c, n, seed };
	struct kc_rounds r = { .began = false }, next;
	struct kc_child child;

	kc_child_start(&child, work, &job);
	while (child.pid > 0 && r.done < n && !r.wrong &&
	       kc_child_read(&child, &next, sizeof(next), KC_ROUNDS_SECONDS))
		r = next;
	r.has_no_answer = child.is_silent;
	kc_child_end(&child);
	return r;
}
