/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an application sees of a forged message that the kernel has opened. Of CCM's messages and of
 * records: not one byte. Of other messages: what the default provider's update reveals before its
 * final refuses, and nothing that the kernel wrote. System calls are counted to show that each
 * message went to the kernel, because the counters have no entry for a bad tag. usage: forged_test
 * CONFIG AEADS, the minimum number of AEADs
 */
#include "unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "diff/row.h"
#include "faults/inject.h"
#include "integration/loaded.h"
#include "integration/message.h"
#include "local.h"
#include "stats/table.h"

#define LEN    9000
#define MARGIN 64 /* bytes around an output, which stay as they were */
#define ROOM   (LEN + RECORD_ROOM)
#define PLACES (sizeof(places) / sizeof(places[0]))

/* Nowhere 0, the value left after wiping. */
static unsigned char text[LEN];
static unsigned char sealed[ROOM], in[ROOM];
static unsigned char got[MARGIN + ROOM + MARGIN], want[MARGIN + ROOM + MARGIN];
static struct inject_seen seen;

static const unsigned char key[33] = "0123456789abcdef0123456789ABCDEF", iv[13] = "twelve bytes",
			   aad[20] = "what is no secret...";

static EVP_CIPHER *ours, *theirs;
static enum kc_alg_id row;

/* Offsets into the sealed message, text then tag; or another place. */
enum { IN_AAD = -1, IN_NONCE = -2, NOWHERE = -3 };
static const int places[] = { 0, 1, LEN / 2, LEN - 1, LEN, LEN + 7, LEN + 15, IN_AAD, IN_NONCE };

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "FAILED %s: %s\n", EVP_CIPHER_get0_name(theirs), what);
	exit(1);
}

static EVP_CIPHER_CTX *fresh(const EVP_CIPHER *cipher, int enc)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	must(EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, enc), "init");
	return c;
}

/* Those that went to a kernel so far, whichever way. */
static unsigned sent(void)
{
	return seen.calls[INJECT_SENDMSG] + seen.calls[INJECT_AUTHCRYPT];
}

static struct counts {
	unsigned long long requests, redone;
	unsigned sent;
} counts(void)
{
	const struct kc_stats_row *r = &stats_file_read()->row[row];

	return (struct counts){ kc_stats_sum(r).requests, kc_stats_sum(r).failed, sent() };
}

static void must_be_counted(struct counts before, unsigned requests, unsigned to_kernel)
{
	struct counts now = counts();

	must(now.requests - before.requests == requests, "requests as counted");
	must(now.redone == before.redone, "nothing to be done again");
	must(now.sent - before.sent == to_kernel, "requests as sent");
}

/* Opens one message, forged at @place; @all: what the application sees, with margins. */
static bool open_message(EVP_CIPHER_CTX *c, unsigned char *all, bool in_place, int place)
{
	unsigned char *out = all + MARGIN, tag[MESSAGE_TAG], head[sizeof(aad)], nonce[sizeof(iv)];
	bool ok;
	int n = 0;

	memset(all, 0x5a, sizeof(got));
	memcpy(in, sealed, sizeof(in));
	memcpy(head, aad, sizeof(head));
	memcpy(nonce, iv, sizeof(nonce));
	if (place >= 0)
		in[place] ^= 4;
	head[3] ^= place == IN_AAD;
	nonce[11] ^= place == IN_NONCE;
	memcpy(tag, in + LEN, sizeof(tag));
	if (in_place)
		memcpy(out, in, LEN);
	/*
	 * With the key: of CCM's messages, one that was refused ends the kernel's until the next.
	 */
	must(message_start(c, 0, key, nonce, tag) && message_head(c, head, sizeof(head), LEN),
	     "the start of a message");
	ok = EVP_CipherUpdate(c, out, &n, in_place ? out : in, LEN) &&
	     EVP_CipherFinal_ex(c, out + n, &n);
	ERR_clear_error();
	return ok;
}

static void seal_message(void)
{
	LOCAL(EVP_CIPHER_CTX) *c = fresh(theirs, 1);
	int n = 0;

	must(message_start(c, 1, key, iv, NULL) && message_head(c, aad, sizeof(aad), LEN) &&
		     EVP_CipherUpdate(c, sealed, &n, text, LEN) &&
		     EVP_CipherFinal_ex(c, sealed + n, &n) && message_tag(c, sealed + LEN),
	     "sealing");
}

/* Bytes of the text that are where the text would be. */
static unsigned seen_of_text(const unsigned char *out)
{
	unsigned n = 0;

	for (size_t i = 0; i < LEN; i++)
		n += out[i] == text[i];
	return n;
}

