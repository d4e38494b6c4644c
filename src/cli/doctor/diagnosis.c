/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the chain from the application to the driver, link by link, and makes and prints findings.
 * A finding is a row of faults.def, with the names in it replaced, or one for a reason of
 * core/reason.h.
 */
#include "cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/screen.h"
#include "cli/table.h"

static const struct {
	const char *word;
	enum kc_state state;
	const char *text, *command, *advice;
} faults[KC_FAULT_COUNT] = {
#define FAULT(id, word, state, text, command, advice)                                              \
	[KC_FAULT_##id] = { word, KC_STATE_##state, text, command, advice },
#include "cli/doctor/faults.def"
#undef FAULT
};

/*
 * The number of the name at @at, which a '>' ends, among those @seen, in order of first appearance.
 * No row has more names than there is room for.
 */
static size_t number_of(const char *seen[KC_FAULT_ARGS], const char *at)
{
	size_t len = strcspn(at, ">") + 1, i = 0;

	while (i < KC_FAULT_ARGS - 1 && seen[i] && strncmp(seen[i], at, len) != 0)
		i++;
	seen[i] = at;
	return i;
}

/* @put: fputs(), or kc_put_word() where a shell reads it. */
static void expand(char *to, size_t size, const char *from, const char *seen[KC_FAULT_ARGS],
		   const char *const *args, int (*put)(const char *word, FILE *out))
{
	FILE *out = fmemopen(to, size, "w");

	while (out && *from) {
		size_t len = strcspn(from, "<");
		const char *arg;

		fwrite(from, 1, len, out);
		from += len;
		len = strcspn(from, ">");
		if (!*from)
			break;
		from++;
		arg = args[number_of(seen, from)];
		if (!arg || *arg)
			put(arg ? arg : "?", out);
		from += len;
	}
	if (out)
		fclose(out);
	to[size - 1] = '\0';
}

/* A name at the start is for remedy.c. */
static void put_command(char *to, size_t size, const char *from, const char *seen[KC_FAULT_ARGS],
			const char *const *args)
{
	size_t len = *from == '<' ? strcspn(from, ">") + 1 : 0;

	snprintf(to, size, "%.*s", (int)len, from);
	expand(to + len, size - len, from + len, seen, args, kc_put_word);
}

/* NULL if there is no room for another. */
static struct kc_symptom *add(struct kc_diagnosis *d, enum kc_state state, const char *word)
{
	struct kc_symptom *f = d->n < KC_MAX_FINDINGS ? &d->v[d->n++] : NULL;

	if (state == KC_STATE_OFF && d->is_expected)
		state = KC_STATE_BROKEN;
	if (d->is_spared && (state == KC_STATE_BROKEN || state == KC_STATE_BLIND))
		state = KC_STATE_NOTE;
	if (f)
		*f = (struct kc_symptom){ .link = d->link, .state = state, .word = word };
	return f;
}

void kc_fine(struct kc_diagnosis *d, const char *format, ...)
{
	struct kc_symptom *f = add(d, KC_STATE_OK, "ok");
	va_list args;

	if (!f)
		return;
	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
}

void kc_find(struct kc_diagnosis *d, enum kc_fault fault, const char *const args[KC_FAULT_ARGS])
{
	struct kc_symptom *f = add(d, faults[fault].state, faults[fault].word);
	const char *seen[KC_FAULT_ARGS] = { NULL };

	if (!f)
		return;
	expand(f->text, sizeof(f->text), faults[fault].text, seen, args, fputs);
	expand(f->advice, sizeof(f->advice), faults[fault].advice, seen, args, fputs);
	put_command(f->command, sizeof(f->command), faults[fault].command, seen, args);
}

/*
 * Only the tune file has a command that always helps; lines of the configuration can be corrected.
 */
void kc_find_reason(struct kc_diagnosis *d, const char *subject, enum kc_reason reason)
{
	const struct kc_reason_text *r = &kc_reasons[reason];
	enum kc_state state = r->gravity == KC_IS_NOTE ? KC_STATE_NOTE : KC_STATE_BROKEN;
	struct kc_symptom *f = add(d, state, r->word);
	bool is_command = r->about == KC_ABOUT_TUNING && r->fix;

	if (!f)
		return;
	snprintf(f->text, sizeof(f->text), "%s: %s", subject, r->text);
	if (r->about == KC_ABOUT_CONFIG)
		snprintf(f->command, sizeof(f->command), "<fix>");
	if (is_command)
		snprintf(f->command, sizeof(f->command), "%s", r->fix);
	else
		snprintf(f->advice, sizeof(f->advice), "%s", r->fix ? r->fix : r->advice);
}

const struct kc_symptom *kc_diagnosis_worst(const struct kc_diagnosis *d)
{
	const struct kc_symptom *blind = NULL;

	for (size_t i = 0; i < d->n; i++) {
		if (d->v[i].state == KC_STATE_BROKEN)
			return &d->v[i];
		if (d->v[i].state == KC_STATE_BLIND && !blind)
			blind = &d->v[i];
	}
	/* What could not be examined matters to nobody who has kcrypto off. */
	if (kc_diagnosis_off(d))
		return NULL;
	return blind;
}

const struct kc_symptom *kc_diagnosis_off(const struct kc_diagnosis *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].state == KC_STATE_OFF)
			return &d->v[i];
	return NULL;
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

/* Does the file say anything about kcrypto, or an engine of its names? */
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

void kc_diagnose(struct kc_diagnosis *d, const struct kc_found *found, enum kc_scope scope)
{
	kc_diagnosis_run(d, found, scope);
	kc_diagnosis_advise(d);
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
	const char *more = f->state == KC_STATE_NOTE ? kc_symptom_fix(f) : "";

	snprintf(text, sizeof(text), "%s%s%s", f->text, *more ? "; " : "", more);
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

	if (!first)
		first = kc_diagnosis_off(d);
	kc_json(report, "verdict=%s first=%p", kc_diagnosis_verdict(d),
		first ? json_of(first) : NULL);
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

/* A command is a line of its own, however long. */
void kc_symptom_print(const struct kc_symptom *f, const char *label, FILE *out)
{
	char text[sizeof(f->text) + 32];

	snprintf(text, sizeof(text), "%s: %s", f->link, f->text);
	kc_say(out, KC_BOLD, label, text);
	if (f->command[0]) {
		fputs("To fix it: ", out);
		kc_paint(out, KC_BOLD, 0, f->command);
		putc('\n', out);
	}
	if (f->advice[0])
		kc_say(out, KC_BOLD, f->command[0] ? "Or else" : "What to do", f->advice);
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
