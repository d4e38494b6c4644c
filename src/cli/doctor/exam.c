/* SPDX-License-Identifier: Apache-2.0 */
/* The chain from the application to the driver, link by link, and the output of the findings. */
#include "cli/doctor/doctor.h"

#include <openssl/crypto.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/bench/board.h"
#include "cli/list/report.h"
#include "cli/screen.h"

static const struct {
	const char *link;
	void (*check)(struct kc_exam *exam);
} chain[] = {
	{ "program", kc_check_program },
	{ "file", kc_check_file },
	{ "start", kc_check_start },
	{ "providers", kc_check_providers },
	{ "default", kc_check_default },
	{ "module", kc_check_module },
	{ "engine", kc_check_engine },
	{ "properties", kc_check_properties },
	{ "random", kc_check_random },
	{ "af_alg", kc_check_af_alg },
	{ "devcrypto", kc_check_devcrypto },
	{ "mask", kc_check_mask },
	{ "crypto_user", kc_check_crypto_user },
	{ "device", kc_check_device },
	{ "driver", kc_check_driver },
	{ "keys", kc_check_keys },
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

void kc_exam_run(struct kc_exam *exam, const struct kc_found *found)
{
	exam->found = found;
	for (size_t i = 0; i < sizeof(chain) / sizeof(chain[0]); i++) {
		exam->link = chain[i].link;
		exam->is_spared = false;
		chain[i].check(exam);
	}
}

void kc_exam_print(const struct kc_exam *exam, FILE *out)
{
	const struct kc_finding *worst = kc_exam_worst(exam);

	for (size_t i = 0; i < exam->n; i++) {
		const struct kc_finding *f = &exam->v[i];
		bool has_more = f->state == KC_STATE_NOTE && f->mend[0];

		kc_paint(out, colours[f->state], 7, states[f->state]);
		fprintf(out, "  %-11s  %s%s%s\n", f->link, f->text, has_more ? "; " : "",
			has_more ? f->mend : "");
	}
	if (!worst) {
		fputs("\nNothing is broken.\n", out);
		return;
	}
	fprintf(out, "\nThe first that is %s: %s: %s\nTo mend it: ", states[worst->state],
		worst->link, worst->text);
	kc_paint(out, KC_BOLD, 0, worst->mend);
	putc('\n', out);
}

static void add(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, *text ? json_object_new_string(text) : NULL);
}

static struct json_object *json_of(const struct kc_finding *f)
{
	struct json_object *o = json_object_new_object();

	add(o, "link", f->link);
	add(o, "state", states[f->state]);
	add(o, "word", f->word);
	add(o, "text", f->text);
	add(o, "mend", f->mend);
	return o;
}

static void add_machine(struct json_object *o, const struct kc_found *found)
{
	struct utsname name;

	add(o, "version", KC_VERSION);
	add(o, "openssl", OpenSSL_version(OPENSSL_VERSION));
	if (uname(&name) == 0) {
		add(o, "kernel", name.release);
		add(o, "machine", name.machine);
	}
	kc_bench_board_add(o, found->root);
}

/* Standard output is the command's, so the command's counts are included here. */
static void add_run(struct json_object *report, const struct kc_program *program)
{
	struct json_object *o = json_object_new_object();

	add(o, "program", program->argv[0]);
	json_object_object_add(o, "status", json_object_new_int(program->ended.code));
	json_object_object_add(o, "algorithms", json_object_get(program->rows));
	json_object_object_add(report, "run", o);
}

struct json_object *kc_exam_json(const struct kc_exam *exam)
{
	const struct kc_found *found = exam->found;
	const struct kc_finding *worst = kc_exam_worst(exam);
	struct json_object *report = json_object_new_object();
	struct json_object *findings = json_object_new_array();

	add_machine(report, found);
	json_object_object_add(report, "findings", findings);
	for (size_t i = 0; i < exam->n; i++)
		json_object_array_add(findings, json_of(&exam->v[i]));
	json_object_object_add(report, "first", worst ? json_of(worst) : NULL);
	json_object_object_add(report, "list",
			       kc_report_make(&found->conf, &found->offers.config,
					      &found->offers.policy,
					      found->keys.is_probed ? &found->keys.probe : NULL));
	if (found->program.argv)
		add_run(report, &found->program);
	return report;
}
