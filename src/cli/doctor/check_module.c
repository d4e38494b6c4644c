/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links from an active provider to programs that use it: OpenSSL's own provider beside it, the
 * module or engine that is loaded, the default properties. kcrypto config check and the notes of
 * kcrypto list use them, too.
 */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cnf/loader.h"
#include "cli/text.h"

static void check_default(struct kc_diagnosis *d)
{
	const struct kc_parts *parts = &d->found->conf.parts;

	if (!parts->kcrypto && !parts->loader)
		return;
	if (parts->is_base_active)
		kc_fine(d, "OpenSSL's default provider is active, too");
	else if (parts->is_base_there)
		kc_fine(d, "OpenSSL's default provider is there, unless a program loads others");
	else
		kc_fault(d, NO_DEFAULT, kc_found_place(d->found, parts->base, "activate"));
	if (parts->fips && kc_parts_activates(&d->found->conf.cnf, parts->fips))
		kc_fault(d, FIPS);
}

/* True if, with a FIPS provider, the query would leave programs anything. */
static bool demands_fips(const struct kc_parts *parts)
{
	return kc_query_ask(parts->query, true).has_rest;
}

static void tell_fips(struct kc_diagnosis *d, const char *name, const char *value)
{
	char line[256];

	snprintf(line, sizeof(line), "%s = %s", name, value);
	kc_fault(d, FIPS_QUERY, kc_found_place(d->found, d->found->conf.parts.algorithms, name),
		 line);
}

/* True if kcrypto is all that programs get, by the query or as they see it. */
static bool leaves_nothing(const struct kc_parts *parts, const struct kc_reach *reach)
{
	if (!parts->answer.has_rest)
		return true;
	return reach->is_loaded && !reach->has_rest && parts->is_base_there;
}

/* True if the line leads to kcrypto, but programs that load the file get something else. */
static bool is_elsewhere(const struct kc_found *found)
{
	const struct kc_reach *reach = &found->offers.reach;

	if (!reach->is_loaded)
		return false;
	return !reach->leads || found->offers.is_missing;
}

/* If nothing is offered that could show whether the query leads here, OpenSSL's parser decides. */
static void check_properties(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_reach *reach = &found->offers.reach;
	const struct kc_parts *parts = &found->conf.parts;
	const char *place = kc_found_place(found, parts->algorithms, "default_properties");

	if (!parts->kcrypto && !parts->loader)
		return;
	if (parts->fips_mode && !parts->answer.has_rest)
		tell_fips(d, "fips_mode", parts->fips_mode);
	else if (!parts->query)
		kc_fault(d, NO_QUERY, place);
	else if (!parts->answer.is_valid)
		kc_fault(d, BAD_QUERY, place, parts->query);
	else if (!parts->answer.has_rest && !parts->answer.leads && demands_fips(parts))
		tell_fips(d, "default_properties", parts->query);
	else if (leaves_nothing(parts, reach))
		kc_fault(d, HARD_QUERY, place, parts->query);
	else if (!parts->answer.leads || is_elsewhere(found))
		kc_fault(d, OTHER_QUERY, place, parts->query);
	else
		kc_fine(d, "default_properties = %s", parts->query);
}

/* From 3.5 on, OpenSSL fetches the random numbers' cipher from the generator's provider. */
static void check_random(struct kc_diagnosis *d)
{
	const struct kc_parts *parts = &d->found->conf.parts;

	if (!parts->kcrypto && !parts->loader)
		return;
	if (!parts->query || !d->found->conf.wants_random)
		return;
	if (parts->random_query)
		kc_fine(d, "random numbers stay with OpenSSL's default provider");
	else
		kc_fault(d, NO_RANDOM);
}

static void check_engine(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_reach *reach = &found->offers.reach;
	const struct kc_parts *parts = &found->conf.parts;
	const char *id = found->conf.engine;

	/* If both are there, programs ask the engine first. */
	if (parts->id && !id[0])
		kc_fault(d, ENGINE_BESIDE, kc_found_place(found, parts->engines, parts->engine),
			 parts->id->id);
	if (!id[0] || !reach->is_asked)
		return;
	if (!reach->is_told || !reach->starts)
		return;
	if (OpenSSL_version_num() >= 0x40000000)
		kc_fault(d, ENGINE_UNKNOWN, kc_found_place(found, parts->engines, parts->engine),
			 id);
	else if (!reach->engine[0])
		kc_fault(d, ENGINE_ABSENT, id);
	else if (!reach->is_engine_ours)
		kc_fault(d, ENGINE_FOREIGN, id, reach->engine);
	else if (found->offers.is_missing)
		kc_fault(d, ENGINE_ASIDE, id);
	else
		kc_fine(d, "programs reach kcrypto as the engine %s; see kcrypto-engine(7)", id);
}

/* True if it is missing because of the directory; false if a line names another file. */
static bool is_sent_elsewhere(const char *name)
{
	bool is_usual = strcmp(name, "kcrypto.so") == 0 || strcmp(name, "kcrypto-keys.so") == 0;

	if (!is_usual)
		return false;
	return secure_getenv("OPENSSL_MODULES");
}

