/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread with a stack of 64 KiB, or of the smallest size that is allowed, fetches the first
 * algorithm of its process and makes large requests to the kernel: the fetch, the driver's trial
 * and the requests fit in 64 KiB. A page below the stack must not be touched. usage: stack_test
 * CONFIG [offload]
 */
#include "unit/check.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "integration/lives/loaded.h"
#include "integration/lives/script.h"

#define STACK (64 * 1024)
#define PAINT 0xa5

/* The letters are those of integration/lives/script.h. */
struct first {
	enum kc_alg_id row;
	const char *calls, *query;
	struct player *players; /* encrypting and decrypting */
};

static void *live(void *arg)
{
	const struct first *first = arg;
	struct player *p = first->players;
	struct row_of of;

	if (!row_fetch(lib, &kc_algs[first->row], first->query, &of))
		return NULL;
	for (int i = 0; i < 2; i++) {
		player_begin(&p[i], &kc_algs[first->row], &of, !i);
		p[i].seals = !i;
		player_run(&p[i], first->calls);
		player_end(&p[i]);
	}
	row_release(&of);
	return p;
}

static size_t touched(const unsigned char *stack, size_t size)
{
	size_t untouched = 0;

	while (untouched < size && stack[untouched] == PAINT)
		untouched++;
	return size - untouched;
}

/* glibc needs 128 KiB on arm64. */
static size_t smallest(void)
{
	long least = sysconf(_SC_THREAD_STACK_MIN);

	return least > STACK ? (size_t)least : STACK;
}

/* Software's life comes later, as it would make the first fetch. */
static void in_a_small_thread(enum kc_alg_id row, const char *calls)
{
	static struct player ours[2], theirs[2];
	struct first first = { row, calls, "?provider=kcrypto", ours },
		     software = { row, calls, "provider=default", theirs };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = smallest(), used;
	unsigned char *room =
		mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long long before = requests(row);
	pthread_attr_t attr;
	pthread_t thread;

	assert_true(room != MAP_FAILED);
	assert_int_equal(mprotect(room, page, PROT_NONE), 0);
	memset(room + page, PAINT, size);
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstack(&attr, room + page, size), 0);
	assert_int_equal(pthread_create(&thread, &attr, live, &first), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	used = touched(room + page, size);
	print_message("  %s: %zu bytes of stack, all counted\n", kc_algs[row].names, used);
	assert_in_range(used, 1, STACK);
	if (arguments[1])
		assert_true(requests(row) > before);
	assert_non_null(live(&software));
	for (int i = 0; i < 2; i++)
		assert_true(player_same(&ours[i], &theirs[i]));
	pthread_attr_destroy(&attr);
	munmap(room, page + size);
}

TEST(a_first_cipher_fits)
{
	in_a_small_thread(KC_ALG_AES_128_CBC, "NBLPFR");
}

TEST(a_first_aead_fits)
{
	in_a_small_thread(KC_ALG_AES_256_GCM, "NkufkpfR");
}

TEST(a_first_digest_fits)
{
	in_a_small_thread(KC_ALG_SHA256, "NiabbfR");
}

TEST(a_first_mac_fits)
{
	in_a_small_thread(KC_ALG_HMAC_SHA256, "NiabbfR");
}

const struct suite suite = { .arguments = 1, .before_each = load, .after_each = unload };
