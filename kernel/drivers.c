// SPDX-License-Identifier: GPL-2.0-only
/*
 * The closed table of algorithms, and which of the crypto API's drivers are admitted for them.
 * Inspects only drivers that are registered: nothing is loaded or instantiated for a user.
 */
#include <linux/crypto.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/spinlock.h>
#include <crypto/algapi.h>

#include "compat.h"
#include "kcrypto.h"
#include <kcrypto_drivers.h>

#define KCRYPTO_MAX_LISTED 256

/*
 * A driver's name may contain commas and brackets, but no colon, and does not begin with a minus. A
 * spinlock, not the lock of all parameters, which sleeps: the list is read under the crypto API's
 * lock.
 */
static char kcrypto_drivers[1024];
static DEFINE_SPINLOCK(kcrypto_drivers_lock);

static int kcrypto_drivers_set(const char *value, const struct kernel_param *unused)
{
	if (strlen(value) >= sizeof(kcrypto_drivers))
		return -ENOSPC;
	spin_lock(&kcrypto_drivers_lock);
	strscpy(kcrypto_drivers, value, sizeof(kcrypto_drivers));
	spin_unlock(&kcrypto_drivers_lock);
	return 0;
}

/* The lock of all parameters excludes writers here. */
static int kcrypto_drivers_get(char *buffer, const struct kernel_param *unused)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n", kcrypto_drivers);
}

static const struct kernel_param_ops kcrypto_drivers_ops = {
	.set = kcrypto_drivers_set,
	.get = kcrypto_drivers_get,
};
module_param_cb(drivers, &kcrypto_drivers_ops, NULL, 0644);
MODULE_PARM_DESC(drivers,
		 "drivers to admit or, with a minus, to exclude, by name, separated by colons");

static bool kcrypto_admit_all;
module_param_named(software, kcrypto_admit_all, bool, 0644);
MODULE_PARM_DESC(software, "admit every driver, for tests (N)");

static bool kcrypto_old = true;
module_param_named(old, kcrypto_old, bool, 0644);
MODULE_PARM_DESC(old, "offer DES, MD4, MD5, Blowfish, CAST5 and ECB (Y)");

static const struct kcrypto_alg kcrypto_algs[] = {
#define KCRYPTO_ALG(id, number, n, k, u, least, iv, out) \
	[KCRYPTO_##id + BUILD_BUG_ON_ZERO(KCRYPTO_##id != (number))] = { \
		.name = n, .kind = KCRYPTO_##k, .unit = u, \
		.min_len = least, .iv_len = iv, .out_len = out },
#include <uapi/linux/kcrypto_algs.h>
};

/* Algorithms that protect nothing any more; offered for data that already exist. */
static bool kcrypto_alg_is_old(const struct kcrypto_alg *alg)
{
	static const char *const old[] = { "ecb(", "(des", "(blowfish)", "(cast5)", "md4", "md5" };
	int i;

	for (i = 0; i < ARRAY_SIZE(old); i++)
		if (strstr(alg->name, old[i]))
			return true;
	return false;
}

static bool kcrypto_alg_is_offered(const struct kcrypto_alg *alg)
{
	if (!alg->name)
		return false;
	if (READ_ONCE(kcrypto_old))
		return true;
	return !kcrypto_alg_is_old(alg);
}

/* Returns NULL if the table has no row of this number, or root has left it out. */
const struct kcrypto_alg *kcrypto_alg_find(u32 number)
{
	const struct kcrypto_alg *alg;

	if (number >= ARRAY_SIZE(kcrypto_algs))
		return NULL;
	alg = &kcrypto_algs[array_index_nospec(number, ARRAY_SIZE(kcrypto_algs))];
	if (!kcrypto_alg_is_offered(alg))
		return NULL;
	return alg;
}

/* Ahash and shash differ only in the lowest bit, and so do skcipher and lskcipher from 6.7 on. */
static bool kcrypto_alg_is_of(const struct kcrypto_alg *alg, const struct crypto_alg *driver)
{
	static const u32 types[] = {
		[KCRYPTO_CIPHER] = CRYPTO_ALG_TYPE_SKCIPHER, [KCRYPTO_AEAD] = CRYPTO_ALG_TYPE_AEAD,
		[KCRYPTO_DIGEST] = CRYPTO_ALG_TYPE_AHASH, [KCRYPTO_MAC] = CRYPTO_ALG_TYPE_AHASH,
		[KCRYPTO_BLOCKS] = CRYPTO_ALG_TYPE_AHASH,
	};

	u32 difference = driver->cra_flags ^ types[alg->kind];

	if (difference & CRYPTO_ALG_TYPE_MASK & ~1)
		return false;
	if (!kcrypto_alg_is_offered(alg))
		return false;
	return strcmp(alg->name, driver->cra_name) == 0;
}

