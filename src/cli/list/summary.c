/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the algorithms by their state, and puts the best state into words. Claims a gain only
 * where it was measured, and hardware only where the driver is known to be.
 */
#include "cli/list/offers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct group {
	unsigned n, hardware, software;
	size_t from; /* bytes */
};

struct counts {
	struct group used[KC_SOURCE_MEASURED + 1]; /* by source */
	struct group slower;
	unsigned unused, unlisted, never, in_filter;
};

enum kc_source kc_source_of(const struct kc_candidate *c)
{
	if (c->terms.is_fixed)
		return KC_SOURCE_CONFIGURED;
	if (c->terms.is_tuned)
		return KC_SOURCE_TUNED;
	return atomic_load(&c->trust) == KC_TRUSTED ? KC_SOURCE_MEASURED : KC_SOURCE_NONE;
}

size_t kc_least_request(const struct kc_candidate *c)
{
	size_t decrypt = atomic_load(&c->terms.threshold[KC_DECRYPT]);
	size_t encrypt = atomic_load(&c->terms.threshold[KC_ENCRYPT]);

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

/* A driver that was not tried may be anything. */
static enum kc_source known_by(const struct kc_candidate *c)
{
	return atomic_load(&c->trust) == KC_UNTRIED ? KC_SOURCE_NONE : kc_source_of(c);
}

static void count_all(struct counts *counts, const struct kc_policy *policy)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *now = kc_candidate_now(policy->row[i]);
		const struct kc_candidate *c = kc_unused(policy->row[i]);

		if (now)
			count(&counts->used[known_by(now)], now);
		else if (c && c->reason == KC_SLOWER)
			count(&counts->slower, c);
		else if (c && c->nature == KC_HARDWARE && kc_is_left_out(c))
			counts->unlisted++;
		else if (c && c->nature == KC_HARDWARE)
			counts->unused++;
		counts->never += c && c->reason == KC_NEVER;
		counts->in_filter += c && c->reason == KC_IN_FILTER;
	}
}

static const char *who(const struct group *group)
{
	if (group->hardware == group->n)
		return "an accelerator";
	return group->software == group->n ? "the kernel's software" : "the kernel";
}

/* Adds to the text. */
__attribute__((format(printf, 2, 3))) static void say(char *text, const char *format, ...)
{
	size_t n = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + n, KC_SUMMARY_SIZE - n, format, args);
	va_end(args);
}

static void say_used(char *text, const struct group *group, enum kc_source source)
{
	static const char *const as[] = {
		[KC_SOURCE_CONFIGURED] = "as configured (kcrypto bench measures the gain)",
		[KC_SOURCE_TUNED] = "as kcrypto tune measured",
		[KC_SOURCE_MEASURED] = "as measured just now",
	};
	const char *s = group->n == 1 ? "" : "s";

	if (source == KC_SOURCE_NONE)
		say(text, "%u algorithm%s would go to drivers that were not tried; ", group->n, s);
	else
		say(text, "%s does %u algorithm%s, in requests from %zu bytes on, %s; ", who(group),
		    group->n, s, group->from, as[source]);
}

static void say_unused(char *text, const struct counts *counts, bool is_hidden)
{
	const char *s = counts->unused == 1 ? "" : "s";

	if (counts->never)
		say(text, "software does everything, because the configuration has policy = never");
	else if (counts->in_filter)
		say(text, "software does everything, because kcrypto runs under a seccomp filter "
			  "that may kill; if it does not, set seccomp = trust");
	else if (counts->unused && is_hidden)
		say(text,
		    "there is an accelerator for %u algorithm%s, but AF_ALG does not reach it on "
		    "this kernel; kcrypto's kernel module does",
		    counts->unused, s);
	else if (counts->slower.n)
		say(text, "software is faster than %s at every size, and does everything",
		    who(&counts->slower));
	else if (counts->unused)
		say(text,
		    "there is an accelerator for %u algorithm%s, but programs do not use it; "
		    "kcrypto doctor names the first thing to fix",
		    counts->unused, s);
	else if (counts->unlisted)
		say(text, "software does everything: the accelerator has only algorithms that must "
			  "be named in the configuration");
	else
		say(text, "software does everything: the kernel lists no accelerator's driver");
}

void kc_summarize(char *text, const struct kc_policy *policy, bool is_hidden)
{
	struct counts counts = { .never = 0 };

	text[0] = '\0';
	count_all(&counts, policy);
	for (int source = KC_SOURCE_MEASURED; source >= KC_SOURCE_NONE; source--)
		if (counts.used[source].n)
			say_used(text, &counts.used[source], (enum kc_source)source);
	if (text[0])
		say(text, "software does the rest");
	else
		say_unused(text, &counts, is_hidden);
}
