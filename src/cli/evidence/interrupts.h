/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts as evidence: an engine raises them, the kernel's software does not. Compares the
 * counts of /proc/interrupts before and after some requests with those of a time without requests.
 */
#ifndef KC_CLI_EVIDENCE_INTERRUPTS_H
#define KC_CLI_EVIDENCE_INTERRUPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KC_MAX_IRQS  512
#define KC_IRQ_NAMES 64 /* bytes, including the NUL */

/* A numbered line. Other lines are the CPU's own; timers are left out. */
struct kc_irq {
	unsigned number;
	uint32_t count; /* over all CPUs; wraps like the kernel's */
	bool is_shared;
	char names[KC_IRQ_NAMES]; /* of its devices, separated by ", " */
};

struct kc_interrupts {
	unsigned cpus; /* 0: the file is missing, or not understood */
	size_t n;
	struct kc_irq irq[KC_MAX_IRQS];
};

/* Parses the file's text. */
void kc_interrupts_parse(struct kc_interrupts *to, const char *text);
/* Reads and parses /proc/interrupts. */
void kc_interrupts_read(struct kc_interrupts *to);

/* Counts before and after @requests requests. */
struct kc_window {
	struct kc_interrupts before, after;
	unsigned requests;
};

enum kc_raised { KC_RAISED_UNKNOWN, KC_RAISED_NONE, KC_RAISED_SOME };

struct kc_raising {
	enum kc_raised is;
	double each; /* interrupts per request */
	/* Names of the device; if it is unknown, the reason. */
	char text[2 * KC_IRQ_NAMES];
};

/*
 * Judges two windows with requests, and one without that is as long. Only a line of one device that
 * counts in both windows, and hardly without requests, is evidence; a line that counts otherwise
 * leaves it unknown.
 */
struct kc_raising kc_interrupts_judge(const struct kc_window work[2], const struct kc_window *idle);

/* Writes "one interrupt a request (f1090000.crypto)", "none" or "unknown: ..." into @size bytes. */
void kc_raising_text(const struct kc_raising *raising, char *text, size_t size);

#endif
