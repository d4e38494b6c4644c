/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contenders' processes at work on a task, the results of their turns, and whether these count.
 */
#include <math.h>
#include <stdlib.h>

#include "cli/bench/bench.h"
#include "cli/bench/work.h"
#include "cli/cli.h"
#include "cli/run/command.h"
#include "cli/table.h"
#include "cli/tls/tls.h"
#include "core/clock.h"

#define ALL	   0.99 /* all but the bytes that passed before a session was open */
#define LEARNING   25	/* slices: a second */
#define RECORD_END 160	/* bytes of a CBC record, on average of sealing and opening */

/* The state of a process. */
struct unit {
	struct kc_message message;
	struct kc_work work;
	struct kc_tls *tls;
	unsigned char *in, *out;
	bool is_endless; /* each call is an update of the same message */
};

static int do_unit(void *state)
{
	struct unit *u = state;

	if (u->tls)
		return kc_tls_pass(u->tls, u->in, u->out, u->message.len);
	if (u->is_endless)
		return kc_work_update(&u->work);
	return kc_work_message(&u->work);
}

/* A contender's work, and its result. */
struct run {
	const struct kc_bench *bench;
	const struct kc_contender *contender;
	const struct kc_alg *alg;
	enum kc_dir dir;
	size_t size; /* bytes per request */
	struct kc_crew crew;
	double *rates; /* bytes per ns, by round */
	unsigned n;    /* rounds */
	uint64_t bytes, by_kernel, process_ns;
	int64_t machine_ns;
	bool failed, is_late;
};

/* A unit that opens messages has sealed them itself. */
static bool set_up_unit(struct unit *u, const struct run *r)
{
	const struct kc_contender *c = r->contender;
	bool opens = r->alg->kind == KC_AEAD && r->dir == KC_DECRYPT;
	const char *why;

	u->in = kc_must(calloc(1, r->size));
	u->out = kc_must(calloc(1, KC_WORK_OUT(r->size)));
	u->message = kc_message_of(r->alg, r->dir, r->size, u->in);
	if (r->bench->is_tls) {
		u->tls = kc_tls_open(c->lib, r->alg, r->bench->is_13, c->is_ktls, &why);
		return u->tls;
	}
	/* With ciphertext stealing, each message is one update. */
	u->is_endless = r->alg->kind == KC_CIPHER && !r->alg->steals;
	if (opens && !kc_message_seal(&u->message, u->in, c->lib, c->properties))
		return false;
	return kc_work_begin(&u->work, &u->message, c->lib, c->properties, u->out) > 0;
}

/* Its memory goes with the process. */
static void *begin_unit(const void *arg)
{
	struct unit *u = kc_must(calloc(1, sizeof(*u)));

	if (!set_up_unit(u, arg))
		return NULL;
	return u;
}

static bool is_in(const struct kc_contender *c)
{
	return c->lib && !c->why;
}

/*
 * In the first turn, drivers are tried, modules are loaded, and emulated code is translated. A
 * contender as configured also learns from which length the kernel pays.
 */
static unsigned first_ms(const struct run *r)
{
	unsigned slices = (unsigned)kc_min(r->bench->rounds, LEARNING);

	if (r->contender->properties)
		slices = 1;
	return slices * r->bench->slice_ms;
}

static bool take_turn(void *arg, size_t who, unsigned round)
{
	struct run *r = (struct run *)arg + who;
	uint64_t before = kc_counters_of(r->alg).bytes, bytes;
	unsigned ms = round ? r->bench->slice_ms : first_ms(r);
	struct kc_turn turn;

	if (!is_in(r->contender))
		r->failed = true;
	if (!r->failed)
		r->failed = !kc_crew_turn(&r->crew, ms, &turn);
	if (r->failed || !round)
		return true;
	bytes = turn.calls * r->size;
	r->rates[r->n++] = (double)bytes / (double)(turn.took.wall_ns + 1);
	r->bytes += bytes;
	r->by_kernel += kc_counters_of(r->alg).bytes - before;
	r->machine_ns += turn.took.machine_ns;
	r->process_ns += turn.took.process_ns;
	return true;
}

/*
 * Returns the kernel's share of the bytes. Each record goes through the module twice; with CBC, a
 * record has a few more bytes than its text.
 */
static double kernel_share(const struct run *r)
{
	double share = (double)r->by_kernel / (double)r->bytes;

	if (r->bench->is_tls)
		share = (share + r->contender->by_ktls) / 2;
	if (r->bench->is_tls && share > 1)
		return 1;
	return share;
}

