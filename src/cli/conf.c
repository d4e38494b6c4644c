/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the parts of openssl.cnf that turn kcrypto on, and passes our section to the policy's
 * configuration as OpenSSL passes it to the provider or engine. Loads neither.
 */
#include "cli/conf.h"

#include <ctype.h>
#include <openssl/crypto.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/cnf/loader.h"
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

/* The OpenSSL of another root is unknown: there the word counts. */
bool kc_parts_activates(const struct kc_cnf *cnf, const char *section)
{
	bool is_old = !*cnf->root && OpenSSL_version_num() < 0x30200000;

	if (!kc_cnf_get(cnf, section, "activate"))
		return false;
	return is_old || !kc_parts_denies(cnf, section);
}

/* The part of a line's name that OpenSSL looks at: behind the first dot. */
static const char *skip_dot(const char *name)
{
	const char *dot = strchr(name, '.');

	if (dot)
		return dot + 1;
	return name;
}

/* "kcrypto-keys.so" is not kcrypto's. */
static bool is_file_of(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *file = path;
	size_t len = strlen(name);

	if (slash)
		file = slash + 1;
	return strncmp(file, name, len) == 0 && strncmp(file + len, "-keys", 5) != 0;
}

/* By its identity, by the name of its line, or by its module's file. */
static bool is_provider(const struct kc_cnf *cnf, const CONF_VALUE *line, const char *name)
{
	const char *identity =
		kc_text_or(kc_cnf_get(cnf, line->value, "identity"), skip_dot(line->name));
	const char *module = kc_cnf_get(cnf, line->value, "module");

	if (strcmp(identity, name) == 0)
		return true;
	if (!module)
		return false;
	return is_file_of(module, name);
}

/* The part that this line's section is; NULL if the provider is another one. */
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

/* OpenSSL compares a module's name up to its last dot. */
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

		parts->id = kc_id_find(kc_text_or(id, skip_dot(line->name)));
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
	/* Several such lines add up if they have different words before a dot. */
	for (int i = 0; (line = kc_cnf_line(cnf, parts->tls, i)); i++) {
		if (strcasecmp(skip_dot(line->name), "Options") == 0) {
			parts->options = line->value;
			parts->has_ktls |= kc_has_word(line->value, "KTLS");
			parts->has_ktls &= !kc_has_word(line->value, "-KTLS");
		}
	}
}

/* openssl_conf is read from the section default, the one before the first. */
static const struct kc_line *find_late(const struct kc_cnf *cnf)
{
	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_VALUE && strcmp(l->name, "openssl_conf") == 0)
			return l;
	return NULL;
}

static void find_query(struct kc_parts *parts, const struct kc_cnf *cnf)
{
	bool has_fips = parts->fips && kc_parts_activates(cnf, parts->fips);

	if (!parts->query)
		return;
	parts->answer = kc_query_ask(parts->query, has_fips);
	parts->is_preferred = parts->answer.leads && parts->answer.has_rest;
}

/* OpenSSL finds a module by any beginning of its name, too: "provider" stands for "providers". */
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

static void find_parts(struct kc_parts *parts, const struct kc_cnf *cnf)
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

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/*
 * The value of a provider's key. A line whose value names a section stands for the lines of that
 * section, with its name and a dot before theirs. Only "driver" uses this: one level.
 */
static const char *value_of(const struct kc_cnf *cnf, const char *section, const char *key)
{
	const char *value = kc_cnf_get(cnf, section, key), *dot = strchr(key, '.');
	char name[KC_WORD_SIZE];

	if (value || !dot)
		return value;
	snprintf(name, sizeof(name), "%.*s", (int)(dot - key), key);
	return kc_cnf_get(cnf, kc_cnf_get(cnf, section, name), dot + 1);
}

/* The provider cannot ask for these. */
static void apply_unknown(const struct kc_cnf *cnf, const char *section, const char *prefix,
			  struct kc_config *config)
{
	const CONF_VALUE *line;
	char key[128];

	for (int i = 0; (line = kc_cnf_line(cnf, section, i)); i++) {
		snprintf(key, sizeof(key), "%s%s%s", prefix, kc_lead(".", prefix), line->name);
		if (!*prefix && kc_cnf_has(cnf, line->value))
			apply_unknown(cnf, line->value, line->name, config);
		else if (!kc_config_knows(key))
			kc_config_set(config, key, line->value);
	}
}

/* A section, and the configuration that it is for. */
struct application {
	const struct kc_cnf *cnf;
	const char *section;
	struct kc_config *config;
};

