// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allwinner's Crypto Engine of H3 and A64: AES, DES, 3DES in ECB and CBC, MD5 to SHA-256. The
 * driver is sun8i-ce.ko of Debian's arm64 kernels. A task has at most 8 pieces of memory. The
 * driver pads a hash's message itself.
 */
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "boards.h"
#include "engine.h"

#define REGS   0x0b000000
#define SPI    100
#define PIECES 8

enum { TDQ, CTL, ICR, ISR, TLR, TSR, ESR, N = 16 };
enum { ALG_AES, ALG_DES, ALG_3DES, ALG_MD5 = 16, ALG_SHA224 = 18 };
enum { DECRYPT = 1 << 8, IS_CBC = 1 << 8, DATALEN = 2 };

static uint32_t r[N];
static struct irq *irq;

struct piece {
	uint32_t at, words;
};

/* A task, as the driver lays it out in memory. */
struct task {
	uint32_t id, common, sym, asym, key, iv, ctr, dlen;
	struct piece src[PIECES], dst[PIECES];
};

static void interrupt(void)
{
	qemu.qemu_set_irq(irq, (r[ISR] & r[ICR]) != 0);
}

static uint32_t current_channel(void)
{
	struct task t;

	dma_read(r[TDQ], &t, sizeof(t));
	return t.id & 3;
}

/* opaque: the channel. */
static void done(void *opaque)
{
	r[ISR] |= 1u << (uintptr_t)opaque;
	interrupt();
}

static void fail(void *opaque)
{
	r[ESR] |= DATALEN << 4 * (uintptr_t)opaque;
	done(opaque);
}

static uint32_t gather(const struct piece *pieces, uint8_t *to, uint32_t n)
{
	uint32_t len = 0;
	int i;

	for (i = 0; i < PIECES && len < n; i++) {
		dma_read(pieces[i].at, to + len, 4 * pieces[i].words);
		len += 4 * pieces[i].words;
	}
	return len;
}

static void scatter(const struct piece *pieces, const uint8_t *from, uint32_t n)
{
	uint32_t len = 0;
	int i;

	for (i = 0; i < PIECES && len < n; i++) {
		dma_write(pieces[i].at, from + len, 4 * pieces[i].words);
		len += 4 * pieces[i].words;
	}
}

static void cipher(const struct task *t, uint8_t *text, uint32_t n)
{
	static const int lens[] = { 16, 24, 32, 32 };
	static const enum algorithm algorithms[] = { AES, DES, DES3 };
	int what = t->common & 0x7f;
	int key_len = what == ALG_AES ? lens[t->sym & 3] : what == ALG_DES ? 8 : 24;
	bool is_cbc = t->sym & IS_CBC;
	uint8_t key[32], iv[16];

	dma_read(t->key, key, key_len);
	if (is_cbc)
		dma_read(t->iv, iv, what == ALG_AES ? 16 : 8);
	engine_cipher(algorithms[what], is_cbc ? CBC : ECB, !(t->common & DECRYPT), key, key_len,
		      iv, text, text, n);
	scatter(t->dst, text, n);
}

static void hash(const struct task *t, const uint8_t *text, uint32_t n)
{
	static const enum hash hashes[] = { H_MD5, H_SHA1, H_SHA256, H_SHA256 };
	static const uint32_t sha224[] = { 0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
					   0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4 };
	int what = t->common & 0x7f;
	enum hash h = hashes[(what - ALG_MD5) & 3];
	uint32_t state[8];
	uint8_t digest[32];

	engine_hash_init(h, state);
	if (what == ALG_SHA224)
		memcpy(state, sha224, sizeof(sha224));
	engine_hash_blocks(h, state, text, n / 64);
	engine_hash_store(h, state, digest);
	dma_write(t->dst[0].at, digest, 4 * t->dst[0].words);
}

static size_t work(void *opaque)
{
	struct task t;
	uint32_t n, len;
	uint8_t *text;

	(void)opaque;
	dma_read(r[TDQ], &t, sizeof(t));
	n = t.dlen * 4;
	text = calloc(1, n + PIECES * 0x10000);
	len = gather(t.src, text, n);
	board_log("ce task %u: %x, %u bytes of %u", t.id, t.common, n, len);
	if (len < n)
		r[ESR] |= DATALEN << 4 * (t.id & 3);
	if ((t.common & 0x7f) <= ALG_3DES)
		cipher(&t, text, n);
	else
		hash(&t, text, n);
	free(text);
	return n;
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	(void)opaque, (void)size;
	return at < sizeof(r) ? r[at / 4] : 0;
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	struct job job = { .work = work, .done = done, .fail = fail };

	(void)opaque, (void)size;
	if (at >= sizeof(r))
		return;
	if (at / 4 == ISR) {
		r[ISR] &= ~value;
	} else if (at / 4 != TLR) {
		r[at / 4] = value;
	}
	interrupt();
	if (at / 4 == TLR && value & 1) {
		job.opaque = (void *)(uintptr_t)current_channel();
		r[ESR] &= ~(15u << 4 * current_channel());
		board_run(&job);
	}
}

static const struct region_ops ops = REGISTERS(get, set);

void sun8i_ce_start(int variant)
{
	(void)variant;
	irq = board_irq(SPI);
	board_ram(0x0b200000, 0x1000); /* the reset controller's registers */
	board_registers(REGS, 0x1000, &ops, NULL);
}
