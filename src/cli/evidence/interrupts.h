/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts as evidence: an engine raises them, the kernel's software does not. Compares what
 * /proc/interrupts counts before and after some requests with what it counts while there are none.
 */
#ifndef KC_CLI_EVIDENCE_INTERRUPTS_H
#define KC_CLI_EVIDENCE_INTERRUPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KC_MAX_IRQS  512
#define KC_IRQ_NAMES 64 /* bytes, including the NUL */

/* A numbered line: the others are the CPU's own, and timers are left out. */
struct kc_irq {
	unsigned number;
	uint32_t count; /* over all CPUs; wraps like the kernel's */
	bool is_shared;
	char names[KC_IRQ_NAMES]; /* of its devices, separated by ", " */
};

struct kc_interrupts {
	unsigned cpus; /* 0: the file is not there, or not understood */
	size_t n;
	struct kc_irq irq[KC_MAX_IRQS];
};

/* Takes the file's text, or reads the file. */
void kc_interrupts_parse(struct kc_interrupts *to, const char *text);
/* Reads and parses /proc/interrupts. */
void kc_interrupts_read(struct kc_interrupts *to);

/* What was counted before and after so many requests. */
struct kc_window {
	struct kc_interrupts before, after;
	unsigned requests;
};

enum kc_raised { KC_RAISED_UNKNOWN, KC_RAISED_NONE, KC_RAISED_SOME };

struct kc_raising {
	enum kc_raised is;
	double each; /* interrupts of a request */
	/* Of the device; or, if it is unknown, why. */
	char text[2 * KC_IRQ_NAMES];
};

/*
 * Two windows with requests, and one without that is as long. Only a line of one device that counts
 * in both and hardly without requests is evidence; one that counts in any other way leaves it
 * unknown.
 */
struct kc_raising kc_interrupts_judge(const struct kc_window work[2], const struct kc_window *idle);

/* "one interrupt a request (f1090000.crypto)", "none", "unknown: ..."; into @size bytes. */
void kc_raising_text(const struct kc_raising *raising, char *text, size_t size);

#endif
