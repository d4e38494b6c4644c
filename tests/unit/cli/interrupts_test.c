/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/interrupts of several machines, and the conclusions from it. */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>

#include "cli/evidence/evidence.h"

/* Kirkwood, with one CPU. */
static const char kirkwood[] =
	"           CPU0       \n"
	"  2:          0  f1020200.interrupt-controller   1 Edge      mv643xx_eth\n"
	" 25:      %s  f1020200.interrupt-controller  22 Edge      f1030000.crypto\n"
	" 26:       5391  f1020200.interrupt-controller  33 Edge      ttyS0\n"
	" 31:      %s  f1020200.interrupt-controller   1 Level     orion_tick\n"
	"Err:          0\n";

/* A PC with two CPUs. Two devices share its fourth line. */
static const char pc[] =
	"            CPU0       CPU1       \n"
	"   0:         46          0   IO-APIC   2-edge      timer\n"
	"   8:          0          1   IO-APIC   8-edge      rtc0\n"
	"  11:     %s          9   IO-APIC  11-fasteoi   ehci_hcd:usb1, geode,aes\n"
	"  24:          0     %s   PCI-MSI 65537-edge      virtio0-dataq.0\n"
	"  25:     %s          3   PCI-MSI 65539-edge      eth0\n"
	" NMI:          0          0   Non-maskable interrupts\n"
	" LOC:      10233      11021   Local timer interrupts\n"
	" ERR:          0\n";

static struct kc_window work[2], idle;

#define TEXT 1024

static void fill(struct kc_interrupts *to, const char *form, const char *a, const char *b,
		 const char *c)
{
	char text[TEXT];

	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")
		snprintf(text, sizeof(text), form, a, b, c);
	_Pragma("GCC diagnostic pop") kc_interrupts_parse(to, text);
}

/* Counts of three lines before and after each of the three windows; the last window is idle. */
static struct kc_raising judge(const char *form, const char *counts[6][3])
{
	struct kc_window *const all[3] = { &work[0], &work[1], &idle };

	for (int i = 0; i < 3; i++) {
		all[i]->requests = i < 2 ? 20 : 0;
		fill(&all[i]->before, form, counts[2 * i][0], counts[2 * i][1], counts[2 * i][2]);
		fill(&all[i]->after, form, counts[2 * i + 1][0], counts[2 * i + 1][1],
		     counts[2 * i + 1][2]);
	}
	return kc_interrupts_judge(work, &idle);
}

static void expect(const char *form, const char *counts[6][3], const char *want)
{
	struct kc_raising r = judge(form, counts);
	char text[200];

	kc_raising_text(&r, text, sizeof(text));
	assert_string_equal(text, want);
}

TEST(lines_of_devices_are_understood_and_timers_left_out)
{
	static struct kc_interrupts i;

	fill(&i, kirkwood, "1234", "99", "");
	assert_int_equal(i.cpus, 1);
	assert_int_equal(i.n, 3);
	assert_int_equal(i.irq[1].number, 25);
	assert_int_equal(i.irq[1].count, 1234);
	assert_string_equal(i.irq[1].names, "f1030000.crypto");
	fill(&i, pc, "7", "5", "100");
	assert_int_equal(i.cpus, 2);
	assert_int_equal(i.n, 3);
	assert_int_equal(i.irq[0].count, 16);
	assert_string_equal(i.irq[0].names, "ehci_hcd:usb1, geode,aes");
	assert_true(i.irq[0].is_shared);
	assert_string_equal(i.irq[1].names, "virtio0-dataq.0");
	assert_false(i.irq[1].is_shared);
}

TEST(one_interrupt_a_request_names_the_device)
{
	const char *counts[6][3] = { { "100", "5" },  { "120", "60" }, { "120", "60" },
				     { "140", "99" }, { "140", "99" }, { "140", "130" } };

	expect(kirkwood, counts, "one interrupt a request (f1030000.crypto)");
}

TEST(a_counter_that_wraps_goes_on)
{
	const char *counts[6][3] = { { "0", "4294967290", "1" }, { "0", "14", "1" },
				     { "0", "14", "1" },	 { "0", "34", "2" },
				     { "0", "34", "2" },	 { "0", "34", "2" } };

	expect(pc, counts, "one interrupt a request (virtio0-dataq.0)");
}

TEST(several_interrupts_or_several_requests_are_counted)
{
	const char *twice[6][3] = { { "0", "0", "1" },	{ "0", "40", "1" }, { "0", "40", "1" },
				    { "0", "80", "2" }, { "0", "80", "2" }, { "0", "80", "2" } };
	const char *half[6][3] = { { "0", "0", "1" },  { "0", "10", "1" }, { "0", "10", "1" },
				   { "0", "20", "2" }, { "0", "20", "2" }, { "0", "20", "2" } };

	expect(pc, twice, "2.0 interrupts a request (virtio0-dataq.0)");
	expect(pc, half, "one interrupt for 2.0 requests (virtio0-dataq.0)");
}

TEST(without_interrupts_there_are_none)
{
	const char *counts[6][3] = { { "0", "0", "1" }, { "0", "0", "3" }, { "0", "0", "3" },
				     { "1", "1", "4" }, { "1", "1", "4" }, { "1", "1", "9" } };

	expect(pc, counts, "none");
}

