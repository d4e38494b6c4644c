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
#include <unistd.h>

#include "cli/screen.h"

static const struct {
	const char *word;
	enum kc_state state;
	const char *text, *fix;
} faults[KC_FAULT_COUNT] = {
#define FAULT(id, word, state, text, fix) [KC_FAULT_##id] = { word, KC_STATE_##state, text, fix },
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

/* The command that adds missing lines to the file that was examined. */
static void name_enable(char *to, size_t size, const struct kc_found *found)
{
	const char *root = found->conf.cnf.root, *file = found->conf.file;
	bool may_write = !*root && access(file, W_OK) == 0;

	snprintf(to, size, "%skcrypto config enable%s%s%s%s", may_write ? "" : "sudo ",
		 *root ? " --root " : "", root, found->is_named ? " --config " : "",
		 found->is_named ? file : "");
}

/* Commands for root are written with sudo, which root's own systems may lack. */
static void drop_sudo(char *text)
{
	for (char *at = text; geteuid() == 0 && (at = strstr(at, "sudo "));)
		memmove(at, at + 5, strlen(at + 5) + 1);
}

static void expand(char *to, size_t size, const char *from, const char *seen[KC_FAULT_ARGS],
		   const char *const *args)
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
		fputs(arg ? arg : "?", out);
		from += len;
	}
	if (out)
		fclose(out);
	to[size - 1] = '\0';
}

/* NULL if there is no room for another. */
static struct kc_symptom *add(struct kc_diagnosis *d, enum kc_state state, const char *word)
{
	struct kc_symptom *f = d->n < KC_MAX_FINDINGS ? &d->v[d->n++] : NULL;

	if (state == KC_STATE_OFF)
		state = d->may_be_off ? KC_STATE_NOTE : KC_STATE_BROKEN;
	if (d->is_spared && state == KC_STATE_BROKEN)
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
	expand(f->text, sizeof(f->text), faults[fault].text, seen, args);
	if (strcmp(faults[fault].fix, "<enable>") == 0)
		name_enable(f->fix, sizeof(f->fix), d->found);
	else
		expand(f->fix, sizeof(f->fix), faults[fault].fix, seen, args);
	drop_sudo(f->fix);
}

void kc_find_reason(struct kc_diagnosis *d, const char *subject, enum kc_reason reason)
{
	const struct kc_reason_text *r = &kc_reasons[reason];
	enum kc_state state = r->gravity == KC_IS_NOTE ? KC_STATE_NOTE : KC_STATE_BROKEN;
	struct kc_symptom *f = add(d, state, r->word);

	if (!f)
		return;
	snprintf(f->text, sizeof(f->text), "%s: %s", subject, r->text);
	snprintf(f->fix, sizeof(f->fix), "%s", r->fix ? r->fix : r->advice);
	drop_sudo(f->fix);
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
	return blind;
}

void kc_diagnosis_run(struct kc_diagnosis *d, const struct kc_found *found, enum kc_scope scope)
{
	static const struct kc_link *const parts[] = { kc_links_to_module, kc_links_to_driver,
						       kc_results };

	d->found = found;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (const struct kc_link *link = parts[i]; link->name; link++) {
			d->link = link->name;
			d->is_spared = false;
			if (link->scope >= scope)
				link->check(d);
		}
}

const char *const kc_state_words[] = {
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

#define INDENT 22 /* the column of the texts */

const char *kc_symptom_text(const struct kc_symptom *f)
{
	static char text[sizeof(f->text) + sizeof(f->fix) + 2];
	bool has_more = f->state == KC_STATE_NOTE && f->fix[0];

	snprintf(text, sizeof(text), "%s%s%s", f->text, has_more ? "; " : "",
		 has_more ? f->fix : "");
	return text;
}

void kc_diagnosis_print(const struct kc_diagnosis *d, FILE *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct kc_symptom *f = &d->v[i];

		kc_paint(out, colours[f->state], 7, kc_state_words[f->state]);
		fprintf(out, "  %-11s  ", f->link);
		kc_wrap(out, INDENT, INDENT, kc_symptom_text(f));
	}
}

/* The fix is a line of its own, however long: it may be a command. */
bool kc_diagnosis_print_worst(const struct kc_diagnosis *d, FILE *out)
{
	const struct kc_symptom *worst = kc_diagnosis_worst(d);
	char label[32], text[sizeof(worst->link) + sizeof(worst->text) + 32];

	if (!worst)
		return false;
	snprintf(label, sizeof(label), "The first that is %s", kc_state_words[worst->state]);
	snprintf(text, sizeof(text), "%s: %s", worst->link, worst->text);
	kc_say(out, KC_BOLD, label, text);
	fputs("To fix it: ", out);
	kc_paint(out, KC_BOLD, 0, worst->fix);
	putc('\n', out);
	return true;
}
