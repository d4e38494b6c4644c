/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the parts of openssl.cnf that turn kcrypto on, as OpenSSL would. */
#include "cli/conf.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/text.h"

bool kc_has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (list && *(list += strspn(list, ", \t"))) {
		size_t n = strcspn(list, ", \t");

		if (n == len && strncasecmp(list, word, len) == 0)
			return true;
		list += n;
	}
	return false;
}

bool kc_parts_denies(const struct kc_cnf *cnf, const char *section)
{
	const char *value = kc_cnf_get(cnf, section, "activate");

	return value && kc_has_word("0 no off false", value);
}

/* The version of OpenSSL below another root is unknown: there the value counts. */
bool kc_parts_activates(const struct kc_cnf *cnf, const char *section)
{
	bool is_old = !*cnf->root && OpenSSL_version_num() < 0x30200000;

	if (!kc_cnf_get(cnf, section, "activate"))
		return false;
	return is_old || !kc_parts_denies(cnf, section);
}

/* "kcrypto-keys.so" is not kcrypto's file. */
static bool is_file_of(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *file = path;
	size_t len = strlen(name);

	if (slash)
		file = slash + 1;
	return strncmp(file, name, len) == 0 && strncmp(file + len, "-keys", 5) != 0;
}

/* Recognizes a provider by its identity, by the name of its line, or by its module's file. */
static bool is_provider(const struct kc_cnf *cnf, const CONF_VALUE *line, const char *name)
{
	const char *identity =
		kc_text_or(kc_cnf_get(cnf, line->value, "identity"), kc_skip_dot(line->name));
	const char *module = kc_cnf_get(cnf, line->value, "module");

	if (strcmp(identity, name) == 0)
		return true;
	if (!module)
		return false;
	return is_file_of(module, name);
}

/* Returns the part that this line's section is; NULL if the provider is another one. */
static const char **part_of(struct kc_parts *parts, const struct kc_cnf *cnf,
			    const CONF_VALUE *line)
{
	const struct {
		const char *name, **section;
	} known[] = { { "kcrypto-keys", &parts->keys },
		      { "kcrypto", &parts->kcrypto },
		      { "default", &parts->base },
		      { "fips", &parts->fips } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is_provider(cnf, line, known[i].name))
			return known[i].section;
	return NULL;
}

/* Of two lines for the same provider, the first one counts. */
static void find_provider(struct kc_parts *parts, const struct kc_cnf *cnf, const CONF_VALUE *line)
{
	const char **section = part_of(parts, cnf, line);
	bool is_on = kc_parts_activates(cnf, line->value);

	if (section && *section)
		return;
	if (section)
		*section = line->value;
	if (section == &parts->kcrypto)
		parts->kcrypto_line = line->name;
	if (section == &parts->keys)
		parts->is_base_first = kc_parts_activates(cnf, parts->base);
	if (is_on && (!section || section == &parts->fips))
		parts->other = line->name;
	parts->has_legacy |= is_on && !section && is_provider(cnf, line, "legacy");
}

/* OpenSSL compares a module's name up to the name's last dot. */
static bool is_loader(const struct kc_cnf *cnf, const CONF_VALUE *line)
{
	const char *path = kc_cnf_get(cnf, line->value, "path"), *dot = strrchr(line->name, '.');
	size_t len = strlen(line->name);

	if (dot)
		len = (size_t)(dot - line->name);
	if (len == 7 && strncmp(line->name, "kcrypto", 7) == 0)
		return true;
	if (!path)
		return false;
	return is_file_of(path, "kcrypto");
}

static void find_loader(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	const CONF_VALUE *line;

	for (int i = 0; (line = kc_cnf_line(cnf, parts->init, i)); i++) {
		parts->is_loader_last = is_loader(cnf, line);
		if (parts->is_loader_last) {
			parts->loader_line = line->name;
			parts->loader = line->value;
		}
	}
}

static void find_providers(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	const CONF_VALUE *line;
	bool has_others;

	for (int i = 0; (line = kc_cnf_line(cnf, parts->providers, i)); i++)
		find_provider(parts, cnf, line);
	parts->is_activated = kc_parts_activates(cnf, parts->kcrypto);
	parts->is_active =
		parts->is_activated || (parts->loader && !kc_parts_denies(cnf, parts->loader));
	parts->is_base_active = kc_parts_activates(cnf, parts->base);
	has_others = parts->is_activated || parts->other || kc_parts_activates(cnf, parts->keys);
	parts->is_base_there = parts->is_base_active || !has_others;
}

