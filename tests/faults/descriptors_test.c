/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors: all of them used up; all closed under live contexts and their numbers given to other
 * files; very many contexts; exec. usage: descriptors_test CONFIG CONTEXTS; CONFIG allows a process
 * more sessions than descriptors.
 */
#include "unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <linux/if_alg.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "diff/stats_file.h"
#include "integration/lives/live.h"
#include "integration/lives/sessions.h"
#include "kernel/devcrypto_abi.h"

#define MANY	1200
#define LIMIT	1024
#define SHARE	4
#define FEW	10
#define NUMBERS 64

static const char *config;
static unsigned long contexts;

static EVP_CIPHER_CTX *ours(void)
{
	return live_context("provider=kcrypto");
}

/* Runs in a child, because this process needs its standard error. */
static bool numbers_are_above_2(void)
{
	EVP_CIPHER_CTX *c[FEW];
	bool ok = true;

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		close(fd);
	live_make(c, FEW);
	/* Closes all descriptors that a message to the user could go to. */
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		ok = ok && write(fd, "x", 1) < 0 && errno == EBADF;
	ok = ok && sessions().n == FEW;
	live_free(c, FEW);
	return ok;
}

/* Files of other code: how to open one, and how to see that nobody used it. */
struct others {
	int fd[NUMBERS];
	int far[NUMBERS];
	uint32_t session[NUMBERS];
	uint8_t last[16]; /* of the data that each session was sent */
};

static void open_file(struct others *o, size_t i)
{
	o->fd[i] = memfd_create("file", 0);
}

