// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many requests keep a device busy. A driver does not tell how many engines its device has, nor
 * how long the way to it takes. But add up the times that the requests of a period would have taken
 * one by one, and divide by the period: that is how many the device works on at a time. Twice as
 * many let each request be followed by the next one at once, and make nobody wait for more than
 * that.
 *
 * A busy machine makes single requests longer, never shorter. So the time of a request alone is the
 * least that was seen, and a rate comes from many requests.
 *
 * A user may know when what is measured, and choose his requests. So a request counts only beside
 * measured ones of the same driver, and as no more than its length suggests; one that the driver
 * refused, or that has no text, says nothing. Else a device would seem to have any number of
 * engines.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "kcrypto.h"

#define KCRYPTO_MIN_WINDOW	2 /* one to be worked on, and the next */
#define KCRYPTO_MAX_WINDOW	256
#define KCRYPTO_WHILE		4 /* requests in a period, for each that the driver may have */
#define KCRYPTO_FIRST_LOOKS	4U
#define KCRYPTO_LOOK_AGAIN	(4 * HZ)
#define KCRYPTO_FORGET		(32 * HZ)

static u32 kcrypto_window_len(const struct kcrypto_job *job)
{
	return job->req.len + job->req.aad_len;
}

/* Returns the class of a length: below 1, 4, 16 and 64 KiB, and 64 KiB. */
static unsigned int kcrypto_class(const struct kcrypto_job *job)
{
	return min((fls(kcrypto_window_len(job) >> 10) + 1) / 2, KCRYPTO_CLASSES - 1);
}

static bool kcrypto_alone_is_of(const struct kcrypto_alone *alone, const struct kcrypto_job *job)
{
	return alone->driver == job->session->tfm.base->__crt_alg;
}

static bool kcrypto_alone_is_stale(const struct kcrypto_alone *alone)
{
	return time_after(jiffies, alone->at + KCRYPTO_LOOK_AGAIN);
}

/* As if the way to the device took no time: no request of @to bytes takes less, if @to < @from. */
static u64 kcrypto_window_scale(u64 ns, u32 from, u32 to)
{
	return div_u64(ns * to, from);
}

/* Forgets everything about the device. */
void kcrypto_window_init(struct kcrypto_window *window)
{
	memset(window, 0, sizeof(*window));
	window->size = KCRYPTO_MIN_WINDOW;
	window->is_fresh = true;
}

/**
 * kcrypto_window_wants_alone() - tells whether to measure the time of a request alone
 * @window: the queue's
 * @job: the request
 *
 * Return: true for the first few of its length, and now and then; false if another driver's of this
 * length are being measured.
 */
bool kcrypto_window_wants_alone(const struct kcrypto_window *window,
				const struct kcrypto_job *job)
{
	const struct kcrypto_alone *alone = &window->alone[kcrypto_class(job)];

	if (!kcrypto_window_len(job))
		return false;
	if (kcrypto_alone_is_stale(alone))
		return true;
	if (alone->looks && !kcrypto_alone_is_of(alone, job))
		return false;
	return alone->tries < KCRYPTO_FIRST_LOOKS;
}

/**
 * kcrypto_window_begin() - the driver gets a request while others wait
 * @window: the queue's
 * @job: the request
 * @n_started: number of requests that the driver has, with this one
 */
void kcrypto_window_begin(struct kcrypto_window *window, const struct kcrypto_job *job,
			  unsigned int n_started)
{
	if (n_started == 1 && !window->sample && kcrypto_window_wants_alone(window, job)) {
		kcrypto_window_stop(window);
		window->sample = job;
		window->begun = ktime_get_ns();
	} else {
		kcrypto_window_press(window, n_started);
	}
}

/**
 * kcrypto_window_press() - others wait for a driver that has this many requests
 * @window: the queue's
 * @n_started: number of requests that the driver has
 */
void kcrypto_window_press(struct kcrypto_window *window, unsigned int n_started)
{
	if (kcrypto_window_is_measured(window) || n_started < window->size)
		return;
	window->count = 1;
	window->work = 0;
	window->last_work = 0;
	window->has_gaps = false;
	window->begun = ktime_get_ns();
}

/* Drops the present measurement. */
void kcrypto_window_stop(struct kcrypto_window *window)
{
	window->sample = NULL;
	window->count = 0;
}

static void kcrypto_alone_try(struct kcrypto_alone *alone)
{
	if (kcrypto_alone_is_stale(alone))
		alone->tries = 0;
	alone->tries = min(alone->tries + 1, KCRYPTO_FIRST_LOOKS);
	alone->at = jiffies;
}

