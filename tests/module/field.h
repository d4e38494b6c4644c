/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that the fuzzer's calls use. It lies alone in a wide field of addresses without
 * memory, as a mutated address would otherwise be that of the fuzzer's own data or stacks.
 */
#ifndef KC_TESTS_MODULE_FIELD_H
#define KC_TESTS_MODULE_FIELD_H

#include "device.h"

#include <stdint.h>
#include <sys/mman.h>

#define ROOM (KCRYPTO_MAX_LEN + 8192)
/* Bytes, a power of two; it begins at a multiple, which systems leave free. */
#define FIELD	    (sizeof(void *) > 4 ? 1ull << 33 : 1ull << 30)
#define FIELD_BEGIN (sizeof(void *) > 4 ? 1ull << 44 : FIELD)

static uint8_t *room, *read_only;

/* Maps the field, and in its middle the memory that calls use. */
static inline void map_field(void)
{
	uint8_t *field =
		mmap((void *)(uintptr_t)FIELD_BEGIN, (size_t)FIELD, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	CHECK(address(field) == FIELD_BEGIN);
	read_only = field + FIELD / 2;
	CHECK(mprotect(read_only, 8192, PROT_READ) == 0);
	room = mmap(read_only + 65536, ROOM, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(room == read_only + 65536);
}

#endif
