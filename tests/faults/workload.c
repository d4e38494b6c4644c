/* SPDX-License-Identifier: Apache-2.0 */
/* See integration/lives/script.h for the letters. */
#include "faults/workload.h"

#include <errno.h>
#include <stdio.h>

#include <openssl/err.h>

#define SENTINEL 4321 /* a value that is no errno */
#define PATIENCE 4    /* MiB of messages: more than the pause after two failures */

struct player workload_ours[WORKLOAD_PLAYERS];
static struct player software[WORKLOAD_PLAYERS];

/*
 * A digit selects one of the players: the first one encrypts, the second one decrypts what the
 * first one has encrypted, the third one encrypts. '!': the first message is done.
 */
static const struct life {
	const char *calls, *again; /* again: one more message of the first player */
	size_t len;		   /* bytes of that message */
} of_cipher = { "0NBs!FBW1NBWIP0IPCUDs2NBbL0bs2sR0r", "IL", 20003 },
  of_aead = { "0Nku!fipfxufxpfihhfxugfiuCfeKufRNTttXtX1NkufipfxufxpfihhfxugfiuCfeKufRNTttXtX"
	      "2NKu0RNkuf2fiuf",
	      "iuf", 9000 },
  /* An update of CCM is a whole message. After a message that was refused, CCM needs a key. */
	of_ccm = { "0Nku!fKpfxufkufxpfKufRNTttXtX1NkufKpfxufkufxpfKufRNTttXtX2NKuf0RNkuf2iuf",
		   "iuf", 9000 },
  of_hash = { "0Niaf!ibficfidfKafibaCDaef2NKa0Kaf2bfR", "ibf", 20001 };

static const struct life *life_of(const struct row_of *of, enum kc_kind kind)
{
	if (kind == KC_CIPHER)
		return &of_cipher;
	if (kind != KC_AEAD)
		return &of_hash;
	return EVP_CIPHER_get_mode(of->cipher) == EVP_CIPH_CCM_MODE ? &of_ccm : &of_aead;
}

static const char *wrong;

static void must(bool ok, const char *what)
{
	if (!ok && !wrong)
		wrong = what;
}

/* Called before a call whose success is checked, if other calls were made in between. */
static void ready(void)
{
	ERR_clear_error();
	errno = SENTINEL;
}

static void check_trace(bool ok, const unsigned char *out, size_t len)
{
	(void)out;
	(void)len;
	if (ok) {
		must(errno == SENTINEL, "errno was changed");
		must(!ERR_peek_error(), "something is in the error queue");
	}
	ready();
}

static void play(struct player *players, const char *calls, void (*begun)(void))
{
	struct player *p = players;

	for (; *calls; calls++) {
		if (*calls == '!')
			begun();
		else if (*calls >= '0' && *calls < '0' + WORKLOAD_PLAYERS)
			p = &players[*calls - '0'];
		else
			player_step(p, *calls);
	}
}

static void begin(struct player *players, const struct kc_alg *alg, const struct row_of *of)
{
	for (size_t i = 0; i < WORKLOAD_PLAYERS; i++)
		player_begin(&players[i], alg, of, i != 1);
}

static void end(struct player *players)
{
	for (size_t i = 0; i < WORKLOAD_PLAYERS; i++)
		player_end(&players[i]);
}

static void nothing(void)
{
}

bool workload_play_software(OSSL_LIB_CTX *lib, const struct kc_alg *alg)
{
	const struct life *life;
	struct row_of of;

	if (!row_fetch(lib, alg, "provider=default", &of))
		return false;
	life = life_of(&of, alg->kind);
	begin(software, alg, &of);
	software->seals = true;
	play(software, life->calls, nothing);
	play(software, life->again, nothing);
	end(software);
	row_release(&of);
	return true;
}

/* The oldest context continues: its output is right, and its requests go to the kernel again. */
static void recover(const struct workload *w, const struct life *life)
{
	struct player *p = workload_ours;
	size_t at = p->n;
	unsigned message = p->message;
	bool well = false;

	for (size_t done = 0; !wrong && !well && done < PATIENCE << 20; done += life->len) {
		p->n = at;
		p->message = message;
		play(p, life->again, nothing);
		must(player_same(p, software), "the output is not the default provider's");
		well = w->recovered();
	}
	must(well, "no request went to the kernel any more");
}

const char *workload_play(OSSL_LIB_CTX *lib, const struct workload *w)
{
	const struct life *life;
	struct row_of of;

	wrong = NULL;
	ready();
	if (!row_fetch(lib, w->alg, "?provider=kcrypto", &of))
		return "fetch";
	must(!ERR_peek_error(), "fetching left an error");
	ready();
	life = life_of(&of, w->alg->kind);
	begin(workload_ours, w->alg, &of);
	for (size_t i = 0; i < WORKLOAD_PLAYERS; i++)
		workload_ours[i].made = check_trace;
	play(workload_ours, life->calls, w->begun);
	recover(w, life);
	for (size_t i = 1; i < WORKLOAD_PLAYERS; i++)
		must(player_same(&workload_ours[i], &software[i]),
		     "the output is not the default provider's");
	end(workload_ours);
	must(errno == SENTINEL && !ERR_peek_error(), "the end of contexts left a trace");
	row_release(&of);
	return wrong;
}
