/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /dev/kmsg: a read is one record, "priority,number,time,flags;text\n" and more lines. */
#include "cli/selftest/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <stdio.h>

#define RECORD 8192   /* bytes: the kernel's largest */
#ifndef KC_KERNEL_LOG /* a test's driver is not in the kernel */
#define KC_KERNEL_LOG "/dev/kmsg"
#endif

static bool reports_a_fault(const char *text)
{
	static const char *const words[] = {
		"BUG:",
		"kernel BUG",
		"WARNING:",
		"Oops",
		"Call Trace",
		"KASAN",
		"UBSAN",
		"KFENCE",
		"DMA-API",
		"soft lockup",
		"blocked for more than",
		"general protection",
		"Unable to handle",
		"rcu_sched self-detected",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

static void take(struct kc_log *log, char *record)
{
	char *text = strchr(record, ';');

	if (!text)
		return;
	text++;
	text[strcspn(text, "\n")] = '\0';
	log->is_alarming |= reports_a_fault(text);
	if (log->n < KC_LOG_LINES)
		snprintf(log->line[log->n], KC_LOG_TEXT, "%.*s", KC_LOG_TEXT - 1, text);
	log->n++;
}

void kc_log_begin(struct kc_log *log)
{
	*log = (struct kc_log){ .fd = open(KC_KERNEL_LOG, O_RDONLY | O_NONBLOCK | O_CLOEXEC) };
	if (log->fd < 0 || lseek(log->fd, 0, SEEK_END) < 0)
		log->err = errno;
}

void kc_log_end(struct kc_log *log)
{
	char record[RECORD];
	ssize_t n;

	if (log->fd < 0)
		return;
	/* EPIPE: records were overwritten before they were read. */
	while (!log->err && ((n = read(log->fd, record, sizeof(record) - 1)) > 0 ||
			     (n < 0 && (errno == EPIPE || errno == EINTR)))) {
		record[n > 0 ? n : 0] = '\0';
		take(log, record);
	}
	close(log->fd);
}