static void find_engines(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	const CONF_VALUE *line;

	for (int i = 0; !parts->id && (line = kc_cnf_line(cnf, parts->engines, i)); i++) {
		const char *id = kc_cnf_get(cnf, line->value, "engine_id");

		parts->id = kc_id_find(kc_text_or(id, kc_skip_dot(line->name)));
		if (!parts->id)
			continue;
		parts->engine = line->name;
		parts->engine_section = line->value;
	}
}

static void find_tls(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	const CONF_VALUE *line;

	parts->ssl = kc_cnf_get(cnf, parts->init, "ssl_conf");
	parts->tls = kc_cnf_get(cnf, parts->ssl, "system_default");
	/* Several such lines add up if the words before the dot differ. */
	for (int i = 0; (line = kc_cnf_line(cnf, parts->tls, i)); i++) {
		if (strcasecmp(kc_skip_dot(line->name), "Options") == 0) {
			parts->options = line->value;
			parts->has_ktls |= kc_has_word(line->value, "KTLS");
			parts->has_ktls &= !kc_has_word(line->value, "-KTLS");
		}
	}
}

/* OpenSSL reads openssl_conf only from the section default, which precedes all others. */
static const struct kc_line *find_late(const struct kc_cnf *cnf)
{
	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_VALUE && strcmp(l->name, "openssl_conf") == 0)
			return l;
	return NULL;
}

/* Returns the value of a line 'fips_mode' that says yes, unless default_properties follows it. */
static const char *find_fips_mode(const struct kc_cnf *cnf, const char *algorithms)
{
	const CONF_VALUE *line;
	const char *mode = NULL;

	for (int i = 0; (line = kc_cnf_line(cnf, algorithms, i)); i++) {
		if (strcmp(line->name, "default_properties") == 0)
			mode = NULL;
		if (strcmp(line->name, "fips_mode") == 0)
			mode = kc_has_word("true y yes", line->value) ? line->value : NULL;
	}
	return mode;
}

static void find_query(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	bool has_fips = parts->fips && kc_parts_activates(cnf, parts->fips);
	const char *query = kc_text_or(parts->query, "");
	char whole[512];

	parts->fips_mode = find_fips_mode(cnf, parts->algorithms);
	if (parts->fips_mode) {
		snprintf(whole, sizeof(whole), "%s%sfips=yes", query, kc_lead(",", query));
		query = whole;
	} else if (!parts->query) {
		return;
	}
	parts->answer = kc_query_ask(query, has_fips);
	parts->is_preferred = parts->answer.leads && parts->answer.has_rest;
}

/* OpenSSL also finds a module by any beginning of its name: "provider" stands for "providers". */
static const char *module_value(const struct kc_cnf *cnf, const char *section, const char *module)
{
	const char *value = kc_cnf_get(cnf, section, module);
	const CONF_VALUE *line;

	for (int i = 0; !value && (line = kc_cnf_line(cnf, section, i)); i++) {
		size_t len = strcspn(line->name, ".");

		if (len && strncmp(line->name, module, len) == 0)
			value = line->value;
	}
	return value;
}

void kc_parts_find(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	*parts = (struct kc_parts){ .init = kc_cnf_get(cnf, "default", "openssl_conf") };
	if (!parts->init)
		parts->late = find_late(cnf);
	parts->providers = module_value(cnf, parts->init, "providers");
	parts->algorithms = module_value(cnf, parts->init, "alg_section");
	parts->random = module_value(cnf, parts->init, "random");
	parts->engines = module_value(cnf, parts->init, "engines");
	parts->query = kc_cnf_get(cnf, parts->algorithms, "default_properties");
	parts->random_query = kc_cnf_get(cnf, parts->random, "properties");
	find_loader(parts, cnf);
	find_providers(parts, cnf);
	find_query(parts, cnf);
	find_engines(parts, cnf);
	find_tls(parts, cnf);
}
