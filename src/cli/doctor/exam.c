/* SPDX-License-Identifier: Apache-2.0 */
/* The chain from the application to the driver, link by link, and the output of the findings. */
#include "cli/doctor/doctor.h"

#include <openssl/crypto.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/bench/board.h"
#include "cli/list/report.h"
#include "cli/screen.h"
#include "cli/table.h"

static const struct {
	const char *link;
	void (*check)(struct kc_diagnosis *d);
	bool is_of_file;
} chain[] = {
	{ "program", kc_check_program },
	{ "file", kc_check_file, .is_of_file = true },
	{ "start", kc_check_start, .is_of_file = true },
	{ "providers", kc_check_providers, .is_of_file = true },
	{ "default", kc_check_default, .is_of_file = true },
	{ "module", kc_check_module, .is_of_file = true },
	{ "engine", kc_check_engine, .is_of_file = true },
	{ "properties", kc_check_properties, .is_of_file = true },
	{ "random", kc_check_random, .is_of_file = true },
	{ "af_alg", kc_check_af_alg },
	{ "kcrypto", kc_check_kcrypto },
	{ "devcrypto", kc_check_devcrypto },
	{ "mask", kc_check_mask },
	{ "crypto_user", kc_check_crypto_user },
	{ "device", kc_check_device },
	{ "driver", kc_check_driver },
	{ "keys", kc_check_keys, .is_of_file = true },
	{ "algorithm", kc_check_algorithms },
	{ "tune", kc_check_tune },
	{ "cpu", kc_check_cpu },
	{ "ktls", kc_check_ktls },
	{ "kernel_keys", kc_check_kernel_keys },
};

/* For people and for scripts. */
static const char *const states[] = {
	[KC_STATE_OK] = "ok",
	[KC_STATE_NOTE] = "note",
	[KC_STATE_BROKEN] = "broken",
	[KC_STATE_BLIND] = "unknown",
};

static const enum kc_colour colours[] = {
	[KC_STATE_OK] = KC_GREEN,
	[KC_STATE_NOTE] = KC_YELLOW,
	[KC_STATE_BROKEN] = KC_RED,
	[KC_STATE_BLIND] = KC_RED,
};

static void run(struct kc_diagnosis *d, const struct kc_found *found, bool is_all)
{
	d->found = found;
	for (size_t i = 0; i < sizeof(chain) / sizeof(chain[0]); i++) {
		d->link = chain[i].link;
		d->is_spared = false;
		if (is_all || chain[i].is_of_file)
			chain[i].check(d);
	}
}

void kc_diagnosis_run(struct kc_diagnosis *d, const struct kc_found *found)
{
	run(d, found, true);
}

void kc_diagnosis_run_file(struct kc_diagnosis *d, const struct kc_found *found)
{
	run(d, found, false);
}

#define INDENT 22 /* the column of the texts */

void kc_diagnosis_print(const struct kc_diagnosis *d, FILE *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct kc_symptom *f = &d->v[i];
		bool has_more = f->state == KC_STATE_NOTE && f->fix[0];
		char text[sizeof(f->text) + sizeof(f->fix) + 2];

		kc_paint(out, colours[f->state], 7, states[f->state]);
		fprintf(out, "  %-11s  ", f->link);
		snprintf(text, sizeof(text), "%s%s%s", f->text, has_more ? "; " : "",
			 has_more ? f->fix : "");
		kc_wrap(out, INDENT, INDENT, text);
	}
}

/* The fix is a line of its own, however long: it may be a command. */
bool kc_diagnosis_print_worst(const struct kc_diagnosis *d, FILE *out)
{
	const struct kc_symptom *worst = kc_diagnosis_worst(d);
	char label[32], text[sizeof(worst->link) + sizeof(worst->text) + 32];

	if (!worst)
		return false;
	snprintf(label, sizeof(label), "The first that is %s", states[worst->state]);
	snprintf(text, sizeof(text), "%s: %s", worst->link, worst->text);
	kc_say(out, KC_BOLD, label, text);
	fputs("To fix it: ", out);
	kc_paint(out, KC_BOLD, 0, worst->fix);
	putc('\n', out);
	return true;
}

static struct json_object *json_of(const struct kc_symptom *f)
{
	struct json_object *o = json_object_new_object();

	kc_json_text(o, "link", f->link);
	kc_json_text(o, "state", states[f->state]);
	kc_json_text(o, "word", f->word);
	kc_json_text(o, "text", f->text);
	kc_json_text(o, "fix", f->fix);
	return o;
}

static void add_machine(struct json_object *o, const struct kc_found *found)
{
	struct utsname name;

	kc_json_text(o, "version", KC_VERSION);
	kc_json_text(o, "openssl", OpenSSL_version(OPENSSL_VERSION));
	if (uname(&name) == 0) {
		kc_json_text(o, "kernel", name.release);
		kc_json_text(o, "machine", name.machine);
	}
	kc_bench_board_add(o, found->root);
}

/* Standard output is the command's, so the command's counts are included here. */
static void add_run(struct json_object *report, const struct kc_program *program)
{
	struct json_object *o = json_object_new_object();

	kc_json_text(o, "program", program->argv[0]);
	kc_json_int(o, "status", program->ended.code);
	kc_json_add(o, "algorithms", json_object_get(program->rows));
	kc_json_add(report, "run", o);
}

struct json_object *kc_diagnosis_json(const struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_symptom *worst = kc_diagnosis_worst(d);
	struct json_object *report = json_object_new_object();
	struct json_object *findings;

	add_machine(report, found);
	findings = kc_json_array(report, "findings");
	for (size_t i = 0; i < d->n; i++)
		json_object_array_add(findings, json_of(&d->v[i]));
	kc_json_add(report, "first", worst ? json_of(worst) : NULL);
	kc_json_add(report, "list",
		    kc_report_make(&found->conf, &found->offers,
				   found->keys.is_probed ? &found->keys.probe : NULL));
	if (found->program.argv)
		add_run(report, &found->program);
	return report;
}
