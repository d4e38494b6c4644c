/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links from a program to the lines of openssl.cnf that activate the provider. kcrypto config
 * check and the notes of kcrypto list use them, too.
 */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/cnf/loader.h"
#include "cli/text.h"

/* Returns the path of a file that was read, for a message, until the next call. */
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
		else if (file->err && i && kc_loader_is(file->path))
			kc_fault(d, LOADER_ABSENT, path);
		else if (file->err && i)
			kc_fault(d, INCLUDE_ABSENT, path, strerror(-file->err));
		else if (S_ISREG(file->mode) && !(file->mode & S_IROTH))
			kc_fault(d, PRIVATE, path);
	}
}

/* Checks that the file can be read and parsed. */
static void check_read(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_cnf *cnf = &found->conf.cnf;
	char included[64] = "";
	const char *whence;
	size_t n = 0;

	for (size_t i = 1; i < cnf->n_files; i++)
		n += !cnf->file[i].err;
	if (n)
		snprintf(included, sizeof(included), ", and files that it includes: %zu", n);
	whence = kc_text_or(found->whence, "");
	kc_fine(d, "%s%s%s%s", path_of(found, found->conf.file), kc_lead(", by ", whence), whence,
		included);
	check_included(d);
}

/* True for a link whose file is missing. */
static bool is_dangling(const struct kc_cnf *cnf)
{
	KC_FD fd = kc_files_open(cnf->root, cnf->main, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return false;
	return S_ISLNK(st.st_mode);
}

/* True for a directory, or a device like /dev/null. */
static bool is_no_file(const struct kc_cnf *cnf)
{
	if (cnf->err == -EISDIR)
		return true;
	if (cnf->err || !cnf->n_files)
		return false;
	return S_ISCHR(cnf->file[0].mode);
}

/* There is no file: a name that leads to none is a mistake; a system without one is not. */
static void tell_absent(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;

	if (is_dangling(&conf->cnf))
		kc_fault(d, DANGLING, path_of(d->found, conf->file));
	else if (d->found->is_env)
		kc_fault(d, NAMED_ABSENT, conf->file);
	else if (d->found->is_named)
		kc_fault(d, NO_FILE, conf->file);
	else
		kc_fault(d, DEFAULT_ABSENT, conf->file);
}

static void check_file(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const struct kc_cnf *cnf = &conf->cnf;

	if (!conf->file[0])
		kc_fault(d, NAMELESS);
	else if (cnf->err == -ENOENT || cnf->is_absent)
		tell_absent(d);
	else if (d->found->is_env && is_no_file(cnf))
		kc_fault(d, NAMED_EMPTY, conf->file);
	else if (cnf->err == -EACCES)
		kc_fault(d, FILE_LOCKED, conf->file, strerror(EACCES));
	else if (cnf->err == -ELOOP && cnf->bad.file)
		kc_fault(d, INCLUDE_LOOP, kc_cnf_place(cnf, cnf->bad));
	else if (cnf->err == -EINVAL)
		kc_fault(d, SYNTAX, kc_cnf_place(cnf, cnf->bad), cnf->why);
	else if (cnf->err)
		kc_fault(d, FILE_KIND, kc_cnf_place(cnf, cnf->bad), cnf->why);
	else
		check_read(d);
}

/* Checks that the section exists which a line names. */
static bool require_section(struct kc_diagnosis *d, const char *of, const char *name)
{
	const struct kc_cnf *cnf = &d->found->conf.cnf;
	const char *section = NULL;
	char line[256];

	if (name)
		section = kc_cnf_get(cnf, of, name);
	if (!section || kc_cnf_has(cnf, section))
		return section;
	snprintf(line, sizeof(line), "%s = %s", name, section);
	kc_fault(d, NO_SECTION, kc_found_place(d->found, of, name), line);
	return false;
}

static void check_start(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const struct kc_parts *parts = &conf->parts;
	char line[16];

	if (conf->cnf.err || conf->cnf.is_absent)
		return;
	if (require_section(d, "default", "openssl_conf")) {
		kc_fine(d, "openssl_conf = %s, before the first section", parts->init);
	} else if (parts->late) {
		snprintf(line, sizeof(line), "%u", parts->late->where.line);
		kc_fault(d, LATE_START, path_of(d->found, parts->late->where.file), line,
			 parts->late->value);
	} else if (!parts->init) {
		kc_fault(d, NO_START, path_of(d->found, conf->file));
	}
}

/* Lists the names of the active providers' lines. */
static void list_providers(const struct kc_conf *conf, char *to, size_t size)
{
	struct kc_list list = { to, size };
	const CONF_VALUE *line;

	to[0] = '\0';
	for (int i = 0; (line = kc_cnf_line(&conf->cnf, conf->parts.providers, i)); i++)
		if (kc_parts_activates(&conf->cnf, line->value))
			kc_list_add(&list, ", ", "%s", line->name);
}

static bool is_section_named(const struct kc_cnf *cnf, const char *section)
{
	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_VALUE && strcmp(l->value, section) == 0)
			return true;
	return false;
}

