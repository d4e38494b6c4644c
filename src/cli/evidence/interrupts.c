/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses /proc/interrupts: a head with a column for each CPU, then lines with a label, a count for
 * each CPU, the controller's words and, after two blanks, the names of the devices.
 */
#include "cli/evidence/interrupts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define LEAST 0.2 /* interrupts per request: some engines report several at a time */
#define NOISE 0.1 /* at most this part of them without requests */

static unsigned count_cpus(const char *head, size_t len)
{
	unsigned n = 0;

	for (const char *at = head; (at = memmem(at, len - (size_t)(at - head), "CPU", 3)); at += 3)
		n++;
	return n;
}

/* A clock's line counts with time, and more if the CPU often sleeps. */
static bool is_timer(const char *names)
{
	static const char *const words[] = { "timer", "clock", "hpet", "rtc", "twd", "tick" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(names, words[i]))
			return true;
	return false;
}

/* Takes what follows the last two blanks of the line; "": it has no names. */
static void take_names(struct kc_irq *irq, const char *rest, size_t len)
{
	const char *end = rest + len, *from = end;

	while (from > rest + 1 && !(from[-1] == ' ' && from[-2] == ' '))
		from--;
	if (from <= rest + 1)
		from = end;
	snprintf(irq->names, sizeof(irq->names), "%.*s", (int)(end - from), from);
	irq->is_shared = memmem(from, (size_t)(end - from), ", ", 2);
}

static void take_line(struct kc_interrupts *to, const char *line, size_t len)
{
	struct kc_irq irq = { .count = 0 };
	char *at;

	irq.number = (unsigned)strtoul(line, &at, 10);
	if (at == line || *at != ':' || to->n == KC_MAX_IRQS)
		return;
	at++;
	for (unsigned i = 0; i < to->cpus; i++) {
		char *from = at;

		irq.count += (uint32_t)strtoul(from, &at, 10);
		if (at == from || at > line + len)
			return;
	}
	take_names(&irq, at, (size_t)(line + len - at));
	if (irq.names[0] && !is_timer(irq.names))
		to->irq[to->n++] = irq;
}

void kc_interrupts_parse(struct kc_interrupts *to, const char *text)
{
	size_t len = strcspn(text, "\n");

	to->n = 0;
	to->cpus = count_cpus(text, len);
	for (text += len; *text == '\n'; text += len) {
		text++;
		len = strcspn(text, "\n");
		if (to->cpus)
			take_line(to, text, len);
	}
}

void kc_interrupts_read(struct kc_interrupts *to)
{
	KC_FD fd = open("/proc/interrupts", O_RDONLY | O_CLOEXEC);
	size_t size = 1 << 16, len = 0;
	char *text = kc_must(malloc(size));
	ssize_t n = 1;

	while (fd >= 0 && n > 0) {
		do
			n = read(fd, text + len, size - len - 1);
		while (n < 0 && errno == EINTR);
		if (n > 0)
			len += (size_t)n;
		if (len == size - 1)
			text = kc_must(realloc(text, size *= 2));
	}
	text[len] = '\0';
	kc_interrupts_parse(to, text);
	free(text);
}

/* Returns what line @irq counted in a window; @is_there: the window has that line. */
static uint32_t counted(const struct kc_window *w, const struct kc_irq *irq, bool *is_there)
{
	const struct kc_irq *found[2] = { NULL, NULL };
	const struct kc_interrupts *const sides[2] = { &w->before, &w->after };

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < sides[i]->n; k++)
			if (sides[i]->irq[k].number == irq->number &&
			    strcmp(sides[i]->irq[k].names, irq->names) == 0)
				found[i] = &sides[i]->irq[k];
	*is_there = found[0] && found[1];
	if (*is_there)
		return found[1]->count - found[0]->count;
	return 0;
}

enum tally { QUIET, EVIDENT, DOUBTFUL };

static enum tally judge_line(const struct kc_window work[2], const struct kc_window *idle,
			     const struct kc_irq *irq, double *each)
{
	bool is_there[3];
	uint32_t n[3] = { counted(&work[0], irq, &is_there[0]),
			  counted(&work[1], irq, &is_there[1]), counted(idle, irq, &is_there[2]) };
	double rate[2] = { (double)n[0] / work[0].requests, (double)n[1] / work[1].requests };
	double least = rate[0];

	if (rate[1] < least)
		least = rate[1];
	*each = (rate[0] + rate[1]) / 2;
	if (!is_there[0] || !is_there[1] || !is_there[2])
		return DOUBTFUL;
	if (rate[0] < LEAST && rate[1] < LEAST)
		return QUIET;
	if (least >= LEAST && n[2] <= NOISE * least * work[0].requests)
		return EVIDENT;
	return DOUBTFUL;
}

static bool is_whole(const struct kc_window *w)
{
	return w->before.cpus && w->before.cpus == w->after.cpus;
}

static struct kc_raising unknown(const char *why, const char *names)
{
	struct kc_raising r = { .is = KC_RAISED_UNKNOWN };

	snprintf(r.text, sizeof(r.text), "%s%s", why, names);
	return r;
}

struct kc_raising kc_interrupts_judge(const struct kc_window work[2], const struct kc_window *idle)
{
	struct kc_raising r = { .is = KC_RAISED_NONE };
	const struct kc_irq *evident = NULL;

	if (!is_whole(&work[0]) || !is_whole(&work[1]) || !is_whole(idle))
		return unknown("/proc/interrupts does not tell", "");
	for (size_t i = 0; i < work[0].before.n; i++) {
		const struct kc_irq *irq = &work[0].before.irq[i];
		double each;
		enum tally line = judge_line(work, idle, irq, &each);

		if (line == DOUBTFUL || (line == EVIDENT && evident))
			return unknown("another device interrupts meanwhile: ", irq->names);
		if (line != EVIDENT)
			continue;
		evident = irq;
		r.each = each;
	}
	if (!evident)
		return r;
	if (evident->is_shared)
		return unknown("several devices share the line: ", evident->names);
	r.is = KC_RAISED_SOME;
	snprintf(r.text, sizeof(r.text), "%s", evident->names);
	return r;
}

void kc_raising_text(const struct kc_raising *r, char *text, size_t size)
{
	if (r->is == KC_RAISED_UNKNOWN)
		snprintf(text, size, "unknown: %s", r->text);
	else if (r->is == KC_RAISED_NONE)
		snprintf(text, size, "none");
	else if (r->each > 1.2)
		snprintf(text, size, "%.1f interrupts a request (%s)", r->each, r->text);
	else if (r->each >= 0.8)
		snprintf(text, size, "one interrupt a request (%s)", r->text);
	else
		snprintf(text, size, "one interrupt for %.1f requests (%s)", 1 / r->each, r->text);
}
