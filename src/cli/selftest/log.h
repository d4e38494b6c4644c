/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that the kernel logs meanwhile. */
#ifndef KC_CLI_SELFTEST_LOG_H
#define KC_CLI_SELFTEST_LOG_H

#include <stdbool.h>
#include <stddef.h>

#define KC_LOG_LINES 40 /* kept; all are counted */
#define KC_LOG_TEXT  200

struct kc_log {
	int fd;	 /* -1: not readable */
	int err; /* the reason */
	size_t n;
	bool is_alarming; /* one of them reports a fault of the kernel's */
	char line[KC_LOG_LINES][KC_LOG_TEXT];
};

/* Begins at the log's end. */
void kc_log_begin(struct kc_log *log);

/* Reads what came since, and closes it. */
void kc_log_end(struct kc_log *log);

#endif
