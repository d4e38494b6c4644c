// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accelerators of real boards for an unmodified qemu-system-*, as a library that is preloaded. This
 * file starts the engine that $BOARD names and implements board.h, except for time, counters and
 * faults, which are in job.c.
 */
#define _GNU_SOURCE
#include "board.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"
#include "job.h"

void board_log(const char *format, ...)
{
	static int left = 2000;
	va_list args;

	if (!getenv("BOARD_LOG") || left-- <= 0)
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* QEMU's struct is far smaller. The region lives as long as the machine. */
static struct memory_region *new_region(void)
{
	return calloc(1, 8192);
}

static void add_registers(struct memory_region *to, hwaddr at, uint64_t size,
			  const struct region_ops *ops, void *opaque)
{
	struct memory_region *mr = new_region();

	qemu.memory_region_init_io(mr, NULL, ops, opaque, "board-registers", size);
	qemu.memory_region_add_subregion_overlap(to, at, mr, 1);
}

void board_registers(hwaddr at, uint64_t size, const struct region_ops *ops, void *opaque)
{
	add_registers(qemu.get_system_memory(), at, size, ops, opaque);
}

void board_registers_pci(uint64_t size, const struct region_ops *ops, void *opaque)
{
	struct object *edu = qemu.object_resolve_path_type("", "edu", NULL), *bar = NULL;

	if (edu)
		bar = qemu.object_resolve_path_component(edu, "edu-mmio[0]");
	if (!bar) {
		fprintf(stderr,
			"boards: the machine has no device edu, or one without registers\n");
		exit(1);
	}
	add_registers((struct memory_region *)bar, 0, size, ops, opaque);
}

uint8_t *board_ram(hwaddr at, uint64_t size)
{
	struct memory_region *mr = new_region();
	void *err = NULL;
	char name[32];

	snprintf(name, sizeof(name), "board-ram-%llx", (unsigned long long)at);
	qemu.memory_region_init_ram(mr, NULL, name, size, &err);
	qemu.memory_region_add_subregion_overlap(qemu.get_system_memory(), at, mr, 1);
	return qemu.memory_region_get_ram_ptr(mr);
}

struct irq *board_irq(int spi)
{
	struct object *gic = qemu.object_resolve_path_type("", "arm_gic_common", NULL);

	if (!gic)
		gic = qemu.object_resolve_path_type("", "arm-gicv3-common", NULL);
	if (!gic) {
		fprintf(stderr, "boards: the machine has no interrupt controller of Arm's\n");
		exit(1);
	}
	return qemu.qdev_get_gpio_in(gic, spi);
}

static void start(struct notifier *n, void *data)
{
	const char *name = getenv("BOARD");
	const struct board *board;

	(void)n, (void)data;
	for (board = boards; board->name; board++)
		if (strcmp(board->name, name) == 0) {
			job_start();
			board->start(board->variant);
			return;
		}
	fprintf(stderr, "boards: there is no engine %s\n", name);
	exit(1);
}

__attribute__((constructor)) static void load(void)
{
	static struct notifier notifier = { .notify = start };

	if (!getenv("BOARD"))
		return;
	qemu_find();
	qemu.qemu_add_machine_init_done_notifier(&notifier);
}
