/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes our section to the policy's configuration as OpenSSL passes it to the provider or engine.
 * Loads neither.
 */
#include "cli/conf.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#define MAX_LINES 128
#define UPPER	  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* A section as OpenSSL passes it to a provider. The CONF owns the values. */
struct lines {
	struct {
		char key[128];
		const char *value;
	} v[MAX_LINES];
	size_t n;
};

/*
 * A value that names a section stands for the lines of that section. Only "driver" uses this: one
 * level.
 */
static void add_lines(struct lines *lines, const struct kc_cnf *cnf, const char *section,
		      const char *prefix)
{
	STACK_OF(CONF_VALUE) *values = kc_cnf_section(cnf, section);

	for (int i = 0; i < sk_CONF_VALUE_num(values) && lines->n < MAX_LINES; i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(values, i);

		if (!*prefix && kc_cnf_section(cnf, line->value)) {
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

/*
 * Does as the engine does: lines are commands in order, in any case. OpenSSL's own are in lower
 * case.
 */
static void apply_commands(const struct kc_cnf *cnf, const char *section, struct kc_config *config)
{
	STACK_OF(CONF_VALUE) *lines = kc_cnf_section(cnf, section);
	char key[KC_WORD_SIZE];

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);

		snprintf(key, sizeof(key), "%s", kc_parts_skip_dot(line->name));
		for (char *c = key; *c && strpbrk(key, UPPER); c++)
			*c = (char)toupper((unsigned char)*c);
		if (strcmp(key, "DUMP_INFO") != 0)
			kc_config_set(config, key, line->value);
	}
}

static void take_engine(struct kc_conf *conf, struct kc_config *config)
{
	conf->engine = conf->parts.id->id;
	conf->section = conf->parts.engine_section;
	kc_id_init(conf->parts.id, config);
	apply_commands(&conf->cnf, conf->section, config);
	kc_id_keep(conf->parts.id, config);
}

static void take_provider(struct kc_conf *conf, struct kc_config *config)
{
	const char *module = kc_cnf_get(&conf->cnf, conf->parts.kcrypto, "module");
	struct lines lines = { .n = 0 };

	conf->section = conf->parts.kcrypto;
	snprintf(conf->module, sizeof(conf->module), "%s", module ? module : "kcrypto.so");
	config->legacy = conf->parts.has_legacy;
	add_lines(&lines, &conf->cnf, conf->section, "");
	apply(&lines, config);
}

int kc_conf_read_of(struct kc_conf *conf, const struct kc_files *files, const char *path,
		    struct kc_config *config)
{
	int err = kc_cnf_read(&conf->cnf, files, path);
	char place[KC_PLACE_SIZE];

	conf->section = conf->engine = "";
	snprintf(conf->file, sizeof(conf->file), "%s", path);
	if (err)
		snprintf(conf->error, sizeof(conf->error), "%s: %s",
			 kc_cnf_place(place, &conf->cnf, conf->cnf.bad), conf->cnf.why);
	else
		kc_parts_find(&conf->parts, &conf->cnf);
	if (conf->parts.kcrypto)
		take_provider(conf, config);
	else if (conf->parts.id)
		take_engine(conf, config);
	return err;
}

void kc_conf_read(struct kc_conf *conf, const char *file, struct kc_config *config)
{
	static const struct kc_files system = { .root = "" };
	char *found = file ? NULL : CONF_get1_default_config_file();

	kc_conf_read_of(conf, &system, file ? file : found ? found : "", config);
	OPENSSL_free(found);
}

void kc_conf_free(struct kc_conf *conf)
{
	kc_cnf_free(&conf->cnf);
	*conf = (struct kc_conf){ .section = "" };
}
