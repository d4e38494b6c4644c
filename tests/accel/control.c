// SPDX-License-Identifier: GPL-2.0-only
/*
 * kcrypto's test accelerator: a "device" whose work the kernel's software does. It takes the names
 * and flags of any real device, and has faults. This file owns the parameters and the counters; the
 * queue is in engine.c.
 *
 * Faults are off at load, because the kernel's self-test runs then; they are switched on in
 * /sys/module/accel/parameters. Requests are numbered from 1, and again from 1 after each write to
 * reset.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/string.h>
#include <crypto/scatterwalk.h>

#include "accel.h"

/* What the accelerator pretends to be. */
static char *name = "%m-%c-accel";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "driver name of ciphers; %m is the mode, %c the cipher");

static char *hash_name = "%h-accel";
module_param(hash_name, charp, 0444);
MODULE_PARM_DESC(hash_name, "driver name of hashes; %h is the algorithm");

static char *des_word = "des3-ede";
module_param(des_word, charp, 0444);
MODULE_PARM_DESC(des_word, "what %c is for triple DES");

static char *algs[16] = { "cbc", "ctr", "ecb", "3des", "xts", "gcm", "sha256", "hmac" };
static int algs_n = 8;
module_param_array(algs, charp, &algs_n, 0444);
MODULE_PARM_DESC(algs,
		 "which algorithms, of cbc,fast,ctr,fastctr,ecb,3des,xts,gcm,fastgcm,sha256,hmac, "
		 "ccm, and, for wrapped keys, cbcpaes,ctrpaes,ecbpaes,xtspaes");

static int priority = 300;
module_param(priority, int, 0444);
static int hash_priority = 300;
module_param(hash_priority, int, 0444);

static bool kern_driver_only;
module_param(kern_driver_only, bool, 0444);
static bool async = true;
module_param(async, bool, 0444);
MODULE_PARM_DESC(async, "have the flag, and answer from a work queue");
static bool allocates_memory;
module_param(allocates_memory, bool, 0444);
static bool need_fallback;
module_param(need_fallback, bool, 0444);

static uint keys[3] = { 16, 24, 32 };
static int keys_n = 3;
module_param_array(keys, uint, &keys_n, 0444);
MODULE_PARM_DESC(keys, "lengths of AES keys in bytes (half a key's in XTS)");

/* Faults. None of them is active at load. */
#define FAULT(type, name, text)                                                                    \
	static type name;                                                                          \
	module_param(name, type, 0644);                                                            \
	MODULE_PARM_DESC(name, text)

FAULT(uint, delay, "ms that a request takes longer; a lower value frees who waits");
FAULT(uint, passed_delay, "the same of one that software inside does");
FAULT(uint, key_delay, "the same of SET_KEY");
FAULT(uint, drop_delay, "the same of a key's end");

static int fail_errno = EIO;
module_param(fail_errno, int, 0644);
FAULT(uint, fail_at, "the request of this number fails");
FAULT(uint, fail_every, "every request of a multiple of this number fails");
FAULT(uint, fail_after, "... but not the first so many");
FAULT(bool, refuse, "refuse keys of other lengths; else software inside does them");
FAULT(uint, corrupt_from, "output is wrong from this request on; 0: never");
FAULT(uint, corrupt_len, "... but only for texts of so many bytes; 0: of any");
FAULT(bool, corrupt_unaligned, "... and only where source or destination is not 4-aligned");
FAULT(bool, corrupt_wrap, "... and only where the last 32 bits of a counter carry");
FAULT(bool, corrupt_parallel, "... and only while another request waits");
FAULT(uint, bad_from, "from this request on, each tag that is compared is called bad");
FAULT(bool, null,
      "a cipher's output is its input, at the price of a copy: to measure the way there");
FAULT(uint, longest,
      "longer texts than this are software's, in bytes; 0: the device does texts of any length");
FAULT(uint, entries, "... and those in more pages than so many; 0: any number");
FAULT(uint, idle_from,
      "from this request on the text is left as it is: to measure what is around a device");
FAULT(uint, sessions, "so many keyed tfms at a time, SET_KEY of more is refused; 0: any number");
FAULT(uint, state,
      "what a hash exports: 1: words in another order; 2: words that it does not go by; 3: bytes in "
      "another order; 4: the same elsewhere");

/* Counters. */
static atomic64_t requests, done, bytes, busy, passed, failed, corrupted, unaligned, keys_set,
	keys_refused;
static atomic_t live;

static int counter_get(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%lld\n", (long long)atomic64_read((atomic64_t *)kp->arg));
}

static const struct kernel_param_ops counter_ops = { .get = counter_get };

#define COUNTER(counter, text)                                                                     \
	module_param_cb(counter, &counter_ops, &counter, 0444);                                    \
	MODULE_PARM_DESC(counter, text)

