/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submits and reaps pieces in order. A piece's input is copied when it is submitted; its output is
 * written when it is reaped. If one fails, the session ends, and the later pieces with it; their
 * input is still there for the base, also in place.
 */
#include "request/cipher.h"

#include <errno.h>
#include <string.h>

#include "policy/terms.h"

/* Pieces in flight, together 1 MiB. No known device has more engines. */
#define WINDOW 16

struct piece {
	struct kc_req req;
	struct kc_flight flight;
	uint8_t after[KC_MAX_IV]; /* the IV that follows the piece */
};

struct pieces {
	struct kc_cipher *c;
	const uint8_t *in;
	uint8_t *out, *iv;		     /* the IV after the reaped pieces */
	uint8_t next[KC_MAX_IV];	     /* the IV after the submitted pieces */
	size_t body, limit, submitted, done; /* bytes; limit is that of one piece */
	size_t forced;			     /* bytes to measure although they may not pay */
	unsigned first, n;		     /* those in flight: a ring */
	uint64_t start;			     /* ns, when the timed bytes began */
	size_t timed;
	bool was_away; /* a job paused, so the time says nothing */
	bool is_deep;  /* the driver takes time, in which others can be in flight */
	struct piece ring[WINDOW];
};

bool kc_pieces_fit(const struct kc_cipher *c)
{
	const struct kc_alg *alg = c->base->alg;

	if (!kc_gate_queues(&c->gate))
		return false;
	switch (alg->iv_rule) {
	case KC_IV_NONE:
	case KC_IV_ADD_BLOCKS:
	case KC_IV_ADD_BLOCKS_LE:
		return true;
	case KC_IV_LAST_BLOCK:
		return c->dir == KC_DECRYPT;
	default:
		return false;
	}
}

/* Makes the next piece; length 0: there is none, or it does not pay. */
static void make_piece(const struct pieces *p, struct piece *piece)
{
	const struct kc_cipher *c = p->c;
	const struct kc_alg *alg = c->base->alg;
	size_t limit = p->limit, left = p->body - p->submitted;
	size_t len = kc_request_len(alg, p->next, left, limit);
	bool is_forced = p->submitted < p->forced && left >= c->gate.candidate->terms.least;
	bool is_part = left >= limit && p->body >= c->gate.threshold;

	if (!is_forced && !is_part && left < c->gate.threshold)
		len = 0;
	piece->req = (struct kc_req){ .dir = c->dir,
				      .iv = p->next,
				      .in = p->in + p->submitted,
				      .out = p->out + p->submitted,
				      .len = len };
	memcpy(piece->after, p->next, sizeof(piece->after));
}

/* @piece was submitted or is done: continue after it. */
static void pass(struct pieces *p, const struct piece *piece)
{
	memcpy(p->next, piece->after, sizeof(p->next));
	p->submitted += piece->req.len;
}

static void done(struct pieces *p, const struct piece *piece)
{
	p->done += piece->req.len;
	memcpy(p->iv, piece->after, p->c->base->alg->iv_len);
}

/* Frees the piece's place. @err is the result of reaping it. */
static bool reaped(struct pieces *p, const struct piece *piece, int err)
{
	p->first = (p->first + 1) % WINDOW;
	p->n--;
	if (err)
		return false;
	done(p, piece);
	p->timed += piece->req.len;
	return true;
}

static bool reap_one(struct pieces *p)
{
	const struct piece *piece = &p->ring[p->first];

	p->was_away |= piece->flight.can_pause;
	return reaped(p, piece, kc_gate_reap(&p->c->gate, &piece->req, &piece->flight, true));
}

/*
 * Reaps the first piece without waiting, once. If it is done already, the driver worked in this
 * thread's time, and several in flight would only take more memory than the CPU's caches have.
 */
static bool reap_instant(struct pieces *p)
{
	const struct piece *piece = &p->ring[p->first];
	int err;

	if (p->is_deep || p->n != 1)
		return false;
	err = kc_gate_reap(&p->c->gate, &piece->req, &piece->flight, false);
	p->is_deep = err == -EAGAIN;
	if (!p->is_deep)
		reaped(p, piece, err);
	return !p->is_deep;
}

static bool reap_all(struct pieces *p)
{
	while (p->n)
		if (!reap_one(p))
			return false;
	return true;
}

/* A request that is done both ways is written at once, so no earlier piece may fail after it. */
static bool run_due(struct pieces *p, struct piece *piece)
{
	const struct kc_base *base = p->c->base;
	const struct kc_key key = { .bytes = p->c->key, .len = base->alg->key_len };

	if (!reap_all(p) || kc_gate_run(&p->c->gate, base, &key, &piece->req) != 0)
		return false;
	pass(p, piece);
	done(p, piece);
	p->start = kc_terms_clock(&p->c->gate.candidate->terms);
	p->timed = 0;
	return true;
}

/* Submits a piece; reaps older ones if there is no room. */
static bool submit_piece(struct pieces *p, struct piece *piece)
{
	int err;

	do {
		if (p->n == WINDOW && !reap_one(p))
			return false;
		err = kc_gate_submit(&p->c->gate, &piece->req, &piece->flight);
	} while (err == -EAGAIN && p->n && reap_one(p));
	if (err)
		return false;
	p->ring[(p->first + p->n++) % WINDOW] = *piece;
	pass(p, piece);
	return true;
}

static void run_pieces(struct pieces *p)
{
	const struct kc_alg *alg = p->c->base->alg;
	uint8_t last[KC_MAX_IV];
	struct piece piece;
	bool goes_on = true;

	while (goes_on) {
		make_piece(p, &piece);
		if (!piece.req.len)
			break;
		memcpy(last, piece.req.in + piece.req.len - alg->iv_len, alg->iv_len);
		kc_iv_advance(alg, &piece.req, piece.after, last);
		if (kc_gate_claim_pair(&p->c->gate, &piece.req, alg->key_len))
			goes_on = run_due(p, &piece);
		else
			goes_on = submit_piece(p, &piece) && !reap_instant(p);
	}
	explicit_bzero(last, sizeof(last));
	/* If the session is still open, the pieces in flight precede the one that failed. */
	if (kc_gate_is_open(&p->c->gate))
		reap_all(p);
}

size_t kc_pieces_run(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in, size_t body,
		     size_t limit)
{
	const struct kc_terms *terms = &c->gate.candidate->terms;
	struct pieces p;

	/* Member by member, because the ring needs no initialisation. */
	p.c = c;
	p.in = in;
	p.out = out;
	p.iv = iv;
	p.body = body;
	p.limit = limit;
	p.submitted = p.done = p.timed = 0;
	p.forced = 0;
	if (c->gate.is_pair)
		p.forced = (WINDOW + 1) * limit;
	p.first = p.n = 0;
	p.was_away = p.is_deep = false;
	p.start = kc_terms_clock(terms);
	memcpy(p.next, iv, c->base->alg->iv_len);
	run_pieces(&p);
	if (p.timed > limit && kc_gate_is_open(&c->gate) && !p.was_away)
		kc_gate_took(&c->gate, c->dir, p.timed, kc_terms_clock(terms) - p.start);
	explicit_bzero(p.next, sizeof(p.next));
	return p.done;
}
