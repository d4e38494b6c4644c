/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses OpenSSL's jobs. Removes what libcrypto's functions leave in the error queue. */
#include "core/base.h"

#include <openssl/async.h>
#include <openssl/err.h>

static ASYNC_WAIT_CTX *wait_ctx(void)
{
	ASYNC_JOB *job = ASYNC_get_current_job();

	if (!job)
		return NULL;
	return ASYNC_get_wait_ctx(job);
}

/* A job without a wait context cannot tell the application what it waits for. */
bool kc_job_can_pause(void)
{
	return wait_ctx() != NULL;
}

/*
 * The application sees the descriptor come and go. Where pausing is blocked, ASYNC_pause_job()
 * returns at once; the new descriptor is then still listed as added, and that shows it.
 */
bool kc_job_pause(int fd)
{
	static const char key;
	ASYNC_WAIT_CTX *ctx = wait_ctx();
	size_t added = 0, deleted = 0;
	bool ok;

	if (!ctx)
		return false;
	ERR_set_mark();
	ok = ASYNC_WAIT_CTX_set_wait_fd(ctx, &key, fd, NULL, NULL);
	ERR_pop_to_mark();
	if (!ok)
		return false;
	ok = ASYNC_pause_job();
	if (ok)
		ok = ASYNC_WAIT_CTX_get_changed_fds(ctx, NULL, &added, NULL, &deleted);
	ASYNC_WAIT_CTX_clear_fd(ctx, &key);
	return ok && !added;
}
