// SPDX-License-Identifier: GPL-2.0-only
/* What each user has in use, and whether there may be more. */
#include <linux/cred.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>

#include "kcrypto.h"

static unsigned int sessions = 1024;
module_param(sessions, uint, 0644);
MODULE_PARM_DESC(sessions, "open files of each user (1024)");

static unsigned int in_flight_kib = 16384;
module_param(in_flight_kib, uint, 0644);
MODULE_PARM_DESC(in_flight_kib, "KiB of each user's requests in flight (16384)");

static LIST_HEAD(users);
static DEFINE_MUTEX(users_lock);

static struct kcrypto_user *find_or_add(kuid_t uid)
{
	struct kcrypto_user *user;

	list_for_each_entry(user, &users, node)
		if (uid_eq(user->uid, uid))
			return user;
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return ERR_PTR(-ENOMEM);
	user->uid = uid;
	list_add(&user->node, &users);
	return user;
}

/**
 * kcrypto_user_get() - counts one more session of the caller's user
 *
 * Return: the user's record, or an error: -EDQUOT, -ENOMEM.
 */
struct kcrypto_user *kcrypto_user_get(void)
{
	struct kcrypto_user *user;

	mutex_lock(&users_lock);
	user = find_or_add(current_uid());
	/* At least one: a user without any has no record. */
	if (!IS_ERR(user) && user->sessions >= max(READ_ONCE(sessions), 1U))
		user = ERR_PTR(-EDQUOT);
	if (!IS_ERR(user))
		user->sessions++;
	mutex_unlock(&users_lock);
	return user;
}

void kcrypto_user_put(struct kcrypto_user *user)
{
	mutex_lock(&users_lock);
	if (--user->sessions == 0) {
		list_del(&user->node);
		kfree(user);
	}
	mutex_unlock(&users_lock);
}

static long max_bytes(void)
{
	return min_t(u64, (u64)READ_ONCE(in_flight_kib) * 1024, LONG_MAX / 2);
}

/* False: that would be too much. */
bool kcrypto_user_charge(struct kcrypto_user *user, size_t bytes)
{
	if (atomic_long_add_return(bytes, &user->bytes) <= max_bytes())
		return true;
	atomic_long_sub(bytes, &user->bytes);
	return false;
}

/* Memory that is kept for later must not take the place of requests. */
bool kcrypto_user_may_keep(const struct kcrypto_user *user)
{
	return atomic_long_read(&user->bytes) <= max_bytes() / 2;
}

void kcrypto_user_uncharge(struct kcrypto_user *user, size_t bytes)
{
	atomic_long_sub(bytes, &user->bytes);
}
