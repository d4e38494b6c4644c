// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Freescale's Data Co-Processor of i.MX23, i.MX28, i.MX6SL and ULL: AES-128 in ECB and CBC, SHA-1
 * and SHA-256. For longer AES keys the driver uses the kernel's software. No Debian kernel has the
 * driver, mxs-dcp.ko: it is built from linux-source.
 */
#include "board.h"
#include "boards.h"
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#define REGS 0x0b000000
#define SPI  101 /* the second of its two; the first one is the video part's */

enum { CTRL = 0, STAT = 0x10, CAPABILITY1 = 0x40, CHANNELS = 0x100, SIZE = 0x200 };
enum { CMDPTR = 0, SEMA = 0x10, STATUS = 0x20, CHANNEL = 0x40 };
enum { SET = 4, CLEAR = 8, TOGGLE = 12 };
enum { HAS_AES128 = 1, HAS_SHA1 = 1 << 16, HAS_SHA256 = 1 << 18, GATED = 1 << 30 };
#define RESET (1u << 31)
/* Bits of a packet's first word and of its second one. */
enum { WITH_CIPHER = 1 << 5, WITH_HASH = 1 << 6, ENCRYPT = 1 << 8, NEW_IV = 1 << 9 };
enum { NEW_HASH = 1 << 12, LAST_OF_HASH = 1 << 13 };
enum { IS_CBC = 1 << 4, IS_SHA256 = 2 << 16 };

/*
 * A channel. The engine keeps its state (one hash, one IV) for each channel, not for each message.
 */
struct channel {
	int number;
	uint8_t iv[16], rest[64];
	uint32_t state[8];
	uint64_t total;
};

struct packet {
	uint32_t next, control0, control1, source, destination, size, payload, status;
};

static uint32_t r[SIZE / 4];
static struct channel channels[4];
static struct irq *irq;

static void cipher(struct channel *c, const struct packet *p, uint8_t *text)
{
	uint8_t key[32];

	dma_read(p->payload, key, sizeof(key));
	if (p->control0 & NEW_IV)
		memcpy(c->iv, key + 16, 16);
	engine_cipher(AES, p->control1 & IS_CBC ? CBC : ECB, p->control0 & ENCRYPT, key, 16, c->iv,
		      text, text, p->size);
	dma_write(p->destination, text, p->size);
}

/* Writes the digest in reverse order of its bytes, as the engine does. */
static void end_hash(struct channel *c, enum hash h, uint32_t at)
{
	uint8_t digest[32], reversed[32];
	int i, n = 4 * HASH_WORDS(h);

	engine_hash_final(h, c->state, c->rest, c->total % 64, c->total);
	engine_hash_store(h, c->state, digest);
	for (i = 0; i < n; i++)
		reversed[i] = digest[n - 1 - i];
	dma_write(at, reversed, n);
}

static void hash(struct channel *c, const struct packet *p, const uint8_t *text)
{
	enum hash h = p->control1 & IS_SHA256 ? H_SHA256 : H_SHA1;
	uint32_t i;

	if (p->control0 & NEW_HASH) {
		engine_hash_init(h, c->state);
		c->total = 0;
	}
	for (i = 0; i < p->size; i++) {
		c->rest[c->total++ % 64] = text[i];
		if (c->total % 64 == 0)
			engine_hash_blocks(h, c->state, c->rest, 1);
	}
	if (p->control0 & LAST_OF_HASH)
		end_hash(c, h, p->payload);
}

static size_t work(void *opaque)
{
	struct channel *c = opaque;
	struct packet p;
	uint8_t *text;

	dma_read(r[(CHANNELS + c->number * CHANNEL + CMDPTR) / 4], &p, sizeof(p));
	text = malloc(p.size + 1);
	dma_read(p.source, text, p.size);
	if (p.control0 & WITH_CIPHER)
		cipher(c, &p, text);
	if (p.control0 & WITH_HASH)
		hash(c, &p, text);
	free(text);
	return p.size;
}

static void interrupt(void)
{
	qemu.qemu_set_irq(irq, (r[STAT / 4] & 15) != 0);
}

static void done(void *opaque)
{
	struct channel *c = opaque;

	r[STAT / 4] |= 1 << c->number;
	interrupt();
}

static void fail(void *opaque)
{
	struct channel *c = opaque;

	r[(CHANNELS + c->number * CHANNEL + STATUS) / 4] |= 8; /* a packet's error */
	done(c);
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	(void)opaque, (void)size;
	return at < SIZE ? r[at / 16 * 4] : 0;
}

/* Each register has three further addresses, which set, clear and toggle bits. */
static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	uint32_t *to;
	struct job job = { .work = work, .done = done, .fail = fail };

	(void)opaque, (void)size;
	if (at >= SIZE || at / 16 * 16 == CAPABILITY1)
		return;
	to = &r[at / 16 * 4];
	if (at % 16 == SET)
		*to |= value;
	else if (at % 16 == CLEAR)
		*to &= ~value;
	else if (at % 16 == TOGGLE)
		*to ^= value;
	else
		*to = value;
	if (to == r && *to & RESET)
		*to |= GATED;
	interrupt();
	if (at < CHANNELS || at % CHANNEL != SEMA)
		return;
	job.opaque = &channels[(at - CHANNELS) / CHANNEL];
	board_run(&job);
}

static const struct region_ops ops = REGISTERS(get, set);

void mxs_dcp_start(int variant)
{
	int i;

	(void)variant;
	for (i = 0; i < 4; i++)
		channels[i].number = i;
	r[CAPABILITY1 / 4] = HAS_AES128 | HAS_SHA1 | HAS_SHA256;
	irq = board_irq(SPI);
	board_registers(REGS, 0x2000, &ops, NULL);
}
