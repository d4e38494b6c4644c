// SPDX-License-Identifier: Apache-2.0
/*
 * Single requests to /dev/kcrypto over the test accelerator: right answers, and each refusal of
 * what an attacker may write into the structs. No request may end the session.
 */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fill(void *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((uint8_t *)at)[i] = (uint8_t)rand();
}

TEST(known_answers)
{
	static const uint8_t iv[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t text[16] = { 0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
					  0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a };
	static const uint8_t cbc[16] = { 0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46,
					 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d };
	static const uint8_t abc[4] = { 0xba, 0x78, 0x16, 0xbf };  /* SHA-256 of "abc" begins so */
	static const uint8_t jefe[4] = { 0x5b, 0xdc, 0xc1, 0x46 }; /* RFC 4231, case 2 */
	struct session s;
	struct kcrypto_request req;

	open_cbc(&s);
	req = cipher_request(&s, text, out, 16);
	req.iv = address(iv);
	CHECK_IS(request_run(&s, &req), 0);
	CHECK(memcmp(out, cbc, 16) == 0);
	session_close(&s);
	CHECK_IS(session_open(&s, KCRYPTO_SHA256, "", NULL, 0, 0), 0);
	req = (struct kcrypto_request){ .session = s.cookie,
					.in = address("abc"),
					.len = 3,
					.tag = address(out),
					.tag_len = 32 };
	CHECK_IS(request_run(&s, &req), 0);
	CHECK(memcmp(out, abc, 4) == 0);
	req.len = 0;
	CHECK_IS(request_run(&s, &req), 0);
	CHECK_IS(out[0], 0xe3);
	session_close(&s);
	CHECK_IS(session_open(&s, KCRYPTO_HMAC_SHA256, "", "Jefe", 4, 0), 0);
	req.session = s.cookie;
	req.in = address("what do ya want for nothing?");
	req.len = 28;
	CHECK_IS(request_run(&s, &req), 0);
	CHECK(memcmp(out, jefe, 4) == 0);
	session_close(&s);
}

static int list_with(struct kcrypto_list *list, void *at, __u32 count, __u32 size)
{
	int fd = device_open(), err;

	*list = (struct kcrypto_list){ .drivers = address(at),
				       .count = count,
				       .driver_size = size };
	err = device_ioctl(fd, KCRYPTO_IOC_LIST, list);
	close(fd);
	return err;
}

TEST(the_list_of_drivers)
{
	static struct kcrypto_driver drivers[300];
	struct {
		struct kcrypto_driver driver;
		uint8_t more[40];
	} longer[32];
	struct kcrypto_list l;
	bool has_cbc = false;

	CHECK_IS(list_with(&l, drivers, COUNT(drivers), sizeof(drivers[0])), 0);
	CHECK(l.count >= 8 && l.count < 32);
	for (unsigned i = 0; i < l.count; i++)
		has_cbc = has_cbc || (drivers[i].algorithm == KCRYPTO_CBC_AES &&
				      strcmp(drivers[i].name, "cbc-aes-accel") == 0 &&
				      drivers[i].min_key == 16 && drivers[i].max_key == 32 &&
				      drivers[i].flags & KCRYPTO_DRIVER_ASYNC);
	CHECK(has_cbc);
	memset(longer, 0xaa, sizeof(longer));
	CHECK_IS(list_with(&l, longer, COUNT(longer), sizeof(longer[0])), 0);
	CHECK(strcmp(longer[1].driver.name, drivers[1].name) == 0 && longer[1].more[39] == 0);
	CHECK_IS(list_with(&l, NULL, 0, sizeof(drivers[0])), 0);
	CHECK(l.count >= 8);
	CHECK_IS(list_with(&l, drivers, UINT32_MAX, sizeof(drivers[0])), 0);
	CHECK_IS(list_with(&l, NULL, 1, sizeof(drivers[0])), -EFAULT);
	CHECK_IS(list_with(&l, (void *)-4096L, 1, sizeof(drivers[0])), -EFAULT);
	CHECK_IS(list_with(&l, drivers, 1, sizeof(drivers[0]) - 1), -EINVAL);
	CHECK_IS(list_with(&l, drivers, 1, 5000), -EINVAL);
}

TEST(lengths_of_ciphers_requests)
{
	static const struct {
		uint32_t len;
		int err;
	} cases[] = { { 0, -EINVAL },
		      { 1, -EINVAL },
		      { 15, -EINVAL },
		      { 16, 0 },
		      { 17, -EINVAL },
		      { 4096, 0 },
		      { 65520, 0 },
		      { 65535, -EINVAL },
		      { 65536, 0 },
		      { 65537, -EMSGSIZE },
		      { 65552, -EMSGSIZE },
		      { 0x7fffffff, -EMSGSIZE },
		      { 0x80000000, -EMSGSIZE },
		      { 0xfffffff0, -EMSGSIZE } };
	static const unsigned any[] = { KCRYPTO_CTR_AES, KCRYPTO_XTS_AES };
	struct session s;
	struct kcrypto_request req;

	open_cbc(&s);
	for (size_t i = 0; i < COUNT(cases); i++) {
		req = cipher_request(&s, in, out, cases[i].len);
		CHECK_IS(request_run(&s, &req), cases[i].err);
	}
	session_close(&s);
	for (size_t i = 0; i < COUNT(any); i++) {
		CHECK_IS(session_open(&s, any[i], "", "0123456789abcdefFEDCBA9876543210", 32, 0),
			 0);
		for (size_t len = 1; len < 600; len++) {
			fill(in, len);
			memset(out, 0x55, len + 1);
			req = cipher_request(&s, in, out, len);
			if (any[i] == KCRYPTO_XTS_AES && len < 16) {
				CHECK_IS(request_run(&s, &req), -EINVAL);
				continue;
			}
			CHECK_IS(request_run(&s, &req), 0);
			CHECK_IS(out[len], 0x55);
			req = cipher_request(&s, out, back, len);
			req.flags = KCRYPTO_DECRYPT;
			CHECK_IS(request_run(&s, &req), 0);
			CHECK(memcmp(in, back, len) == 0);
		}
		session_close(&s);
	}
}

/* A request of GCM without AAD. */
static struct kcrypto_request gcm_request(const struct session *s, void *to, size_t len, void *tag,
					  unsigned tag_len)
{
	struct kcrypto_request req = cipher_request(s, in, to, len);

	req.iv_len = 12;
	req.tag = address(tag);
	req.tag_len = tag_len;
	return req;
}

/* Encrypts and decrypts a message, then decrypts it with a wrong tag. */
static void gcm_message(const struct session *s, size_t aad_len, size_t len, unsigned tag_len)
{
	static uint8_t aad[KCRYPTO_MAX_AAD], tag[17];
	struct kcrypto_request req = gcm_request(s, out, len, tag, tag_len);

	req.aad = address(aad);
	req.aad_len = (__u32)aad_len;
	memset(tag, 0x55, sizeof(tag));
	CHECK_IS(request_run(s, &req), 0);
	CHECK_IS(tag[tag_len], 0x55);
	req.flags = KCRYPTO_DECRYPT;
	req.in = address(out);
	req.out = address(back);
	CHECK_IS(request_run(s, &req), 0);
	CHECK(memcmp(in, back, len) == 0);
	tag[tag_len / 2] ^= 4;
	memset(back, 0x55, len);
	CHECK_IS(request_run(s, &req), -EBADMSG);
	for (size_t i = 0; i < len; i++)
		if (back[i] != 0x55) {
			CHECK(!"plaintext of a message whose tag is wrong");
			break;
		}
}

TEST(lengths_of_aeads_requests)
{
	struct session s;
	struct kcrypto_request req;

	fill(in, sizeof(in));
	for (unsigned tag_len = 0; tag_len < 20; tag_len++) {
		bool is_valid = tag_len == 4 || tag_len == 8 || (tag_len >= 12 && tag_len <= 16);
		int err = session_open(&s, KCRYPTO_GCM_AES, "", key, 16, tag_len);

		CHECK_IS(err, is_valid ? 0 : -EINVAL);
		if (err)
			continue;
		for (size_t aad_len = 0; aad_len < 70; aad_len++)
			gcm_message(&s, aad_len, aad_len * 7 % 93, tag_len);
		gcm_message(&s, KCRYPTO_MAX_AAD, KCRYPTO_MAX_LEN, tag_len);
		req = gcm_request(&s, out, 16, back, tag_len + 1);
		req.aad = address(back);
		CHECK_IS(request_run(&s, &req), -EINVAL);
		req.tag_len = tag_len;
		req.aad_len = KCRYPTO_MAX_AAD + 1;
		CHECK_IS(request_run(&s, &req), -EMSGSIZE);
		req.aad_len = 0x80000000;
		CHECK_IS(request_run(&s, &req), -EMSGSIZE);
		req.aad_len = 0;
		req.len = 65537;
		CHECK_IS(request_run(&s, &req), -EMSGSIZE);
		req.len = 16;
		req.iv_len = 16;
		CHECK_IS(request_run(&s, &req), -EINVAL);
		session_close(&s);
	}
}

/*
 * Every pointer of a request in turn points into the kernel, to nothing, or across the end of a
 * mapping.
 */
TEST(pointers_that_are_none)
{
	uint8_t *page =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *constant = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t bad[] = { 0,
			   8,
			   address(page + 4096),
			   address(page + 4096 - 4),
			   0xffff888000000000,
			   0xffffffff81000000,
			   0xfffffffffffffff0,
			   0x800000000000,
			   UINT64_MAX };
	struct kcrypto_request req, good;
	struct session s;

	munmap(page + 4096, 4096);
	CHECK_IS(session_open(&s, KCRYPTO_GCM_AES, "", key, 16, 16), 0);
	good = gcm_request(&s, out, 64, back, 16);
	good.aad = address(in);
	good.aad_len = 13;
	for (size_t i = 0; i < COUNT(bad); i++) {
		for (int field = 0; field < 5; field++) {
			req = good;
			*(field == 0 ? &req.in :
			  field == 1 ? &req.out :
			  field == 2 ? &req.iv :
			  field == 3 ? &req.aad :
				       &req.tag) = bad[i];
			CHECK_IS(request_run(&s, &req), -EFAULT);
		}
		CHECK_IS(device_ioctl(s.fd, KCRYPTO_IOC_RUN, (void *)(uintptr_t)bad[i]), -EFAULT);
		CHECK_IS(device_ioctl(s.fd, KCRYPTO_IOC_REAP, (void *)(uintptr_t)bad[i]), -EFAULT);
	}
	req = good;
	req.out = address(constant);
	CHECK_IS(request_run(&s, &req), -EFAULT);
	CHECK_IS(request_run(&s, &good), 0);
	session_close(&s);
}

TEST(overlaps_of_input_and_output)
{
	static const int shifts[] = { 0, 1, -1, 16, -16, 100, 4095 };
	struct kcrypto_request req;
	struct session s;

	open_cbc(&s);
	for (size_t i = 0; i < COUNT(shifts); i++) {
		fill(in, 20000);
		memcpy(back, in, 20000);
		req = cipher_request(&s, back + 5000, out, 8192);
		CHECK_IS(request_run(&s, &req), 0);
		req = cipher_request(&s, in + 5000, in + 5000 + shifts[i], 8192);
		CHECK_IS(request_run(&s, &req), 0);
		CHECK(memcmp(in + 5000 + shifts[i], out, 8192) == 0);
	}
	session_close(&s);
}

static volatile bool stop;

static void *change(void *at)
{
	volatile uint8_t *byte = at;

	while (!stop)
		*byte ^= 1;
	return NULL;
}

/* The tag that was checked belongs to the output, whatever happens to the input. */
TEST(input_that_changes_while_it_is_used)
{
	static uint8_t tag[16];
	struct kcrypto_request req;
	struct session s;
	pthread_t thread;
	int right = 0, wrong = 0;

	CHECK_IS(session_open(&s, KCRYPTO_GCM_AES, "", key, 16, 16), 0);
	fill(in, 4096);
	req = gcm_request(&s, out, 4096, tag, 16);
	CHECK_IS(request_run(&s, &req), 0);
	req.in = address(out);
	req.out = address(back);
	req.flags = KCRYPTO_DECRYPT;
	stop = false;
	pthread_create(&thread, NULL, change, out + 2048);
	for (int i = 0; i < 2000; i++) {
		int err = request_run(&s, &req);

		CHECK(err == 0 || err == -EBADMSG);
		right += err == 0;
		wrong += err == -EBADMSG;
		CHECK(err || memcmp(in, back, 4096) == 0);
	}
	stop = true;
	pthread_join(thread, NULL);
	printf("# %d right, %d refused\n", right, wrong);
	session_close(&s);
}

/* An ioctl with a struct of another size. */
static int sized(int fd, unsigned long what, size_t size, void *arg)
{
	return device_ioctl(fd, _IOC(_IOC_DIR(what), _IOC_TYPE(what), _IOC_NR(what), size), arg);
}

TEST(flags_sizes_and_numbers_of_ioctls)
{
	static const size_t zeros[] = { offsetof(struct kcrypto_request, reserved),
					offsetof(struct kcrypto_request, tag_len),
					offsetof(struct kcrypto_request, aad_len) };
	static struct {
		struct kcrypto_request req;
		uint8_t more[8192];
	} arg;
	struct session s;

	open_cbc(&s);
	for (int bit = 1; bit < 32; bit++) {
		arg.req = cipher_request(&s, in, out, 64);
		arg.req.flags = 1u << bit;
		CHECK_IS(request_run(&s, &arg.req), -EINVAL);
		CHECK_IS(reap_to(&s, 1u << bit, 0), 1u << bit == KCRYPTO_THIS ? -ENOENT : -EINVAL);
	}
	for (size_t i = 0; i < COUNT(zeros); i++) {
		arg.req = cipher_request(&s, in, out, 64);
		*((uint8_t *)&arg.req + zeros[i]) = 16;
		CHECK_IS(request_run(&s, &arg.req), -EINVAL);
	}
	arg.req = cipher_request(&s, in, out, 64);
	for (size_t size = 0; size < sizeof(arg.req); size += 4)
		CHECK_IS(sized(s.fd, KCRYPTO_IOC_RUN, size, &arg), -EINVAL);
	CHECK_IS(sized(s.fd, KCRYPTO_IOC_RUN, sizeof(arg.req) + 24, &arg), 0);
	arg.more[23] = 1;
	CHECK_IS(sized(s.fd, KCRYPTO_IOC_RUN, sizeof(arg.req) + 24, &arg), -E2BIG);
	arg.more[23] = 0;
	CHECK_IS(sized(s.fd, KCRYPTO_IOC_RUN, 5000, &arg), -E2BIG);
	for (unsigned nr = 0; nr < 256; nr++)
		if (nr < 1 || nr > 5)
			CHECK_IS(device_ioctl(s.fd, _IOWR(0xC7, nr, arg.req), &arg), -ENOTTY);
	CHECK_IS(device_ioctl(s.fd, _IO(0xC7, 3), &arg), -ENOTTY);
	CHECK_IS(device_ioctl(s.fd, 0x5401, &arg), -ENOTTY);
	arg.req.session++;
	CHECK_IS(request_run(&s, &arg.req), -ESTALE);
	CHECK_IS(read(s.fd, out, 1), -1);
	CHECK_IS(write(s.fd, out, 1), -1);
	session_close(&s);
}
