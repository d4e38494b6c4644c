/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows openssl.cnf by libcrypto's own parser, with the rules of its providers module: which
 * section is ours, and how sub-sections become keys with dots. Loads no provider.
 */
#include "cli/conf.h"

#include <errno.h>
#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/word.h"

#define MAX_LINES 64
#define MAX_DEPTH 8	/* of sub-sections; whatever is deeper is taken for a circle */

/* A section as OpenSSL hands it to a provider. */
struct lines {
	struct {
		char key[128];
		const char *value;	/* the CONF's */
		bool used;
	} v[MAX_LINES];
	size_t n;
	bool is_endless;	/* a section contains itself: OpenSSL gives up then */
};

/* What an entry of the providers section comes to. */
struct entry {
	const char *name, *module;	/* module may be NULL */
	const char *activate;		/* NULL: not there */
};

/* The value of @name in this section only: NCONF_get_string() would look elsewhere, too. */
static const char *get(const CONF *cnf, const char *section, const char *name)
{
	STACK_OF(CONF_VALUE) *values = NCONF_get_section(cnf, section);
	const char *found = NULL;

	for (int i = 0; i < sk_CONF_VALUE_num(values); i++) {
		const CONF_VALUE *v = sk_CONF_VALUE_value(values, i);

		if (strcmp(v->name, name) == 0)
			found = v->value;
	}
	return found;
}

/* OpenSSL ignores what stands before the first dot of some names: "1.kcrypto". */
static const char *skip_dot(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? dot + 1 : name;
}

static struct entry read_entry(const CONF *cnf, const CONF_VALUE *provider)
{
	STACK_OF(CONF_VALUE) *values = NCONF_get_section(cnf, provider->value);
	struct entry entry = { .name = skip_dot(provider->name) };

	for (int i = 0; i < sk_CONF_VALUE_num(values); i++) {
		const CONF_VALUE *v = sk_CONF_VALUE_value(values, i);
		const char *name = skip_dot(v->name);

		if (strcmp(name, "identity") == 0)
			entry.name = v->value;
		else if (strcmp(name, "module") == 0)
			entry.module = v->value;
		else if (strcmp(name, "activate") == 0)
			entry.activate = v->value;
	}
	return entry;
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

static bool is_ours(const struct entry *entry)
{
	if (strcmp(entry->name, "kcrypto") == 0)
		return true;
	return entry->module && (strcmp(entry->module, "kcrypto") == 0 ||
				 ends_in(entry->module, "kcrypto.so"));
}

/* Before OpenSSL 3.2 the word activate was enough, whatever its value. */
static bool is_active(const struct entry *entry)
{
	static const char *const off[] = { "0", "no", "false", "off" };

	if (OpenSSL_version_num() < 0x30200000L)
		return entry->activate != NULL;
	for (size_t i = 0; entry->activate && i < sizeof(off) / sizeof(off[0]); i++)
		if (strcasecmp(entry->activate, off[i]) == 0)
			return false;
	return entry->activate != NULL;
}

static void add_lines(struct lines *lines, const CONF *cnf, const char *section,
		      const char *prefix, int depth)
{
	STACK_OF(CONF_VALUE) *values = NCONF_get_section(cnf, section);

	lines->is_endless |= depth == MAX_DEPTH;
	for (int i = 0; i < sk_CONF_VALUE_num(values) && lines->n < MAX_LINES; i++) {
		const CONF_VALUE *v = sk_CONF_VALUE_value(values, i);
		char key[sizeof(lines->v[0].key)];

		if (lines->is_endless)
			return;
		snprintf(key, sizeof(key), "%s%s%s", prefix, *prefix ? "." : "", v->name);
		if (NCONF_get_section(cnf, v->value)) {
			add_lines(lines, cnf, v->value, key, depth + 1);
			continue;
		}
		memcpy(lines->v[lines->n].key, key, sizeof(key));
		lines->v[lines->n++].value = v->value;
	}
}

/* Is @key known but for its case? The spelling to use goes to @buf. */
static bool spelt_otherwise(const char *key, char *buf, size_t size)
{
	for (size_t i = 0; kc_config_key(i, buf, size); i++)
		if (strcasecmp(key, buf) == 0)
			return true;
	return false;
}

static void add_unseen(struct kc_config *config, const char *key, const char *nearest)
{
	struct kc_problem *problem = config->problems;

	if (config->n_problems < KC_MAX_PROBLEMS) {
		problem += config->n_problems;
		problem->reason = KC_UNSEEN_KEY;
		kc_word_show(problem->key, sizeof(problem->key), kc_word_trim(key));
		kc_word_show(problem->word, sizeof(problem->word), kc_word_trim(key));
		kc_word_show(problem->nearest, sizeof(problem->nearest), kc_word_trim(nearest));
	}
	config->n_problems++;
}

/* As the provider does it: it can't list the section, so it asks for each spelling in turn. */
static void apply_lines(struct lines *lines, struct kc_config *config)
{
	char buf[128];

	for (size_t i = 0; kc_config_key(i, buf, sizeof(buf)); i++) {
		const char *value = NULL;

		for (size_t j = 0; j < lines->n; j++) {
			if (strcmp(lines->v[j].key, buf) != 0)
				continue;
			lines->v[j].used = true;
			value = lines->v[j].value;
		}
		if (value)
			kc_config_set(config, buf, value);
	}
	for (size_t j = 0; j < lines->n; j++) {
		if (lines->v[j].used)
			continue;
		if (spelt_otherwise(lines->v[j].key, buf, sizeof(buf)))
			add_unseen(config, lines->v[j].key, buf);
		else
			kc_config_set(config, lines->v[j].key, lines->v[j].value);
	}
}

/* Reads our section, and says what is missing around it. */
static void read_providers(struct kc_conf *conf, const CONF *cnf, const char *section,
			   struct kc_config *config, struct kc_notes *notes)
{
	STACK_OF(CONF_VALUE) *providers = NCONF_get_section(cnf, section);
	bool active = false, has_default = false;
	struct lines lines = { .n = 0 };

