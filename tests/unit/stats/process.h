/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that count, each a child of the test's, below a directory of its own. */
#ifndef KC_TESTS_STATS_PROCESS_H
#define KC_TESTS_STATS_PROCESS_H

#include "unit/check.h"

#include <sys/resource.h>
#include <sys/types.h>

#include "stats/stats.h"
#include "stats/stats_dir.h"

#define ID    KC_ALG_AES_128_CBC
#define BYTES 65521 /* every digit is used */

extern char dir[64], common[80], mine[96]; /* "/run", /run/kcrypto and this user's in it */

/* Before and after each test. */
void make_directory(void);
void remove_directory(void);

void path_of(char path[128], pid_t pid);
bool is_there(pid_t pid);

/* The actions of a process. Each exits if something is wrong. */
void turn_on(void);
void count(unsigned n);
void do_short(unsigned n);
void limit_files_to(rlim_t size);
void count_five(void);

/* A process that has done @f and waits until it is ended; one that ends by itself, and well. */
pid_t start(void (*f)(void));
void end(pid_t pid);
void run(void (*f)(void));

/* The processes that are seen. */
extern struct seen {
	unsigned n;
	pid_t pid[8];
	uint64_t requests[8];
} seen;

/* Returns the number of another version's files. */
unsigned look(void);

/* UINT64_MAX: it is not seen. */
uint64_t requests_of(pid_t pid);

#endif