static void file_is_untouched(const struct others *o, size_t i)
{
	struct stat st;

	assert_int_equal(fstat(o->fd[i], &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(lseek(o->fd[i], 0, SEEK_CUR), 0);
}

/* Each byte sent here would be a byte of plaintext on the network. */
static void open_connection(struct others *o, size_t i)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(to);
	int listener = socket(AF_INET, SOCK_STREAM, 0), far;

	/* The test wants the lowest free number, which the listener has taken. */
	assert_int_equal(bind(listener, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&to, &len), 0);
	far = socket(AF_INET, SOCK_STREAM, 0);
	o->far[i] = fcntl(far, F_DUPFD, 500);
	close(far);
	assert_int_equal(connect(o->far[i], (struct sockaddr *)&to, len), 0);
	o->fd[i] = accept(listener, NULL, NULL);
	assert_int_equal(dup2(o->fd[i], listener), listener);
	close(o->fd[i]);
	o->fd[i] = listener;
}

static void connection_is_untouched(const struct others *o, size_t i)
{
	char byte;

	/* Neither a byte nor the end of input arrived. */
	assert_int_equal(recv(o->far[i], &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(send(o->fd[i], "x", 1, MSG_NOSIGNAL), 1);
	assert_int_equal(recv(o->far[i], &byte, 1, 0), 1);
}

static void open_foreign_alg(struct others *o, size_t i)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG,
				   .salg_type = "skcipher",
				   .salg_name = "cbc(aes)" };
	int tfm = socket(AF_ALG, SOCK_SEQPACKET, 0);

	assert_int_equal(bind(tfm, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(setsockopt(tfm, 279, ALG_SET_KEY, "somebody's key..", 16), 0);
	o->fd[i] = accept(tfm, NULL, NULL);
	assert_int_equal(dup2(o->fd[i], tfm), tfm);
	close(o->fd[i]);
	o->fd[i] = tfm;
}

/* A read would return output if anything had sent input. */
static void foreign_alg_is_untouched(const struct others *o, size_t i)
{
	char block[16];

	assert_int_equal(recv(o->fd[i], block, sizeof(block), MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
}

/* Encrypts from @iv; NULL continues the last request. */
static void encrypt_zeros(const struct others *o, size_t i, const uint8_t *iv, uint8_t out[32])
{
	static const uint8_t zeros[32];
	struct crypt_op op = { .ses = o->session[i],
			       .len = 32,
			       .src = zeros,
			       .dst = out,
			       .iv = (uint8_t *)(uintptr_t)iv };

	assert_int_equal(ioctl(o->fd[i], CIOCCRYPT, &op), 0);
}

/*
 * A session of the test's own in the middle of a stream: the next request continues from the last
 * one.
 */
static void open_foreign_device(struct others *o, size_t i)
{
	struct session_op session = { .cipher = CRYPTO_AES_CBC,
				      .keylen = 16,
				      .key = (const uint8_t *)"somebody's key.." };
	uint8_t got[32];

	o->fd[i] = open(DEVCRYPTO_PATH, O_RDWR);
	assert_true(o->fd[i] >= 0);
	assert_int_equal(ioctl(o->fd[i], CIOCGSESSION, &session), 0);
	o->session[i] = session.ses;
	encrypt_zeros(o, i, live_iv, got);
	memcpy(o->last, got + 16, 16);
}

/*
 * Input that anything had sent to that session would have changed its IV. No other session exists.
 */
static void foreign_device_is_untouched(const struct others *o, size_t i)
{
	uint8_t got[32], want[32];

	encrypt_zeros(o, i, NULL, got);
	encrypt_zeros(o, i, o->last, want);
	assert_memory_equal(got, want, 32);
}

static const struct {
	const char *name;
	void (*open)(struct others *o, size_t i);
	void (*is_untouched)(const struct others *o, size_t i);
} kinds[] = {
	{ "files", open_file, file_is_untouched },
	{ "connections", open_connection, connection_is_untouched },
	{ "AF_ALG sockets", open_foreign_alg, foreign_alg_is_untouched },
	{ "files of /dev/crypto", open_foreign_device, foreign_device_is_untouched },
};

static bool is_among(int fd, const int *list, size_t n)
{
	while (n && list[n - 1] != fd)
		n--;
	return n != 0;
}

static void reuse_numbers(size_t kind)
{
	EVP_CIPHER_CTX *c[FEW];
	struct others o;
	struct sessions ours_were;
	unsigned long long before;

	live_make(c, FEW);
	ours_were = sessions();
	assert_int_equal(ours_were.n, FEW);
	assert_int_equal(syscall(SYS_close_range, 3, ~0U, 0), 0);
	for (size_t i = 0; i < NUMBERS; i++)
		kinds[kind].open(&o, i);
	for (size_t i = 0; i < FEW; i++)
		assert_true(is_among(ours_were.fd[i], o.fd, NUMBERS));
	/* Some contexts are used, some get a new key, some are only freed. */
	before = requests(KC_ALG_AES_128_CBC);
	for (size_t i = 0; i < FEW; i += 2)
		for (int j = 0; j < 300; j++)
			assert_true(live_is_right(c[i]));
	assert_true(requests(KC_ALG_AES_128_CBC) > before);
	assert_true(EVP_EncryptInit_ex(c[1], NULL, NULL, live_key, live_iv));
	assert_true(live_is_right(c[1]));
	live_free(c, FEW);
	for (size_t i = 0; i < NUMBERS; i++)
		kinds[kind].is_untouched(&o, i);
	syscall(SYS_close_range, 3, ~0U, 0);
}

TEST(a_program_that_is_started_inherits_no_session)
{
	EVP_CIPHER_CTX *c[FEW];
	char line[256];
	unsigned lines = 0;
	FILE *ls;

	live_make(c, FEW);
	assert_int_equal(sessions().n, FEW);
	ls = popen("/bin/ls -l /proc/self/fd", "r");
	assert_non_null(ls);
	while (fgets(line, sizeof(line), ls)) {
		lines++;
		assert_null(strstr(line, "socket:"));
		assert_null(strstr(line, "/dev/crypto"));
	}
	assert_int_equal(pclose(ls), 0);
	assert_true(lines > 3);
	live_free(c, FEW);
}

TEST(whoever_gets_a_sessions_number_gets_not_a_byte)
{
	/* A read from a socket of other code would wait for ever. */
	for (size_t kind = 0; kind < COUNT(kinds); kind++) {
		/* If kcrypto's own sessions are files of the device, the device exists. */
		if (kinds[kind].open == open_foreign_device && access(DEVCRYPTO_PATH, F_OK) != 0)
			continue;
		print_message("  %s\n", kinds[kind].name);
		reuse_numbers(kind);
	}
}

TEST(very_many_contexts_leave_nothing_open)
{
	unsigned long long done = requests(KC_ALG_AES_128_CBC);
	size_t before = descriptors();

	assert_true(contexts > 10 * LIMIT);
	for (unsigned long i = 0; i < contexts; i++) {
		EVP_CIPHER_CTX *c = ours();

		assert_true(live_is_right(c));
		EVP_CIPHER_CTX_free(c);
	}
	assert_int_equal(requests(KC_ALG_AES_128_CBC) - done, contexts);
	assert_int_equal(descriptors(), before);
}

TEST(a_session_is_never_standard_input_or_output)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(!numbers_are_above_2());
	assert_ends_well(pid);
}

/* Regression: of 32 descriptors, 200 contexts left one. */
TEST(most_descriptors_are_the_programs)
{
	static const rlim_t limits[] = { 4, 32, 64, 256 };
	EVP_CIPHER_CTX *c[200];
	struct rlimit old, now;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	for (size_t k = 0; k < COUNT(limits); k++) {
		now = (struct rlimit){ limits[k], old.rlim_max };
		for (size_t i = 0; i < COUNT(c); i++)
			c[i] = ours();
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
		for (size_t i = 0; i < COUNT(c); i++)
			assert_true(live_is_right(c[i]));
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		assert_true(sessions().n <= limits[k] / SHARE);
		assert_true(limits[k] < 32 || sessions().n > 0);
		live_free(c, COUNT(c));
	}
}

TEST(more_contexts_than_descriptors_are_all_right)
{
	static EVP_CIPHER_CTX *c[MANY];
	const struct rlimit limit = { LIMIT, LIMIT };
	unsigned long long before;
	int one_to_count_with = dup(0), taken[LIMIT], n = 0;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	live_make(c, MANY);
	assert_int_equal(sessions().n, LIMIT / SHARE);
	/* The remaining descriptors are the program's; now it takes them. */
	while ((taken[n] = dup(one_to_count_with)) >= 0)
		n++;
	close(one_to_count_with);
	before = requests(KC_ALG_AES_128_CBC);
	for (size_t i = 0; i < MANY; i++)
		assert_true(live_is_right(c[i]));
	assert_int_equal(requests(KC_ALG_AES_128_CBC) - before, LIMIT / SHARE);
	assert_true(n > LIMIT / 2);
	while (n)
		close(taken[--n]);
	live_free(c, MANY);
	assert_int_equal(sessions().n, 0);
	/* When descriptors are free again the kernel is used again, though not at once. */
	before = requests(KC_ALG_AES_128_CBC);
	c[0] = ours();
	for (int i = 0; i < 100000 && requests(KC_ALG_AES_128_CBC) == before; i++)
		assert_true(live_is_right(c[0]));
	assert_true(requests(KC_ALG_AES_128_CBC) > before);
	EVP_CIPHER_CTX_free(c[0]);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	config = argv[1];
	contexts = strtoul(argv[2], NULL, 10);
	stats_file_make();
	live_prepare();
	live_load(config);
	return check_main(argc, argv);
}
