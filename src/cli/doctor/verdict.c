/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto without a command: five lines about this machine, before any configuration and without
 * root. What an accelerator gains is measured for a few seconds by kcrypto bench, in a process of
 * its own.
 */
#include "cli/doctor/verdict.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench/board.h"
#include "cli/child.h"
#include "cli/doctor/doctor.h"
#include "cli/screen.h"
#include "cli/table.h"

#define SIZES	"4096,16384,65536"
#define SECONDS "5"
#define MAX_OUT 262144 /* bytes of bench's JSON */

static void say(const char *label, const char *text)
{
	kc_paint(stdout, KC_BOLD, 13, label);
	kc_wrap(stdout, 13, 13, text);
}

static void say_cpu(const struct kc_found *found)
{
	const char *words = kc_json_get(found->machine, "cpu_instructions");
	bool has_aes = strstr(words, "\"aes\"") || strstr(words, "\"msa\"");
	char text[512];

	snprintf(text, sizeof(text), "%s, %s", kc_json_get(found->machine, "soc"),
		 has_aes ? "with AES instructions: software is hard to beat" :
			   "without AES instructions");
	say("CPU", text);
}

/* The accelerator's best driver, for the cipher that is asked for most, else for any. */
static const struct kc_candidate *find_hardware(const struct kc_found *found)
{
	const struct kc_candidate *any = NULL;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = found->offers.policy.row[i]; c; c = c->next) {
			if (c->nature != KC_HARDWARE || c->alg->kind > KC_AEAD)
				continue;
			if (strcmp(kc_alg_name(c->alg), "AES-256-CBC") == 0)
				return c;
			any = any ? any : c;
		}
	return any;
}

static void say_accelerator(const struct kc_found *found, const struct kc_candidate *hardware)
{
	char text[512] = "none that this kernel knows";
	size_t n = 0;

	for (size_t i = 0; i < found->n_bound && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s at %s, kernel module %s",
				      n ? "; " : "", found->bound[i].driver, found->bound[i].name,
				      found->bound[i].module);
	if (!n && found->n_devices)
		n = (size_t)snprintf(text, sizeof(text), "%s, without a driver",
				     found->device[0].name);
	if (!hardware || n >= sizeof(text))
		n = sizeof(text);
	if (n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, "%sdriver %s", n ? "; " : "",
			 hardware->driver);
	say("accelerator", text);
}

static void say_state(const struct kc_diagnosis *d, const struct kc_candidate *hardware)
{
	const struct kc_symptom *worst = kc_diagnosis_worst(d);
	const char *backend = hardware ? hardware->backend->names[0] : NULL;
	char text[1024];

	if (worst)
		snprintf(text, sizeof(text), "%s: %s", kc_diagnosis_verdict(d), worst->text);
	else if (kc_diagnosis_off(d))
		snprintf(text, sizeof(text), "off: openssl.cnf has no line for it%s%s",
			 backend ? "; it would use " : "", backend ? backend : "");
	else
		snprintf(text, sizeof(text), "%s%s%s", kc_diagnosis_verdict(d),
			 backend ? ", by " : "", backend ? backend : "");
	say("kcrypto", text);
}

static void run_bench(void *algorithm, int fd)
{
	dup2(fd, STDOUT_FILENO);
	(void)!freopen("/dev/null", "w", stderr);
	execl("/proc/self/exe", "kcrypto", "bench", "--json", "--algorithms", (char *)algorithm,
	      "--sizes", SIZES, "--seconds", SECONDS, (char *)NULL);
}

/* The rows that bench prints. The caller releases them; NULL: it gave none. */
static struct json_object *measure(const char *algorithm)
{
	static char text[MAX_OUT];
	struct kc_child child;
	size_t n = 0;

	if (kc_child_start(&child, run_bench, (void *)algorithm)) {
		n = kc_child_read_all(&child, text, sizeof(text) - 1, 60);
		kc_child_end(&child);
	}
	text[n] = '\0';
	return n ? json_tokener_parse(text) : NULL;
}

static double number_of(struct json_object *row, const char *key)
{
	struct json_object *o = json_object_object_get(row, key);

	return o ? json_object_get_double(o) : 0;
}

/* The row of this contender and size; NULL: there is none. */
static struct json_object *find_row(struct json_object *rows, const char *line, double size)
{
	for (size_t i = 0; rows && i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (strcmp(kc_json_get(row, "line"), line) == 0 && number_of(row, "size") == size)
			return row;
	}
	return NULL;
}

