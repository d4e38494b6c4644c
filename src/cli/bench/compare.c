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
	struct {
		size_t size;
		double ms;    /* of a request */
	} last, last_but_one; /* sizes with figures; 0: none */
	double *rates;	      /* bytes per ns, by round */
	unsigned n;	      /* rounds */
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

static void end_unit(void *state)
{
	struct unit *u = state;

	kc_tls_close(u->tls);
	kc_work_end(&u->work);
	free(u->in);
	free(u->out);
	free(u);
}

/* Where it can't work, its process ends, and its memory with that. */
static void *begin_unit(const void *arg, size_t size)
{
	struct unit *u = kc_must(calloc(1, sizeof(*u)));
	struct run r = *(const struct run *)arg;

	r.size = size;
	if (!set_up_unit(u, &r))
		return NULL;
	return u;
}

static bool is_in(const struct kc_contender *c)
{
	return c->lib && !c->why;
}

/*
 * Returns the milliseconds that a process will probably take for a request of @size bytes, as the
 * last two sizes show what a byte costs; fewer sizes show the least.
 */
static double request_ms(const struct run *r, size_t size)
{
	double bytes = (double)r->last.size - (double)r->last_but_one.size;
	double more = (double)size - (double)r->last.size;

	if (!r->last_but_one.size || bytes == 0)
		return r->last.ms;
	return r->last.ms + (r->last.ms - r->last_but_one.ms) * more / bytes;
}

/* One request takes longer than a turn. */
static bool is_slow(const struct run *r, size_t size)
{
	return request_ms(r, size) > r->bench->slice_ms;
}

/* A slow contender's next turn would end when the time is up, or later. */
static bool is_too_slow(const struct run *r)
{
	uint64_t turn_ns = (uint64_t)(request_ms(r, r->size) * 1e6);

	return is_slow(r, r->size) && kc_now_ns() + turn_ns > r->bench->end_ns;
}

/*
 * In the first turn, drivers are tried, modules are loaded, and emulated code is translated. A
 * contender as configured also learns from which length the kernel pays. A slow one has done all of
 * that at a shorter length, and only gets ready.
 */
static unsigned first_ms(const struct run *r)
{
	unsigned slices = (unsigned)kc_min(r->bench->rounds, LEARNING);

	if (r->contender->properties)
		slices = 1;
	if (is_slow(r, r->size))
		slices = 0;
	return slices * r->bench->slice_ms;
}

static bool take_turn(void *arg, size_t who, unsigned round)
{
	struct run *r = (struct run *)arg + who;
	uint64_t before = kc_counters_of(r->alg).bytes, bytes;
	unsigned ms = round ? r->bench->slice_ms : first_ms(r);
	struct kc_turn turn;

	if (!is_in(r->contender) || r->crew.has_failed)
		r->failed = true;
	if (round <= 1 && is_too_slow(r))
		r->is_late = true;
	if (!r->failed && !r->is_late)
		r->failed = !kc_crew_turn(&r->crew, r->size, ms, &turn);
	if (r->failed || r->is_late || !round)
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

static struct {
	const struct kc_bench *bench;
	size_t n;
	struct run run[KC_MAX_CONTENDERS];
	bool was_slow; /* a request took longer than a turn */
} field;

static void remember(struct run *r, double rate)
{
	r->last_but_one = r->last;
	r->last.size = r->size;
	r->last.ms = (double)r->size * r->bench->processes / rate / 1e6;
	field.was_slow |= r->last.ms > r->bench->slice_ms;
}

static void add_figures(struct json_object *rows, struct run *r)
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
		    "requests=%ju turns=%u",
		    kc_alg_name(r->alg), direction_of(r), c->label, c->driver, c->kind, r->size,
		    known * q.median * 1e3, spread, per_gb * (double)r->machine_ns,
		    per_gb * (double)r->process_ns, known * kernel_share(r),
		    r->failed ? 0 : r->bytes / r->size, r->failed ? 0 : r->n);
	if (r->n)
		remember(r, q.median);
	kc_json(o, "done_by=%s evidence=%s", kc_doer_word(c->evidence.by), c->evidence.text);
	if (c->by_ktls == 1)
		kc_json(o, "note=%s", "this OpenSSL opens records of TLS 1.3 without kTLS");
	if (why)
		kc_json(o, "why=%s", why);
}

static bool has_slow(size_t size)
{
	for (size_t i = 0; i < field.n; i++)
		if (is_slow(&field.run[i], size))
			return true;
	return false;
}

/*
 * Returns the end of this figure's share of the time. On a busy machine, the least number of rounds
 * takes twice as long as planned. Beside a slow contender there are as many rounds as the time
 * allows, and half of the share is left to longer requests.
 */
static uint64_t find_end(const struct kc_bench *bench, size_t size)
{
	uint64_t now = kc_now_ns(), share = 0;
	uint64_t least = (uint64_t)bench->slice_ms * 2 * KC_BENCH_ROUNDS * field.n * 1000000;

	if (bench->end_ns > now)
		share = (bench->end_ns - now) / bench->left;
	if (has_slow(size))
		return now + share / 2;
	if (share < least)
		share = least;
	return now + share;
}

/* Processes that fail are replaced, unless the driver may hang. */
static void start_crew(struct run *r)
{
	unsigned processes = 0;

	if (is_in(r->contender))
		processes = r->bench->processes;
	if (r->crew.n && (!r->crew.has_failed || kc_crew_is_silent(&r->crew)))
		return;
	kc_crew_end(&r->crew);
	kc_crew_start(&r->crew, &(struct kc_job){ begin_unit, do_unit, end_unit, r }, processes);
}

static void begin_size(struct run *r, size_t size, bool is_late, double *rates)
{
	r->size = size;
	r->is_late = is_late;
	r->failed = false;
	r->rates = rates;
	r->n = 0;
	r->bytes = r->by_kernel = r->process_ns = 0;
	r->machine_ns = 0;
	if (!is_late)
		start_crew(r);
}

void kc_compare_begin(const struct kc_bench *bench, const struct kc_field *of,
		      const struct kc_alg *alg)
{
	bool decrypts = bench->decrypts && !kc_alg_is_hash(alg);

	field.bench = bench;
	field.n = of->n;
	field.was_slow = false;
	for (size_t i = 0; i < of->n; i++)
		field.run[i] = (struct run){ .bench = bench,
					     .contender = &of->contender[i],
					     .alg = alg,
					     .dir = decrypts ? KC_DECRYPT : KC_ENCRYPT };
}

void kc_compare(size_t size, bool is_late, struct json_object *rows)
{
	const struct kc_bench *bench = field.bench;
	double *rates = kc_must(calloc(field.n * bench->rounds, sizeof(*rates)));
	unsigned rounds = is_late ? 0 : bench->rounds + 1;

	for (size_t i = 0; i < field.n; i++)
		begin_size(&field.run[i], size, is_late, rates + i * bench->rounds);
	kc_turns(field.n, rounds, find_end(bench, size), take_turn, field.run);
	for (size_t i = 0; i < field.n; i++)
		add_figures(rows, &field.run[i]);
	free(rates);
}

bool kc_compare_end(void)
{
	for (size_t i = 0; i < field.n; i++)
		kc_crew_end(&field.run[i].crew);
	field.n = 0;
	return field.was_slow;
}
