/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config enable and disable. enable's lines go to the sections that the configuration names
 * or, if it names none, to sections of ours. No existing line is overridden, except one that says
 * no to the request. disable removes what enable has added, and nothing else.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"

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

static void put_query(struct writer *w, const struct kc_parts *parts, const char *section)
{
	char query[512];

	if (parts->is_preferred)
		return;
	snprintf(query, sizeof(query), "%s%s?provider=kcrypto", parts->query ? parts->query : "",
		 parts->query ? "," : "");
	put(w, section, "default_properties", query);
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
		/* A second line 'Options' would replace the first; with a dot it is added to it. */
		put(w, tls, parts->options ? "kcrypto.Options" : "Options", "KTLS");
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

/* Plans OpenWrt's entry, and reads what follows of it. 0 or -errno. */
static int plan_uci(struct kc_setup *setup, int now, enum kc_uci state)
{
	if (setup->layout.kind != KC_LAYOUT_UCI || now == (int)state)
		return 0;
	if (now < 0)
		return kc_setup_refuse(
			setup, now, "modules are switched by uci in %s" KC_UCI_FILE ", and %s",
			setup->files.root,
			now == -ENOSYS ? "there is no uci here: do it on the device" : "uci fails");
	setup->uci = state;
	return kc_setup_read_planned(setup);
}

int kc_config_enable(struct kc_setup *setup)
{
	bool has_entry = setup->layout.kind == KC_LAYOUT_UCI;
	int err = plan_uci(setup, has_entry ? kc_uci_get(&setup->files) : 0, KC_UCI_ON);

	if (!err)
		err = kc_plan_lines(setup);
	return err ? kc_failure(setup->error) : kc_plan_finish(setup, true);
}

/* A file that becomes empty is removed, unless its backup shows that it was empty before. */
static int restore(struct kc_setup *setup, const char *path, struct kc_text after)
{
	char name[PATH_MAX];
	KC_TEXT backup = { .at = NULL };
	int err = kc_plan_read_beside(setup, path, KC_BACKUP, name, &backup);
	bool is_same = !err && kc_text_equals(&backup, &after);

	if (err == -ENOENT && !after.len)
		kc_text_free(&after);
	if (!err && !is_same)
		fprintf(stderr,
			"note: %s%s has also been changed by others; the original is in %s%s\n",
			setup->files.root, path, setup->files.root, name);
	err = kc_files_plan(&setup->files, path, after);
	return err || !is_same ? err :
				 kc_files_plan(&setup->files, name, (struct kc_text){ .at = NULL });
}

/* An engine with an old name may be another's. */
static bool is_left_on(const struct kc_parts *parts)
{
	return parts->is_active || (parts->id && strcmp(parts->id->id, "kcrypto") == 0);
}

/* Is there a line that enable does not write? Its names are those above. */
static bool has_others(const struct kc_text *text)
{
	static const char names[] = " openssl_conf providers alg_section random ssl_conf engines "
				    "default kcrypto activate default_properties properties "
				    "system_default Options kcrypto.Options default_algorithms ";
	char name[KC_NAME_SIZE + 2];
	struct kc_scan scan;
	bool has = false;

	if (!text->len || !kc_scan_open(&scan, text->at, text->len, "default"))
		return text->len;
	while (!has && kc_scan_next(&scan)) {
		snprintf(name, sizeof(name), " %s ", scan.line.name);
		has = scan.line.kind == KC_LINE_VALUE && !strstr(names, name);
	}
	kc_scan_close(&scan);
	return has;
}

/* Lines that only the user can have written are kept in another file, which must be new. */
static int keep(struct kc_setup *setup, const char *path, const struct kc_text *lines)
{
	const char *root = setup->files.root;
	char name[PATH_MAX];
	KC_TEXT old = { .at = NULL };
	int err;

	if (!has_others(lines))
		return 0;
	err = kc_plan_read_beside(setup, path, ".disabled", name, &old);
	if (!err)
		err = kc_text_equals(&old, lines) ? 0 : -EEXIST;
	else if (err == -ENOENT)
		err = kc_files_plan(&setup->files, name, kc_text_copy(lines->at, lines->len));
	if (err)
		return kc_setup_refuse(setup, err,
				       "%s%s has lines that 'enable' did not write, and they "
				       "cannot be kept in %s%s: %s",
				       root, path, root, name, strerror(-err));
	fprintf(stderr, "note: %s%s has lines that 'enable' did not write; they are kept in %s%s\n",
		root, path, root, name);
	return 0;
}

/* Removes our lines from one file that was read. */
static int undo_file(struct kc_setup *setup, const char *path)
{
	KC_TEXT text = { .at = NULL }, ours = { .at = NULL };
	struct kc_text after = { .at = NULL };
	int err = kc_files_read(&setup->files, path, &text);

	if (err)
		return err == -ENOENT ? 0 : kc_plan_say(setup, path, err);
	if (kc_own_is_ours(&text)) {
		err = keep(setup, path, &text);
		return err ? err : kc_files_plan(&setup->files, path, after);
	}
	err = kc_edit_undo(&text, &after);
	if (err)
		return err == -ENOENT ? 0 : kc_plan_say(setup, path, err);
	ours = kc_edit_block(&text);
	err = keep(setup, path, &ours);
	if (!err)
		return restore(setup, path, after);
	kc_text_free(&after);
	return err;
}

/* Is the module's file that of enable, and so the entry, too? */
static bool is_entry_ours(const struct kc_setup *setup)
{
	KC_TEXT own = { .at = NULL };

	if (strstr(setup->layout.own, "/kcrypto.cnf"))
		kc_files_read(&setup->files, setup->layout.own, &own);
	return kc_own_is_ours(&own);
}

/* An entry of another's that still says yes is switched off. */
static int undo_uci(struct kc_setup *setup, bool is_ours)
{
	int now = setup->layout.kind == KC_LAYOUT_UCI ? kc_uci_get(&setup->files) : KC_UCI_ABSENT;
	int err = kc_setup_read_planned(setup);

	if (err || now == KC_UCI_ABSENT)
		return err;
	if (is_ours)
		return plan_uci(setup, now, KC_UCI_ABSENT);
	return is_left_on(&setup->conf.parts) ? plan_uci(setup, now, KC_UCI_OFF) : 0;
}

/* A line that 'enable' did not write stays. Returns an exit code. */
static int tell_rest(const struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;
	bool is_engine = !parts->is_active;
	char place[KC_PLACE_SIZE];

	if (!is_left_on(parts))
		return KC_EXIT_OK;
	kc_cnf_place_of(place, &setup->conf.cnf, is_engine ? parts->engines : parts->kcrypto,
			is_engine ? parts->engine : "activate");
	fprintf(stderr, "kcrypto: %s: this line turns kcrypto on, and 'enable' did not write it\n",
		place);
	return KC_EXIT_FAILED;
}

int kc_config_disable(struct kc_setup *setup)
{
	const struct kc_cnf *cnf = &setup->conf.cnf;
	bool is_ours = is_entry_ours(setup);
	int err = 0, code;

	for (size_t i = 0; !err && i < cnf->n_files; i++)
		err = undo_file(setup, cnf->file[i].path);
	if (!err)
		err = undo_uci(setup, is_ours);
	if (err)
		return kc_failure(setup->error);
	code = kc_plan_finish(setup, is_left_on(&setup->conf.parts));
	return code ? code : tell_rest(setup);
}
