/* SPDX-License-Identifier: Apache-2.0 */
/* Makes requests, watches the interrupts, and concludes. */
#include "cli/evidence/evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/child.h"
#include "cli/cli.h"
#include "core/clock.h"
#include "offload/answers.h"
#include "session/buffers.h"
#include "session/session.h"

#define REQUESTS 24	   /* in a window, */
#define AT_LEAST 8	   /* or so many slow ones */
#define WINDOW	 100000000 /* ns that a window should take at most */
#define TOO_SLOW 40000000  /* ns: lengths with slower requests are not tried */
#define SMALLEST 64	   /* bytes */
#define FACTOR	 4	   /* between two lengths */
#define ALIKE	 0.25	   /* times per byte that differ by less may be of the same software */

static const size_t quick[] = { 1024, 16384 };

struct watcher {
	struct kc_candidate *candidate;
	const struct kc_base *base;
	struct kc_answers answers;
	struct kc_session session;
	struct kc_window window[3]; /* large */
	unsigned requests;
};

/* In the direction and with the buffers that all requests have here. 0 or -errno. */
static int ask_once(struct watcher *s, size_t len)
{
	struct kc_req req = kc_answers_req(&s->answers, KC_ENCRYPT, len);

	s->requests++;
	return kc_session_ask(s->answers.session, &req, s->answers.room);
}

/* Returns the lowest time of a few requests in ns; 0: one failed. */
static uint64_t least_of(struct watcher *s, size_t len, unsigned n)
{
	uint64_t least = UINT64_MAX;

	while (n--) {
		uint64_t start = kc_now_ns(), ns;

		if (ask_once(s, len) != 0)
			return 0;
		ns = kc_now_ns() - start;
		if (ns < least)
			least = ns;
	}
	if (least)
		return least;
	return 1;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (nanosleep(&t, &t) != 0)
		;
}

/* False: a request failed. */
static bool watch(struct watcher *s, size_t len, unsigned n, struct kc_window *w)
{
	w->requests = n;
	kc_interrupts_read(&w->before);
	for (unsigned i = 0; i < n; i++)
		if (ask_once(s, len) != 0)
			return false;
	kc_interrupts_read(&w->after);
	return true;
}

/* Returns how many requests of @ns each fill a window. */
static unsigned requests_of(uint64_t ns)
{
	if (ns * REQUESTS < WINDOW)
		return REQUESTS;
	return (unsigned)kc_max((size_t)(WINDOW / ns), AT_LEAST);
}

/*
 * Makes two windows with requests, and between them one of the same length without. False: a
 * request failed, or it is not the first length and there is no time for requests of this length.
 */
static bool sample(struct watcher *s, size_t len, bool is_first, struct kc_sample *to,
		   struct kc_raising *raising)
{
	uint64_t start;
	unsigned n;

	to->len = len;
	to->ns = least_of(s, len, 1);
	if (!to->ns || (to->ns > TOO_SLOW && !is_first))
		return false;
	n = requests_of(to->ns);
	start = kc_now_ns();
	if (!watch(s, len, n, &s->window[0]))
		return false;
	start = kc_now_ns() - start;
	kc_interrupts_read(&s->window[2].before);
	sleep_ns(start);
	kc_interrupts_read(&s->window[2].after);
	if (!watch(s, len, n, &s->window[1]))
		return false;
	to->ns = least_of(s, len, 3);
	*raising = kc_interrupts_judge(s->window, &s->window[2]);
	to->raised = raising->is;
	return true;
}

/* True for software that does @alg at once; cryptd() would do it later, in another thread. */
static bool is_software_for(const struct kc_driver *d, const struct kc_alg *alg)
{
	if (strcmp(d->name, alg->kernel_name) != 0 || d->nature != KC_SOFTWARE)
		return false;
	return strncmp(d->driver, "cryptd(", 7) != 0;
}

/* Finds the kernel's own software of the highest priority for the algorithm; "": none is listed. */
static void find_software(const struct kc_alg *alg, char name[KC_DRIVER_NAME_SIZE])
{
	struct kc_drivers *drivers = kc_must(calloc(1, sizeof(*drivers)));
	const struct kc_backend *afalg = kc_backend_named("afalg");
	int best = 0;

	*name = '\0';
	kc_drivers_init(drivers, NULL);
	if (afalg && afalg->discover(drivers) == 0)
		for (size_t i = 0; i < drivers->n; i++) {
			const struct kc_driver *d = &drivers->v[i];

			if (is_software_for(d, alg) && (!*name || d->priority > best)) {
				best = d->priority;
				snprintf(name, KC_DRIVER_NAME_SIZE, "%s", d->driver);
			}
		}
	free(drivers);
}

