/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest request on a socket, by the machine's page size: the kernel rounds its buffer down to
 * pages, and grants at least one. The system calls are simulated.
 */
#include "unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_alg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/backend.h"

extern const struct kc_backend kc_afalg;

static struct {
	long page_size;
	int send_buffer, receive_buffer;
	unsigned tag_len; /* as set on the bound socket */
	int bind_err;
	bool takes_no_driver;
	const char *listed; /* in /proc/crypto */
	char bound[64];	    /* the last name */
} world;

long sysconf(int name)
{
	assert_int_equal(name, _SC_PAGESIZE);
	return world.page_size;
}

int open(const char *path, int flags, ...)
{
	int ends[2];

	if (strcmp(path, "/proc/crypto") != 0)
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags);
	errno = ENOENT;
	if (!world.listed)
		return -1;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], world.listed, strlen(world.listed)), strlen(world.listed));
	close(ends[1]);
	return ends[0];
}

int socket(int domain, int type, int protocol)
{
	(void)domain, (void)type, (void)protocol;
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int bind(int fd, const struct sockaddr *address, socklen_t len)
{
	const struct sockaddr_alg *sa = (const struct sockaddr_alg *)address;
	bool is_driver = !strstr((const char *)sa->salg_name, "(aes)");

	(void)fd, (void)len;
	strcpy(world.bound, (const char *)sa->salg_name);
	errno = world.takes_no_driver && is_driver ? ENOENT : world.bind_err;
	return errno ? -1 : 0;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	(void)fd, (void)level;
	/* ALG_SET_AEAD_AUTHSIZE: the length is the value. */
	if (name == 5 && !value)
		world.tag_len = (unsigned)len;
	return 0;
}

int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	(void)fd, (void)address, (void)len, (void)flags;
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	(void)fd;
	assert_int_equal(level, SOL_SOCKET);
	assert_true(name == SO_SNDBUF || name == SO_RCVBUF);
	assert_int_equal(*len, sizeof(int));
	*(int *)value = name == SO_SNDBUF ? world.send_buffer : world.receive_buffer;
	return 0;
}

static size_t limit_of(enum kc_alg_id id, unsigned tag_len, size_t configured)
{
	static const uint8_t bytes[16];
	const struct kc_key key = { .bytes = bytes, .len = sizeof(bytes), .tag_len = tag_len };
	struct kc_session session = {
		.alg = &kc_algs[id], .fd = -1, .limit = configured, .tag_len = tag_len
	};

	assert_int_equal(kc_afalg.open(&session, "", &key), 0);
	close(session.fd);
	return session.limit;
}

