/* SPDX-License-Identifier: Apache-2.0 */
/* The faults that the environment selects. */
#include "standin/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_uint in_flight;

const char *fault_plays(void)
{
	return getenv("KC_STANDIN_PLAYS");
}

bool fault_is(const char *word)
{
	const char *fault = getenv("KC_STANDIN_FAULT");

	return fault && strcmp(fault, word) == 0;
}

/* Whether the 32-bit counter at the end of the IV overflows. */
static bool wraps(const struct kc_req *req)
{
	uint64_t counter = 0;

	for (size_t i = 12; req->iv && i < 16; i++)
		counter = counter << 8 | req->iv[i];
	return counter + (req->len + 15) / 16 > (uint64_t)1 << 32;
}

/* So slow that requests of two threads overlap. */
static bool is_in_company(void)
{
	if (atomic_load(&in_flight) == 1)
		usleep(300);
	return atomic_load(&in_flight) > 1;
}

int fault_at(const struct kc_req *req, unsigned requests, unsigned sessions)
{
	uintptr_t addresses = (uintptr_t)req->in | (uintptr_t)req->out;

	while (fault_is("hang") && req->len == 8192)
		pause();
	if (fault_is("die") && req->len == 8192)
		raise(SIGKILL);
	if (fault_is("slow"))
		usleep(5000);
	if (fault_is("fail") && requests % 150 == 0)
		return -EIO;
	return (fault_is("seldom") && requests % 1000 == 999) || (fault_is("wrap") && wraps(req)) ||
	       (fault_is("unaligned") && addresses & 3) ||
	       (fault_is("limit") && req->len > 65000) ||
	       (fault_is("aad") && req->aad_len == 100) || (fault_is("nonce") && req->iv[0] == 7) ||
	       (fault_is("many") && sessions > 20) || (fault_is("parallel") && is_in_company());
}

void fault_begin(void)
{
	atomic_fetch_add(&in_flight, 1);
}

void fault_end(void)
{
	atomic_fetch_sub(&in_flight, 1);
}

int fault_broken(const char *word)
{
	if (!fault_plays())
		abort();
	return fault_is(word) ? 0 : -EINVAL;
}
