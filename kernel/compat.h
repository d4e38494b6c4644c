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
#define KCRYPTO_COMPLETION(function) \
	static void function##_completion(void *data, int err) { function(data, err); }
#else
#define KCRYPTO_COMPLETION(function) \
	static void function##_completion(struct crypto_async_request *req, int err) \
	{ function(req->data, err); }
#endif

/* From 6.7 on, some ciphers have a simpler interface, which crypto_alloc_skcipher() hides. */
static inline bool kcrypto_type_is_cipher(u32 type)
{
#ifdef CRYPTO_ALG_TYPE_LSKCIPHER
	if (type == CRYPTO_ALG_TYPE_LSKCIPHER)
		return true;
#endif
	return type == CRYPTO_ALG_TYPE_SKCIPHER;
}

#endif
