/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the best of a policy into one sentence. Calls only a driver that was tried an accelerator,
 * and only if it is known to be one.
 */
#include "cli/list/offers.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/text.h"

struct counts {
	unsigned used, seen, hardware, software, untried;
	size_t from;			    /* bytes */
	const struct kc_candidate *telling; /* tells why nothing goes to the kernel, or NULL */
};

const char *kc_source_of(const struct kc_candidate *c)
{
	if (c->terms.is_fixed)
		return "configured";
	if (c->terms.is_tuned)
		return "tuned";
	if (atomic_load(&c->trust) == KC_TRUSTED)
		return "measured";
	return NULL;
}

size_t kc_least_request(const struct kc_candidate *c)
{
	size_t decrypt = atomic_load(&c->terms.threshold[KC_DECRYPT]);
	size_t encrypt = atomic_load(&c->terms.threshold[KC_ENCRYPT]);

	if (!kc_source_of(c))
		return SIZE_MAX;
	if (decrypt < encrypt && !kc_alg_is_hash(c->alg))
		return decrypt;
	return encrypt;
}

bool kc_is_left_out(const struct kc_candidate *c)
{
	if (c->reason == KC_ONLY_BY_NAME || c->reason == KC_LEGACY_INACTIVE)
		return true;
	if (c->reason != KC_NOT_LISTED)
		return false;
	return c->alg->kind > KC_AEAD || c->alg->named_only;
}

const struct kc_candidate *kc_unused(struct kc_candidate *row)
{
	if (kc_candidate_now(row))
		return NULL;
	for (const struct kc_candidate *c = row; c; c = c->next)
		if (c->nature == KC_HARDWARE)
			return c;
	return row;
}

bool kc_is_seen(const struct kc_candidate *c)
{
	return c->nature == KC_HARDWARE && kc_is_at_work((enum kc_doer)c->seen);
}

static void count_row(struct counts *counts, const struct kc_candidate *c)
{
	size_t from = kc_least_request(c);

	if (atomic_load(&c->trust) == KC_UNTRIED) {
		counts->untried++;
		return;
	}
	counts->used++;
	counts->hardware += c->nature == KC_HARDWARE;
	counts->seen += kc_is_seen(c);
	counts->software += c->nature == KC_SOFTWARE;
	counts->from = kc_min(from, counts->from);
}

/*
 * Returns how well the candidate's reason tells why nothing goes to the kernel; 0: no accelerator.
 */
static int weight(const struct kc_candidate *c)
{
	if (!c)
		return 0;
	if (c->reason == KC_NEVER || c->reason == KC_IN_FILTER)
		return 3;
	if (c->nature != KC_HARDWARE)
		return 0;
	if (kc_is_left_out(c))
		return 1;
	return 2;
}

static void say_why(FILE *out, const struct kc_candidate *c)
{
	const struct kc_reason_text *why;

	fputs("software does everything", out);
	if (!c) {
		fputs(": the kernel lists no accelerator's driver", out);
		return;
	}
	why = &kc_reasons[c->reason];
	if (c->nature == KC_HARDWARE)
		fprintf(out, ", although an accelerator's driver has %s", kc_alg_name(c->alg));
	fprintf(out, ": %s", why->text);
	if (why->advice)
		fprintf(out, "; %s", why->advice);
}

static struct counts count_rows(const struct kc_policy *policy)
{
	struct counts counts = { .from = SIZE_MAX };

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *now = kc_candidate_now(policy->row[i]);
		const struct kc_candidate *c = kc_unused(policy->row[i]);

		if (now)
			count_row(&counts, now);
		if (weight(c) > weight(counts.telling))
			counts.telling = c;
	}
	return counts;
}

/* Returns subject and verb: what all that are used have in common. */
static const char *doer_of(const struct counts *counts)
{
	if (counts->seen == counts->used)
		return "an accelerator does";
	if (counts->hardware == counts->used)
		return "accelerators' drivers get";
	if (counts->software == counts->used)
		return "the kernel's software does";
	return "the kernel does";
}

char *kc_summary(const struct kc_policy *policy)
{
	struct counts counts = count_rows(policy);
	char *text = NULL;
	size_t size;
	FILE *out = kc_must(open_memstream(&text, &size));

	if (counts.used)
		fprintf(out, "%s %u algorithm%s, in requests from %zu bytes on; ", doer_of(&counts),
			counts.used, kc_plural(counts.used), counts.from);
	if (counts.untried)
		fprintf(out, "%u algorithm%s would go to drivers that were not tried; ",
			counts.untried, kc_plural(counts.untried));
	if (counts.used || counts.untried)
		fputs("software does the rest", out);
	else
		say_why(out, counts.telling);
	fclose(out);
	return kc_must(text);
}
