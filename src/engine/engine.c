/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's users: the first one opens everything, and the last one closes it. And the ciphers
 * and digests that OpenSSL asks for.
 */
#include "engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/process.h"
#include "core/quiet.h"
#include "session/buffers.h"
#include "session/session.h"
#include "stats/stats.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects everything below */
static const struct kc_id *id_now;
static unsigned users;

/* The ENGINE's method of each row; NULL if there is none. */
static union {
	EVP_CIPHER *cipher;
	EVP_MD *digest;
} made[KC_ALG_COUNT];

/* Reads the command line, in which a NUL ends each argument. */
bool kc_engine_is_asked(void)
{
	char args[256] = "";
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t n, first;

	if (!file)
		return false;
	n = fread(args, 1, sizeof(args) - 1, file);
	fclose(file);
	first = strlen(args);
	if (first < 7 || strcmp(args + first - 7, "openssl") != 0)
		return false;
	return first + 1 < n && strcmp(args + first + 1, "engine") == 0;
}

/* Call it under the lock, like the functions up to end_engine(). */
static void make_all(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_method *m = kc_method(&kc_algs[i]);

		if (m && kc_algs[i].kind == KC_CIPHER)
			made[i].cipher = kc_engine_make_cipher(m);
		else if (m)
			made[i].digest = kc_engine_make_digest(m);
	}
}

static void free_all(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (kc_algs[i].kind == KC_CIPHER)
			EVP_CIPHER_meth_free(made[i].cipher);
		else
			EVP_MD_meth_free(made[i].digest);
	}
	memset(made, 0, sizeof(made));
}

static void begin_engine(const struct kc_id *id)
{
	id_now = id;
	kc_process_begin();
	kc_sandbox_loaded(true); /* a later command may vouch for the filters */
	kc_stats_open();
	kc_method_open();
	kc_decisions_begin(id);
	make_all();
}

static void end_engine(void)
{
	free_all();
	kc_session_end_idle();
	kc_decisions_end();
	kc_stats_close();
	kc_buffer_free();
	kc_process_end();
}

int kc_engine_open(const struct kc_id *id)
{
	KC_QUIETLY;
	int err = 0;

	pthread_mutex_lock(&lock);
	if (users && id != id_now)
		err = -EBUSY;
	else if (users++ == 0)
		begin_engine(id);
	pthread_mutex_unlock(&lock);
	return err;
}

void kc_engine_close(void)
{
	pthread_mutex_lock(&lock);
	if (--users == 0)
		end_engine();
	pthread_mutex_unlock(&lock);
}

/*
 * Returns a list of all that are offered, or one cipher. That one is returned even if the kernel
 * has no driver for it: a program that asks for it by name continues, in software.
 */
int kc_engine_ciphers(ENGINE *e, const EVP_CIPHER **cipher, const int **nids, int nid)
{
	const struct kc_method *m = kc_method_find(KC_CIPHER, nid);

	(void)e;
	if (!cipher)
		return kc_engine_offered(KC_CIPHER, nids);
	*cipher = NULL;
	if (m)
		*cipher = made[m->base.alg - kc_algs].cipher;
	return *cipher != NULL;
}

int kc_engine_digests(ENGINE *e, const EVP_MD **digest, const int **nids, int nid)
{
	const struct kc_method *m = kc_method_find(KC_DIGEST, nid);

	(void)e;
	if (!digest)
		return kc_engine_offered(KC_DIGEST, nids);
	*digest = NULL;
	if (m)
		*digest = made[m->base.alg - kc_algs].digest;
	return *digest != NULL;
}
