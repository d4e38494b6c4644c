/* SPDX-License-Identifier: Apache-2.0 */
/* The output of kcrypto tune: the facts as a table or as JSON, and the gain. */
#include "cli/tune/tune.h"

#include <limits.h>
#include <stdio.h>

#include "cli/screen.h"
#include "cli/table.h"

#define PLACES (KC_PREFER_COUNT * 2)

/* By clock and direction, encryption first. */
static const char *const lengths[PLACES] = { "threshold", "threshold_decrypt", "threshold_cpu",
					     "threshold_cpu_decrypt" };

/* In JSON an unsettled length is absent, and one that never pays is null; people see words. */
static void add_length(struct json_object *o, const char *key, uint32_t n, bool in_words)
{
	if (n < KC_TUNED_UNSETTLED)
		json_object_object_add(o, key, json_object_new_int64(n));
	else if (in_words)
		json_object_object_add(o, key,
				       json_object_new_string(n == KC_TUNED_NEVER ? "never" : "?"));
	else if (n == KC_TUNED_NEVER)
		json_object_object_add(o, key, NULL);
}

/* The same for each clock: the length above which the driver leaves the work to software. */
static void add_longest(struct json_object *o, const struct kc_fact *fact, bool in_words)
{
	if (fact->reason != KC_OK)
		return;
	add_length(o, "longest", fact->longest, false);
	for (int i = 0; i < PLACES && in_words; i++)
		kc_json_range(o, lengths[i], "longest");
}

static void add_gain(struct json_object *o, const struct kc_fact *fact)
{
	if (fact->speed)
		kc_json(o, "speed_percent=%u", fact->speed);
	if (fact->cpu)
		kc_json(o, "cpu_percent=%u", fact->cpu);
}

static struct json_object *fact_objects(const struct kc_tuned *tuned,
					const struct kc_evidence *evidence, bool in_words)
{
	struct json_object *rows = json_object_new_array(), *o;
	const struct kc_fact *fact = kc_tuned_facts(tuned);

	for (size_t at = 0; at < tuned->n_facts; at++, fact++) {
		o = kc_json(kc_json_row(rows),
			    "algorithm=%s backend=%s driver=%s reason=%s session_bytes=%u",
			    kc_row_name(&kc_algs[fact->row], in_words && fact->is_blocks),
			    kc_backends[fact->backend]->names[0], fact->driver,
			    kc_reasons[fact->reason].word, fact->session_bytes);
		if (!in_words && kc_algs[fact->row].state_len)
			kc_json(o, "in_blocks=%hhd", (bool)fact->is_blocks);
		kc_json(o, "done_by=%s evidence=%s", kc_doer_word(evidence[at].by),
			evidence[at].text);
		for (int i = 0; i < PLACES && (!in_words || fact->reason == KC_OK); i++)
			add_length(o, lengths[i], fact->threshold[i / 2][!(i % 2)], in_words);
		add_longest(o, fact, in_words);
		add_gain(o, fact);
	}
	return rows;
}

/* Explains a '?'. */
static void print_unsettled(const bool is_settled[KC_PREFER_COUNT], unsigned cpu_seconds)
{
	bool is_short = !is_settled[KC_PREFER_CPU] && cpu_seconds;
	char text[200];

	if (is_short) {
		snprintf(
			text, sizeof(text),
			"? for LESS CPU: the time was too short for the clock of the machine's CPU "
			"time. Run this again with --seconds %u.",
			cpu_seconds);
		kc_wrap(stdout, 0, 0, text);
	}
	if (!is_settled[KC_PREFER_THROUGHPUT] || (!is_settled[KC_PREFER_CPU] && !is_short))
		puts("?: no two measurements agree. Programs measure for themselves. Run this again\n"
		     "on an idle machine, or with more --seconds.");
}

