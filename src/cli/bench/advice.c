/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU time of the whole machine decides: it limits what a machine can do under load, whereas
 * throughput is that of one connection, which waits for each record.
 */
#include "cli/bench/bench.h"

#define GAIN 0.95 /* of software's time: a smaller gain may be noise */

static bool is_measured(const struct kc_result *r)
{
	return r->is_known && r->machine_s_per_gb > 0 && r->mb_per_s > 0;
}

static const struct {
	const char *text, *command;
} words[KC_WAYS] = {
	[KC_BY_SOFTWARE] = { "software is best here", "" },
	[KC_BY_KCRYPTO] = { "kcrypto is best here", "kcrypto config enable" },
	[KC_BY_KTLS] = { "kTLS is best here", "kcrypto config enable --ktls" },
};

static struct kc_advice none(const char *why)
{
	return (struct kc_advice){ -1, 0, 0, why, "" };
}

struct kc_advice kc_bench_advise(const struct kc_result r[KC_WAYS])
{
	const struct kc_result *software = &r[KC_BY_SOFTWARE];
	int best = KC_BY_SOFTWARE;

	if (!is_measured(software))
		return none("too short a run to tell");
	if (!is_measured(&r[KC_BY_KCRYPTO]) && !is_measured(&r[KC_BY_KTLS]))
		return none("there is only software to measure");
	for (int i = 0; i < KC_WAYS; i++) {
		if (!is_measured(&r[i]))
			continue;
		if (r[i].spread > KC_BENCH_NOISY)
			return none("the results vary too much to tell");
		if (r[i].machine_s_per_gb < r[best].machine_s_per_gb)
			best = i;
	}
	if (r[best].machine_s_per_gb > GAIN * software->machine_s_per_gb)
		best = KC_BY_SOFTWARE;
	return (struct kc_advice){ best, r[best].machine_s_per_gb / software->machine_s_per_gb,
				   r[best].mb_per_s / software->mb_per_s, words[best].text,
				   words[best].command };
}

/* The middle half of the pairs lies on one side of 1. */
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
	if (is_more(&p->wall))
		return is_less(&p->machine) ?
			       "it is slower with kcrypto, but takes less of the machine's CPU time" :
			       "it is slower with kcrypto: 'kcrypto tune' measures from which length "
			       "on the kernel pays here";
	if (!is_alike(&p->wall))
		return "requests went to the kernel; the runs differ too much to tell whether it "
		       "is faster: use more --runs on an idle machine";
	if (is_less(&p->machine))
		return "it is no faster with kcrypto, but takes less of the machine's CPU time";
	return "requests went to the kernel, but it is neither faster nor slower with kcrypto";
}
