// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AMD Geode LX: AES-128 in ECB and CBC. The driver polls the engine; it is geode-aes.ko of Debian's
 * i386 kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "boards.h"
#include "engine.h"

enum {
	CONTROL = 0x00,
	INTERRUPT = 0x08,
	SOURCE = 0x10,
	DEST = 0x14,
	LENGTH = 0x18,
	KEY = 0x30,
	IV = 0x40,
	SIZE = 0x80
};
enum { START = 1, ENCRYPT = 2, IS_CBC = 0x20, DONE = 1 << 16, EVENTS = 3 << 16 };

static uint32_t r[SIZE / 4];

static size_t work(void *opaque)
{
	uint32_t n = r[LENGTH / 4], control = r[CONTROL / 4];
	enum mode mode = control & IS_CBC ? CBC : ECB;
	uint8_t *text = malloc(n), *iv = (uint8_t *)&r[IV / 4];

	(void)opaque;
	dma_read(r[SOURCE / 4], text, n);
	engine_cipher(AES, mode, control & ENCRYPT, (uint8_t *)&r[KEY / 4], 16, iv, text, text, n);
	dma_write(r[DEST / 4], text, n);
	free(text);
	return n;
}

static void done(void *opaque)
{
	(void)opaque;
	r[INTERRUPT / 4] |= DONE;
}

/* The key registers cannot be read back. */
static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	(void)opaque, (void)size;
	return at < SIZE && !(at >= KEY && at < IV) ? r[at / 4] : 0;
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	static const struct job job = { .work = work, .done = done };
	uint32_t *reg = &r[at / 4];

	(void)opaque, (void)size;
	board_log("geode %02x = %08x", (int)at, (int)value);
	if (at >= SIZE)
		return;
	if (at == INTERRUPT) {
		*reg = (*reg & ~(value & EVENTS) & ~7u) | (value & 7);
		return;
	}
	*reg = value;
	if (at == CONTROL && value & START)
		board_run(&job);
}

static const struct region_ops ops = REGISTERS(get, set);

void geode_start(int variant)
{
	(void)variant;
	board_registers_pci(SIZE, &ops, NULL);
}
