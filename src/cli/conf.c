/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads openssl.cnf, and passes our section to the policy's configuration as OpenSSL passes it to
 * the provider or engine. Loads neither.
 */
#include "cli/conf.h"

#include <ctype.h>
#include <openssl/crypto.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cnf/loader.h"
#include "cli/text.h"

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/*
 * Returns the value of a provider's key. A line whose value names a section stands for the lines of
 * that section, with the line's name and a dot before theirs. Only "driver" uses this, with one
 * level.
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

/* Applies the keys that the provider cannot ask for. */
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

/* A section, and the configuration that gets its lines. */
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
 * Applies lines as the provider does, which cannot list its section but asks for one spelling after
 * another.
 */
static void apply(const struct kc_cnf *cnf, const char *section, struct kc_config *config)
{
	struct application a = { cnf, section, config };

	kc_config_each_key(apply_key, &a);
	kc_config_each_driver_key(NULL, apply_key, &a);
	apply_unknown(cnf, section, "", config);
}

/*
 * Applies lines as the engine does: they are commands in order, in any case. OpenSSL's own commands
 * are in lower case.
 */
static void apply_commands(const struct kc_cnf *cnf, const char *section, struct kc_config *config)
{
	const CONF_VALUE *line;
	char key[KC_WORD_SIZE];

	for (int i = 0; (line = kc_cnf_line(cnf, section, i)); i++) {
		snprintf(key, sizeof(key), "%s", kc_skip_dot(line->name));
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

/* The OpenSSL of another root is the one whose library lies there; if there is none, a new one. */
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
		kc_parts_find(&conf->parts, &conf->cnf);
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
