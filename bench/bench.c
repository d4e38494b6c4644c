/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto-bench: the cost of a request through kcrypto, compared with the default provider, and
 * with a bare sendmsg() and read() loop. Prints ratios of paired runs next to their goals, without
 * a verdict.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pairs.h"
#include "session/identity.h"

static const unsigned char key[32] = "a key that guards nothing here", iv[16];
static OSSL_LIB_CTX *lib;

static EVP_CIPHER *fetch(const char *cipher, const char *provider)
{
	EVP_CIPHER *c = EVP_CIPHER_fetch(lib, cipher, provider);

	must(c != NULL, "the provider does not offer this cipher here");
	return c;
}

/* Before each request kcrypto asks whether its descriptor is still its own. */
static struct kc_session checked;

static int run_raw_checked(void *job)
{
	return kc_identity_is_same(&checked) && job_run_raw(job);
}

static double check_ns(const struct raw *raw, unsigned rounds)
{
	struct job j = { .raw = raw, .len = job_sizes[0] };

	checked.fd = raw->fd;
	must(kc_identity_note(&checked) == 0, "the descriptor can't be noted");
	return pairs_measure(job_run_raw, &j, run_raw_checked, &j, rounds, 20000).adds_ns;
}

static void kernel_path(unsigned rounds, const char *driver)
{
	EVP_CIPHER *c = fetch("AES-128-CBC", "provider=kcrypto");
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	struct raw raw;

	must(EVP_EncryptInit_ex(ctx, c, NULL, key, iv) && EVP_CIPHER_CTX_set_padding(ctx, 0),
	     "no context");
	must(raw_open(&raw, driver, key) == 0, "the bare loop can't open the driver");
	job_settle(ctx, &raw);
	flip_switch();
	puts("kernel path, AES-128-CBC encrypting: a bare loop's time divided by kcrypto's\n"
	     "(goal >= 0.98, by /dev/crypto 0.97; in place, where the input must outlive a failure, shown beside)\n"
	     "   bytes    raw us   ours us   ratio   in place");
	for (size_t i = 0; i < JOB_SIZES; i++) {
		struct pairs apart = job_compare(ctx, &raw, job_sizes[i], 0, rounds);
		struct pairs place = job_compare(ctx, &raw, job_sizes[i], 1, rounds);

		printf("  %6zu %9.2f %9.2f %7.3f %10.3f\n", job_sizes[i], apart.a_ns / 1e3,
		       apart.b_ns / 1e3, 1 / apart.ratio, 1 / place.ratio);
	}
	printf("the check of the descriptor, which /dev/kcrypto does not need: %.0f ns\n",
	       check_ns(&raw, rounds));
	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(c);
}

#define AAD 13 /* bytes, as in a TLS 1.2 record */

struct sealing {
	EVP_CIPHER_CTX *ctx;
	const struct raw *raw;
	size_t len;
};

static unsigned char text[JOB_LARGEST], sealed[JOB_LARGEST];

static int seal(void *arg)
{
	const struct sealing *s = arg;
	unsigned char tag[16];
	int n;

	return EVP_EncryptInit_ex(s->ctx, NULL, NULL, NULL, iv) &&
	       EVP_EncryptUpdate(s->ctx, NULL, &n, key, AAD) &&
	       EVP_EncryptUpdate(s->ctx, sealed, &n, text, (int)s->len) &&
	       EVP_EncryptFinal_ex(s->ctx, sealed + n, &n) &&
	       EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_GET_TAG, sizeof(tag), tag);
}

static int seal_raw(void *arg)
{
	const struct sealing *s = arg;

	return s->raw->run(s->raw, sealed, text, s->len);
}

/* AAD and tag leave no room for the largest text. */
static void messages(unsigned rounds, const char *driver)
{
	EVP_CIPHER *c = fetch("AES-128-GCM", "provider=kcrypto");
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	struct raw raw;

	must(EVP_EncryptInit_ex(ctx, c, NULL, key, iv), "no context");
	must(raw_open_messages(&raw, driver, key, AAD) == 0, "the bare loop can't open the driver");
	for (size_t i = 0; i < JOB_SIZES - 1; i++) {
		struct sealing s = { ctx, &raw, job_sizes[i] };

		pairs_measure(seal_raw, &s, seal, &s, 3, 20000);
	}
	flip_switch();
	puts("messages, AES-128-GCM encrypting: a bare loop's time divided by kcrypto's\n"
	     "   bytes    raw us   ours us   ratio");
	for (size_t i = 0; i < JOB_SIZES - 1; i++) {
		struct sealing s = { ctx, &raw, job_sizes[i] };
		struct pairs p = pairs_measure(seal_raw, &s, seal, &s, rounds, 20000);

		printf("  %6zu %9.2f %9.2f %7.3f\n", job_sizes[i], p.a_ns / 1e3, p.b_ns / 1e3,
		       1 / p.ratio);
	}
	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(c);
}

#define COUNTED 100
#define WARM	20   /* requests until a session is open and no more is learned */
#define PARTED	1024 /* bytes; what is counted does not depend on it */

