/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fork mark and the buffers on machines with larger pages, and under kernels that do not wipe
 * pages: sysconf() and madvise() are simulated. Each case is a process of its own, because the mark
 * is placed only once.
 */
#include "unit/check.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/process.h"
#include "core/request.h"
#include "session/buffers.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static struct {
	long page_size;
	enum { AS_IS, REFUSES, LIES } kernel;
	uintptr_t begin, size; /* the memory to be wiped */
	int wiped;
} world;

long sysconf(int name)
{
	assert_int_equal(name, _SC_PAGESIZE);
	return world.page_size;
}

int madvise(void *begin, size_t size, int advice)
{
	if (advice == MADV_WIPEONFORK) {
		world.begin = (uintptr_t)begin;
		world.size = size;
		world.wiped++;
	}
	if (world.kernel == AS_IS)
		return (int)syscall(SYS_madvise, begin, size, advice);
	errno = EINVAL;
	return world.kernel == LIES ? 0 : -1;
}

/* Returns the result of @f in a child made by fork(). */
static bool in_child(bool (*f)(unsigned), unsigned arg)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(!f(arg));
	return child_status(pid) == 0;
}

static bool is_new_here(unsigned parents)
{
	return kc_process_mark() != parents && kc_process_mark() == kc_process_mark() &&
	       atomic_load(kc_process_sessions()) == 0;
}

static bool tells_a_child(unsigned unused)
{
	unsigned mark = kc_process_mark();

	(void)unused;
	atomic_store(kc_process_sessions(), 3);
	return mark != 0 && in_child(is_new_here, mark) && kc_process_mark() == mark &&
	       atomic_load(kc_process_sessions()) == 3;
}

static bool whole_page_is_wiped(unsigned unused)
{
	uintptr_t mark;

	if (!tells_a_child(unused))
		return false;
	mark = (uintptr_t)kc_process_sessions();
	return world.wiped == 1 && world.size == (uintptr_t)world.page_size &&
	       mark >= world.begin && mark < world.begin + world.size;
}

static bool nothing_is_wiped(unsigned unused)
{
	return tells_a_child(unused) && world.wiped == 0;
}

TEST(a_page_of_any_size_is_wiped_whole)
{
	static const long sizes[] = { 4096, 8192, 16384, 65536, 262144 };

	if (is_emulated())
		skip();
	for (size_t i = 0; i < COUNT(sizes); i++) {
		world.page_size = sizes[i];
		world.kernel = AS_IS;
		assert_true(in_child(whole_page_is_wiped, 0));
	}
}

static bool nothing_can_be_mapped(unsigned unused)
{
	return setrlimit(RLIMIT_AS, &(struct rlimit){ 0, 0 }) == 0 && nothing_is_wiped(unused);
}

TEST(without_memory_for_a_page_a_child_is_still_told)
{
	if (is_emulated())
		skip();
	world.page_size = 4096;
	world.kernel = AS_IS;
	assert_true(in_child(nothing_can_be_mapped, 0));
}

TEST(a_kernel_that_does_not_wipe_is_made_up_for)
{
	world.page_size = 65536;
	world.kernel = REFUSES;
	assert_true(in_child(tells_a_child, 0));
}

TEST(a_kernel_that_says_yes_to_all_is_not_believed)
{
	world.page_size = 65536;
	world.kernel = LIES;
	assert_true(in_child(tells_a_child, 0));
}

static bool shares_no_page(unsigned unused)
{
	uintptr_t page = (uintptr_t)world.page_size;
	uintptr_t size = page > KC_MAX_REQUEST ? page : KC_MAX_REQUEST;
	uintptr_t buf = (uintptr_t)kc_buffer_take();

	(void)unused;
	if (!buf || buf % page != 0)
		return false;
	/* Later allocations, of sizes that fit after the buffers and between them. */
	for (size_t i = 0; i < 2000; i++) {
		uintptr_t other = (uintptr_t)malloc(i % 2 ? 24 : 8000);

		if (other + 24 > buf && other < buf + size)
			return false;
	}
	return true;
}

#define KEPT 8 /* buffers that are kept, of all threads */

static void *give_all(void *arg)
{
	uint8_t **buf = arg;

	for (size_t i = 0; i < KEPT; i++)
		kc_buffer_give(buf[i], 0);
	return NULL;
}

static bool is_among(const uint8_t *buf, uint8_t *const all[KEPT])
{
	for (size_t i = 0; i < KEPT; i++)
		if (all[i] == buf)
			return true;
	return false;
}

/* Each thread begins to look at another place, but looks at all. */
TEST(a_thread_finds_the_buffers_that_another_one_gave)
{
	uint8_t *given[KEPT], *taken[KEPT];
	pthread_t thread;

	world.page_size = 4096;
	for (size_t i = 0; i < KEPT; i++)
		given[i] = kc_buffer_take();
	assert_int_equal(pthread_create(&thread, NULL, give_all, given), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	for (size_t i = 0; i < KEPT; i++) {
		taken[i] = kc_buffer_take();
		assert_true(is_among(taken[i], given));
	}
	for (size_t i = 0; i < KEPT; i++)
		kc_buffer_give(taken[i], 0);
	kc_buffer_free();
}

TEST(a_buffer_for_the_kernel_shares_no_page_of_any_size)
{
	static const long sizes[] = { 4096, 8192, 16384, 65536, 262144 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		world.page_size = sizes[i];
		assert_true(in_child(shares_no_page, 0));
	}
}