/* Begins with another driver, or another period. */
static void kcrypto_alone_begin(struct kcrypto_alone *alone, const struct kcrypto_job *job,
				u64 took)
{
	u32 len = kcrypto_window_len(job);

	if (!kcrypto_alone_is_of(alone, job))
		alone->looks = 0;
	alone->before = took;
	if (alone->looks)
		alone->before = min(alone->least,
				    kcrypto_window_scale(alone->least, alone->len, len));
	alone->driver = job->session->tfm.base->__crt_alg;
	alone->len = len;
	alone->least = took;
	alone->since = jiffies;
}

static void kcrypto_window_note_alone(struct kcrypto_window *window, const struct kcrypto_job *job)
{
	struct kcrypto_alone *alone = &window->alone[kcrypto_class(job)];
	u64 took = max_t(u64, ktime_get_ns() - window->begun, 1);

	if (!alone->looks || !kcrypto_alone_is_of(alone, job) ||
	    time_after(jiffies, alone->since + KCRYPTO_FORGET))
		kcrypto_alone_begin(alone, job, took);
	/* A shorter request counts as one of @len bytes. */
	took = max(took, kcrypto_window_scale(took, kcrypto_window_len(job), alone->len));
	alone->least = min(alone->least, took);
	alone->last = took;
	alone->looks = min(alone->looks + 1, KCRYPTO_FIRST_LOOKS);
}

/* Has the time of a request alone measured once more. */
static void kcrypto_window_refresh(struct kcrypto_window *window)
{
	struct kcrypto_alone *alone;

	for (alone = window->alone; alone < window->alone + KCRYPTO_CLASSES; alone++) {
		alone->looks = min(alone->looks, KCRYPTO_FIRST_LOOKS - 1);
		alone->tries = min(alone->tries, KCRYPTO_FIRST_LOOKS - 1);
	}
	window->is_fresh = true;
}

/* A quarter is the measurement's own error. */
static unsigned int kcrypto_window_fits(u64 work, u64 elapsed)
{
	return clamp_t(u64, div64_u64(2 * work + elapsed / 4, elapsed), KCRYPTO_MIN_WINDOW,
		       KCRYPTO_MAX_WINDOW);
}

/*
 * A device that has become faster since single requests were measured looks as if it had more
 * engines, and one that has become slower as if it had fewer. So the window changes only if a
 * measurement after a new look at single requests still says so. It shrinks by the latest times,
 * because the least may be from a faster period.
 */
static void kcrypto_window_judge(struct kcrypto_window *window)
{
	u64 elapsed = max_t(u64, ktime_get_ns() - window->begun, 1);
	unsigned int least = kcrypto_window_fits(window->work, elapsed);
	unsigned int most = kcrypto_window_fits(window->last_work, elapsed);
	bool grows = least > window->size, shrinks = most < window->size && !window->has_gaps;

	window->count = 0;
	if ((grows || shrinks) && !window->is_fresh) {
		kcrypto_window_refresh(window);
		return;
	}
	window->is_fresh = false;
	if (grows)
		window->size = min(least, 2 * window->size);
	else if (shrinks)
		window->size = (window->size + most) / 2;
}

/* Adds what the request would have taken alone: at most, and at least. */
static void kcrypto_window_add(struct kcrypto_window *window, const struct kcrypto_job *job,
			       bool is_pressed)
{
	const struct kcrypto_alone *alone = &window->alone[kcrypto_class(job)];
	u32 len = kcrypto_window_len(job);
	u64 least = min(alone->least, alone->before);

	if (alone->looks < KCRYPTO_FIRST_LOOKS) {
		window->count = 0;
		return;
	}
	/* A device that has nothing to do at times may be able to do more, but not less. */
	window->has_gaps |= !is_pressed;
	window->work += min(least, kcrypto_window_scale(least, alone->len, len));
	window->last_work += max(alone->last, kcrypto_window_scale(alone->last, alone->len, len));
	if (window->count++ >= KCRYPTO_WHILE * window->size)
		kcrypto_window_judge(window);
}

/**
 * kcrypto_window_end() - the driver has answered a request
 * @window: the queue's, with a measurement
 * @job: the request
 * @is_done: it was answered without an error
 * @is_pressed: others wait
 */
void kcrypto_window_end(struct kcrypto_window *window, const struct kcrypto_job *job, bool is_done,
			bool is_pressed)
{
	struct kcrypto_alone *alone = &window->alone[kcrypto_class(job)];

	is_done = is_done && kcrypto_window_len(job);
	if (window->sample == job) {
		window->sample = NULL;
		kcrypto_alone_try(alone);
		if (is_done)
			kcrypto_window_note_alone(window, job);
	} else if (window->count && is_done && kcrypto_alone_is_of(alone, job)) {
		kcrypto_window_add(window, job, is_pressed);
	} else {
		window->has_gaps = true;
	}
}
