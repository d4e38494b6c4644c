/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of masked words, and a walk over /proc/self/mem byte by byte. The walk reads through
 * the kernel, because a sanitizer would report direct reads of freed memory.
 */
#include "integration/lives/search.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MASK  UINT64_C(0x5bd1e995a3c4f721)
#define SLOTS 32768
#define CHUNK 65536
#define STACK (1024 * 1024)
#define WORD  sizeof(uint64_t)

static struct {
	uint64_t masked; /* 0: empty */
	int kind;
} table[SLOTS];

static unsigned char chunk[CHUNK + WORD];

static size_t slot_of(uint64_t masked)
{
	return (size_t)(masked * UINT64_C(0x9e3779b97f4a7c15) >> 49) % SLOTS;
}

void search_forget_all(void)
{
	memset(table, 0, sizeof(table));
}

void search_note(int kind, const void *secret, size_t len)
{
	for (size_t i = 0; i + WORD <= len; i += WORD) {
		uint64_t word;
		size_t at;

		memcpy(&word, (const char *)secret + i, WORD);
		word ^= MASK;
		for (at = slot_of(word); table[at].masked; at = (at + 1) % SLOTS)
			;
		table[at].masked = word;
		table[at].kind = kind;
	}
}

__attribute__((no_sanitize("address", "undefined"))) static int kind_of(uint64_t masked)
{
	for (size_t at = slot_of(masked); table[at].masked; at = (at + 1) % SLOTS)
		if (table[at].masked == masked)
			return table[at].kind;
	return -1;
}

/* @base: the address of the chunk's first byte. */
__attribute__((no_sanitize("address", "undefined"))) static void
scan_chunk(struct findings *f, unsigned long base, size_t len)
{
	for (size_t i = 0; i + WORD <= len; i++) {
		static const char letter[] = "KIT";
		uint64_t word, next = 1;
		int kind;

		memcpy(&word, chunk + i, WORD);
		if (!word) {
			/*
			 * Most words are zero, and no secret is. If the next word is zero, too, so
			 * are all in between.
			 */
			if (i + 2 * WORD <= len)
				memcpy(&next, chunk + i + WORD, WORD);
			i += next ? 0 : WORD - 1;
			continue;
		}
		kind = kind_of(word ^ MASK);
		if (kind < 0)
			continue;
		if (f->n[kind]++ < 4) {
			size_t used = strlen(f->where);

			snprintf(f->where + used, sizeof(f->where) - used, " %c@%lx", letter[kind],
				 base + i);
		}
	}
}

/*
 * Cuts the range to the pages from the first to the last one that is present. Sanitizers reserve
 * far more than they use, and reading makes a page present, for all later searches.
 */
static void trim(unsigned long *from, unsigned long *to)
{
	static unsigned char present[CHUNK / 1024];
	unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE), start = *from / page * page;
	size_t n = (*to - start + page - 1) / page;

	if (mincore((void *)(uintptr_t)start, *to - start, present) != 0)
		return;
	for (; n && !(present[n - 1] & 1); n--)
		*to = start + (n - 1) * page;
	for (size_t i = 0; i < n && !(present[i] & 1); i++)
		*from = start + (i + 1) * page;
}

static void scan(struct findings *f, int mem, unsigned long from, unsigned long to)
{
	unsigned long ours = (unsigned long)(uintptr_t)chunk;
	ssize_t n;

	/* On 32 bits the stack may end so high that the last step overflows. */
	for (unsigned long at = from; at >= from && at < to; at += CHUNK) {
		unsigned long first = at,
			      end = to - at < sizeof(chunk) - 1 ? to : at + sizeof(chunk) - 1;

		if (at < ours + sizeof(chunk) && ours < end)
			continue;
		trim(&first, &end);
		n = first < end ? pread(mem, chunk, end - first, (off_t)first) : 0;
		if (n > 0)
			scan_chunk(f, first, (size_t)n);
	}
}

/* Searches the memory of a line of /proc/self/maps. */
static void scan_line(struct findings *f, int mem, const char *line)
{
	unsigned long from, to, ours = (unsigned long)(uintptr_t)chunk;
	char mode[5];

	if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) != 3 || mode[1] != 'w' || mode[0] != 'r')
		return;
	/* A sanitizer's shadow memory, which holds no byte of the program. */
	if ((uint64_t)(to - from) >> 32)
		return;
	if (ours < from || ours >= to) {
		scan(f, mem, from, to);
		return;
	}
	scan(f, mem, from, ours);
	scan(f, mem, ours + sizeof(chunk), to);
}

struct findings search_memory(void)
{
	static char maps[256 * 1024];
	struct findings f = { .where = "" };
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, maps + used, sizeof(maps) - 1 - used)) > 0)
		used += (size_t)n;
	maps[used] = '\0';
	if (mem < 0 || !used)
		abort();
	for (char *line = strtok(maps, "\n"); line; line = strtok(NULL, "\n"))
		scan_line(&f, mem, line);
	explicit_bzero(chunk, sizeof(chunk));
	close(mem);
	close(fd);
	return f;
}

static void *stack;

/* glibc neither frees nor clears a stack that the caller provides. */
void search_on_a_stack(void *(*what)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;

	if (!stack)
		stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
	if (stack == MAP_FAILED || pthread_attr_init(&attr) != 0 ||
	    pthread_attr_setstack(&attr, stack, STACK) != 0 ||
	    pthread_create(&thread, &attr, what, NULL) != 0 || pthread_join(thread, NULL) != 0)
		abort();
	pthread_attr_destroy(&attr);
}

void search_wipe_stack(void)
{
	explicit_bzero(stack, STACK);
}
