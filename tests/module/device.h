/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of /dev/kcrypto share: TAP without a library, and the ioctls. */
#ifndef KC_TESTS_MODULE_DEVICE_H
#define KC_TESTS_MODULE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../kernel/include/uapi/linux/kcrypto.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PATIENCE     600 /* seconds: suits a slow machine */

/* Makes the running test fail and prints where; the test continues. */
#define CHECK(what)	      check_that((what), #what, __FILE__, __LINE__)
#define CHECK_IS(got, wanted) check_is((long)(got), (long)(wanted), #got, __FILE__, __LINE__)

void check_that(bool is, const char *text, const char *file, int line);
void check_is(long got, long wanted, const char *text, const char *file, int line);

#define MOST_TESTS 16
extern struct test {
	const char *name;
	void (*run)(void);
} tests[MOST_TESTS];

/* A test. A constructor puts it into the table, in the order of the file. */
#define TEST(what)                                                                                 \
	static void what(void);                                                                    \
	static __attribute__((constructor)) void add_##what(void)                                  \
	{                                                                                          \
		tests[__COUNTER__] = (struct test){ #what, what };                                 \
	}                                                                                          \
	static void what(void)

/* Runs the tests whose names begin with @only. Returns main()'s result. */
int run_tests(const char *only);

struct session {
	int fd;
	uint64_t cookie;
};

int device_open(void);
/* Returns 0 or -errno. */
int device_ioctl(int fd, unsigned long what, void *arg);
/* Opens a session. Returns 0, or -errno with fd set to -1. */
int session_set_up(struct session *s, struct kcrypto_open *arg);
int session_open(struct session *s, unsigned algorithm, const char *driver, const void *key,
		 size_t key_len, unsigned tag_len);
void session_close(struct session *s);

/* A request of this session for a cipher with an IV of 16 bytes, which is all zeros. */
struct kcrypto_request cipher_request(const struct session *s, const void *in, void *out,
				      size_t len);
int request_run(const struct session *s, const struct kcrypto_request *req);

/*
 * The number that follows @word in a file of /sys or /proc, or -1. The write function returns
 * whether it could write.
 */
long number_in(const char *file, const char *word);
bool write_to(const char *file, const char *text);

/* Set parameters of the test accelerator and of the module. */
void set_accel(const char *name, const char *value);
void set_kcrypto(const char *name, const char *value);
/* A parameter or counter of the accelerator. */
long accel_number(const char *name);

/* Waits up to 20 s until a counter of the module has this value. */
bool wait_for_counter(const char *name, long value);

/* Waits for the end of a child, up to PATIENCE. Returns its status, or -1. */
int end_of(pid_t child);
/* Starts a child as this user, which ends with the function's result, or 100. */
pid_t as_user(uid_t uid, int (*what)(unsigned), unsigned argument);

/* Retries until nobody uses the module. Returns 0, or an error other than -EAGAIN. */
int remove_module(const char *name);
int insert_module(const char *file);
int insert_module_with(const char *file, const char *parameters);

static inline uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

#endif
