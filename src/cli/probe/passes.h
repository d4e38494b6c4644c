/* SPDX-License-Identifier: Apache-2.0 */
/* Conclusions from measured times about the lengths that pay. Measures nothing. */
#ifndef KC_CLI_PROBE_PASSES_H
#define KC_CLI_PROBE_PASSES_H

#include "policy/config.h"

#define KC_NEVER_PAYS SIZE_MAX
#define KC_UNSETTLED  (SIZE_MAX - 1) /* no two passes agree: the machine is too busy */

#define KC_PASS_SIZES 6

enum kc_side { KC_BY_SOFTWARE, KC_BY_KERNEL, KC_SIDES };

/* The sizes of requests in each pass, in ascending order. */
struct kc_scale {
	const struct kc_alg *alg;
	size_t size[KC_PASS_SIZES]; /* bytes */
};

/* The result of a pass in one direction: ns of a request, by clock, side and size. */
struct kc_pass {
	double ns[KC_PREFER_COUNT][KC_SIDES][KC_PASS_SIZES];
	double crossing[KC_PREFER_COUNT]; /* bytes; INFINITY: it never pays */
	int n; /* number of sizes; longer ones do not pay although shorter do */
};

/* Compared with software, in per cent; 0: not known. */
struct kc_gain {
	unsigned speed, cpu; /* 200: twice as fast; 25: a quarter of the machine's CPU time */
};

/* The cost of a request by a line through times, in ns: fixed, and per KiB. */
struct kc_price {
	unsigned once_ns, kib_ns;
};

/* Sets the rest of a pass from the times of the first @measured sizes. */
void kc_pass_conclude(struct kc_pass *pass, const struct kc_scale *scale, int measured);

/* Returns the kernel's cost by wall time, at the sizes where it pays. */
struct kc_price kc_pass_price(const struct kc_pass *pass, const struct kc_scale *scale);

/* Returns the machine's CPU time, in ns, for a request of @len bytes that the kernel does. */
double kc_pass_cpu(const struct kc_pass *pass, const struct kc_scale *scale, size_t len);

/* Returns the gain of the longest request that pays. */
struct kc_gain kc_pass_gain(const struct kc_pass *pass);

/* Returns the threshold for a crossing, in bytes, or KC_NEVER_PAYS. @sizes: the number that pay. */
size_t kc_pass_threshold(const struct kc_scale *scale, double crossing, int sizes);

/*
 * Returns the threshold by @clock on which two of @n passes agree, or KC_UNSETTLED. *@sizes: the
 * number of sizes that pay, if any does.
 */
size_t kc_passes_settle(const struct kc_pass *passes, int n, const struct kc_scale *scale,
			enum kc_prefer clock, int *sizes);

/* True if the kernel would do a text of @len bytes, which takes it @ns, much faster in pieces. */
bool kc_is_beaten(double ns, double len, double piece_ns, double piece_len);

#endif
