/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config convert: turns the section of an old engine into the provider's. The engine's line
 * is commented out, and its section stays, so that disable restores everything.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/config/edit.h"
#include "cli/config/plan.h"
#include "cli/config/wanted.h"
#include "engine/engine_ids.h"
#include "policy/config_keys.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The provider's keys, and the commands with the same meaning. */
static const struct {
	const char *key, *command, *other;
} keys[] = {
	{ "ciphers", "CIPHERS", NULL },
	{ "digests", "DIGESTS", NULL },
	{ "soft_drivers", "USE_SOFTDRIVERS", "SOFT_DRIVERS" },
	{ "max_request", "MAX_REQUEST", NULL },
	{ "max_sessions", "MAX_SESSIONS", NULL },
	{ "verify", "VERIFY", NULL },
	{ "stats", "STATS", NULL },
	{ "seccomp", "SECCOMP", NULL },
	{ "backends", "BACKENDS", NULL },
};

/* The other commands, and why they are left behind; the last entry stands for any. */
static const struct {
	const char *command, *why;
} others[] = {
	{ "default_algorithms", "'default_properties = ?provider=kcrypto' takes its place" },
	{ "engine_id", "providers have none" },
	{ "dynamic_path", "OpenSSL finds the provider's file by its name" },
	{ "init", "providers have none" },
	{ "DUMP_INFO", "'kcrypto list --engine-format' prints the same" },
	{ NULL, "the provider knows no such key" },
};

/* Collects the keys. */
struct carrying {
	struct kc_setup *setup;
	const struct kc_id *id;
	const char *section;
	FILE *out;
};

static bool is_of_key(const char *name, size_t key)
{
	name = kc_state_skip_dot(name);
	return strcasecmp(name, keys[key].command) == 0 ||
	       (keys[key].other && strcasecmp(name, keys[key].other) == 0);
}

static void note(const struct carrying *c, const char *name, const char *why)
{
	char place[KC_PLACE_SIZE];

	fprintf(stderr, "note: %s: %s is not carried over: %s\n",
		kc_place_of(place, c->setup, c->section, name), name, why);
}

/*
 * Reports words of a list that the provider does not know, and those that need the provider legacy.
 */
static void look_at_words(const struct carrying *c, const char *name, const char *key,
			  const char *value)
{
	static struct kc_config config;
	char place[KC_PLACE_SIZE];

	kc_config_init(&config);
	config.legacy = true;
	kc_config_set(&config, key, value);
	kc_place_of(place, c->setup, c->section, name);
	for (unsigned i = 0; i < config.n_problems; i++)
		fprintf(stderr, "note: %s: '%s' means nothing to the provider: %s\n", place,
			config.problems[i].word, kc_reasons[config.problems[i].reason].text);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (config.row[i].is_named && kc_algs[i].legacy)
			fprintf(stderr,
				"note: %s: %.*s is used only if the provider 'legacy' is active\n",
				place, (int)strcspn(kc_algs[i].names, ":"), kc_algs[i].names);
}

/* A key that the provider's section already has stays as it is. */
static bool is_there(const struct carrying *c, const char *key)
{
	const struct kc_setup *setup = c->setup;
	STACK_OF(CONF_VALUE) *lines =
		setup->state.kcrypto ? NCONF_get_section(setup->cnf.conf, setup->state.kcrypto) :
				       NULL;

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++)
		if (strcasecmp(sk_CONF_VALUE_value(lines, i)->name, key) == 0)
			return true;
	return false;
}

/*
 * Joins the values of all lines for a key: usually the last one counts; with the id af_alg they add
 * up. Returns the last one's name, or NULL.
 */
static const char *join(const struct carrying *c, size_t key, char *value, size_t size)
{
	STACK_OF(CONF_VALUE) *lines = NCONF_get_section(c->setup->cnf.conf, c->section);
	const char *name = NULL;

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);
		size_t n = name && c->id->lists_add ? strlen(value) : 0;

		if (!is_of_key(line->name, key))
			continue;
		snprintf(value + n, size - n, "%s%s", n ? " " : "", line->value);
		name = line->name;
	}
	return name;
}

/* Handles different defaults of the old engines and the provider. */
static void carry_default(const struct carrying *c, const char *key)
{
	char place[KC_PLACE_SIZE];

	kc_place_of(place, c->setup, c->setup->state.engines, c->id->id);
	if (strcmp(key, "ciphers") == 0 && c->id->lists_add)
		kc_write_value(c->out, key, "NONE");
	if (strcmp(key, "digests") == 0 && strcmp(c->id->id, "devcrypto") == 0)
		fprintf(stderr,
			"note: %s: that engine used all digests if none were listed; kcrypto uses "
			"only listed ones, see 'digests' in kcrypto-provider(7)\n",
			place);
	if (strcmp(key, "soft_drivers") == 0 && strcmp(c->id->id, "kcrypto") != 0)
		fprintf(stderr,
			"note: %s: USE_SOFTDRIVERS is not set, and kcrypto then uses hardware only; "
			"the old engines also used drivers that may be either, as "
			"'soft_drivers = 2' does\n",
			place);
	if (strcmp(key, "backends") == 0 && c->id->backends)
		kc_write_value(c->out, key, c->id->backends);
}

