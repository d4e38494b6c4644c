// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Marvell CESA of Orion (no TDMA), Kirkwood (one engine) and Armada 38x (two): AES, DES, 3DES in
 * ECB and CBC, MD5, SHA-1, SHA-256 and HMAC. The driver is marvell-cesa.ko of Debian's armhf and
 * arm64 kernels. A descriptor in the engine's SRAM describes the work; TDMA copies the descriptor
 * there, together with the data.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "boards.h"
#include "engine.h"
#include "qemu.h"

#define REGS	  0x0b000000
#define BLOCK	  0x2000ull /* distance from engine 0's registers to engine 1's */
#define SPACE	  0x10000
#define SRAM	  0x0b100000
#define SRAM_STEP 0x10000
#define SRAM_SIZE 4096
#define SRAM_MASK 2047
#define TEXT	  0x80 /* where text begins in the SRAM */
#define SPI	  100
#define ENGINES	  2

enum {
	TDMA_NEXT = 0x830,
	TDMA_CURRENT = 0x870,
	DIGEST = 0xdd00, /* five words; the others follow after a gap */
	DIGEST_MORE = 0xdd28,
	COMMAND = 0xde00,
	DESCRIPTOR = 0xde04,
	CONFIG = 0xde08,
	CAUSE = 0xde20,
	MASK = 0xde24,
};
enum { USE_TDMA = 1 << 9, ACCELERATED = 1 << 5, TDMA_DONE = 1 << 7, OWN_ERROR = 1 << 10 };
/* Bits of a descriptor's first word. */
enum { OP_MAC = 0, OP_CRYPT = 1, DECRYPT = 1 << 12, IS_CBC = 1 << 16 };
enum { FRAG_WHOLE, FRAG_FIRST, FRAG_LAST, FRAG_MIDDLE };

struct cesa {
	uint32_t r[SPACE / 4];
	uint8_t *sram;
	hwaddr sram_at;
	struct irq *irq;
};
static struct cesa *engines[ENGINES];

static uint32_t *reg(struct cesa *e, uint32_t at)
{
	return &e->r[at / 4];
}

static uint32_t *digest_word(struct cesa *e, int i)
{
	return i < 5 ? reg(e, DIGEST + 4 * i) : reg(e, DIGEST_MORE + 4 * (i - 5));
}

static uint8_t *in_sram(struct cesa *e, uint32_t at)
{
	return e->sram + (at & SRAM_MASK);
}

static void interrupt(struct cesa *e)
{
	qemu.qemu_set_irq(e->irq, (*reg(e, CAUSE) & *reg(e, MASK)) != 0);
}

/*
 * The engine takes the last words of the key's expansion as the key for decryption, in reverse
 * order.
 */
static void decryption_key(const uint8_t *given, int len, uint8_t *key)
{
	uint8_t last[32];

	memcpy(last + len - 16, given, 16);
	memcpy(last, given + 16, len - 16);
	engine_aes_unexpand(last, len, key);
}

static size_t crypt(struct cesa *e, uint32_t config, const uint32_t *desc)
{
	static const int lens[] = { 16, 24, 32, 32 };
	static const enum algorithm algorithms[] = { DES, DES, DES3, AES };
	enum algorithm a = algorithms[config >> 8 & 3];
	int len = a == AES ? lens[config >> 24 & 3] : 24;
	bool decrypt = config & DECRYPT;
	uint8_t key[32], iv[16];
	uint32_t n = desc[2] & 0xffff;

	memcpy(key, in_sram(e, desc[3]), len);
	if (a == AES && decrypt)
		decryption_key(in_sram(e, desc[3]), len, key);
	memcpy(iv, in_sram(e, desc[4]), 16);
	engine_cipher(a, config & IS_CBC ? CBC : ECB, !decrypt, key, len, iv, in_sram(e, desc[1]),
		      in_sram(e, desc[1] >> 16), n);
	if (config & IS_CBC)
		memcpy(in_sram(e, desc[4] >> 16), iv, a == AES ? 16 : 8);
	return n;
}

static void load_state(const uint8_t *from, uint32_t *state)
{
	int i;

	memcpy(state, from, 32);
	for (i = 0; i < 8; i++)
		state[i] = be32toh(state[i]);
}

static void begin_mac(struct cesa *e, int frag, bool is_hmac, enum hash h, const uint32_t *desc,
		      uint32_t *state)
{
	int i;

	if (frag == FRAG_LAST || frag == FRAG_MIDDLE)
		for (i = 0; i < 8; i++)
			state[i] = *digest_word(e, i);
	else if (is_hmac)
		load_state(in_sram(e, desc[7]), state);
	else
		engine_hash_init(h, state);
}

static void end_hmac(struct cesa *e, enum hash h, const uint32_t *desc, uint32_t *state)
{
	uint8_t inner[32];

	engine_hash_store(h, state, inner);
	load_state(in_sram(e, desc[7] >> 16), state);
	engine_hash_final(h, state, inner, 4 * HASH_WORDS(h), 64 + 4 * HASH_WORDS(h));
}