/* Times the same requests by the kernel's software; zeros: it can't be asked. */
static void time_software(struct watcher *s, const size_t len[2], uint64_t ns[2],
			  char name[KC_DRIVER_NAME_SIZE])
{
	const struct kc_backend *afalg = kc_backend_named("afalg");
	struct kc_session session = { .limit = KC_MAX_REQUEST };
	struct kc_session *device = s->answers.session;
	struct kc_key key = s->answers.key;

	key.is_blocks = false;
	ns[0] = ns[1] = 0;
	find_software(s->candidate->alg, name);
	if (!*name || kc_session_begin(&session, afalg, s->candidate->alg, name, &key))
		return;
	s->answers.session = &session;
	for (int i = 0; i < 2; i++)
		if (len[i] <= session.limit)
			ns[i] = least_of(s, len[i], 5);
	s->answers.session = device;
	kc_session_drop(&session);
}

/* Times the driver's requests, a few moments later. */
static void take_pace(struct watcher *s, const size_t len[2], struct kc_pace *pace,
		      char name[KC_DRIVER_NAME_SIZE])
{
	for (int i = 0; i < 2; i++)
		pace->device[i] = least_of(s, len[i], 5);
	time_software(s, len, pace->software, name);
}

static size_t length_of(const struct watcher *s, enum kc_look look, size_t i)
{
	const struct kc_alg *alg = s->candidate->alg;
	size_t len = kc_max(alg->block_len, SMALLEST) << (2 * i);

	_Static_assert(FACTOR == 4, "a shift by two bits");
	if (look < KC_LOOK_CLOSELY)
		len = quick[i];
	len = kc_min(len, s->session.limit);
	if (alg->kind == KC_CIPHER || s->candidate->whole)
		return kc_whole_blocks(alg, len);
	return len;
}

/* Returns how often to time @n lengths: if no interrupt tells, the times have to. */
static int paces_for(size_t n, enum kc_raised seen)
{
	if (n < 2)
		return 0;
	if (seen == KC_RAISED_NONE)
		return KC_PACES;
	return 1;
}

static void gather_evidence(struct watcher *s, enum kc_look look, struct kc_evidence *e)
{
	static const size_t lengths[] = { [KC_LOOK_BRIEFLY] = 1,
					  [KC_LOOK_QUICKLY] = sizeof(quick) / sizeof(quick[0]),
					  [KC_LOOK_CLOSELY] = KC_EVIDENCE_SIZES };
	struct kc_sample samples[KC_EVIDENCE_SIZES];
	struct kc_pace paces[KC_PACES] = { 0 };
	size_t n = 0;
	char words[160] = "none", name[KC_DRIVER_NAME_SIZE];
	struct kc_raising raising;
	enum kc_raised seen = KC_RAISED_NONE;
	bool is_asked = true, is_new;
	int wanted;

	for (; is_asked && n < lengths[look]; n += is_asked) {
		is_asked = sample(s, length_of(s, look, n), !n, &samples[n], &raising);
		is_new = is_asked && raising.is != KC_RAISED_NONE && seen != KC_RAISED_SOME;
		if (!is_new)
			continue;
		kc_raising_text(&raising, words, sizeof(words));
		seen = raising.is;
	}
	e->requests = s->requests;
	if (!n)
		return;
	wanted = paces_for(n, seen);
	for (int i = 0; i < wanted; i++)
		take_pace(s, (const size_t[2]){ samples[0].len, samples[n - 1].len }, &paces[i],
			  name);
	kc_evidence_conclude(e, samples, n, words, paces, name);
}

void kc_evidence_find(struct kc_candidate *candidate, const struct kc_base *base, enum kc_look look,
		      struct kc_evidence *e)
{
	const size_t each = KC_ANSWERS_EACH(KC_MAX_REQUEST);
	uint8_t *mem = kc_pages_new(KC_MAX_REQUEST + 3 * each);
	struct watcher *s = kc_must(calloc(1, sizeof(*s)));

	memset(e, 0, sizeof(*e));
	s->candidate = candidate;
	s->base = base;
	kc_session_init(&s->session);
	if (mem) {
		kc_answers_init(&s->answers, candidate, base, mem, mem + KC_MAX_REQUEST, each);
		s->answers.session = &s->session;
		if (kc_session_open(&s->session, candidate, &s->answers.key) == 0)
			gather_evidence(s, look, e);
		kc_session_close(&s->session);
	}
	free(mem);
	free(s);
}

struct asking {
	struct kc_candidate *candidate;
	enum kc_look look;
	struct kc_evidence evidence;
};

static void ask_in_child(void *data)
{
	struct asking *q = data;
	const struct kc_alg *alg = q->candidate->alg;
	const struct kc_base *base;

	if (!kc_base_open(alg->legacy))
		return;
	base = kc_base_get(alg);
	if (base)
		kc_evidence_find(q->candidate, base, q->look, &q->evidence);
}

