/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that turn kcrypto on or off, for kcrypto config and for commands that run others. */
#include "cli/conf.h"

#include <string.h>

#include "cli/cnf/loader.h"
#include "cli/text.h"

/* Collects lines under the header of their section. */
struct writer {
	FILE *out;
	const char *section; /* the last one written */
	const char *init;    /* the section that openssl_conf names, once it is known */
	bool has_init;	     /* a line of that section was written */
};

/* All sections but the first follow an empty line. */
static void begin_section(struct writer *w, const char *section)
{
	if (w->section)
		putc('\n', w->out);
	fprintf(w->out, "[%s]\n", section);
	w->section = section;
}

/* Writes a line whose value OpenSSL reads unchanged. */
static void put(struct writer *w, const char *section, const char *name, const char *value)
{
	if (!w->section || strcmp(w->section, section) != 0)
		begin_section(w, section);
	w->has_init |= w->init && strcmp(section, w->init) == 0;
	fprintf(w->out, "%s = ", name);
	for (; *value; value++) {
		if (strchr("$\\\"'`#", *value))
			putc('\\', w->out);
		putc(*value, w->out);
	}
	putc('\n', w->out);
}

/*
 * Returns the section that @of names as @name. If it names none, returns @ours, and adds a line
 * that names it.
 */
static const char *section_of(struct writer *w, const char *of, const char *name,
			      const char *section, const char *ours)
{
	if (section)
		return section;
	put(w, of, name, ours);
	return ours;
}

static void put_query(struct writer *w, const struct kc_parts *parts, const char *section)
{
	char query[512];
	struct kc_list list = { query, sizeof(query) };

	if (parts->is_preferred)
		return;
	if (parts->query && parts->answer.is_valid && *parts->query)
		kc_list_add(&list, ",", "%s", parts->query);
	kc_list_add(&list, ",", "?provider=kcrypto");
	put(w, section, "default_properties", query);
}

/* Writes a section without a line, which must exist because a line names it. */
static void put_empty(struct writer *w, const char *section, const char *comment)
{
	begin_section(w, section);
	fprintf(w->out, "# %s\n", comment);
}

/*
 * Writes the default provider's section: any section that activates a provider ends the rule by
 * which OpenSSL loads the default one.
 */
static void put_base(struct writer *w, const struct kc_parts *parts, const char *providers)
{
	const char *base;

	if (parts->is_base_active)
		return;
	base = section_of(w, providers, "default", parts->base, "kcrypto_default");
	put(w, base, "activate", "1");
}

/*
 * Activates the provider by its section: the old way, which also works where the new one does not.
 */
static void put_activation(struct writer *w, const struct kc_parts *parts, const char *providers)
{
	const char *ours = section_of(w, providers, "kcrypto", parts->kcrypto, KC_CONF_SECTION);

	put_base(w, parts, providers);
	if (!parts->is_activated)
		put(w, ours, "activate", "1");
}

/* Writes the provider's section, which only carries its parameters. */
static void put_section(struct writer *w, const struct kc_conf *conf, const char *providers)
{
	const struct kc_parts *parts = &conf->parts;
	const char *ours = section_of(w, providers, "kcrypto", parts->kcrypto, KC_CONF_SECTION);

	if (!parts->is_base_there)
		put_base(w, parts, providers);
	if (!kc_cnf_has(&conf->cnf, ours))
		put_empty(w, ours, "keys: kcrypto-provider(7)");
}

/* A second line 'Options' would replace the first; with a dot in its name it adds to the first. */
static void put_ktls(struct writer *w, const struct kc_parts *parts, const char *ssl)
{
	const char *tls = section_of(w, ssl, "system_default", parts->tls, "kcrypto_tls");
	const char *key = "Options";

	if (parts->options)
		key = "kcrypto.Options";
	put(w, tls, key, "KTLS");
}

/*
 * The line that loads the module has to be the last of [init]. @file: the file with that line, or
 * "".
 */
static void put_loader(struct writer *w, const struct kc_parts *parts, const char *file)
{
	bool is_last = !parts->loader || parts->is_loader_last;

	if (!w->has_init && parts->is_active && is_last)
		return;
	if (*file)
		put(w, w->init, ".include", file);
	else if (parts->loader)
		put(w, w->init, parts->loader_line, parts->loader);
}

/* The sections named by [init] come first, so that its lines stay together. */
void kc_conf_put_provider(FILE *out, const struct kc_conf *conf, bool wants_ktls)
{
	struct writer w = { .out = out };
	const struct kc_parts *parts = &conf->parts;
	const char *init = section_of(&w, "default", "openssl_conf", parts->init, "kcrypto_init");
	const char *providers, *algorithms;
	const char *random = NULL, *ssl = NULL; /* only those that lack a line */
	const char *file = "";
	struct kc_loader loader;

	kc_loader_find(&loader, conf->cnf.root);
	if (!*loader.foreign && !parts->is_activated)
		file = loader.file;
	w.init = init;
	providers = section_of(&w, init, "providers", parts->providers, "kcrypto_providers");
	algorithms = section_of(&w, init, "alg_section", parts->algorithms, "kcrypto_algorithms");
	if (conf->wants_random && !parts->random_query)
		random = section_of(&w, init, "random", parts->random, "kcrypto_random");
	if (wants_ktls && !parts->has_ktls)
		ssl = section_of(&w, init, "ssl_conf", parts->ssl, "kcrypto_ssl");
	if (*file || parts->loader)
		put_section(&w, conf, providers);
	else
		put_activation(&w, parts, providers);
	put_query(&w, parts, algorithms);
	if (random)
		put(&w, random, "properties", "provider!=kcrypto");
	if (ssl)
		put_ktls(&w, parts, ssl);
	put_loader(&w, parts, file);
}

/* Uses the id kcrypto. 'afalg' is kcrypto's, too, through 'engine-names'. */
void kc_conf_put_engine(FILE *out, const struct kc_conf *conf)
{
	struct writer w = { .out = out };
	const struct kc_parts *parts = &conf->parts;
	const char *section = parts->engine_section;
	const char *init = section_of(&w, "default", "openssl_conf", parts->init, "kcrypto_init");
	const char *engines = section_of(&w, init, "engines", parts->engines, "kcrypto_engines");

	if (!parts->id)
		section = section_of(&w, engines, "kcrypto", NULL, "kcrypto_engine");
	if (!kc_cnf_has(&conf->cnf, section))
		put(&w, section, "default_algorithms", "ALL");
}

void kc_conf_put_nothing(FILE *out, const struct kc_conf *conf)
{
	const struct kc_parts *parts = &conf->parts;
	struct writer w = { .out = out };
	char kept[512] = "";
	struct kc_list list = { kept, sizeof(kept) };

	if (parts->kcrypto_line)
		put(&w, parts->providers, parts->kcrypto_line, "kcrypto_off");
	for (const char *at = parts->query, *end; at && *at; at = end + (*end == ',')) {
		end = at + strcspn(at, ",");
		if (!memmem(at, (size_t)(end - at), "kcrypto", 7))
			kc_list_add(&list, ",", "%.*s", (int)(end - at), at);
	}
	if (parts->query)
		put(&w, parts->algorithms, "default_properties", kept);
	fputs("\n[kcrypto_off]\n", out);
	if (!parts->loader)
		return;
	/*
	 * Another section, because before OpenSSL 3.2 any value there would activate the provider.
	 */
	w.section = "kcrypto_off";
	put(&w, parts->init, parts->loader_line, "kcrypto_unused");
	put(&w, "kcrypto_unused", "activate", "no");
	put(&w, "kcrypto_unused", "path", conf->loader);
}
