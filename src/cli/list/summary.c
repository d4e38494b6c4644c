/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the algorithms by their state, and puts the best state into words. Claims a gain only
 * where it was measured, and hardware only where the driver is known to be.
 */
#include "cli/list/summary.h"

#include <stdio.h>
#include <string.h>

struct group {
	unsigned n, hardware, software;
	size_t from; /* bytes */
};

struct counts {
	struct group used[KC_SOURCE_MEASURED + 1]; /* by source */
	struct group idle, slower;
	unsigned never, unknown, unlisted;
	unsigned tried; /* and failed, as each process finds out */
};

enum kc_source kc_source_of(const struct kc_candidate *c)
{
	if (c->threshold_fixed)
		return KC_SOURCE_CONFIGURED;
	if (c->is_tuned)
		return KC_SOURCE_TUNED;
	return atomic_load(&c->trust) == KC_TRUSTED ? KC_SOURCE_MEASURED : KC_SOURCE_NONE;
}

size_t kc_least_request(const struct kc_candidate *c)
{
	size_t decrypt = atomic_load(&c->threshold[KC_DECRYPT]);
	size_t encrypt = atomic_load(&c->threshold[KC_ENCRYPT]);

	if (kc_source_of(c) == KC_SOURCE_NONE)
		return SIZE_MAX;
	return decrypt < encrypt && !kc_alg_is_hash(c->alg) ? decrypt : encrypt;
}

static void count(struct group *group, const struct kc_candidate *c)
{
	size_t from = kc_least_request(c);

	if (!group->n++ || from < group->from)
		group->from = from;
	group->hardware += c->nature == KC_HARDWARE;
	group->software += c->nature == KC_SOFTWARE;
}

bool kc_is_left_out(const struct kc_candidate *c)
{
	return c->reason == KC_ONLY_BY_NAME || c->reason == KC_LEGACY_INACTIVE ||
	       (c->reason == KC_NOT_LISTED && (c->alg->kind > KC_AEAD || c->alg->named_only));
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

/* A reason can hide another, so the driver counts, too. */
static void count_unused(struct counts *counts, const struct kc_candidate *c)
{
	counts->never += c->reason == KC_NEVER;
	counts->tried += atomic_load(&c->trust) == KC_REFUSED;
	if (c->reason == KC_SLOWER)
		count(&counts->slower, c);
	else if (c->nature == KC_HARDWARE && kc_is_left_out(c))
		counts->unlisted++;
	else if (c->nature == KC_HARDWARE)
		count(&counts->idle, c);
	else if (c->nature == KC_UNKNOWN && c->driver[0])
		counts->unknown++;
}

/* How much may be said about it? A driver that was not tried may be anything. */
static enum kc_source known_by(const struct kc_candidate *c)
{
	return atomic_load(&c->trust) == KC_UNTRIED ? KC_SOURCE_NONE : kc_source_of(c);
}

static void count_all(struct counts *counts, const struct kc_policy *policy)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *now = kc_candidate_now(policy->row[i]);
		const struct kc_candidate *unused = kc_unused(policy->row[i]);

		if (now)
			count(&counts->used[known_by(now)], now);
		else if (unused)
			count_unused(counts, unused);
	}
}

static const char *who(const struct group *group)
{
	if (group->hardware == group->n)
		return "an accelerator";
	return group->software == group->n ? "the kernel's software" : "the kernel";
}

static const char *algorithms(const struct group *group)
{
	return group->n == 1 ? "algorithm" : "algorithms";
}

static void add_source(char *text, const struct group *group, enum kc_source source)
{
	static const struct {
		const char *does, *as;
	} words[] = {
		[KC_SOURCE_NONE] = { "is to do", "as nothing was tried, the gain is not known" },
		[KC_SOURCE_CONFIGURED] = { "does",
					   "as configured (kcrypto bench measures the gain)" },
		[KC_SOURCE_TUNED] = { "pays off with", "as kcrypto tune measured" },
		[KC_SOURCE_MEASURED] = { "pays off with", "as measured just now" },
	};
	size_t n = strlen(text);

	if (source == KC_SOURCE_NONE)
		snprintf(
			text + n, KC_SUMMARY_SIZE - n,
			"%u %s would go to drivers that were not tried, with a gain that is not known; ",
			group->n, algorithms(group));
	else
		snprintf(text + n, KC_SUMMARY_SIZE - n,
			 "%s %s %u %s, in requests from %zu bytes on, %s; ", who(group),
			 words[source].does, group->n, algorithms(group), group->from,
			 words[source].as);
}

static void say_idle(char *text, const struct group *idle, bool is_hidden)
{
	snprintf(text, KC_SUMMARY_SIZE, "there is an accelerator for %u %s, but %s", idle->n,
		 algorithms(idle),
		 is_hidden ? "AF_ALG does not reach it on this kernel; cryptodev-linux's "
			     "/dev/crypto does" :
			     "programs do not use it; kcrypto doctor names the first thing to fix");
}

static void say_slower(char *text, const struct group *slower, bool is_learned)
{
	snprintf(text, KC_SUMMARY_SIZE, "software is faster than %s at every size%s", who(slower),
		 is_learned ? ", and does everything once a process has found that out; kcrypto "
			      "tune finds it out for all" :
			      ", and does everything");
}

static void say_nothing(char *text, const struct counts *counts, bool is_hidden)
{
	const char *but = is_hidden ? ", and AF_ALG would not reach one on this kernel" : "";
	char unknown[48] = "";

	if (counts->unknown)
		snprintf(unknown, sizeof(unknown), ", but %u that may be one's", counts->unknown);
	snprintf(
		text, KC_SUMMARY_SIZE,
		"this machine gets nothing from kcrypto%s: the kernel lists no driver that is known "
		"to be an accelerator's%s%s",
		counts->tried ? "" : ", and no request takes longer for it", unknown, but);
}

static void say_unused(char *text, const struct counts *counts, bool is_hidden)
{
	if (counts->never)
		strcpy(text, "software does everything, as the configuration says policy = never");
	else if (counts->idle.n && is_hidden)
		say_idle(text, &counts->idle, true);
	else if (counts->slower.n)
		say_slower(text, &counts->slower, counts->tried);
	else if (counts->idle.n)
		say_idle(text, &counts->idle, false);
	else if (counts->unlisted)
		strcpy(text, "software does everything: the accelerator has only algorithms that "
			     "are used if the configuration names them");
	else
		say_nothing(text, counts, is_hidden);
}

void kc_summarize(char *text, const struct kc_policy *policy, bool is_hidden)
{
	struct counts counts = { .never = 0 };

	text[0] = '\0';
	count_all(&counts, policy);
	for (int source = KC_SOURCE_MEASURED; source >= KC_SOURCE_NONE; source--)
		if (counts.used[source].n)
			add_source(text, &counts.used[source], (enum kc_source)source);
	if (text[0])
		strcat(text, "software does the rest");
	else
		say_unused(text, &counts, is_hidden);
}
