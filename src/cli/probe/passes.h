/* SPDX-License-Identifier: Apache-2.0 */
/* What measured times say of the lengths that pay. Measures nothing. */
#ifndef KC_CLI_PROBE_PASSES_H
#define KC_CLI_PROBE_PASSES_H

#include "policy/config.h"

#define KC_NEVER_PAYS SIZE_MAX
#define KC_UNSETTLED  (SIZE_MAX - 1) /* no two passes agree: the machine is too busy */

#define KC_PASS_SIZES 6

enum kc_side { KC_BY_SOFTWARE, KC_BY_KERNEL, KC_SIDES };

/* The sizes of requests that each pass has, in ascending order. */
struct kc_scale {
	const struct kc_alg *alg;
	size_t size[KC_PASS_SIZES]; /* bytes */
};

/* What one pass says of one direction: ns of a request, by clock, side and size. */
struct kc_pass {
	double ns[KC_PREFER_COUNT][KC_SIDES][KC_PASS_SIZES];
	double crossing[KC_PREFER_COUNT]; /* bytes; INFINITY: it never pays */
	int n; /* of the sizes: longer ones do not pay where shorter do */
};

/* Beside software, per cent; 0: not known. */
struct kc_gain {
	unsigned speed, cpu; /* 200: twice as fast; 25: a quarter of the machine's CPU time */
};

/* What a request costs by a line through times: at once, and per KiB; ns. */
struct kc_price {
	unsigned once_ns, kib_ns;
};

/* Sets the rest of a pass whose times of the first @measured sizes are there. */
void kc_pass_conclude(struct kc_pass *pass, const struct kc_scale *scale, int measured);

/* What the kernel takes, by wall time, at the sizes where it pays. */
struct kc_price kc_pass_price(const struct kc_pass *pass, const struct kc_scale *scale);

/* The machine's CPU time for a request of @len bytes that the kernel does; ns. */
double kc_pass_cpu(const struct kc_pass *pass, const struct kc_scale *scale, size_t len);

/* What the longest request that pays gains. */
struct kc_gain kc_pass_gain(const struct kc_pass *pass);

/* The threshold for a crossing, in bytes, or KC_NEVER_PAYS. @sizes: how many pay. */
size_t kc_pass_threshold(const struct kc_scale *scale, double crossing, int sizes);

/*
 * The threshold by @clock on which two of @n passes agree, or KC_UNSETTLED. *@sizes: how many of
 * the sizes pay, if any does.
 */
size_t kc_passes_settle(const struct kc_pass *passes, int n, const struct kc_scale *scale,
			enum kc_prefer clock, int *sizes);

/* Would the kernel do a text of @len bytes, which takes it @ns, much faster in shorter pieces? */
bool kc_is_beaten(double ns, double len, double piece_ns, double piece_len);

#endif