	for (int i = 0; i < sk_CONF_VALUE_num(providers); i++) {
		const CONF_VALUE *v = sk_CONF_VALUE_value(providers, i);
		struct entry entry = read_entry(cnf, v);

		if (!NCONF_get_section(cnf, v->value))
			kc_note(notes, "[%s] names the section [%s], which is missing: OpenSSL "
				"stops reading there", section, v->value);
		has_default |= strcmp(entry.name, "default") == 0 && is_active(&entry);
		if (!is_ours(&entry) || conf->section[0])
			continue;
		snprintf(conf->section, sizeof(conf->section), "%s", v->value);
		active = is_active(&entry);
		add_lines(&lines, cnf, v->value, "", 0);
	}
	if (!conf->section[0]) {
		kc_note(notes, "applications do not load kcrypto: no line for it in [%s]", section);
		return;
	}
	if (!active)
		kc_note(notes, "applications do not load kcrypto: 'activate = 1' is missing in "
			"[%s]", conf->section);
	if (!has_default)
		kc_note(notes, "the default provider is not activated in [%s]: beside an activated "
			"kcrypto most of OpenSSL is missing, and kcrypto offers nothing", section);
	if (lines.is_endless)
		kc_note(notes, "applications do not load kcrypto: the section [%s] contains itself",
			conf->section);
	else
		apply_lines(&lines, config);
}

/* Is kcrypto preferred where several providers have an algorithm? */
static void check_preference(const CONF *cnf, const char *init, struct kc_notes *notes)
{
	const char *section = get(cnf, init, "alg_section");
	const char *query = section ? get(cnf, section, "default_properties") : NULL;
	char text[512];
	size_t n = 0;

	for (; query && *query && n + 1 < sizeof(text); query++)
		if (*query != ' ' && *query != '\t')
			text[n++] = *query;
	text[n] = '\0';
	if (strstr(text, "?provider=kcrypto"))
		return;
	if (strstr(text, "provider=kcrypto"))
		kc_note(notes, "default_properties in [%s] demands kcrypto for everything, so most "
			"of OpenSSL is missing: write '?provider=kcrypto'", section);
	else
		kc_note(notes, "only applications that ask for kcrypto by name use it: "
			"'default_properties = ?provider=kcrypto' is missing%s%s%s",
			section ? " in [" : "; see alg_section in kcrypto-provider(7)",
			section ? section : "", section ? "]" : "");
}

static void read_init(struct kc_conf *conf, const CONF *cnf, struct kc_config *config,
		      struct kc_notes *notes)
{
	static const char none[] = "applications do not load kcrypto";
	const char *init = NCONF_get_string(cnf, NULL, "openssl_conf");
	const char *providers;

	if (!init) {
		kc_note(notes, "%s: no line 'openssl_conf = ...' before the first section", none);
		return;
	}
	if (!NCONF_get_section(cnf, init)) {
		kc_note(notes, "%s: the section [%s], which openssl_conf names, is missing", none,
			init);
		return;
	}
	providers = get(cnf, init, "providers");
	if (!providers || !NCONF_get_section(cnf, providers)) {
		kc_note(notes, "%s: no providers section in [%s]", none, init);
		return;
	}
	read_providers(conf, cnf, providers, config, notes);
	if (conf->section[0])
		check_preference(cnf, init, notes);
}

static void load(struct kc_conf *conf, CONF *cnf, struct kc_config *config, struct kc_notes *notes)
{
	long line = -1;

	if (access(conf->file, R_OK) != 0) {
		kc_note(notes, "applications do not load kcrypto: %s: %s", conf->file,
			strerror(errno));
		return;
	}
	if (NCONF_load(cnf, conf->file, &line) <= 0) {
		const char *why = ERR_reason_error_string(ERR_peek_last_error());

		kc_note(notes, "applications do not load kcrypto: %s, line %ld: %s", conf->file,
			line, why ? why : "unreadable");
		return;
	}
	conf->is_read = true;
	read_init(conf, cnf, config, notes);
}

void kc_conf_read(struct kc_conf *conf, const char *file, struct kc_config *config,
		  struct kc_notes *notes)
{
	char *found = file ? NULL : CONF_get1_default_config_file();
	CONF *cnf = NCONF_new(NULL);

	memset(conf, 0, sizeof(*conf));
	snprintf(conf->file, sizeof(conf->file), "%s", file ? file : found ? found : "");
	if (!conf->file[0])
		kc_note(notes, "applications do not load kcrypto: OPENSSL_CONF is empty");
	else if (cnf)
		load(conf, cnf, config, notes);
	NCONF_free(cnf);
	OPENSSL_free(found);
	ERR_clear_error();
}
