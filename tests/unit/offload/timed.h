/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A base and a stand-in whose requests take the time that the test sets, on a simulated clock. The
 * machine's real work adds to it.
 */
#ifndef KC_TESTS_TIMED_H
#define KC_TESTS_TIMED_H

#include "unit/fixture.h"

#define ID	 KC_ALG_AES_128_CBC
#define LIMIT	 65536
#define MS	 1000000 /* ns */
#define CROSSING 16384

/* The price of every request: a fixed time, and a time per KiB. */
struct price {
	uint64_t once, per_kib; /* ns */
};

extern uint64_t now, machine; /* ns: the clock, and the machine's CPU time */
extern struct price soft, kernel, soft_cpu, kernel_cpu;
/*
 * Above this many bytes the driver leaves a request to the kernel's software, at the price of
 * @beyond; 0: it does all. If it @counts_pages, a page counts whole.
 */
extern size_t longest_of_driver;
extern bool counts_pages;
/* Below this many bytes software takes @below_step instead; 0: it has one price only. */
extern size_t step;
extern struct price below_step;
extern struct price beyond;
extern unsigned left_to_software;	    /* number of requests */
extern unsigned (*disturbance)(unsigned i); /* percent of the price of the i-th request */
extern unsigned disturbed;
unsigned at_first(unsigned i); /* a disturbance of the first requests, less and less */
extern struct kc_base timed;

/* If the kernel takes this once-cost more and nothing per byte, the lines cross at CROSSING. */
struct kc_candidate *prepare(const char *ciphers);

#endif
