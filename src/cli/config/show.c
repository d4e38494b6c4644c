/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto config show: prints which file, which layout, and what is on. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/config/setup.h"

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
	struct kc_where where = kc_cnf_where(&setup->cnf, section, name);
	char place[KC_PLACE_SIZE];

	printf("%s: %s%s%s\n", what, is, where.file ? ", by " : "",
	       where.file ? kc_place(place, setup, where) : "");
}

static const char *is_base_on(const struct kc_state *state)
{
	if (state->is_base_active)
		return "on";
	return state->is_active || state->other ? "off" : "on, because no other is";
}

static void show_provider(const struct kc_setup *setup)
{
	const struct kc_state *state = &setup->state;
	bool is_kept = state->random_query || !setup->layout.wants_random;

	show(setup, "provider kcrypto", state->is_active ? "on" : "off", state->kcrypto,
	     "activate");
	show(setup, "provider default", is_base_on(state), state->base, "activate");
	show(setup, "default properties", state->query ? state->query : "none", state->algorithms,
	     "default_properties");
	show(setup, "random numbers", is_kept ? "kept apart" : "not kept apart", state->random,
	     "properties");
	show(setup, "kTLS", state->has_ktls ? "on" : "off", state->tls, "Options");
}

int kc_config_show(struct kc_setup *setup)
{
	show_layout(setup);
	if (setup->layout.has_providers)
		show_provider(setup);
	show(setup, "engine", setup->state.engine_id ? setup->state.engine_id : "none",
	     setup->state.engines, setup->state.engine ? setup->state.engine : "");
	return KC_EXIT_OK;
}
