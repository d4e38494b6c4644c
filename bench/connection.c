/* SPDX-License-Identifier: Apache-2.0 */
/* Client and server in one thread, connected by a pair of BIOs. */
#include "connection.h"

#include <stdlib.h>

#include <openssl/ssl.h>

#define RECORD	16384
#define CIPHERS "ECDHE-ECDSA-AES128-SHA256"

struct connections {
	SSL_CTX *client, *server;
};

static SSL_CTX *end_of(OSSL_LIB_CTX *lib, const SSL_METHOD *method)
{
	SSL_CTX *c = SSL_CTX_new_ex(lib, NULL, method);

	if (c && SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION) &&
	    SSL_CTX_set_cipher_list(c, CIPHERS))
		return c;
	SSL_CTX_free(c);
	return NULL;
}

void *connections_new(OSSL_LIB_CTX *lib, const char *pem)
{
	struct connections *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->client = end_of(lib, TLS_client_method());
	c->server = end_of(lib, TLS_server_method());
	if (c->client && c->server &&
	    SSL_CTX_use_certificate_file(c->server, pem, SSL_FILETYPE_PEM) == 1 &&
	    SSL_CTX_use_PrivateKey_file(c->server, pem, SSL_FILETYPE_PEM) == 1)
		return c;
	connections_free(c);
	return NULL;
}

void connections_free(void *connections)
{
	struct connections *c = connections;

	if (!c)
		return;
	SSL_CTX_free(c->client);
	SSL_CTX_free(c->server);
	free(c);
}

/* Neither waits for the other for ever: each continues until it needs data from the other. */
static int shake_hands(SSL *client, SSL *server)
{
	for (int i = 0; i < 10; i++) {
		SSL_connect(client);
		SSL_accept(server);
		if (SSL_is_init_finished(client) && SSL_is_init_finished(server))
			return 1;
	}
	return 0;
}

static int send_record(SSL *from, SSL *to)
{
	static unsigned char sent[RECORD], got[RECORD];
	size_t done = 0, n;

	if (!SSL_write_ex(from, sent, RECORD, &n) || n != RECORD)
		return 0;
	while (done < RECORD && SSL_read_ex(to, got + done, RECORD - done, &n))
		done += n;
	return done == RECORD;
}

int connection_make(void *connections)
{
	struct connections *c = connections;
	SSL *client = SSL_new(c->client), *server = SSL_new(c->server);
	BIO *a, *b;
	int ok = client && server && BIO_new_bio_pair(&a, 2 * RECORD, &b, 2 * RECORD);

	if (ok) {
		SSL_set_bio(client, a, a);
		SSL_set_bio(server, b, b);
		ok = shake_hands(client, server) && send_record(server, client);
	}
	SSL_free(client);
	SSL_free(server);
	return ok;
}