COUNTER(requests, "that came to the device");
COUNTER(done, "requests that succeeded, right or wrong");
COUNTER(bytes, "of text in these");
COUNTER(busy, "ns that the device worked, which a real one would do without the CPU");
COUNTER(passed, "requests that software inside did, key or text being none of the device's");
COUNTER(failed, "requests that were answered by an error");
COUNTER(corrupted, "requests that were answered wrong");
COUNTER(unaligned, "requests whose source or destination was not 4-aligned");
COUNTER(keys_set, "SET_KEYs that succeeded");
COUNTER(keys_refused, "SET_KEYs that were refused");

static int reset_set(const char *value, const struct kernel_param *kp)
{
	atomic64_t *const all[] = { &requests, &done,	   &bytes,     &busy,	  &passed,
				    &failed,   &corrupted, &unaligned, &keys_set, &keys_refused };
	int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		atomic64_set(all[i], 0);
	accel_engines_reset();
	return 0;
}

static const struct kernel_param_ops reset_ops = { .set = reset_set };
module_param_cb(reset, &reset_ops, NULL, 0200);

/* A request that hangs polls rarely, so that many of them do not keep the machine busy. */
static void wait_as_long_as(const uint *delay)
{
	ktime_t start = ktime_get();
	uint ms;

	while ((ms = READ_ONCE(*delay)) && ktime_ms_delta(ktime_get(), start) < ms) {
		if (ms < 1000)
			usleep_range(100, 200);
		else
			msleep(20);
	}
}

static bool fails(u64 n)
{
	uint at = READ_ONCE(fail_at), every = READ_ONCE(fail_every);

	return (at && n == at) || (every && n % every == 0 && n > READ_ONCE(fail_after));
}

/*
 * In Linux 6.1 AF_ALG copies the input to a page of its own, so a source is always aligned. A
 * destination is the user's memory, page by page, and keeps the user's alignment.
 */
static bool is_unaligned(const struct accel_job *job)
{
	return ((job->src ? job->src->offset : 0) | (job->dst ? job->dst->offset : 0)) & 3;
}

static void corrupt(struct accel_job *job, u64 n)
{
	uint from = READ_ONCE(corrupt_from), len = READ_ONCE(corrupt_len);
	u8 byte;

	if (!from || n < from || (len && job->len != len) || (!job->dst && !job->digest))
		return;
	if ((READ_ONCE(corrupt_unaligned) && !is_unaligned(job)) ||
	    (READ_ONCE(corrupt_wrap) && !job->wraps) ||
	    (READ_ONCE(corrupt_parallel) && accel_in_flight() < 2))
		return;
	if (job->digest) {
		job->digest[0] ^= 1;
	} else {
		scatterwalk_map_and_copy(&byte, job->dst, job->skip, 1, 0);
		byte ^= 1;
		scatterwalk_map_and_copy(&byte, job->dst, job->skip, 1, 1);
	}
	atomic64_inc(&corrupted);
}

static bool is_idle(u64 n)
{
	uint from = READ_ONCE(idle_from);

	return from && n >= from;
}

unsigned int accel_state(void)
{
	return READ_ONCE(state);
}

static bool calls_bad(const struct accel_job *job, u64 n)
{
	uint from = READ_ONCE(bad_from);

	return from && n >= from && job->opens;
}

static int run(struct accel_job *job, u64 n)
{
	ktime_t start = ktime_get();
	int err = job->run(job);

	if (calls_bad(job, n))
		err = -EBADMSG;
	atomic64_add(ktime_to_ns(ktime_sub(ktime_get(), start)), &busy);
	return err;
}

int accel_do(struct accel_job *job)
{
	u64 n = atomic64_inc_return(&requests);
	bool is_kind;
	int err;

	job->is_rested = accel_wake();
	is_kind = accel_is_kind(job, n);
	accel_begin(job);
	if (is_unaligned(job))
		atomic64_inc(&unaligned);
	wait_as_long_as(&delay);
	err = fails(n) ? -READ_ONCE(fail_errno) : is_idle(n) ? 0 : run(job, n);
	accel_remember(job, err);
	accel_sleep();
	if (err) {
		atomic64_inc(&failed);
		return err;
	}
	if (is_kind)
		corrupt(job, n);
	atomic64_inc(&done);
	atomic64_add(job->len, &bytes);
	return 0;
}

bool accel_is_null(void)
{
	return READ_ONCE(null);
}

void accel_count_passed(void)
{
	atomic64_inc(&passed);
	wait_as_long_as(&passed_delay);
}

/* The pages of the first len bytes of a list. Where the list is shorter, of all of it. */
static uint pages_of(struct scatterlist *list, uint len)
{
	uint n = 0;

	for (; list && len; list = sg_next(list)) {
		uint here = min(list->length, len);

		n += DIV_ROUND_UP(offset_in_page(list->offset) + here, PAGE_SIZE);
		len -= here;
	}
	return n;
}