static void forge_messages(void)
{
	LOCAL(EVP_CIPHER_CTX) *c = fresh(ours, 0), *base = fresh(theirs, 0);
	bool is_ccm = message_is_ccm(c);

	seal_message();
	/* Covers the driver's trial. */
	must(open_message(c, got, false, NOWHERE), "what is right is not refused");
	for (size_t i = 0; i < 2 * PLACES; i++) {
		struct counts before = counts();
		bool in_place = i % 2;

		must(open_message(c, got, in_place, NOWHERE), "what is right is not refused");
		must(memcmp(got + MARGIN, text, LEN) == 0, "the text of a message");
		must_be_counted(before, 1, 1);
		before = counts();
		must(!open_message(c, got, in_place, places[i / 2]), "refused");
		must_be_counted(before, 0, 1);
		must(!open_message(base, want, in_place, places[i / 2]),
		     "refused by the default provider");
		must(memcmp(got, want, sizeof(got)) == 0, "what the default provider leaves");
		if (is_ccm)
			must(seen_of_text(got + MARGIN) == 0, "not a byte of the text");
	}
}

static void seal_record(size_t carried)
{
	LOCAL(EVP_CIPHER_CTX) *c = fresh(theirs, 1);

	memcpy(sealed + carried, text, LEN);
	must(records_start(c, 1, key, iv) && record_play(c, 9, sealed, carried + LEN + MESSAGE_TAG),
	     "sealing");
}

static bool open_record(EVP_CIPHER_CTX *c, unsigned char *all, int place)
{
	size_t carried = record_carried(c);
	unsigned char *out = all + MARGIN;
	bool ok;

	memset(all, 0x5a, sizeof(got));
	memcpy(out, sealed, carried + LEN + MESSAGE_TAG);
	if (place >= 0)
		out[carried + (size_t)place] ^= 4;
	if (place == IN_NONCE && carried)
		out[carried - 1] ^= 4;
	/* The record's number is AAD, and a part of the nonce where it carries none. */
	ok = record_play(c, place == IN_AAD || (place == IN_NONCE && !carried) ? 8 : 9, out,
			 carried + LEN + MESSAGE_TAG);
	ERR_clear_error();
	return ok;
}

static void forge_records(void)
{
	LOCAL(EVP_CIPHER_CTX) *c = fresh(ours, 0), *base = fresh(theirs, 0);
	size_t carried = record_carried(c);

	seal_record(carried);
	must(records_start(c, 0, key, iv) && records_start(base, 0, key, iv), "start");
	must(open_record(c, got, NOWHERE), "what is right is not refused");
	for (size_t i = 0; i < PLACES; i++) {
		struct counts before = counts();

		must(open_record(c, got, NOWHERE), "what is right is not refused");
		must(memcmp(got + MARGIN + carried, text, LEN) == 0, "the text of a record");
		must_be_counted(before, 1, 1);
		before = counts();
		must(!open_record(c, got, places[i]), "refused");
		must_be_counted(before, 0, 1);
		must(seen_of_text(got + MARGIN + carried) == 0, "not a byte of the text");
		must(!open_record(base, want, places[i]), "refused by the default provider");
		must(memcmp(got, want, sizeof(got)) == 0, "what the default provider leaves");
	}
}

/* Runs it for everything that is offered: at least @least. */
static void for_all(void (*what)(void), size_t least)
{
	struct row_of a, b;
	size_t offered = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (kc_algs[i].kind != KC_AEAD || !row_fetch_both(lib, &kc_algs[i], &a, &b))
			continue;
		ours = a.cipher;
		theirs = b.cipher;
		row = (enum kc_alg_id)i;
		what();
		printf("%s: %s, %u went to the kernel\n", EVP_CIPHER_get0_name(theirs),
		       what == forge_records ? "records" : "messages", sent());
		row_release(&a);
		row_release(&b);
		offered++;
	}
	must(offered >= least, "all that the machine has is offered");
	must(seen.released == 0, "nothing that the kernel wrote");
}

int main(int argc, char **argv)
{
	const struct inject_plan none = { .from = 0 };

	if (argc != 3)
		return 2;
	for (size_t i = 0; i < LEN; i++)
		text[i] = (unsigned char)(i * 13 % 255 + 1);
	arguments = argv + 1;
	/* Before the module is loaded, which takes no sandbox that comes later. */
	if (!inject_start(&seen))
		return 2;
	inject_set(&none);
	load();
	inject_watch(got, sizeof(got));
	for_all(forge_messages, (size_t)atoi(argv[2]));
	for_all(forge_records, (size_t)atoi(argv[2]));
	unload();
	return 0;
}
