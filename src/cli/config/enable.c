/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config enable: which openssl.cnf a system has, how its distribution lays it out, and so
 * where kcrypto's lines belong; and the plan to add those that are missing. No existing line is
 * overridden, except one that says no to the request.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <glob.h>
#include <openssl/crypto.h>
#include <string.h>

#include "cli/cli.h"

/* The first line of the file that 'enable' writes. */
#define OWN_MARK      "# Written by 'kcrypto config enable'; 'kcrypto config disable' removes it.\n"
#define ABOUT	      "# The keys of the provider's section: kcrypto-provider(7).\n"
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The places that systems use. */
static const char *const places[] = {
	"/etc/ssl/openssl.cnf",	      "/etc/pki/tls/openssl.cnf", "/usr/lib/ssl/openssl.cnf",
	"/usr/lib/ssl-3/openssl.cnf", "/etc/openssl/openssl.cnf", "/usr/local/ssl/openssl.cnf",
};

int kc_layout_find(struct kc_setup *setup)
{
	const struct kc_files *files = &setup->files;
	const char *file = setup->file;
	char *found = NULL;
	KC_SPOT spot = { .dir = -1 };
	int err;

	if (!file && !*files->root)
		file = found = CONF_get1_default_config_file();
	for (size_t i = 0; !file && i < ARRAY_SIZE(places); i++)
		if (kc_files_has(files, places[i]))
			file = places[i];
	err = file ? kc_spot_find(&spot, files, file, true) : -ENOENT;
	if (!err)
		memcpy(setup->main, spot.path, PATH_MAX);
	OPENSSL_free(found);
	return err;
}

/* Is there a libcrypto with one of these versions in the image? */
static bool has_library(const struct kc_files *files, const char *versions)
{
	static const char *const dirs[] = { "lib*", "usr/lib*", "lib/*", "usr/lib/*" };
	bool has = false;

	for (size_t i = 0; !has && i < ARRAY_SIZE(dirs); i++) {
		char pattern[PATH_MAX];
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s/%s/libcrypto.so.%s", files->root, dirs[i],
			 versions);
		has = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;
		globfree(&found);
	}
	return has;
}

static void ask_version(struct kc_setup *setup)
{
	unsigned long version = OpenSSL_version_num();
	bool is_here = !*setup->files.root;

	setup->has_providers = is_here ? version >= 0x30000000 :
					 has_library(&setup->files, "[3-9]*") ||
						 !has_library(&setup->files, "1.*");
	setup->wants_random = setup->has_providers && (!is_here || version < 0x30500000);
}

/* The directory for packages' files that openssl.cnf itself includes. */
static const struct kc_include *find_directory(const struct kc_cnf *cnf)
{
	for (size_t i = 0; i < cnf->n_includes; i++)
		if (cnf->include[i].is_directory && cnf->include[i].where.file == cnf->file[0].path)
			return &cnf->include[i];
	return NULL;
}

/* Does the section of the line that includes go on in lines behind it? */
static bool goes_on(const struct kc_cnf *cnf, const struct kc_include *include)
{
	for (const struct kc_line *l = cnf->lines; l < cnf->lines + cnf->n_lines; l++)
		if (l->where.file == include->where.file && l->where.line > include->where.line &&
		    (l->kind == KC_LINE_VALUE || l->kind == KC_LINE_SECTION))
			return l->kind == KC_LINE_VALUE &&
			       strcmp(l->section, include->section) == 0;
	return false;
}

bool kc_own_is_ours(const struct kc_text *text)
{
	return text->at && strncmp(text->at, OWN_MARK, strlen(OWN_MARK)) == 0;
}

/* A file of that name that something else put there is left alone. */
static void name_own(struct kc_setup *setup, const char *dir, int len)
{
	static const char *const names[] = { "kcrypto.cnf", "kcrypto-config.cnf" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		KC_TEXT text = { .at = NULL };

		snprintf(setup->own, sizeof(setup->own), "%.*s/%s", len, dir, names[i]);
		if (kc_files_read(&setup->files, setup->own, &text) != 0 || kc_own_is_ours(&text))
			return;
	}
}

void kc_layout_detect(struct kc_setup *setup)
{
	const struct kc_include *directory = setup->file ? NULL : find_directory(&setup->conf.cnf);
	const char *slash = strrchr(setup->main, '/');

	memcpy(setup->own, setup->main, sizeof(setup->own));
	ask_version(setup);
	if (directory) {
		size_t len = strlen(directory->path);

		while (len > 1 && directory->path[len - 1] == '/')
			len--;
		name_own(setup, directory->path, (int)len);
		if (goes_on(&setup->conf.cnf, directory))
			snprintf(setup->leave, sizeof(setup->leave), "%s", directory->section);
	} else if (!setup->file && kc_files_has(&setup->files, "/etc/debian_version")) {
		setup->wants_line = true;
		name_own(setup, setup->main, (int)(slash - setup->main));
	}
}

