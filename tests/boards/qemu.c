// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds QEMU's functions in the program that this library was preloaded into. Bookworm's 7.2 and
 * trixie's 10.0 have all of them. Sid's 11.1 lacks cpu_physical_memory_rw(), which is
 * address_space_rw() with the machine's own address space.
 */
#define _GNU_SOURCE
#include "qemu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct qemu qemu;

#define FUNCTION(function, missing)                                                                \
	{                                                                                          \
		.name = #function, .to = &qemu.function, .may_be_missing = missing                 \
	}
#define SYMBOL(name)	  FUNCTION(name, false)
#define ALTERNATIVE(name) FUNCTION(name, true)

/* Functions by name. Where one may be missing, qemu_memory() has another way. */
static const struct {
	const char *name;
	void *to;
	bool may_be_missing;
} symbols[] = {
	SYMBOL(qemu_add_machine_init_done_notifier),
	SYMBOL(get_system_memory),
	SYMBOL(memory_region_init_io),
	SYMBOL(memory_region_init_ram),
	SYMBOL(memory_region_get_ram_ptr),
	SYMBOL(memory_region_add_subregion_overlap),
	ALTERNATIVE(cpu_physical_memory_rw),
	ALTERNATIVE(address_space_rw),
	ALTERNATIVE(address_space_memory),
	SYMBOL(object_resolve_path_type),
	SYMBOL(object_resolve_path_component),
	SYMBOL(qdev_get_gpio_in),
	SYMBOL(qemu_set_irq),
	SYMBOL(qemu_clock_get_ns),
	SYMBOL(timer_init_full),
	SYMBOL(timer_mod),
};

void qemu_find(void)
{
	bool is_whole = true;
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *found = dlsym(RTLD_DEFAULT, symbols[i].name);

		*(void **)symbols[i].to = found;
		if (found || symbols[i].may_be_missing)
			continue;
		fprintf(stderr, "boards: this QEMU does not export %s\n", symbols[i].name);
		is_whole = false;
	}
	if (!qemu.cpu_physical_memory_rw &&
	    (!qemu.address_space_rw || !qemu.address_space_memory)) {
		fprintf(stderr, "boards: this QEMU exports neither cpu_physical_memory_rw nor "
				"address_space_rw and address_space_memory\n");
		is_whole = false;
	}
	if (is_whole)
		return;
	fprintf(stderr, "boards: those of Debian 12 (7.2) to sid (11.1) are known to work\n");
	exit(1);
}

/* MemTxAttrs is a struct that fits into a register; zero means an ordinary access. */
void qemu_memory(hwaddr at, void *buf, size_t n, bool is_write)
{
	if (qemu.cpu_physical_memory_rw)
		qemu.cpu_physical_memory_rw(at, buf, n, is_write);
	else
		qemu.address_space_rw(qemu.address_space_memory, at, 0, buf, n, is_write);
}
