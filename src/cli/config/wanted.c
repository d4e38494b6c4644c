/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines go to the sections that the configuration names, or, if it names none, to sections of ours.
 * No existing line is overridden, except one that says no to the request.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <string.h>

/* Collects lines under the header of their section. */
struct writer {
	FILE *out;
	const char *section; /* the last one written */
};

static void put(struct writer *w, const char *section, const char *name, const char *value)
{
	if (!w->section || strcmp(w->section, section) != 0)
		fprintf(w->out, "%s[%s]\n", w->section ? "\n" : "", section);
	w->section = section;
	kc_cnf_write(w->out, name, value);
}

/*
 * The section that @of names as @name; if it names none, ours, and a line that names it is added.
 */
static const char *section_of(struct writer *w, const char *of, const char *name,
			      const char *section, const char *ours)
{
	if (section)
		return section;
	put(w, of, name, ours);
	return ours;
}

static int refuse(struct kc_setup *setup, const char *section, const char *name, const char *why)
{
	char place[KC_PLACE_SIZE];

	return kc_setup_refuse(setup, -EINVAL, "%s: %s", kc_place_of(place, setup, section, name),
			       why);
}

/* Finds settings that kcrypto must not override. */
static int look_ahead(struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;

	if (parts->id)
		return refuse(setup, parts->engines, parts->engine,
			      "programs would get this engine's algorithms in place of the "
			      "provider's: kcrypto-engine(7) tells how to move its lines");
	if (parts->other && !parts->is_base_active)
		return refuse(setup, parts->providers, parts->other,
			      "providers are active here, and OpenSSL's 'default' is not: kcrypto "
			      "needs that one; activate it if that is what you want");
	if (parts->is_only)
		return refuse(
			setup, parts->algorithms, "default_properties",
			"'provider=kcrypto' hides most of OpenSSL: write '?provider=kcrypto'");
	if (parts->query && !parts->is_preferred && strstr(parts->query, "provider"))
		return refuse(setup, parts->algorithms, "default_properties",
			      "this prefers another provider, and OpenSSL takes only one");
	return 0;
}

static void put_query(struct writer *w, const struct kc_parts *parts, const char *section)
{
	char query[512];

	if (parts->is_preferred)
		return;
	snprintf(query, sizeof(query), "%s%s?provider=kcrypto", parts->query ? parts->query : "",
		 parts->query ? "," : "");
	put(w, section, "default_properties", query);
}

/* A second line 'Options' would replace the first; one with a dot in its name is added to it. */
static void put_ktls(struct writer *w, const struct kc_parts *parts, const char *section)
{
	put(w, section, parts->options ? "kcrypto.Options" : "Options", "KTLS");
}

/* The sections named by [init] come first, so that its lines stay together. */
static void put_provider_lines(struct writer *w, const struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;
	bool wants_random = setup->layout.wants_random && !parts->random_query;
	bool wants_ktls = setup->wants_ktls && !parts->has_ktls;
	const char *init = section_of(w, "default", "openssl_conf", parts->init, "kcrypto_init");
	const char *providers =
		section_of(w, init, "providers", parts->providers, "kcrypto_providers");
	const char *algorithms =
		section_of(w, init, "alg_section", parts->algorithms, "kcrypto_algorithms");
	const char *random = parts->random, *ssl = parts->ssl, *base, *ours, *tls;

	if (wants_random)
		random = section_of(w, init, "random", random, "kcrypto_random");
	if (wants_ktls)
		ssl = section_of(w, init, "ssl_conf", ssl, "kcrypto_ssl");
	base = section_of(w, providers, "default", parts->base, "kcrypto_default");
	ours = section_of(w, providers, "kcrypto", parts->kcrypto, "kcrypto_sect");
	if (!parts->is_base_active)
		put(w, base, "activate", "1");
	if (!parts->is_active)
		put(w, ours, "activate", "1");
	put_query(w, parts, algorithms);
	if (wants_random)
		put(w, random, "properties", "provider!=kcrypto");
	if (wants_ktls) {
		tls = section_of(w, ssl, "system_default", parts->tls, "kcrypto_tls");
		put_ktls(w, parts, tls);
	}
}

/* For OpenSSL 1.1.1. An engine with an old name is kcrypto's too, through 'engine-names'. */
static void put_engine_lines(struct writer *w, const struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;
	const char *section = parts->engine_section;
	const char *init = section_of(w, "default", "openssl_conf", parts->init, "kcrypto_init");
	const char *engines = section_of(w, init, "engines", parts->engines, "kcrypto_engines");

	if (!parts->id)
		section = section_of(w, engines, "kcrypto", NULL, "kcrypto_engine");
	if (!kc_cnf_section(&setup->conf.cnf, section))
		put(w, section, "default_algorithms", "ALL");
}

int kc_wanted(struct kc_setup *setup, struct kc_text *lines)
{
	bool has_providers = setup->layout.has_providers;
	struct writer w = { .section = NULL };
	int err = has_providers ? look_ahead(setup) : 0;

	*lines = (struct kc_text){ .at = NULL };
	if (!has_providers && setup->wants_ktls)
		err = kc_setup_refuse(setup, -EINVAL, "kTLS needs OpenSSL 3.0 or later");
	if (err)
		return err;
	w.out = open_memstream(&lines->at, &lines->len);
	if (w.out && has_providers)
		put_provider_lines(&w, setup);
	else if (w.out)
		put_engine_lines(&w, setup);
	if (w.out && fclose(w.out) == 0)
		return 0;
	return kc_setup_refuse(setup, -ENOMEM, "%s", strerror(ENOMEM));
}
