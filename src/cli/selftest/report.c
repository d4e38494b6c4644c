/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the findings and the kernel's log. Decides when a driver is called reliable. */
#include "cli/selftest/selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench/board.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/text.h"

#define RECORD 8192   /* bytes: the largest record of the log */
#ifndef KC_KERNEL_LOG /* a test's driver is not in the kernel */
#define KC_KERNEL_LOG "/dev/kmsg"
#endif

/* How a check's line begins, and the word for its ruling. */
static const struct {
	const char *line, *word;
	enum kc_colour colour;
} shown[] = {
	[KC_NOT_ASKED] = { "ok", "not asked", KC_YELLOW },
	[KC_IS_RIGHT] = { "ok", "right", KC_GREEN },
	[KC_IS_WRONG] = { "not ok", "wrong", KC_RED },
	[KC_FAILS] = { "not ok", "fails", KC_RED },
	[KC_HANGS] = { "not ok", "hangs", KC_RED },
	[KC_DIES] = { "not ok", "dies", KC_RED },
};

static bool is_json;
static struct json_object *page, *checks; /* the JSON, if that will be printed */
static unsigned lines;
static bool is_bad, is_right; /* a finding is bad; a finding about a driver is right */
static int log_fd, log_err;

/* Describes the machine, and a named driver. */
static struct json_object *make_head(const struct kc_examination *all)
{
	struct json_object *o = kc_json(kc_bench_machine(""), "seed=%u", all->seed);
	const struct kc_driver *d = &all->listed;

	if (!d->driver[0])
		return o;
	return kc_json(o, "driver=%s kernel_name=%s kind=%s priority=%d backend=%s", d->driver,
		       d->name, kc_claim_word(d->nature, KC_DONE_UNTOLD), d->priority,
		       all->candidate[0]->backend->names[0]);
}

static void print_result(const char *what, enum kc_ruling ruling, const char *text)
{
	kc_paint(stdout, shown[ruling].colour, 0, shown[ruling].line);
	printf(" %u - %s", ++lines, what);
	if (ruling == KC_NOT_ASKED)
		printf(" # SKIP %s", text);
	putchar('\n');
	if (ruling > KC_IS_RIGHT)
		printf("# %s: %s\n", shown[ruling].word, text);
	else if (ruling == KC_IS_RIGHT && *text)
		printf("# %s\n", text);
	fflush(stdout);
}

static void add_check(const char *check, const struct kc_candidate *c, const struct kc_finding *f)
{
	const char *name = "", *interface = "", *driver = "";

	is_bad |= f->ruling > KC_IS_RIGHT;
	if (c) {
		is_right |= f->ruling == KC_IS_RIGHT;
		name = kc_row_name(c->alg, c->whole);
		interface = c->backend->names[0];
		driver = c->driver;
	}
	kc_json(kc_json_row(checks),
		"check=%s algorithm=%s backend=%s driver=%s ruling=%s requests=%u asked=%u "
		"left_out=%u text=%s",
		check, name, interface, driver, shown[f->ruling].word, f->requests, f->asked,
		f->left_out, f->text);
}

void kc_report_note(const char *check, enum kc_ruling ruling, const char *text)
{
	struct kc_finding f = { .ruling = ruling };

	snprintf(f.text, sizeof(f.text), "%s", kc_text_or(text, ""));
	add_check(check, NULL, &f);
	if (!is_json)
		print_result(check, ruling, f.text);
}

void kc_report_add(const char *check, const struct kc_candidate *c, const struct kc_finding *f)
{
	char what[240], count[60] = "";

	add_check(check, c, f);
	if (is_json)
		return;
	if (f->asked)
		snprintf(count, sizeof(count), ", %u of %u requests by the kernel", f->requests,
			 f->asked);
	snprintf(what, sizeof(what), "%s by %s%s%s: %s%s", kc_row_name(c->alg, c->whole),
		 c->backend->names[0], kc_lead(", driver ", c->driver), c->driver, check, count);
	print_result(what, f->ruling, f->text);
	if (f->left_out)
		printf("# the time was up: %u requests were left out\n", f->left_out);
}

void kc_report_begin(const struct kc_examination *all, bool json)
{
	is_json = json;
	page = make_head(all);
	checks = json_object_new_array();
	log_fd = open(KC_KERNEL_LOG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_fd < 0 || lseek(log_fd, 0, SEEK_END) < 0)
		log_err = errno;
	if (json)
		return;
	puts("TAP version 13");
	json_object_object_foreach(page, key, value)
		printf("# %s %s\n", key, kc_text_or(json_object_get_string(value), "unknown"));
}

/* Words in a line that reports a fault. */
static const char *const faults[] = {
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

static bool reports_a_fault(const char *text)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strstr(text, faults[i]))
			return true;
	return false;
}

/*
 * Reads "priority,number,time,flags;text\n" and more lines. False: there are no more records.
 * EPIPE: some were overwritten before they were read.
 */
static bool read_record(char record[RECORD])
{
	ssize_t len;

	do
		len = read(log_fd, record, RECORD - 1);
	while (len < 0 && (errno == EPIPE || errno == EINTR));
	if (len <= 0)
		return false;
	record[len] = '\0';
	return true;
}

/* Finds the first line that reports a fault. */
static void read_log(char *fault, size_t size)
{
	char record[RECORD];

	while (read_record(record)) {
		const char *text = strchr(record, ';');

		if (text && !*fault && reports_a_fault(text))
			snprintf(fault, size, "%.*s", (int)strcspn(text + 1, "\n"), text + 1);
	}
}

static void add_log(void)
{
	enum kc_ruling ruling = KC_IS_RIGHT;
	char said[200] = "";

	if (log_err) {
		ruling = KC_NOT_ASKED;
		snprintf(said, sizeof(said), "/dev/kmsg: %s", strerror(log_err));
	} else {
		read_log(said, sizeof(said));
		if (*said)
			ruling = KC_FAILS;
	}
	kc_report_note("kernel's log", ruling, said);
}

/* One bad finding outweighs all right ones. */
static enum kc_ruling final_ruling(void)
{
	if (is_bad)
		return KC_IS_WRONG;
	if (is_right)
		return KC_IS_RIGHT;
	return KC_NOT_ASKED;
}

enum kc_ruling kc_report_end(const struct kc_examination *all)
{
	static const char *const verdicts[] = {
		[KC_NOT_ASKED] = "unknown", [KC_IS_RIGHT] = "reliable", [KC_IS_WRONG] = "unreliable"
	};
	static const char *const sentences[] = {
		[KC_NOT_ASKED] = "unknown",
		[KC_IS_RIGHT] = "reliable: every check passed or was skipped",
		[KC_IS_WRONG] = "unreliable"
	};
	const char *driver = all->listed.driver;
	enum kc_ruling ruling;

	if (*driver)
		add_log();
	if (log_fd >= 0)
		close(log_fd);
	ruling = final_ruling();
	kc_json(page, "verdict=%s checks=%p", verdicts[ruling], checks);
	if (!is_json)
		printf("1..%u\n", lines);
	if (!is_json && *driver)
		printf("# The driver %s is %s.\n", driver, sentences[ruling]);
	kc_json_finish(stdout, page, is_json);
	return ruling;
}