TEST(a_line_that_devices_share_tells_nothing)
{
	const char *counts[6][3] = { { "0", "0", "1" },	 { "20", "0", "1" }, { "20", "0", "1" },
				     { "40", "0", "1" }, { "40", "0", "1" }, { "40", "0", "1" } };

	expect(pc, counts, "unknown: several devices share the line: ehci_hcd:usb1, geode,aes");
}

TEST(a_busy_device_leaves_it_unknown)
{
	/*
	 * Lines with as many interrupts when idle; with interrupts in one window only; and a second
	 * line that fits.
	 */
	const char *noisy[6][3] = { { "0", "0", "1" },	{ "0", "0", "21" }, { "0", "0", "21" },
				    { "0", "0", "41" }, { "0", "0", "41" }, { "0", "0", "61" } };
	const char *once[6][3] = { { "0", "0", "1" },  { "0", "0", "21" }, { "0", "0", "21" },
				   { "0", "0", "21" }, { "0", "0", "21" }, { "0", "0", "21" } };
	const char *both[6][3] = { { "0", "0", "0" },	{ "0", "20", "20" }, { "0", "20", "20" },
				   { "0", "40", "40" }, { "0", "40", "40" }, { "0", "40", "40" } };

	expect(pc, noisy, "unknown: another device interrupts meanwhile: eth0");
	expect(pc, once, "unknown: another device interrupts meanwhile: eth0");
	expect(pc, both, "unknown: another device interrupts meanwhile: eth0");
}

TEST(what_is_no_such_file_is_unknown)
{
	static const char *const texts[] = { "", "\n", "no heads\n 1: 2 x  y\n",
					     "  CPU0\n 1: x  y\n 2: 99999999999999999999" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct kc_raising r;

		for (int k = 0; k < 2; k++) {
			kc_interrupts_parse(&work[k].before, texts[i]);
			work[k].after = work[k].before;
		}
		idle = work[0];
		r = kc_interrupts_judge(work, &idle);
		assert_int_equal(r.is, i < 3 ? KC_RAISED_UNKNOWN : KC_RAISED_NONE);
	}
}

static const char alone[] = "1024 and 16384 bytes take 50.0 and 350.0 us";
static char with_software[200];

static void conclude(enum kc_doer by, const char *text, const enum kc_raised raised[2],
		     const uint64_t ns[2], uint64_t soft_short, uint64_t soft_long, uint64_t later)
{
	const struct kc_sample samples[] = { { 1024, raised[0], ns[0] },
					     { 16384, raised[1], ns[1] } };
	struct kc_evidence e = { .by = KC_DONE_UNTOLD };
	struct kc_pace paces[KC_PACES];

	for (int i = 0; i < KC_PACES; i++)
		paces[i] = (struct kc_pace){ { ns[0], ns[1] }, { soft_short, soft_long } };
	paces[KC_PACES - 1].software[1] = later;
	snprintf(with_software, sizeof(with_software), "%s, by soft %.1f and %.1f us", alone,
		 (double)soft_short / 1e3, (double)soft_long / 1e3);
	kc_evidence_conclude(&e, samples, 2, "one interrupt a request (x)", paces, "soft");
	assert_int_equal(e.by, by);
	assert_string_equal(e.text, text);
	assert_string_equal(e.times, soft_short ? with_software : alone);
}

TEST(where_there_are_no_interrupts_the_time_per_byte_tells)
{
	static const enum kc_raised none[] = { KC_RAISED_NONE, KC_RAISED_NONE };
	static const enum kc_raised some[] = { KC_RAISED_SOME, KC_RAISED_SOME };
	static const enum kc_raised long_ones[] = { KC_RAISED_NONE, KC_RAISED_SOME };
	static const enum kc_raised unknown[] = { KC_RAISED_UNKNOWN, KC_RAISED_NONE };
	static const uint64_t ns[] = { 50000, 350000 };

	conclude(KC_DONE_BY_DEVICE, "one interrupt a request (x)", some, ns, 20000, 320000, 320000);
	conclude(KC_DONE_BY_DEVICE,
		 "one interrupt a request (x), from 16384 to 16384 bytes; none at other lengths",
		 long_ones, ns, 20000, 320000, 320000);
	conclude(KC_DONE_BY_SOFTWARE,
		 "none: it takes the time of soft, so the kernel's software did it", none, ns,
		 20000, 330000, 330000);
	conclude(KC_DONE_BY_POLLING,
		 "none: the engine is polled, as it takes 0.50 times the time of soft", none, ns,
		 20000, 620000, 620000);
	conclude(KC_DONE_UNKNOWN, "none: the engine is polled, or the kernel's software did it",
		 none, ns, 0, 0, 0);
	/*
	 * On a busy machine the times vary: software's time in one case, the two ratios in another.
	 */
	conclude(KC_DONE_UNKNOWN, "none: the engine is polled, or the kernel's software did it",
		 none, ns, 20000, 330000, 620000);
	conclude(KC_DONE_UNKNOWN, "none: the engine is polled, or the kernel's software did it",
		 none, ns, 20000, 620000, 920000);
	conclude(KC_DONE_UNKNOWN, "one interrupt a request (x)", unknown, ns, 20000, 320000,
		 320000);
}
