// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NXP's CAAM: the controller, a job ring, and the descriptor controller, through which the driver
 * itself starts the random number generator. The drivers are caam.ko and caam_jr.ko of Debian's
 * armhf and arm64 kernels. Variant 4 is the low-power version of i.MX6: it lacks XTS, GCM and
 * SHA-512, and a separate job prepares its HMAC keys. Variant 8 has everything but ChaCha20.
 */
#include "caam.h"

#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "boards.h"
#include "caam_desc.h"

#define REGS 0x0b000000
#define SPI  100

enum { PAGE = 0x1000, RING = 0x1000, DECO = 0x8000, SIZE = 0x10000 };
enum { DECO_REQUEST = 0x9c, RNG_STATUS = 0x6c0 };
enum { CHA_REVISION = 0xfa4, CHA_ID = 0xfec, CHA_NUMBER = 0xff4, ID = 0xff8 };
enum { DECO_GRANTED = 1 << 16, DECO_START = 1 << 29, RNG_HAS_KEYS = 1 << 30 };
/* Registers of a job ring, and of the descriptor controller. */
enum {
	IN_BASE = 0,
	IN_SIZE = 0x0c,
	IN_ROOM = 0x14,
	IN_ADDED = 0x1c,
	OUT_BASE = 0x20,
	OUT_SIZE = 0x2c
};
enum { OUT_REMOVED = 0x34, OUT_USED = 0x3c, INTERRUPTS = 0x4c, CONFIG = 0x54, IN_INDEX = 0x5c };
enum { OUT_INDEX = 0x64, COMMAND = 0x6c, JOB_DONE = 1, FLUSHED = 8, MASKED = 1 };
enum { DECO_CONTROL = 0x800, DECO_WORDS = 0xa00 };

static uint32_t r[SIZE / 4];
static struct irq *irq;

static uint32_t *reg(unsigned int at)
{
	return &r[at / 4];
}

static uint32_t *ring(unsigned int at)
{
	return reg(RING + at);
}

static void interrupt(void)
{
	qemu.qemu_set_irq(irq, *ring(INTERRUPTS) & JOB_DONE && !(*ring(CONFIG) & MASKED));
}

void caam_rng(uint32_t op)
{
	uint32_t handle = 0x11 << CAAM_HANDLE(op); /* present, and resists prediction */

	if (op & CAAM_SECURE_KEYS)
		*reg(RNG_STATUS) |= RNG_HAS_KEYS;
	else if ((op & (CAAM_INIT | CAAM_FINAL)) == CAAM_INIT)
		*reg(RNG_STATUS) |= handle;
	else if ((op & (CAAM_INIT | CAAM_FINAL)) == (CAAM_INIT | CAAM_FINAL))
		*reg(RNG_STATUS) &= ~handle;
}

struct ring_job {
	uint32_t at, status;
};

static size_t work(void *opaque)
{
	struct ring_job *j = opaque;
	size_t bytes = 0;

	j->status = caam_run(j->at, &bytes);
	return bytes;
}

/* The order of the two halves of an address depends on the chip. Here one of them is always 0. */
static uint32_t base(unsigned int at)
{
	return *ring(at) | *ring(at + 4);
}

static void done(void *opaque)
{
	struct ring_job *j = opaque;
	uint32_t *index = ring(OUT_INDEX);

	dma_write(base(OUT_BASE) + 8 * *index, j, 8);
	*index = (*index + 1) % *ring(OUT_SIZE);
	*ring(OUT_USED) += 1;
	*ring(INTERRUPTS) |= JOB_DONE;
	free(j);
	interrupt();
}

static void fail(void *opaque)
{
	struct ring_job *j = opaque;

	j->status = CAAM_STATUS_CIPHER | CAAM_BROKEN;
	done(j);
}

static void add(unsigned int jobs)
{
	struct job job = { .work = work, .done = done, .fail = fail };
	uint32_t *index = ring(IN_INDEX);

	for (; jobs && *ring(IN_SIZE); jobs--) {
		struct ring_job *j = calloc(1, sizeof(*j));

		dma_read(base(IN_BASE) + 4 * *index, &j->at, 4);
		*index = (*index + 1) % *ring(IN_SIZE);
		job.opaque = j;
		board_run(&job);
	}
}

/* The first write flushes the jobs, the second one resets the ring. */
static void reset(void)
{
	if (*ring(INTERRUPTS) & FLUSHED) {
		*ring(INTERRUPTS) = *ring(IN_INDEX) = *ring(OUT_INDEX) = *ring(OUT_USED) = 0;
		return;
	}
	*ring(INTERRUPTS) = FLUSHED;
}

static void set_ring(unsigned int at, uint32_t value)
{
	switch (at) {
	case IN_ADDED:
		add(value);
		break;
	case OUT_REMOVED:
		*ring(OUT_USED) -= value;
		break;
	case INTERRUPTS:
		*ring(at) &= ~value;
		break;
	case COMMAND:
		reset();
		break;
	default:
		*ring(at) = value;
	}
	interrupt();
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	(void)opaque, (void)size;
	/* Each ring shows the version registers too. */
	if (at >= RING && at < DECO && at % PAGE >= 0xe80)
		at %= PAGE;
	if (at == RING + IN_ROOM)
		return *ring(IN_SIZE);
	return *reg(at);
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	(void)opaque, (void)size;
	if (at >= RING && at < RING + PAGE) {
		set_ring(at - RING, value);
	} else if (at == DECO_REQUEST) {
		*reg(at) = value & 1 ? value | DECO_GRANTED : 0;
	} else if (at == DECO + DECO_CONTROL) {
		if (value & DECO_START)
			caam_run_words(reg(DECO + DECO_WORDS), 64);
	} else if (at < 0xe80 || at >= PAGE) {
		*reg(at) = value;
	}
}

static const struct region_ops ops = REGISTERS(get, set);

/* Hex digits of an era's abilities, from the right: AES, DES, none, hashes, random numbers. */
void caam_start(int variant)
{
	bool is_low_power = variant < 6;

	*reg(CHA_REVISION) = 0;
	*reg(CHA_ID) = is_low_power ? 0x40003 : 0x42004;
	*reg(CHA_NUMBER) = 0x11011;
	*reg(ID) = 0x0a160100;
	irq = board_irq(SPI);
	board_registers(REGS, SIZE, &ops, NULL);
}