static void carry_key(const struct carrying *c, size_t key)
{
	char value[4096] = "";
	const char *name = join(c, key, value, sizeof(value));

	if (name && is_there(c, keys[key].key)) {
		note(c, name, "the provider's section has that key already");
		return;
	}
	if (!name) {
		carry_default(c, keys[key].key);
		return;
	}
	kc_write_value(c->out, keys[key].key, value);
	look_at_words(c, name, keys[key].key, value);
}

/* Reports the commands that are left behind. */
static void leave_line(const struct carrying *c, const CONF_VALUE *line)
{
	const char *name = kc_state_skip_dot(line->name);
	size_t i = 0;

	for (size_t key = 0; key < ARRAY_SIZE(keys); key++)
		if (is_of_key(line->name, key))
			return;
	while (others[i].command && strcasecmp(others[i].command, name) != 0)
		i++;
	if (i || strcasecmp(line->value, "ALL") != 0)
		note(c, line->name, others[i].why);
}

/* Makes the lines for the provider's section. */
static int carry(struct kc_setup *setup, const char *section, const struct kc_id *id,
		 struct kc_text *lines)
{
	STACK_OF(CONF_VALUE) *commands = NCONF_get_section(setup->cnf.conf, section);
	struct carrying c = { .setup = setup, .id = id, .section = section };

	*lines = (struct kc_text){ .at = NULL };
	c.out = open_memstream(&lines->at, &lines->len);
	if (!c.out)
		return -ENOMEM;
	for (size_t key = 0; key < ARRAY_SIZE(keys); key++)
		carry_key(&c, key);
	for (int i = 0; i < sk_CONF_VALUE_num(commands); i++)
		leave_line(&c, sk_CONF_VALUE_value(commands, i));
	return fclose(c.out) == 0 ? 0 : -ENOMEM;
}

static int comment_out(struct kc_setup *setup, const char *section, const char *name)
{
	struct kc_where where = kc_cnf_where(&setup->cnf, section, name);
	struct kc_text text = { .at = NULL }, after;
	int err = where.file ? kc_files_read(&setup->files, where.file, &text) : -ENOENT;

	if (!err)
		err = kc_edit_comment(&text, where.line, &after);
	kc_text_free(&text);
	if (err)
		return kc_setup_refuse(setup, err, "%s%s: the line of the engine %s is not found",
				       setup->files.root, setup->layout.main, name);
	return kc_plan_file(setup, where.file, after);
}

/* Turns one engine off. With UCI, an entry makes its line. */
static int turn_off(struct kc_setup *setup, const char *name)
{
	if (setup->layout.kind == KC_LAYOUT_UCI)
		return kc_plan_uci(setup, "engine", name, false);
	return comment_out(setup, setup->state.engines, name);
}

/* Turns off all engines of ours; programs got the algorithms of the last one. */
static int turn_off_engines(struct kc_setup *setup, struct kc_text *lines)
{
	STACK_OF(CONF_VALUE) *engines = NCONF_get_section(setup->cnf.conf, setup->state.engines);
	int n = sk_CONF_VALUE_num(engines), rest = 0, err = 0;
	char place[KC_PLACE_SIZE];

	for (int i = n - 1; !err && i >= 0; i--) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(engines, i);
		const char *id = kc_cnf_get(&setup->cnf, line->value, "engine_id");
		const struct kc_id *ours = kc_id_find(id ? id : kc_state_skip_dot(line->name));

		rest += !ours;
		if (!ours)
			continue;
		if (lines->at)
			fprintf(stderr,
				"note: %s: programs got a later engine's algorithms, so the "
				"section of %s is not carried over\n",
				kc_place_of(place, setup, setup->state.engines, line->name),
				line->name);
		else
			err = carry(setup, line->value, ours, lines);
		if (!err)
			err = turn_off(setup, line->name);
	}
	if (!err && !rest && setup->layout.kind != KC_LAYOUT_UCI)
		err = comment_out(setup, setup->state.init, "engines");
	return err;
}

static int convert(struct kc_setup *setup)
{
	struct kc_text lines = { .at = NULL };
	int err = turn_off_engines(setup, &lines);

	if (!err && setup->layout.kind == KC_LAYOUT_UCI)
		err = kc_plan_uci(setup, "provider", "kcrypto", true);
	if (!err)
		err = kc_setup_read_planned(setup);
	if (!err)
		err = kc_plan_lines(setup, lines.at ? lines.at : "");
	kc_text_free(&lines);
	return err ? kc_failure(setup->error) : kc_plan_finish(setup, true);
}

int kc_config_convert(struct kc_setup *setup)
{
	if (!setup->layout.has_providers)
		return kc_failure("providers need OpenSSL 3.0 or later; keep the engine here");
	if (!setup->state.engine) {
		printf("nothing to do: no old engine is configured\n");
		return KC_EXIT_OK;
	}
	return convert(setup);
}
