/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config show and check: which file, which layout, and what is on; and the links of kcrypto
 * doctor's chain that openssl.cnf makes.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/screen.h"

static void show_layout(const struct kc_setup *setup)
{
	static const char *const manner[] = {
		[KC_LAYOUT_PLAIN] = "in openssl.cnf itself",
		[KC_LAYOUT_OWN_FILE] = "in a file that openssl.cnf includes",
		[KC_LAYOUT_DIRECTORY] = "in a directory that openssl.cnf includes",
		[KC_LAYOUT_UCI] = ("in a directory that openssl.cnf includes, and an entry in "
				   "/etc/config/openssl"),
	};
	const struct kc_layout *layout = &setup->layout;

	printf("openssl.cnf: %s%s\n", setup->files.root, layout->main);
	printf("layout: %s: kcrypto's lines go %s\n", layout->system, manner[layout->kind]);
	printf("file for kcrypto: %s%s\n", setup->files.root, layout->own);
}

/* Prints one setting: whether it is on, and where. */
static void show(const struct kc_setup *setup, const char *what, const char *is,
		 const char *section, const char *name)
{
	struct kc_where where = kc_cnf_where(&setup->conf.cnf, section, name);
	char place[KC_PLACE_SIZE];

	printf("%s: %s%s%s\n", what, is, where.file ? ", by " : "",
	       where.file ? kc_cnf_place(place, &setup->conf.cnf, where) : "");
}

static const char *is_base_on(const struct kc_parts *parts)
{
	if (parts->is_base_active)
		return "on";
	return parts->is_active || parts->other ? "off" : "on, because no other is";
}

static void show_provider(const struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;
	bool is_kept = parts->random_query || !setup->layout.wants_random;

	show(setup, "provider kcrypto", parts->is_active ? "on" : "off", parts->kcrypto,
	     "activate");
	show(setup, "provider default", is_base_on(parts), parts->base, "activate");
	show(setup, "default properties", parts->query ? parts->query : "none", parts->algorithms,
	     "default_properties");
	show(setup, "random numbers", is_kept ? "kept apart" : "not kept apart", parts->random,
	     "properties");
	show(setup, "kTLS", parts->has_ktls ? "on" : "off", parts->tls, "Options");
}

int kc_config_show(struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;

	show_layout(setup);
	if (setup->layout.has_providers)
		show_provider(setup);
	show(setup, "engine", parts->id ? parts->id->id : "none", parts->engines,
	     parts->engine ? parts->engine : "");
	return KC_EXIT_OK;
}

int kc_config_check(struct kc_setup *setup)
{
	const struct kc_diagnosis *d = kc_setup_judge(setup);
	const struct kc_parts *parts = &setup->conf.parts;

	kc_diagnosis_print(d, stdout);
	putchar('\n');
	if (kc_diagnosis_print_worst(d, stdout))
		return KC_EXIT_FAILED;
	kc_paint(stdout, KC_GREEN, 0, "ok");
	printf(": %s%s: %s\n", setup->files.root, setup->layout.main,
	       parts->is_active ? "kcrypto is on" :
	       parts->id	? "kcrypto is on as an engine" :
				  "kcrypto is off");
	return KC_EXIT_OK;
}
