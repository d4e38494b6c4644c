/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a TLS 1.2 record of 16 KiB costs, AES-128-GCM, over loopback: sealed only, its bytes being
 * read as they come, and sealed and opened. By libssl, as openssl.cnf has it, or by the kernel's
 * TLS. usage: tls-seal [ktls], by bench/seal
 */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#define LEN	16384
#define SEALED	(5 + 8 + LEN + 16) /* bytes: header, carried nonce, text, tag */
#define WARM	500		   /* records until no more is learned */
#define COUNTED 200

static void need(bool is, const char *what)
{
	if (is)
		return;
	fprintf(stderr, "tls-seal: %s\n", what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

static unsigned client_key(SSL *ssl, const char *hint, char *identity, unsigned most,
			   unsigned char *key, unsigned most_key)
{
	(void)ssl;
	(void)hint;
	snprintf(identity, most, "bench");
	need(most_key >= 16, "no room for a key");
	memset(key, 7, 16);
	return 16;
}

static unsigned server_key(SSL *ssl, const char *identity, unsigned char *key, unsigned most_key)
{
	(void)ssl;
	(void)identity;
	need(most_key >= 16, "no room for a key");
	memset(key, 7, 16);
	return 16;
}

static void connect_sockets(int fd[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(at);

	fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	need(bind(listener, (struct sockaddr *)&at, len) == 0 && listen(listener, 1) == 0 &&
		     getsockname(listener, (struct sockaddr *)&at, &len) == 0 &&
		     connect(fd[0], (struct sockaddr *)&at, len) == 0,
	     "no connection over loopback");
	fd[1] = accept(listener, NULL, NULL);
	close(listener);
}

static SSL *end_of(SSL_CTX *ctx, int fd, void (*be)(SSL *))
{
	SSL *ssl = SSL_new(ctx);

	need(ssl && SSL_set_fd(ssl, fd), "no end of a connection");
	be(ssl);
	return ssl;
}

/* Both ends are in this thread, so neither may wait for the other in libssl. */
static void shake_hands(SSL *end[2], const int fd[2])
{
	while (!SSL_is_init_finished(end[0]) || !SSL_is_init_finished(end[1])) {
		for (int i = 0; i < 2; i++) {
			int result;

			fcntl(fd[i], F_SETFL, O_NONBLOCK);
			result = SSL_do_handshake(end[i]);
			need(result == 1 || SSL_get_error(end[i], result) == SSL_ERROR_WANT_READ,
			     "the handshake failed");
		}
		poll((struct pollfd[]){ { fd[0], POLLIN, 0 }, { fd[1], POLLIN, 0 } }, 2, 10);
	}
	for (int i = 0; i < 2; i++)
		fcntl(fd[i], F_SETFL, 0);
}

struct connection {
	SSL *end[2];
	int fd[2];
};

/* Where the second end @opens nothing, its bytes are to be read as they come. */
static struct connection begin(bool is_ktls, bool opens)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_method());
	struct connection c;

	SSL_CTX_set_max_proto_version(ctx, TLS1_2_VERSION);
	SSL_CTX_set_psk_client_callback(ctx, client_key);
	SSL_CTX_set_psk_server_callback(ctx, server_key);
	need(SSL_CTX_set_cipher_list(ctx, "PSK-AES128-GCM-SHA256"), "no suite");
	if (is_ktls)
		SSL_CTX_set_options(ctx, SSL_OP_ENABLE_KTLS);
	connect_sockets(c.fd);
	c.end[0] = end_of(ctx, c.fd[0], SSL_set_connect_state);
	c.end[1] = end_of(ctx, c.fd[1], SSL_set_accept_state);
	if (!opens)
		SSL_clear_options(c.end[1], SSL_OP_ENABLE_KTLS);
	shake_hands(c.end, c.fd);
	SSL_CTX_free(ctx);
	need(is_ktls == !!BIO_get_ktls_send(SSL_get_wbio(c.end[0])) &&
		     (is_ktls && opens) == !!BIO_get_ktls_recv(SSL_get_rbio(c.end[1])),
	     "kTLS is not what was asked for");
	return c;
}

static void end(const struct connection *c)
{
	for (int i = 0; i < 2; i++) {
		SSL_free(c->end[i]);
		close(c->fd[i]);
	}
}

static unsigned char text[LEN], got[SEALED];

static void seal(const struct connection *c)
{
	need(SSL_write(c->end[0], text, LEN) == LEN, "a record is not written");
}

static void seal_alone(const struct connection *c)
{
	seal(c);
	need(recv(c->fd[1], got, SEALED, MSG_WAITALL) == SEALED, "no record arrives");
}

static void seal_and_open(const struct connection *c)
{
	int n, done = 0;

	seal(c);
	for (; done < LEN; done += n) {
		n = SSL_read(c->end[1], got, LEN - done);
		need(n > 0, "a record is not opened");
	}
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static double ns_of(void (*pass)(const struct connection *c), const struct connection *c)
{
	uint64_t start;

	for (int i = 0; i < WARM; i++)
		pass(c);
	start = now();
	for (int i = 0; i < COUNTED; i++)
		pass(c);
	return (double)(now() - start) / COUNTED;
}

int main(int argc, char **argv)
{
	bool is_ktls = argc > 1 && strcmp(argv[1], "ktls") == 0;
	struct connection c;
	double sealed, both;

	OPENSSL_init_ssl(OPENSSL_INIT_LOAD_CONFIG, NULL);
	/* What the second end has not opened would be missing there, so each figure has its own. */
	c = begin(is_ktls, true);
	both = ns_of(seal_and_open, &c);
	end(&c);
	c = begin(is_ktls, false);
	sealed = ns_of(seal_alone, &c);
	end(&c);
	printf("%.0f %.0f\n", sealed, both);
	return 0;
}
