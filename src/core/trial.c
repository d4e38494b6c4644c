/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first use of a driver. Knows no algorithm: the base says what is right, and one published
 * vector says that the base and the row are meant the same way.
 */
#include "core/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mark.h"
#include "core/session.h"

#define MARGIN	   64 /* bytes behind each buffer, for the offsets below */
#define MAX_VECTOR 64

struct trial {
	struct kc_choice *choice;
	const struct kc_base *base;
	void *base_ctx;
	struct kc_session session;
	uint8_t key[KC_MAX_KEY], iv[KC_MAX_IV];
	uint8_t *in, *want, *got;
	uint64_t soft_ns, kernel_ns; /* of the last request */
};

/* Lengths in bytes, offsets from a page's start; len 0 stands for the largest request. */
struct shape {
	unsigned len, in_offset, out_offset;
	unsigned iv_ones; /* trailing IV bytes that are 0xff: the counter wraps behind them */
};

static const struct shape shapes[] = {
	{ .len = 16 },
	{ .len = 48, .in_offset = 1, .out_offset = 3 },
	{ .len = 272, .in_offset = 5 },
	{ .len = 4112, .in_offset = 16, .out_offset = 1 },
	{ .len = 64, .iv_ones = 4 },
	{ .len = 64, .iv_ones = 8 },
	{ .len = 64, .iv_ones = 16 },
	{ .len = 0, .in_offset = 7, .out_offset = 9 },
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Returns the number of bytes. */
static size_t from_hex(uint8_t *out, size_t size, const char *hex)
{
	size_t n = 0;

	for (; n < size && hex[0] && hex[1]; hex += 2)
		out[n++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
	return n;
}

static bool run_base(struct trial *t, enum kc_dir dir, uint8_t *out, const uint8_t *in, size_t len)
{
	const struct kc_base *b = t->base;
	size_t n = 0;

	return b->init(b, t->base_ctx, dir, t->key, t->base->alg->iv_len ? t->iv : NULL) &&
	       b->set_padding(b, t->base_ctx, false) &&
	       b->update(t->base_ctx, out, &n, len, in, len) && n == len;
}

/* One request in both, compared. */
static enum kc_reason same(struct trial *t, enum kc_dir dir, const uint8_t *in, uint8_t *got,
			   size_t len)
{
	struct kc_req req = { .dir = dir, .iv = t->iv, .in = in, .out = got, .len = len };
	uint64_t start = now_ns();

	if (!run_base(t, dir, t->want, in, len))
		return KC_NO_MEMORY;
	t->soft_ns = now_ns() - start;
	start = now_ns();
	if (t->choice->backend->run(&t->session, &req) != 0)
		return KC_REQUEST_FAILED;
	t->kernel_ns = now_ns() - start;
	return memcmp(got, t->want, len) == 0 ? KC_OK : KC_WRONG_ANSWER;
}

static enum kc_reason try_vector(struct trial *t)
{
	const struct kc_kat *kat = t->base->alg->kat;
	uint8_t plain[MAX_VECTOR], cipher[MAX_VECTOR];
	size_t len = from_hex(plain, sizeof(plain), kat->plain);
	enum kc_reason why;

	from_hex(cipher, sizeof(cipher), kat->cipher);
	why = same(t, KC_ENCRYPT, plain, t->got, len);
	if (why == KC_OK && memcmp(t->got, cipher, len) != 0)
		return KC_WRONG_ANSWER;
	return why == KC_OK ? same(t, KC_DECRYPT, cipher, t->got, len) : why;
}

static enum kc_reason try_shapes(struct trial *t)
{
	size_t block = t->base->alg->block_len;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *s = &shapes[i];
		size_t len = s->len ? s->len : t->session.limit;

		len = len < t->session.limit ? len / block * block : t->session.limit;
		memset(t->iv, 0xa5, sizeof(t->iv));
		memset(t->iv + sizeof(t->iv) - s->iv_ones, 0xff, s->iv_ones);
		for (int dir = KC_DECRYPT; dir <= KC_ENCRYPT; dir++) {
			enum kc_reason why = same(t, (enum kc_dir)dir, t->in + s->in_offset,
						  t->got + s->out_offset, len);
			if (why != KC_OK)
				return why;
		}
	}
	return KC_OK;
}

/* The least of a few runs: what the work costs when nothing comes between. */
static enum kc_reason least(struct trial *t, enum kc_dir dir, size_t len, uint64_t *soft,
			    uint64_t *kernel)
{
	*soft = *kernel = UINT64_MAX;
	for (int i = 0; i < 2; i++) {
		enum kc_reason why = same(t, dir, t->in, t->got, len);

		if (why != KC_OK)
			return why;
		*soft = t->soft_ns < *soft ? t->soft_ns : *soft;
		*kernel = t->kernel_ns < *kernel ? t->kernel_ns : *kernel;
	}
	return KC_OK;
}

/*
 * The kernel takes a fixed time and so much per byte, software only the latter: where the two
 * lines cross, and an eighth more.
 */
static size_t crossing(uint64_t soft, uint64_t small, uint64_t large, size_t limit, size_t block)
{
	uint64_t slope = large > small ? large - small : 0;
	uint64_t n;

	if (soft <= slope)
		return KC_THRESHOLD_MEASURED;
	n = small * limit / (soft - slope);
	n += n / 8;
	return n > limit ? KC_THRESHOLD_MEASURED : (size_t)(n + block - 1) / block * block;
}

static enum kc_reason measure(struct trial *t, enum kc_dir dir, uint64_t open_ns)
{
	const struct kc_alg *alg = t->base->alg;
	size_t limit = t->session.limit, length;
	uint64_t soft, small, large, unused;
	enum kc_reason why = least(t, dir, alg->block_len, &unused, &small);

	if (why == KC_OK)
		why = least(t, dir, limit, &soft, &large);
	if (why != KC_OK)
		return why;
	length = crossing(soft, small, large, limit, alg->block_len);
	if (length < alg->default_threshold)
		length = alg->default_threshold;
	if (!t->choice->threshold_fixed)
		atomic_store(&t->choice->threshold[dir], length);
	atomic_store(&t->choice->speed, (unsigned)(limit * 1000000 / (large + 1)));
	if (!t->choice->threshold_fixed || atomic_load(&t->choice->threshold[dir]))
		atomic_store(&t->choice->session_bytes, (size_t)(open_ns * limit / (soft + 1)));
	return KC_OK;
}

/* The second opening counts: the first may have loaded modules. */
static enum kc_reason reopen(struct trial *t, uint64_t *open_ns)
{
	uint64_t start = now_ns();

	kc_session_close(&t->session);
	if (kc_session_open(&t->session, t->choice, t->key) != 0)
		return KC_OPEN_FAILED;
	*open_ns = now_ns() - start;
	return KC_OK;
}

static enum kc_reason try_all(struct trial *t)
{
	uint64_t open_ns = 0;
	enum kc_reason why = try_vector(t);

	if (why == KC_OK)
		why = try_shapes(t);
	if (why == KC_OK)
		why = reopen(t, &open_ns);
	for (int dir = KC_DECRYPT; why == KC_OK && dir <= KC_ENCRYPT; dir++)
		why = measure(t, (enum kc_dir)dir, open_ns);
	if (why == KC_OK && atomic_load(&t->choice->threshold[KC_DECRYPT]) == SIZE_MAX &&
	    atomic_load(&t->choice->threshold[KC_ENCRYPT]) == SIZE_MAX)
		why = KC_SLOWER;
	return why;
}

/*
 * A driver is bound by its own name, so one that opens is that one. Where it does not open, is that
 * because the kernel hides all hardware? The question costs the kernel a search for modules.
 */
static enum kc_reason why_closed(const struct kc_choice *choice, int err)
{
	bool hidden = err == -ENOENT && choice->nature == KC_HARDWARE &&
		      choice->backend->hides_hardware &&
		      choice->backend->hides_hardware(choice->software) == 1;

	return hidden ? KC_HARDWARE_HIDDEN : KC_OPEN_FAILED;
}

static void fill(uint8_t *buf, size_t len)
{
	uint32_t x = 2463534242u;

	for (size_t i = 0; i < len; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		buf[i] = (uint8_t)x;
	}
}

static enum kc_reason prepare_and_try(struct trial *t, uint8_t *mem, size_t each)
{
	const struct kc_kat *kat = t->base->alg->kat;
	enum kc_reason why;
	int err;

	t->in = mem;
	t->want = mem + each;
	t->got = mem + 2 * each;
	fill(t->in, each);
	from_hex(t->key, sizeof(t->key), kat->key);
	from_hex(t->iv, sizeof(t->iv), kat->iv);
	t->base_ctx = t->base->newctx(t->base);
	if (!t->base_ctx)
		return KC_NO_MEMORY;
	err = kc_session_open(&t->session, t->choice, t->key);
	why = err ? why_closed(t->choice, err) : try_all(t);
	kc_session_close(&t->session);
	t->base->freectx(t->base_ctx);
	return why;
}

enum kc_reason kc_trial_run(struct kc_choice *choice, const struct kc_base *base)
{
	struct trial t = { .choice = choice, .base = base };
	size_t each = KC_MAX_REQUEST + MARGIN;
	enum kc_reason why;
	void *mem;

	if (posix_memalign(&mem, 4096, 3 * each) != 0)
		return KC_NO_MEMORY;
	kc_session_init(&t.session);
	why = prepare_and_try(&t, mem, each);
	free(mem);
	return why;
}

/* What may pass is tried again, after twice as much was done in software. */
static enum kc_trust verdict(struct kc_choice *choice, enum kc_reason why)
{
	if (why == KC_OK)
		return KC_TRUSTED;
	if (why == KC_WRONG_ANSWER || why == KC_SLOWER || why == KC_HARDWARE_HIDDEN)
		return KC_REFUSED;
	atomic_fetch_add(&choice->failures, 1);
	atomic_store(&choice->waited_bytes, 0);
	return KC_UNTRIED;
}

enum kc_trust kc_trial(struct kc_choice *choice, const struct kc_base *base)
{
	unsigned ours = KC_ON_TRIAL + kc_process_mark();
	unsigned seen = atomic_load(&choice->trust);
	enum kc_trust result;

	/* A child whose parent was at a trial never sees the end of it: it makes its own. */
	if (seen == ours || seen == KC_TRUSTED || seen == KC_REFUSED)
		return seen == ours ? KC_ON_TRIAL : (enum kc_trust)seen;
	if (!atomic_compare_exchange_strong(&choice->trust, &seen, ours))
		return KC_ON_TRIAL;
	result = verdict(choice, kc_trial_run(choice, base));
	atomic_store(&choice->trust, result);
	/* Of two ways to hardware the faster one is gone, so both have to be known. */
	if (result == KC_TRUSTED && choice->next && choice->next->backend &&
	    choice->next->nature == choice->nature)
		kc_trial(choice->next, base);
	return result;
}
