/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a session of /dev/crypto. The system calls are simulated. */
#include "unit/check.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/backend.h"

extern const struct kc_backend kc_devcrypto;

static struct {
	int ioctl_err;
	int closed; /* the last descriptor */
} world;

long syscall(long number, ...)
{
	va_list args;
	int fd;

	va_start(args, number);
	fd = va_arg(args, int);
	va_end(args);
	if (number == SYS_close) {
		world.closed = fd;
		return 0;
	}
	assert_int_equal(number, SYS_ioctl);
	errno = world.ioctl_err;
	return errno ? -1 : 0;
}

static bool closes(int ioctl_err)
{
	struct kc_session session = { .fd = 33, .id = 7 };

	world.ioctl_err = ioctl_err;
	world.closed = -1;
	kc_devcrypto.close(&session);
	return world.closed == 33;
}

TEST(a_session_ends_with_its_descriptor_unless_that_is_another_file_of_the_device)
{
	assert_true(closes(0));
	assert_false(closes(EINVAL));
	/* A sandbox, a device that is gone, no memory: the descriptor still belongs to kcrypto. */
	assert_true(closes(EPERM));
	assert_true(closes(ENODEV));
	assert_true(closes(ENOMEM));
}
