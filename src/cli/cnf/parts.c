/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cnf/parts.h"

#include <openssl/crypto.h>
#include <string.h>
#include <strings.h>

bool kc_parts_denies(const struct kc_cnf *cnf, const char *section)
{
	static const char *const no[] = { "0", "no", "off", "false" };
	const char *value = kc_cnf_get(cnf, section, "activate");

	for (size_t i = 0; value && i < sizeof(no) / sizeof(no[0]); i++)
		if (strcasecmp(value, no[i]) == 0)
			return true;
	return false;
}

/* The OpenSSL of another root is unknown: there the word counts. */
bool kc_parts_activates(const struct kc_cnf *cnf, const char *section)
{
	bool is_old = !*cnf->root && OpenSSL_version_num() < 0x30200000;

	return kc_cnf_get(cnf, section, "activate") && (is_old || !kc_parts_denies(cnf, section));
}

const char *kc_parts_skip_dot(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? dot + 1 : name;
}

/* "kcrypto-keys.so" is not kcrypto's. */
static bool is_file_of(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	size_t len = strlen(name);

	return strncmp(file, name, len) == 0 && strncmp(file + len, "-keys", 5) != 0;
}

/* By its identity, by the name of its line, or by its module's file. */
static bool is_provider(const struct kc_cnf *cnf, const CONF_VALUE *line, const char *name)
{
	const char *identity = kc_cnf_get(cnf, line->value, "identity");
	const char *module = kc_cnf_get(cnf, line->value, "module");

	return strcmp(identity ? identity : kc_parts_skip_dot(line->name), name) == 0 ||
	       (module && is_file_of(module, name));
}

static void find_provider(struct kc_parts *parts, const struct kc_cnf *cnf, const CONF_VALUE *line)
{
	const struct {
		const char *name, **section;
	} known[] = { { "kcrypto-keys", &parts->keys },
		      { "kcrypto", &parts->kcrypto },
		      { "default", &parts->base },
		      { "fips", &parts->fips } };
	bool is_on = kc_parts_activates(cnf, line->value);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is_provider(cnf, line, known[i].name)) {
			if (*known[i].section)
				return;
			*known[i].section = line->value;
			if (known[i].section == &parts->kcrypto)
				parts->kcrypto_line = line->name;
			if (known[i].section == &parts->keys)
				parts->is_base_first = kc_parts_activates(cnf, parts->base);
			if (known[i].section == &parts->fips && is_on)
				parts->other = line->name;
			return;
		}
	parts->has_legacy |= is_on && is_provider(cnf, line, "legacy");
	if (is_on)
		parts->other = line->name;
}

static void find_providers(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	STACK_OF(CONF_VALUE) *lines = kc_cnf_section(cnf, parts->providers);

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++)
		find_provider(parts, cnf, sk_CONF_VALUE_value(lines, i));
	parts->is_active = kc_parts_activates(cnf, parts->kcrypto);
	parts->is_base_active = kc_parts_activates(cnf, parts->base);
}

static void find_engines(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	STACK_OF(CONF_VALUE) *lines = kc_cnf_section(cnf, parts->engines);

	for (int i = 0; !parts->id && i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);
		const char *id = kc_cnf_get(cnf, line->value, "engine_id");

		parts->id = kc_id_find(id ? id : kc_parts_skip_dot(line->name));
		parts->engine = parts->id ? line->name : NULL;
		parts->engine_section = parts->id ? line->value : NULL;
	}
}

/* Is @clause one of the words of @list, separated by commas and blanks? */
static bool has_word(const char *list, const char *clause)
{
	size_t len = strlen(clause);

	while (list && *(list += strspn(list, ", \t"))) {
		size_t n = strcspn(list, ", \t");

		if (n == len && strncasecmp(list, clause, len) == 0)
			return true;
		list += n;
	}
	return false;
}

static void find_tls(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	STACK_OF(CONF_VALUE) * lines;

	parts->ssl = kc_cnf_get(cnf, parts->init, "ssl_conf");
	parts->tls = kc_cnf_get(cnf, parts->ssl, "system_default");
	lines = kc_cnf_section(cnf, parts->tls);
	/* Several such lines add up if they have different words before a dot. */
	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);

		if (strcasecmp(kc_parts_skip_dot(line->name), "Options") == 0) {
			parts->options = line->value;
			parts->has_ktls |= has_word(line->value, "KTLS");
			parts->has_ktls &= !has_word(line->value, "-KTLS");
		}
	}
}

/* openssl_conf is read from the section default, the one before the first. */
static void find_late(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	struct kc_scan scan;

	if (!kc_scan_open(&scan, cnf->text.at, cnf->text.len, "default"))
		return;
	while (!parts->late.file && kc_scan_next(&scan)) {
		if (scan.line.kind != KC_LINE_VALUE || strcmp(scan.line.name, "openssl_conf") != 0)
			continue;
		parts->late = cnf->where[scan.line.number - 1];
		snprintf(parts->late_init, sizeof(parts->late_init), "%s", scan.line.value);
	}
	kc_scan_close(&scan);
}

void kc_parts_find(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	*parts = (struct kc_parts){ .init = kc_cnf_get(cnf, "default", "openssl_conf") };
	if (!parts->init)
		find_late(parts, cnf);
	parts->providers = kc_cnf_get(cnf, parts->init, "providers");
	parts->algorithms = kc_cnf_get(cnf, parts->init, "alg_section");
	parts->random = kc_cnf_get(cnf, parts->init, "random");
	parts->engines = kc_cnf_get(cnf, parts->init, "engines");
	parts->query = kc_cnf_get(cnf, parts->algorithms, "default_properties");
	parts->random_query = kc_cnf_get(cnf, parts->random, "properties");
	parts->is_only = has_word(parts->query, "provider=kcrypto");
	parts->is_preferred = parts->is_only || has_word(parts->query, "?provider=kcrypto");
	find_providers(parts, cnf);
	find_engines(parts, cnf);
	find_tls(parts, cnf);
}