/* True if registered, tested and public. Under crypto_alg_sem, like the next three. */
static bool kcrypto_driver_is_usable(const struct crypto_alg *driver)
{
	u32 mask = CRYPTO_ALG_LARVAL | CRYPTO_ALG_DEAD | CRYPTO_ALG_DYING | CRYPTO_ALG_INTERNAL |
		   CRYPTO_ALG_TESTED;

	return (driver->cra_flags & mask) == CRYPTO_ALG_TESTED;
}

/*
 * True for an asynchronous wrapper of x86's or ARM's instructions, as they exist until 6.12: each
 * is named after the internal driver that does the work.
 */
static bool kcrypto_driver_is_simd_wrapper(const struct crypto_alg *driver)
{
	const struct crypto_alg *other;

	list_for_each_entry(other, &crypto_alg_list, cra_list)
		if (other->cra_flags & CRYPTO_ALG_INTERNAL &&
		    strncmp(other->cra_driver_name, "__", 2) == 0 &&
		    strcmp(other->cra_driver_name + 2, driver->cra_driver_name) == 0)
			return true;
	return false;
}

/*
 * A template over other drivers is never hardware by itself, whatever flags it has inherited: any
 * user of AF_ALG may have had it instantiated.
 */
static bool kcrypto_driver_is_hardware(const struct crypto_alg *driver)
{
	if (driver->cra_flags & CRYPTO_ALG_INSTANCE)
		return false;
	if (!kcrypto_is_hardware(driver->cra_driver_name,
				 driver->cra_flags & CRYPTO_ALG_KERN_DRIVER_ONLY,
				 driver->cra_flags & CRYPTO_ALG_ASYNC))
		return false;
	return !kcrypto_driver_is_simd_wrapper(driver);
}

enum kcrypto_word { KCRYPTO_UNNAMED, KCRYPTO_ADMIT, KCRYPTO_EXCLUDE };

/* Returns root's word on a driver; the last one counts. */
static enum kcrypto_word kcrypto_driver_word(const char *driver)
{
	enum kcrypto_word word = KCRYPTO_UNNAMED;
	size_t len = strlen(driver);
	const char *at;

	spin_lock(&kcrypto_drivers_lock);
	for (at = kcrypto_drivers; *at; at += strcspn(at, ":"), at += *at == ':') {
		const char *name = at + (*at == '-');

		if (strncmp(name, driver, len) == 0 && strchr(":\n", name[len]))
			word = name == at ? KCRYPTO_ADMIT : KCRYPTO_EXCLUDE;
	}
	spin_unlock(&kcrypto_drivers_lock);
	return word;
}

static bool kcrypto_driver_is_admitted(const struct crypto_alg *driver)
{
	enum kcrypto_word word = kcrypto_driver_word(driver->cra_driver_name);

	if (word != KCRYPTO_UNNAMED)
		return word == KCRYPTO_ADMIT;
	if (READ_ONCE(kcrypto_admit_all))
		return true;
	return kcrypto_driver_is_hardware(driver);
}

const struct kcrypto_traits *kcrypto_driver_traits(const struct crypto_alg *driver)
{
	return kcrypto_traits_of(driver->cra_driver_name);
}

static u32 kcrypto_driver_max_len(const struct crypto_alg *driver)
{
	const struct kcrypto_traits *traits = kcrypto_driver_traits(driver);

	if (!traits || !traits->most)
		return KCRYPTO_MAX_LEN;
	return traits->most;
}

/* All that a module registers belongs to one device. A built-in driver has no module. */
const char *kcrypto_driver_queue(const struct crypto_alg *driver)
{
	if (!driver->cra_module)
		return driver->cra_driver_name;
	return module_name(driver->cra_module);
}

static void kcrypto_choice_fill(struct kcrypto_choice *choice, const struct crypto_alg *driver)
{
	strscpy_pad(choice->driver, driver->cra_driver_name, sizeof(choice->driver));
	strscpy_pad(choice->queue, kcrypto_driver_queue(driver), sizeof(choice->queue));
	choice->max_len = kcrypto_driver_max_len(driver);
}

