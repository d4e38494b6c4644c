// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Amlogic GXL (S905X and others): AES in ECB and CBC, through two queues of descriptors. The driver
 * is amlogic-gxl-crypto.ko of Debian's armhf and arm64 kernels.
 */
#include "board.h"
#include "boards.h"
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#define REGS 0x0b000000
#define SPI  100
#define MOST 64 /* descriptors that the driver has room for */

enum { START = 0, STATUS = 0x10, SIZE = 0x20 };
enum { LENGTH = 0x1ffff, LAST = 1 << 18, CHAINED = 1 << 26, ENCRYPT = 1 << 28 };
enum { LOAD_KEY = 1, KEY_128 = 8 };

struct descriptor {
	uint32_t status, from, to;
};

/* A queue. Its memory holds the key, and the IV from byte 32 on. */
struct flow {
	int number;
	uint32_t list;
	uint8_t memory[64];
};

static uint32_t r[SIZE / 4];
static struct flow flows[2];
static struct irq *irqs[2];

static size_t text(struct flow *f, const struct descriptor *d)
{
	static const int lengths[] = { 16, 24, 32, 32 };
	uint32_t n = d->status & LENGTH, mode = d->status >> 20 & 15;
	uint8_t *data;

	if (n == 0)
		return 0;
	data = malloc(n);
	dma_read(d->from, data, n);
	engine_cipher(AES, d->status & CHAINED ? CBC : ECB, d->status & ENCRYPT, f->memory,
		      lengths[(mode - KEY_128) & 3], f->memory + 32, data, data, n);
	dma_write(d->to, data, n);
	free(data);
	return n;
}

static size_t work(void *opaque)
{
	struct flow *f = opaque;
	struct descriptor d = { 0 };
	size_t bytes = 0;
	int i;

	for (i = 0; i < MOST && !(d.status & LAST); i++) {
		dma_read(f->list + i * sizeof(d), &d, sizeof(d));
		if ((d.status >> 20 & 15) == LOAD_KEY)
			dma_read(d.from, f->memory + (d.to & 48), 16);
		else
			bytes += text(f, &d);
	}
	return bytes;
}

static void done(void *opaque)
{
	struct flow *f = opaque;

	r[STATUS / 4 + f->number] = 1;
	qemu.qemu_set_irq(irqs[f->number], 1);
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	(void)opaque, (void)size;
	return at < SIZE ? r[at / 4] : 0;
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	/* No fail(): the driver never asks whether the engine failed. */
	struct job job = { .work = work, .done = done };
	int i = at / 4 & 1;

	(void)opaque, (void)size;
	if (at == START || at == START + 4) {
		flows[i].list = value & ~3u;
		job.opaque = &flows[i];
		board_run(&job);
	} else if (at == STATUS || at == STATUS + 4) {
		r[at / 4] &= ~value;
		qemu.qemu_set_irq(irqs[i], r[at / 4] != 0);
	}
}

static const struct region_ops ops = REGISTERS(get, set);

void gxl_start(int variant)
{
	int i;

	(void)variant;
	for (i = 0; i < 2; i++) {
		flows[i].number = i;
		irqs[i] = board_irq(SPI + i);
	}
	board_registers(REGS, 0x1000, &ops, NULL);
}
