// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests: how long each takes, what is counted, and which faults occur. QEMU calls these
 * functions one at a time.
 */
#include "job.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "board.h"

#define VIRTUAL 1	  /* QEMU's clock of the machine's time */
#define LATE	333000000 /* nanoseconds */
#define EARLY	100000
#define SLOTS	64

static int64_t ns_per_kib = -1, ns_start; /* -1: no speed is set */
static unsigned long long requests, bytes, faults;
static char *page = MAP_FAILED; /* of $BOARD_STATS; a model may count each block */
static int fault_file = -1;
static char word[16];
static bool owes_byte;

static void show(void)
{
	char line[128];
	int n;

	if (page == MAP_FAILED)
		return;
	n = snprintf(line, sizeof(line), "requests %-12llu bytes %-16llu faults %-11llu\n",
		     requests, bytes, faults);
	memcpy(page, line, n);
}

/* Creates both files at the start. The guest writes the second one. */
static void make_files(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	char name[4096];

	if (fd >= 0 && ftruncate(fd, 64) == 0)
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	snprintf(name, sizeof(name), "%s.fault", path);
	fault_file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (page == MAP_FAILED || fault_file < 0) {
		fprintf(stderr, "boards: %s cannot be written\n", path);
		exit(1);
	}
	show();
}

void job_start(void)
{
	const char *mbps = getenv("BOARD_MBPS"), *begin = getenv("BOARD_START_NS");
	const char *path = getenv("BOARD_STATS");

	if (mbps && *mbps)
		ns_per_kib = (int64_t)(1024 * 1000 / atof(mbps));
	if (begin && *begin)
		ns_start = atoi(begin);
	if (path && *path)
		make_files(path);
}

const char *board_word(void)
{
	return word;
}

void board_faulted(void)
{
	faults++;
	show();
}

bool board_take_byte(void)
{
	bool takes = owes_byte;

	owes_byte = false;
	if (takes)
		board_faulted();
	return takes;
}

void board_bytes(size_t n)
{
	bytes += n;
	show();
}

enum fault board_fault(void)
{
	static const char *const words[] = { "none", "byte",  "silent", "early",
					     "late", "error", "full" };
	char text[64] = "";
	unsigned long every = 1;
	int i;

	if (fault_file < 0 || pread(fault_file, text, sizeof(text) - 1, 0) <= 0)
		return FAULT_NONE;
	if (sscanf(text, "%15s %lu", word, &every) < 1)
		return FAULT_NONE;
	if (every > 1 && requests % every)
		return FAULT_NONE;
	for (i = 0; i < FAULT_OWN && strcmp(word, words[i]); i++)
		;
	return i;
}

enum fault board_begin(void)
{
	enum fault fault;

	requests++;
	fault = board_fault();
	owes_byte = fault == FAULT_BYTE;
	show();
	return fault;
}

/* A timer of QEMU, which is never freed. */
struct slot {
	uint64_t timer[32];
	void (*done)(void *opaque);
	void *opaque;
	bool is_made, is_used;
};

static void ring(void *opaque)
{
	struct slot *slot = opaque;

	slot->is_used = false;
	slot->done(slot->opaque);
}

void board_later(int64_t ns, void (*done)(void *opaque), void *opaque)
{
	static struct slot slots[SLOTS];
	struct slot *slot;

	for (slot = slots; slot < slots + SLOTS && slot->is_used; slot++)
		;
	if (slot == slots + SLOTS) {
		fprintf(stderr, "boards: the engine has more than %d requests in flight\n", SLOTS);
		exit(1);
	}
	if (!slot->is_made)
		qemu.timer_init_full(slot->timer, NULL, VIRTUAL, 1, 0, ring, slot);
	slot->is_made = slot->is_used = true;
	slot->done = done;
	slot->opaque = opaque;
	qemu.timer_mod(slot->timer, qemu.qemu_clock_get_ns(VIRTUAL) + ns);
}

/* Data that reach memory after an early interrupt. */
struct held {
	struct held *next;
	hwaddr at;
	size_t n;
	uint8_t data[];
};
static struct held *held, **held_end = &held;
static bool holds;

void dma_read(hwaddr at, void *to, size_t n)
{
	qemu_memory(at, to, n, false);
}

void dma_write(hwaddr at, const void *from, size_t n)
{
	struct held *h;

	if (!holds) {
		qemu_memory(at, (void *)from, n, true);
		return;
	}
	h = malloc(sizeof(*h) + n);
	*h = (struct held){ .at = at, .n = n };
	memcpy(h->data, from, n);
	*held_end = h;
	held_end = &h->next;
}

/* Writes all data that are held, in their order. */
static void let_go(void *opaque)
{
	struct held *h;

	(void)opaque;
	while ((h = held)) {
		held = h->next;
		qemu_memory(h->at, h->data, h->n, true);
		free(h);
	}
	held_end = &held;
}

/* The time that an engine takes for n bytes, in nanoseconds. */
static int64_t time_of(size_t n)
{
	return ns_per_kib < 0 ? 0 : ns_start + (int64_t)n * ns_per_kib / 1024;
}

static void tell(int64_t ns, void (*done)(void *opaque), void *opaque)
{
	if (ns == 0)
		done(opaque);
	else
		board_later(ns, done, opaque);
}

void board_run(const struct job *job)
{
	enum fault fault = board_begin();
	size_t n;

	if (fault == FAULT_ERROR && job->fail) {
		board_faulted();
		tell(time_of(0), job->fail, job->opaque);
		return;
	}
	holds = fault == FAULT_EARLY;
	n = job->work(job->opaque);
	holds = false;
	board_bytes(n);
	if (fault == FAULT_SILENT || fault == FAULT_EARLY || fault == FAULT_LATE)
		board_faulted();
	if (fault == FAULT_SILENT)
		return;
	tell(time_of(n) + (fault == FAULT_LATE ? LATE : 0), job->done, job->opaque);
	if (fault == FAULT_EARLY)
		board_later(time_of(n) + EARLY, let_go, NULL);
}