/* bench/parts makes callgrind count only this. */
__attribute__((noinline)) static void parts_counted(pairs_fn *f, void *arg)
{
	for (int i = 0; i < COUNTED; i++)
		must(f(arg), "a counted call failed");
}

static void count_parts(const char *name, pairs_fn *f, void *arg)
{
	for (int i = 0; i < WARM; i++)
		must(f(arg), name);
	parts_counted(f, arg);
	puts(name);
}

static EVP_CIPHER_CTX *begin(EVP_CIPHER *cipher)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

	must(EVP_EncryptInit_ex(ctx, cipher, NULL, key, iv) && EVP_CIPHER_CTX_set_padding(ctx, 0),
	     "no context");
	return ctx;
}

/* For bench/parts: requests to the device, a hundred times each, bare ones first. */
static void parts(unsigned rounds, const char *driver)
{
	EVP_CIPHER *cbc = fetch("AES-128-CBC", "provider=kcrypto");
	EVP_CIPHER *gcm = fetch("AES-128-GCM", "provider=kcrypto");
	struct raw raw, raw_message;
	struct job job = { .ctx = begin(cbc), .raw = &raw, .len = PARTED };
	struct sealing sealing = { begin(gcm), &raw_message, PARTED };

	(void)rounds;
	must(raw_open(&raw, driver, key) == 0 &&
		     raw_open_messages(&raw_message, driver, key, AAD) == 0,
	     "the bare loop can't open the driver");
	count_parts("AES-128-CBC, an update: bare", job_run_raw, &job);
	count_parts("AES-128-CBC, an update", job_run, &job);
	count_parts("AES-128-GCM, a message: bare", seal_raw, &sealing);
	count_parts("AES-128-GCM, a message", seal, &sealing);
	EVP_CIPHER_CTX_free(job.ctx);
	EVP_CIPHER_CTX_free(sealing.ctx);
	EVP_CIPHER_free(cbc);
	EVP_CIPHER_free(gcm);
}

struct fresh {
	EVP_CIPHER *cipher;
	unsigned long made;
};

/* A context like a TLS library's, for a connection that ends after one record. */
static int fresh_context(void *arg)
{
	struct fresh *f = arg;
	struct job j = { .ctx = EVP_CIPHER_CTX_new(), .len = 16384 };
	int ok = EVP_EncryptInit_ex(j.ctx, f->cipher, NULL, key, iv) && job_run(&j);

	EVP_CIPHER_CTX_free(j.ctx);
	f->made++;
	return ok;
}

static void contexts(unsigned rounds, const char *driver)
{
	struct fresh a = { .cipher = fetch("AES-256-CBC", "provider=default") };
	struct fresh b = { .cipher = fetch("AES-256-CBC", "provider=kcrypto") };
	struct pairs p;

	(void)driver;
	pairs_measure(fresh_context, &a, fresh_context, &b, 3, 20000); /* includes the trial */
	a.made = b.made = 0;
	p = pairs_measure(fresh_context, &a, fresh_context, &b, rounds, 20000);
	printf("fresh contexts with one record of 16 KiB each, AES-256-CBC, thresholds measured:\n"
	       "default provider's time divided by kcrypto's (goal >= 0.97)\n"
	       "  %lu of kcrypto, %lu of the default provider   %.1f us   %.1f us   %.3f\n",
	       b.made, a.made, p.b_ns / 1e3, p.a_ns / 1e3, 1 / p.ratio);
	EVP_CIPHER_free(a.cipher);
	EVP_CIPHER_free(b.cipher);
}

/* below.c; the library context is bench.c's. */
void below(OSSL_LIB_CTX *from, unsigned rounds);
void below_count(OSSL_LIB_CTX *from);
void above_count(OSSL_LIB_CTX *from);

static void short_calls(unsigned rounds, const char *driver)
{
	(void)driver;
	below(lib, rounds);
}

static void count_large(unsigned rounds, const char *driver)
{
	(void)rounds;
	(void)driver;
	above_count(lib);
}

static void count(unsigned rounds, const char *driver)
{
	(void)rounds;
	(void)driver;
	below_count(lib);
}

static const struct {
	const char *name;
	void (*measure)(unsigned rounds, const char *driver);
} measurements[] = {
	{ "below", short_calls },  { "count", count },	     { "count-large", count_large },
	{ "kernel", kernel_path }, { "contexts", contexts }, { "messages", messages },
	{ "parts", parts },
};

int main(int argc, char **argv)
{
	unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 31;

	for (size_t i = 0; argc > 2 && i < sizeof(measurements) / sizeof(measurements[0]); i++) {
		if (strcmp(argv[2], measurements[i].name) != 0)
			continue;
		lib = OSSL_LIB_CTX_new();
		must(OSSL_LIB_CTX_load_config(lib, argv[1]), "the configuration can't be loaded");
		measurements[i].measure(rounds, argc > 4 ? argv[4] : "cbc(aes)");
		OSSL_LIB_CTX_free(lib);
		return 0;
	}
	fputs("usage: kcrypto-bench CONFIG below|count|count-large|kernel|messages|contexts|parts [ROUNDS [DRIVER]]\n",
	      stderr);
	return 2;
}
