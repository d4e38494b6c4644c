/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine with faults. usage: faults CONFIG ALGORITHM WORD LENGTH N: encrypts and decrypts N
 * messages while the engine has the fault WORD, and N messages afterwards. Before them it does N
 * messages without a fault, unless N begins with a plus sign. N may be followed by the least number
 * of seconds with the fault: "12~60". Prints how many answers were wrong, how many calls failed,
 * how many took seconds, and how often the engine made the fault.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards/guest/once.h"
#include "integration/lives/loaded.h"

#define PAGE 4096
#define LATE 2.0 /* seconds: an engine takes longer only if it hangs */

struct total {
	unsigned long messages, wrong, failed, slow;
	double longest;
};

struct message {
	size_t len;
	unsigned char *plain, *sealed, *got;
};

static void judge(const struct once *o, bool forwards, const struct message *m, struct total *t)
{
	const unsigned char *want = forwards ? m->sealed : m->plain;
	bool is_hash = o->alg->kind >= KC_DIGEST;
	size_t n =
		is_hash ? o->alg->out_len : m->len + (o->alg->kind == KC_AEAD && forwards ? 16 : 0);
	double begin = once_now(), took;
	bool ok = once_run(o, 0, forwards, forwards ? m->plain : m->sealed, m->len, m->got,
			   m->sealed + m->len);

	took = once_now() - begin;
	t->longest = took > t->longest ? took : t->longest;
	t->slow += took > LATE;
	t->failed += !ok;
	t->wrong += ok &&
		    memcmp(m->got + (is_hash ? m->len : 0), want + (is_hash ? m->len : 0), n) != 0;
}

/* Does at least @n messages, for at least that many seconds. */
static struct total play(const struct once *o, struct message *m, unsigned long n, double seconds)
{
	double end = once_now() + seconds;
	struct total t = { 0 };

	for (; t.messages < n || once_now() < end; t.messages++) {
		m->plain[0]++;
		once_run(o, 1, true, m->plain, m->len, m->sealed, NULL);
		judge(o, true, m, &t);
		if (o->alg->kind < KC_DIGEST)
			judge(o, false, m, &t);
	}
	return t;
}

static bool phase(const char *when, const char *word, const struct once *o, struct message *m,
		  unsigned long n, double seconds)
{
	unsigned long long faults = engine_read().faults, requests = engine_read().requests;
	struct total t;

	engine_fault(word);
	t = play(o, m, n, seconds);
	printf("%s %s: %lu messages: %lu wrong, %lu failed, %lu slow, longest %.2f s; engine: %llu "
	       "requests, %llu faults\n",
	       kc_alg_name(o->alg), when, t.messages, t.wrong, t.failed, t.slow, t.longest,
	       engine_read().requests - requests, engine_read().faults - faults);
	fflush(stdout);
	return !t.failed;
}

/* Memory that begins with a page, which every driver passes to its engine. */
static unsigned char *new_page(size_t len)
{
	unsigned char *new = aligned_alloc(PAGE, (len + ONCE_TAIL + PAGE - 1) / PAGE * PAGE);

	return memset(new, 0, len + ONCE_TAIL);
}

int main(int argc, char **argv)
{
	OSSL_LIB_CTX *ctx;
	struct message m;
	unsigned long n;
	double seconds;
	struct once o;
	char *end;
	bool ok = true;

	if (argc != 6)
		return 2;
	m.len = strtoul(argv[4], NULL, 0);
	n = strtoul(argv[5], &end, 0);
	seconds = *end == '~' ? strtod(end + 1, NULL) : 0;
	m.plain = new_page(m.len);
	m.sealed = new_page(m.len);
	m.got = new_page(m.len);
	stats_file_make();
	ctx = library_with(argv[1]);
	if (!ctx || !once_find(ctx, argv[2], &o))
		return 2;
	once_keep(&o);
	if (argv[5][0] != '+')
		ok = phase("before", "none", &o, &m, n, 0);
	ok &= phase("during", argv[3], &o, &m, n, seconds);
	ok &= phase("after", "none", &o, &m, n, 0);
	once_release(&o);
	OSSL_LIB_CTX_free(ctx);
	free(m.plain);
	free(m.sealed);
	free(m.got);
	return !ok;
}
