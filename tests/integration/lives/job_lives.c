/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lives of contexts in asynchronous jobs, through plain EVP: the provider is a module that the
 * configuration names, so this program shares nothing with it. Each message is a job. While the job
 * pauses, it is resumed too early, or never; its context is copied, freed, given another key, or
 * inherited by a fork. Each message that ends is compared with the default provider's, and no
 * abandoned job may write.
 *
 * usage: job_lives CONFIG CIPHER LIVES THREADS [SEED]
 */
#include "integration/lives/must.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <openssl/async.h>

#include "diff/diff.h"
#include "local.h"

#define MAX_LEN	    40000
#define MAX_THREADS 16
#define LEFT_MOST   300 /* by each thread: libcrypto cannot free such a job */
#define UNTOUCHED   0x5a
#define TAG	    16
#define AAD	    20

static OSSL_LIB_CTX *lib;
static EVP_CIPHER *ours, *theirs;
static bool has_threads;

struct message {
	bool encrypts;
	int len;
	unsigned char key[64], iv[16], aad[AAD], tag[TAG];
	unsigned char in[MAX_LEN], out[MAX_LEN], want[MAX_LEN], want_tag[TAG];
	EVP_CIPHER_CTX *c; /* of the job */
	struct message *next;
};

struct thread {
	pthread_t id;
	struct random random;
	unsigned long lives, messages, pauses, copies, forks;
	size_t n_left;
	struct {
		ASYNC_JOB *job;
		struct message *message;
	} left[LEFT_MOST];
	EVP_CIPHER_CTX *c;
};

static struct thread threads[MAX_THREADS];

static bool is_aead(void)
{
	return EVP_CIPHER_get_flags(ours) & EVP_CIPH_FLAG_AEAD_CIPHER;
}

static bool is_ccm(void)
{
	return EVP_CIPHER_get_mode(ours) == EVP_CIPH_CCM_MODE;
}

/* An AEAD's part of a message, between the key and the text. */
static bool begin_aead(EVP_CIPHER_CTX *c, struct message *m)
{
	unsigned char *tag = m->encrypts ? NULL : m->tag;
	int n = 0;

	if (is_ccm() || tag)
		if (EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, TAG, tag) != 1)
			return false;
	if (!EVP_CipherInit_ex2(c, NULL, m->key, m->iv, m->encrypts, NULL))
		return false;
	if (is_ccm() && !EVP_CipherUpdate(c, NULL, &n, NULL, m->len))
		return false;
	return EVP_CipherUpdate(c, NULL, &n, m->aad, AAD);
}

/* A whole message. Returns 1 or 0. */
static int make(const EVP_CIPHER *cipher, EVP_CIPHER_CTX *c, struct message *m, unsigned char *out)
{
	int n = 0, last = 0;

	if (!EVP_CipherInit_ex2(c, cipher, is_aead() ? NULL : m->key, is_aead() ? NULL : m->iv,
				m->encrypts, NULL))
		return 0;
	if (is_aead() ? !begin_aead(c, m) : !EVP_CIPHER_CTX_set_padding(c, 0))
		return 0;
	if (!EVP_CipherUpdate(c, out, &n, m->in, m->len) || !EVP_CipherFinal_ex(c, out + n, &last))
		return 0;
	if (is_aead() && m->encrypts &&
	    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, TAG, m->tag) != 1)
		return 0;
	return n + last == m->len;
}

/* The default provider's result. To decrypt, the text that it encrypted is turned round. */
static void ask_default(struct message *m)
{
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();
	bool encrypts = m->encrypts;

	m->encrypts = true;
	must(make(theirs, c, m, m->want), "the default provider encrypts");
	memcpy(m->want_tag, m->tag, TAG);
	m->encrypts = encrypts;
	for (int i = 0; i < m->len && !encrypts; i++) {
		unsigned char text = m->in[i];

		m->in[i] = m->want[i];
		m->want[i] = text;
	}
	if (encrypts)
		memset(m->tag, 0, TAG);
}

static struct message *new_message(struct random *random)
{
	struct message *m = calloc(1, sizeof(*m));

	must(m, "memory");
	m->encrypts = random_below(random, 2);
	m->len = (int)(1 + random_below(random, MAX_LEN / 64 - 1)) * 64;
	random_bytes(random, m->key, sizeof(m->key));
	random_bytes(random, m->iv, sizeof(m->iv));
	random_bytes(random, m->aad, sizeof(m->aad));
	random_bytes(random, m->in, (size_t)m->len);
	ask_default(m);
	memset(m->out, UNTOUCHED, sizeof(m->out));
	return m;
}

static void check(const struct message *m, const char *what)
{
	must(memcmp(m->out, m->want, (size_t)m->len) == 0, what);
	must(!is_aead() || !m->encrypts || memcmp(m->tag, m->want_tag, TAG) == 0, what);
}

static int run(void *arg)
{
	struct message *m = *(struct message **)arg;

	return make(ours, m->c, m, m->out);
}

/*
 * A message of the copy's own, outside any job. A context of an AEAD may refuse to be copied then.
 */
static void use_copy(struct thread *t)
{
	LOCAL(EVP_CIPHER_CTX) *copy = EVP_CIPHER_CTX_new();
	struct message *m;

	ERR_set_mark();
	if (EVP_CIPHER_CTX_copy(copy, t->c) == 1) {
		m = new_message(&t->random);
		must(make(ours, copy, m, m->out), "a copy's message");
		check(m, "a copy's message is the default provider's");
		free(m);
		t->copies++;
	}
	ERR_pop_to_mark();
}

