/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread learns of its filters, from a simulated file in place of the kernel's. */
#include "unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/backend.h"

static const char *status; /* NULL: the file cannot be opened */

int open(const char *path, int flags, ...)
{
	int ends[2];

	if (strcmp(path, "/proc/thread-self/status") != 0)
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags);
	if (!status) {
		errno = EACCES;
		return -1;
	}
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], status, strlen(status)), strlen(status));
	close(ends[1]);
	return ends[0];
}

static bool is_free(const char *text)
{
	status = text;
	return kc_sandbox_permits();
}

TEST(a_thread_without_a_filter_is_free)
{
	assert_true(is_free("Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n"));
	assert_true(is_free("Name:\tx\nSeccomp:\t0\n"));
}

/* As on many small routers. */
TEST(so_is_one_of_a_kernel_that_is_built_without_seccomp)
{
	assert_true(is_free("Name:\tx\nNoNewPrivs:\t0\nSpeculation_Store_Bypass:\tvulnerable\n"));
}

TEST(under_a_filter_it_is_not)
{
	assert_false(is_free("Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n"));
	assert_false(is_free("Name:\tx\nSeccomp:\t2"));
	assert_false(is_free("Name:\tx\nSeccomp:\t1\n"));
}

TEST(nor_if_it_cannot_tell)
{
	assert_false(is_free(NULL));
}

/* A user with many groups has a line of 4 KiB or more before the one that counts. */
TEST(a_long_line_before_it_does_not_hide_a_filter)
{
	char text[8192] = "Groups:\t";

	while (strlen(text) < 7000)
		strcat(text, "100001 ");
	strcat(text, "\nSeccomp:\t2\n");
	assert_false(is_free(text));
	*strrchr(text, '2') = '0';
	assert_true(is_free(text));
}
