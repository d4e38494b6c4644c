// SPDX-License-Identifier: Apache-2.0
/*
 * A fuzzer of /dev/kcrypto's ioctls: fuzz SECONDS [SEED]. Several processes with several threads
 * make calls with mostly valid fields, on sessions that they share; some fork, some are killed,
 * some close descriptors that others use, some are other users, in namespaces or with little
 * memory. In between, the module is removed and virtio-crypto is unbound. A thread of each process
 * makes requests whose results it knows. Calls that reach new code (by kcov, where the kernel has
 * it) are kept and mutated further. The fuzzer fails on wrong results, undocumented errors, and
 * processes that do not end. tests/module/inside checks the kernel's reports.
 */
#define _GNU_SOURCE
#include "cover.h"
#include "device.h"
#include "disturb.h"
#include "field.h"
#include "someone.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SESSIONS  8
#define PROCESSES 4
#define THREADS	  3
#define CORPUS	  1024

/* A call of the fuzzer. */
struct call {
	unsigned cmd;
	union {
		uint32_t words[64];
		uint64_t session; /* for calls on a session */
		struct kcrypto_open open;
		struct kcrypto_list list;
		struct kcrypto_request request;
		struct kcrypto_result result;
	};
};

/* Shared by all processes. */
static struct common {
	atomic_bool has_failed;
	atomic_ulong calls, checked;
	struct cover cover;
	atomic_uint kept;
	struct call corpus[CORPUS];
} * common;

static struct session shared[SESSIONS];
static __thread uint64_t state;

static void fail(const char *what, long number)
{
	printf("# %s %ld\n", what, number);
	atomic_store(&common->has_failed, true);
}

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
	if (one_in(3))
		return (1ull << number(64)) + number(3) - 1; /* near a power of 2 */
	return one_in(20) ? 0xffff888000000000 : number(70000);
}

static uint64_t some_address(void)
{
	switch (number(12)) {
	case 0:
		return some_number();
	case 1:
		return address(read_only + number(4096));
	case 2:
		return address(room + ROOM - number(5000)); /* ends where the mapping ends */
	default:
		return address(room + number(ROOM - KCRYPTO_MAX_LEN));
	}
}

static const struct alg {
	uint8_t number, iv, tag, keys[3];
} algs[] = {
	{ KCRYPTO_CBC_AES, 16, 0, { 16, 24, 32 } },
	{ KCRYPTO_CTR_AES, 16, 0, { 16, 24, 32 } },
	{ KCRYPTO_ECB_AES, 0, 0, { 16, 24, 32 } },
	{ KCRYPTO_XTS_AES, 16, 0, { 32, 64, 64 } },
	{ KCRYPTO_CBC_DES3, 8, 0, { 24, 24, 24 } },
	{ KCRYPTO_GCM_AES, 12, 16, { 16, 24, 32 } },
	{ KCRYPTO_SHA256, 0, 32, { 0, 0, 0 } },
	{ KCRYPTO_HMAC_SHA256, 0, 32, { 1, 32, 100 } },
	{ KCRYPTO_BLOCKS_SHA256, 32, 32, { 0, 0, 0 } },
};

static struct call some_open(void)
{
	static const char *const names[] = { "cbc-aes-accel", "cbc(aes)", VIRTIO_CBC };
	const struct alg *alg = &algs[number(COUNT(algs))];
	struct call c = { .cmd = KCRYPTO_IOC_OPEN,
			  .open = { .algorithm = alg->number,
				    .key = some_address(),
				    .key_len = alg->keys[number(3)],
				    .tag_len = alg->tag == 16 ? 16 : 0 } };

	if (one_in(4))
		snprintf(c.open.driver, sizeof(c.open.driver), "%s", names[number(COUNT(names))]);
	return c;
}

static struct call some_request(unsigned cmd)
{
	const struct alg *alg = &algs[number(COUNT(algs))];
	bool is_hash = alg->tag == 32;

	return (struct call){ .cmd = cmd,
			      .request = { .flags = is_hash ? 0 : number(2),
					   .len = number(8) ? number(1024) * 16 :
							      (uint32_t)some_number(),
					   .in = some_address(),
					   .out = is_hash ? 0 : some_address(),
					   .iv = some_address(),
					   .iv_len = alg->iv,
					   .tag = some_address(),
					   .tag_len = alg->tag,
					   .aad = some_address(),
					   .aad_len = alg->tag == 16 ? number(64) : 0,
					   .user_data = number(8) } };
}

static struct call some_list(void)
{
	return (struct call){ .cmd = KCRYPTO_IOC_LIST,
			      .list = { .drivers = some_address(),
					.count = (uint32_t)some_number(),
					.driver_size = sizeof(struct kcrypto_driver) } };
}

static struct call some_reap(void)
{
	return (struct call){ .cmd = KCRYPTO_IOC_REAP,
			      .result = { .user_data = number(8),
					  .flags = (one_in(20) ? 0 : KCRYPTO_NOWAIT) |
						   (one_in(2) ? 0 : KCRYPTO_THIS) |
						   (one_in(4) ? KCRYPTO_DROP : 0) } };
}

