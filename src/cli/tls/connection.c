/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client and server take turns in one thread; key and certificate are made for each connection.
 * libssl is loaded by its soname, which has the number of libcrypto's, and only when it is needed:
 * the tool runs without it, and no package has to depend on it.
 */
#include "cli/tls/tls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "cli/cli.h"

#define TURNS	20   /* of a handshake, which needs fewer */
#define LATE_MS 5000 /* a busy kernel may deliver nothing for so long */

/* A libssl that was built without sockets lacks it, and is not used. */
#ifdef OPENSSL_NO_SOCK
int SSL_set_fd(SSL *ssl, int fd);
#endif

static void *libssl;

/* Looks up the function at each call. That matters only for records, whose functions are kept. */
#define LIBSSL(name) ((__typeof__(name) *)dlsym(libssl, #name))

static __typeof__(SSL_write_ex) *write_record;
static __typeof__(SSL_read_ex) *read_record;

#define STRING(text)   #text
#define SONAME(number) "libssl.so." STRING(number)

/* The options of the system's openssl.cnf are not under test. */
const char *kc_tls_load(void)
{
	static const char cannot[] = SONAME(OPENSSL_SHLIB_VERSION) " cannot be loaded";

	libssl = dlopen(SONAME(OPENSSL_SHLIB_VERSION), RTLD_NOW | RTLD_LOCAL);
	if (!libssl || !LIBSSL(SSL_set_fd))
		return cannot;
	if (!LIBSSL(OPENSSL_init_ssl)(OPENSSL_INIT_NO_LOAD_CONFIG, NULL))
		return cannot;
	write_record = LIBSSL(SSL_write_ex);
	read_record = LIBSSL(SSL_read_ex);
	return NULL;
}

struct kc_tls {
	int fd[2];
	SSL *client, *server;
	unsigned char text[KC_TLS_LONGEST], got[KC_TLS_LONGEST]; /* of the first record */
};

static const struct {
	enum kc_alg_id alg;
	const char *name, *name_13; /* TLS 1.2's; TLS 1.3's, or NULL */
} suites[] = {
	{ KC_ALG_AES_128_GCM, "ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_AES_128_GCM_SHA256" },
	{ KC_ALG_AES_256_GCM, "ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_AES_256_GCM_SHA384" },
	{ KC_ALG_AES_128_CCM, "ECDHE-ECDSA-AES128-CCM", "TLS_AES_128_CCM_SHA256" },
	{ KC_ALG_AES_256_CCM, "ECDHE-ECDSA-AES256-CCM", NULL },
	{ KC_ALG_CHACHA20_POLY1305, "ECDHE-ECDSA-CHACHA20-POLY1305",
	  "TLS_CHACHA20_POLY1305_SHA256" },
	{ KC_ALG_AES_128_CBC, "ECDHE-ECDSA-AES128-SHA256", NULL },
	{ KC_ALG_AES_256_CBC, "ECDHE-ECDSA-AES256-SHA384", NULL },
};

static const char *suite_of(const struct kc_alg *alg, bool is_13)
{
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		if (&kc_algs[suites[i].alg] == alg)
			return is_13 ? suites[i].name_13 : suites[i].name;
	return NULL;
}

bool kc_tls_has(const struct kc_alg *alg, bool is_13)
{
	return suite_of(alg, is_13);
}

/* Self-signed: the client verifies nothing. */
static X509 *certify(OSSL_LIB_CTX *lib, EVP_PKEY *key)
{
	X509 *x = X509_new_ex(lib, NULL);
	bool ok = x && X509_gmtime_adj(X509_getm_notBefore(x), 0);

	if (ok)
		ok = X509_gmtime_adj(X509_getm_notAfter(x), 86400) && X509_set_pubkey(x, key);
	if (ok)
		ok = X509_sign(x, key, EVP_sha256());
	if (ok)
		return x;
	X509_free(x);
	return NULL;
}

/* A server needs a key, which lives as long as the connection. */
static bool give_certificate(OSSL_LIB_CTX *lib, SSL_CTX *c)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(lib, NULL, "EC", "P-256");
	X509 *x = NULL;
	bool ok;

	if (key)
		x = certify(lib, key);
	ok = x && LIBSSL(SSL_CTX_use_certificate)(c, x) == 1;
	if (ok)
		ok = LIBSSL(SSL_CTX_use_PrivateKey)(c, key) == 1;
	X509_free(x);
	EVP_PKEY_free(key);
	return ok;
}

/* Turns off tickets: in TLS 1.3 they would be records that nobody reads. */
static bool choose_suite(SSL_CTX *c, const char *suite, bool is_13)
{
	if (!is_13)
		return LIBSSL(SSL_CTX_ctrl)(c, SSL_CTRL_SET_MAX_PROTO_VERSION, TLS1_2_VERSION,
					    NULL) &&
		       LIBSSL(SSL_CTX_set_cipher_list)(c, suite);
	return LIBSSL(SSL_CTX_ctrl)(c, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION, NULL) &&
	       LIBSSL(SSL_CTX_set_ciphersuites)(c, suite) && LIBSSL(SSL_CTX_set_num_tickets)(c, 0);
}

/* Makes a context for both ends; NULL if it can't. */
static SSL_CTX *context_of(OSSL_LIB_CTX *lib, const char *suite, bool is_13, bool is_ktls)
{
	SSL_CTX *c = LIBSSL(SSL_CTX_new_ex)(lib, "?provider=kcrypto", LIBSSL(TLS_method)());

	if (!c)
		return NULL;
	if (is_ktls)
		LIBSSL(SSL_CTX_set_options)(c, SSL_OP_ENABLE_KTLS);
	if (give_certificate(lib, c) && choose_suite(c, suite, is_13))
		return c;
	LIBSSL(SSL_CTX_free)(c);
	return NULL;
}