/* One page fits, however small the buffer is. The smaller one of the two buffers counts. */
TEST(a_request_fits_into_the_whole_pages_of_both_buffers)
{
	static const struct {
		long page_size;
		int send_buffer, receive_buffer;
		size_t configured, limit;
	} cases[] = {
		{ 4096, 212992, 212992, 65536, 65536 },	 { 4096, 212992, 212992, 16384, 16384 },
		{ 4096, 65536, 212992, 65536, 65536 },	 { 4096, 65535, 212992, 65536, 61440 },
		{ 4096, 32768, 212992, 65536, 32768 },	 { 4096, 4608, 212992, 65536, 4096 },
		{ 4096, 4096, 212992, 65536, 4096 },	 { 4096, 2304, 212992, 65536, 4096 },
		{ 16384, 212992, 212992, 65536, 65536 }, { 16384, 65535, 212992, 65536, 49152 },
		{ 16384, 16384, 212992, 65536, 16384 },	 { 16384, 8192, 212992, 65536, 16384 },
		{ 65536, 212992, 212992, 65536, 65536 }, { 65536, 65536, 212992, 65536, 65536 },
		{ 65536, 65535, 212992, 65536, 65536 },	 { 65536, 4608, 212992, 65536, 65536 },
		{ 65536, 4608, 212992, 4096, 4096 },	 { 4096, 212992, 8192, 65536, 8192 },
		{ 4096, 8192, 40000, 65536, 8192 },	 { 4096, 212992, 40000, 65536, 36864 },
		{ 4096, 212992, 2304, 65536, 4096 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		world.page_size = cases[i].page_size;
		world.send_buffer = cases[i].send_buffer;
		world.receive_buffer = cases[i].receive_buffer;
		assert_int_equal(limit_of(KC_ALG_AES_128_CBC, 0, cases[i].configured),
				 cases[i].limit);
	}
}

/*
 * AAD and tag accompany the text, both ways. A receive buffer that is too small would divide the
 * answer.
 */
TEST(an_aeads_text_leaves_room_for_the_rest_in_both_buffers)
{
	static const struct {
		int send_buffer, receive_buffer;
		size_t configured, limit;
	} cases[] = {
		{ 212992, 212992, 65264, 65264 },      { 65536, 212992, 65264, 65536 - 272 },
		{ 212992, 65536, 65264, 65536 - 272 }, { 212992, 65535, 65264, 61440 - 272 },
		{ 8192, 4608, 65264, 4096 - 272 },     { 212992, 212992, 16384, 16384 },
	};

	world.page_size = 4096;
	for (size_t i = 0; i < COUNT(cases); i++) {
		world.send_buffer = cases[i].send_buffer;
		world.receive_buffer = cases[i].receive_buffer;
		world.tag_len = 0;
		assert_int_equal(limit_of(KC_ALG_AES_128_GCM, 16, cases[i].configured),
				 cases[i].limit);
		assert_int_equal(world.tag_len, 16);
	}
}

#define LISTED(name, driver, type)                                                                 \
	"name         : " name "\ndriver       : " driver "\nselftest     : passed\n"              \
	"internal     : no\ntype         : " type "\n\n"
#define TEMPLATE LISTED("cbc(aes)", "cbc(aes-generic)", "skcipher")

/*
 * Binding does not name cryptd, which precedes the driver that it wraps, and names a template only
 * if there is no other.
 */
TEST(hardware_is_asked_for_by_a_name_of_software)
{
	static const struct {
		const char *listed, *asked;
	} cases[] = {
		{ LISTED("cbc(aes)", "cbc-aes-rk", "skcipher") TEMPLATE, "cbc(aes-generic)" },
		{ TEMPLATE LISTED("ctr(aes)", "ctr-aes-lib", "skcipher") TEMPLATE, "ctr-aes-lib" },
		{ LISTED("sha1", "sha1-lib", "shash")
			  LISTED("cbc(aes)", "cryptd(cbc-aes-lib)", "skcipher"),
		  NULL },
		{ TEMPLATE, "cbc(aes-generic)" },
		{ NULL, NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		world.listed = cases[i].listed;
		world.bind_err = 0;
		assert_int_equal(kc_afalg.hides_hardware(), cases[i].asked != NULL);
		assert_string_equal(world.bound, cases[i].asked ? cases[i].asked : "cbc(aes)");
	}
}

/* Only a kernel that ignores the flags gives software to a program that asks for hardware. */
TEST(a_kernel_that_refuses_software_as_hardware_hides_none)
{
	const int refusals[] = { ENOENT, EEXIST, EINVAL, EACCES };

	world.listed = TEMPLATE;
	for (size_t i = 0; i < COUNT(refusals); i++) {
		world.bind_err = refusals[i];
		assert_false(kc_afalg.hides_hardware());
	}
	world.bind_err = 0;
	assert_true(kc_afalg.hides_hardware());
}

/* Linux 7.3 with crypto.af_alg_restrict = 1; and the same if it did not hide hardware. */
TEST(a_kernel_that_takes_no_drivers_name_is_asked_for_an_algorithm)
{
	world.listed = LISTED("xts(aes)", "xts-aes-lib", "skcipher");
	world.takes_no_driver = true;
	assert_true(kc_afalg.hides_hardware());
	world.bind_err = ENOENT;
	assert_false(kc_afalg.hides_hardware());
	world.bind_err = 0;
	world.takes_no_driver = false;
}
