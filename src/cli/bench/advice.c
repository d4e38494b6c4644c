/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU time of the whole machine decides: it limits what a machine can do under load. Throughput
 * is that of one connection, which waits for each record.
 */
#include "cli/bench/bench.h"

#include <math.h>

#include "cli/table.h"

#define GAIN 0.95 /* of a simpler way's time: a smaller gain may be noise */

enum { SOFTWARE, KCRYPTO, KTLS, BOTH, WAYS };

static const struct {
	const char *text, *command;
} words[WAYS] = {
	[SOFTWARE] = { "software is best here", "" },
	[KCRYPTO] = { "kcrypto is best here", "kcrypto config enable" },
	[KTLS] = { "kTLS is best here", "kcrypto config enable --ktls" },
	[BOTH] = { "kTLS with kcrypto is best here", "kcrypto config enable --ktls" },
};

double kc_bench_number(const struct json_object *row, const char *key)
{
	return json_object_get_double(json_object_object_get(row, key));
}

static double cpu(const struct json_object *row)
{
	return kc_bench_number(row, "machine_s_per_gb");
}

static double speed(const struct json_object *row)
{
	return kc_bench_number(row, "mb_per_s");
}

static bool is_measured(const struct json_object *row)
{
	return cpu(row) > 0 && speed(row) > 0;
}

/* Finds the way that takes the least CPU time. NULL, or the reason why that can't be told. */
static const char *find_best(struct json_object *const row[WAYS], int *best)
{
	*best = SOFTWARE;
	if (!is_measured(row[SOFTWARE]))
		return "too short a run to tell";
	if (!is_measured(row[KCRYPTO]) && !is_measured(row[KTLS]))
		return "there is only software to measure";
	for (int i = 0; i < WAYS; i++) {
		if (!is_measured(row[i]))
			continue;
		if (kc_bench_number(row[i], "spread") > KC_BENCH_NOISY)
			return "the results vary too much to tell";
		/* If kTLS does all records, 'both' is the same way. */
		if (cpu(row[i]) < cpu(row[*best]) * (i == BOTH ? GAIN : 1))
			*best = i;
	}
	if (cpu(row[*best]) > GAIN * cpu(row[SOFTWARE]))
		*best = SOFTWARE;
	return NULL;
}

void kc_bench_advise(struct json_object *advice, struct json_object *rows)
{
	size_t first = json_object_array_length(rows) - WAYS;
	const char *why, *line = NULL, *text = NULL, *command = NULL;
	double of_cpu = NAN, of_speed = NAN;
	struct json_object *row[WAYS];
	int best;

	for (size_t i = 0; i < WAYS; i++)
		row[i] = json_object_array_get_idx(rows, first + i);
	why = find_best(row, &best);
	if (!why) {
		line = kc_json_get(row[best], "line");
		text = words[best].text;
		command = words[best].command;
		of_cpu = cpu(row[best]) / cpu(row[SOFTWARE]);
		of_speed = speed(row[best]) / speed(row[SOFTWARE]);
	}
	kc_json(kc_json_row(advice),
		"algorithm=%s size=%zu best=%s cpu=%g speed=%g text=%s command=%s",
		kc_json_get(row[0], "algorithm"), (size_t)kc_bench_number(row[0], "size"), line,
		of_cpu, of_speed, why ? why : text, command);
}

/* True if the middle half of the pairs lies below 1. */
static bool is_less(const struct kc_quartiles *r)
{
	return r->median <= GAIN && r->high < 1;
}

static bool is_more(const struct kc_quartiles *r)
{
	return r->median >= 1 / GAIN && r->low > 1;
}

static bool is_alike(const struct kc_quartiles *r)
{
	return r->median > GAIN && r->median < 1 / GAIN;
}

const char *kc_bench_judge(const struct kc_pairing *p)
{
	if (!p->is_seen)
		return "nothing went to the kernel: the command does not use this system's "
		       "libcrypto, uses none of the ciphers that this machine accelerates, or does "
		       "not take its configuration from OPENSSL_CONF";
	if (!p->by_kernel)
		return "nothing went to the kernel: every request was shorter than the length from "
		       "which the kernel pays, or there were too few to find that length";
	if (p->n < KC_LEAST_PAIRS)
		return "requests went to the kernel; these are too few runs to tell whether it is "
		       "faster: use --runs 5 or more";
	if (is_less(&p->wall))
		return "it is faster with kcrypto";
	if (is_more(&p->wall) && is_less(&p->machine))
		return "it is slower with kcrypto, but takes less of the machine's CPU time";
	if (is_more(&p->wall))
		return "it is slower with kcrypto: 'kcrypto tune' measures from which length on "
		       "the kernel pays here";
	if (!is_alike(&p->wall))
		return "requests went to the kernel; the runs differ too much to tell whether it "
		       "is faster: use more --runs on an idle machine";
	if (is_less(&p->machine))
		return "it is no faster with kcrypto, but takes less of the machine's CPU time";
	return "requests went to the kernel, but it is neither faster nor slower with kcrypto";
}
