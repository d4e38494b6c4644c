// SPDX-License-Identifier: Apache-2.0
/*
 * A device that is taken from its driver while requests are on their way: unbound_test, in a
 * machine with virtio-crypto. The driver never answers some of them, so the module cannot be
 * removed after this; but every process ends, and no wrong byte is seen.
 */
#define _GNU_SOURCE
#include "device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DRIVER	"/sys/bus/virtio/drivers/virtio_crypto"
#define LEN	4096
#define CLIENTS 8

static const uint8_t key[16] = "sixteen letters";
static uint8_t in[LEN], out[LEN], wanted[LEN];
static char device[64];

static bool has_device(void)
{
	DIR *dir = opendir(DRIVER);
	struct dirent *entry;

	device[0] = '\0';
	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, "virtio", 6) == 0)
			snprintf(device, sizeof(device), "%.60s", entry->d_name);
	if (dir)
		closedir(dir);
	return device[0];
}

static int open_cbc(struct session *s)
{
	return session_open(s, KCRYPTO_CBC_AES, "virtio_crypto_aes_cbc", key, 16, 0);
}

static int run_once(const struct session *s)
{
	struct kcrypto_request req = cipher_request(s, in, out, LEN);

	return request_run(s, &req);
}

/* Ends with 1 for a wrong byte; else it does what it can until it is killed. */
static void be_client(void)
{
	struct session s;

	for (;;) {
		if (open_cbc(&s)) {
			usleep(10000);
			continue;
		}
		for (int err = 0; err == 0;) {
			err = run_once(&s);
			if (!err && memcmp(out, wanted, LEN) != 0)
				_exit(1);
		}
		session_close(&s);
	}
}

static void unbound_under_load(void)
{
	pid_t child[CLIENTS];
	struct session s;

	CHECK(has_device());
	set_kcrypto("time_limit_ms", "500");
	CHECK_IS(open_cbc(&s), 0);
	CHECK_IS(run_once(&s), 0);
	memcpy(wanted, out, LEN);
	session_close(&s);
	for (size_t i = 0; i < CLIENTS; i++) {
		child[i] = fork();
		if (child[i] == 0)
			be_client();
	}
	for (int round = 0; round < 3; round++) {
		usleep(300000);
		CHECK(write_to(DRIVER "/unbind", device));
		usleep(700000);
		CHECK(write_to(DRIVER "/bind", device));
	}
	for (size_t i = 0; i < CLIENTS; i++) {
		kill(child[i], SIGKILL);
		CHECK_IS(end_of(child[i]), SIGKILL);
	}
	if (syscall(SYS_delete_module, "kcrypto", O_NONBLOCK))
		CHECK_IS(errno, EAGAIN);
	printf("# %ld sessions, %ld requests, whose end the driver never told\n",
	       number_in("/sys/kernel/debug/kcrypto/counters", "sessions"),
	       number_in("/sys/kernel/debug/kcrypto/counters", "in_flight"));
}

int main(int argc, char **argv)
{
	static const struct test tests[] = { { "a device unbound under load",
					       unbound_under_load } };

	return run_tests(tests, COUNT(tests), argc > 1 ? argv[1] : "");
}
