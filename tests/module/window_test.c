// SPDX-License-Identifier: Apache-2.0
/*
 * How many requests a device gets at a time: its engines are counted by what it has begun. Not for
 * each kind of program, as that takes long.
 */
#include "fixture.h"

#include <string.h>
#include <unistd.h>

/*
 * Makes the device do @n requests, until the last ones of which others wait. Returns how many it
 * had at a time.
 */
static long do_many(const struct session *s, unsigned n)
{
	unsigned first = n < KCRYPTO_MAX_IN_FLIGHT ? n : KCRYPTO_MAX_IN_FLIGHT;

	set_accel("reset", "1");
	submit_all(s, first);
	for (unsigned k = 0; k < n; k++) {
		CHECK_IS(reap_to(s, 0, 0), 0);
		if (k + first < n)
			CHECK_IS(submit(s, outs[result.user_data], LEN, result.user_data), 0);
	}
	return accel_number("deepest");
}

/* Runs until the module has seen that this many engines work at once, and not many more. */
static void show_engines(const struct session *s, long n, long most, const char *latency)
{
	long deepest = 0;

	set_accel("latency", latency);
	for (int i = 0; i < PATIENCE && (deepest <= n || deepest > most); i++)
		deepest = do_many(s, 256);
	CHECK(deepest > n && deepest <= most);
	set_accel("latency", "0");
}

/* This many requests have begun, and no more. */
static void check_begun(unsigned n)
{
	for (int i = 0; i < PATIENCE * 100 && accel_number("requests") < (long)n; i++)
		usleep(10000);
	usleep(100000);
	CHECK_IS(accel_number("requests"), n);
}

/* With several engines each request takes so long that the time of the software does not matter. */
TEST(engines_of_the_device)
{
	static const struct {
		const char *engines;
		unsigned n, most;
		const char *latency;
	} cases[] = { { "8", 8, 256, "100000" }, { "3", 3, 12, "100000" }, { "1", 1, 6, "20000" } };
	struct session s;

	for (size_t i = 0; i < COUNT(cases); i++) {
		set_accel("engines", cases[i].engines);
		open_empty(&s);
		show_engines(&s, cases[i].n, cases[i].most, cases[i].latency);
		set_accel("delay", FOR_EVER);
		set_accel("reset", "1");
		submit_all(&s, 10);
		check_begun(cases[i].n);
		set_accel("delay", "0");
		for (unsigned k = 10; k > 0; k--)
			CHECK_IS(reap_this(&s, k - 1), 0);
		for (unsigned k = 0; k < 10; k++)
			CHECK(memcmp(outs[k], wanted, LEN) == 0);
		session_close(&s);
	}
}

/*
 * The device must not be taken for one with more engines, which would make others wait. The module
 * measures the time of a single request again every few seconds; in between the device does more
 * than a hundred requests.
 */
TEST(a_device_that_becomes_faster)
{
	struct session s;

	open_empty(&s);
	set_accel("latency", "400000");
	do_many(&s, 12); /* neither the first two nor the last one are alone */
	set_accel("latency", "20000");
	CHECK(do_many(&s, 200) <= 8);
	set_accel("latency", "0");
	session_close(&s);
}