static size_t mac(struct cesa *e, uint32_t config, const uint32_t *desc)
{
	static const enum hash hashes[] = { H_SHA256, H_SHA256, H_SHA256, H_SHA256,
					    H_MD5,    H_SHA1,	H_MD5,	  H_SHA1 };
	int how = config >> 4 & 7, frag = config >> 30, i;
	enum hash h = hashes[how];
	bool is_hmac = how == 3 || how >= 6;
	uint32_t total = desc[5] >> 16, n = desc[6] >> 16, state[8];

	begin_mac(e, frag, is_hmac, h, desc, state);
	if (frag == FRAG_FIRST || frag == FRAG_MIDDLE) {
		engine_hash_blocks(h, state, in_sram(e, desc[5]), n / 64);
	} else {
		engine_hash_final(h, state, in_sram(e, desc[5]), n, total + (is_hmac ? 64 : 0));
		if (is_hmac)
			end_hmac(e, h, desc, state);
		engine_hash_store(h, state, in_sram(e, desc[6]));
	}
	for (i = 0; i < HASH_WORDS(h); i++)
		*digest_word(e, i) = state[i];
	return n;
}

/* Does what the descriptor in the SRAM says. */
static size_t accelerate(struct cesa *e)
{
	uint32_t desc[8];

	memcpy(desc, in_sram(e, *reg(e, DESCRIPTOR)), sizeof(desc));
	board_log("cesa config %08x crypt %08x len %x mac %08x %08x", desc[0], desc[1], desc[2],
		  desc[5], desc[6]);
	if ((desc[0] & 3) == OP_CRYPT)
		return crypt(e, desc[0], desc);
	if ((desc[0] & 3) == OP_MAC)
		return mac(e, desc[0], desc);
	board_log("cesa: no such operation");
	return 0;
}

static bool is_in_sram(const struct cesa *e, uint32_t at, uint32_t n)
{
	return at >= e->sram_at && at + n <= e->sram_at + SRAM_SIZE;
}

/*
 * An early interrupt delays only text. The descriptor with its context, the beginning of the SRAM,
 * goes back to the driver's pool, and Linux 7.2 keeps the list of what is free in that memory.
 */
static void move(struct cesa *e, uint32_t to, uint32_t from, uint32_t n)
{
	static uint8_t text[65536];

	dma_read(from, text, n);
	if (is_in_sram(e, to, n))
		memcpy(e->sram + (to - e->sram_at), text, n);
	else if (is_in_sram(e, from, n) && (from & SRAM_MASK) < TEXT)
		qemu_memory(to, text, n, true);
	else
		dma_write(to, text, n);
}

/*
 * Runs a chain of TDMA descriptors: bytes, source, destination, next. A descriptor without bytes
 * starts the engine.
 */
static size_t chain(struct cesa *e)
{
	uint32_t at = *reg(e, TDMA_NEXT), d[4];
	size_t bytes = 0;

	for (; at; at = d[3]) {
		dma_read(at, d, 16);
		*reg(e, TDMA_CURRENT) = at;
		if (!(d[0] & 1u << 31))
			bytes += accelerate(e);
		move(e, d[2], d[1], d[0] & 0xffff);
	}
	*reg(e, TDMA_NEXT) = 0;
	return bytes;
}

static size_t work(void *opaque)
{
	struct cesa *e = opaque;

	return *reg(e, CONFIG) & USE_TDMA ? chain(e) : accelerate(e);
}

static void done(void *opaque)
{
	struct cesa *e = opaque;

	*reg(e, COMMAND) &= ~1u;
	*reg(e, CAUSE) |= *reg(e, CONFIG) & USE_TDMA ? TDMA_DONE | ACCELERATED : ACCELERATED;
	interrupt(e);
}

/*
 * TDMA found a descriptor that is not its own. The driver searches for the request that TDMA was
 * working on, and takes the requests before it for done. Without TDMA there are no errors.
 */
static void fail(void *opaque)
{
	struct cesa *e = opaque;
	uint32_t at = *reg(e, TDMA_NEXT), d[4];

	for (; at; at = d[3]) {
		dma_read(at, d, 16);
		*reg(e, TDMA_CURRENT) = at;
	}
	*reg(e, TDMA_NEXT) = 0;
	if (*reg(e, CONFIG) & USE_TDMA)
		*reg(e, CAUSE) |= OWN_ERROR;
	done(e);
}

/* The registers alternate: engine 0 has the even blocks of 8 KiB, engine 1 the odd ones. */
static struct cesa *engine_at(hwaddr at)
{
	struct cesa *e = engines[at / BLOCK & 1];

	return at < SPACE ? e : NULL;
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	struct cesa *e = engine_at(at);

	(void)opaque, (void)size;
	return e ? *reg(e, at & ~BLOCK) : 0;
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	struct cesa *e = engine_at(at);
	struct job job = { .work = work, .done = done, .fail = fail, .opaque = e };

	(void)opaque, (void)size;
	if (!e)
		return;
	at &= ~BLOCK;
	if (at == CAUSE) /* a write of zero clears the bit */
		*reg(e, at) &= value;
	else
		*reg(e, at) = value;
	if (at == CAUSE || at == MASK)
		interrupt(e);
	if (at == COMMAND && value & 1)
		board_run(&job);
}

static const struct region_ops ops = REGISTERS(get, set);

void cesa_start(int variant)
{
	int i;

	for (i = 0; i < variant; i++) {
		engines[i] = calloc(1, sizeof(struct cesa));
		engines[i]->sram_at = SRAM + i * SRAM_STEP;
		engines[i]->sram = board_ram(engines[i]->sram_at, SRAM_SIZE);
		engines[i]->irq = board_irq(SPI + i);
	}
	board_registers(REGS, 2 * SPACE, &ops, NULL);
}