/* What bench saw of the device, behind a gain: the gain is true in any case. */
static const char *doubt_about(struct json_object *row)
{
	return strcmp(kc_json_get(row, "kind"), "hardware?") == 0 ?
		       "; whether the device did it was not to be seen" :
		       "";
}

/*
 * The shortest measured request at which the accelerator is faster, and its gain there. False: the
 * kernel's software did what was measured.
 */
static bool put_gain(char *text, size_t size, struct json_object *rows,
		     const struct kc_candidate *hardware)
{
	const char *name = kc_alg_name(hardware->alg);
	bool is_measured = false, is_software = false;

	for (double bytes = 4096; bytes <= 65536; bytes *= 4) {
		struct json_object *soft = find_row(rows, "software", bytes);
		struct json_object *kernel = find_row(rows, hardware->backend->names[0], bytes);
		double from = number_of(soft, "mb_per_s"), to = number_of(kernel, "mb_per_s");
		double cpu = number_of(soft, "machine_s_per_gb");

		is_measured |= from > 0 && to > 0;
		is_software |= strcmp(kc_json_get(kernel, "done_by"), "software") == 0;
		if (is_software || from <= 0 || to <= from)
			continue;
		snprintf(text, size,
			 "%s in requests of %.0f KiB: %.1f times as fast, %.0f%% of "
			 "the CPU time%s",
			 name, bytes / 1024, to / from,
			 cpu > 0 ? 100 * number_of(kernel, "machine_s_per_gb") / cpu : 100,
			 doubt_about(kernel));
		return true;
	}
	if (is_software)
		snprintf(text, size, "none: %s had the kernel's software do %s", hardware->driver,
			 name);
	else if (is_measured)
		snprintf(text, size, "none with %s: software is faster up to 64 KiB", name);
	else
		snprintf(text, size, "unknown: %s could not be measured", name);
	return !is_software;
}

/* False: there is nothing to gain. */
static bool say_gain(const struct kc_candidate *hardware)
{
	struct json_object *told = NULL;
	char text[256];
	bool may_gain;

	if (!hardware) {
		say("gain", "none: software does everything");
		return false;
	}
	if (isatty(STDERR_FILENO))
		fputs("measuring for " SECONDS " seconds ...\r", stderr);
	told = measure(kc_alg_name(hardware->alg));
	may_gain = put_gain(text, sizeof(text), told ? json_object_object_get(told, "rows") : NULL,
			    hardware);
	json_object_put(told);
	say("gain", text);
	return may_gain;
}

/* The directory of a build that is not installed: this file's, if the module is there, too. */
static bool find_build(char *dir, size_t size)
{
	char module[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", dir, size - 1);
	char *slash;

	dir[n > 0 ? n : 0] = '\0';
	slash = strrchr(dir, '/');
	if (!slash)
		return false;
	*slash = '\0';
	n = snprintf(module, sizeof(module), "%s/kcrypto.so", dir);
	return (size_t)n < sizeof(module) && access(module, F_OK) == 0;
}

static void say_next(const struct kc_diagnosis *d, const struct kc_candidate *hardware,
		     bool is_installed)
{
	const struct kc_symptom *first = kc_diagnosis_worst(d);

	if (!first && hardware)
		first = kc_diagnosis_off(d);
	if (hardware && !is_installed)
		say("next", "sudo make install");
	else if (first && first->command[0])
		say("next", first->command);
	else if (first)
		say("next", "kcrypto doctor");
	else if (hardware)
		say("next", "kcrypto bench -- COMMAND: your own program, without and with it");
	else
		say("next", "nothing: there is no need to install kcrypto here");
}

int kc_verdict_print(void)
{
	static struct kc_found found;
	static struct kc_diagnosis d;
	const struct kc_candidate *hardware;
	char build[PATH_MAX];
	bool is_installed = !find_build(build, sizeof(build));

	if (!is_installed)
		setenv("OPENSSL_MODULES", build, 0);
	found.root = "";
	found.machine = kc_bench_machine("");
	kc_found_conf(&found, NULL);
	kc_found_kernel(&found);
	kc_offers_find(&found.offers, &found.conf, KC_TRIAL_SECONDS, KC_LOOK_BRIEFLY);
	kc_found_devices(&found);
	kc_diagnose(&d, &found, KC_OF_DOCTOR);
	hardware = find_hardware(&found);
	say_cpu(&found);
	say_accelerator(&found, hardware);
	say_state(&d, hardware);
	if (!say_gain(hardware))
		hardware = NULL;
	say_next(&d, hardware, is_installed);
	json_object_put(found.machine);
	return KC_EXIT_OK;
}