/* Mutates any field, to values that a later version may send, and to others. */
static struct call any_number(struct call c)
{
	unsigned size = one_in(2) ? number(sizeof(c.words)) : (unsigned)some_number() & 0x3fff;

	c.cmd = _IOC(number(4), KCRYPTO_IOC_MAGIC, number(8), size);
	return c;
}

static void change(struct call *c)
{
	for (uint32_t n = number(3); n > 0; n--) {
		size_t at = number(_IOC_SIZE(c->cmd) / 4) % COUNT(c->words);

		if (one_in(3))
			c->words[at] ^= 1u << number(32);
		else if (one_in(2))
			c->words[at] = (uint32_t)some_number();
		else
			*(uint64_t *)&c->words[at & ~1ul] = some_address();
	}
}

static struct call some_call(void)
{
	unsigned kept = atomic_load(&common->kept);
	struct call c;

	switch (number(kept ? 16 : 8)) {
	case 0:
		c = some_list();
		break;
	case 1:
		c = some_open();
		break;
	case 2:
	case 3:
		c = some_reap();
		break;
	case 4:
	case 5:
		c = some_request(KCRYPTO_IOC_SUBMIT);
		break;
	case 6:
	case 7:
		c = some_request(KCRYPTO_IOC_RUN);
		break;
	default:
		c = common->corpus[number(kept < CORPUS ? kept : CORPUS)];
		if (_IOC_SIZE(c.cmd) >= 4)
			change(&c);
		return c;
	}
	if (one_in(5))
		change(&c);
	return one_in(16) ? any_number(c) : c;
}

static bool is_documented(int err)
{
	static const int all[] = {
		0,	     EBADF,	  ENOTTY,    EFAULT, EINVAL,	     E2BIG,  ENOMEM,
		EOPNOTSUPP,  ENOENT,	  EPERM,     EBUSY,  ENOKEY,	     EDQUOT, EACCES,
		EKEYREVOKED, EKEYEXPIRED, ETIMEDOUT, EINTR,  ESTALE,	     EBADFD, ESHUTDOWN,
		EMSGSIZE,    EAGAIN,	  EBADMSG,   EIO,    EPROTONOSUPPORT
	};

	for (size_t i = 0; i < COUNT(all); i++)
		if (err == -all[i])
			return true;
	return false;
}

static void make_call(const struct session *s, struct call c)
{
	struct call before = c;
	int err;

	cover_begin();
	err = device_ioctl(s->fd, c.cmd, one_in(50) ? (void *)(uintptr_t)some_address() : c.words);
	atomic_fetch_add(&common->calls, 1);
	if (!is_documented(err))
		fail("undocumented error", err);
	if (cover_end(&common->cover))
		common->corpus[atomic_fetch_add(&common->kept, 1) % CORPUS] = before;
}

/* Opens a session and sets it up. The corpus's calls do not know a session's number. */
static void open_session(struct session *s)
{
	struct call c = some_open();

	if (one_in(4))
		change(&c);
	if (device_ioctl(s->fd, c.cmd, &c.open) == 0)
		s->cookie = c.open.session;
}

static void reopen(struct session *s)
{
	/* Several threads may get here: each closes the descriptor that it has taken. */
	close(__atomic_exchange_n(&s->fd, device_open(), __ATOMIC_SEQ_CST));
	open_session(s);
}

