// SPDX-License-Identifier: GPL-2.0-only
/* Counters, in debugfs: what was asked of drivers, and what is under way. */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "kcrypto.h"

static struct dentry *dir;
static atomic_t sessions, in_flight;
static atomic64_t done, failed, bytes_done, timeouts;

void kcrypto_count_session(int change)
{
	atomic_add(change, &sessions);
}

void kcrypto_count_begin(void)
{
	atomic_inc(&in_flight);
}

void kcrypto_count_end(size_t bytes, int err)
{
	atomic_dec(&in_flight);
	if (err) {
		atomic64_inc(&failed);
		return;
	}
	atomic64_inc(&done);
	atomic64_add(bytes, &bytes_done);
}

void kcrypto_count_timeout(void)
{
	atomic64_inc(&timeouts);
}

static int counters_show(struct seq_file *file, void *unused)
{
	seq_printf(file, "sessions %d\n", atomic_read(&sessions));
	seq_printf(file, "in_flight %d\n", atomic_read(&in_flight));
	seq_printf(file, "done %lld\n", (long long)atomic64_read(&done));
	seq_printf(file, "bytes %lld\n", (long long)atomic64_read(&bytes_done));
	seq_printf(file, "failed %lld\n", (long long)atomic64_read(&failed));
	seq_printf(file, "timeouts %lld\n", (long long)atomic64_read(&timeouts));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

void kcrypto_stats_start(void)
{
	dir = debugfs_create_dir("kcrypto", NULL);
	debugfs_create_file("counters", 0444, dir, NULL, &counters_fops);
}

void kcrypto_stats_stop(void)
{
	debugfs_remove_recursive(dir);
}
