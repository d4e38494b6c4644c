/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes findings: rows of faults.def with the names in them replaced, and findings for reasons of
 * core/reason.h.
 */
#include "cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/screen.h"
#include "cli/text.h"

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
 * Returns the number of the name at @at, which a '>' ends, among those @seen, in order of first
 * appearance. No row has more names than there is room for.
 */
static size_t nth_name(const char *seen[KC_FAULT_ARGS], const char *at)
{
	size_t len = strcspn(at, ">") + 1, i = 0;

	while (i < KC_FAULT_ARGS - 1 && seen[i] && strncmp(seen[i], at, len) != 0)
		i++;
	seen[i] = at;
	return i;
}

/* @put: fputs(), or kc_put_word() for text that a shell reads. */
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
		arg = args[nth_name(seen, from)];
		if (!arg || *arg)
			put(kc_text_or(arg, "?"), out);
		from += len;
	}
	if (out)
		fclose(out);
	to[size - 1] = '\0';
}

/* A name at the start is left for remedy.c. */
static void put_command(char *to, size_t size, const char *from, const char *seen[KC_FAULT_ARGS],
			const char *const *args)
{
	size_t len = 0;

	if (*from == '<')
		len = strcspn(from, ">") + 1;
	snprintf(to, size, "%.*s", (int)len, from);
	expand(to + len, size - len, from + len, seen, args, kc_put_word);
}

/* Returns a new finding; NULL if there is no room. */
static struct kc_symptom *new_symptom(struct kc_diagnosis *d, enum kc_state state, const char *word)
{
	struct kc_symptom *f = NULL;

	if (d->n < KC_MAX_FINDINGS)
		f = &d->v[d->n++];
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
	struct kc_symptom *f = new_symptom(d, KC_STATE_OK, "ok");
	va_list args;

	if (!f)
		return;
	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
}

void kc_find(struct kc_diagnosis *d, enum kc_fault fault, const char *const args[KC_FAULT_ARGS])
{
	struct kc_symptom *f = new_symptom(d, faults[fault].state, faults[fault].word);
	const char *seen[KC_FAULT_ARGS] = { NULL };

	if (!f)
		return;
	expand(f->text, sizeof(f->text), faults[fault].text, seen, args, fputs);
	expand(f->advice, sizeof(f->advice), faults[fault].advice, seen, args, fputs);
	put_command(f->command, sizeof(f->command), faults[fault].command, seen, args);
}

/*
 * Only the tune file has a command that always helps; lines of the configuration have to be
 * corrected.
 */
void kc_find_reason(struct kc_diagnosis *d, const char *subject, enum kc_reason reason)
{
	const struct kc_reason_text *r = &kc_reasons[reason];
	bool is_command = r->about == KC_ABOUT_TUNING && r->fix;
	enum kc_state state = KC_STATE_BROKEN;
	struct kc_symptom *f;

	if (r->gravity == KC_IS_NOTE)
		state = KC_STATE_NOTE;
	f = new_symptom(d, state, r->word);
	if (!f)
		return;
	snprintf(f->text, sizeof(f->text), "%s: %s", subject, r->text);
	if (r->about == KC_ABOUT_CONFIG)
		snprintf(f->command, sizeof(f->command), "<fix>");
	if (is_command)
		snprintf(f->command, sizeof(f->command), "%s", r->fix);
	else
		snprintf(f->advice, sizeof(f->advice), "%s", kc_text_or(r->fix, r->advice));
}

const struct kc_symptom *kc_diagnosis_off(const struct kc_diagnosis *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].state == KC_STATE_OFF)
			return &d->v[i];
	return NULL;
}