static void step(void)
{
	struct session *s = &shared[number(SESSIONS)];
	struct pollfd p = { .fd = s->fd, .events = POLLIN | POLLOUT };
	struct call c = some_call();
	pid_t child;

	if (!one_in(8))
		c.session = _IOC_NR(c.cmd) >= 3 && _IOC_NR(c.cmd) <= 5 ? s->cookie : c.session;
	switch (number(64)) {
	case 0:
	case 1:
		reopen(s);
		break;
	case 2:
		poll(&p, 1, 0);
		break;
	case 3:
		if (!one_in(20))
			break;
		child = fork();
		if (child == 0) {
			device_ioctl(s->fd, c.cmd, c.words);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		break;
	default:
		make_call(s, c);
	}
}

static int covers[THREADS];

static void *play(void *seed)
{
	state = (uintptr_t)seed * 0x9e3779b97f4a7c15 | 1;
	cover_thread(covers[(uintptr_t)seed % THREADS]);
	for (;;)
		step();
	return NULL;
}

/* Errors that this fuzzer's faults cause in valid requests. */
static bool is_unlucky(int err)
{
	return err == -EIO || err == -ETIMEDOUT || err == -ESHUTDOWN || err == -EAGAIN ||
	       err == -ENOMEM;
}

/* Encrypts and decrypts, with memory and a session of this thread alone. Returns the result. */
static int check_one(const struct session *s, bool is_aead)
{
	static __thread uint8_t text[KCRYPTO_MAX_LEN], work[sizeof(text)], back[sizeof(text)],
		tag[16];
	bool is_broken = is_aead && one_in(4);
	size_t len = (number(256) + 1) * (one_in(4) ? 256 : 16);
	struct kcrypto_request req = cipher_request(s, text, work, len);
	int err;

	req.iv_len = is_aead ? 12 : 16;
	req.tag = address(tag);
	req.tag_len = is_aead ? 16 : 0;
	for (size_t i = 0; i < len; i++)
		text[i] = (uint8_t)number(256);
	err = request_run(s, &req);
	if (err)
		return err;
	tag[0] ^= is_broken;
	req.in = address(work);
	req.out = address(back);
	req.flags = KCRYPTO_DECRYPT;
	memset(back, 0x55, len);
	err = request_run(s, &req);
	if (err == 0 && (is_broken || memcmp(text, back, len) != 0))
		fail("wrong plaintext of", (long)len);
	if (err && (back[0] != 0x55 || memcmp(back, back + 1, len - 1) != 0))
		fail("output of a request that failed:", err);
	if (err == -EBADMSG && !is_broken)
		fail("a right tag is refused, of", (long)len);
	return err == -EBADMSG ? 0 : err;
}

static void *check(void *seed)
{
	struct session s;
	bool is_aead;
	int err;

	state = (uintptr_t)seed * 0x9e3779b97f4a7c15 | 1;
	for (;;) {
		is_aead = one_in(2);
		err = session_open(&s, is_aead ? KCRYPTO_GCM_AES : KCRYPTO_CBC_AES, "",
				   "sixteen letters", 16, is_aead ? 16 : 0);
		if (err) {
			usleep(1000);
			continue;
		}
		for (int i = 0; i < 50 && !err; i++) {
			err = check_one(&s, is_aead);
			atomic_fetch_add(&common->checked, 1);
		}
		if (err && !is_unlucky(err))
			fail("a right request ends with", err);
		session_close(&s);
	}
	return NULL;
}

static pid_t start(uintptr_t seed)
{
	pid_t child = fork();
	pthread_t thread;

	if (child)
		return child;
	state = seed * 0x9e3779b97f4a7c15 | 1;
	/* Only root may do this. */
	for (int i = 1; i < THREADS; i++)
		covers[i] = cover_open();
	someone_be(number(1000));
	pthread_create(&thread, NULL, check, (void *)(seed * THREADS));
	for (uintptr_t i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, play, (void *)(seed * THREADS + i));
	pause();
	return 0;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	CHECK_IS(end_of(child), SIGKILL);
}

/* Starts and kills processes for some seconds, until none is left. */
static void round_of(time_t seconds, uintptr_t *seed)
{
	time_t until = time(NULL) + seconds;
	pid_t child[PROCESSES];

	cover_module(&common->cover, "kcrypto");
	chmod("/dev/kcrypto", 0666);
	set_kcrypto("time_limit_ms", "2000");
	for (size_t i = 0; i < SESSIONS; i++) {
		shared[i].fd = device_open();
		open_session(&shared[i]);
	}
	for (size_t i = 0; i < PROCESSES; i++)
		child[i] = start((*seed)++);
	while (time(NULL) < until) {
		size_t i = number(PROCESSES);

		usleep(200000);
		disturb(number(UINT32_MAX));
		end(child[i]);
		child[i] = start((*seed)++);
	}
	for (size_t i = 0; i < PROCESSES; i++)
		end(child[i]);
	disturb_no_more();
	for (size_t i = 0; i < SESSIONS; i++)
		close(shared[i].fd);
	CHECK(wait_for_counter("sessions", 0));
	CHECK(wait_for_counter("in_flight", 0));
	set_kcrypto("time_limit_ms", "10000");
}

static time_t duration;
static uintptr_t first_seed;

/* Runs while the device is gone, and after it has come back. */
static void rounds(time_t seconds, uintptr_t *seed)
{
	virtio_unbind();
	if (one_in(3))
		round_of(seconds, seed);
	virtio_bind();
	round_of(seconds, seed);
}

TEST(fuzz)
{
	time_t end_time = time(NULL) + duration;
	const char *module = getenv("KCRYPTO_KO");
	uintptr_t seed = first_seed;

	printf("# seed %lu\n", (unsigned long)seed);
	state = seed | 1;
	map_field();
	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	someone_prepare();
	while (time(NULL) < end_time) {
		rounds(duration < 15 ? duration : 15, &seed);
		if (module) {
			CHECK_IS(remove_module("kcrypto"), 0);
			CHECK_IS(insert_module(module), 0);
		}
		printf("# %lu calls, %u places of code, %u calls kept; %lu results checked\n",
		       common->calls, common->cover.places, common->kept, common->checked);
	}
	CHECK(!common->has_failed);
	CHECK(common->checked > 0);
	/* Coverage guides the fuzzer, where the kernel has kcov. */
	CHECK(cover_open() < 0 || common->kept > 0);
}

int main(int argc, char **argv)
{
	duration = argc > 1 ? atoi(argv[1]) : 20;
	first_seed = argc > 2 ? strtoul(argv[2], NULL, 10) : (uintptr_t)time(NULL) % 100000;
	return run_tests("");
}
