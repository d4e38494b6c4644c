/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an engine's model has of its surroundings: registers, memory and interrupts of the machine,
 * time, the counters of the file $BOARD_STATS, and what the engine is to do wrong.
 *
 * A model is written from its driver's source. It proves how kcrypto gets on with the driver; it
 * says nothing about the silicon or its speed.
 */
#ifndef BOARDS_BOARD_H
#define BOARDS_BOARD_H

#include "qemu.h"

/* Registers at a physical address; or over the first BAR of QEMU's PCI device "edu". */
void board_registers(hwaddr at, uint64_t size, const struct region_ops *ops, void *opaque);
void board_registers_pci(uint64_t size, const struct region_ops *ops, void *opaque);
/* Memory at a physical address, for an SRAM or registers that only keep what is written. */
uint8_t *board_ram(hwaddr at, uint64_t size);
/* Moves bytes between the machine's memory and an engine. */
void dma_read(hwaddr at, void *to, size_t n);
void dma_write(hwaddr at, const void *from, size_t n);
/* The line of an Arm machine's shared peripheral interrupt. */
struct irq *board_irq(int spi);

/*
 * What an engine is to do wrong. The guest writes a word and perhaps a number into the file
 * $BOARD_STATS.fault: "byte 100" is a wrong byte in every 100th request. It is read when a request
 * begins.
 */
enum fault {
	FAULT_NONE,
	FAULT_BYTE,   /* byte: one wrong byte in the output */
	FAULT_SILENT, /* silent: the work is done, but no interrupt comes */
	FAULT_EARLY,  /* early: the interrupt comes, what dma_write() writes a little later */
	FAULT_LATE,   /* late: the interrupt comes a third of a second later */
	FAULT_ERROR,  /* error: the engine says that it failed */
	FAULT_FULL,   /* full: there is no place in the engine's queue; for engines that have one */
	FAULT_OWN,    /* one of the engine's own words: board_word() */
};

/*
 * A request that the engine has all of. work() reads the input, writes the output and returns the
 * number of bytes that it worked on. done() tells the processor. fail() tells it of an error;
 * NULL: the engine can't.
 */
struct job {
	size_t (*work)(void *opaque);
	void (*done)(void *opaque);
	void (*fail)(void *opaque);
	void *opaque;
};

/*
 * Does a job, and counts it: at $BOARD_MBPS MB/s and $BOARD_START_NS for each start, of the
 * machine's time; without these at once, within the register's write. All faults but
 * FAULT_FULL and FAULT_OWN are played here.
 */
void board_run(const struct job *job);

/*
 * For an engine to which data are fed by words, in place of board_run(): a request begins, which is
 * counted. The fault that it has is the model's to play; a wrong byte is engine.c's.
 */
enum fault board_begin(void);
/* It has worked on n more bytes. */
void board_bytes(size_t n);

/* The fault of a request that begins now, uncounted: for FAULT_FULL. */
enum fault board_fault(void);
/* The word of a FAULT_OWN. */
const char *board_word(void);
/* A fault was played: counted, so that a test knows. board_run() and engine.c do this. */
void board_faulted(void);
/* Whether this request is to have a wrong byte that it has not had yet: true once. */
bool board_take_byte(void);
/* Calls done(opaque) when so many nanoseconds of the machine's time are over. */
void board_later(int64_t ns, void (*done)(void *opaque), void *opaque);

/* The first 2,000 lines go to stderr, if there is $BOARD_LOG. */
void board_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A DMA controller (bcm2835-dma's) between memory and one engine: two channels, at 0xb100000, SPIs
 * 101 and 102. push() takes bytes, pull() gives them; false: later, then call dma_kick().
 */
struct dma_user {
	bool (*push)(const uint8_t *from, size_t n);
	bool (*pull)(uint8_t *to, size_t n);
};
void dma_start(const struct dma_user *user);
void dma_kick(void);

#endif