static int refuse(struct kc_setup *setup, const char *section, const char *name, const char *why)
{
	char place[KC_PLACE_SIZE];

	return kc_setup_refuse(setup, -EINVAL, "%s: %s",
			       kc_cnf_place_of(place, &setup->conf.cnf, section, name), why);
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

/* Writes the missing lines. 0, or -errno with the error in @setup if others are in the way. */
static int find_wanted(struct kc_setup *setup, struct kc_text *lines)
{
	int err = setup->has_providers ? look_ahead(setup) : 0;
	FILE *out;

	*lines = (struct kc_text){ .at = NULL };
	if (!setup->has_providers && setup->wants_ktls)
		err = kc_setup_refuse(setup, -EINVAL, "kTLS needs OpenSSL 3.0 or later");
	if (err)
		return err;
	out = open_memstream(&lines->at, &lines->len);
	if (out && setup->has_providers)
		kc_conf_put_provider(out, &setup->conf.parts, setup->wants_random,
				     setup->wants_ktls);
	else if (out)
		kc_conf_put_engine(out, &setup->conf);
	if (out && fclose(out) == 0)
		return 0;
	return kc_setup_refuse(setup, -ENOMEM, "%s", strerror(ENOMEM));
}

/* One that exists is never overwritten: it may be the only copy of the original. */
static int plan_backup(struct kc_setup *setup, const char *path, const struct kc_text *before)
{
	KC_TEXT old = { .at = NULL };
	char name[PATH_MAX];
	int err = kc_setup_read_beside(setup, path, KC_BACKUP, name, &old);

	return err != -ENOENT ?
		       err :
		       kc_files_plan(&setup->files, name, kc_text_copy(before->at, before->len));
}

/* Adds to the marked block at the end of openssl.cnf. Its first change is preceded by a backup. */
static int add_to_main(struct kc_setup *setup, const char *lines)
{
	const char *main = setup->main;
	KC_TEXT text = { .at = NULL };
	struct kc_text after;
	bool is_planned = kc_files_is_planned(&setup->files, main);
	int err = kc_files_read(&setup->files, main, &text);

	if (!err && !is_planned)
		err = plan_backup(setup, main, &text);
	if (!err || err == -ENOENT)
		err = kc_block_add(&text, lines, &after);
	if (!err)
		err = kc_files_plan(&setup->files, main, after);
	return kc_setup_name(setup, main, err);
}

static int add_to_own(struct kc_setup *setup, const char *lines)
{
	struct kc_text text = { .at = NULL };
	KC_TEXT old = { .at = NULL };
	int err = kc_files_read(&setup->files, setup->own, &old);
	FILE *out = err && err != -ENOENT ? NULL : open_memstream(&text.at, &text.len);

	if (!out)
		return kc_setup_name(setup, setup->own, err ? err : -ENOMEM);
	fprintf(out, "%s\n%s", old.at ? old.at : OWN_MARK ABOUT, lines);
	if (setup->leave[0])
		fprintf(out, "\n# openssl.cnf goes on in this section\n[%s]\n", setup->leave);
	err = fclose(out) == 0 ? 0 : -ENOMEM;
	if (!err)
		err = kc_files_plan(&setup->files, setup->own, text);
	return kc_setup_name(setup, setup->own, err);
}

static bool is_included(const struct kc_setup *setup, const char *path)
{
	for (size_t i = 0; i < setup->conf.cnf.n_includes; i++)
		if (strcmp(setup->conf.cnf.include[i].path, path) == 0)
			return true;
	return false;
}

static int add_lines(struct kc_setup *setup, const char *lines)
{
	char include[PATH_MAX + 16];
	int err;

	if (strcmp(setup->own, setup->main) == 0)
		return add_to_main(setup, lines);
	err = add_to_own(setup, lines);
	if (err || !setup->wants_line || is_included(setup, setup->own))
		return err;
	snprintf(include, sizeof(include), ".include %s\n", setup->own);
	return add_to_main(setup, include);
}

/* Plans all missing lines, and reads the result, which must lack none then. */
static int plan_lines(struct kc_setup *setup)
{
	KC_TEXT lines = { .at = NULL }, more = { .at = NULL };
	int err = find_wanted(setup, &lines);

	if (err || !lines.len)
		return err;
	err = add_lines(setup, lines.at);
	if (!err)
		err = kc_setup_read(setup);
	if (!err)
		err = find_wanted(setup, &more);
	if (!err && more.len)
		err = kc_setup_refuse(setup, -EINVAL,
				      "%s%s: existing lines override those that would be "
				      "added:\n%s",
				      setup->files.root, setup->main, more.at);
	return err;
}

int kc_config_enable(struct kc_setup *setup)
{
	return plan_lines(setup) ? kc_failure(setup->error) : kc_setup_finish(setup, true);
}