bool kc_check_module_file(struct kc_diagnosis *d, const char *name)
{
	char path[2 * PATH_MAX];
	int err = kc_module_find(name, path);

	if (err == EACCES)
		kc_fault(d, MODULE_LOCKED, path);
	else if (err && is_sent_elsewhere(name))
		kc_fault(d, NAMED_MODULES, path);
	else if (err)
		kc_fault(d, NO_MODULE, path);
	return !err;
}

static void find_unloaded(struct kc_diagnosis *d)
{
	const struct kc_reach *reach = &d->found->offers.reach;
	const char *name = d->found->conf.module;

	if (!kc_check_module_file(d, name))
		return;
	if (!reach->is_module)
		kc_fault(d, UNLOADABLE, name, reach->module_error);
	else if (reach->conf_error[0])
		kc_fault(d, STUMBLE, d->found->conf.file, reach->conf_error);
	else
		kc_fault(d, OTHER_MODULE, name);
}

/* True if a module that can't be loaded ends programs. */
static bool ends_programs(const struct kc_cnf *cnf)
{
	const char *value = kc_cnf_get(cnf, "default", "config_diagnostics");

	if (!value)
		return false;
	return strtol(value, NULL, 0) > 0;
}

/* The line of [init] that loads the module. */
static void check_loader(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	struct kc_loader loader;
	char line[256];

	snprintf(line, sizeof(line), "%s = %s", conf->parts.loader_line, conf->parts.loader);
	if (!conf->parts.is_loader_last)
		kc_fault(d, NOT_LAST, kc_conf_loader_place(conf), line);
	kc_loader_find(&loader, conf->cnf.root);
	if (*loader.foreign && ends_programs(&conf->cnf))
		kc_fault(d, OTHER_MACHINE, loader.foreign);
}

/*
 * True if the module exists that this line names; otherwise adds a finding. Only the dynamic linker
 * knows what $LIB is.
 */
static bool require_loadable(struct kc_diagnosis *d)
{
	const char *loader = d->found->conf.loader;

	if (!*loader || strchr(loader, '$'))
		return true;
	return kc_check_module_file(d, loader);
}

/* True if the module is loaded, but an error keeps libcrypto from the line with the properties. */
static bool is_cut_short(const struct kc_found *found)
{
	const struct kc_reach *reach = &found->offers.reach;

	if (!reach->conf_error[0] || reach->leads)
		return false;
	return found->conf.parts.answer.leads;
}

static void check_module(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_reach *reach = &found->offers.reach;
	char path[2 * PATH_MAX];

	if (found->conf.parts.loader && found->conf.parts.is_active)
		check_loader(d);
	if (!reach->is_asked || !kc_cnf_has(&found->conf.cnf, found->conf.parts.init))
		return;
	if (!reach->is_told)
		kc_fault(d, CRASH, found->conf.file, reach->why);
	else if (found->conf.parts.loader && !require_loadable(d))
		return;
	else if (!reach->starts)
		kc_fault(d, NO_LAUNCH, found->conf.file);
	else if (reach->is_loaded && is_cut_short(found))
		kc_fault(d, STUMBLE, found->conf.file, reach->conf_error);
	else if (reach->is_loaded && kc_module_find(found->conf.module, path) >= 0)
		kc_fine(d, "%s is loaded by %s", path, OpenSSL_version(OPENSSL_VERSION));
	else if (found->conf.parts.is_active && found->conf.has_providers)
		find_unloaded(d);
}

/* Lists what needs a contiguous buffer, or a message in one piece. */
static void word_scattered(const struct kcrypto_traits *t, char *text, size_t size)
{
	struct kc_list list = { text, size };
	size_t most = kc_traits_most(t, false);

	text[0] = '\0';
	if (kc_traits_want_whole(t))
		kc_list_add(&list, "", ", digests");
	if (most < kc_traits_most(t, true))
		kc_list_add(&list, "", ", requests of more than %zu bytes", most);
	if (kc_traits_alignmask(t))
		kc_list_add(&list, "", ", requests at some addresses");
}

/* A driver with traits is hardware, even if software does some of its rows. */
void kc_check_scattered(struct kc_diagnosis *d)
{
	char what[128];

	if (d->found->kernel.kcrypto.err != ENOENT)
		return;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = d->found->offers.policy.row[i]; c; c = c->next)
			if (!c->backend->copies && c->traits &&
			    kc_traits_want_contiguous(c->traits)) {
				word_scattered(c->traits, what, sizeof(what));
				kc_fault(d, SCATTERED, c->driver, c->backend->names[0], what + 2,
					 KC_MODULE_PACKAGE);
				return;
			}
}

const struct kc_link kc_links_to_module[] = {
	{ "default", check_default, .scope = KC_OF_FILE },
	{ "module", check_module, .scope = KC_OF_FILE },
	{ "engine", check_engine, .scope = KC_OF_FILE },
	{ "properties", check_properties, .scope = KC_OF_FILE },
	{ "random", check_random, .scope = KC_OF_FILE },
	{ NULL },
};
