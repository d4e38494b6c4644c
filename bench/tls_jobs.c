// SPDX-License-Identifier: Apache-2.0
/*
 * A TLS server's writes in one thread: tls-jobs CRT_AND_KEY CONNECTIONS RECORDS async|sync|check.
 * Each connection sends records of 16 KiB, and the program prints MB/s. async: in OpenSSL's jobs,
 * so that records of several connections are in flight. check: async, and a client reads and
 * compares.
 */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 64
#define LEN  16384

static struct connection {
	SSL *server, *client;
	unsigned left; /* records to write */
	bool waits;
	int fd; /* that it waits for */
	uint8_t text[LEN];
} connections[MOST];

static void need(bool is, const char *what)
{
	if (is)
		return;
	fprintf(stderr, "tls-jobs: %s\n", what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

static SSL *side(SSL_CTX *ctx, BIO *in, BIO *out, void (*be)(SSL *))
{
	SSL *ssl = SSL_new(ctx);

	need(ssl, "SSL_new");
	BIO_up_ref(in);
	BIO_up_ref(out);
	SSL_set_bio(ssl, in, out);
	be(ssl);
	return ssl;
}

static void connect_to(struct connection *c, SSL_CTX *server, SSL_CTX *client, bool is_checked)
{
	BIO *up = BIO_new(BIO_s_mem()), *down = BIO_new(BIO_s_mem());
	char none[1];

	c->server = side(server, up, down, SSL_set_accept_state);
	c->client = side(client, down, up, SSL_set_connect_state);
	while (SSL_do_handshake(c->client) + SSL_do_handshake(c->server) != 2)
		need(BIO_pending(up) || BIO_pending(down), "handshake");
	SSL_read(c->client, none, 0); /* reads the tickets */
	if (!is_checked)
		SSL_set0_wbio(c->server, BIO_new(BIO_s_null()));
}

static void receive(struct connection *c)
{
	static uint8_t got[LEN];

	for (size_t n = 0, more; n < LEN; n += more)
		need(SSL_read_ex(c->client, got + n, LEN - n, &more), "SSL_read");
	need(memcmp(got, c->text, LEN) == 0, "wrong bytes");
}

/* Writes a record, or a part of one. */
static void write_on(struct connection *c, bool is_checked)
{
	size_t n = 1;
	int ok = SSL_write(c->server, c->text, LEN);

	c->waits = ok <= 0;
	if (c->waits) {
		need(SSL_get_error(c->server, ok) == SSL_ERROR_WANT_ASYNC, "SSL_write");
		need(SSL_get_all_async_fds(c->server, NULL, &n) && n == 1, "descriptors");
		SSL_get_all_async_fds(c->server, &c->fd, &n);
		return;
	}
	c->left--;
	if (is_checked)
		receive(c);
	c->text[c->left % LEN]++;
}

/* False: all have written everything. */
static bool turn(unsigned n, bool is_checked)
{
	struct pollfd p[MOST];
	bool is_left = false;

	for (unsigned i = 0; i < n; i++) {
		struct connection *c = &connections[i];

		while (c->left && !c->waits)
			write_on(c, is_checked);
		is_left = is_left || c->left;
		p[i] = (struct pollfd){ .fd = c->waits ? c->fd : -1, .events = POLLIN };
	}
	if (is_left)
		need(poll(p, n, -1) > 0, "poll");
	for (unsigned i = 0; i < n; i++)
		if (connections[i].waits && p[i].revents)
			write_on(&connections[i], is_checked);
	return is_left;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void write_all(unsigned n, unsigned records, bool is_checked)
{
	for (unsigned i = 0; i < n; i++)
		connections[i].left = records;
	while (turn(n, is_checked))
		;
}

int main(int argc, char **argv)
{
	SSL_CTX *server = SSL_CTX_new(TLS_server_method()),
		*client = SSL_CTX_new(TLS_client_method());
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0,
		 records = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	bool is_checked = argc == 5 && strcmp(argv[4], "check") == 0;
	double start;

	need(argc == 5 && n && n <= MOST && records, "wrong arguments");
	need(SSL_CTX_use_certificate_file(server, argv[1], SSL_FILETYPE_PEM) == 1 &&
		     SSL_CTX_use_PrivateKey_file(server, argv[1], SSL_FILETYPE_PEM) == 1 &&
		     SSL_CTX_set_ciphersuites(server, "TLS_AES_128_GCM_SHA256"),
	     "server");
	for (unsigned i = 0; i < n; i++) {
		connect_to(&connections[i], server, client, is_checked);
		if (strcmp(argv[4], "sync") != 0)
			SSL_set_mode(connections[i].server, SSL_MODE_ASYNC);
	}
	write_all(n, 4, is_checked); /* opens the sessions, and tries the driver */
	start = now();
	write_all(n, records, is_checked);
	printf("%.1f\n", n * (double)records * LEN / (now() - start) / 1e6);
	return 0;
}
