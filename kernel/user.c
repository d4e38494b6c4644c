// SPDX-License-Identifier: GPL-2.0-only
/* Who a user is, and each user's open files. */
#include <linux/cred.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/user_namespace.h>

#include "kcrypto.h"

static unsigned int kcrypto_sessions = 1024;
module_param_named(sessions, kcrypto_sessions, uint, 0644);
MODULE_PARM_DESC(sessions, "open files of each user (1024)");

static LIST_HEAD(kcrypto_users);
static DEFINE_MUTEX(kcrypto_users_lock);

/*
 * Returns the user whom the kernel charges: in a user namespace its maker, however many subordinate
 * uids it maps. If root made the namespace, the user whom it maps as its root: a container that a
 * system service starts is not the system.
 */
kuid_t kcrypto_user_self(void)
{
	struct user_namespace *ns, *outermost = NULL;
	kuid_t uid;

	for (ns = current_user_ns(); ns->parent; ns = ns->parent)
		outermost = ns;
	if (!outermost)
		return current_uid();
	if (!uid_eq(outermost->owner, GLOBAL_ROOT_UID))
		return outermost->owner;
	uid = make_kuid(outermost, 0);
	if (!uid_valid(uid))
		return outermost->owner;
	return uid;
}

bool kcrypto_user_is_self(const struct kcrypto_user *user)
{
	return uid_eq(user->uid, kcrypto_user_self());
}

void kcrypto_user_drop(struct kcrypto_user *user)
{
	if (refcount_dec_and_test(&user->refs))
		kfree(user);
}

/*
 * The record of a user without open files is kept while completions wake no waiters of his: else he
 * would only have to close all files to make them do it again. Call it under the list's lock.
 */
static void kcrypto_user_forget(struct kcrypto_user *user)
{
	if (user->sessions || kcrypto_wake_is_slow(user))
		return;
	list_del(&user->node);
	kcrypto_user_drop(user);
}

static struct kcrypto_user *kcrypto_user_find(kuid_t uid)
{
	struct kcrypto_user *user, *next, *found = NULL;

	list_for_each_entry_safe(user, next, &kcrypto_users, node) {
		if (uid_eq(user->uid, uid))
			found = user;
		else
			kcrypto_user_forget(user);
	}
	return found;
}

/* Counts one more file; if the user has no record, in @new, which may be NULL. */
static struct kcrypto_user *kcrypto_user_take(kuid_t uid, struct kcrypto_user *new)
{
	struct kcrypto_user *found;

	mutex_lock(&kcrypto_users_lock);
	found = kcrypto_user_find(uid);
	if (!found && new) {
		list_add(&new->node, &kcrypto_users);
		found = new;
	}
	/* At least one, because a user without open files has no record. */
	if (found && found->sessions >= max(READ_ONCE(kcrypto_sessions), 1U))
		found = ERR_PTR(-EDQUOT);
	else if (found)
		found->sessions++;
	mutex_unlock(&kcrypto_users_lock);
	return found;
}

/**
 * kcrypto_user_get() - counts one more open file of the caller's user
 *
 * The memory is not charged to a memory cgroup, which may take long if the cgroup is full:
 * misc_open() holds a lock that everybody needs who opens any other device of its class.
 *
 * Return: the user's record, or an error: -EDQUOT, -ENOMEM.
 */
struct kcrypto_user *kcrypto_user_get(void)
{
	kuid_t uid = kcrypto_user_self();
	struct kcrypto_user *user = kcrypto_user_take(uid, NULL), *new;

	if (user)
		return user;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return ERR_PTR(-ENOMEM);
	new->uid = uid;
	refcount_set(&new->refs, 1);
	kcrypto_wake_init(new);
	user = kcrypto_user_take(uid, new);
	if (user != new)
		kfree(new);
	return user;
}

void kcrypto_user_put(struct kcrypto_user *user)
{
	mutex_lock(&kcrypto_users_lock);
	user->sessions--;
	kcrypto_user_forget(user);
	mutex_unlock(&kcrypto_users_lock);
}

void kcrypto_user_exit(void)
{
	struct kcrypto_user *user, *next;

	list_for_each_entry_safe(user, next, &kcrypto_users, node)
		kcrypto_user_drop(user);
}