/* True if the driver can do the row: for blocks, if its exported form is known. */
static bool kcrypto_driver_fits(const struct kcrypto_alg *alg, const struct crypto_alg *driver)
{
	if (alg->kind != KCRYPTO_BLOCKS)
		return true;
	return kcrypto_midstate_fits(alg, driver);
}

/**
 * kcrypto_driver_choose() - finds a driver
 * @alg: row of the table
 * @choice: in: the driver's name, or "" for the one with the highest priority; out: all of it
 *
 * Return: 0; -ENOENT: there is none; -EPERM: there is one, but it is not admitted;
 * -EPROTONOSUPPORT: there is one, but it cannot continue from a midstate.
 */
int kcrypto_driver_choose(const struct kcrypto_alg *alg, struct kcrypto_choice *choice)
{
	const struct crypto_alg *candidate, *best = NULL;
	int err = -ENOENT;

	down_read(&crypto_alg_sem);
	list_for_each_entry(candidate, &crypto_alg_list, cra_list) {
		if (!kcrypto_driver_is_usable(candidate) || !kcrypto_alg_is_of(alg, candidate))
			continue;
		if (*choice->driver && strcmp(candidate->cra_driver_name, choice->driver) != 0)
			continue;
		if (!kcrypto_driver_is_admitted(candidate))
			err = -EPERM;
		else if (!kcrypto_driver_fits(alg, candidate))
			err = -EPROTONOSUPPORT;
		else if (!best || candidate->cra_priority > best->cra_priority)
			best = candidate;
	}
	if (best) {
		kcrypto_choice_fill(choice, best);
		err = 0;
	}
	up_read(&crypto_alg_sem);
	return err;
}

static void kcrypto_driver_describe(struct kcrypto_driver *to, const struct crypto_alg *from,
				    u32 number)
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
	to->max_len = kcrypto_driver_max_len(from);
	strscpy(to->name, from->cra_driver_name, sizeof(to->name));
}

/* Adds a driver's rows; a digest's driver may also have one for blocks. Returns the new number. */
static u32 kcrypto_driver_add(struct kcrypto_driver *drivers, u32 n, u32 room,
			      const struct crypto_alg *driver)
{
	const struct kcrypto_alg *alg;
	u32 i;

	for (i = 1; i < ARRAY_SIZE(kcrypto_algs); i++) {
		alg = &kcrypto_algs[i];
		if (!kcrypto_alg_is_of(alg, driver) || !kcrypto_driver_fits(alg, driver))
			continue;
		if (n < room)
			kcrypto_driver_describe(&drivers[n], driver, i);
		n++;
	}
	return n;
}

/* Returns the number of drivers; @drivers gets the first @room. */
static u32 kcrypto_driver_collect(struct kcrypto_driver *drivers, u32 room)
{
	const struct crypto_alg *driver;
	u32 n = 0;

	down_read(&crypto_alg_sem);
	list_for_each_entry(driver, &crypto_alg_list, cra_list) {
		/* Tested first, because few are admitted and the table is long. */
		if (kcrypto_driver_is_usable(driver) && kcrypto_driver_is_admitted(driver))
			n = kcrypto_driver_add(drivers, n, room, driver);
	}
	up_read(&crypto_alg_sem);
	return n;
}

/* Writes an entry of the caller's size: a longer one ends in zeros. */
static int kcrypto_driver_copy(void __user *to, const struct kcrypto_driver *driver, u32 size)
{
	u32 known = min_t(u32, size, sizeof(*driver));

	if (copy_to_user(to, driver, known) || clear_user(to + known, size - known))
		return -EFAULT;
	return 0;
}

/**
 * kcrypto_driver_list() - writes the admitted drivers to user space
 * @list: as user space gave it; gets the number of all drivers
 *
 * Return: 0 or an error.
 */
int kcrypto_driver_list(struct kcrypto_list *list)
{
	u32 i, room = min_t(u32, list->count, KCRYPTO_MAX_LISTED);
	struct kcrypto_driver *drivers;
	int err = 0;

	if (list->driver_size < sizeof(*drivers) || list->driver_size > PAGE_SIZE)
		return -EINVAL;
	drivers = kvcalloc(room, sizeof(*drivers), GFP_KERNEL_ACCOUNT);
	if (!drivers)
		return -ENOMEM;
	list->count = kcrypto_driver_collect(drivers, room);
	for (i = 0; i < min(list->count, room) && !err; i++) {
		u64 at = list->drivers + (u64)i * list->driver_size;

		err = kcrypto_driver_copy(u64_to_user_ptr(at), &drivers[i], list->driver_size);
	}
	kvfree(drivers);
	return err;
}
