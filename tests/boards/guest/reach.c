/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does an engine really do what kcrypto counts for it? usage: reach CONFIG ALGORITHM...: compares,
 * for requests of several lengths and alignments, the bytes that kcrypto counts for the kernel with
 * the bytes that the engine counted, and each answer with OpenSSL's. Prints a line for each
 * algorithm, after a line for each difference. KC_FEW=1 uses fewer lengths, and the long ones with
 * one alignment, for a slow engine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards/guest/once.h"
#include "integration/lives/loaded.h"

#define PAGE 4096
#define ROOM (50 * PAGE) /* the longest text, ONCE_TAIL and an offset */

/* Offsets of input and output from the start of a page. in_place: the output is the input. */
struct place {
	unsigned in, out;
	bool in_place;
};
static const struct place places[] = { { 0, 0, false },	 { 0, 0, true },  { 16, 16, false },
				       { 16, 0, false }, { 4, 4, false }, { 1, 1, false } };
#define LONG 32768 /* bytes: what places do, shorter ones show as well */
static const size_t lengths[] = { 64, 4096, 16384, 32768, 36864, 40016, 65264, 65536, 200000 };
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static unsigned char *plain, *sealed, *in, *out;

struct total {
	unsigned long long requests, asked, claimed, over, under, wrong;
};

/* One request: its direction, its length, its place. */
struct request {
	bool forwards;
	size_t len;
	struct place at;
};

static unsigned long long claimed(const struct once *o)
{
	return kc_stats_sum(&stats_file_read()->row[o->alg - kc_algs]).bytes;
}

static bool is_right(const struct once *o, const struct request *r, const unsigned char *got)
{
	if (o->alg->kind >= KC_DIGEST)
		return memcmp(got + r->len, sealed + r->len, o->alg->out_len) == 0;
	if (!r->forwards)
		return memcmp(got, plain, r->len) == 0;
	return memcmp(got, sealed, r->len + (o->alg->kind == KC_AEAD ? 16 : 0)) == 0;
}

static void show(const struct once *o, const char *what, const struct request *r,
		 unsigned long long claims, unsigned long long counts)
{
	printf("  %s: %s %s, %zu bytes at +%u to +%u%s: claimed %llu, the engine counted %llu\n",
	       what, kc_alg_name(o->alg), r->forwards ? "forwards" : "backwards", r->len, r->at.in,
	       r->at.out, r->at.in_place ? " in place" : "", claims, counts);
}

/*
 * A driver pads a digest's text itself, so the engine may count a little more than was asked for.
 */
static void ask(const struct once *o, const struct request *r, struct total *t)
{
	unsigned char *from = in + r->at.in, *to = r->at.in_place ? from : out + r->at.out;
	unsigned long long claims = claimed(o), counts = engine_read().bytes;
	bool ok;

	memcpy(from, r->forwards ? plain : sealed, r->len);
	ok = once_run(o, 0, r->forwards, from, r->len, to, sealed + r->len) && is_right(o, r, to);
	claims = claimed(o) - claims;
	counts = engine_read().bytes - counts;
	t->requests++;
	t->asked += r->len;
	t->claimed += claims;
	t->wrong += !ok;
	t->over += claims > counts ? claims - counts : 0;
	t->under += counts > claims ? counts - claims : 0;
	if (!ok)
		show(o, "WRONG", r, claims, counts);
	if (claims > counts)
		show(o, "CLAIMED", r, claims, counts);
}

/* The first requests are not counted, since the driver's trial comes with them. */
static void ask_all(const struct once *o, struct total *t)
{
	bool has_back = o->alg->kind < KC_DIGEST;
	bool is_few = getenv("KC_FEW");
	struct total none = { 0 };

	for (size_t l = 0; l < COUNT(lengths); l += is_few ? 2 : 1) {
		struct request r = { true, lengths[l], places[0] };
		size_t most = is_few && r.len > LONG ? 1 : COUNT(places);

		/* Longer requests go in pieces; a digest's pieces go from midstate to midstate. */
		if (r.len > KC_MAX_REQUEST && o->alg->kind != KC_DIGEST)
			continue;
		if (!once_run(o, 1, true, plain, r.len, sealed, NULL))
			continue; /* the algorithm does not take this length */
		for (size_t p = 0; p < most; p++) {
			r.at = places[p];
			for (int back = 0; back <= has_back; back++) {
				r.forwards = !back;
				ask(o, &r, l || p ? t : &none);
			}
		}
	}
}

static bool reach(OSSL_LIB_CTX *ctx, const char *name)
{
	struct total t = { 0 };
	struct once o;

	if (!once_find(ctx, name, &o)) {
		printf("%s: not offered\n", name);
		return false;
	}
	ask_all(&o, &t);
	printf("%s: %llu requests, %llu of %llu bytes claimed, %llu that the engine did not count, %llu that "
	       "were not claimed, %llu wrong\n",
	       name, t.requests, t.claimed, t.asked, t.over, t.under, t.wrong);
	fflush(stdout);
	once_release(&o);
	return !t.over && !t.wrong;
}

int main(int argc, char **argv)
{
	OSSL_LIB_CTX *ctx;
	bool ok = argc > 2;

	stats_file_make();
	ctx = ok ? library_with(argv[1]) : NULL;
	if (!ctx) {
		fputs("usage: reach CONFIG ALGORITHM...\n", stderr);
		return 2;
	}
	plain = aligned_alloc(PAGE, ROOM);
	sealed = aligned_alloc(PAGE, ROOM);
	in = aligned_alloc(PAGE, ROOM);
	out = aligned_alloc(PAGE, ROOM);
	for (size_t i = 0; i < ROOM; i++)
		plain[i] = (unsigned char)(i * 7 + i / 251);
	for (int i = 2; i < argc; i++)
		ok &= reach(ctx, argv[i]);
	OSSL_LIB_CTX_free(ctx);
	return !ok;
}
