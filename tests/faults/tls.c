/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TLS client and a server in one process, over non-blocking sockets. Such a program checks the
 * error queue after each call: an error left there turns "try again" into a failure. usage: tls
 * CONFIG VERSION SUITE [no-descriptors]; VERSION like TLSv1.2
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "integration/lives/must.h"

#define AMOUNT 300000 /* bytes, in each direction */
#define RECORD 16384
#define ROUNDS 100000 /* after so many rounds it counts as hung */

static EVP_PKEY *make_key(OSSL_LIB_CTX *lib)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(lib, NULL, "EC", "P-256");

	must(key != NULL, "key");
	return key;
}

static X509 *make_certificate(EVP_PKEY *key)
{
	X509 *x = X509_new();
	X509_NAME *name = X509_NAME_new(); /* X509_get_subject_name() returns a const one in 4.0 */

	must(X509_set_version(x, 2) && ASN1_INTEGER_set(X509_get_serialNumber(x), 1) &&
		     X509_gmtime_adj(X509_getm_notBefore(x), -3600) &&
		     X509_gmtime_adj(X509_getm_notAfter(x), 86400) && X509_set_pubkey(x, key) &&
		     X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
						(const unsigned char *)"x", -1, -1, 0) &&
		     X509_set_subject_name(x, name) && X509_set_issuer_name(x, name) &&
		     X509_sign(x, key, EVP_sha256()),
	     "certificate");
	X509_NAME_free(name);
	return x;
}

static int version_of(const char *name)
{
	return strcmp(name, "TLSv1.3") == 0 ? TLS1_3_VERSION : TLS1_2_VERSION;
}

static SSL_CTX *make_end(OSSL_LIB_CTX *lib, const SSL_METHOD *method, const char *version,
			 const char *suite)
{
	SSL_CTX *ctx = SSL_CTX_new_ex(lib, NULL, method);
	int v = version_of(version);

	must(ctx && SSL_CTX_set_min_proto_version(ctx, v) && SSL_CTX_set_max_proto_version(ctx, v),
	     "context");
	must(v == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(ctx, suite) :
				   SSL_CTX_set_cipher_list(ctx, suite),
	     "suite");
	return ctx;
}

static SSL *connected(SSL_CTX *ctx, int fd)
{
	SSL *ssl = SSL_new(ctx);

	must(fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && ssl && SSL_set_fd(ssl, fd), "socket");
	return ssl;
}

/* What every such program asks after a call: is it done, or to be repeated? */
static bool done(SSL *ssl, int ret, const char *what)
{
	int err = SSL_get_error(ssl, ret);

	must(err == SSL_ERROR_NONE || err == SSL_ERROR_WANT_READ || err == SSL_ERROR_WANT_WRITE,
	     what);
	must(ERR_peek_error() == 0, "nothing in the error queue");
	return err == SSL_ERROR_NONE;
}

static void shake_hands(SSL *client, SSL *server)
{
	bool c = false, s = false;

	SSL_set_connect_state(client);
	SSL_set_accept_state(server);
	for (int i = 0; !(c && s); i++) {
		must(i < ROUNDS, "an end of the handshake");
		c = c || done(client, SSL_do_handshake(client), "client's handshake");
		s = s || done(server, SSL_do_handshake(server), "server's handshake");
	}
}

static unsigned char pattern(size_t i)
{
	return (unsigned char)(i * 7 + i / 251);
}

static void send_over(SSL *from, SSL *to)
{
	static unsigned char data[AMOUNT], got[AMOUNT];
	size_t sent = 0, received = 0;

	for (size_t i = 0; i < AMOUNT; i++)
		data[i] = pattern(i);
	for (int i = 0; received < AMOUNT; i++) {
		size_t left = AMOUNT - sent, n = 0;

		must(i < ROUNDS, "an end of the transfer");
		if (left &&
		    done(from, SSL_write_ex(from, data + sent, left < RECORD ? left : RECORD, &n),
			 "writing"))
			sent += n;
		if (done(to, SSL_read_ex(to, got + received, AMOUNT - received, &n), "reading"))
			received += n;
	}
	must(memcmp(data, got, AMOUNT) == 0, "the same bytes");
}

static void leave_no_descriptors(void)
{
	struct rlimit limit;
	int next = dup(0);

	close(next);
	must(getrlimit(RLIMIT_NOFILE, &limit) == 0, "limit");
	limit.rlim_cur = (rlim_t)next;
	must(setrlimit(RLIMIT_NOFILE, &limit) == 0 && dup(0) < 0, "limit");
}

/*
 * Prints the provider that bulk ciphers, such as those of session tickets, come from by default.
 * This program makes the first fetch, as libssl makes its own under a mark in the error queue.
 */
static void print_provider(OSSL_LIB_CTX *lib)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, "AES-256-CBC", NULL);

	must(cipher != NULL, "fetch");
	printf("%s\n", OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)));
	EVP_CIPHER_free(cipher);
}

int main(int argc, char **argv)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	SSL_CTX *client_ctx, *server_ctx;
	SSL *client, *server;
	EVP_PKEY *key;
	X509 *x;
	int pair[2];

	must(argc >= 4, "usage: tls CONFIG VERSION SUITE [no-descriptors]");
	must(OSSL_LIB_CTX_load_config(lib, argv[1]), "configuration");
	print_provider(lib);
	must(ERR_peek_error() == 0, "loading without a word");
	key = make_key(lib);
	x = make_certificate(key);
	client_ctx = make_end(lib, TLS_client_method(), argv[2], argv[3]);
	server_ctx = make_end(lib, TLS_server_method(), argv[2], argv[3]);
	must(SSL_CTX_use_certificate(server_ctx, x) && SSL_CTX_use_PrivateKey(server_ctx, key),
	     "key");
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "sockets");
	client = connected(client_ctx, pair[0]);
	server = connected(server_ctx, pair[1]);
	if (argc > 4)
		leave_no_descriptors();
	must(ERR_peek_error() == 0, "preparing without a word");
	shake_hands(client, server);
	send_over(client, server);
	send_over(server, client);
	must(strcmp(SSL_get_version(client), argv[2]) == 0 &&
		     strcmp(SSL_get_cipher_name(client), argv[3]) == 0,
	     "what was asked for");
	SSL_free(client);
	SSL_free(server);
	SSL_CTX_free(client_ctx);
	SSL_CTX_free(server_ctx);
	X509_free(x);
	EVP_PKEY_free(key);
	OSSL_LIB_CTX_free(lib);
	return 0;
}
