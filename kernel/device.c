// SPDX-License-Identifier: GPL-2.0-only
/* /dev/kcrypto: the file's operations and root's counters. */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/seq_file.h>

#include "kcrypto.h"

struct workqueue_struct *kcrypto_wq;

static const char *const kcrypto_counter_names[] = {
	[KCRYPTO_N_SESSIONS] = "sessions", [KCRYPTO_N_IN_FLIGHT] = "in_flight",
	[KCRYPTO_N_DONE] = "done",	   [KCRYPTO_N_BYTES] = "bytes",
	[KCRYPTO_N_FAILED] = "failed",	   [KCRYPTO_N_TIMEOUTS] = "timeouts",
};

/* Per CPU, so that CPUs do not write to the same cache line. */
static DEFINE_PER_CPU(s64[ARRAY_SIZE(kcrypto_counter_names)], kcrypto_counters);
static struct dentry *kcrypto_dir;

/* The layout is the same for 32-bit and 64-bit programs, and never changes. */
static_assert(sizeof(struct kcrypto_driver) == 152);
static_assert(offsetof(struct kcrypto_driver, max_len) == 20);
static_assert(offsetof(struct kcrypto_driver, name) == 24);
static_assert(sizeof(struct kcrypto_list) == 16);
static_assert(offsetof(struct kcrypto_list, driver_size) == 12);
static_assert(sizeof(struct kcrypto_open) == 168);
static_assert(offsetof(struct kcrypto_open, max_len) == 28);
static_assert(offsetof(struct kcrypto_open, session) == 32);
static_assert(offsetof(struct kcrypto_open, driver) == 40);
static_assert(sizeof(struct kcrypto_request) == 80);
static_assert(offsetof(struct kcrypto_request, in) == 16);
static_assert(offsetof(struct kcrypto_request, tag) == 48);
static_assert(offsetof(struct kcrypto_request, iv_len) == 56);
static_assert(offsetof(struct kcrypto_request, user_data) == 72);
static_assert(sizeof(struct kcrypto_result) == 24);
static_assert(offsetof(struct kcrypto_result, error) == 20);

void kcrypto_count(enum kcrypto_counter counter, long change)
{
	this_cpu_add(kcrypto_counters[counter], change);
}

/* Adds up all CPUs' counters, while they may go on counting. */
static s64 kcrypto_counters_sum(enum kcrypto_counter counter)
{
	s64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(kcrypto_counters, cpu)[counter]);
	return sum;
}

static int kcrypto_counters_show(struct seq_file *file, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kcrypto_counter_names); i++)
		seq_printf(file, "%s %lld\n", kcrypto_counter_names[i],
			   (long long)kcrypto_counters_sum(i));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kcrypto_counters);

static int kcrypto_device_open(struct inode *inode, struct file *file)
{
	struct kcrypto_session *session = kcrypto_session_new();

	if (IS_ERR(session))
		return PTR_ERR(session);
	file->private_data = session;
	return stream_open(inode, file);
}

static int kcrypto_device_flush(struct file *file, fl_owner_t id)
{
	kcrypto_request_flush(file->private_data);
	return 0;
}

static int kcrypto_device_release(struct inode *inode, struct file *file)
{
	kcrypto_session_close(file->private_data);
	return 0;
}

static __poll_t kcrypto_device_poll(struct file *file, poll_table *wait)
{
	struct kcrypto_session *session = file->private_data;

	poll_wait(file, &session->wait, wait);
	/*
	 * First it waits, then it looks: pairs with wq_has_sleeper() in kcrypto_session_wake_for().
	 */
	smp_mb();
	return kcrypto_request_poll(session);
}

#define KCRYPTO_MAX_STRUCT 4096 /* bytes, in any later version */

/* The ioctl's number without the size, which is a part of it. */
#define KCRYPTO_WITHOUT_SIZE(cmd) ((cmd) & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT))

/* Returns the number in this version, or 0. */
static unsigned int kcrypto_known_command(unsigned int cmd)
{
	static const unsigned int known[] = { KCRYPTO_IOC_RUN, KCRYPTO_IOC_SUBMIT, KCRYPTO_IOC_REAP,
					      KCRYPTO_IOC_OPEN, KCRYPTO_IOC_LIST };
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (KCRYPTO_WITHOUT_SIZE(cmd) == KCRYPTO_WITHOUT_SIZE(known[i]))
			return known[i];
	return 0;
}

static long kcrypto_device_ioctl(struct file *file, unsigned int cmd, unsigned long at)
{
	struct kcrypto_session *session = file->private_data;
	unsigned int known = kcrypto_known_command(cmd), size = _IOC_SIZE(known);
	union {
		struct kcrypto_list list;
		struct kcrypto_open open;
		struct kcrypto_request request;
		struct kcrypto_result result;
	} arg;
	int err;

	if (!known)
		return -ENOTTY;
	if (_IOC_SIZE(cmd) > KCRYPTO_MAX_STRUCT)
		return -E2BIG;
	if (_IOC_SIZE(cmd) < size)
		return -EINVAL;
	err = copy_struct_from_user(&arg, size, (void __user *)at, _IOC_SIZE(cmd));
	if (err)
		return err;
	switch (known) {
	case KCRYPTO_IOC_RUN:
		return kcrypto_request_run(session, &arg.request);
	case KCRYPTO_IOC_SUBMIT:
		return kcrypto_request_submit(session, &arg.request);
	case KCRYPTO_IOC_REAP:
		err = kcrypto_request_reap(session, &arg.result, file->f_flags & O_NONBLOCK);
		break;
	case KCRYPTO_IOC_OPEN:
		err = kcrypto_session_open(session, &arg.open);
		break;
	case KCRYPTO_IOC_LIST:
		err = kcrypto_driver_list(&arg.list);
		break;
	}
	if (!err && copy_to_user((void __user *)at, &arg, size))
		err = -EFAULT;
	return err;
}

static const struct file_operations kcrypto_operations = {
	.owner = THIS_MODULE,
	.open = kcrypto_device_open,
	.flush = kcrypto_device_flush,
	.release = kcrypto_device_release,
	.unlocked_ioctl = kcrypto_device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = kcrypto_device_poll,
};

/* Root may admit others; packages do so by a udev rule. */
static struct miscdevice kcrypto_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kcrypto",
	.fops = &kcrypto_operations,
	.mode = 0600,
};

static int __init kcrypto_init(void)
{
	int err;

	kcrypto_wq = alloc_workqueue("kcrypto", WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!kcrypto_wq)
		return -ENOMEM;
	err = kcrypto_share_init();
	if (err)
		goto no_shares;
	err = misc_register(&kcrypto_device);
	if (err)
		goto no_device;
	kcrypto_dir = debugfs_create_dir("kcrypto", NULL);
	debugfs_create_file("counters", 0444, kcrypto_dir, NULL, &kcrypto_counters_fops);
	return 0;

no_device:
	kcrypto_share_exit();
no_shares:
	destroy_workqueue(kcrypto_wq);
	return err;
}

static void __exit kcrypto_exit(void)
{
	debugfs_remove_recursive(kcrypto_dir);
	misc_deregister(&kcrypto_device);
	kcrypto_share_exit();
	destroy_workqueue(kcrypto_wq);
	kcrypto_user_exit();
}

module_init(kcrypto_init);
module_exit(kcrypto_exit);
MODULE_DESCRIPTION("Requests of user space to crypto accelerators");
MODULE_AUTHOR("The kcrypto project");
MODULE_LICENSE("GPL");
