/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sessions that wait, in slots that are taken atomically: no lock, no allocation, and a fork
 * finds each slot full or empty. A slot is empty, full, or in the hands of one thread, which then
 * owns the session.
 */
#include "session/session.h"

#include <stdatomic.h>

#include "core/process.h"

#define SLOTS 8

static KC_AT_LOAD struct slot {
	atomic_uintptr_t of; /* 0, the candidate's address, or an odd number: see in_hands() */
	struct kc_session session;
} slots[SLOTS];

/* Marks a slot as in the hands of a thread of this process. */
static uintptr_t in_hands(void)
{
	return (uintptr_t)kc_process_mark() << 1 | 1;
}

/* The thread that had the slot in hands at a fork does not exist in the child. */
static bool is_empty(uintptr_t of)
{
	return of == 0 || (of & 1 && of != in_hands());
}

static bool grab(struct slot *slot, uintptr_t of)
{
	return atomic_compare_exchange_strong(&slot->of, &of, in_hands());
}

bool kc_idle_take(struct kc_session *session, const struct kc_candidate *candidate)
{
	for (struct slot *slot = slots; slot < slots + SLOTS; slot++) {
		uintptr_t of = atomic_load_explicit(&slot->of, memory_order_relaxed);

		if (of == 0 || of & 1 || (candidate && of != (uintptr_t)candidate) ||
		    !grab(slot, of))
			continue;
		*session = slot->session;
		atomic_store(&slot->of, 0);
		return true;
	}
	return false;
}

/* Swaps the contents of @slot and @session. */
static bool exchange(struct slot *slot, uintptr_t of, struct kc_session *session,
		     const struct kc_candidate *candidate)
{
	struct kc_session kept = *session;

	if (!grab(slot, of))
		return false;
	if (is_empty(of))
		session->fd = -1;
	else
		*session = slot->session;
	slot->session = kept;
	atomic_store(&slot->of, (uintptr_t)candidate);
	return true;
}

void kc_idle_put(struct kc_session *session, const struct kc_candidate *candidate)
{
	static atomic_uint turn;
	struct slot *oldest;
	uintptr_t of;

	for (struct slot *slot = slots; slot < slots + SLOTS; slot++) {
		of = atomic_load_explicit(&slot->of, memory_order_relaxed);
		if (is_empty(of) && exchange(slot, of, session, candidate))
			return;
	}
	oldest = &slots[atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) % SLOTS];
	of = atomic_load_explicit(&oldest->of, memory_order_relaxed);
	if (!(of & 1))
		exchange(oldest, of, session, candidate);
}
