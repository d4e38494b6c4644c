/* SPDX-License-Identifier: Apache-2.0 */
/* Makes findings: a row's two texts, with the names in them replaced. */
#include "cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word;
	enum kc_state state;
	const char *text, *mend;
} faults[KC_FAULT_COUNT] = {
#define FAULT(id, word, state, text, mend) [KC_FAULT_##id] = { word, KC_STATE_##state, text, mend },
#include "cli/doctor/faults.def"
#undef FAULT
};

/* The names in <>, in order of first appearance. */
struct names {
	const char *at[KC_FAULT_ARGS];
	size_t len[KC_FAULT_ARGS], n;
};

/* No row has more names than there is room for. */
static size_t number_of(struct names *names, const char *at, size_t len)
{
	for (size_t i = 0; i < names->n; i++)
		if (names->len[i] == len && memcmp(names->at[i], at, len) == 0)
			return i;
	if (names->n == KC_FAULT_ARGS)
		return 0;
	names->at[names->n] = at;
	names->len[names->n] = len;
	return names->n++;
}

static void expand(char *to, size_t size, const char *from, struct names *names,
		   const char *const *args)
{
	size_t n = 0;

	while (*from && n + 1 < size) {
		size_t len = *from == '<' ? strcspn(from, ">") : 0;
		const char *arg;

		if (!len) {
			to[n++] = *from++;
			continue;
		}
		arg = args[number_of(names, from + 1, len - 1)];
		n += (size_t)snprintf(to + n, size - n, "%s", arg ? arg : "?");
		n = n < size ? n : size - 1;
		from += len + 1;
	}
	to[n] = '\0';
}

/* NULL if there is no room for another. */
static struct kc_finding *add(struct kc_exam *exam, enum kc_state state, const char *word)
{
	struct kc_finding *f = exam->n < KC_MAX_FINDINGS ? &exam->v[exam->n++] : NULL;

	if (exam->is_spared && state == KC_STATE_BROKEN)
		state = KC_STATE_NOTE;
	if (f)
		*f = (struct kc_finding){ .link = exam->link, .state = state, .word = word };
	return f;
}

void kc_fine(struct kc_exam *exam, const char *format, ...)
{
	struct kc_finding *f = add(exam, KC_STATE_OK, "ok");
	va_list args;

	if (!f)
		return;
	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
}

void kc_find(struct kc_exam *exam, enum kc_fault fault, const char *const args[KC_FAULT_ARGS])
{
	struct kc_finding *f = add(exam, faults[fault].state, faults[fault].word);
	struct names names = { .n = 0 };

	if (!f)
		return;
	expand(f->text, sizeof(f->text), faults[fault].text, &names, args);
	expand(f->mend, sizeof(f->mend), faults[fault].mend, &names, args);
}

void kc_find_as(struct kc_exam *exam, enum kc_state state, const char *word, const char *text,
		const char *mend)
{
	struct kc_finding *f = add(exam, state, word);

	if (!f)
		return;
	snprintf(f->text, sizeof(f->text), "%s", text);
	snprintf(f->mend, sizeof(f->mend), "%s", mend);
}

const struct kc_finding *kc_exam_worst(const struct kc_exam *exam)
{
	const struct kc_finding *blind = NULL;

	for (size_t i = 0; i < exam->n; i++) {
		if (exam->v[i].state == KC_STATE_BROKEN)
			return &exam->v[i];
		if (exam->v[i].state == KC_STATE_BLIND && !blind)
			blind = &exam->v[i];
	}
	return blind;
}