bool accel_is_foreign(const struct accel_job *job)
{
	uint most = READ_ONCE(longest), pages = READ_ONCE(entries);

	return (most && job->len > most) || (pages && (pages_of(job->src, job->len) > pages ||
						       pages_of(job->dst, job->len) > pages));
}

static bool does_key(unsigned int len)
{
	int i;

	for (i = 0; i < keys_n; i++)
		if (keys[i] == len)
			return true;
	return false;
}

static int room_for_key(struct accel_session *session)
{
	uint max = READ_ONCE(sessions);

	if (session->is_keyed)
		return 0;
	if (atomic_inc_return(&live) > max && max) {
		atomic_dec(&live);
		return -EINVAL;
	}
	session->is_keyed = true;
	return 0;
}

int accel_take_key(struct accel_session *session, unsigned int len, bool is_aes)
{
	int err;

	wait_as_long_as(&key_delay);
	session->is_foreign = is_aes && !does_key(len);
	err = session->is_foreign && READ_ONCE(refuse) ? -EINVAL : room_for_key(session);
	atomic64_inc(err ? &keys_refused : &keys_set);
	return err;
}

void accel_drop_key(struct accel_session *session)
{
	wait_as_long_as(&drop_delay);
	if (session->is_keyed)
		atomic_dec(&live);
	session->is_keyed = false;
}

bool accel_wants(const char *word)
{
	int i;

	for (i = 0; i < algs_n; i++)
		if (strcmp(algs[i], word) == 0)
			return true;
	return false;
}

static const char *word_for(char c, const char *name, const char *mode, const char *cipher)
{
	switch (c) {
	case 'm':
		return mode;
	case 'c':
		return strcmp(cipher, "des3_ede") == 0 ? des_word : cipher;
	case 'h':
		return strcmp(name, "hmac(sha256)") == 0 ? "hmac-sha256" : name;
	default:
		return NULL;
	}
}

static int fill_name(char *to, const char *pattern, const char *name, const char *mode,
		     const char *cipher)
{
	size_t n = 0;

	for (; *pattern && n < CRYPTO_MAX_ALG_NAME - 1; pattern++) {
		const char *word = NULL;

		if (*pattern == '%' && pattern[1])
			word = word_for(*++pattern, name, mode, cipher);
		if (word)
			n += strscpy(to + n, word, CRYPTO_MAX_ALG_NAME - n);
		else
			to[n++] = *pattern;
	}
	to[n] = '\0';
	return *pattern ? -ENAMETOOLONG : 0;
}

int accel_fill_base(struct crypto_alg *base, const char *alg, const char *mode, const char *cipher)
{
	strscpy(base->cra_name, alg, sizeof(base->cra_name));
	base->cra_priority = mode ? priority : hash_priority;
	base->cra_flags |= (kern_driver_only ? CRYPTO_ALG_KERN_DRIVER_ONLY : 0) |
			   (async ? CRYPTO_ALG_ASYNC : 0) |
			   (allocates_memory ? CRYPTO_ALG_ALLOCATES_MEMORY : 0) |
			   (need_fallback ? CRYPTO_ALG_NEED_FALLBACK : 0);
	base->cra_module = THIS_MODULE;
	return fill_name(base->cra_driver_name, mode ? name : hash_name, alg, mode, cipher);
}

static bool is_bound;

static int bind(void)
{
	int err = accel_skcipher_register();

	if (err)
		return err;
	err = accel_aead_register();
	if (err)
		goto no_aead;
	err = accel_hash_register();
	if (err)
		goto no_hash;
	is_bound = true;
	return 0;

no_hash:
	accel_aead_unregister();
no_aead:
	accel_skcipher_unregister();
	return err;
}

static void unbind(void)
{
	if (!is_bound)
		return;
	accel_hash_unregister();
	accel_aead_unregister();
	accel_skcipher_unregister();
	is_bound = false;
}

static int bound_set(const char *value, const struct kernel_param *kp)
{
	bool wanted;
	int err = kstrtobool(value, &wanted);

	if (err || wanted == is_bound)
		return err;
	if (wanted)
		return bind();
	unbind();
	return 0;
}

static const struct kernel_param_ops bound_ops = { .set = bound_set };
module_param_cb(bound, &bound_ops, NULL, 0200);
MODULE_PARM_DESC(bound, "N takes the device from the driver, whose tfms have to be gone");

static int __init accel_init(void)
{
	int err = accel_rest_start();

	if (err)
		return err;
	err = accel_engines_start(async);
	if (err)
		goto no_engines;
	err = bind();
	if (err)
		goto no_drivers;
	reset_set(NULL, NULL); /* the self-test's requests do not count */
	return 0;

no_drivers:
	accel_engines_stop();
no_engines:
	accel_rest_stop();
	return err;
}

static void __exit accel_exit(void)
{
	unbind();
	accel_engines_stop();
	accel_rest_stop();
}

module_init(accel_init);
module_exit(accel_exit);
MODULE_DESCRIPTION("A crypto accelerator for tests");
MODULE_LICENSE("GPL");
