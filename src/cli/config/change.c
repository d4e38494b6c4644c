/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config enable and disable: plans for openssl.cnf. enable adds the lines that are missing.
 * It overrides only a line that says 'no' to the request, and replaces lines by which an older
 * enable loaded the provider. disable removes what enable has added, and nothing else: lines that
 * others have added between the marks become comments.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cnf/loader.h"
#include "cli/config/block.h"

static int refuse(const struct kc_conf *conf, const char *section, const char *name,
		  const char *why)
{
	return kc_failure("%s: %s", kc_cnf_place_of(&conf->cnf, section, name), why);
}

/* Refuses if there are settings that kcrypto must not override. Returns an exit code. */
static int look_ahead(const struct kc_conf *conf)
{
	const struct kc_parts *parts = &conf->parts;

	if (parts->id)
		return refuse(conf, parts->engines, parts->engine,
			      "programs would use this engine instead of the provider: "
			      "kcrypto-engine(7) tells how to move its lines");
	if (parts->other && !parts->is_base_active)
		return refuse(conf, parts->providers, parts->other,
			      "providers are active here without OpenSSL's 'default', which "
			      "kcrypto needs: activate 'default' if that is what you want");
	if (parts->answer.leads && !parts->answer.has_rest)
		return refuse(
			conf, parts->algorithms, "default_properties",
			"'provider=kcrypto' hides most of OpenSSL: write '?provider=kcrypto'");
	if (parts->query && !parts->answer.is_valid)
		return refuse(conf, parts->algorithms, "default_properties",
			      "OpenSSL cannot parse this: 'kcrypto config fix' corrects it");
	if (parts->query && !parts->answer.has_rest)
		return refuse(
			conf, parts->algorithms, "default_properties",
			"this leaves programs no algorithm: 'kcrypto config fix' corrects it");
	if (parts->query && !parts->is_preferred && strstr(parts->query, "provider"))
		return refuse(conf, parts->algorithms, "default_properties",
			      "this prefers another provider, and OpenSSL takes only one");
	return KC_EXIT_OK;
}

/* Writes the missing lines. Returns an exit code: other lines may be in the way. */
static int find_wanted(const struct kc_setup *setup, struct kc_text *lines)
{
	const struct kc_conf *conf = &setup->found.conf;
	int err = KC_EXIT_OK;
	FILE *out;

	if (conf->has_providers)
		err = look_ahead(conf);
	if (!conf->has_providers && setup->wants_ktls)
		err = kc_failure("kTLS needs OpenSSL 3.0 or later");
	if (err)
		return err;
	out = kc_must(open_memstream(&lines->at, &lines->len));
	if (conf->has_providers)
		kc_conf_put_provider(out, conf, setup->wants_ktls);
	else
		kc_conf_put_engine(out, conf);
	if (fclose(out) == 0)
		return KC_EXIT_OK;
	return kc_failure("%s", strerror(ENOMEM));
}

/* What to take out of a block. */
struct renewal {
	const struct kc_parts *parts;
	bool is_activation; /* lines that an older enable wrote */
	bool is_include;    /* the line that loads the module */
};

static bool is_old(const struct kc_line *line, const void *arg)
{
	const struct renewal *r = arg;
	const struct kc_parts *parts = r->parts;

	if (line->kind == KC_LINE_INCLUDE)
		return r->is_include && kc_loader_is(line->value);
	if (!r->is_activation)
		return false;
	if (line->kind == KC_LINE_VALUE && strcmp(line->name, "activate") == 0)
		return kc_has_word(parts->kcrypto, line->section) ||
		       kc_has_word(parts->base, line->section);
	if (line->kind == KC_LINE_VALUE)
		return strcmp(line->name, "default") == 0 &&
		       strcmp(line->value, "kcrypto_default") == 0;
	return false;
}

/*
 * Plans the block at the end of the text, without lines that are out of date. @grows: lines will
 * follow, and the line that loads the module has to be the last. 0; -ENOENT: no line is out of
 * date; or another -errno.
 */
static int plan_renewal(struct kc_setup *setup, bool grows)
{
	const struct kc_parts *parts = &setup->found.conf.parts;
	struct renewal renewal = { .parts = parts };
	struct kc_loader loader;
	struct kc_block block;
	struct kc_text after;
	struct kc_cnf cnf;
	int err = kc_block_find(&setup->before, &block);

	if (err)
		return err;
	kc_loader_find(&loader, setup->root);
	renewal.is_activation = *loader.file && !*loader.foreign;
	renewal.is_include = !renewal.is_activation || !parts->is_loader_last || grows;
	kc_block_read(&cnf, &block, setup->root, setup->main);
	err = kc_block_renew(&setup->before, &block, &cnf, is_old, &renewal, &after);
	kc_cnf_free(&cnf);
	if (err)
		return err;
	return kc_setup_plan(setup, after);
}

