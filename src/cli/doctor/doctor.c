/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto doctor: its options, the order of its work, and its exit status. */
#include "cli/doctor/doctor.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/board.h"
#include "cli/cli.h"
#include "cli/list/summary.h"
#include "cli/run/counters.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/stats/count.h"
#include "cli/tune/tune.h"

/* Only for kcrypto doctor. */
enum { WELL = 0, IS_BROKEN = 1, BLIND = 2 };

static bool json;
static const char *key_name;

static const struct kc_option options[] = {
	{ "json", NULL, "prints everything, for a bug report", .flag = &json },
	{ "key", "NAME", "examines this key of the kernel, too", .text = &key_name },
	{ NULL },
};

/* The CPU's AES instructions, by bench's names. */
static void find_instructions(struct kc_found *found)
{
	struct json_object *board = json_object_new_object(), *words;
	static const char known[] = " aes vaes msa ";
	char word[32];

	kc_bench_board_add(board, found->root);
	words = json_object_object_get(board, "cpu_instructions");
	for (size_t i = 0; words && i < json_object_array_length(words); i++) {
		snprintf(word, sizeof(word), " %s ",
			 json_object_get_string(json_object_array_get_idx(words, i)));
		if (!found->cpu_word[0] && strstr(known, word))
			snprintf(found->cpu_word, sizeof(found->cpu_word), "%.*s",
				 (int)strlen(word) - 2, word + 1);
	}
	json_object_put(board);
}

/* Are the drivers in the tune file those that would be tried now? The file itself is not asked. */
static bool is_tune_fresh(const struct kc_listed *offers)
{
	static struct kc_policy policy;
	static struct kc_tuning tuning;
	struct kc_config config = offers->config;

	if (offers->policy.tuned != KC_OK)
		return false;
	config.tune_file[0] = '\0';
	kc_policy_load(&policy, &config);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = policy.row[i]; c; c = c->next)
			if (c->is_offered && c->driver[0])
				tuning.candidate[tuning.n++] = c;
	return kc_tuning_is_fresh(&tuning, offers->config.tune_file);
}

static void find_conf(struct kc_found *found)
{
	const char *named = secure_getenv("OPENSSL_CONF");
	const char *file = !named && found->program.conf[0] ? found->program.conf : NULL;

	found->is_named = named != NULL;
	found->whence = named ? "OPENSSL_CONF" : "libcrypto";
	found->has_providers = true;
	found->wants_random = OpenSSL_version_num() < 0x30500000;
	kc_config_init(&found->offers.config);
	kc_conf_read(&found->conf, file, &found->offers.config);
	kc_found_modules(found);
}

void kc_found_gather(struct kc_found *found)
{
	bool may_ask;

	kc_found_program(found);
	find_conf(found);
	kc_found_kernel(found);
	may_ask = found->kernel.socket_err != KC_KILLED;
	kc_offers_find(&found->offers, &found->conf, may_ask);
	found->is_reached = true;
	found->kernel.hides_hardware = found->offers.hides_hardware;
	kc_found_keys(found);
	found->is_tune_fresh = is_tune_fresh(&found->offers);
	kc_found_devices(found);
	find_instructions(found);
}

/* Runs it in the configuration that it reads; with counters, unless that leads to no provider. */
static void run_command(struct kc_diagnosis *d, struct kc_found *found)
{
	struct kc_program *p = &found->program;
	bool is_provider_fine = !kc_diagnosis_worst(d) && !found->conf.engine[0];
	enum kc_with with = is_provider_fine && !p->is_set_id ? KC_WITH_STATS : KC_AS_IT_IS;
	const struct kc_stats *stats;

	unsetenv("KCRYPTO_STATS");
	p->problem = "cannot make memory for the counters";
	if (!kc_counters_begin())
		return;
	p->problem = kc_command_run(p->argv, found->conf.file, with, false, &p->ended);
	stats = kc_counters_all();
	if (stats)
		p->rows = kc_count_rows(stats);
	kc_counters_end();
}

static uint64_t requests_of_kernel(struct json_object *rows)
{
	uint64_t n = 0;

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		struct json_object *kernel = json_object_object_get(row, "kernel");

		for (size_t k = 0; k < json_object_array_length(kernel); k++)
			n += (uint64_t)json_object_get_int64(json_object_object_get(
				json_object_array_get_idx(kernel, k), "requests"));
	}
	return n;
}

void kc_diagnosis_command(struct kc_diagnosis *d, struct kc_found *found)
{
	struct kc_program *p = &found->program;
	uint64_t requests;
	char status[16];

	d->link = "run";
	d->is_spared = false;
	run_command(d, found);
	if (!p->rows)
		p->rows = json_object_new_array();
	requests = requests_of_kernel(p->rows);
	snprintf(status, sizeof(status), "%d", p->ended.code);
	if (p->problem)
		kc_fault(d, NOT_RUN, p->problem);
	else if (requests)
		kc_fine(d, "the kernel did %" PRIu64 " of the command's requests", requests);
	else if (json_object_array_length(p->rows))
		kc_fault(d, ALL_SOFT);
	else
		kc_fault(d, NOT_USED);
	if (!p->problem && p->ended.code)
		kc_fault(d, FAILED, status);
}

/* With a command, standard output belongs to the command. */
static void print(const struct kc_diagnosis *d, FILE *out)
{
	struct json_object *rows = d->found->program.rows;
	char summary[KC_SUMMARY_SIZE];

	if (json) {
		kc_json_print(out, kc_diagnosis_json(d));
		return;
	}
	if (rows && json_object_array_length(rows)) {
		kc_count_print(out, rows);
		fputc('\n', out);
	}
	kc_diagnosis_print(d, out);
	putc('\n', out);
	if (kc_diagnosis_print_worst(d, out))
		return;
	fputs("Nothing is broken.\n", out);
	kc_summarize(summary, &d->found->offers.policy, d->found->kernel.hides_hardware);
	kc_say(out, KC_BOLD, "In short", summary);
}

static int run(const struct kc_args *args)
{
	const char *root = secure_getenv("KCRYPTO_ROOT");
	static struct kc_found found;
	static struct kc_diagnosis d;
	const struct kc_symptom *worst;

	found.root = root ? root : "";
	found.keys.name = key_name;
	found.program.argv = args->command;
	kc_found_gather(&found);
	kc_diagnosis_run(&d, &found);
	if (found.program.path[0])
		kc_diagnosis_command(&d, &found);
	print(&d, found.program.argv ? stderr : stdout);
	worst = kc_diagnosis_worst(&d);
	return !worst ? WELL : worst->state == KC_STATE_BROKEN ? IS_BROKEN : BLIND;
}

const struct kc_command kc_cmd_doctor = {
	.name = "doctor",
	.about = "names the first thing that is wrong, and how to fix it",
	.options = options,
	.calls = { { .end = "[-- COMMAND [ARGUMENT...]]" } },
	.run = run,
};