static void apply_key(void *arg, const char *key, size_t number)
{
	const struct application *a = arg;
	const char *value = value_of(a->cnf, a->section, key);

	if (value)
		kc_config_take(a->config, key, number, value);
}

/*
 * Does as the provider does, which cannot list its section but asks for one spelling after another.
 */
static void apply(const struct kc_cnf *cnf, const char *section, struct kc_config *config)
{
	struct application a = { cnf, section, config };

	kc_config_each_key(apply_key, &a);
	kc_config_each_driver_key(NULL, apply_key, &a);
	apply_unknown(cnf, section, "", config);
}

/*
 * Does as the engine does: lines are commands in order, in any case. OpenSSL's own are in lower
 * case.
 */
static void apply_commands(const struct kc_cnf *cnf, const char *section, struct kc_config *config)
{
	const CONF_VALUE *line;
	char key[KC_WORD_SIZE];

	for (int i = 0; (line = kc_cnf_line(cnf, section, i)); i++) {
		snprintf(key, sizeof(key), "%s", skip_dot(line->name));
		for (char *c = key; *c && strpbrk(key, UPPER); c++)
			*c = (char)toupper((unsigned char)*c);
		if (strcmp(key, "DUMP_INFO") != 0)
			kc_config_set(config, key, line->value);
	}
}

static void take_engine(struct kc_conf *conf)
{
	conf->engine = conf->parts.id->id;
	conf->section = conf->parts.engine_section;
	kc_id_init(conf->parts.id, &conf->config);
	apply_commands(&conf->cnf, conf->section, &conf->config);
	kc_id_keep(conf->parts.id, &conf->config);
}

static void take_provider(struct kc_conf *conf)
{
	const char *module = kc_cnf_get(&conf->cnf, conf->parts.kcrypto, "module");
	const char *loader = kc_cnf_get(&conf->cnf, conf->parts.loader, "path");

	conf->section = kc_text_or(conf->parts.kcrypto, "");
	if (conf->parts.loader)
		snprintf(conf->loader, sizeof(conf->loader), "%s", kc_text_or(loader, ""));
	snprintf(conf->module, sizeof(conf->module), "%s", kc_text_or(module, "kcrypto.so"));
	conf->config.legacy = conf->parts.has_legacy;
	apply(&conf->cnf, conf->section, &conf->config);
}

/* The OpenSSL of another root is the one whose library lies there; without any, a new one. */
static bool has_providers(const char *root)
{
	if (!*root)
		return OpenSSL_version_num() >= 0x30000000;
	return kc_loader_has_library(root, "[3-9]*") || !kc_loader_has_library(root, "1.*");
}

static void ask_version(struct kc_conf *conf, const char *root)
{
	unsigned long version = OpenSSL_version_num();

	conf->has_providers = has_providers(root);
	conf->wants_random = conf->has_providers && (*root || version < 0x30500000);
}

int kc_conf_read_of(struct kc_conf *conf, const char *root, const char *path,
		    const struct kc_plan *plan)
{
	int err = kc_cnf_read(&conf->cnf, root, path, plan);

	kc_config_init(&conf->config);
	ask_version(conf, root);
	conf->section = conf->engine = "";
	snprintf(conf->file, sizeof(conf->file), "%s", path);
	if (err)
		snprintf(conf->error, sizeof(conf->error), "%s: %s",
			 kc_cnf_place(&conf->cnf, conf->cnf.bad), conf->cnf.why);
	else
		find_parts(&conf->parts, &conf->cnf);
	if (conf->parts.kcrypto || conf->parts.loader)
		take_provider(conf);
	else if (conf->parts.id)
		take_engine(conf);
	return err;
}

void kc_conf_read(struct kc_conf *conf, const char *file)
{
	char *found = NULL;

	if (!file)
		file = found = CONF_get1_default_config_file();
	kc_conf_read_of(conf, "", kc_text_or(file, ""), NULL);
	OPENSSL_free(found);
}

int kc_conf_open(struct kc_conf *conf, const char *file)
{
	kc_conf_read(conf, file);
	if (file && conf->error[0])
		return kc_failure("%s", conf->error);
	return KC_EXIT_OK;
}

void kc_conf_free(struct kc_conf *conf)
{
	kc_cnf_free(&conf->cnf);
	*conf = (struct kc_conf){ .section = "" };
}

const char *kc_conf_loader_place(const struct kc_conf *conf)
{
	const struct kc_cnf *cnf = &conf->cnf;
	const struct kc_line *include = NULL;

	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_INCLUDE && kc_loader_is(l->value))
			include = l;
	if (include)
		return kc_cnf_place(cnf, include->where);
	return kc_cnf_place_of(cnf, conf->parts.init, conf->parts.loader_line);
}
