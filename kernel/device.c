// SPDX-License-Identifier: GPL-2.0-only
/* /dev/kcrypto: the file's operations, and root's parameters. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/string.h>

#include "kcrypto.h"

/* A driver's name may hold commas and brackets, but no colon. */
static char *drivers = "";
module_param(drivers, charp, 0644);
MODULE_PARM_DESC(drivers, "drivers that are admitted in addition to asynchronous hardware, by their names in /proc/crypto, separated by colons");

static bool software;
module_param(software, bool, 0644);
MODULE_PARM_DESC(software, "admit every driver, for tests (N)");

static unsigned int sessions = 1024;
module_param(sessions, uint, 0644);
MODULE_PARM_DESC(sessions, "open files of each user (1024)");

static unsigned int in_flight_kib = 16384;
module_param(in_flight_kib, uint, 0644);
MODULE_PARM_DESC(in_flight_kib, "KiB of each user's requests in flight (16384)");

static unsigned int time_limit_ms = 10000;
module_param(time_limit_ms, uint, 0644);
MODULE_PARM_DESC(time_limit_ms, "milliseconds after which a driver's answer is not waited for any longer (10000)");

struct workqueue_struct *kcrypto_wq;

/* In jiffies, up to an hour. */
unsigned long kcrypto_time_limit(void)
{
	return msecs_to_jiffies(clamp(READ_ONCE(time_limit_ms), 1U, 3600000U)) + 1;
}

unsigned int kcrypto_max_sessions(void)
{
	return READ_ONCE(sessions);
}

unsigned long kcrypto_max_bytes(void)
{
	return min_t(u64, (u64)READ_ONCE(in_flight_kib) * 1024, LONG_MAX / 2);
}

/* Is it one of the names that root gave? */
bool kcrypto_root_admits(const char *driver)
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

static int device_open(struct inode *inode, struct file *file)
{
	struct kcrypto_session *session = kcrypto_session_new();

	if (IS_ERR(session))
		return PTR_ERR(session);
	file->private_data = session;
	return stream_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	kcrypto_session_close(file->private_data);
	return 0;
}

static __poll_t device_poll(struct file *file, poll_table *wait)
{
	return kcrypto_poll_jobs(file->private_data, file, wait);
}

#define MAX_STRUCT 4096 /* bytes, of any later version */

/* The number without the size, which is in the number too. */
#define WITHOUT_SIZE(cmd) ((cmd) & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT))

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct kcrypto_session *session = file->private_data;
	void __user *at = (void __user *)arg;
	size_t size = _IOC_SIZE(cmd);

	if (_IOC_TYPE(cmd) == KCRYPTO_IOC_MAGIC && size > MAX_STRUCT)
		return -E2BIG;
	switch (WITHOUT_SIZE(cmd)) {
	case WITHOUT_SIZE(KCRYPTO_IOC_RUN):
		if (size < sizeof(struct kcrypto_request))
			return -EINVAL;
		return kcrypto_ioctl_run(session, at, size);
	case WITHOUT_SIZE(KCRYPTO_IOC_SUBMIT):
		if (size < sizeof(struct kcrypto_request))
			return -EINVAL;
		return kcrypto_ioctl_submit(session, at, size);
	case WITHOUT_SIZE(KCRYPTO_IOC_REAP):
		if (size < sizeof(struct kcrypto_result))
			return -EINVAL;
		return kcrypto_ioctl_reap(session, at, size, file->f_flags & O_NONBLOCK);
	case WITHOUT_SIZE(KCRYPTO_IOC_OPEN):
		if (size < sizeof(struct kcrypto_open))
			return -EINVAL;
		return kcrypto_ioctl_open(session, at, size);
	case WITHOUT_SIZE(KCRYPTO_IOC_LIST):
		if (size < sizeof(struct kcrypto_list))
			return -EINVAL;
		return kcrypto_ioctl_list(at, size);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = device_poll,
};

/* Root may let others in, which packages do by a rule of udev. */
static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kcrypto",
	.fops = &operations,
	.mode = 0600,
};

static int __init kcrypto_init(void)
{
	int err;

	/* Unbound, and as wide as may be: a work may wait for a device that hangs. */
	kcrypto_wq = alloc_workqueue("kcrypto", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	if (!kcrypto_wq)
		return -ENOMEM;
	err = misc_register(&device);
	if (err) {
		destroy_workqueue(kcrypto_wq);
		return err;
	}
	kcrypto_stats_start();
	return 0;
}

static void __exit kcrypto_exit(void)
{
	kcrypto_stats_stop();
	misc_deregister(&device);
	destroy_workqueue(kcrypto_wq);
}

module_init(kcrypto_init);
module_exit(kcrypto_exit);
MODULE_DESCRIPTION("Requests of user space to crypto accelerators");
MODULE_AUTHOR("The kcrypto project");
MODULE_LICENSE("GPL");
