/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto config check: reports what is wrong with the configuration, and in which line. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/config/loading.h"
#include "cli/config/setup.h"
#include "cli/screen.h"

/* The state of one check. */
struct checking {
	const struct kc_setup *setup;
	unsigned broken;
};

static void complain(struct checking *c, struct kc_where where, const char *why)
{
	char place[KC_PLACE_SIZE];

	kc_paint(stdout, KC_RED, 0, "broken");
	printf(": %s: %s\n", kc_place(place, c->setup, where), why);
	c->broken++;
}

static void note(const struct checking *c, struct kc_where where, const char *what)
{
	char place[KC_PLACE_SIZE];

	kc_paint(stdout, KC_YELLOW, 0, "note");
	printf(": %s: %s\n", kc_place(place, c->setup, where), what);
}

/* A line of the section @of names a section, which must exist. */
static void check_section(struct checking *c, const char *of, const char *name)
{
	const char *section = kc_cnf_get(&c->setup->cnf, of, name);
	char why[2 * KC_NAME_SIZE];

	if (!section || NCONF_get_section(c->setup->cnf.conf, section))
		return;
	snprintf(why, sizeof(why), "there is no section [%s]", section);
	complain(c, kc_cnf_where(&c->setup->cnf, of, name), why);
}

/* openssl_conf is read from the section default, the one before the first. */
static void check_start(struct checking *c)
{
	const struct kc_cnf *cnf = &c->setup->cnf;
	struct kc_lines lines;

	if (!kc_lines_open(&lines, cnf->text.at, cnf->text.len, "default"))
		return;
	while (!c->setup->state.init && kc_lines_next(&lines))
		if (lines.line.kind == KC_LINE_VALUE &&
		    strcmp(lines.line.name, "openssl_conf") == 0)
			complain(c, cnf->where[lines.line.number - 1],
				 "'openssl_conf' counts only before the first section");
	kc_lines_close(&lines);
}

static void check_sections(struct checking *c)
{
	static const char *const names[] = { "providers", "alg_section", "random", "ssl_conf",
					     "engines" };
	const struct kc_state *state = &c->setup->state;

	check_section(c, "default", "openssl_conf");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_section(c, state->init, names[i]);
}

static void check_provider(struct checking *c)
{
	const struct kc_setup *setup = c->setup;
	const struct kc_state *state = &setup->state;
	const struct kc_cnf *cnf = &setup->cnf;
	struct kc_where query = kc_cnf_where(cnf, state->algorithms, "default_properties");

	if (state->kcrypto && !state->is_active)
		note(c, kc_cnf_where(cnf, state->kcrypto, "activate"),
		     "the provider kcrypto is named, but not activated");
	if (!state->is_active)
		return;
	if (!state->is_base_active)
		complain(
			c, kc_cnf_where(cnf, state->base, "activate"),
			"the provider default is not active: most of OpenSSL is missing, and kcrypto "
			"offers nothing");
	if (state->is_only)
		complain(c, query,
			 "'provider=kcrypto' hides most of OpenSSL: write "
			 "'?provider=kcrypto'");
	else if (!state->is_preferred)
		note(c, query,
		     "only programs that ask for kcrypto by name use it: "
		     "'default_properties = ?provider=kcrypto' is missing");
	if (setup->layout.wants_random && !state->random_query)
		note(c, (struct kc_where){ NULL },
		     "random numbers are not kept with the default provider, as OpenSSL 3.0 to 3.4 "
		     "need");
	if (state->engine)
		complain(c, kc_cnf_where(cnf, state->engines, state->engine),
			 "programs get this engine's algorithms in place of the provider's");
}

/* Below another root, neither modules nor libcrypto are this system's. */
static void check_loading(struct checking *c)
{
	char why[KC_WHY_SIZE];
	const char *problem = NULL;

	if (!*c->setup->files.root)
		problem = kc_load(&c->setup->cnf, true, why);
	if (problem)
		complain(c, (struct kc_where){ NULL }, problem);
}

int kc_config_check(struct kc_setup *setup)
{
	struct checking c = { .setup = setup };
	char place[KC_PLACE_SIZE];

	check_start(&c);
	check_sections(&c);
	check_provider(&c);
	check_loading(&c);
	if (c.broken)
		return KC_EXIT_FAILED;
	kc_paint(stdout, KC_GREEN, 0, "ok");
	printf(": %s: %s\n", kc_place(place, setup, (struct kc_where){ NULL }),
	       setup->state.is_active ? "kcrypto is on" :
	       setup->state.engine    ? "kcrypto is on as an engine" :
					"kcrypto is off");
	return KC_EXIT_OK;
}
