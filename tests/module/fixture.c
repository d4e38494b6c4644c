// SPDX-License-Identifier: Apache-2.0
/* See fixture.h. */
#include "fixture.h"

#include <string.h>
#include <unistd.h>

const uint8_t key[32] = { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
			  0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c };
uint8_t in[KCRYPTO_MAX_LEN + 4096], out[sizeof(in)], back[sizeof(in)], wanted[LEN];
uint8_t outs[KCRYPTO_MAX_IN_FLIGHT][LEN];
struct kcrypto_result result;

int as_often(int times)
{
	if (access("/sys/kernel/debug/kmemleak", F_OK) == 0)
		return times / 10;
	return sizeof(long) == 4 ? times / 4 : times;
}

int try_cbc(struct session *s)
{
	return session_open(s, KCRYPTO_CBC_AES, "", key, 16, 0);
}

void open_cbc(struct session *s)
{
	CHECK_IS(try_cbc(s), 0);
}

int run_once(const struct session *s)
{
	struct kcrypto_request req = cipher_request(s, in, out, LEN);

	return request_run(s, &req);
}

void make_wanted(void)
{
	struct session s;

	open_cbc(&s);
	CHECK_IS(run_once(&s), 0);
	memcpy(wanted, out, LEN);
	session_close(&s);
}

int submit(const struct session *s, void *to, size_t len, uint64_t user_data)
{
	struct kcrypto_request req = cipher_request(s, in, to, len);

	req.user_data = user_data;
	return device_ioctl(s->fd, KCRYPTO_IOC_SUBMIT, &req);
}

int reap_to(const struct session *s, unsigned flags, uint64_t user_data)
{
	result = (struct kcrypto_result){ .session = s->cookie,
					  .flags = flags,
					  .user_data = user_data };
	return device_ioctl(s->fd, KCRYPTO_IOC_REAP, &result);
}

int reap(const struct session *s, unsigned flags)
{
	int err = reap_to(s, flags, 0);

	return err ? err : result.error;
}

int reap_this(const struct session *s, uint64_t user_data)
{
	return reap_to(s, KCRYPTO_THIS, user_data);
}

void open_empty(struct session *s)
{
	make_wanted();
	open_cbc(s);
	memset(outs, 0, sizeof(outs));
}

void submit_all(const struct session *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		CHECK_IS(submit(s, outs[i], LEN, i), 0);
}

int main(int argc, char **argv)
{
	return run_tests(argc > 1 ? argv[1] : "");
}
