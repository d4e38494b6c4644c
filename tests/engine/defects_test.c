/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defects of older engines in the lives of contexts, one test each. Defect 2, a new IV or key for a
 * context that uses the kernel, is tested in rounds.c; engine_test.py tests those of programs,
 * processes and kernels. Runs over a real kernel or the stand-in, with any OpenSSL that has
 * engines.
 */
#include "unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <openssl/err.h>

#include "engine/app.h"
#include "integration/lives/sessions.h"

#define LEN 8192

static ENGINE *e;
static unsigned char in[LEN], got[LEN + 64], want[LEN + 64];
static const unsigned char keys[2][32] = { "0123456789abcdef0123456789abcde",
					   "fedcba9876543210fedcba987654321" };
static const unsigned char ivs[2][16] = { "ivivivivivivivi", "the other IV...." };

static void setup(void)
{
	stats_file_make();
	for (size_t i = 0; i < LEN; i++)
		in[i] = (unsigned char)(i * 7 + i / 251);
	e = app_load();
	app_configure(e, "ALL:0", "NONE");
}

static void teardown(void)
{
	app_unload(e);
}

/* Two contexts with the same key: the engine's and the built-in cipher's. */
struct both {
	EVP_CIPHER_CTX *ours, *theirs;
};

static struct both start(int nid, int enc)
{
	struct both b = { EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new() };

	assert_true(EVP_CipherInit_ex(b.ours, EVP_get_cipherbynid(nid), e, keys[0], ivs[0], enc));
	assert_true(EVP_CipherInit_ex(b.theirs, app_reference(nid), NULL, keys[0], ivs[0], enc));
	return b;
}

static void restart(struct both b, const unsigned char *key, const unsigned char *iv)
{
	assert_true(EVP_CipherInit_ex(b.ours, NULL, NULL, key, iv, -1));
	assert_true(EVP_CipherInit_ex(b.theirs, NULL, NULL, key, iv, -1));
}

static void same(struct both b, size_t len)
{
	int n = 0, m = 0;

	assert_true(EVP_CipherUpdate(b.ours, got, &n, in, (int)len));
	assert_true(EVP_CipherUpdate(b.theirs, want, &m, in, (int)len));
	assert_int_equal(n, m);
	assert_memory_equal(got, want, (size_t)n);
}

/* Compares the outputs; the kernel must have done a part. */
static void same_by_kernel(struct both b, size_t len)
{
	unsigned long long before = app_requests(NULL);

	same(b, len);
	assert_true(app_requests(NULL) > before);
}

static void end(struct both b)
{
	EVP_CIPHER_CTX_free(b.ours);
	EVP_CIPHER_CTX_free(b.theirs);
	assert_int_equal(ERR_peek_error(), 0);
}

