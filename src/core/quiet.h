/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hides side effects from the application: a changed errno, and cancellation while we hold
 * something.
 */
#ifndef KC_CORE_QUIET_H
#define KC_CORE_QUIET_H

#include <errno.h>
#include <pthread.h>

struct kc_quiet {
	int saved_errno, cancel_state;
};

/* Saves errno and disables cancellation. Use KC_QUIETLY. */
static inline struct kc_quiet kc_quiet_begin(void)
{
	struct kc_quiet q = { .saved_errno = errno };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &q.cancel_state);
	return q;
}

/* Restores both. */
static inline void kc_quiet_end(const struct kc_quiet *q)
{
	pthread_setcancelstate(q->cancel_state, NULL);
	errno = q->saved_errno;
}

/* Returns a system call's result, or -errno if the result is negative. */
static inline long kc_or_errno(long n)
{
	if (n < 0)
		return -errno;
	return n;
}

/* For the cleanup attribute of KC_KEEPS_ERRNO. */
static inline void kc_errno_restore(const int *saved_errno)
{
	errno = *saved_errno;
}

/* A declaration that restores errno at the end of its block. */
#define KC_KEEPS_ERRNO int saved_errno __attribute__((cleanup(kc_errno_restore), unused)) = errno

/* A declaration that disables cancellation until the end of its block, and then restores errno. */
#define KC_QUIETLY                                                                                 \
	struct kc_quiet quiet __attribute__((cleanup(kc_quiet_end), unused)) = kc_quiet_begin()

#endif
