/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes findings: a row's two texts, with the names in them replaced. The rows are those of
 * faults.def, and one for each reason of core/reason.h.
 */
#include "cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *word;
	enum kc_state state;
	const char *text, *fix;
} faults[KC_FAULT_COUNT] = {
#define FAULT(id, word, state, text, fix) [KC_FAULT_##id] = { word, KC_STATE_##state, text, fix },
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
	struct names names = { .n = 0 };

	if (!f)
		return;
	expand(f->text, sizeof(f->text), faults[fault].text, &names, args);
	if (strcmp(faults[fault].fix, "<enable>") == 0)
		name_enable(f->fix, sizeof(f->fix), d->found);
	else
		expand(f->fix, sizeof(f->fix), faults[fault].fix, &names, args);
	drop_sudo(f->fix);
}

void kc_find_as(struct kc_diagnosis *d, enum kc_state state, const char *word, const char *text,
		const char *fix)
{
	struct kc_symptom *f = add(d, state, word);

	if (!f)
		return;
	snprintf(f->text, sizeof(f->text), "%s", text);
	snprintf(f->fix, sizeof(f->fix), "%s", fix);
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
#define TUNE "sudo kcrypto tune"
#define KEYS "correct it as in kcrypto-provider(7), then: kcrypto config check"

static const struct {
	enum kc_state state;
	const char *fix;
} rows[KC_REASON_COUNT] = {
	[KC_OK] = { KC_STATE_OK, "" },

	[KC_NEVER] = { KC_STATE_BROKEN, NULL },
	[KC_NOT_LISTED] = { KC_STATE_NOTE, NULL },
	[KC_NO_INTERFACE] = { KC_STATE_NOTE, "see the lines af_alg and devcrypto" },
	[KC_NO_DRIVER] = { KC_STATE_NOTE, NULL },
	[KC_ONLY_SOFTWARE] = { KC_STATE_NOTE, NULL },
	[KC_NATURE_UNKNOWN] = { KC_STATE_BROKEN, NULL },
	[KC_NAMED_DRIVER_ABSENT] = { KC_STATE_BROKEN, NULL },
	[KC_HARDWARE_HIDDEN] = { KC_STATE_BROKEN, NULL },
	[KC_LEGACY_INACTIVE] = { KC_STATE_NOTE, NULL },
	[KC_NO_BASE] = { KC_STATE_NOTE, NULL },
	[KC_ONLY_BY_NAME] = { KC_STATE_NOTE, NULL },
	[KC_IN_FILTER] = { KC_STATE_BROKEN, NULL },
	[KC_NOT_REACHED] = { KC_STATE_BROKEN, "see the lines from file to module" },
	[KC_NOT_BY_ENGINE] = { KC_STATE_NOTE, "use the provider: kcrypto-engine(7)" },

	[KC_OPEN_FAILED] = { KC_STATE_BROKEN, NULL },
	[KC_REQUEST_FAILED] = { KC_STATE_BROKEN, NULL },
	[KC_WRONG_ANSWER] = { KC_STATE_BROKEN, NULL },
	[KC_LIED] = { KC_STATE_BROKEN, NULL },
	[KC_NO_ANSWER] = { KC_STATE_BROKEN, NULL },
	[KC_NO_MEMORY] = { KC_STATE_BROKEN, "free memory, and run kcrypto doctor again" },
	[KC_SLOWER] = { KC_STATE_NOTE, "leave it so: software is the better choice here" },

	[KC_TUNED_ABSENT] = { KC_STATE_NOTE, TUNE },
	[KC_TUNED_WRITABLE] = { KC_STATE_BROKEN, NULL },
	[KC_TUNED_DAMAGED] = { KC_STATE_BROKEN, TUNE },
	[KC_TUNED_STALE] = { KC_STATE_NOTE, TUNE },

	[KC_UNKNOWN_KEY] = { KC_STATE_BROKEN, KEYS },
	[KC_UNKNOWN_ALGORITHM] = { KC_STATE_BROKEN, KEYS },
	[KC_WRONG_LIST] = { KC_STATE_BROKEN, KEYS },
	[KC_BAD_NUMBER] = { KC_STATE_BROKEN, KEYS },
	[KC_BAD_VALUE] = { KC_STATE_BROKEN, KEYS },
	[KC_OUT_OF_RANGE] = { KC_STATE_BROKEN, KEYS },
	[KC_EMPTY] = { KC_STATE_BROKEN, KEYS },
};

void kc_find_reason(struct kc_diagnosis *d, const char *subject, enum kc_reason reason)
{
	const struct kc_reason_text *r = &kc_reasons[reason];
	char text[512];

	snprintf(text, sizeof(text), "%s: %s", subject, r->text);
	kc_find_as(d, rows[reason].state, r->word, text,
		   rows[reason].fix ? rows[reason].fix : r->advice);
}
