/* SPDX-License-Identifier: Apache-2.0 */
/* The clock stands still except during a request. */
#include "unit/offload/timed.h"

#include "base/base.h"
#include "core/clock.h"
#include "core/process.h"

uint64_t now, machine;
struct price soft, kernel, soft_cpu, kernel_cpu, beyond, below_step;
size_t longest_of_driver, step;
bool counts_pages;
unsigned left_to_software;
unsigned (*disturbance)(unsigned i);
unsigned disturbed;
struct kc_base timed;

static const struct kc_base *real;

uint64_t kc_now_ns(void)
{
	return now;
}

uint64_t kc_thread_ns(void)
{
	return now;
}

static uint64_t of(const struct price *price, size_t len)
{
	return price->once + price->per_kib * len / 1024;
}

static void spend(const struct price *price, const struct price *cpu, size_t len)
{
	uint64_t ns = of(price, len);

	now += ns + (disturbance ? ns * disturbance(disturbed++) / 100 : 0);
	machine += of(cpu, len);
}

static bool is_too_long(size_t len)
{
	size_t page = kc_page_size(), within = (uintptr_t)standin.last_out % page;

	if (counts_pages)
		len = (within + len + page - 1) / page * page;
	return longest_of_driver && len > longest_of_driver;
}

static void kernel_works(size_t len)
{
	bool is_left = is_too_long(len);

	left_to_software += is_left;
	spend(is_left ? &beyond : &kernel, is_left ? &beyond : &kernel_cpu, len);
}

static void *timed_newctx(const struct kc_base *base)
{
	(void)base;
	return real->newctx(real);
}

static int timed_whole(const struct kc_base *base, void *ctx, const struct kc_key *with,
		       const struct kc_req *req)
{
	bool is_below = req->len < step;

	(void)base;
	spend(is_below ? &below_step : &soft, is_below ? &below_step : &soft_cpu, req->len);
	return real->whole(real, ctx, with, req);
}

/* These functions find their row by the base's address. */
static int timed_init(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *with,
		      const uint8_t *from)
{
	(void)base;
	return real->init(real, ctx, dir, with, from);
}

static int timed_set_padding(const struct kc_base *base, void *ctx, bool on)
{
	(void)base;
	return real->set_padding(real, ctx, on);
}

static int timed_place(const struct kc_base *base, void *ctx, struct kc_place *place)
{
	(void)base;
	return real->place(real, ctx, place);
}

unsigned at_first(unsigned i)
{
	return i < 24 ? 700 - 25 * i : 0;
}

struct kc_candidate *prepare(const char *ciphers)
{
	configure(ciphers, NULL);
	real = kc_base_get(&kc_algs[ID]);
	timed = *real;
	timed.newctx = timed_newctx;
	timed.whole = timed_whole;
	timed.init = timed_init;
	timed.set_padding = timed_set_padding;
	timed.place = timed_place;
	standin.working = kernel_works;
	soft = (struct price){ .per_kib = 16000 };
	kernel = (struct price){ .once = soft.per_kib * CROSSING / 1024 };
	beyond = (struct price){ .once = 3000, .per_kib = 17000 };
	longest_of_driver = 0;
	step = 0;
	counts_pages = false;
	left_to_software = 0;
	disturbance = NULL;
	disturbed = 0;
	return policy.row[ID];
}