/* Explains what the table can't show. */
static void print_reasons(const struct kc_tuned *tuned, unsigned cpu_seconds)
{
	bool is_settled[KC_PREFER_COUNT] = { true, true }, is_examined = true;
	const struct kc_fact *fact = kc_tuned_facts(tuned);

	for (size_t n = tuned->n_facts; n; n--, fact++) {
		is_examined &= !fact->left_out;
		if (fact->reason == KC_OK)
			for (int i = 0; i < KC_PREFER_COUNT; i++)
				is_settled[i] &= kc_fact_is_settled(fact, (enum kc_prefer)i);
		else
			printf("%s by %s: %s\n", kc_row_name(&kc_algs[fact->row], fact->is_blocks),
			       fact->driver, kc_reasons[fact->reason].text);
	}
	if (!is_examined)
		kc_wrap(stdout, 0, 0,
			"The time was up before every driver was examined to the end. Programs compare "
			"the first answers of the others themselves. Run this again with more "
			"--seconds.");
	print_unsettled(is_settled, cpu_seconds);
}

static void print_table(const struct kc_tuned *tuned, const struct kc_evidence *evidence,
			unsigned cpu_seconds)
{
	static const struct kc_column columns[] = {
		{ "ALGORITHM", "algorithm" },
		{ "BACKEND", "backend" },
		{ "DRIVER", "driver", .is_cut = true },
		{ "FASTER FROM", "threshold", .is_number = true },
		{ "DECRYPT", "threshold_decrypt", .is_number = true },
		{ "LESS CPU", "threshold_cpu", .is_number = true },
		{ "DECRYPT", "threshold_cpu_decrypt", .is_number = true },
		{ "DONE BY", "done_by" },
	};
	struct json_object *rows = fact_objects(tuned, evidence, true);

	kc_table_print(stdout, columns, sizeof(columns) / sizeof(columns[0]), rows);
	json_object_put(rows);
	puts("Lengths are those of requests, in bytes. From a length on, or from the first to\n"
	     "the second, the driver is faster than software or costs less CPU time.");
	print_reasons(tuned, cpu_seconds);
}

void kc_tune_print(const struct kc_tuned *tuned, const struct kc_evidence *evidence,
		   unsigned cpu_seconds, bool json)
{
	if (json)
		kc_json_finish(stdout,
			       kc_json(NULL, "kernel=%s facts=%p", tuned->machine.kernel,
				       fact_objects(tuned, evidence, false)),
			       true);
	else if (tuned->n_facts)
		print_table(tuned, evidence, cpu_seconds);
	else
		puts("there is no driver to tune: the kernel has none that the configuration "
		     "allows");
}

static bool gains(const struct kc_fact *fact)
{
	return fact->reason == KC_OK &&
	       (fact->threshold[KC_PREFER_THROUGHPUT][KC_ENCRYPT] < KC_TUNED_UNSETTLED ||
		fact->threshold[KC_PREFER_THROUGHPUT][KC_DECRYPT] < KC_TUNED_UNSETTLED);
}

/* Counts algorithms; each may have several backends. */
static unsigned count(const struct kc_tuned *tuned, bool (*is_one)(const struct kc_fact *fact))
{
	const struct kc_fact *facts = kc_tuned_facts(tuned);
	bool is_counted[KC_ALG_COUNT] = { false };
	unsigned n = 0;

	for (size_t i = 0; i < tuned->n_facts; i++) {
		bool *seen = &is_counted[facts[i].row];

		if (*seen || !is_one(&facts[i]))
			continue;
		*seen = true;
		n++;
	}
	return n;
}

static bool is_any(const struct kc_fact *fact)
{
	return fact->driver[0];
}

void kc_tune_conclude(const struct kc_tuned *tuned, const char *path)
{
	char text[PATH_MAX + 200];

	if (!tuned->n_facts)
		return;
	snprintf(text, sizeof(text),
		 "Of %u algorithms, %u are faster with a driver from some length on. %s%s",
		 count(tuned, is_any), count(tuned, gains), path ? path : "No file was written.",
		 path ? " was written; programs that start from now on use it." : "");
	kc_wrap(stdout, 0, 0, text);
}
