// SPDX-License-Identifier: Apache-2.0
/*
 * How many requests a device gets at a time: its engines are counted by what it has begun. Not for
 * each kind of program, as that takes long.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
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
 * Three requests are under way at any time, so at most one of them waits for the two that the
 * module begins with. All three have to reach the device, and soon.
 */
TEST(engines_for_few_requests)
{
	struct session s;
	long deepest = 0;
	int n = 0;

	CHECK_IS(remove_module("kcrypto"), 0);
	CHECK_IS(insert_module(getenv("KCRYPTO_KO")), 0);
	set_accel("engines", "8");
	open_empty(&s);
	set_accel("latency", "100000");
	set_accel("reset", "1");
	submit_all(&s, 3);
	for (; n < 300 && deepest < 3; n++) {
		CHECK_IS(reap_to(&s, 0, 0), 0);
		CHECK_IS(submit(&s, outs[result.user_data], LEN, result.user_data), 0);
		deepest = accel_number("deepest");
	}
	printf("# %ld at a time, after %d requests\n", deepest, n);
	CHECK_IS(deepest, 3);
	for (int i = 0; i < 3; i++)
		CHECK_IS(reap_to(&s, 0, 0), 0);
	set_accel("latency", "0");
	set_accel("engines", "1");
	session_close(&s);
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

#define IN_FLIGHT 48

/*
 * By which a user may try to make a device seem to have more engines: requests that take long
 * where the module measures single ones, and others where it measures a rate. After @lead long
 * ones, there are @n_long in every @period.
 */
struct trick {
	const char *name, *driver; /* of the others */
	unsigned algorithm;
	size_t len; /* of the others */
	unsigned lead, period, n_long;
};

static bool is_long(const struct trick *trick, unsigned i)
{
	return i < trick->lead || (i - trick->lead) % trick->period < trick->n_long;
}

/* The first session is for long requests. */
static void submit_trick(const struct session *s, const struct trick *trick, unsigned i)
{
	const struct session *of = &s[!is_long(trick, i)];
	struct kcrypto_request req = cipher_request(of, in, out, of == s ? 1008 : trick->len);

	CHECK_IS(device_ioctl(of->fd, KCRYPTO_IOC_SUBMIT, &req), 0);
}

/* Returns how many requests the device had at a time. */
static long play_trick(const struct trick *trick)
{
	struct session s[2];

	open_cbc(&s[0]);
	CHECK_IS(session_open(&s[1], trick->algorithm, trick->driver, key, 16, 0), 0);
	set_accel("quick", "512");
	set_accel("latency", "20000");
	set_accel("reset", "1");
	for (unsigned i = 0; i < 1000 + IN_FLIGHT; i++) {
		if (i < 1000)
			submit_trick(s, trick, i);
		if (i >= IN_FLIGHT)
			CHECK_IS(reap(&s[!is_long(trick, i - IN_FLIGHT)], 0), 0);
	}
	set_accel("latency", "0");
	set_accel("quick", "0");
	session_close(&s[0]);
	session_close(&s[1]);
	return accel_number("deepest");
}

/* A device with one engine gets few requests at a time, whatever a user does. */
TEST(a_device_that_a_user_makes_look_fast)
{
	static const struct trick tricks[] = {
		{ "short requests", "cbc-aes-accel", KCRYPTO_CBC_AES, 16, 4, 27, 3 },
		{ "another driver's requests", "ctr-aes-accel", KCRYPTO_CTR_AES, 496, 4, 27, 3 },
	};
	long deepest;

	for (size_t i = 0; i < COUNT(tricks); i++) {
		CHECK_IS(remove_module("kcrypto"), 0);
		CHECK_IS(insert_module(getenv("KCRYPTO_KO")), 0);
		deepest = play_trick(&tricks[i]);
		printf("# %s: at most %ld at a time\n", tricks[i].name, deepest);
		CHECK(deepest <= 6);
	}
}
