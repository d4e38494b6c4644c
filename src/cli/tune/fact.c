/* SPDX-License-Identifier: Apache-2.0 */
/* What kcrypto tune writes about a driver that it has measured. */
#include "cli/tune/tune.h"

static uint32_t as_fact(size_t bytes)
{
	if (bytes == KC_UNSETTLED)
		return KC_TUNED_UNSETTLED;
	if (bytes >= KC_TUNED_UNSETTLED)
		return KC_TUNED_NEVER;
	return (uint32_t)bytes;
}

/*
 * Some drivers do whole messages by their device and leave blocks to the kernel's software, which
 * the configuration does not admit.
 */
static bool is_softwares(const struct kc_probed *probed)
{
	const struct kc_candidate *c = &probed->candidate;

	if (!c->whole || c->admit == KC_ADMIT_ALL || c->driver_fixed)
		return false;
	return probed->evidence.by == KC_DONE_BY_SOFTWARE;
}

void kc_tune_fact(struct kc_fact *fact, const struct kc_probed *probed)
{
	const struct kc_candidate *c = &probed->candidate;
	bool is_left = is_softwares(probed);

	fact->reason = c->reason == KC_SLOWER ? KC_OK : c->reason;
	fact->done_by = probed->evidence.by;
	if (fact->reason != KC_OK)
		return;
	for (int k = 0; k < KC_PREFER_COUNT * 2; k++)
		fact->threshold[k / 2][k % 2] =
			as_fact(is_left ? KC_NEVER_PAYS : probed->found.threshold[k / 2][k % 2]);
	fact->longest = as_fact(probed->found.longest);
	fact->session_bytes = as_fact(atomic_load(&c->terms.session_bytes));
	fact->once_ns = atomic_load(&c->terms.once_ns);
	fact->kib_ns = atomic_load(&c->terms.kib_ns);
	fact->speed = probed->found.gain.speed;
	fact->cpu = probed->found.gain.cpu;
}
