/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between Linux 5.10 and 7.3. Not for a kernel's own tree, where only one variant of
 * each stays.
 */
#ifndef KCRYPTO_COMPAT_H
#define KCRYPTO_COMPAT_H

#include <linux/cache.h>
#include <linux/completion.h>
#include <linux/crypto.h>
#include <linux/freezer.h>
#include <linux/rwsem.h>
#include <linux/sched.h>

/* Until 5.10 one header has both; Kbuild finds out. */
#ifdef KCRYPTO_ONE_SHA_HEADER
#include <crypto/sha.h>
#else
#include <crypto/sha1.h>
#include <crypto/sha2.h>
#endif

/*
 * Exported for crypto_user.ko, but declared only in crypto/internal.h, which header packages lack.
 */
extern struct list_head crypto_alg_list;
extern struct rw_semaphore crypto_alg_sem;

/* A completion gets the callback's data since 6.3, and the request before; Kbuild finds out. */
#ifdef KCRYPTO_COMPLETION_OF_REQUEST
#define kcrypto_completion_arg struct crypto_async_request
#define kcrypto_completion_data(arg) ((arg)->data)
#else
#define kcrypto_completion_arg void
#define kcrypto_completion_data(arg) (arg)
#endif

/* Returns 0, or -ERESTARTSYS if killed. Does not keep the machine from going to sleep. */
static inline int kcrypto_wait_freezable(struct completion *done)
{
#ifdef TASK_FREEZABLE /* since 6.1 */
	return wait_for_completion_state(done, TASK_KILLABLE | TASK_FREEZABLE);
#else
	int err;

	freezer_do_not_count();
	err = wait_for_completion_killable(done);
	freezer_count();
	return err;
#endif
}

/* Until 6.5 only machines whose caches are not coherent with devices have it. */
#ifndef ARCH_DMA_MINALIGN
#define ARCH_DMA_MINALIGN __alignof__(unsigned long long)
#endif

#endif
