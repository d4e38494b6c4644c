// SPDX-License-Identifier: Apache-2.0
/* Which drivers /dev/kcrypto admits, and which algorithms it offers, by root's parameters. */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Makes the kernel instantiate a template, as any user of AF_ALG may. */
static int instantiate(const char *type, const char *name)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG };
	int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int err;

	snprintf((char *)sa.salg_type, sizeof(sa.salg_type), "%s", type);
	snprintf((char *)sa.salg_name, sizeof(sa.salg_name), "%s", name);
	err = bind(fd, (void *)&sa, sizeof(sa)) ? -errno : 0;
	close(fd);
	return err;
}

static struct kcrypto_driver drivers[64];

static unsigned list(void)
{
	struct kcrypto_list l = { .drivers = address(drivers),
				  .count = COUNT(drivers),
				  .driver_size = sizeof(drivers[0]) };
	int fd = device_open();

	CHECK_IS(device_ioctl(fd, KCRYPTO_IOC_LIST, &l), 0);
	close(fd);
	CHECK(l.count <= COUNT(drivers));
	return l.count;
}

static const struct kcrypto_driver *find(const char *name)
{
	for (unsigned i = list(); i-- > 0;)
		if (strcmp(drivers[i].name, name) == 0)
			return &drivers[i];
	return NULL;
}

static int try_driver(const char *name, unsigned algorithm, size_t key_len)
{
	struct session s;
	int err = session_open(&s, algorithm, name, in, key_len, 0);

	if (!err)
		session_close(&s);
	return err;
}

/* Over a driver that is hardware, whose flags the template inherits. */
TEST(templates_of_others_are_no_hardware)
{
	static const char *const names[] = { "xts(ecb-aes-accel)", "cts(cbc-aes-accel)",
					     "essiv(cbc-aes-accel,sha256)" };
	unsigned before = list();

	for (size_t i = 0; i < COUNT(names); i++)
		printf("# %s: %d\n", names[i], instantiate("skcipher", names[i]));
	CHECK_IS(instantiate("skcipher", "xts(ecb-aes-accel)"), 0);
	CHECK_IS(list(), before);
	CHECK_IS(try_driver("xts(ecb-aes-accel)", KCRYPTO_XTS_AES, 32), -EPERM);
	set_kcrypto("drivers", "a:xts(ecb-aes-accel):b");
	CHECK(find("xts(ecb-aes-accel)"));
	in[0] = 1; /* XTS's two keys have to differ */
	CHECK_IS(try_driver("xts(ecb-aes-accel)", KCRYPTO_XTS_AES, 32), 0);
	in[0] = 0;
	set_kcrypto("drivers", ":");
	CHECK_IS(list(), before);
}

TEST(a_driver_that_root_excludes)
{
	unsigned before = list();

	CHECK(find("cbc-aes-accel"));
	set_kcrypto("drivers", "-cbc-aes-accel");
	CHECK(!find("cbc-aes-accel"));
	CHECK_IS(list(), before - 1);
	CHECK_IS(try_driver("", KCRYPTO_CBC_AES, 16), -EPERM);
	CHECK_IS(try_driver("cbc-aes-accel", KCRYPTO_CBC_AES, 16), -EPERM);
	set_kcrypto("software", "1");
	CHECK(!find("cbc-aes-accel"));
	set_kcrypto("software", "0");
	set_kcrypto("drivers", "-cbc-aes:-cbc-aes-accelerator:-bc-aes-accel:cbc-aes-accel");
	CHECK_IS(try_driver("", KCRYPTO_CBC_AES, 16), 0);
	set_kcrypto("drivers", ":");
	CHECK_IS(list(), before);
}

TEST(old_algorithms_that_root_leaves_out)
{
	CHECK(find("ecb-aes-accel") && find("cbc-des3-ede-accel"));
	set_kcrypto("old", "0");
	CHECK(find("cbc-aes-accel"));
	CHECK(!find("ecb-aes-accel") && !find("cbc-des3-ede-accel"));
	CHECK_IS(try_driver("", KCRYPTO_ECB_AES, 16), -EOPNOTSUPP);
	CHECK_IS(try_driver("", KCRYPTO_CBC_DES3, 24), -EOPNOTSUPP);
	CHECK_IS(try_driver("", KCRYPTO_CBC_AES, 16), 0);
	set_kcrypto("old", "1");
	CHECK_IS(try_driver("", KCRYPTO_ECB_AES, 16), 0);
}

TEST(the_longest_text_of_a_driver)
{
	struct kcrypto_open arg = { .algorithm = KCRYPTO_CBC_AES,
				    .key = address(key),
				    .key_len = 16 };
	const struct kcrypto_driver *found = find("cbc-aes-accel");
	struct session s;

	CHECK(found && found->max_len == KCRYPTO_MAX_LEN);
	CHECK_IS(session_set_up(&s, &arg), 0);
	CHECK_IS(arg.max_len, KCRYPTO_MAX_LEN);
	session_close(&s);
}

static int run_ccm(const struct session *s, const uint8_t *iv, size_t len, void *to)
{
	static uint8_t tag[8];
	struct kcrypto_request req = cipher_request(s, in, to, len);

	req.iv = address(iv);
	req.tag = address(tag);
	req.tag_len = sizeof(tag);
	return request_run(s, &req);
}

/*
 * The IV's first byte gives the length of the counter, and the nonce excludes the counter's bytes.
 */
TEST(the_IV_of_CCM)
{
	struct session s;
	uint8_t iv[16];

	CHECK_IS(instantiate("aead", "ccm(aes)"), 0);
	set_kcrypto("software", "1");
	CHECK_IS(session_open(&s, KCRYPTO_CCM_AES, "", key, 16, 8), 0);
	set_kcrypto("software", "0");
	memset(iv, 0, sizeof(iv));
	for (unsigned first = 0; first < 256; first++) {
		iv[0] = (uint8_t)first;
		CHECK_IS(run_ccm(&s, iv, 64, out), first >= 1 && first <= 7 ? 0 : -EINVAL);
	}
	iv[0] = 1;
	CHECK_IS(run_ccm(&s, iv, 65535, out), 0);
	CHECK_IS(run_ccm(&s, iv, 65536, out), -EINVAL);
	iv[0] = 2;
	CHECK_IS(run_ccm(&s, iv, 65536, out), 0);
	CHECK_IS(run_ccm(&s, iv, 64, out), 0);
	memset(iv + 13, 0xff, 3);
	CHECK_IS(run_ccm(&s, iv, 64, back), 0);
	CHECK(memcmp(out, back, 64) == 0);
	session_close(&s);
}
