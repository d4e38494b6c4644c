/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs do to a live context's descriptor, over the module and a real kernel: they close it
 * and reuse its number. The bytes stay right, and no other descriptor is written to or closed.
 * faults/descriptors_test tests other files too, and a process without a free descriptor; the fault
 * matrix and fork_test show that none is leaked or inherited. usage: survive_test CONFIG
 */
#include "unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "integration/lives/live.h"
#include "integration/lives/loaded.h"
#include "integration/lives/sessions.h"
#include "local.h"

static EVP_CIPHER_CTX *context(void)
{
	return live_context_of(lib, "AES-128-CBC", "provider=kcrypto");
}

/* The highest of the sessions' descriptors; -1 if there is none. */
static int session_fd(void)
{
	struct sessions s = sessions();

	return s.n ? s.fd[s.n - 1] : -1;
}

TEST(a_socket_with_the_sessions_number_gets_not_a_byte)
{
	EVP_CIPHER_CTX *c = context();
	char byte;
	int fd, pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_true(live_is_right(c));
	fd = session_fd();
	if (fd == pair[1] || fd == pair[0])
		fail_msg("no session was opened");
	assert_int_equal(dup2(pair[0], fd), fd);
	assert_true(live_is_right(c));
	EVP_CIPHER_CTX_free(c);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	assert_int_equal(recv(pair[1], &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

/*
 * One context's session gets the number of another one, which was closed while its context lived.
 */
TEST(two_contexts_that_share_a_number_keep_their_keys)
{
	LOCAL(EVP_CIPHER_CTX) *a = context(), *b = context();
	static const unsigned char other[16] = "another key 123";
	static unsigned char first[LIVE_LEN], out[LIVE_LEN];

	assert_true(live_is_right(a));
	close(session_fd());
	assert_true(EVP_EncryptInit_ex(b, NULL, NULL, other, live_iv));
	assert_true(live_encrypt(b, first));
	assert_true(live_is_right(a));
	assert_true(live_encrypt(b, out));
	assert_memory_equal(out, first, LIVE_LEN);
}

static void prepare(void)
{
	live_prepare();
	load();
}

const struct suite suite = { .arguments = 1, .set_up = prepare, .tear_down = unload };
