/* SPDX-License-Identifier: Apache-2.0 */
/* What the contenders' processes do for a task, what their turns tell, and whether it counts. */
#include <stdlib.h>

#include "cli/bench/bench.h"
#include "cli/bench/work.h"
#include "cli/run/command.h"
#include "cli/tls/tls.h"

#define ALL	   0.99 /* except the bytes that passed before a session was open */
#define LEARNING   25	/* slices: a second */
#define RECORD_END 160	/* bytes of a CBC record, on average of sealing and opening */

/* A process's own. */
struct unit {
	int (*once)(struct unit *u);
	struct kc_message message;
	struct kc_work work;
	struct kc_tls *tls;
	unsigned char *in, *out;
};

static int pass_record(struct unit *u)
{
	return kc_tls_pass(u->tls, u->in, u->out, u->message.len);
}

static int update(struct unit *u)
{
	return kc_work_update(&u->work);
}

static int do_message(struct unit *u)
{
	return kc_work_message(&u->work);
}

static int once(void *state)
{
	struct unit *u = state;

	return u->once(u);
}

/* A contender's work, and what came of it. */
struct run {
	const struct kc_contender *contender;
	const struct kc_task *task;
	const struct kc_load *load;
	struct kc_crew *crew;
	double *rates; /* bytes per ns, by round */
	uint64_t bytes, by_kernel, process_ns;
	int64_t machine_ns;
	bool failed;
};

/* It opens what it has sealed itself. */
static bool set_up(struct unit *u, const struct kc_contender *c, const struct kc_task *t)
{
	bool opens = t->alg->kind == KC_AEAD && t->dir == KC_DECRYPT;
	const char *why;

	u->in = calloc(1, t->size);
	u->out = calloc(1, KC_WORK_OUT(t->size));
	if (!u->in || !u->out)
		return false;
	u->message = kc_message_of(t->alg, t->dir, t->size, u->in);
	if (t->is_record) {
		u->once = pass_record;
		u->tls = kc_tls_open(c->lib, t->alg, c->is_ktls, &why);
		return u->tls;
	}
	/* With ciphertext stealing, each message is one update. */
	u->once = t->alg->kind == KC_CIPHER && !t->alg->steals ? update : do_message;
	if (opens && !kc_message_seal(&u->message, u->in, c->lib, c->properties))
		return false;
	return kc_work_begin(&u->work, &u->message, c->lib, c->properties, u->out) > 0;
}

/* Ends with its process. */
static void *begin(const void *arg)
{
	const struct run *r = arg;
	struct unit *u = calloc(1, sizeof(*u));

	return u && set_up(u, r->contender, r->task) ? u : NULL;
}

static bool is_in(const struct kc_contender *c)
{
	return c->lib && !c->why;
}

/*
 * In the first turn, drivers are tried, modules are loaded, and emulated code is translated. One as
 * configured also learns from which length the kernel pays.
 */
static unsigned first_ms(const struct run *r)
{
	unsigned slices = r->load->rounds < LEARNING ? r->load->rounds : LEARNING;

	return r->contender->properties ? r->load->slice_ms : slices * r->load->slice_ms;
}

static bool take_turn(void *arg, size_t who, unsigned round)
{
	struct run *r = (struct run *)arg + who;
	uint64_t before = kc_counters_of(r->task->alg).bytes, bytes;
	struct kc_turn turn;

	r->failed = r->failed || !is_in(r->contender) ||
		    !kc_crew_turn(r->crew, round ? r->load->slice_ms : first_ms(r), &turn);
	if (r->failed || !round)
		return true;
	bytes = turn.calls * r->task->size;
	r->rates[round - 1] = (double)bytes / (double)(turn.took.wall_ns + 1);
	r->bytes += bytes;
	r->by_kernel += kc_counters_of(r->task->alg).bytes - before;
	r->machine_ns += turn.took.machine_ns;
	r->process_ns += turn.took.process_ns;
	return true;
}

/*
 * Of the bytes. Each record goes through the module twice; with CBC, there is a little more of it
 * than text.
 */
static double kernel_share(const struct run *r)
{
	double share = (double)r->by_kernel / (double)r->bytes / (r->task->is_record ? 2 : 1);

	if (r->contender->is_ktls)
		return 1;
	return r->task->is_record && share > 1 ? 1 : share;
}

/*
 * Did the kernel do all the work that it can be given? With ciphertext stealing, software does the
 * end of each message, and of a CBC record the padding when it is opened.
 */
static bool is_kernels(const struct kc_task *t, double share)
{
	size_t rest = t->is_record && t->alg->kind == KC_CIPHER ? RECORD_END :
		      t->alg->steals				? 2 * t->alg->block_len :
								  0;

	return rest < t->size && share > ALL * (double)(t->size - rest) / (double)t->size;
}

/* Software's speed in a line of the kernel's would be a lie. */
static struct kc_result result_of(const struct run *r)
{
	const struct kc_contender *c = r->contender;
	double gb = (double)r->bytes / 1e9;
	struct kc_result result = { .why = c->why };
	struct kc_quartiles q;

	if (is_in(c) && (r->failed || !r->bytes))
		result.why = "a request failed, or was not answered in time";
	if (!is_in(c) || result.why)
		return result;
	q = kc_quartiles(r->rates, r->load->rounds);
	result = (struct kc_result){
		.is_known = true,
		.mb_per_s = q.median * 1e3,
		.spread = (q.high - q.low) / q.median,
		.machine_s_per_gb = (double)r->machine_ns / 1e9 / gb,
		.process_s_per_gb = (double)r->process_ns / 1e9 / gb,
		.kernel_share = kernel_share(r),
		.requests = r->bytes / r->task->size,
	};
	if (c->kind && !is_kernels(r->task, result.kernel_share))
		return (struct kc_result){ .requests = result.requests,
					   .why = "not all of the work went to the kernel" };
	return result;
}

bool kc_compare(const struct kc_field *field, const struct kc_task *task,
		const struct kc_load *load, struct kc_result *results)
{
	static struct kc_crew crews[KC_MAX_CONTENDERS];
	struct run runs[KC_MAX_CONTENDERS];
	double *rates = calloc(field->n * load->rounds, sizeof(*rates));

	for (size_t i = 0; rates && i < field->n; i++) {
		const struct kc_job job = { begin, once, &runs[i] };

		runs[i] = (struct run){ &field->contender[i], task, load, &crews[i],
					.rates = rates + i * load->rounds };
		kc_crew_start(&crews[i], &job, is_in(&field->contender[i]) ? load->processes : 0);
	}
	if (rates)
		kc_turns(field->n, load->rounds + 1, take_turn, runs);
	for (size_t i = 0; rates && i < field->n; i++) {
		results[i] = result_of(&runs[i]);
		kc_crew_end(&crews[i]);
	}
	free(rates);
	return rates != NULL;
}