/*
 * True if the kernel did all the work that it can get. With ciphertext stealing, software does the
 * end of each message; of a CBC record it does the padding when it opens it.
 */
static bool is_kernels(const struct run *r)
{
	double all = (double)r->size;
	size_t rest = 0;

	if (r->bench->is_tls && r->alg->kind == KC_CIPHER)
		rest = RECORD_END;
	else if (r->alg->steals)
		rest = 2 * r->alg->block_len;
	if (rest >= r->size)
		return false;
	if (r->contender->is_half)
		return kernel_share(r) > ALL / 2;
	return kernel_share(r) > ALL * (all - (double)rest) / all;
}

/* Returns why there are no figures: software's speed in the kernel's line would be false. */
static const char *why_not(const struct run *r)
{
	const struct kc_contender *c = r->contender;

	if (!is_in(c))
		return c->why;
	if (r->is_late)
		return KC_BENCH_LATE;
	if (r->failed)
		return "a request failed, or was not answered in time";
	if (c->kind && !is_kernels(r))
		return "not all of the work went to the kernel";
	return NULL;
}

static const char *direction_of(const struct run *r)
{
	if (r->bench->is_tls)
		return "both";
	if (r->dir == KC_ENCRYPT)
		return "encrypt";
	return "decrypt";
}

static void add_figures(struct json_object *rows, const struct run *r)
{
	const char *why = why_not(r);
	struct kc_quartiles q = kc_quartiles(r->rates, r->n ? r->n : 1);
	const struct kc_contender *c = r->contender;
	double known = r->failed || why ? NAN : 1, per_gb = known / (double)r->bytes;
	double spread = r->n < KC_LEAST_PAIRS ? NAN : known * (q.high - q.low) / q.median;
	struct json_object *o;

	o = kc_json(kc_json_row(rows),
		    "algorithm=%s direction=%s line=%s driver=%s kind=%s size=%zu mb_per_s=%g "
		    "spread=%g machine_s_per_gb=%g process_s_per_gb=%g kernel_share=%g "
		    "requests=%ju",
		    kc_alg_name(r->alg), direction_of(r), c->label, c->driver, c->kind, r->size,
		    known * q.median * 1e3, spread, per_gb * (double)r->machine_ns,
		    per_gb * (double)r->process_ns, known * kernel_share(r),
		    r->failed ? 0 : r->bytes / r->size);
	kc_json(o, "done_by=%s evidence=%s", kc_doer_word(c->evidence.by), c->evidence.text);
	if (c->by_ktls == 1)
		kc_json(o, "note=%s", "this OpenSSL opens records of TLS 1.3 without kTLS");
	if (why)
		kc_json(o, "why=%s", why);
}

/*
 * Returns the end of this part's share of the time. One request of a slow driver may take longer
 * than a turn; on a busy machine, the least number of rounds takes twice as long as planned.
 */
static uint64_t end_of(const struct kc_bench *bench, size_t contenders)
{
	uint64_t share = (uint64_t)bench->seconds * 1000 / (bench->n_algs * bench->n_sizes);
	uint64_t least = (uint64_t)bench->slice_ms * 2 * KC_BENCH_ROUNDS * contenders;

	if (share < least)
		share = least;
	return kc_now_ns() + share * 1000000;
}

void kc_compare(const struct kc_bench *bench, const struct kc_field *field,
		const struct kc_alg *alg, size_t size, bool is_late, struct json_object *rows)
{
	bool decrypts = bench->decrypts && !kc_alg_is_hash(alg);
	double *rates = kc_must(calloc(field->n * bench->rounds, sizeof(*rates)));
	unsigned rounds = is_late ? 0 : bench->rounds + 1, most = is_late ? 0 : bench->processes;
	static struct run runs[KC_MAX_CONTENDERS];

	for (size_t i = 0; i < field->n; i++) {
		unsigned processes = 0;

		runs[i] = (struct run){ .bench = bench,
					.contender = &field->contender[i],
					.alg = alg,
					.dir = decrypts ? KC_DECRYPT : KC_ENCRYPT,
					.size = size,
					.is_late = is_late,
					.rates = rates + i * bench->rounds };
		if (is_in(runs[i].contender))
			processes = most;
		kc_crew_start(&runs[i].crew, &(struct kc_job){ begin_unit, do_unit, &runs[i] },
			      processes);
	}
	kc_turns(field->n, rounds, end_of(bench, field->n), take_turn, runs);
	for (size_t i = 0; i < field->n; i++) {
		add_figures(rows, &runs[i]);
		kc_crew_end(&runs[i].crew);
	}
	free(rates);
}