void kc_evidence_ask(struct kc_candidate *candidate, enum kc_look look, struct kc_evidence *e)
{
	struct asking q = { .candidate = candidate, .look = look };
	struct kc_child child;

	kc_child_ask(&child, ask_in_child, &q, sizeof(q), KC_CHILD_SECONDS);
	*e = q.evidence;
}

/* Returns ns per byte, without the fixed cost of a request on either side; 0: not known. */
static double slope(const struct kc_sample *a, const struct kc_sample *b, uint64_t ns_a,
		    uint64_t ns_b)
{
	if (a->len < b->len && ns_a && ns_b > ns_a)
		return (double)(ns_b - ns_a) / (double)(b->len - a->len);
	return 0;
}

/* Returns how many times as long as with software a further byte takes; 0: not known. */
static double ratio_of(const struct kc_pace *p, const struct kc_sample *first,
		       const struct kc_sample *last)
{
	double its = slope(first, last, p->device[0], p->device[1]);
	double softs = slope(first, last, p->software[0], p->software[1]);

	if (its && softs)
		return its / softs;
	return 0;
}

static enum kc_doer doer_by(double ratio)
{
	if (!ratio)
		return KC_DONE_UNKNOWN;
	if (ratio > 1 - ALIKE && ratio < 1 + ALIKE)
		return KC_DONE_BY_SOFTWARE;
	return KC_DONE_BY_POLLING;
}

/* Returns the middle one of the ratios; 0: they do not agree. */
static double settle(const double ratios[KC_PACES])
{
	double low = ratios[0], high = ratios[0], sum = 0;

	for (int i = 0; i < KC_PACES; i++) {
		if (doer_by(ratios[i]) != doer_by(ratios[0]))
			return 0;
		if (ratios[i] < low)
			low = ratios[i];
		if (ratios[i] > high)
			high = ratios[i];
		sum += ratios[i];
	}
	_Static_assert(KC_PACES == 3, "the middle one is what is left");
	if (high - low <= ALIKE * high)
		return sum - low - high;
	return 0;
}

static void conclude_from_times(struct kc_evidence *e, const struct kc_sample *first,
				const struct kc_sample *last, const struct kc_pace *paces,
				const char *name)
{
	double ratios[KC_PACES], ratio;

	for (int i = 0; i < KC_PACES; i++)
		ratios[i] = ratio_of(&paces[i], first, last);
	ratio = settle(ratios);
	e->by = doer_by(ratio);
	if (e->by == KC_DONE_UNKNOWN)
		snprintf(e->text, sizeof(e->text),
			 "none: the engine is polled, or the kernel's software did it");
	else if (e->by == KC_DONE_BY_SOFTWARE)
		snprintf(e->text, sizeof(e->text),
			 "none: it takes the time of %s, so the kernel's software did it", name);
	else
		snprintf(e->text, sizeof(e->text),
			 "none: the engine is polled, as it takes %.2f times the time of %s", ratio,
			 name);
}

static void word_times(struct kc_evidence *e, const struct kc_sample *first,
		       const struct kc_sample *last, const uint64_t software[2], const char *name)
{
	int n = snprintf(e->times, sizeof(e->times), "%zu and %zu bytes take %.1f and %.1f us",
			 first->len, last->len, (double)first->ns / 1e3, (double)last->ns / 1e3);

	if (software[0] && software[1])
		snprintf(e->times + n, sizeof(e->times) - (size_t)n, ", by %s %.1f and %.1f us",
			 name, (double)software[0] / 1e3, (double)software[1] / 1e3);
}

void kc_evidence_conclude(struct kc_evidence *e, const struct kc_sample *samples, size_t n,
			  const char *words, const struct kc_pace *paces, const char *name)
{
	size_t with = 0, without = 0;

	word_times(e, &samples[0], &samples[n - 1], paces[0].software, name);

	for (size_t i = 0; i < n; i++) {
		without += samples[i].raised == KC_RAISED_NONE;
		if (samples[i].raised != KC_RAISED_SOME)
			continue;
		if (!with++)
			e->from = samples[i].len;
		e->to = samples[i].len;
	}
	if (!with && without == n) {
		conclude_from_times(e, &samples[0], &samples[n - 1], paces, name);
		return;
	}
	e->by = KC_DONE_UNKNOWN;
	if (with)
		e->by = KC_DONE_BY_DEVICE;
	if (with && without)
		snprintf(e->text, sizeof(e->text),
			 "%s, from %zu to %zu bytes; none at other lengths", words, e->from, e->to);
	else
		snprintf(e->text, sizeof(e->text), "%s", words);
}
