/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config enable: which openssl.cnf a system has, and the plan to add the lines that are
 * missing in it. No existing line is overridden, except one that says no to the request.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <string.h>

#include "cli/cli.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The places that systems use. */
static const char *const places[] = {
	"/etc/ssl/openssl.cnf",	      "/etc/pki/tls/openssl.cnf", "/usr/lib/ssl/openssl.cnf",
	"/usr/lib/ssl-3/openssl.cnf", "/etc/openssl/openssl.cnf", "/usr/local/ssl/openssl.cnf",
};

/* The first of the usual places where there is a file. */
static const char *find_place(const char *root)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		KC_FD fd = kc_files_open(root, places[i], O_PATH);

		if (fd >= 0)
			return places[i];
	}
	return NULL;
}

int kc_setup_find(struct kc_setup *setup)
{
	const char *file = setup->file;
	char *found = NULL;
	int err;

	if (!file && !*setup->root)
		file = found = CONF_get1_default_config_file();
	if (!file)
		file = find_place(setup->root);
	err = file ? kc_files_resolve(setup->root, file, setup->main) : -ENOENT;
	OPENSSL_free(found);
	return err;
}

static int refuse(const struct kc_conf *conf, const char *section, const char *name,
		  const char *why)
{
	return kc_failure("%s: %s", kc_cnf_place_of(&conf->cnf, section, name), why);
}

/* Finds settings that kcrypto must not override. */
static int look_ahead(const struct kc_conf *conf)
{
	const struct kc_parts *parts = &conf->parts;

	if (parts->id)
		return refuse(conf, parts->engines, parts->engine,
			      "programs would get this engine's algorithms in place of the "
			      "provider's: kcrypto-engine(7) tells how to move its lines");
	if (parts->other && !parts->is_base_active)
		return refuse(conf, parts->providers, parts->other,
			      "providers are active here, and OpenSSL's 'default' is not: kcrypto "
			      "needs that one; activate it if that is what you want");
	if (parts->is_only)
		return refuse(
			conf, parts->algorithms, "default_properties",
			"'provider=kcrypto' hides most of OpenSSL: write '?provider=kcrypto'");
	if (parts->query && !parts->is_preferred && strstr(parts->query, "provider"))
		return refuse(conf, parts->algorithms, "default_properties",
			      "this prefers another provider, and OpenSSL takes only one");
	return KC_EXIT_OK;
}

/* Writes the missing lines. An exit code: others may be in the way. */
static int find_wanted(const struct kc_setup *setup, struct kc_text *lines)
{
	const struct kc_conf *conf = &setup->found.conf;
	int err = conf->has_providers ? look_ahead(conf) : KC_EXIT_OK;
	FILE *out;

	if (!conf->has_providers && setup->wants_ktls)
		err = kc_failure("kTLS needs OpenSSL 3.0 or later");
	if (err)
		return err;
	out = kc_must(open_memstream(&lines->at, &lines->len));
	if (conf->has_providers)
		kc_conf_put_provider(out, conf, setup->wants_ktls);
	else
		kc_conf_put_engine(out, conf);
	return fclose(out) == 0 ? KC_EXIT_OK : kc_failure("%s", strerror(ENOMEM));
}

/* Plans all missing lines, and reads the result, which must lack none then. An exit code. */
static int plan_lines(struct kc_setup *setup)
{
	KC_TEXT lines = { .at = NULL }, more = { .at = NULL };
	struct kc_text *before = &setup->before, after;
	int err = find_wanted(setup, &lines);

	if (err || !lines.len)
		return err;
	err = kc_files_read(setup->root, setup->main, before);
	if (!err || err == -ENOENT)
		err = kc_block_add(before, lines.at, &after);
	if (err)
		return kc_setup_refuse(setup, err);
	if (kc_setup_plan(setup, after) != 0)
		return kc_failure("%s", setup->found.conf.error);
	err = find_wanted(setup, &more);
	if (!err && more.len)
		err = kc_failure("%s%s: existing lines override those that would be added:\n%s",
				 setup->root, setup->main, more.at);
	return err;
}

int kc_config_enable(struct kc_setup *setup)
{
	int err = plan_lines(setup);

	return err ? err : kc_setup_finish(setup, true);
}