/* The job's buffers are checked at the end. */
static void leave(struct thread *t, ASYNC_JOB *job, struct message *m)
{
	t->left[t->n_left].job = job;
	t->left[t->n_left++].message = m;
	if (random_below(&t->random, 2))
		use_copy(t);
	if (random_below(&t->random, 2)) {
		EVP_CIPHER_CTX_free(t->c);
		t->c = EVP_CIPHER_CTX_new();
	}
}

static void finish(ASYNC_JOB *job, ASYNC_WAIT_CTX *wait, struct message *m)
{
	int ret = 0, status;

	do
		status = ASYNC_start_job(&job, wait, &ret, run, &m, sizeof(m));
	while (status == ASYNC_PAUSE);
	must(status == ASYNC_FINISH && ret == 1, "a job ends");
	check(m, "a message is the default provider's");
}

static void fork_now(struct thread *t, ASYNC_JOB *job, ASYNC_WAIT_CTX *wait, struct message *m)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		finish(job, wait, m);
		_exit(0);
	}
	must(waitpid(child, &status, 0) == child && status == 0, "a child ends its job");
	t->forks++;
}

/* Returns true if the job is not to be resumed. */
static bool meddle(struct thread *t, ASYNC_JOB *job, ASYNC_WAIT_CTX *wait, struct message *m)
{
	t->pauses++;
	switch (random_below(&t->random, 12)) {
	case 0:
		if (t->n_left == LEFT_MOST)
			return false;
		leave(t, job, m);
		return true;
	case 1:
	case 2:
		use_copy(t);
		return false;
	case 3:
		if (!has_threads && random_below(&t->random, 8) == 0)
			fork_now(t, job, wait, m);
		return false;
	}
	return false;
}

static void play_message(struct thread *t)
{
	ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
	struct message *m = new_message(&t->random);
	int ret = 0, status;
	ASYNC_JOB *job = NULL;
	bool is_left = false;

	m->c = t->c;
	do {
		status = ASYNC_start_job(&job, wait, &ret, run, &m, sizeof(m));
		if (status == ASYNC_PAUSE)
			is_left = meddle(t, job, wait, m);
	} while (status == ASYNC_PAUSE && !is_left);
	ASYNC_WAIT_CTX_free(wait);
	t->messages++;
	if (is_left)
		return;
	must(status == ASYNC_FINISH && ret == 1, "a job ends");
	check(m, "a message is the default provider's");
	free(m);
}

static void *play(void *arg)
{
	struct thread *t = arg;

	for (unsigned long i = 0; i < t->lives; i++) {
		t->c = EVP_CIPHER_CTX_new();
		for (size_t n = 1 + random_below(&t->random, 8); n; n--)
			play_message(t);
		EVP_CIPHER_CTX_free(t->c);
	}
	for (size_t i = 0; i < t->n_left; i++)
		for (size_t at = 0; at < MAX_LEN; at++)
			must(t->left[i].message->out[at] == UNTOUCHED, "a job that was left wrote");
	return NULL;
}

static void begin(const char *config, const char *cipher)
{
	/* Otherwise the first fetch searches for the system's configuration. */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	lib = OSSL_LIB_CTX_new();
	must(lib && OSSL_LIB_CTX_load_config(lib, config), "the configuration");
	ours = EVP_CIPHER_fetch(lib, cipher, "provider=kcrypto");
	theirs = EVP_CIPHER_fetch(lib, cipher, "provider=default");
	must(ours && theirs, "both providers have the cipher");
}

/* Abandoned jobs stay reachable: a leak checker finds them in @threads. */
static int end(const char *cipher, unsigned long n)
{
	struct thread sum = { .lives = 0 };

	for (unsigned long i = 0; i < n; i++) {
		sum.messages += threads[i].messages;
		sum.pauses += threads[i].pauses;
		sum.copies += threads[i].copies;
		sum.forks += threads[i].forks;
		sum.n_left += threads[i].n_left;
	}
	printf("%s: %lu messages, %lu pauses, %lu copies, %lu forks, %zu jobs left\n", cipher,
	       sum.messages, sum.pauses, sum.copies, sum.forks, sum.n_left);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
	OSSL_LIB_CTX_free(lib);
	must(sum.pauses && sum.n_left, "jobs paused, and some were left");
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long n, lives;
	uint64_t seed;

	if (argc < 5)
		return 2;
	lives = strtoul(argv[3], NULL, 0);
	n = strtoul(argv[4], NULL, 0);
	seed = argc > 5 ? strtoull(argv[5], NULL, 0) :
			  (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	if (!n || n > MAX_THREADS)
		return 2;
	has_threads = n > 1;
	printf("job_lives: seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	begin(argv[1], argv[2]);
	for (unsigned long i = n; i-- > 0;) {
		threads[i].random.state = seed + i;
		threads[i].lives = lives / n;
		if (i && pthread_create(&threads[i].id, NULL, play, &threads[i]) != 0)
			return 2;
	}
	play(&threads[0]);
	for (unsigned long i = 1; i < n; i++)
		pthread_join(threads[i].id, NULL);
	return end(argv[2], n);
}
