// SPDX-License-Identifier: GPL-2.0-only
/*
 * The closed table of algorithms, and which of the crypto API's drivers are admitted for them.
 * Only looks at drivers that are registered: nothing is loaded or instantiated for a user.
 */
#include <linux/crypto.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <crypto/algapi.h>

#include "compat.h"
#include "kcrypto.h"
#include <kcrypto_drivers.h>

#define MAX_LISTED 256

/* A driver's name may hold commas and brackets, but no colon. */
static char *drivers = "";
module_param(drivers, charp, 0644);
MODULE_PARM_DESC(drivers, "drivers that are admitted in addition to asynchronous hardware, by their names in /proc/crypto, separated by colons");

static bool software;
module_param(software, bool, 0644);
MODULE_PARM_DESC(software, "admit every driver, for tests (N)");

static const struct kcrypto_alg algs[] = {
#define KCRYPTO_ALG(id, number, n, k, u, least, iv, out) \
	[number] = { .name = n, .kind = KCRYPTO_##k, .unit = u, \
		     .min_len = least, .iv_len = iv, .out_len = out },
#include <uapi/linux/kcrypto_algs.h>
#undef KCRYPTO_ALG
};

/* Returns NULL where the table has no row of this number. */
const struct kcrypto_alg *kcrypto_alg_find(u32 number)
{
	if (number >= ARRAY_SIZE(algs))
		return NULL;
	number = array_index_nospec(number, ARRAY_SIZE(algs));
	return algs[number].name ? &algs[number] : NULL;
}

/* Ahash and shash differ in the lowest bit only, and from 6.7 on skcipher and lskcipher do. */
static bool is_row_of(const struct kcrypto_alg *alg, const struct crypto_alg *driver)
{
	static const u32 types[] = {
		[KCRYPTO_CIPHER] = CRYPTO_ALG_TYPE_SKCIPHER, [KCRYPTO_AEAD] = CRYPTO_ALG_TYPE_AEAD,
		[KCRYPTO_DIGEST] = CRYPTO_ALG_TYPE_AHASH, [KCRYPTO_MAC] = CRYPTO_ALG_TYPE_AHASH,
	};

	return ((driver->cra_flags ^ types[alg->kind]) & CRYPTO_ALG_TYPE_MASK & ~1) == 0 &&
	       alg->name && strcmp(alg->name, driver->cra_name) == 0;
}

/* Registered, tested and for all to use. Under crypto_alg_sem, like the next three. */
static bool is_usable(const struct crypto_alg *driver)
{
	u32 mask = CRYPTO_ALG_LARVAL | CRYPTO_ALG_DEAD | CRYPTO_ALG_DYING | CRYPTO_ALG_INTERNAL |
		   CRYPTO_ALG_TESTED;

	return (driver->cra_flags & mask) == CRYPTO_ALG_TESTED;
}

/*
 * Until 6.12, x86's and ARM's instructions are wrapped by asynchronous drivers, each named after
 * the internal driver that does the work.
 */
static bool is_simd_wrapper(const struct crypto_alg *driver)
{
	const struct crypto_alg *other;

	list_for_each_entry(other, &crypto_alg_list, cra_list)
		if (other->cra_flags & CRYPTO_ALG_INTERNAL &&
		    strncmp(other->cra_driver_name, "__", 2) == 0 &&
		    strcmp(other->cra_driver_name + 2, driver->cra_driver_name) == 0)
			return true;
	return false;
}

static bool is_hardware(const struct crypto_alg *driver)
{
	return kcrypto_is_hardware(driver->cra_driver_name,
				   driver->cra_flags & CRYPTO_ALG_KERN_DRIVER_ONLY,
				   driver->cra_flags & CRYPTO_ALG_ASYNC) &&
	       !is_simd_wrapper(driver);
}

/* Is it one of the names that root gave? */
static bool root_admits(const char *driver)
{
	size_t len = strlen(driver);
	const char *at;
	bool found = READ_ONCE(software);

	kernel_param_lock(THIS_MODULE);
	for (at = drivers; !found && *at; at += strcspn(at, ":"), at += *at == ':')
		found = strncmp(at, driver, len) == 0 && strchr(":\n", at[len]);
	kernel_param_unlock(THIS_MODULE);
	return found;
}

static bool is_admitted(const struct crypto_alg *driver)
{
	return is_hardware(driver) || root_admits(driver->cra_driver_name);
}

