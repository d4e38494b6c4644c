/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that programs make on a context, by name where the differential program makes them by
 * chance: copies that outlive the original and the other way round, every kind of init in
 * mid-stream, odd lengths. usage: context_test CONFIG
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "diff/row.h"
#include "integration/loaded.h"
#include "integration/script.h"

static struct player ours, theirs;

/* A copy is made: of a new context, before and after the session, within a block, after final. */
static const char *const starts[] = {
	"NBC", "NBsC", "NBLC", "NBMC", "NBLoC", "NBLFIC", "NBLKMC", "NBLCb", "NBLCI",
};

/* All orders of: the original goes on and ends, the copy goes on and ends. */
static const char *const ends[] = {
	"LFRDfr", "LDFRfr", "LDfrFR", "DLFRfr", "DLfrFR", "DfrLFR",
};

static const char *const lives[] = {
	"NBR", /* nothing at all */
	"NBFR",
	"NB0FR",
	"NB1FR", /* no byte, one byte */
	"NB0L0M0FR",
	"NB1L1L1LFR", /* between large ones */
	"NBoLsLo1LFR",
	"NBUoUUFR", /* odd, unaligned */
	"NBPFR",
	"NBMFIPFR", /* in place */
	"NkILFR",
	"NiKLFR",
	"NkIsIoILFR", /* key and IV apart, in either order */
	"NBLILFR",
	"NBLoILILFR", /* IV only, in the middle of a block */
	"NBLKLFR",
	"NBLoKLKLFR", /* key only */
	"NBLbLoBLFR",
	"NBLkLiLFR", /* both; the cipher again */
	"NBLFLFR",
	"NBLFILFR", /* after final */
	"NBLCRXLFR",
	"NBLCrLFR",	   /* a copy that replaces the original, and one for nothing */
	"NBLCRXCRXCRXLFR", /* a copy of a copy */
	"NBLCXLDFRfr",
};

static struct row_of of_ours, of_theirs;

static void compare(const struct kc_alg *alg, const char *script)
{
	for (int enc = 0; enc <= 1; enc++) {
		player_begin(&theirs, alg, &of_theirs, enc);
		player_run(&theirs, script);
		player_begin(&ours, alg, &of_ours, enc);
		player_run(&ours, script);
		if (!player_same(&ours, &theirs))
			fail_msg("%s, enc %d: \"%s\" differs", alg->names, enc, script);
	}
}

/* Whether @play is there for each cipher, and how many of its calls were large. */
static void for_all(void (*play)(const struct kc_alg *), unsigned at_least)
{
	size_t offered = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		unsigned long long before = requests(i);

		if (kc_algs[i].kind != KC_CIPHER || row_is_absent(&kc_algs[i]) ||
		    !row_fetch_both(lib, &kc_algs[i], &of_ours, &of_theirs))
			continue;
		play(&kc_algs[i]);
		/* By /dev/crypto the long units of XTS stay with the base. */
		assert_true(requests(i) >=
			    before + (kc_algs[i].iv_rule == KC_IV_WHOLE ? 1 : at_least));
		row_release(&of_ours);
		row_release(&of_theirs);
		offered++;
	}
	assert_true(offered > 0);
}

static void play_copies(const struct kc_alg *alg)
{
	for (size_t i = 0; i < COUNT(starts); i++)
		for (size_t j = 0; j < COUNT(ends); j++) {
			char script[32];

			snprintf(script, sizeof(script), "%s%s", starts[i], ends[j]);
			compare(alg, script);
		}
}

TEST(a_copy_and_its_original_are_independent_whichever_goes_first)
{
	for_all(play_copies, COUNT(starts) * COUNT(ends) * 2 * 2);
}

static void play_lives(const struct kc_alg *alg)
{
	for (size_t i = 0; i < COUNT(lives); i++)
		compare(alg, lives[i]);
}

TEST(every_init_and_every_length_has_the_default_providers_answer)
{
	for_all(play_lives, COUNT(lives) * 2);
}

const struct suite suite = { .arguments = 1, .set_up = load, .tear_down = unload };
