/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the device's tests: its control file, and libcrypto's own answer. */
#ifndef KC_TESTS_CUSE_FIXTURE_H
#define KC_TESTS_CUSE_FIXTURE_H

#include "unit/check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cuse/control.h"
#include "cuse/raw.h"
#include "kernel/devcrypto_abi.h"
#include "local.h"

#define LARGEST 65536

struct case_row {
	uint32_t cipher;
	const char *evp;
	uint32_t key_len;
	size_t block, iv_len;
	bool is_whole; /* each request is a separate message: none follows another */
};

#define CASES 21
extern const struct case_row cases[CASES];

extern const uint8_t some_key[64];
extern const uint8_t some_iv[16];

/* Of the cases. */
enum { AES_CBC = 0, AES_CTR = 3, AES_ECB = 6, DES3 = 9, AES_XTS = 10, BLOWFISH = 20 };

/* For the group: of the device that was started with the program's first argument. */
void fixture_load(void);
/* Around each test: no mistakes on command; an open file, and a session of AES-128-CBC on it. */
void fixture_begin(void);
void fixture_end(void);
extern int fd;
extern uint32_t cbc;

#define FIXTURE                                                                                    \
	{                                                                                          \
		.arguments = 1, .set_up = fixture_load, .before_each = fixture_begin,              \
		.after_each = fixture_end                                                          \
	}

uint64_t value(enum control_id id);
void command(enum control_id id, uint64_t n);

int opened(void);
/* A session on that file. */
uint32_t session(int file, const struct case_row *row);
uint32_t aes_cbc(int file);

/* libcrypto's result. */
void expected(const struct case_row *row, uint16_t op, const uint8_t *in, uint8_t *out, size_t len);
void fill(uint8_t *buf, size_t len, unsigned seed);

#endif
