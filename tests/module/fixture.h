/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the device share: main(), sessions of AES-128-CBC, and one request. */
#ifndef KC_TESTS_MODULE_FIXTURE_H
#define KC_TESTS_MODULE_FIXTURE_H

#include "device.h"

#define LEN	 4096	   /* of the request */
#define FOR_EVER "3000000" /* ms */

/*
 * How many of @times repetitions to do here: a kernel with sanitizers takes ten times as long, and
 * a program of 32 bits only shows that the kernel reads its structs as those of 64 bits.
 */
int as_often(int times);

/* From FIPS 197 and SP 800-38A; and zeros. */
extern const uint8_t key[32];
extern uint8_t in[KCRYPTO_MAX_LEN + 4096], out[sizeof(in)], back[sizeof(in)];
/* The answer to the request; make_wanted() computes it. */
extern uint8_t wanted[LEN];

int try_cbc(struct session *s);
void open_cbc(struct session *s); /* must succeed */

/* Encrypts in to out. Returns 0 or -errno. */
int run_once(const struct session *s);
void make_wanted(void);
int submit(const struct session *s, void *to, size_t len, uint64_t user_data);

/* Reaps a request into result. Returns 0 or -errno. */
int reap_to(const struct session *s, unsigned flags, uint64_t user_data);
extern struct kcrypto_result result;
/* Reaps a request. Returns its error, or -errno of reaping. */
int reap(const struct session *s, unsigned flags);

/* That with this number. */
int reap_this(const struct session *s, uint64_t user_data);

/* Several in flight, all with the answer that is wanted. */
extern uint8_t outs[KCRYPTO_MAX_IN_FLIGHT][LEN];
void open_empty(struct session *s);
/* The first @n of outs, with their indices as numbers. */
void submit_all(const struct session *s, unsigned n);

#endif
