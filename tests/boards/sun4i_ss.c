// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allwinner's Security System (A10 to A33): AES, DES, 3DES in ECB and CBC, MD5 and SHA-1, through
 * FIFOs of words that the driver polls. The driver is sun4i-ss.ko of Debian's armhf kernels.
 */
#include "board.h"
#include "boards.h"
#include "engine.h"

#include <string.h>

#define REGS  0x0b000000
#define DEPTH 128 /* bytes of each FIFO */

enum {
	CTL = 0,
	KEY = 0x04,
	IV = 0x24,
	FCSR = 0x44,
	MD = 0x4c,
	END = 0x60,
	IN = 0x200,
	OUT = 0x204
};
enum { ENABLED = 1, DATA_END = 4, DECRYPT = 1 << 7, CHAINED = 1 << 12, OWN_IV = 1 << 14 };
enum { OP_AES, OP_DES, OP_DES3, OP_SHA1, OP_MD5 };

static uint8_t r[END], in[DEPTH], out[DEPTH];
static unsigned int n_in, n_out;
static uint32_t state[8];

static uint32_t *reg(unsigned int at)
{
	return (uint32_t *)(r + at);
}

static int operation(void)
{
	return *reg(CTL) >> 4 & 7;
}

static enum hash hash(void)
{
	return operation() == OP_MD5 ? H_MD5 : H_SHA1;
}

static unsigned int block_size(void)
{
	int op = operation();

	if (op >= OP_SHA1)
		return 64;
	return op == OP_AES ? 16 : 8;
}

static void cipher(unsigned int n)
{
	static const int aes_lengths[] = { 16, 24, 32, 32 };
	static const enum algorithm algorithms[] = { AES, DES, DES3 };
	static const int lengths[] = { 0, 8, 24 };
	int op = operation(), length = lengths[op];
	uint32_t control = *reg(CTL);

	if (op == OP_AES)
		length = aes_lengths[control >> 8 & 3];
	engine_cipher(algorithms[op], control & CHAINED ? CBC : ECB, !(control & DECRYPT), r + KEY,
		      length, r + IV, in, out + n_out, n);
	n_out += n;
}

/* Processes the whole blocks that have arrived, as long as there is room for their output. */
static void pump(void)
{
	unsigned int n = block_size();

	while (n_in >= n && (operation() >= OP_SHA1 || n_out + n <= DEPTH)) {
		if (operation() >= OP_SHA1)
			engine_hash_blocks(hash(), state, in, 1);
		else
			cipher(n);
		board_bytes(n);
		n_in -= n;
		memmove(in, in + n, n_in);
	}
}

static void control(uint32_t value)
{
	bool was_enabled = *reg(CTL) & ENABLED;

	/* The driver pads the message itself, so the end of data only makes the state readable. */
	*reg(CTL) = value & ~DATA_END;
	if (!(value & ENABLED))
		return;
	if (value & DATA_END)
		memcpy(r + MD, state, 20);
	if (was_enabled)
		return;
	n_in = n_out = 0;
	if (operation() >= OP_SHA1)
		engine_hash_init(hash(), state);
	if (value & OWN_IV)
		memcpy(state, r + IV, 20);
	if (value != ENABLED) /* else the driver only asks for the revision */
		board_begin();
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	uint32_t word;

	(void)opaque, (void)size;
	if (at == FCSR)
		return (DEPTH - n_in) / 4 << 24 | n_out / 4 << 16;
	if (at != OUT)
		return at < END ? *reg(at) : 0;
	if (n_out < 4)
		return 0;
	memcpy(&word, out, 4);
	n_out -= 4;
	memmove(out, out + 4, n_out);
	pump();
	return word;
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	uint32_t word = value;

	(void)opaque, (void)size;
	if (at == CTL) {
		control(word);
	} else if (at == IN && n_in < DEPTH) {
		memcpy(in + n_in, &word, 4);
		n_in += 4;
		pump();
	} else if (at < END) {
		*reg(at) = word;
	}
}

static const struct region_ops ops = REGISTERS(get, set);

void sun4i_ss_start(int variant)
{
	(void)variant;
	board_registers(REGS, 0x1000, &ops, NULL);
}
