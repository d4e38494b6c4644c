/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a context's requests part, to the kernel or to software: the row's candidate, the length
 * from which it pays, and the session, which opens only once it is worth its price. The same for
 * every kind of algorithm.
 */
#ifndef KC_OFFLOAD_GATE_H
#define KC_OFFLOAD_GATE_H

#include "core/base.h"
#include "policy/policy.h"
#include "session/session.h"

#define KC_NO_DETOUR SIZE_MAX /* bytes, as a threshold */

struct kc_gate_done {
	size_t bytes; /* by the kernel; wraps */
	unsigned failed;
};

struct kc_gate {
	struct kc_candidate *first;	/* of those that the row has, and */
	struct kc_candidate *candidate; /* the one in use */
	size_t entry;			/* bytes: a shorter request is software's, unasked */
	size_t smallest;		/* bytes: one of so much is the kernel's now */
	size_t skip;			/* bytes that may go by before the next pair */
	size_t taken;			/* bytes that were ever set aside for that */
	size_t waited; /* bytes of large requests that software did, no session being open; not a
			  digest's, see kc_candidate */
	bool is_pair;  /* the next request is to be done both ways */
	struct kc_gate_done done;
	struct kc_session session;
};

static inline void kc_gate_init(struct kc_gate *gate, struct kc_candidate *first)
{
	gate->first = first;
	gate->candidate = first;
	gate->entry = 0;
	gate->smallest = 0;
	gate->skip = 0;
	gate->taken = 0;
	gate->waited = 0;
	gate->is_pair = false;
	gate->done = (struct kc_gate_done){ 0, 0 };
	kc_session_init(&gate->session);
}

/* A copy of another context's: the session stays with that. */
static inline void kc_gate_copied(struct kc_gate *gate)
{
	gate->skip = 0;
	kc_session_init(&gate->session);
}

/* The context's end. */
void kc_gate_end(struct kc_gate *gate);

/*
 * Is there something that another key would end, and is @key, of @len bytes like @old, the same?
 * Compares nothing where there is nothing to lose.
 */
static inline bool kc_gate_keeps(const struct kc_gate *gate, const uint8_t *old, const uint8_t *key,
				 size_t len)
{
	return (gate->session.fd >= 0 || gate->waited) && kc_key_is_same(old, key, len);
}

/* Before @key replaces @old: another key needs another session, which must be earned again. */
static inline void kc_gate_rekey(struct kc_gate *gate, const uint8_t *old, const uint8_t *key,
				 size_t len)
{
	if (kc_gate_keeps(gate, old, key, len))
		return;
	kc_session_close(&gate->session);
	gate->waited = 0;
}

/* Takes the best of several candidates, as it is now. */
void kc_gate_choose(struct kc_gate *gate);

/* A new message or key: looks at what the process has learned since. */
static inline void kc_gate_renew(struct kc_gate *gate, enum kc_dir dir)
{
	size_t floor;

	if (gate->first->next && gate->session.fd < 0)
		kc_gate_choose(gate);
	floor = gate->candidate->floor;
	gate->smallest =
		atomic_load_explicit(&gate->candidate->threshold[dir], memory_order_relaxed);
	gate->entry = floor < gate->smallest ? floor : gate->smallest;
}

/* Is this one software's, as most like it are? Without a call; false: kc_gate_open() knows. */
static inline bool kc_gate_stays(struct kc_gate *gate, size_t len)
{
	if (len >= gate->smallest || len > gate->skip)
		return false;
	gate->skip -= len;
	return true;
}

/*
 * Is a session open for a request of @len bytes, or worth to be opened now? Where one candidate
 * fails, the next one is tried at once. Sets ->smallest, so that @len is no less where it is true.
 */
bool kc_gate_open(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
		  const struct kc_key *key, size_t len);

/*
 * One request, as kc_session_run(); a failure counts against the candidate. Some are done by @base
 * too: a driver whose answer is another one is refused for this process, and the request has
 * failed. Brings ->smallest up to date.
 */
int kc_gate_run(struct kc_gate *gate, const struct kc_base *base, const struct kc_key *key,
		const struct kc_req *req);

/* A tag that the last request called bad is right: a failure like any other. */
void kc_gate_mistaken(struct kc_gate *gate);

#endif
