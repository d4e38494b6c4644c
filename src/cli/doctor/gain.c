/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an accelerator gains: kcrypto tune has measured it for all lengths; without its file, three
 * lengths are measured now.
 */
#include "cli/doctor/gain.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/evidence/evidence.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "policy/tune_file.h"

/* Bytes of the requests that are measured: each is four times as long as the one before. */
#define SIZES	 "4096,16384,65536"
#define SHORTEST 4096
#define LONGEST	 65536
#define SECONDS	 "5"
#define MAX_OUT	 262144 /* bytes of bench's JSON */

static void become_bench(void *algorithm, int fd)
{
	dup2(fd, STDOUT_FILENO);
	(void)!freopen("/dev/null", "w", stderr);
	execl("/proc/self/exe", "kcrypto", "bench", "--json", "--algorithms", (char *)algorithm,
	      "--sizes", SIZES, "--seconds", SECONDS, (char *)NULL);
}

/* Returns the rows that bench prints; the caller releases them. NULL: bench gave none. */
static struct json_object *bench_rows(const char *algorithm)
{
	static char text[MAX_OUT];
	struct json_object *report = NULL, *rows;
	struct kc_child child;
	size_t n = 0;

	if (kc_child_start(&child, become_bench, (void *)algorithm)) {
		n = kc_child_read_all(&child, text, sizeof(text) - 1, 60);
		kc_child_end(&child);
	}
	text[n] = '\0';
	if (n)
		report = json_tokener_parse(text);
	if (!report)
		return NULL;
	rows = json_object_get(json_object_object_get(report, "rows"));
	json_object_put(report);
	return rows;
}

static double figure_of(const struct json_object *row, const char *key)
{
	struct json_object *o = json_object_object_get(row, key);

	if (o)
		return json_object_get_double(o);
	return 0;
}

/* Returns the row of this contender and size; NULL: there is none. */
static struct json_object *find_row(const struct json_object *rows, const char *line, double size)
{
	for (size_t i = 0; rows && i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (strcmp(kc_json_get(row, "line"), line) == 0 && figure_of(row, "size") == size)
			return row;
	}
	return NULL;
}

/* Follows the sentence about a gain, which is true in either case. */
static const char *const doubts[] = { "", "; not seen whether the device did it" };

static void put_software(char *text, size_t size, const struct kc_candidate *hardware)
{
	snprintf(text, size, "none: %s leaves %s to the kernel's software", hardware->driver,
		 kc_alg_name(hardware->alg));
}

/* Returns the kernel's CPU time in per cent of software's. */
static double cpu_share(const struct json_object *soft, const struct json_object *kernel)
{
	double whole = figure_of(soft, "machine_s_per_gb");

	if (whole <= 0)
		return 100;
	return 100 * figure_of(kernel, "machine_s_per_gb") / whole;
}

static bool is_by_software(const struct json_object *row)
{
	return strcmp(kc_json_get(row, "done_by"), "software") == 0;
}

/* Were both measured? */
static bool is_measured(const struct json_object *soft, const struct json_object *kernel)
{
	return figure_of(soft, "mb_per_s") > 0 && figure_of(kernel, "mb_per_s") > 0;
}

/* Does the device take less time, or at least a tenth less of the CPU's? */
static bool is_less(const struct json_object *soft, const struct json_object *kernel,
		    enum kc_prefer prefer)
{
	if (!is_measured(soft, kernel) || is_by_software(kernel))
		return false;
	if (prefer == KC_PREFER_CPU)
		return cpu_share(soft, kernel) <= 90;
	return figure_of(kernel, "mb_per_s") > figure_of(soft, "mb_per_s");
}

/*
 * Writes the shortest measured request at which the kernel takes less, and what it gains there.
 * False: there is none.
 */
static bool put_least(char *text, size_t size, struct json_object *rows,
		      const struct kc_candidate *hardware, enum kc_prefer prefer)
{
	for (double bytes = SHORTEST; bytes <= LONGEST; bytes *= 4) {
		struct json_object *soft = find_row(rows, "software", bytes);
		struct json_object *kernel = find_row(rows, hardware->backend->names[0], bytes);

		if (!is_less(soft, kernel, prefer))
			continue;
		snprintf(text, size,
			 "%s in requests of %.0f KiB: %.1f times as fast, %.0f%% of "
			 "the CPU time%s%s",
			 kc_alg_name(hardware->alg), bytes / 1024,
			 figure_of(kernel, "mb_per_s") / figure_of(soft, "mb_per_s"),
			 cpu_share(soft, kernel),
			 prefer == KC_PREFER_CPU ? ", with prefer = cpu" : "",
			 doubts[strcmp(kc_json_get(kernel, "kind"), "hardware?") == 0]);
		return true;
	}
	return false;
}

/* Did the kernel's software do requests of some size? */
static bool is_any_by_software(const struct json_object *rows, const struct kc_candidate *hardware)
{
	for (double bytes = SHORTEST; bytes <= LONGEST; bytes *= 4)
		if (is_by_software(find_row(rows, hardware->backend->names[0], bytes)))
			return true;
	return false;
}

