/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an engine's model finds around it: registers, memory and interrupts of the machine, time,
 * the counters in the file $BOARD_STATS, and faults.
 *
 * A model is written from its driver's source. It shows how kcrypto works with the driver; it says
 * nothing about the silicon or its speed.
 */
#ifndef BOARDS_BOARD_H
#define BOARDS_BOARD_H

#include "qemu.h"

/* Registers at a physical address, or over the first BAR of QEMU's PCI device "edu". */
void board_registers(hwaddr at, uint64_t size, const struct region_ops *ops, void *opaque);
void board_registers_pci(uint64_t size, const struct region_ops *ops, void *opaque);
/* Memory at a physical address, for an SRAM or for registers that only keep what is written. */
uint8_t *board_ram(hwaddr at, uint64_t size);
/* Copies bytes from the machine's memory, and to it. */
void dma_read(hwaddr at, void *to, size_t n);
void dma_write(hwaddr at, const void *from, size_t n);
/* The interrupt line of a shared peripheral interrupt of an Arm machine. */
struct irq *board_irq(int spi);

/*
 * Faults of an engine. The guest writes a word, and perhaps a number, into the file
 * $BOARD_STATS.fault: "byte 100" puts a wrong byte into every 100th request. The file is read when
 * a request begins.
 */
enum fault {
	FAULT_NONE,
	FAULT_BYTE,   /* byte: one wrong byte in the output */
	FAULT_SILENT, /* silent: the work is done, but no interrupt comes */
	FAULT_EARLY,  /* early: the interrupt comes before the data of dma_write() */
	FAULT_LATE,   /* late: the interrupt comes a third of a second late */
	FAULT_ERROR,  /* error: the engine reports an error */
	FAULT_FULL,   /* full: the engine's queue has no room; for engines with a queue */
	FAULT_OWN,    /* a word of this engine alone: board_word() */
};

/*
 * A request that the engine has received completely. work() reads the input, writes the output and
 * returns the number of bytes that it processed. done() reports success to the processor; fail()
 * reports an error, and is NULL where the engine cannot report one.
 */
struct job {
	size_t (*work)(void *opaque);
	void (*done)(void *opaque);
	void (*fail)(void *opaque);
	void *opaque;
};

/*
 * Does a job and counts it. Takes the machine's time: $BOARD_START_NS for each start, and
 * $BOARD_MBPS MB/s. Without these variables the job is done at once, within the write to the
 * register. Simulates all faults but FAULT_FULL and FAULT_OWN.
 */
void board_run(const struct job *job);

/*
 * Instead of board_run(), for an engine that is fed word by word: counts a request that begins, and
 * returns its fault. The model simulates the fault, except for a wrong byte, which engine.c makes.
 */
enum fault board_begin(void);
/* Counts n more processed bytes of the request. */
void board_bytes(size_t n);

/* The fault of a request that begins now. Counts no request: for FAULT_FULL. */
enum fault board_fault(void);
/* The word of a FAULT_OWN. */
const char *board_word(void);
/*
 * Counts a fault that took effect, for the test to see. board_run() and engine.c call it for their
 * faults.
 */
void board_faulted(void);
/* Returns true once for each request that is to have a wrong byte. */
bool board_take_byte(void);
/* Calls done(opaque) after ns nanoseconds of the machine's time. */
void board_later(int64_t ns, void (*done)(void *opaque), void *opaque);

/* Logs a line to stderr if $BOARD_LOG is set; at most 2,000 lines. */
void board_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A DMA controller (the one that the driver bcm2835-dma knows) between memory and one engine: two
 * channels at 0xb100000, SPIs 101 and 102. push() gives bytes to the engine, pull() takes bytes
 * from it. Either returns false if the engine is not ready; dma_kick() makes the controller try
 * again.
 */
struct dma_user {
	bool (*push)(const uint8_t *from, size_t n);
	bool (*pull)(uint8_t *to, size_t n);
};
void dma_start(const struct dma_user *user);
void dma_kick(void);

#endif
