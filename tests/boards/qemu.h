/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few functions of QEMU that an engine needs. Debian's QEMU exports its symbols for its own
 * modules. The declarations are repeated here, so neither QEMU's source nor a build of it is
 * needed. They are the same from QEMU 7.2 to 11.1, except for what qemu.c says.
 */
#ifndef BOARDS_QEMU_H
#define BOARDS_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t hwaddr;

/* Opaque types. For objects of its own the library allocates more than they need. */
struct memory_region;
struct object;
struct irq;

/* Laid out as QEMU's Notifier. */
struct notifier {
	void (*notify)(struct notifier *n, void *data);
	void *next, **prev;
};

/* Laid out as QEMU's MemoryRegionOps, with room for the fields of later versions. */
struct region_ops {
	uint64_t (*read)(void *opaque, hwaddr addr, unsigned int size);
	void (*write)(void *opaque, hwaddr addr, uint64_t value, unsigned int size);
	void *read_with_attrs, *write_with_attrs;
	int endianness; /* 2: little-endian */
	struct {
		unsigned int min, max;
		bool unaligned;
		void *accepts;
	} valid;
	struct {
		unsigned int min, max;
		bool unaligned;
	} impl;
	uint64_t more[8];
};

/* The operations of registers of 32 bits, which nearly all engines have. */
#define REGISTERS(get, set)                                                                        \
	{                                                                                          \
		.read = get, .write = set, .endianness = 2, .valid = { 4, 4 }, .impl = { 4, 4 }    \
	}

/* QEMU's functions, by their names in QEMU. */
struct qemu {
	void (*qemu_add_machine_init_done_notifier)(struct notifier *n);
	struct memory_region *(*get_system_memory)(void);
	void (*memory_region_init_io)(struct memory_region *mr, struct object *owner,
				      const struct region_ops *ops, void *opaque, const char *name,
				      uint64_t size);
	void (*memory_region_init_ram)(struct memory_region *mr, struct object *owner,
				       const char *name, uint64_t size, void **err);
	void *(*memory_region_get_ram_ptr)(struct memory_region *mr);
	void (*memory_region_add_subregion_overlap)(struct memory_region *mr, hwaddr at,
						    struct memory_region *sub, int priority);
	void (*cpu_physical_memory_rw)(hwaddr addr, void *buf, hwaddr len, bool is_write);
	int (*address_space_rw)(void *space, hwaddr addr, uint64_t attributes, void *buf,
				hwaddr len, bool is_write);
	void *address_space_memory; /* a variable, not a function */
	struct object *(*object_resolve_path_type)(const char *path, const char *type,
						   bool *ambiguous);
	struct object *(*object_resolve_path_component)(struct object *parent, const char *part);
	struct irq *(*qdev_get_gpio_in)(struct object *dev, int n);
	void (*qemu_set_irq)(struct irq *irq, int level);
	int64_t (*qemu_clock_get_ns)(int type);
	void (*timer_init_full)(void *timer, void *group, int type, int scale, int attributes,
				void (*cb)(void *opaque), void *opaque);
	void (*timer_mod)(void *timer, int64_t at);
};
extern struct qemu qemu;

/* Finds all functions. If QEMU lacks some, names them on stderr and ends the process. */
void qemu_find(void);

/* Reads or writes n bytes of the machine's memory. */
void qemu_memory(hwaddr at, void *buf, size_t n, bool is_write);

#endif
