// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rockchip RK3288: AES, DES, 3DES in ECB and CBC, MD5, SHA-1, SHA-256. The driver is rk_crypto.ko
 * of Debian's armhf and arm64 kernels. A message for the hash engine may come in parts.
 */
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "boards.h"
#include "engine.h"

#define REGS 0x0b000000
#define SPI  100

/* Registers, by their offsets. BR: of ciphers. HR: of hashes. Lengths are in words. */
enum {
	INTSTS = 0x00,
	INTENA = 0x04,
	CTRL = 0x08,
	CONF = 0x0c,
	BRDMAS = 0x10,
	BTDMAS = 0x14,
	BRDMAL = 0x18,
	HRDMAS = 0x1c,
	HRDMAL = 0x20,
	AES_CTRL = 0x80,
	AES_IV = 0xa8,
	AES_KEY = 0xb8,
	TDES_CTRL = 0x100,
	TDES_IV = 0x118,
	TDES_KEY = 0x120,
	HASH_CTRL = 0x180,
	HASH_STS = 0x184,
	HASH_LENGTH = 0x188,
	HASH_DOUT = 0x18c,
	SIZE = 0x200,
};
enum { BC_DONE = 1, BC_ERROR = 2, HASH_DONE = 4, HASH_ERROR = 8 };
enum { START_BLOCK = 4, START_HASH = 8, FLUSH_HASH = 1 << 6, USE_DES = 4 };

static uint8_t r[SIZE];
static struct irq *irq;
static uint8_t *message; /* the part of the message that has arrived */
static uint32_t have;
#define R(at) (*(uint32_t *)(r + (at)))

static void interrupt(void)
{
	qemu.qemu_set_irq(irq, (R(INTSTS) & R(INTENA)) != 0);
}

/* opaque: the bits to set in INTSTS. */
static void finish(void *opaque)
{
	R(INTSTS) |= (uintptr_t)opaque;
	interrupt();
}

static void block_done(void *opaque)
{
	(void)opaque;
	finish((void *)BC_DONE);
}

static void block_failed(void *opaque)
{
	(void)opaque;
	finish((void *)BC_ERROR);
}

static void hash_done(void *opaque)
{
	(void)opaque;
	finish((void *)HASH_DONE);
}

static void hash_failed(void *opaque)
{
	(void)opaque;
	finish((void *)HASH_ERROR);
}

static void crypt(uint8_t *text, uint32_t n)
{
	static const int lens[] = { 16, 24, 32, 32 };
	uint32_t control;
	uint8_t iv[16];

	if (R(CONF) & USE_DES) {
		control = R(TDES_CTRL);
		memcpy(iv, r + TDES_IV, 8);
		engine_cipher(control & 4 ? DES3 : DES, control & 1 << 4 ? CBC : ECB,
			      !(control & 1), r + TDES_KEY, 8, iv, text, text, n);
	} else {
		control = R(AES_CTRL);
		memcpy(iv, r + AES_IV, 16);
		engine_cipher(AES, control >> 4 & 3, !(control & 1), r + AES_KEY,
			      lens[control >> 2 & 3], iv, text, text, n);
	}
}

static size_t cipher(void *opaque)
{
	uint32_t n = R(BRDMAL) * 4;
	uint8_t *text = malloc(n + 16);

	(void)opaque;
	dma_read(R(BRDMAS), text, n);
	crypt(text, n);
	dma_write(R(BTDMAS), text, n);
	free(text);
	return n;
}

static size_t hash(void *opaque)
{
	static const enum hash hashes[] = { H_SHA1, H_MD5, H_SHA256, H_SHA256 };
	enum hash h = hashes[R(HASH_CTRL) & 3];
	uint32_t n = R(HRDMAL) * 4, total = R(HASH_LENGTH), state[8];

	(void)opaque;
	message = realloc(message, have + n + 4);
	dma_read(R(HRDMAS), message + have, n);
	have += n;
	if (have >= total) {
		engine_hash_init(h, state);
		engine_hash_final(h, state, message, total, total);
		engine_hash_store(h, state, r + HASH_DOUT);
		R(HASH_STS) = 1;
	}
	return n;
}

/* The upper half of CTRL is a mask for the bits of the lower half. */
static void control(uint32_t value)
{
	static const struct job block = { .work = cipher,
					  .done = block_done,
					  .fail = block_failed };
	static const struct job digest = { .work = hash, .done = hash_done, .fail = hash_failed };
	uint32_t mask = value >> 16;

	value &= mask;
	R(CTRL) = (R(CTRL) & ~mask) | (value & ~(START_BLOCK | START_HASH));
	if (value & FLUSH_HASH) {
		have = 0;
		R(HASH_STS) = 0;
	}
	if (value & START_BLOCK)
		board_run(&block);
	if (value & START_HASH)
		board_run(&digest);
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	uint64_t value = 0;

	(void)opaque;
	if (at + size <= sizeof(r))
		memcpy(&value, r + at, size);
	return value;
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	(void)opaque;
	board_log("rk %03x = %08x (%u)", (int)at, (int)value, size);
	if (at + size > sizeof(r))
		return;
	if (at == CTRL) {
		control(value);
		return;
	}
	if (at == INTSTS)
		R(INTSTS) &= ~value;
	else
		memcpy(r + at, &value, size);
	if (at == INTSTS || at == INTENA)
		interrupt();
}

static const struct region_ops ops = {
	.read = get, .write = set, .endianness = 2, .valid = { 1, 8 }, .impl = { 1, 4 }
};

void rk_start(int variant)
{
	(void)variant;
	irq = board_irq(SPI);
	board_ram(0x0b200000, 0x1000); /* the reset controller's registers */
	board_registers(REGS, 0x1000, &ops, NULL);
}
