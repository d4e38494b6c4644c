/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads openssl.cnf with libcrypto's own parser and by the rules of its provider and engine
 * modules: finds our section, and the part of it that reaches us. Loads neither.
 */
#include "cli/conf.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "policy/config_keys.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_LINES     128
#define UPPER	      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* A section as OpenSSL passes it to a provider. The CONF owns the values. */
struct lines {
	struct {
		char key[128];
		const char *value;
	} v[MAX_LINES];
	size_t n;
};

void kc_conf_note(struct kc_conf *conf, const char *format, ...)
{
	va_list args;

	if (conf->n_notes == ARRAY_SIZE(conf->notes))
		return;
	va_start(args, format);
	vsnprintf(conf->notes[conf->n_notes++], sizeof(conf->notes[0]), format, args);
	va_end(args);
}

const char *kc_conf_get(const CONF *cnf, const char *section, const char *name)
{
	STACK_OF(CONF_VALUE) *lines = section ? NCONF_get_section(cnf, section) : NULL;

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++)
		if (strcmp(sk_CONF_VALUE_value(lines, i)->name, name) == 0)
			return sk_CONF_VALUE_value(lines, i)->value;
	return NULL;
}

/* Not basename(), which newer versions of musl do not declare in string.h. */
static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "kcrypto-keys.so" is not kcrypto's. */
static bool is_file_of(const char *path, const char *name)
{
	const char *file = file_of(path);
	size_t len = strlen(name);

	return strncmp(file, name, len) == 0 && strncmp(file + len, "-keys", 5) != 0;
}

const char *kc_conf_find_provider(const CONF *cnf, const char *providers, const char *name)
{
	STACK_OF(CONF_VALUE) *lines = NCONF_get_section(cnf, providers);

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);
		const char *identity = kc_conf_get(cnf, line->value, "identity");
		const char *module = kc_conf_get(cnf, line->value, "module");

		if (strcmp(identity ? identity : line->name, name) == 0 ||
		    (module && is_file_of(module, name)))
			return line->value;
	}
	return NULL;
}

/* Before OpenSSL 3.2 any value activates; since then these do not. */
bool kc_conf_is_active(const CONF *cnf, const char *section)
{
	const char *value = kc_conf_get(cnf, section, "activate");
	bool is_no = value && (strcmp(value, "0") == 0 || strcasecmp(value, "no") == 0 ||
			       strcasecmp(value, "off") == 0 || strcasecmp(value, "false") == 0);

	return value && (!is_no || OpenSSL_version_num() < 0x30200000);
}

/*
 * A value that names a section stands for the lines of that section. Only "driver" uses this: one
 * level.
 */
static void add_lines(struct lines *lines, const CONF *cnf, const char *section, const char *prefix)
{
	STACK_OF(CONF_VALUE) *values = NCONF_get_section(cnf, section);

	for (int i = 0; i < sk_CONF_VALUE_num(values) && lines->n < MAX_LINES; i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(values, i);

		if (!*prefix && NCONF_get_section(cnf, line->value)) {
			add_lines(lines, cnf, line->value, line->name);
			continue;
		}
		snprintf(lines->v[lines->n].key, sizeof(lines->v[0].key), "%s%s%s", prefix,
			 *prefix ? "." : "", line->name);
		lines->v[lines->n++].value = line->value;
	}
}

/*
 * Does as the provider does: it can't list its section, so it asks for one spelling after another.
 */
static void apply(struct lines *lines, struct kc_config *config)
{
	char key[sizeof(lines->v[0].key)];

	for (size_t i = 0; kc_config_key(i, key, sizeof(key)); i++) {
		for (size_t j = 0; j < lines->n; j++) {
			if (strcmp(lines->v[j].key, key) != 0)
				continue;
			kc_config_set(config, key, lines->v[j].value);
			lines->v[j].key[0] = '\0';
		}
	}
	for (size_t j = 0; j < lines->n; j++)
		if (lines->v[j].key[0]) /* the provider did not ask for it */
			kc_config_set(config, lines->v[j].key, lines->v[j].value);
}

/* OpenSSL uses the part of a name after the first dot. */
static const char *skip_dot(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? dot + 1 : name;
}

const char *kc_conf_find_engine(const CONF *cnf, const char *engines, const struct kc_id **id)
{
	STACK_OF(CONF_VALUE) *lines = engines ? NCONF_get_section(cnf, engines) : NULL;

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);
		const char *name = kc_conf_get(cnf, line->value, "engine_id");

		*id = kc_id_find(name ? name : skip_dot(line->name));
		if (*id)
			return line->value;
	}
	return NULL;
}

/*
 * Does as the engine does: lines are commands in order, in any case. OpenSSL's own are in lower
 * case.
 */
