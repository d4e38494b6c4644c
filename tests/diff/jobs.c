/* SPDX-License-Identifier: Apache-2.0 */
/* See jobs.h. A job is resumed once its descriptor is readable, or sometimes at once. */
#include "diff/jobs.h"

#include <poll.h>
#include <stdlib.h>

#include <openssl/async.h>

struct job {
	ASYNC_JOB *async;
	ASYNC_WAIT_CTX *wait;
	bool has_ended;
};

/*
 * libcrypto cannot free a job that is never resumed. This pointer keeps a leak checker from
 * reporting it.
 */
static ASYNC_JOB **abandoned;
static size_t abandoned_n;

static void abandon(struct job *job)
{
	ASYNC_JOB **more = realloc(abandoned, (abandoned_n + 1) * sizeof(*more));

	if (more) {
		more[abandoned_n++] = job->async;
		abandoned = more;
	}
	ASYNC_WAIT_CTX_free(job->wait);
	*job = (struct job){ .wait = ASYNC_WAIT_CTX_new() };
}

static int descriptor(const struct job *job)
{
	OSSL_ASYNC_FD fd = -1;
	size_t n = 0;

	if (!job->async || !ASYNC_WAIT_CTX_get_all_fds(job->wait, NULL, &n) || n != 1 ||
	    !ASYNC_WAIT_CTX_get_all_fds(job->wait, &fd, &n))
		return -1;
	return fd;
}

/* Beginning with a random job, returns the first one that can be resumed. */
static size_t choose(const struct jobs *jobs, struct job *job, struct random *random)
{
	size_t at = random_below(random, jobs->n), i;
	bool is_patient = random_below(random, 4) != 0;
	struct pollfd wait[64];

	while (job[at].has_ended)
		at = (at + 1) % jobs->n;
	if (!is_patient || !job[at].async)
		return at;
	for (i = 0; i < jobs->n; i++)
		wait[i] = (struct pollfd){ .fd = job[i].has_ended ? -1 : descriptor(&job[i]),
					   .events = POLLIN };
	poll(wait, (nfds_t)jobs->n, 1000);
	for (i = 0; i < jobs->n; i++, at = (at + 1) % jobs->n)
		if (!job[at].has_ended && (!job[at].async || wait[at].revents))
			return at;
	return at;
}

static bool go_on(const struct jobs *jobs, struct job *job, size_t at, struct random *random)
{
	int ret = 0, status;

	status = ASYNC_start_job(&job->async, job->wait, &ret, jobs->run, &jobs->args[at],
				 sizeof(jobs->args[at]));
	if (status == ASYNC_PAUSE && jobs->meddle(jobs->args[at], random))
		abandon(job);
	job->has_ended = status == ASYNC_FINISH;
	return job->has_ended ? ret == 1 : status == ASYNC_PAUSE;
}

bool jobs_play(const struct jobs *jobs, struct random random)
{
	struct job *job = calloc(jobs->n, sizeof(*job));
	size_t left = jobs->n;
	bool ok = job;

	for (size_t i = 0; ok && i < jobs->n; i++)
		job[i].wait = ASYNC_WAIT_CTX_new();
	while (ok && left) {
		size_t at = choose(jobs, job, &random);

		ok = go_on(jobs, &job[at], at, &random);
		left -= job[at].has_ended;
	}
	for (size_t i = 0; job && i < jobs->n; i++)
		ASYNC_WAIT_CTX_free(job[i].wait);
	free(job);
	return ok;
}
