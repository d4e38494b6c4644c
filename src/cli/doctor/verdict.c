/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto without a command: five lines about this machine, which need no configuration and no
 * root.
 */
#include "cli/doctor/verdict.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench/board.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/gain.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/text.h"

static void say(const char *label, const char *text)
{
	kc_paint(stdout, KC_BOLD, 13, label);
	kc_wrap(stdout, 13, 13, text);
}

static void say_cpu(const struct kc_found *found)
{
	static const char *const speeds[] = { "without AES instructions",
					      "with AES instructions: software is hard to beat" };
	const char *words = kc_json_get(found->machine, "cpu_instructions");
	bool has_aes = strstr(words, "\"aes\"") || strstr(words, "\"msa\"");
	char text[512];

	snprintf(text, sizeof(text), "%s, %s", kc_json_get(found->machine, "soc"), speeds[has_aes]);
	say("CPU", text);
}

/* Returns the accelerator's best driver, for the most popular cipher, else for any. */
static const struct kc_candidate *find_hardware(const struct kc_found *found)
{
	const struct kc_candidate *any = NULL;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = found->offers.policy.row[i]; c; c = c->next) {
			if (c->nature != KC_HARDWARE || c->alg->kind > KC_AEAD)
				continue;
			if (strcmp(kc_alg_name(c->alg), "AES-256-CBC") == 0)
				return c;
			if (!any)
				any = c;
		}
	return any;
}

static void say_accelerator(const struct kc_found *found, const struct kc_candidate *hardware)
{
	char text[512] = "none that this kernel knows";
	struct kc_list list = { text, sizeof(text) };

	for (size_t i = 0; i < found->n_bound; i++)
		kc_list_add(&list, "; ", "%s at %s, kernel module %s", found->bound[i].driver,
			    found->bound[i].name, found->bound[i].module);
	if (!list.n && found->n_devices)
		kc_list_add(&list, "; ", "%s, without a driver", found->device[0].name);
	if (hardware)
		kc_list_add(&list, "; ", "driver %s", hardware->driver);
	say("accelerator", text);
}

static void say_state(const struct kc_diagnosis *d, const struct kc_candidate *hardware)
{
	const struct kc_symptom *worst = kc_diagnosis_worst(d);
	const char *backend = "";
	char text[1024];

	if (hardware)
		backend = hardware->backend->names[0];
	if (worst)
		snprintf(text, sizeof(text), "%s: %s", kc_diagnosis_verdict(d), worst->text);
	else if (kc_diagnosis_off(d))
		snprintf(text, sizeof(text), "off: openssl.cnf has no line for it%s%s",
			 kc_lead("; it would use ", backend), backend);
	else
		snprintf(text, sizeof(text), "%s%s%s", kc_diagnosis_verdict(d),
			 kc_lead(", by ", backend), backend);
	say("kcrypto", text);
}

/* False: there is nothing to gain. */
static bool say_gain(const struct kc_found *found, const struct kc_candidate *hardware)
{
	char text[256] = "none: software does everything";
	bool may_gain = hardware && kc_gain_tell(text, sizeof(text), &found->conf.config, hardware);

	say("gain", text);
	return may_gain;
}

/*
 * Finds the directory of a build that is not installed: this file's, if the module is there, too.
 */
static bool find_build(char *dir, size_t size)
{
	char module[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", dir, size - 1);
	char *slash;

	if (n <= 0)
		return false;
	dir[n] = '\0';
	slash = strrchr(dir, '/');
	if (!slash)
		return false;
	*slash = '\0';
	n = snprintf(module, sizeof(module), "%s/kcrypto.so", dir);
	if ((size_t)n >= sizeof(module))
		return false;
	return access(module, F_OK) == 0;
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
	else if (is_installed)
		say("next", "nothing: kcrypto gains nothing on this machine");
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
	kc_progress("looking at the kernel's drivers ...");
	kc_offers_find(&found.offers, &found.conf, KC_TRIAL_SECONDS, KC_LOOK_BRIEFLY);
	kc_found_devices(&found);
	kc_diagnose(&d, &found, KC_OF_DOCTOR);
	hardware = find_hardware(&found);
	kc_progress_end();
	say_cpu(&found);
	say_accelerator(&found, hardware);
	say_state(&d, hardware);
	if (!say_gain(&found, hardware))
		hardware = NULL;
	say_next(&d, hardware, is_installed);
	json_object_put(found.machine);
	return KC_EXIT_OK;
}