#define DEADLY(name)                                                                               \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static bool enter_sandbox(void)
{
	struct sock_filter lines[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		DEADLY(socket),
		DEADLY(bind),
		DEADLY(accept4),
		DEADLY(ioctl),
		DEADLY(sendmsg),
		DEADLY(setsockopt),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { COUNT(lines), lines };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* Defect 1. */
TEST(small_requests_are_done_in_software_and_right)
{
	struct both b;
	unsigned long long before;

	app_configure(e, "AES-128-CBC:1024, AES-128-CTR:1024", "NONE");
	b = start(NID_aes_128_cbc, 1);
	/*
	 * The number of requests until a session pays depends on measured times, so the limit is
	 * high.
	 */
	for (int i = 0; i < 1000000 && app_requests("AES-128-CBC") == 0; i++)
		same(b, LEN);
	assert_true(app_requests("AES-128-CBC") > 0);
	before = app_requests(NULL);
	for (size_t len = 16; len < 1024; len += 48)
		same(b, len);
	assert_true(app_requests(NULL) == before);
	same_by_kernel(b, 1024);
	end(b);
	app_configure(e, "ALL:0", "NONE");
}

/* Defect 3: each context has one descriptor, which is closed once, whichever ends first. */
TEST(a_copy_has_a_session_of_its_own)
{
	size_t before = descriptors();
	struct stat mine, now;

	for (int first = 0; first < 2; first++) {
		struct both b = start(NID_aes_128_cbc, 1);
		struct both copy = { EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new() };
		int fd;

		same_by_kernel(b, LEN);
		assert_true(EVP_CIPHER_CTX_copy(copy.ours, b.ours));
		assert_true(EVP_CIPHER_CTX_copy(copy.theirs, b.theirs));
		same_by_kernel(copy, LEN);
		assert_int_equal(descriptors(), before + 2);
		end(first ? b : copy);
		/* The descriptor that now has the closed number must stay open. */
		fd = open("/dev/zero", O_RDONLY);
		assert_int_equal(fstat(fd, &mine), 0);
		same_by_kernel(first ? copy : b, LEN);
		end(first ? copy : b);
		assert_int_equal(fstat(fd, &now), 0);
		assert_true(mine.st_ino == now.st_ino && mine.st_dev == now.st_dev);
		close(fd);
		assert_int_equal(descriptors(), before);
	}
}

/* Defect 5, for ciphers: parent and child continue at the same time. */
TEST(a_child_goes_on_by_itself)
{
	struct both b = start(NID_aes_128_cbc, 1);
	pid_t pid;

	same_by_kernel(b, LEN);
	pid = fork();
	for (int i = 0; i < 20; i++)
		same_by_kernel(b, LEN - 64 * (pid == 0));
	if (pid == 0)
		_exit(7);
	assert_int_equal(child_status(pid), 7);
	same_by_kernel(b, LEN);
	end(b);
}

/* Defect 7, and the order of lines: a known cipher is used, whatever stands beside it. */
TEST(unknown_ciphers_hurt_nothing_else)
{
	static const char *const lists[] = {
		"AES-128-CBC:0 NO-SUCH-1, aes-256-cbc:0 AES-128-CBC:abc AES-128-CCB",
		"aes-128-cbc:0,AES-256-CBC:0,,,NO-SUCH-CIPHER-WITH-A-NAME-THAT-IS-LONGER-THAN-ANY",
		"AES-128-CBC:0, AES-192-CBC:0, AES-256-CBC:0, DES-EDE3-CBC:0, AES-128-CTR:0",
	};

	for (size_t i = 0; i < COUNT(lists); i++) {
		struct both b;

		app_configure(e, lists[i], "NONE");
		b = start(NID_aes_256_cbc, 1);
		same_by_kernel(b, LEN);
		end(b);
		b = start(NID_aes_256_cfb128, 1);
		same(b, LEN);
		end(b);
	}
	app_configure(e, "NONE", "NONE");
	assert_int_equal(ENGINE_get_ciphers(e)(e, NULL, &(const int *){ NULL }, 0), 0);
	app_configure(e, "ALL:0", "NONE");
}

/*
 * Defect 8: one block at a time, as in wpa_supplicant. ECB is not part of ALL, and stays in
 * software even if it is named.
 */
TEST(a_block_of_ecb_stays_in_software)
{
	static const char *const lists[] = { "ALL", "ALL, AES-128-ECB" };
	unsigned long long before = app_requests("AES-128-ECB");

	for (size_t i = 0; i < COUNT(lists); i++) {
		struct both b;

		app_configure(e, lists[i], "NONE");
		b = start(NID_aes_128_ecb, 1);
		for (int k = 0; k < 5000; k++)
			same(b, 16);
		assert_true(app_requests("AES-128-ECB") == before);
		end(b);
	}
	app_configure(e, "ALL:0", "NONE");
}

/* Defect 9. */
TEST(no_descriptor_is_left_by_new_keys)
{
	size_t before = descriptors();
	struct both b = start(NID_aes_128_cbc, 1);

	for (int i = 0; i < 300; i++) {
		same_by_kernel(b, 1024);
		assert_int_equal(descriptors(), before + 1);
		restart(b, keys[i % 2], ivs[i % 2]);
		if (i % 3 == 0)
			assert_true(EVP_CipherInit_ex(b.ours, EVP_get_cipherbynid(NID_aes_128_cbc),
						      e, keys[i % 2], ivs[i % 2], 1));
	}
	end(b);
	assert_int_equal(descriptors(), before);
}

TEST(contexts_beyond_the_limit_of_descriptors_are_right)
{
	static struct both b[1200];

	app_configure(e, "AES-128-CBC:0", "NONE");
	for (size_t i = 0; i < COUNT(b); i++) {
		b[i] = start(NID_aes_128_cbc, 1);
		same(b[i], 64);
	}
	for (size_t i = 0; i < COUNT(b); i++) {
		same(b[i], 64);
		end(b[i]);
	}
}

/* Defect 6: EVP and the engine are asked for names and ciphers before any command. */
TEST(names_may_be_asked_for_before_the_configuration)
{
	const int *nids = NULL;
	const EVP_CIPHER *cipher = NULL;
	struct both b;

	app_unload(e);
	e = app_load();
	assert_non_null(EVP_get_cipherbyname("aes-256-cbc"));
	assert_true(ENGINE_get_ciphers(e)(e, NULL, &nids, 0) >= 0);
	assert_int_equal(ENGINE_get_ciphers(e)(e, &cipher, NULL, NID_aes_256_cbc), 1);
	assert_non_null(cipher);
	assert_true(ENGINE_set_default(e, ENGINE_METHOD_ALL));
	b = start(NID_aes_256_cbc, 1);
	same(b, LEN);
	app_configure(e, "ALL:0", "NONE");
	same(b, LEN);
	end(b);
	b = start(NID_aes_256_cbc, 1);
	same_by_kernel(b, LEN);
	end(b);
}

/* What the command prints to standard error, which is redirected to a file. */
static size_t printed_by(const char *command)
{
	FILE *file = fdopen(memfd_create("said", MFD_CLOEXEC), "w+");
	int kept = dup(STDERR_FILENO);
	long n;

	fflush(stderr);
	assert_true(file && dup2(fileno(file), STDERR_FILENO) >= 0);
	app_tell(e, command, NULL);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_true(fseek(file, 0, SEEK_END) == 0);
	n = ftell(file);
	fclose(file);
	return (size_t)n;
}

TEST(what_is_printed_is_printed)
{
	assert_true(printed_by("VERSION") > 10);
	assert_true(printed_by("DUMP_INFO") > 1000);
}

static const long numbers[] = { LONG_MIN, INT_MIN, -1,	0,	 1,
				9,	  11,	   199, 200,	 201,
				211,	  212,	   213, 214,	 300,
				65536,	  99,	   500, INT_MAX, (long)UINT_MAX,
				LONG_MAX };

static bool is_ours(long command)
{
	return command >= ENGINE_CMD_BASE && command < 300;
}

/* Sends each control and an unknown one, with each of the numbers, with and without memory. */
static void ask_everything(char *room, size_t size)
{
	for (size_t command = 0; command < COUNT(numbers); command++) {
		if (is_ours(numbers[command]))
			continue;
		for (size_t i = 0; i < COUNT(numbers); i++) {
			memset(room, 0, size);
			ENGINE_ctrl(e, (int)numbers[command], numbers[i], NULL, NULL);
			ENGINE_ctrl(e, (int)numbers[command], numbers[i], room, NULL);
		}
	}
	for (int question = ENGINE_CTRL_HAS_CTRL_FUNCTION; question <= ENGINE_CTRL_GET_CMD_FLAGS;
	     question++) {
		for (size_t i = 0; i < COUNT(numbers); i++) {
			memset(room, 0, size);
			ENGINE_ctrl(e, question, numbers[i], NULL, NULL);
			ENGINE_ctrl(e, question, numbers[i], room, NULL);
		}
	}
}

/* Whether a command prints nothing. Two commands print. */
static bool is_silent(const char *name)
{
	return strcmp(name, "DUMP_INFO") != 0 && strcmp(name, "VERSION") != 0;
}

static void tell_everything(char *room, size_t size)
{
	char name[100];
	int command = ENGINE_ctrl(e, ENGINE_CTRL_GET_FIRST_CMD_TYPE, 0, NULL, NULL), n = 0;

	for (; command > 0;
	     command = ENGINE_ctrl(e, ENGINE_CTRL_GET_NEXT_CMD_TYPE, command, NULL, NULL)) {
		ENGINE_ctrl(e, ENGINE_CTRL_GET_NAME_FROM_CMD, command, name, NULL);
		n++;
		if (!is_silent(name))
			continue;
		for (size_t i = 0; i < COUNT(numbers); i++)
			ENGINE_ctrl(e, command, numbers[i], NULL, NULL);
		memset(room, 'x', size);
		room[size - 1] = '\0';
		ENGINE_ctrl(e, command, 0, room, NULL);
		for (size_t i = 0; i + 1 < size; i++)
			room[i] = (char)(i % 255 + 1);
		ENGINE_ctrl(e, command, 0, room, NULL);
		ENGINE_ctrl(e, ENGINE_CTRL_GET_CMD_FROM_NAME, 0, room, NULL);
	}
	assert_true(n > 10);
}

TEST(no_control_command_harms_whatever_comes_with_it)
{
	static char room[100000];
	struct both b;

	ask_everything(room, sizeof(room));
	tell_everything(room, sizeof(room));
	ERR_clear_error();
	app_tell(e, "MAX_REQUEST", "65536");
	app_tell(e, "MAX_SESSIONS", "1000");
	app_tell(e, "VERIFY", "0");
	app_configure(e, "ALL:0", "NONE");
	b = start(NID_aes_128_cbc, 1);
	same_by_kernel(b, LEN);
	end(b);
}

/*
 * As in OpenWrt's file, which has nothing else. The engine is no longer a default once its list is
 * empty.
 */
TEST(a_list_alone_makes_it_the_default)
{
	ENGINE *found;

	assert_null(ENGINE_get_cipher_engine(NID_aes_256_cbc));
	app_tell(e, "CIPHERS", "ALL:0");
	found = ENGINE_get_cipher_engine(NID_aes_256_cbc);
	assert_ptr_equal(found, e);
	ENGINE_finish(found);
	app_tell(e, "DIGESTS", "SHA256");
	found = ENGINE_get_digest_engine(NID_sha256);
	assert_ptr_equal(found, e);
	ENGINE_finish(found);
	app_tell(e, "CIPHERS", "NONE");
	assert_null(ENGINE_get_cipher_engine(NID_aes_256_cbc));
	app_configure(e, "ALL:0", "NONE");
	assert_null(ENGINE_get_digest_engine(NID_sha256));
}

/*
 * A success leaves errno and the error queue alone. What it left would make a TLS handshake fail.
 */
TEST(a_success_leaves_no_error)
{
	struct both b = start(NID_aes_128_cbc, 1);

	errno = ECHILD;
	same_by_kernel(b, LEN);
	assert_int_equal(errno, ECHILD);
	app_configure(e, "ALL:0 NO-SUCH", "NONE");
	app_tell(e, "CIPHER", "ALL");
	assert_int_equal(ERR_peek_error(), 0);
	end(b);
}

/*
 * Defect 11: a child like sshd's before authentication, whose sandbox kills it at a socket or an
 * ioctl.
 */
TEST(a_sandbox_kills_nobody)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct both b;

		if (!enter_sandbox())
			_exit(77);
		b = start(NID_aes_128_cbc, 1);
		for (int i = 0; i < 400; i++)
			same(b, LEN);
		_exit(7);
	}
	assert_int_equal(child_status(pid), 7);
}

const struct suite suite = { .set_up = setup, .tear_down = teardown };
