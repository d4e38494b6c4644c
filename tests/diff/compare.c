/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A success leaves the error queue and errno alone, unless the default provider changes them too.
 */
#include "compare.h"

#include <errno.h>
#include <stddef.h>

#include <openssl/err.h>

bool outcome_shares_queue;

void outcome_clear(void)
{
	ERR_clear_error();
	errno = 77;
}

struct outcome outcome_of(int ok)
{
	bool has_errno = errno != 77, has_error = ERR_peek_error() != 0;

	return (struct outcome){ ok, has_errno || (has_error && !outcome_shares_queue) };
}

const char *outcome_differs(struct outcome ours, struct outcome theirs)
{
	if ((ours.ok > 0) != (theirs.ok > 0))
		return ours.ok > 0 ? "ours succeeds" : "ours fails";
	if (ours.ok > 0 && ours.ok != theirs.ok)
		return "results differ";
	if (ours.ok > 0 && ours.left && !theirs.left)
		return "a success left something in the error queue or in errno";
	return NULL;
}