/* A section with kcrypto's name that no line names is probably meant for kcrypto. */
static void check_strays(struct kc_diagnosis *d)
{
	const struct kc_cnf *cnf = &d->found->conf.cnf;
	const char *ours = d->found->conf.section;

	for (const struct kc_line *l = cnf->lines; *ours && l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_SECTION && strncasecmp(l->section, "kcrypto", 7) == 0 &&
		    !is_section_named(cnf, l->section))
			kc_fault(d, STRAY, kc_cnf_place(cnf, l->where), l->section, ours);
}

static bool is_again(const struct kc_cnf *cnf, const struct kc_line *line)
{
	for (const struct kc_line *l = cnf->lines; l != line; l++)
		if (l->kind == KC_LINE_VALUE && strcmp(l->section, line->section) == 0 &&
		    strcmp(l->name, line->name) == 0)
			return true;
	return false;
}

/* True for the second of two lines with the same name. @section: may be NULL. */
static bool is_second(const struct kc_cnf *cnf, const struct kc_line *line, const char *section)
{
	if (line->kind != KC_LINE_VALUE || !section || strcmp(line->section, section) != 0)
		return false;
	return is_again(cnf, line);
}

/* Only sections that concern kcrypto: others are their users' business. */
static void check_twice(struct kc_diagnosis *d)
{
	const struct kc_parts *parts = &d->found->conf.parts;
	const char *const sections[] = { "default",	    parts->init,   parts->providers,
					 parts->algorithms, parts->random, parts->kcrypto };
	const struct kc_cnf *cnf = &d->found->conf.cnf;

	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++)
		for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
			if (is_second(cnf, l, sections[i]))
				kc_fault(d, TWICE, kc_cnf_place(cnf, l->where), l->name);
}

static void say_active(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	char line[256];

	if (conf->parts.loader)
		kc_fine(d, "loaded by the line '%s = %s'", conf->parts.loader_line,
			conf->parts.loader);
	if (!conf->parts.is_activated)
		return;
	list_providers(conf, line, sizeof(line));
	kc_fine(d, "active, in this order: %s", line);
}

static void check_activation(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const char *ours = conf->parts.kcrypto;

	/* A line says no: then kcrypto is off on purpose. */
	if (kc_parts_denies(&conf->cnf, ours))
		d->is_expected = false;
	if (!conf->parts.is_active) {
		kc_fault(d, INACTIVE, kc_found_place(d->found, ours, "activate"), ours);
		return;
	}
	say_active(d);
	if (conf->parts.is_activated && kc_parts_denies(&conf->cnf, ours))
		kc_fault(d, ACTIVE_ANYWAY, kc_found_place(d->found, ours, "activate"),
			 kc_cnf_get(&conf->cnf, ours, "activate"));
	check_strays(d);
	check_twice(d);
}

static void check_providers(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const struct kc_parts *parts = &conf->parts;
	static const char *const others[] = { "alg_section", "random", "ssl_conf", "engines" };

	if (!kc_cnf_has(&conf->cnf, parts->init))
		return;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		require_section(d, parts->init, others[i]);
	if (conf->engine[0])
		return;
	if (!conf->has_providers)
		kc_fault(d, NO_LINE, parts->init, "engines = ...");
	else if (parts->loader && !parts->kcrypto_line)
		check_activation(d);
	else if (!parts->providers)
		kc_fault(d, NO_LINE, parts->init, "providers = ...");
	else if (kc_cnf_has(&conf->cnf, parts->providers) && !parts->kcrypto)
		kc_fault(d, NO_LINE, parts->providers, "kcrypto = ...");
	else if (require_section(d, parts->providers, parts->kcrypto_line))
		check_activation(d);
	require_section(d, parts->init, "providers");
}

const struct kc_link kc_links_to_file[] = {
	{ "program", check_program },
	{ "file", check_file, .scope = KC_OF_FILE },
	{ "start", check_start, .scope = KC_OF_FILE },
	{ "providers", check_providers, .scope = KC_OF_FILE },
	{ NULL },
};
