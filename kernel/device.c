// SPDX-License-Identifier: GPL-2.0-only
/* /dev/kcrypto: the file's operations and root's counters. */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/seq_file.h>

#include "kcrypto.h"

struct workqueue_struct *kcrypto_wq;

static const char *const names[] = {
	[SESSIONS] = "sessions", [IN_FLIGHT] = "in_flight", [DONE] = "done",
	[BYTES] = "bytes", [FAILED] = "failed", [TIMEOUTS] = "timeouts",
};

static atomic64_t counters[ARRAY_SIZE(names)];
static struct dentry *dir;

void kcrypto_count(enum kcrypto_counter counter, long change)
{
	atomic64_add(change, &counters[counter]);
}

static int counters_show(struct seq_file *file, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		seq_printf(file, "%s %lld\n", names[i], (long long)atomic64_read(&counters[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

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
	struct kcrypto_session *session = file->private_data;

	poll_wait(file, &session->wait, wait);
	return kcrypto_request_poll(session);
}

#define MAX_STRUCT 4096 /* bytes, of any later version */

/* The number without the size, which is in the number too. */
#define WITHOUT_SIZE(cmd) ((cmd) & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT))

/* The number as this version has it, or 0. */
static unsigned int known_command(unsigned int cmd)
{
	static const unsigned int known[] = { KCRYPTO_IOC_RUN, KCRYPTO_IOC_SUBMIT, KCRYPTO_IOC_REAP,
					      KCRYPTO_IOC_OPEN, KCRYPTO_IOC_LIST };
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (WITHOUT_SIZE(cmd) == WITHOUT_SIZE(known[i]))
			return known[i];
	return 0;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long at)
{
	struct kcrypto_session *session = file->private_data;
	unsigned int known = known_command(cmd), size = _IOC_SIZE(known);
	union {
		struct kcrypto_list list;
		struct kcrypto_open open;
		struct kcrypto_request request;
		struct kcrypto_result result;
	} arg;
	int err;

	if (!known)
		return -ENOTTY;
	if (_IOC_SIZE(cmd) > MAX_STRUCT)
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
	dir = debugfs_create_dir("kcrypto", NULL);
	debugfs_create_file("counters", 0444, dir, NULL, &counters_fops);
	return 0;
}

static void __exit kcrypto_exit(void)
{
	debugfs_remove_recursive(dir);
	misc_deregister(&device);
	destroy_workqueue(kcrypto_wq);
}

module_init(kcrypto_init);
module_exit(kcrypto_exit);
MODULE_DESCRIPTION("Requests of user space to crypto accelerators");
MODULE_AUTHOR("The kcrypto project");
MODULE_LICENSE("GPL");
