/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the chain from the application to the driver, link by link, and prints the findings. */
#include "cli/doctor/doctor.h"

#include <stdio.h>
#include <string.h>

#include "cli/screen.h"
#include "cli/table.h"
#include "cli/text.h"

const struct kc_symptom *kc_diagnosis_worst(const struct kc_diagnosis *d)
{
	const struct kc_symptom *blind = NULL;

	for (size_t i = 0; i < d->n; i++) {
		if (d->v[i].state == KC_STATE_BROKEN)
			return &d->v[i];
		if (d->v[i].state == KC_STATE_BLIND && !blind)
			blind = &d->v[i];
	}
	/* If kcrypto is off, it does not matter what could not be examined. */
	if (kc_diagnosis_off(d))
		return NULL;
	return blind;
}

const char *kc_diagnosis_verdict(const struct kc_diagnosis *d)
{
	const struct kc_symptom *worst = kc_diagnosis_worst(d);

	if (worst)
		return kc_state_words[worst->state];
	if (kc_diagnosis_off(d))
		return "off";
	return "on";
}

/* True if the file mentions kcrypto, or an engine with one of its names. */
static bool is_expected(const struct kc_found *found)
{
	const struct kc_cnf *cnf = &found->conf.cnf;

	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++) {
		if (l->section && strcasestr(l->section, "kcrypto"))
			return true;
		if (l->kind != KC_LINE_OTHER &&
		    (strcasestr(l->name, "kcrypto") || strcasestr(l->value, "kcrypto")))
			return true;
	}
	return found->conf.parts.id;
}

void kc_diagnosis_run(struct kc_diagnosis *d, const struct kc_found *found, enum kc_scope scope)
{
	static const struct kc_link *const parts[] = { kc_links_to_file, kc_links_to_module,
						       kc_links_to_driver, kc_results };

	d->found = found;
	d->is_expected = is_expected(found);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (const struct kc_link *link = parts[i]; link->name; link++) {
			d->link = link->name;
			d->is_spared = false;
			if (link->scope >= scope)
				link->check(d);
		}
}

const char *const kc_state_words[] = {
	[KC_STATE_OK] = "ok",	      [KC_STATE_NOTE] = "note", [KC_STATE_BROKEN] = "broken",
	[KC_STATE_BLIND] = "unknown", [KC_STATE_OFF] = "off",
};

static const enum kc_colour colours[] = {
	[KC_STATE_OK] = KC_GREEN,  [KC_STATE_NOTE] = KC_YELLOW, [KC_STATE_BROKEN] = KC_RED,
	[KC_STATE_BLIND] = KC_RED, [KC_STATE_OFF] = KC_BOLD,
};

#define INDENT 22 /* the column of the texts */

const char *kc_symptom_fix(const struct kc_symptom *f)
{
	if (f->command[0])
		return f->command;
	return f->advice;
}

const char *kc_symptom_text(const struct kc_symptom *f)
{
	static char text[sizeof(f->text) + sizeof(f->command) + 2];
	const char *more = "";

	if (f->state == KC_STATE_NOTE)
		more = kc_symptom_fix(f);
	snprintf(text, sizeof(text), "%s%s%s", f->text, kc_lead("; ", more), more);
	return text;
}

static struct json_object *json_of(const struct kc_symptom *f)
{
	return kc_json(NULL, "link=%s state=%s word=%s text=%s fix=%s command=%s advice=%s",
		       f->link, kc_state_words[f->state], f->word, f->text, kc_symptom_fix(f),
		       f->command, f->advice);
}

void kc_verdict_json(const struct kc_diagnosis *d, struct json_object *report)
{
	const struct kc_symptom *first = kc_diagnosis_worst(d);
	struct json_object *finding = NULL;

	if (!first)
		first = kc_diagnosis_off(d);
	if (first)
		finding = json_of(first);
	kc_json(report, "verdict=%s first=%p", kc_diagnosis_verdict(d), finding);
}

struct json_object *kc_diagnosis_json(const struct kc_diagnosis *d, struct json_object *report)
{
	struct json_object *findings;

	kc_verdict_json(d, report);
	findings = kc_json_array(report, "findings");
	for (size_t i = 0; i < d->n; i++)
		json_object_array_add(findings, json_of(&d->v[i]));
	return report;
}

size_t kc_diagnosis_print(const struct kc_diagnosis *d, bool is_all, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct kc_symptom *f = &d->v[i];

		if (f->state == KC_STATE_OK && !is_all)
			continue;
		kc_paint(out, colours[f->state], 7, kc_state_words[f->state]);
		fprintf(out, "  %-11s  ", f->link);
		kc_wrap(out, INDENT, INDENT, kc_symptom_text(f));
		n++;
	}
	return n;
}

/* A command gets a line of its own, however long it is. */
void kc_symptom_print(const struct kc_symptom *f, const char *label, FILE *out)
{
	char text[sizeof(f->text) + 32];
	const char *way = "What to do";

	snprintf(text, sizeof(text), "%s: %s", f->link, f->text);
	kc_say(out, KC_BOLD, label, text);
	if (f->command[0]) {
		fputs("To fix it: ", out);
		kc_paint(out, KC_BOLD, 0, f->command);
		putc('\n', out);
		way = "Or else";
	}
	if (f->advice[0])
		kc_say(out, KC_BOLD, way, f->advice);
}

bool kc_diagnosis_print_worst(const struct kc_diagnosis *d, FILE *out)
{
	const struct kc_symptom *worst = kc_diagnosis_worst(d);
	char label[32];

	if (!worst)
		return false;
	snprintf(label, sizeof(label), "The first that is %s", kc_state_words[worst->state]);
	kc_symptom_print(worst, label, out);
	return true;
}