/* Plans all missing lines, and reads the result, which must lack none. Returns an exit code. */
static int plan_missing(struct kc_setup *setup)
{
	KC_TEXT lines = { .at = NULL }, more = { .at = NULL };
	const struct kc_text *base = &setup->before;
	struct kc_text after;
	int err = find_wanted(setup, &lines);

	if (setup->is_planned)
		base = &setup->after;
	if (err || !lines.len)
		return err;
	err = kc_block_add(base, lines.at, &after);
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

static int plan_lines(struct kc_setup *setup)
{
	KC_TEXT lines = { .at = NULL };
	int code = find_wanted(setup, &lines), err;

	if (code)
		return code;
	err = kc_files_read(setup->root, setup->main, &setup->before);
	if (!err && setup->found.conf.has_providers)
		err = plan_renewal(setup, lines.len > 0);
	if (err && err != -ENOENT)
		return kc_setup_refuse(setup, err);
	return plan_missing(setup);
}

int kc_setup_add_missing(const struct kc_setup *setup, const struct kc_text *before,
			 struct kc_text *after)
{
	KC_TEXT lines = { .at = NULL };
	int err = find_wanted(setup, &lines);

	if (err || !lines.len)
		return KC_EXIT_FAILED;
	err = kc_block_add(before, lines.at, after);
	if (err)
		return kc_setup_refuse(setup, err);
	return KC_EXIT_OK;
}

int kc_config_enable(struct kc_setup *setup)
{
	int err = plan_lines(setup);

	if (err)
		return err;
	return kc_setup_finish(setup, true);
}

/* True for a line whose name enable writes; conf_put.c writes these lines. */
static bool is_ours(const struct kc_line *line)
{
	static const char names[] = "openssl_conf providers alg_section random ssl_conf engines "
				    "default kcrypto activate default_properties properties "
				    "system_default Options kcrypto.Options default_algorithms";

	if (line->kind == KC_LINE_INCLUDE)
		return kc_loader_is(line->value);
	if (line->kind == KC_LINE_PRAGMA)
		return false;
	if (line->kind != KC_LINE_VALUE)
		return true;
	return kc_has_word(names, line->name);
}

static bool has_others(const struct kc_setup *setup, const struct kc_block *block)
{
	struct kc_cnf cnf;
	bool has = false;

	kc_block_read(&cnf, block, setup->root, setup->main);
	for (const struct kc_line *l = cnf.lines; l != kc_cnf_end(&cnf); l++)
		has |= kc_block_is_own(&cnf, l) && !is_ours(l);
	kc_cnf_free(&cnf);
	return has;
}

/* An engine with an old name may be another one. */
static bool is_left_on(const struct kc_parts *parts)
{
	return parts->is_active || (parts->id && strcmp(parts->id->id, "kcrypto") == 0);
}

/* Returns the place of the line that turns kcrypto on. */
static const char *place_of_rest(const struct kc_conf *conf)
{
	const struct kc_parts *parts = &conf->parts;

	if (parts->is_activated)
		return kc_cnf_place_of(&conf->cnf, parts->kcrypto, "activate");
	if (parts->is_active)
		return kc_conf_loader_place(conf);
	return kc_cnf_place_of(&conf->cnf, parts->engines, parts->engine);
}

/* Reports that a line that 'enable' did not write stays. Returns an exit code. */
static int tell_rest(const struct kc_setup *setup)
{
	const struct kc_conf *conf = &setup->found.conf;

	if (!is_left_on(&conf->parts))
		return KC_EXIT_OK;
	return kc_failure("%s: this line turns kcrypto on, and 'enable' did not write it",
			  place_of_rest(conf));
}

/* Plans the file without the block. 0 or -errno; -ENOENT: there is no block, or no file. */
static int plan_removal(struct kc_setup *setup, bool *is_kept)
{
	int err = kc_files_read(setup->root, setup->main, &setup->before);
	struct kc_text after = { .at = NULL };
	struct kc_block block;

	if (!err)
		err = kc_block_find(&setup->before, &block);
	if (err)
		return err;
	*is_kept = has_others(setup, &block);
	err = kc_block_undo(&setup->before, &block, *is_kept, &after);
	/* OpenSSL may be unable to parse the rest of the file. */
	if (!err)
		kc_setup_plan(setup, after);
	return err;
}

int kc_config_disable(struct kc_setup *setup)
{
	bool is_kept = false;
	int err = plan_removal(setup, &is_kept), code;

	setup->is_removal = true;
	if (err && err != -ENOENT)
		return kc_setup_refuse(setup, err);
	if (is_kept)
		fprintf(stderr,
			"note: %s%s has lines that 'enable' did not write; they stay as comments\n",
			setup->root, setup->main);
	code = kc_setup_finish(setup, is_left_on(&setup->found.conf.parts));
	if (code)
		return code;
	return tell_rest(setup);
}
