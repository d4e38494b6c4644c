// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Aspeed's Hash and Crypto Engine of AST2600: AES in ECB, CBC and CTR, DES and 3DES in ECB and CBC,
 * SHA-1 and SHA-2 with a state that is in memory between two requests. The driver's other
 * algorithms fail the kernel's self-test here. No Debian kernel has the driver, aspeed_crypto.ko:
 * it is built from linux-source.
 */
#include "board.h"
#include "boards.h"
#include "engine.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define REGS 0x0b000000
#define SPI  100

enum { SRC = 0, DST = 4, CONTEXT = 8, LEN = 0xc, CMD = 0x10, STS = 0x1c };
enum { HASH_SRC = 0x20, HASH_STATE = 0x24, HASH_LEN = 0x2c, HASH_CMD = 0x30, END = 0x40 };
enum { HASH_DONE = 1 << 9, CIPHER_DONE = 1 << 12 }; /* bits of STS, and of both commands */
/* Bits of a cipher's command. */
enum { ENCRYPT = 1 << 7, IS_DES = 1 << 16, IS_TRIPLE = 1 << 17 };
/* The kinds of a hash. */
enum { KIND_SHA1 = 2, KIND_SHA512 = 6 };
#define LAST (1u << 31)
/* In both commands: the source is a list of parts; otherwise it is one text. */
#define FROM_LIST (1 << 18)

/* A context: the IV, which is in the second half for DES, and the key. */
struct context {
	uint8_t iv[16], key[32];
};

/* A part of a text in memory. The length of the last part has LAST set. */
struct part {
	uint32_t len, at;
};

static uint32_t r[END / 4];
static struct irq *irq;
#define R(at) r[(at) / 4]

/* Copies n bytes from or to the parts that the list at this address names. */
static void move(uint32_t list, uint8_t *text, size_t n, bool is_output)
{
	struct part p = { 0, 0 };
	size_t len;

	for (; n && !(p.len & LAST); list += sizeof(p), n -= len, text += len) {
		dma_read(list, &p, sizeof(p));
		len = p.len & ~LAST;
		if (len > n)
			len = n;
		if (is_output)
			dma_write(p.at, text, len);
		else
			dma_read(p.at, text, len);
	}
}

static void crypt(struct context *c, uint8_t *text, size_t n)
{
	static const enum mode modes[] = { ECB, CBC, ECB, ECB, CTR, ECB, ECB, ECB };
	uint32_t cmd = R(CMD);
	enum mode mode = modes[cmd >> 4 & 7];
	bool encrypts = mode == CTR || cmd & ENCRYPT;

	if (!(cmd & IS_DES))
		engine_cipher(AES, mode, encrypts, c->key, 16 + 8 * (cmd >> 2 & 3), c->iv, text,
			      text, n);
	else
		engine_cipher(cmd & IS_TRIPLE ? DES3 : DES, mode, encrypts, c->key,
			      cmd & IS_TRIPLE ? 24 : 8, c->iv + 8, text, text, n);
}

static size_t cipher(void *opaque)
{
	size_t n = R(LEN);
	uint8_t *text = malloc(n + 1);
	struct context c;

	(void)opaque;
	dma_read(R(CONTEXT), &c, sizeof(c));
	move(R(SRC), text, n, false);
	crypt(&c, text, n);
	move(R(DST), text, n, true);
	dma_write(R(CONTEXT), c.iv, sizeof(c.iv));
	free(text);
	return n;
}

static void hash_words(enum hash h, uint8_t *state, const uint8_t *text, size_t blocks)
{
	uint32_t words[8];
	int i;

	memcpy(words, state, sizeof(words));
	for (i = 0; i < 8; i++)
		words[i] = be32toh(words[i]);
	engine_hash_blocks(h, words, text, blocks);
	for (i = 0; i < 8; i++)
		words[i] = htobe32(words[i]);
	memcpy(state, words, sizeof(words));
}

/*
 * Whole blocks, as the driver pads the message. Before Linux 6.16 the padding comes without a list.
 */
static size_t hash(void *opaque)
{
	unsigned int kind = R(HASH_CMD) >> 4 & 7;
	size_t n = R(HASH_LEN), size = kind == KIND_SHA512 ? 64 : 32;
	uint8_t *text = malloc(n + 1), state[64];

	(void)opaque;
	dma_read(R(HASH_STATE), state, size);
	if (R(HASH_CMD) & FROM_LIST)
		move(R(HASH_SRC), text, n, false);
	else
		dma_read(R(HASH_SRC), text, n);
	if (kind == KIND_SHA512)
		engine_sha512_blocks(state, text, n / 128);
	else
		hash_words(kind == KIND_SHA1 ? H_SHA1 : H_SHA256, state, text, n / 64);
	dma_write(R(HASH_STATE), state, size);
	free(text);
	return n;
}

static void finish(uint32_t what)
{
	R(STS) |= what;
	qemu.qemu_set_irq(irq, R(STS) != 0);
}

static void hash_done(void *opaque)
{
	(void)opaque;
	finish(HASH_DONE);
}

static void cipher_done(void *opaque)
{
	(void)opaque;
	finish(CIPHER_DONE);
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	(void)opaque, (void)size;
	return at < END ? R(at) : 0;
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	static const struct job ciphers = { .work = cipher, .done = cipher_done };
	static const struct job hashes = { .work = hash, .done = hash_done };

	(void)opaque, (void)size;
	board_log("aspeed %03x = %08x", (int)at, (int)value);
	if (at >= END)
		return;
	if (at == STS) {
		R(STS) &= ~value;
		qemu.qemu_set_irq(irq, R(STS) != 0);
		return;
	}
	R(at) = value;
	if (at == CMD)
		board_run(&ciphers);
	if (at == HASH_CMD)
		board_run(&hashes);
}

static const struct region_ops ops = REGISTERS(get, set);

void aspeed_start(int variant)
{
	(void)variant;
	irq = board_irq(SPI);
	board_registers(REGS, 0x1000, &ops, NULL);
}
