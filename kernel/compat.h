/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between Linux 5.10 and 7.3. Not for a kernel's own tree, where one of each stays.
 */
#ifndef KCRYPTO_COMPAT_H
#define KCRYPTO_COMPAT_H

#include <linux/crypto.h>
#include <linux/rwsem.h>
#include <linux/version.h>

/* Exported for crypto_user.ko, but declared in crypto/internal.h, which headers packages lack. */
extern struct list_head crypto_alg_list;
extern struct rw_semaphore crypto_alg_sem;

/* Since 6.3 a completion gets the callback's data, before that the request. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define kcrypto_completion_arg void
#define kcrypto_completion_data(arg) (arg)
#else
#define kcrypto_completion_arg struct crypto_async_request
#define kcrypto_completion_data(arg) ((arg)->data)
#endif

#endif
