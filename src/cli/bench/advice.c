/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU time of the whole machine decides: it limits what a machine can do under load, whereas
 * throughput is that of one connection, which waits for each record.
 */
#include "cli/bench/advice.h"

#define GAIN 0.95 /* of software's CPU time: a smaller gain may be noise */

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

struct kc_advice kc_bench_advise(const struct kc_result r[KC_WAYS])
{
	const struct kc_result *software = &r[KC_BY_SOFTWARE];
	int best = KC_BY_SOFTWARE;

	if (!is_measured(software))
		return (struct kc_advice){ -1, 0, 0, "too short a run to tell", "" };
	if (!is_measured(&r[KC_BY_KCRYPTO]) && !is_measured(&r[KC_BY_KTLS]))
		return (struct kc_advice){ -1, 0, 0, "there is only software to measure", "" };
	for (int i = KC_BY_KCRYPTO; i < KC_WAYS; i++)
		if (is_measured(&r[i]) && r[i].machine_s_per_gb < r[best].machine_s_per_gb)
			best = i;
	if (r[best].machine_s_per_gb > GAIN * software->machine_s_per_gb)
		best = KC_BY_SOFTWARE;
	for (int i = 0; i < KC_WAYS; i++)
		if (is_measured(&r[i]) && r[i].spread > KC_BENCH_NOISY)
			return (struct kc_advice){ -1, 0, 0, "the results vary too much to tell",
						   "" };
	return (struct kc_advice){ best, r[best].machine_s_per_gb / software->machine_s_per_gb,
				   r[best].mb_per_s / software->mb_per_s, words[best].text,
				   words[best].command };
}
