/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links from a program to the provider: openssl.cnf, its lines, and the module they name. Also
 * kcrypto config check, and the notes of kcrypto list.
 */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* The place of a value, like the next for messages, until the next call of either. */
static const char *place_of(const struct kc_found *found, const char *section, const char *name)
{
	return kc_cnf_place_of(&found->conf.cnf, section, name);
}

/* The path of a file that was read. */
static const char *path_of(const struct kc_found *found, const char *file)
{
	return kc_cnf_place(&found->conf.cnf, (struct kc_where){ file, 0 });
}

static void check_libcrypto(struct kc_diagnosis *d, const struct kc_program *p)
{
	if (p->is_inside)
		kc_fault(d, STATIC, p->path);
	else if (p->is_other)
		kc_fault(d, OTHER_LIBCRYPTO, p->path, p->libcrypto);
	else if (!p->libcrypto[0])
		kc_fault(d, NO_LIBCRYPTO, p->path);
	else
		kc_fine(d, "%s uses %s", p->path, p->libcrypto);
}

static void check_program(struct kc_diagnosis *d)
{
	const struct kc_program *p = &d->found->program;
	const struct kc_conf *conf = &d->found->conf;

	if (!p->argv)
		return;
	if (!p->path[0]) {
		kc_fault(d, NO_PROGRAM, p->argv[0]);
		return;
	}
	check_libcrypto(d, p);
	if (p->is_set_id)
		kc_fault(d, SET_ID, p->argv[0]);
	if (p->is_node && conf->parts.init && !kc_cnf_get(&conf->cnf, "default", "nodejs_conf"))
		kc_fault(d, OWN_NAME, p->path, conf->file, conf->parts.init);
}

/* A main file that is absent counts as empty. */
static void check_included(struct kc_diagnosis *d)
{
	const struct kc_cnf *cnf = &d->found->conf.cnf;

	for (size_t i = 0; i < cnf->n_files; i++) {
		const struct kc_cnf_file *file = &cnf->file[i];
		const char *path = path_of(d->found, file->path);

		if (file->err == -EACCES)
			kc_fault(d, FILE_LOCKED, path, strerror(EACCES));
		else if (file->err && i)
			kc_fault(d, INCLUDE_ABSENT, path, strerror(-file->err));
		else if (S_ISREG(file->mode) && !(file->mode & S_IROTH))
			kc_fault(d, PRIVATE, path);
	}
}

/* The file can be read, and parsed. */
static void check_read(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_cnf *cnf = &found->conf.cnf;
	char included[64] = "";
	size_t n = 0;

	for (size_t i = 1; i < cnf->n_files; i++)
		n += !cnf->file[i].err;
	if (n)
		snprintf(included, sizeof(included), ", and files that it includes: %zu", n);
	kc_fine(d, "%s%s%s%s", path_of(found, found->conf.file), found->whence ? ", by " : "",
		found->whence ? found->whence : "", included);
	check_included(d);
}

static void check_file(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const struct kc_cnf *cnf = &conf->cnf;

	if (!conf->file[0])
		kc_fault(d, NAMELESS);
	else if (cnf->err == -ENOENT)
		kc_fault(d, NO_FILE, conf->file);
	else if (cnf->err == -EACCES)
		kc_fault(d, FILE_LOCKED, conf->file, strerror(EACCES));
	else if (cnf->err == -EINVAL)
		kc_fault(d, SYNTAX, kc_cnf_place(cnf, cnf->bad), cnf->why);
	else if (cnf->err)
		kc_fault(d, FILE_KIND, kc_cnf_place(cnf, cnf->bad), cnf->why);
	else
		check_read(d);
}

/* A line names a section, which must exist. */
static bool has_section(struct kc_diagnosis *d, const char *of, const char *name)
{
	const struct kc_cnf *cnf = &d->found->conf.cnf;
	const char *section = name ? kc_cnf_get(cnf, of, name) : NULL;
	char line[256];

	if (!section || kc_cnf_has(cnf, section))
		return section;
	snprintf(line, sizeof(line), "%s = %s", name, section);
	kc_fault(d, NO_SECTION, place_of(d->found, of, name), line);
	return false;
}

static void check_start(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const struct kc_parts *parts = &conf->parts;
	char line[16];

	if (conf->cnf.err)
		return;
	if (has_section(d, "default", "openssl_conf")) {
		kc_fine(d, "openssl_conf = %s, before the first section", parts->init);
	} else if (parts->late) {
		snprintf(line, sizeof(line), "%u", parts->late->where.line);
		kc_fault(d, LATE_START, path_of(d->found, parts->late->where.file), line,
			 parts->late->value);
	} else if (!parts->init) {
		kc_fault(d, NO_START, path_of(d->found, conf->file));
	}
}

/* Lists the name of each active provider's line. */
static void list_providers(const struct kc_conf *conf, char *to, size_t size)
{
	const CONF_VALUE *line;
	size_t n = 0;

	to[0] = '\0';
	for (int i = 0; n < size && (line = kc_cnf_line(&conf->cnf, conf->parts.providers, i)); i++)
		if (kc_parts_activates(&conf->cnf, line->value))
			n += (size_t)snprintf(to + n, size - n, "%s%s", n ? ", " : "", line->name);
}

static bool is_named(const struct kc_cnf *cnf, const char *section)
{
	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_VALUE && strcmp(l->value, section) == 0)
			return true;
	return false;
}

/* A section that has our name, and that no line names, is likely to be meant for us. */
static void check_strays(struct kc_diagnosis *d)
{
	const struct kc_cnf *cnf = &d->found->conf.cnf;
	const char *ours = d->found->conf.section;

	for (const struct kc_line *l = cnf->lines; *ours && l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_SECTION && strncasecmp(l->section, "kcrypto", 7) == 0 &&
		    !is_named(cnf, l->section))
			kc_fault(d, STRAY, kc_cnf_place(cnf, l->where), l->section, ours);
}

