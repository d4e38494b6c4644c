// SPDX-License-Identifier: Apache-2.0
/*
 * A fuzzer of /dev/kcrypto's ioctls: fuzz SECONDS [SEED]. Several processes of several threads make
 * requests whose fields are mostly right, on sessions that they share; some are killed, some close
 * what others use. It only looks at what a program can see: answers that are right or refused, and
 * processes that end. The kernel's reports are for whoever started it.
 */
#define _GNU_SOURCE
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SESSIONS  8
#define PROCESSES 4
#define THREADS	  3
#define ROOM	  (KCRYPTO_MAX_LEN + 8192)

static struct session shared[SESSIONS];
static uint8_t *room, *read_only;
static __thread uint64_t state;

static uint32_t number(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16) % below;
}

static bool one_in(uint32_t n)
{
	return number(n) == 0;
}

static uint64_t some_number(void)
{
	static const uint64_t edges[] = { 0,
					  1,
					  2,
					  4,
					  8,
					  12,
					  15,
					  16,
					  17,
					  32,
					  64,
					  4095,
					  4096,
					  4097,
					  65535,
					  65536,
					  65537,
					  0x7fffffff,
					  0x80000000,
					  0xffffffff,
					  UINT64_MAX,
					  0x8000000000000000,
					  0xffff888000000000 };

	return one_in(3) ? edges[number(COUNT(edges))] : number(70000);
}

static uint64_t some_address(void)
{
	switch (number(12)) {
	case 0:
		return some_number();
	case 1:
		return address(read_only + number(4096));
	case 2:
		return address(room + ROOM -
			       number(5000)); /* its end is the end of what is mapped */
	default:
		return address(room + number(ROOM - KCRYPTO_MAX_LEN));
	}
}

static const struct {
	uint8_t number, iv, tag, keys[3];
} algs[] = {
	{ KCRYPTO_CBC_AES, 16, 0, { 16, 24, 32 } }, { KCRYPTO_CTR_AES, 16, 0, { 16, 24, 32 } },
	{ KCRYPTO_ECB_AES, 0, 0, { 16, 24, 32 } },  { KCRYPTO_XTS_AES, 16, 0, { 32, 64, 64 } },
	{ KCRYPTO_CBC_DES3, 8, 0, { 24, 24, 24 } }, { KCRYPTO_GCM_AES, 12, 16, { 16, 24, 32 } },
	{ KCRYPTO_SHA256, 0, 32, { 0, 0, 0 } },	    { KCRYPTO_HMAC_SHA256, 0, 32, { 1, 32, 100 } },
};

static void open_one(struct session *s)
{
	size_t i = number(COUNT(algs));
	struct kcrypto_open arg = { .algorithm = algs[i].number,
				    .key = some_address(),
				    .key_len = algs[i].keys[number(3)],
				    .tag_len = algs[i].number == KCRYPTO_GCM_AES ? 16 : 0 };

	if (one_in(4))
		*((uint32_t *)&arg + number(10)) = (uint32_t)some_number();
	if (one_in(8))
		snprintf(arg.driver, sizeof(arg.driver), "%s",
			 one_in(2) ? "cbc-aes-accel" : "cbc(aes)");
	device_ioctl(s->fd, KCRYPTO_IOC_OPEN, &arg);
	s->cookie = arg.session;
}

static struct kcrypto_request some_request(const struct session *s)
{
	size_t i = number(COUNT(algs));
	struct kcrypto_request req = { .session = s->cookie,
				       .flags = number(2),
				       .len = number(8) ? number(1024) * 16 :
							  (uint32_t)some_number(),
				       .in = some_address(),
				       .out = algs[i].tag == 32 ? 0 : some_address(),
				       .iv = some_address(),
				       .iv_len = algs[i].iv,
				       .tag = some_address(),
				       .tag_len = algs[i].tag,
				       .aad = some_address(),
				       .aad_len = algs[i].tag == 16 ? number(64) : 0,
				       .user_data = some_number() };

	if (algs[i].tag == 32)
		req.flags = 0;
	if (one_in(5))
		*((uint32_t *)&req + number(sizeof(req) / 4)) = (uint32_t)some_number();
	return req;
}

