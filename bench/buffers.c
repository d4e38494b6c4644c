/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it takes to get one of the module's buffers and to give it back, in as many threads at the
 * same time as given: CPU time, so run it where no other program does. usage: kcrypto-buffers
 * [THREADS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "session/buffers.h"

#define MOST  64
#define TIMES 1000000

static void *take_and_give(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		uint8_t *buf = kc_buffer_take();

		if (!buf)
			exit(1);
		*(volatile uint8_t *)buf = 1;
		kc_buffer_give(buf, 0);
	}
	return arg;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	double begin = cpu_ns();
	pthread_t thread[MOST];

	if (n < 1 || n > MOST)
		return 2;
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, take_and_give, NULL) != 0)
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	printf("%d threads: %.1f ns\n", n, (cpu_ns() - begin) / TIMES / n);
	return 0;
}