static void check_activation(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const char *ours = conf->parts.kcrypto;
	char line[256];

	if (!conf->parts.is_active) {
		kc_fault(d, INACTIVE, place_of(d->found, ours, "activate"), ours);
		return;
	}
	list_providers(conf, line, sizeof(line));
	kc_fine(d, "active, in this order: %s", line);
	if (kc_parts_denies(&conf->cnf, ours))
		kc_fault(d, ACTIVE_ANYWAY, place_of(d->found, ours, "activate"),
			 kc_cnf_get(&conf->cnf, ours, "activate"));
	check_strays(d);
}

static void check_providers(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const struct kc_parts *parts = &conf->parts;
	static const char *const others[] = { "alg_section", "random", "ssl_conf", "engines" };

	if (!kc_cnf_has(&conf->cnf, parts->init))
		return;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		has_section(d, parts->init, others[i]);
	if (conf->engine[0])
		return;
	if (!conf->has_providers)
		kc_fault(d, NO_LINE, parts->init, "engines = ...");
	else if (!parts->providers)
		kc_fault(d, NO_LINE, parts->init, "providers = ...");
	else if (kc_cnf_has(&conf->cnf, parts->providers) && !parts->kcrypto)
		kc_fault(d, NO_LINE, parts->providers, "kcrypto = ...");
	else if (has_section(d, parts->providers, parts->kcrypto_line))
		check_activation(d);
	has_section(d, parts->init, "providers");
}

static void check_default(struct kc_diagnosis *d)
{
	const struct kc_parts *parts = &d->found->conf.parts;

	if (!parts->kcrypto)
		return;
	if (parts->is_base_active)
		kc_fine(d, "OpenSSL's default provider is active, too");
	else
		kc_fault(d, NO_DEFAULT, place_of(d->found, parts->base, "activate"));
	if (parts->fips && kc_parts_activates(&d->found->conf.cnf, parts->fips))
		kc_fault(d, FIPS);
}

/* If nothing is offered that could show whether it leads here, the wording decides. */
static void check_properties(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_reach *reach = &found->offers.reach;
	const struct kc_parts *parts = &found->conf.parts;
	const char *place = place_of(found, parts->algorithms, "default_properties");

	if (!parts->kcrypto)
		return;
	if (!parts->query)
		kc_fault(d, NO_QUERY, place);
	else if (parts->is_only || (reach->is_loaded && !reach->has_rest && parts->is_base_active))
		kc_fault(d, HARD_QUERY, place, parts->query);
	else if (!strstr(parts->query, "provider=kcrypto") ||
		 (reach->is_loaded && found->offers.is_missing))
		kc_fault(d, OTHER_QUERY, place, parts->query);
	else
		kc_fine(d, "default_properties = %s", parts->query);
}

/* From 3.5 on, OpenSSL fetches the random numbers' cipher from the provider of the generator. */
static void check_random(struct kc_diagnosis *d)
{
	const struct kc_parts *parts = &d->found->conf.parts;

	if (!parts->kcrypto || !parts->query || !d->found->conf.wants_random)
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
		kc_fault(d, ENGINE_BESIDE, place_of(found, parts->engines, parts->engine),
			 parts->id->id);
	if (!id[0] || !reach->is_asked || !reach->is_told || !reach->starts)
		return;
	if (OpenSSL_version_num() >= 0x40000000)
		kc_fault(d, ENGINE_UNKNOWN, place_of(found, parts->engines, parts->engine), id);
	else if (!reach->engine[0])
		kc_fault(d, ENGINE_ABSENT, id);
	else if (!reach->is_engine_ours)
		kc_fault(d, ENGINE_FOREIGN, id, reach->engine);
	else if (found->offers.is_missing)
		kc_fault(d, ENGINE_ASIDE, id);
	else
		kc_fine(d, "programs reach kcrypto as the engine %s; see kcrypto-engine(7)", id);
}

bool kc_check_module_file(struct kc_diagnosis *d, const char *name)
{
	char path[2 * PATH_MAX];
	int err = kc_module_find(name, path);

	if (err == ENOENT || err == ENOTDIR)
		kc_fault(d, NO_MODULE, path);
	else if (err)
		kc_fault(d, MODULE_LOCKED, path);
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

static void check_module(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_reach *reach = &found->offers.reach;
	char path[2 * PATH_MAX];

	if (!reach->is_asked || !kc_cnf_has(&found->conf.cnf, found->conf.parts.init))
		return;
	if (!reach->is_told)
		kc_fault(d, CRASH, found->conf.file, reach->why);
	else if (!reach->starts)
		kc_fault(d, NO_LAUNCH, found->conf.file);
	else if (reach->is_loaded && kc_module_find(found->conf.module, path) >= 0)
		kc_fine(d, "%s is loaded by %s", path, OpenSSL_version(OPENSSL_VERSION));
	else if (found->conf.parts.is_active && found->conf.has_providers)
		find_unloaded(d);
}

const struct kc_link kc_links_to_module[] = {
	{ "program", check_program },
	{ "file", check_file, .scope = KC_OF_FILE },
	{ "start", check_start, .scope = KC_OF_FILE },
	{ "providers", check_providers, .scope = KC_OF_FILE },
	{ "default", check_default, .scope = KC_OF_FILE },
	{ "module", check_module, .scope = KC_OF_FILE },
	{ "engine", check_engine, .scope = KC_OF_FILE },
	{ "properties", check_properties, .scope = KC_OF_FILE },
	{ "random", check_random, .scope = KC_OF_FILE },
	{ NULL },
};
