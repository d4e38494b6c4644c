/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the device have in common: main(), AES-128-CBC's sessions, and one request. */
#ifndef KC_TESTS_MODULE_FIXTURE_H
#define KC_TESTS_MODULE_FIXTURE_H

#include "device.h"

#define LEN	 4096	   /* of the request */
#define FOR_EVER "3000000" /* ms */

/*
 * How often of @times to do it here: a kernel that reports takes ten times as long, and a program
 * of 32 bits only shows that the kernel reads its structs as those of 64.
 */
int as_often(int times);

/* From FIPS 197 and SP 800-38A, and zeros. */
extern const uint8_t key[32];
extern uint8_t in[KCRYPTO_MAX_LEN + 4096], out[sizeof(in)], back[sizeof(in)];
/* By make_wanted(): the answer to the request. */
extern uint8_t wanted[LEN];

int try_cbc(struct session *s);
void open_cbc(struct session *s); /* must succeed */

/* From in to out; 0 or -errno. */
int run_once(const struct session *s);
void make_wanted(void);
int submit(const struct session *s, void *to, size_t len, uint64_t user_data);

/* 0 or -errno of reaping, to result. */
int reap_to(const struct session *s, unsigned flags, uint64_t user_data);
extern struct kcrypto_result result;
/* That of the request, if it was reaped. */
int reap(const struct session *s, unsigned flags);

#endif
