/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuse-cost: the time that one request to /dev/crypto takes here, in microseconds, the median of
 * many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuse/raw.h"
#include "kernel/devcrypto_abi.h"

#define ROUNDS 101

static double us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static const size_t sizes[] = { 16, 4096, 16384, 65536 };
	static uint8_t buf[65536], key[16], iv[16];
	int fd = raw_open();
	uint32_t sid;

	if (raw_session(fd, CRYPTO_AES_CBC, key, sizeof(key), &sid) != 0) {
		perror("session");
		return 1;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double took[ROUNDS];

		for (int round = 0; round < ROUNDS; round++) {
			double start = us();

			if (raw_crypt(fd, sid, COP_ENCRYPT, iv, buf, buf, sizes[i]) != 0) {
				perror("request");
				return 1;
			}
			took[round] = us() - start;
		}
		qsort(took, ROUNDS, sizeof(took[0]), by_size);
		printf("%zu bytes: %.0f us\n", sizes[i], took[ROUNDS / 2]);
	}
	return 0;
}