bool kc_gain_of_rows(char *text, size_t size, struct json_object *rows,
		     const struct kc_candidate *hardware)
{
	struct json_object *soft = find_row(rows, "software", LONGEST);
	struct json_object *kernel = find_row(rows, hardware->backend->names[0], LONGEST);
	const char *name = kc_alg_name(hardware->alg);

	if (put_least(text, size, rows, hardware, KC_PREFER_THROUGHPUT) ||
	    put_least(text, size, rows, hardware, KC_PREFER_CPU))
		return true;
	if (is_any_by_software(rows, hardware)) {
		put_software(text, size, hardware);
		return false;
	}
	if (is_measured(soft, kernel)) {
		snprintf(text, size, "none with %s: software is faster up to 64 KiB", name);
		return false;
	}
	snprintf(text, size, "unknown: %s could not be measured", name);
	return true;
}

/* Returns the threshold for encryption in bytes. */
static uint32_t threshold_of(const struct kc_fact *fact)
{
	return fact->threshold[KC_PREFER_THROUGHPUT][KC_ENCRYPT];
}

static bool is_by_device(const struct kc_fact *fact)
{
	return fact->reason == KC_OK && fact->done_by != KC_DONE_BY_SOFTWARE;
}

static bool is_gain(const struct kc_fact *fact)
{
	if (!is_by_device(fact) || fact->speed <= 100)
		return false;
	return threshold_of(fact) < KC_TUNED_UNSETTLED;
}

static bool is_of(const struct kc_fact *fact, const struct kc_alg *alg)
{
	return fact->row == (size_t)(alg - kc_algs);
}

/* Prefers a fact about @alg, and then the highest speed. */
static bool is_better(const struct kc_fact *fact, const struct kc_fact *best,
		      const struct kc_alg *alg)
{
	if (!best)
		return true;
	if (is_of(fact, alg) != is_of(best, alg))
		return is_of(fact, alg);
	return fact->speed > best->speed;
}

/*
 * Returns the fact that gains most: of @alg's; if none of these gains, of all ciphers'; NULL: none
 * gains.
 */
static const struct kc_fact *best_fact(const struct kc_tuned *tuned, const struct kc_alg *alg)
{
	const struct kc_fact *fact = kc_tuned_facts(tuned), *best = NULL;

	for (size_t n = tuned->n_facts; n; n--, fact++) {
		bool is_offered = is_gain(fact) && kc_algs[fact->row].kind <= KC_AEAD;

		if (is_offered && is_better(fact, best, alg))
			best = fact;
	}
	return best;
}

static bool is_settled(const struct kc_tuned *tuned, const struct kc_candidate *hardware)
{
	const struct kc_fact *fact = kc_tuned_fact(tuned, hardware);

	if (!fact || fact->reason != KC_OK)
		return false;
	return kc_fact_is_settled(fact, KC_PREFER_THROUGHPUT);
}

static void put_best(char *text, size_t size, const struct kc_fact *fact)
{
	char cpu[64] = "", from[32];

	if (fact->cpu)
		snprintf(cpu, sizeof(cpu), ", %u%% of the CPU time", fact->cpu);
	if (threshold_of(fact) < 1024)
		snprintf(from, sizeof(from), "%u bytes", threshold_of(fact));
	else
		snprintf(from, sizeof(from), "%.1f KiB", threshold_of(fact) / 1024.0);
	snprintf(text, size, "%s from %s: up to %.1f times as fast%s%s",
		 kc_alg_name(&kc_algs[fact->row]), from, fact->speed / 100.0, cpu,
		 doubts[!kc_is_at_work((enum kc_doer)fact->done_by)]);
}

/* False: the file does not tell. *@may_gain: the device did what was measured. */
static bool put_tuned(char *text, size_t size, const struct kc_tuned *tuned,
		      const struct kc_candidate *hardware, bool *may_gain)
{
	const struct kc_fact *best = best_fact(tuned, hardware->alg);

	if (!best && !is_settled(tuned, hardware))
		return false;
	*may_gain = best || is_by_device(kc_tuned_fact(tuned, hardware));
	if (best)
		put_best(text, size, best);
	else if (*may_gain)
		snprintf(text, size, "none: kcrypto tune found software faster at every length");
	else
		put_software(text, size, hardware);
	return true;
}

static bool put_measured(char *text, size_t size, const struct kc_candidate *hardware)
{
	struct json_object *rows;
	bool may_gain;

	kc_progress("measuring for " SECONDS " seconds ...");
	rows = bench_rows(kc_alg_name(hardware->alg));
	kc_progress_end();
	may_gain = kc_gain_of_rows(text, size, rows, hardware);
	json_object_put(rows);
	return may_gain;
}

bool kc_gain_tell(char *text, size_t size, const struct kc_config *config,
		  const struct kc_candidate *hardware)
{
	struct kc_tuned *tuned = NULL;
	bool may_gain = false;

	if (kc_tuned_read(config->tune_file, &tuned) != KC_OK ||
	    !put_tuned(text, size, tuned, hardware, &may_gain))
		may_gain = put_measured(text, size, hardware);
	free(tuned);
	return may_gain;
}