static bool make_ends(struct kc_tls *t, OSSL_LIB_CTX *lib, const char *suite, bool is_13,
		      bool is_ktls)
{
	SSL_CTX *c = context_of(lib, suite, is_13, is_ktls);

	if (!c)
		return false;
	t->client = LIBSSL(SSL_new)(c);
	t->server = LIBSSL(SSL_new)(c);
	LIBSSL(SSL_CTX_free)(c);
	if (!t->client || !t->server)
		return false;
	if (!LIBSSL(SSL_set_fd)(t->client, t->fd[0]))
		return false;
	return LIBSSL(SSL_set_fd)(t->server, t->fd[1]);
}

/* One end goes as far as it can; false if it failed for good. */
static bool advance(SSL *end, int (*act)(SSL *))
{
	int result;

	ERR_clear_error();
	result = act(end);
	return result == 1 || LIBSSL(SSL_get_error)(end, result) == SSL_ERROR_WANT_READ;
}

/* A busy kernel may deliver one end's bytes to the other some time later. */
static bool wait_for_bytes(const struct kc_tls *t)
{
	struct pollfd ends[] = { { t->fd[0], POLLIN, 0 }, { t->fd[1], POLLIN, 0 } };

	return poll(ends, 2, LATE_MS) > 0;
}

/* Neither end may wait in libssl for the other, which is in the same thread. */
static bool shake_hands(struct kc_tls *t)
{
	bool is_done = false;

	for (int i = 0; i < 2; i++)
		fcntl(t->fd[i], F_SETFL, O_NONBLOCK);
	for (int i = 0; !is_done && i < TURNS; i++) {
		if (i > 0 && !wait_for_bytes(t))
			break;
		if (!advance(t->client, LIBSSL(SSL_connect)))
			break;
		if (!advance(t->server, LIBSSL(SSL_accept)))
			break;
		is_done = LIBSSL(SSL_is_init_finished)(t->client) &&
			  LIBSSL(SSL_is_init_finished)(t->server);
	}
	for (int i = 0; i < 2; i++)
		fcntl(t->fd[i], F_SETFL, 0);
	return is_done;
}

unsigned kc_tls_by_kernel(const struct kc_tls *t)
{
	bool sends = BIO_get_ktls_send(LIBSSL(SSL_get_wbio)(t->client));
	bool receives = BIO_get_ktls_recv(LIBSSL(SSL_get_rbio)(t->server));

	(void)t; /* for an OpenSSL without kTLS, in which these are 0 */
	return (unsigned)sends + receives;
}

/* NULL if the kernel does exactly the records that it should; otherwise the reason. */
static const char *check_use_of_ktls(const struct kc_tls *t, bool is_13, bool is_ktls)
{
	unsigned n = kc_tls_by_kernel(t);

	if (!is_ktls && n)
		return "libssl uses kTLS although it was not asked to";
	if (is_ktls && !n)
		return "kTLS, or this OpenSSL's use of it, lacks this cipher";
	if (n == 1 && !is_13)
		return "kTLS does one direction only";
	return NULL;
}

static const char *check_record(struct kc_tls *t)
{
	for (size_t i = 0; i < sizeof(t->text); i++)
		t->text[i] = (unsigned char)(i * 7 + i / 251);
	if (kc_tls_pass(t, t->text, t->got, sizeof(t->text)) &&
	    memcmp(t->text, t->got, sizeof(t->text)) == 0)
		return NULL;
	return "a record did not arrive as it was sent";
}

static const char *begin_connection(struct kc_tls *t, OSSL_LIB_CTX *lib, const struct kc_alg *alg,
				    bool is_13, bool is_ktls)
{
	const char *why;

	if (!kc_loopback(t->fd))
		return "no connection over loopback";
	if (!make_ends(t, lib, suite_of(alg, is_13), is_13, is_ktls))
		return "this OpenSSL lacks this version of TLS, its suite with this cipher, or "
		       "ECDSA";
	if (!shake_hands(t))
		return "the handshake failed";
	why = check_use_of_ktls(t, is_13, is_ktls);
	if (why)
		return why;
	return check_record(t);
}

struct kc_tls *kc_tls_open(OSSL_LIB_CTX *lib, const struct kc_alg *alg, bool is_13, bool is_ktls,
			   const char **why)
{
	struct kc_tls *t = kc_must(calloc(1, sizeof(*t)));

	*why = begin_connection(t, lib, alg, is_13, is_ktls);
	if (!*why)
		return t;
	kc_tls_close(t);
	return NULL;
}

int kc_tls_pass(struct kc_tls *t, const unsigned char *text, unsigned char *got, size_t len)
{
	size_t n, done = 0;

	if (!write_record(t->client, text, len, &n) || n != len)
		return 0;
	while (done < len && read_record(t->server, got + done, len - done, &n))
		done += n;
	return done == len;
}

void kc_tls_close(struct kc_tls *t)
{
	if (!t)
		return;
	for (int i = 0; i < 2; i++)
		if (t->fd[i] >= 0)
			close(t->fd[i]);
	if (t->client)
		LIBSSL(SSL_free)(t->client);
	if (t->server)
		LIBSSL(SSL_free)(t->server);
	free(t);
}