static void list(const struct session *s)
{
	struct kcrypto_list arg = { .drivers = some_address(),
				    .count = (uint32_t)some_number(),
				    .driver_size = one_in(3) ? (uint32_t)some_number() :
							       sizeof(struct kcrypto_driver) };

	device_ioctl(s->fd, KCRYPTO_IOC_LIST, &arg);
}

static void reap(const struct session *s)
{
	struct kcrypto_result arg = { .session = s->cookie, .flags = KCRYPTO_NOWAIT };

	if (one_in(20))
		arg.flags = 0;
	device_ioctl(s->fd, KCRYPTO_IOC_REAP, &arg);
}

static void any(const struct session *s)
{
	unsigned nr = number(8), size = one_in(2) ? number(200) : (unsigned)some_number() & 0x3fff;

	device_ioctl(s->fd, _IOC(number(4), KCRYPTO_IOC_MAGIC, nr, size),
		     (void *)(uintptr_t)some_address());
}

static void reopen(struct session *s)
{
	int fd = s->fd;

	s->fd = device_open();
	close(fd);
	if (s->fd >= 0)
		open_one(s);
}

static void step(void)
{
	struct session *s = &shared[number(SESSIONS)];
	struct pollfd p = { .fd = s->fd, .events = POLLIN | POLLOUT };
	struct kcrypto_request req = some_request(s);

	switch (number(16)) {
	case 0:
		list(s);
		break;
	case 1:
		reopen(s);
		break;
	case 2:
		poll(&p, 1, 0);
		break;
	case 3:
		any(s);
		break;
	case 4:
		open_one(s);
		break;
	case 5:
	case 6:
	case 7:
		reap(s);
		break;
	case 8:
	case 9:
	case 10:
		device_ioctl(s->fd, KCRYPTO_IOC_SUBMIT, &req);
		break;
	default:
		device_ioctl(s->fd, KCRYPTO_IOC_RUN, &req);
	}
}

static void *play(void *seed)
{
	state = (uintptr_t)seed * 0x9e3779b97f4a7c15 | 1;
	for (;;)
		step();
	return NULL;
}

static pid_t start(uintptr_t seed)
{
	pid_t child = fork();
	pthread_t thread;

	if (child)
		return child;
	for (uintptr_t i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, play, (void *)(seed * THREADS + i));
	play((void *)(seed * THREADS));
	return 0;
}

static void some_fault(void)
{
	static const char *const values[] = { "0", "0", "3", "50", "400" };

	set_accel("delay", values[number(COUNT(values))]);
	set_accel("fail_every", one_in(4) ? "7" : "0");
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 60);
	uintptr_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : (uintptr_t)time(NULL) % 100000;
	pid_t child[PROCESSES];
	long kills = 0;
	int status;

	printf("# seed %lu\n", (unsigned long)seed);
	state = seed | 1;
	room = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	munmap(room + ROOM, 4096);
	read_only = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	set_kcrypto("time_limit_ms", "2000");
	for (size_t i = 0; i < SESSIONS; i++) {
		shared[i].fd = device_open();
		open_one(&shared[i]);
	}
	for (size_t i = 0; i < PROCESSES; i++)
		child[i] = start(seed++);
	while (time(NULL) < end) {
		size_t i = number(PROCESSES);

		usleep(200000);
		some_fault();
		kill(child[i], SIGKILL);
		if (waitpid(child[i], &status, 0) == child[i])
			child[i] = start(seed++);
		kills++;
	}
	for (size_t i = 0; i < PROCESSES; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], &status, 0);
	}
	set_accel("delay", "0");
	set_accel("fail_every", "0");
	set_kcrypto("time_limit_ms", "10000");
	for (size_t i = 0; i < SESSIONS; i++)
		close(shared[i].fd);
	CHECK(wait_for_counter("sessions", 0));
	CHECK(wait_for_counter("in_flight", 0));
	printf("# %ld processes killed, %ld requests done, %ld failed, %ld too late\n", kills,
	       number_in("/sys/kernel/debug/kcrypto/counters", "done"),
	       number_in("/sys/kernel/debug/kcrypto/counters", "failed"),
	       number_in("/sys/kernel/debug/kcrypto/counters", "timeouts"));
	return 0;
}
