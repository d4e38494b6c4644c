// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kinds of requests that the test accelerator can answer wrong, while it answers all others
 * right. Each kind is a defect that a driver may have. What a kind has to know of earlier requests
 * is kept here.
 */
#include <linux/module.h>
#include <linux/string.h>

#include "accel.h"

#define PAGE 4096 /* of the program's memory */
#define AES  16	  /* bytes of a block */

static const struct accel_session
	*last_session; /* session of the last request, whichever algorithm it had */
static bool last_failed;

static bool is_each_1000th(const struct accel_job *job, u64 n)
{
	return n % 1000 == 0;
}

static bool is_second(const struct accel_job *job, u64 n)
{
	return job->session->past.requests == 1;
}

static bool is_aged(const struct accel_job *job, u64 n)
{
	return job->session->past.requests >= 100;
}

static bool takes_turns(const struct accel_job *job, u64 n)
{
	return job->session->past.requests && last_session != job->session;
}

static bool has_same_iv(const struct accel_job *job, u64 n)
{
	const struct accel_past *past = &job->session->past;

	return past->requests && past->encrypted == job->encrypts &&
	       !memcmp(past->began, job->iv, job->iv_len);
}

static bool has_new_iv(const struct accel_job *job, u64 n)
{
	const struct accel_past *past = &job->session->past;

	return past->requests && memcmp(past->ended, job->iv, job->iv_len);
}

static bool is_above_32_kib(const struct accel_job *job, u64 n)
{
	return job->len > 32768;
}

static bool is_in_place(const struct accel_job *job, u64 n)
{
	return job->dst && sg_page(job->src) == sg_page(job->dst) &&
	       job->src->offset == job->dst->offset;
}

static bool crosses(const struct scatterlist *list, unsigned int len)
{
	return list && list->offset % AES && list->offset % PAGE + len > PAGE;
}

static bool crosses_pages(const struct accel_job *job, u64 n)
{
	return crosses(job->src, job->len) || crosses(job->dst, job->len);
}

static bool is_after_error(const struct accel_job *job, u64 n)
{
	return last_failed;
}

/* The final step of a hash has no text of its own. */
static bool is_whole_blocks(const struct accel_job *job, u64 n)
{
	unsigned int len = job->len ? job->len : job->session->past.len;

	return len && len % 64 == 0;
}

static bool has_short_tag(const struct accel_job *job, u64 n)
{
	return job->tag_len && job->tag_len < AES;
}

static bool has_short_nonce(const struct accel_job *job, u64 n)
{
	return job->iv_len == AES && job->tag_len && job->iv[0] != 2;
}

static bool is_one_length(const struct accel_job *job, u64 n)
{
	return job->len == 5008;
}

/*
 * Models a driver that keeps part of the key in registers, which lose it while the device is
 * suspended.
 */
static bool is_after_rest(const struct accel_job *job, u64 n)
{
	return job->is_rested && job->session->past.requests;
}

static const struct kind {
	const char *word;
	bool (*is)(const struct accel_job *job, u64 n);
} kinds[] = {
	{ "all", NULL },
	{ "each-1000th", is_each_1000th },
	{ "second", is_second },
	{ "aged", is_aged },
	{ "turns", takes_turns },
	{ "same-iv", has_same_iv },
	{ "new-iv", has_new_iv },
	{ "above-32-kib", is_above_32_kib },
	{ "in-place", is_in_place },
	{ "crossing", crosses_pages },
	{ "after-error", is_after_error },
	{ "blocks", is_whole_blocks },
	{ "short-tag", has_short_tag },
	{ "short-nonce", has_short_nonce },
	{ "one-length", is_one_length },
	{ "rested", is_after_rest },
};
static const struct kind *kind = &kinds[0];

static int kind_set(const char *value, const struct kernel_param *kp)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!sysfs_streq(value, kinds[i].word))
			continue;
		kind = &kinds[i];
		return 0;
	}
	return -EINVAL;
}

static int kind_get(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%s\n", kind->word);
}

static const struct kernel_param_ops kind_ops = { .set = kind_set, .get = kind_get };
module_param_cb(corrupt_only, &kind_ops, NULL, 0644);
MODULE_PARM_DESC(corrupt_only, "of what corrupt_from says: a kind of requests, see lies.c");

bool accel_is_kind(const struct accel_job *job, u64 n)
{
	const struct kind *now = READ_ONCE(kind);

	return !now->is || now->is(job, n);
}

void accel_begin(struct accel_job *job)
{
	memcpy(job->first_iv, job->iv, job->iv_len);
}

void accel_remember(const struct accel_job *job, int err)
{
	struct accel_past *past = &job->session->past;

	past->requests++;
	past->encrypted = job->encrypts;
	past->len = job->len;
	memcpy(past->began, job->first_iv, job->iv_len);
	memcpy(past->ended, job->iv, job->iv_len);
	last_session = job->session;
	last_failed = err && err != -EBADMSG;
}