/**
 * kcrypto_driver_choose() - finds a driver
 * @alg: row of the table
 * @driver: KCRYPTO_NAME_LEN bytes: its name, or "" for the one with the highest priority; out: name
 *
 * Return: 0; -ENOENT: there is none; -EPERM: there is one, which is not admitted.
 */
int kcrypto_driver_choose(const struct kcrypto_alg *alg, char *driver)
{
	const struct crypto_alg *candidate, *best = NULL;
	int err = -ENOENT;

	down_read(&crypto_alg_sem);
	list_for_each_entry(candidate, &crypto_alg_list, cra_list) {
		if (!is_usable(candidate) || !is_row_of(alg, candidate) ||
		    (*driver && strcmp(candidate->cra_driver_name, driver) != 0))
			continue;
		if (!is_admitted(candidate))
			err = -EPERM;
		else if (!best || candidate->cra_priority > best->cra_priority)
			best = candidate;
	}
	if (best)
		err = strscpy_pad(driver, best->cra_driver_name, KCRYPTO_NAME_LEN);
	up_read(&crypto_alg_sem);
	return min(err, 0);
}

static void describe(struct kcrypto_driver *to, const struct crypto_alg *from, u32 number)
{
	to->flags = (from->cra_flags & CRYPTO_ALG_ASYNC ? KCRYPTO_DRIVER_ASYNC : 0) |
		    (from->cra_flags & CRYPTO_ALG_KERN_DRIVER_ONLY ? KCRYPTO_DRIVER_HARDWARE : 0) |
		    (from->cra_flags & CRYPTO_ALG_NEED_FALLBACK ? KCRYPTO_DRIVER_FALLBACK : 0);
	if ((from->cra_flags & CRYPTO_ALG_TYPE_MASK) == CRYPTO_ALG_TYPE_SKCIPHER) {
		const struct skcipher_alg *cipher = container_of(from, struct skcipher_alg, base);

		to->min_key = cipher->min_keysize;
		to->max_key = cipher->max_keysize;
	}
	to->algorithm = number;
	to->priority = from->cra_priority;
	strscpy(to->name, from->cra_driver_name, sizeof(to->name));
}

static u32 number_of(const struct crypto_alg *driver)
{
	u32 i = ARRAY_SIZE(algs);

	while (--i > 0 && !is_row_of(&algs[i], driver))
		;
	return i;
}

/* Returns how many there are; @drivers gets the first @room. */
static u32 collect(struct kcrypto_driver *drivers, u32 room)
{
	const struct crypto_alg *driver;
	u32 n = 0;

	down_read(&crypto_alg_sem);
	list_for_each_entry(driver, &crypto_alg_list, cra_list) {
		/* Few are admitted, and the table is long. */
		u32 number = is_usable(driver) && is_admitted(driver) ? number_of(driver) : 0;

		if (!number)
			continue;
		if (n < room)
			describe(&drivers[n], driver, number);
		n++;
	}
	up_read(&crypto_alg_sem);
	return n;
}

/* An entry of the caller's size: longer ones end in zeros. */
static int copy_entry(void __user *to, const struct kcrypto_driver *driver, u32 size)
{
	u32 known = min_t(u32, size, sizeof(*driver));

	if (copy_to_user(to, driver, known) || clear_user(to + known, size - known))
		return -EFAULT;
	return 0;
}

/**
 * kcrypto_driver_list() - writes the admitted drivers to user space
 * @list: as user space gave it; gets the number of all
 *
 * Return: 0 or an error.
 */
int kcrypto_driver_list(struct kcrypto_list *list)
{
	u32 i, room = min_t(u32, list->count, MAX_LISTED);
	struct kcrypto_driver *drivers;
	int err = 0;

	if (list->driver_size < sizeof(*drivers) || list->driver_size > PAGE_SIZE)
		return -EINVAL;
	drivers = kvcalloc(room, sizeof(*drivers), GFP_KERNEL_ACCOUNT);
	if (!drivers)
		return -ENOMEM;
	list->count = collect(drivers, room);
	for (i = 0; i < min(list->count, room) && !err; i++)
		err = copy_entry(u64_to_user_ptr(list->drivers + (u64)i * list->driver_size),
				 &drivers[i], list->driver_size);
	kvfree(drivers);
	return err;
}
