// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The BCM2835's DMA controller, for engines whose drivers need dmaengine channels. Its driver is
 * built into Debian's kernels.
 */
#include <stdlib.h>

#include "board.h"

#define REGS 0x0b100000
#define SPI  101

enum { CHANNELS = 2 };
enum { CS, ADDR, N = 9 };		    /* words of a channel's registers */
enum { ACTIVE = 1, INT = 4 };		    /* bits of CS */
enum { WANTS_INT = 1, TO_DEVICE = 1 << 6 }; /* bits of a control block's info */
static const uint32_t reset = 1u << 31;

static const struct dma_user *user;
static uint32_t r[CHANNELS][N];
static struct irq *irq[CHANNELS];

/* A control block in memory. */
struct block {
	uint32_t info, src, dst, length, stride, next, pad[2];
};

static void interrupt(int c)
{
	qemu.qemu_set_irq(irq[c], (r[c][CS] & INT) != 0);
}

static bool move(const struct block *b)
{
	uint8_t *data = malloc(b->length + 1);
	bool moved;

	if (b->info & TO_DEVICE) {
		dma_read(b->src, data, b->length);
		moved = user->push(data, b->length);
	} else {
		moved = user->pull(data, b->length);
		if (moved)
			dma_write(b->dst, data, b->length);
	}
	free(data);
	return moved;
}

/* Does one control block of a channel, if the engine has room for its data or can supply them. */
static bool step(int c)
{
	struct block b;

	if (!(r[c][CS] & ACTIVE) || !r[c][ADDR])
		return false;
	dma_read(r[c][ADDR], &b, sizeof(b));
	if (!move(&b))
		return false;
	r[c][ADDR] = b.next;
	if (!b.next)
		r[c][CS] &= ~ACTIVE;
	if (b.info & WANTS_INT)
		r[c][CS] |= INT;
	interrupt(c);
	return true;
}

void dma_kick(void)
{
	while (step(0) | step(1))
		;
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	(void)opaque, (void)size;
	return at >> 8 < CHANNELS && (at & 255) / 4 < N ? r[at >> 8][(at & 255) / 4] : 0;
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	uint32_t *c = r[at >> 8 & 1];

	(void)opaque, (void)size;
	if (at >> 8 >= CHANNELS || (at & 255) / 4 >= N)
		return;
	if ((at & 255) / 4 != CS) {
		c[(at & 255) / 4] = value;
		return;
	}
	if (value & reset)
		c[ADDR] = 0;
	c[CS] = (c[CS] & INT & ~value) | (c[ADDR] ? value & ACTIVE : 0);
	interrupt(at >> 8);
	dma_kick();
}

static const struct region_ops ops = REGISTERS(get, set);

void dma_start(const struct dma_user *u)
{
	int i;

	user = u;
	for (i = 0; i < CHANNELS; i++)
		irq[i] = board_irq(SPI + i);
	board_registers(REGS, 0x1000, &ops, NULL);
}