static void apply_commands(const CONF *cnf, const char *section, struct kc_config *config)
{
	STACK_OF(CONF_VALUE) *lines = NCONF_get_section(cnf, section);
	char key[KC_WORD_SIZE];

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);

		snprintf(key, sizeof(key), "%s", skip_dot(line->name));
		for (char *c = key; *c && strpbrk(key, UPPER); c++)
			*c = (char)toupper((unsigned char)*c);
		if (strcmp(key, "DUMP_INFO") != 0)
			kc_config_set(config, key, line->value);
	}
}

static void follow_engine(struct kc_conf *conf, const CONF *cnf, const struct kc_id *id,
			  const char *section, struct kc_config *config)
{
	conf->engine = id->id;
	snprintf(conf->section, sizeof(conf->section), "%s", section);
	kc_id_init(id, config);
	apply_commands(cnf, section, config);
	kc_id_keep(id, config);
}

/* Finds out whether the providers are active, and which file is our module. */
static void follow_provider(struct kc_conf *conf, const CONF *cnf, const char *providers,
			    const char *section)
{
	const char *module = kc_conf_get(cnf, section, "module");

	snprintf(conf->section, sizeof(conf->section), "%s", section);
	conf->is_active = kc_conf_is_active(cnf, section);
	conf->is_default_active =
		kc_conf_is_active(cnf, kc_conf_find_provider(cnf, providers, "default"));
	snprintf(conf->module, sizeof(conf->module), "%s", module ? module : "kcrypto.so");
}

static void follow(struct kc_conf *conf, const CONF *cnf, struct kc_config *config)
{
	const char *init = NCONF_get_string(cnf, NULL, "openssl_conf");
	const char *providers = kc_conf_get(cnf, init, "providers");
	const char *section = kc_conf_find_provider(cnf, providers, "kcrypto");
	const char *query =
		kc_conf_get(cnf, kc_conf_get(cnf, init, "alg_section"), "default_properties");
	const struct kc_id *id = NULL;
	const char *engine = kc_conf_find_engine(cnf, kc_conf_get(cnf, init, "engines"), &id);
	const struct {
		bool is_true;
		const char *note;
	} checks[] = {
		{ !init, "applications do not load kcrypto: no line 'openssl_conf = ...' before "
			 "the first section" },
		{ init && !providers, "applications do not load kcrypto: no line 'providers = "
				      "...' in the section that openssl_conf names" },
		{ providers && !section, "applications do not load kcrypto: no line for it in "
					 "the section that providers names" },
		{ section && !kc_conf_is_active(cnf, section),
		  "applications do not load kcrypto: its section lacks 'activate = 1'" },
		{ section &&
			  !kc_conf_is_active(cnf, kc_conf_find_provider(cnf, providers, "default")),
		  "without 'activate = 1' for the default provider most of OpenSSL is missing, "
		  "and kcrypto offers nothing" },
		{ section && !query,
		  "only applications that ask for kcrypto by name use it: 'default_properties = "
		  "?provider=kcrypto' is missing in the section that alg_section names" },
	};
	struct lines lines = { .n = 0 };

	if (engine && !section) {
		follow_engine(conf, cnf, id, engine, config);
		return;
	}
	if (engine)
		kc_conf_note(
			conf,
			"the engine %s is configured too: applications get its algorithms from the "
			"engine and not from the provider",
			id->id);
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].is_true)
			kc_conf_note(conf, "%s", checks[i].note);
	if (!section)
		return;
	snprintf(conf->query, sizeof(conf->query), "%s", query ? query : "");
	follow_provider(conf, cnf, providers, section);
	config->legacy = kc_conf_is_active(cnf, kc_conf_find_provider(cnf, providers, "legacy"));
	add_lines(&lines, cnf, section, "");
	apply(&lines, config);
}

void kc_conf_read(struct kc_conf *conf, const char *file, struct kc_config *config)
{
	char *found = file ? NULL : CONF_get1_default_config_file();
	CONF *cnf = NCONF_new(NULL);
	long line = 0;

	conf->engine = "";
	snprintf(conf->file, sizeof(conf->file), "%s", file ? file : found ? found : "");
	if (NCONF_load(cnf, conf->file, &line) > 0) {
		follow(conf, cnf, config);
	} else {
		/* %.0ld prints no digit if there is no line */
		snprintf(conf->error, sizeof(conf->error), "no configuration: %s: %s%.0ld",
			 conf->file, line > 0 ? "syntax error in line " : strerror(errno), line);
		kc_conf_note(conf, "%s", conf->error);
	}
	NCONF_free(cnf);
	OPENSSL_free(found);
	ERR_clear_error();
}
