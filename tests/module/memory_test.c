// SPDX-License-Identifier: Apache-2.0
/*
 * /dev/kcrypto on a kernel that runs out of memory: each allocation, and each copy from and to user
 * space, fails once. This needs a kernel with fault injection (tests/module/sanitizer).
 */
#define _GNU_SOURCE
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct session target;

static bool faults(const char *file, const char *value)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	bool is_set = true;
	char path[128];

	for (size_t i = 0; i < COUNT(kinds); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", kinds[i], file);
		is_set = write_to(path, value) && is_set;
	}
	return is_set;
}

/* Returns false and says so if the kernel cannot inject faults. */
static bool start(void)
{
	if (!faults("ignore-gfp-wait", "N")) {
		printf("# skipped: this kernel injects no faults\n");
		return false;
	}
	faults("verbose", "0");
	write_to("/sys/kernel/debug/fail_usercopy/verbose", "0");
	make_wanted();
	open_cbc(&target);
	return true;
}

static void finish(void)
{
	session_close(&target);
	CHECK(wait_for_counter("in_flight", 0));
	CHECK(wait_for_counter("sessions", 0));
}

static int act_open(void)
{
	int fd = device_open();

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int act_setup(void)
{
	struct session s;
	int err = session_open(&s, KCRYPTO_GCM_AES, "", key, 16, 16);

	if (!err)
		session_close(&s);
	return err;
}

static int act_list(void)
{
	static struct kcrypto_driver drivers[32];
	struct kcrypto_list arg = { .drivers = address(drivers),
				    .count = COUNT(drivers),
				    .driver_size = sizeof(drivers[0]) };

	return device_ioctl(target.fd, KCRYPTO_IOC_LIST, &arg);
}

static int act_run(void)
{
	return run_once(&target);
}

static int act_run_long(void)
{
	struct kcrypto_request req = cipher_request(&target, in, out, KCRYPTO_MAX_LEN);

	return request_run(&target, &req);
}

static int act_submit_and_reap(void)
{
	struct pollfd p = { .fd = target.fd, .events = POLLIN };
	int err = submit(&target, out, LEN, 0);

	if (err)
		return err;
	poll(&p, 1, 1000);
	err = reap(&target, 0);
	/* If reaping itself failed, the request is still there. */
	while (reap(&target, KCRYPTO_NOWAIT) != -ENOENT)
		;
	return err;
}

/* Makes the nth allocation or copy of this thread fail. */
static bool fail_nth(int file, unsigned n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	return pwrite(file, text, strlen(text), 0) == (ssize_t)strlen(text);
}

/*
 * Makes each allocation or copy of act() fail in turn. act() must report that and leave nothing
 * behind. Returns how many there are.
 */
static unsigned fail_everywhere(int file, int (*act)(void))
{
	char text[16] = "";
	bool is_left;
	int err;

	for (unsigned n = 1; n < 10000; n++) {
		CHECK(fail_nth(file, n));
		err = act();
		/* Reading and writing the number may fail because of the fault, too. */
		is_left = pread(file, text, sizeof(text) - 1, 0) <= 0 || text[0] != '0';
		while (!fail_nth(file, 0))
			;
		if (is_left) {
			CHECK_IS(err, 0);
			return n - 1;
		}
		CHECK(err == 0 || err == -ENOMEM || err == -EFAULT);
		CHECK_IS(run_once(&target), 0);
		CHECK(memcmp(out, wanted, LEN) == 0);
	}
	return 0;
}

TEST(each_allocation_fails_once)
{
	static const struct {
		const char *name;
		int (*act)(void);
	} acts[] = { { "open", act_open },	 { "setup", act_setup },
		     { "list", act_list },	 { "request", act_run },
		     { "64 KiB", act_run_long }, { "submit, reap", act_submit_and_reap } };
	int file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);

	if (!start())
		return;
	for (size_t i = 0; i < COUNT(acts); i++) {
		unsigned points = fail_everywhere(file, acts[i].act);

		printf("# %s: %u points\n", acts[i].name, points);
		CHECK(points > 0);
	}
	close(file);
	finish();
}

/* The kernel threads of unbound work queues, which set sessions up. */
static void let_workers_fail(void)
{
	char file[300], name[32];
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	FILE *f;

	while (dir && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), "/proc/%s/comm", entry->d_name);
		f = fopen(file, "re");
		if (!f)
			continue;
		snprintf(file, sizeof(file), "/proc/%s/make-it-fail", entry->d_name);
		if (fgets(name, sizeof(name), f) && strncmp(name, "kworker/u", 9) == 0)
			CHECK(write_to(file, "1"));
		fclose(f);
	}
	if (dir)
		closedir(dir);
}

TEST(allocations_of_the_work_queue_fail)
{
	int failed = 0;

	if (!start())
		return;
	faults("task-filter", "Y");
	faults("times", "-1");
	faults("probability", "20");
	for (int i = 0; i < 300; i++) {
		int err;

		if (i % 50 == 0)
			let_workers_fail(); /* there may be new ones */
		err = act_setup();
		CHECK(err == 0 || err == -ENOMEM);
		failed += err != 0;
		CHECK_IS(run_once(&target), 0);
	}
	faults("probability", "0");
	faults("task-filter", "N");
	printf("# %d of 300 failed\n", failed);
	CHECK(failed > 0 && failed < 300);
	CHECK_IS(act_setup(), 0);
	finish();
}
