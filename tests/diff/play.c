/* SPDX-License-Identifier: Apache-2.0 */
/* See play.h: rounds, and the comparison, which knows nothing of how kcrypto works. */
#include "diff/play.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>

#define UNTOUCHED 77 /* value of errno before a call */

#define PAGE 4096 /* of the drivers' machines; where pages are larger, any address does */

bool queue_is_shared, play_at_edges;
size_t play_longest = ROOM, play_stream = (size_t)16 * 1024 * 1024;

bool play_fail(struct play *p, const char *what)
{
	fprintf(stderr, "MISMATCH: %s, %s:%s\n", what, p->name, p->trace);
	ERR_print_errors_fp(stderr);
	return false;
}

static void trace(struct play *p, const struct twins *t, const char *name, size_t len, int ok)
{
	size_t room = sizeof(p->trace) - p->traced;
	int n = snprintf(p->trace + p->traced, room, " %zu:%s(%zu)=%d", (size_t)(t - p->twins),
			 name, len, ok);

	p->traced += (size_t)n < room ? (size_t)n : room - 1;
}

/*
 * A success leaves the error queue and errno alone, unless the default provider changes them too.
 */
static const char *difference(const struct call *c)
{
	int ours = c->got[0].ok, theirs = c->got[1].ok;

	if ((ours > 0) != (theirs > 0))
		return ours > 0 ? "ours succeeds" : "ours fails";
	if (ours > 0 && ours != theirs)
		return "results differ";
	if (ours > 0 && c->got[0].left && !c->got[1].left)
		return "a success left something in the error queue or in errno";
	if (c->got[0].len != c->got[1].len)
		return "lengths differ";
	if (memcmp(c->got[0].out, c->got[1].out, sizeof(c->got[0].out)) != 0)
		return "answers differ";
	if (theirs > 0 && c->out[0] && memcmp(c->out[0], c->out[1], c->got[0].len) != 0)
		return "outputs differ";
	return NULL;
}

/* A pointer that a program keeps must show the right bytes at any time. */
static bool same_pointers(struct play *p)
{
	for (struct twins *t = p->twins; t < p->twins + CONTEXTS; t++)
		for (struct iv_pointer *k = t->kept; k < t->kept + 2; k++)
			if (k->at[0] && memcmp(k->at[0], k->at[1], p->shown) != 0)
				return play_fail(p, "an IV differs behind a pointer");
	return true;
}

bool both(struct play *p, struct twins *t, const char *name, act *make, struct call *call)
{
	const char *differs;

	/* kcrypto runs last, so that the reason of its failure is in the error queue. */
	for (int side = 1; side >= 0; side--) {
		memset(call->got[side].out, 0x55, sizeof(call->got[side].out));
		ERR_clear_error();
		errno = UNTOUCHED;
		call->got[side].ok = make(t, side, call);
		call->got[side].left = errno != UNTOUCHED || (ERR_peek_error() && !queue_is_shared);
	}
	p->ok = call->got[1].ok > 0;
	trace(p, t, name, call->len, call->got[1].ok);
	differs = difference(call);
	return differs ? play_fail(p, differs) : same_pointers(p);
}

static size_t edge_length(struct play *p, size_t most)
{
	static const size_t units[] = { 16, 16, 64, 64, PAGE, 65536 };
	static const size_t beside[] = { 0, 0, 0, 0, 1, 16, -1, -16 };
	size_t unit = units[below(p, sizeof(units) / sizeof(units[0]))];
	size_t units_most = most / unit < 40 ? most / unit : 40;
	size_t n = unit *
		   (units_most ? 1 + below(p, one_in(p, 4) ? units_most : units_most / 4 + 1) : 1);

	n += beside[below(p, sizeof(beside) / sizeof(beside[0]))];
	return n < most ? n : most - 1;
}

size_t some_place(struct play *p, size_t range)
{
	static const size_t behind[] = { 0, 0, 0, 1, 4, 8, 16 };
	size_t page = -(uintptr_t)(p->in[0] + MARGIN) % PAGE;

	if (!play_at_edges)
		return MARGIN + below(p, range);
	return MARGIN + page + behind[below(p, sizeof(behind) / sizeof(behind[0]))];
}

size_t some_length(struct play *p, size_t most)
{
	if (most > play_longest)
		most = play_longest;
	if (play_at_edges && below(p, 8))
		return edge_length(p, most);

	const size_t limit[] = { 2, 17, 64, 64, 300, 300, 2000, 2000, 5000, 20000 };
	size_t n =
		below(p, one_in(p, 32) ? most : limit[below(p, sizeof(limit) / sizeof(limit[0]))]);

	return one_in(p, 3) ? n / 16 * 16 : n;
}

void play_touch(struct play *p, size_t end)
{
	if (end > ROOM)
		end = ROOM;
	if (end > p->touched)
		p->touched = end;
}

void fill_shared_input(struct play *p)
{
	size_t n = MOST_PLACE + play_longest;

	play_touch(p, n);
	random_bytes(&p->random, p->in[0], p->touched);
}

void fill_input(struct play *p, size_t len)
{
	play_touch(p, len + 2 * MARGIN);
	random_bytes(&p->random, p->in[0], len + 2 * MARGIN);
	memcpy(p->in[1], p->in[0], len + 2 * MARGIN);
}

bool play_round(struct play *p, unsigned char *room)
{
	size_t steps = p->kind->least + below(p, p->kind->most - p->kind->least);
	bool ok = true;

	for (size_t i = 0; i < 2; i++) {
		p->in[i] = room + i * ROOM;
		p->out[i] = room + (2 + i) * ROOM;
	}
	for (size_t i = 0; i < CONTEXTS; i++)
		p->twins[i].play = p;
	for (size_t i = 0; ok && i < CONTEXTS; i++)
		ok = p->kind->start(p, &p->twins[i]);
	while (ok && steps--)
		ok = p->kind->step(p, &p->twins[below(p, 4) ? 0 : below(p, CONTEXTS)]);
	for (size_t i = 0; ok && i < CONTEXTS; i++)
		ok = p->kind->last(p, &p->twins[i]);
	for (size_t i = 0; i < CONTEXTS; i++)
		p->kind->end(&p->twins[i]);
	for (size_t i = 0; i < 4; i++)
		memset(room + i * ROOM, 0, p->touched);
	return ok;
}
