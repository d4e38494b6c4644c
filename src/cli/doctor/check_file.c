/* SPDX-License-Identifier: Apache-2.0 */
/* The links from a program to the provider: openssl.cnf, its lines, and the module they name. */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>
#include <strings.h>

void kc_check_program(struct kc_exam *exam)
{
	const struct kc_program *p = &exam->found->program;
	const struct kc_text *text = &exam->found->text;

	if (!p->argv)
		return;
	if (!p->path[0]) {
		kc_fault(exam, NO_PROGRAM, p->argv[0]);
		return;
	}
	if (p->is_inside && p->is_other)
		kc_fault(exam, STATIC_OTHER, p->path, OpenSSL_version(OPENSSL_VERSION_STRING));
	else if (p->is_inside)
		kc_fault(exam, STATIC, p->path);
	else if (p->is_other)
		kc_fault(exam, OTHER_LIBCRYPTO, p->path, p->libcrypto);
	else if (!p->libcrypto[0])
		kc_fault(exam, NO_LIBCRYPTO, p->path);
	else
		kc_fine(exam, "%s uses %s", p->path, p->libcrypto);
	if (p->is_set_id)
		kc_fault(exam, SET_ID, p->argv[0]);
	if (p->is_node && text->cnf && !NCONF_get_string(text->cnf, NULL, "nodejs_conf"))
		kc_fault(exam, OWN_NAME, p->path, text->path, text->init);
}

/* libcrypto reads on without a file that it cannot include. */
static void check_included(struct kc_exam *exam)
{
	if (exam->found->text.absent[0])
		kc_fault(exam, INCLUDE_ABSENT, exam->found->text.absent);
}

void kc_check_file(struct kc_exam *exam)
{
	const struct kc_text *text = &exam->found->text;
	char line[32], included[16];

	snprintf(included, sizeof(included), "%u", text->n_included);
	if (!text->path[0]) {
		kc_fault(exam, NAMELESS);
	} else if (text->err == ENOENT || text->err == ENOTDIR) {
		kc_fault(exam, NO_FILE, text->path);
	} else if (text->err) {
		kc_fault(exam, FILE_LOCKED, text->path, strerror(text->err));
	} else if (!text->cnf) {
		snprintf(line, sizeof(line), "%ld", text->bad_line);
		kc_fault(exam, SYNTAX, text->path, line);
	} else {
		kc_fine(exam, "%s, as %s has it%s%s", text->path, text->whence,
			text->n_included ? ", and files that it includes: " : "",
			text->n_included ? included : "");
		check_included(exam);
	}
}

void kc_check_start(struct kc_exam *exam)
{
	const struct kc_text *text = &exam->found->text;
	char line[128];

	if (!text->cnf)
		return;
	if (text->init && NCONF_get_section(text->cnf, text->init)) {
		kc_fine(exam, "openssl_conf = %s, before the first section", text->init);
	} else if (text->init) {
		snprintf(line, sizeof(line), "openssl_conf = %s", text->init);
		kc_fault(exam, NO_SECTION, line);
	} else if (text->late[0]) {
		snprintf(line, sizeof(line), "%ld", text->late_line);
		kc_fault(exam, LATE_START, line, text->late, text->late_init);
	} else {
		kc_fault(exam, NO_START, text->path);
	}
}

static bool has_section(const struct kc_text *text, const char *name)
{
	return name && NCONF_get_section(text->cnf, name);
}

/* Lists the name of each provider's line in the file. */
static void list_providers(const struct kc_text *text, char *to, size_t size)
{
	STACK_OF(CONF_VALUE) *lines = NCONF_get_section(text->cnf, text->providers);
	size_t n = 0;

	to[0] = '\0';
	for (int i = 0; i < sk_CONF_VALUE_num(lines) && n < size; i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);

		if (kc_conf_is_active(text->cnf, line->value))
			n += (size_t)snprintf(to + n, size - n, "%s%s", n ? ", " : "", line->name);
	}
}

static void check_sections(struct kc_exam *exam)
{
	const struct kc_text *text = &exam->found->text;
	char line[256];

	if (!text->providers) {
		kc_fault(exam, NO_LINE, text->init, "providers = ...");
	} else if (!has_section(text, text->providers)) {
		snprintf(line, sizeof(line), "providers = %s", text->providers);
		kc_fault(exam, NO_SECTION, line);
	} else if (!text->section) {
		kc_fault(exam, NO_LINE, text->providers, "kcrypto = ...");
	} else if (!has_section(text, text->section)) {
		snprintf(line, sizeof(line), "kcrypto = %s", text->section);
		kc_fault(exam, NO_SECTION, line);
	} else if (!kc_conf_is_active(text->cnf, text->section)) {
		kc_fault(exam, INACTIVE, text->section);
	} else {
		list_providers(text, line, sizeof(line));
		kc_fine(exam, "active, in this order: %s", line);
	}
}

void kc_check_providers(struct kc_exam *exam)
{
	const struct kc_text *text = &exam->found->text;

	if (has_section(text, text->init) && !exam->found->conf.engine[0])
		check_sections(exam);
}

void kc_check_default(struct kc_exam *exam)
{
	const struct kc_text *text = &exam->found->text;

	if (!text->section)
		return;
	if (exam->found->conf.is_default_active)
		kc_fine(exam, "OpenSSL's default provider is active, too");
	else
		kc_fault(exam, NO_DEFAULT);
	if (kc_conf_is_active(text->cnf, kc_conf_find_provider(text->cnf, text->providers, "fips")))
		kc_fault(exam, FIPS);
}

/* If nothing is offered that could show whether it leads here, the wording decides. */
void kc_check_properties(struct kc_exam *exam)
{
	const struct kc_found *found = exam->found;
	const struct kc_reach *reach = &found->offers.reach;
	const char *query = found->text.query;

	if (!found->text.section)
		return;
	if (!query)
		kc_fault(exam, NO_QUERY);
	else if (reach->is_loaded && !reach->has_rest && found->conf.is_default_active)
		kc_fault(exam, HARD_QUERY, query);
	else if (!strstr(query, "provider=kcrypto") ||
		 (reach->is_loaded && found->offers.is_missing))
		kc_fault(exam, OTHER_QUERY, query);
	else
		kc_fine(exam, "default_properties = %s", query);
}

/* From 3.5 on, OpenSSL fetches the random numbers' cipher from the provider of the generator. */
void kc_check_random(struct kc_exam *exam)
{
	const struct kc_text *text = &exam->found->text;
	const char *section, *query;

	if (!text->section || !text->query || OpenSSL_version_num() >= 0x30500000)
		return;
	section = kc_conf_get(text->cnf, text->init, "random");
	query = kc_conf_get(text->cnf, section, "properties");
	if (query && strstr(query, "provider=default"))
		kc_fine(exam, "random numbers stay with OpenSSL's default provider");
	else
		kc_fault(exam, NO_RANDOM, OpenSSL_version(OPENSSL_VERSION));
}

/* If both are there, programs ask the engine first. */
static void check_both(struct kc_exam *exam)
{
	const struct kc_text *text = &exam->found->text;
	const struct kc_id *id = NULL;

	if (text->section &&
	    kc_conf_find_engine(text->cnf, kc_conf_get(text->cnf, text->init, "engines"), &id))
		kc_fault(exam, ENGINE_BESIDE, id->id);
}

void kc_check_engine(struct kc_exam *exam)
{
	const struct kc_found *found = exam->found;
	const struct kc_reach *reach = &found->offers.reach;
	const char *id = found->conf.engine;

	if (!found->text.cnf)
		return;
	if (!id[0])
		check_both(exam);
	else if (OpenSSL_version_num() >= 0x40000000)
		kc_fault(exam, ENGINE_UNKNOWN, found->text.path, id);
	else if (!reach->engine[0])
		kc_fault(exam, ENGINE_ABSENT, id);
	else if (!reach->is_engine_ours)
		kc_fault(exam, ENGINE_FOREIGN, id, reach->engine);
	else if (found->offers.is_missing)
		kc_fault(exam, ENGINE_ASIDE, id);
	else
		kc_fine(exam, "programs reach kcrypto as the engine %s", id);
}

static void find_unloaded(struct kc_exam *exam)
{
	const struct kc_text *text = &exam->found->text;
	const struct kc_reach *reach = &exam->found->offers.reach;

	if (text->module_err == ENOENT || text->module_err == ENOTDIR)
		kc_fault(exam, NO_MODULE, text->module);
	else if (text->module_err)
		kc_fault(exam, MODULE_LOCKED, text->module);
	else if (strstr(reach->module_error, "libcrypto.so"))
		kc_fault(exam, OTHER_SONAME, text->module, reach->module_error,
			 OpenSSL_version(OPENSSL_VERSION));
	else if (!reach->is_module)
		kc_fault(exam, UNLOADABLE, text->module, reach->module_error);
	else if (reach->conf_error[0])
		kc_fault(exam, STUMBLE, text->path, reach->conf_error);
	else
		kc_fault(exam, OTHER_MODULE, text->module);
}

void kc_check_module(struct kc_exam *exam)
{
	const struct kc_found *found = exam->found;

	if (!found->text.cnf || !has_section(&found->text, found->text.init))
		return;
	if (!found->offers.reach.is_told)
		kc_fault(exam, CRASH, found->text.path);
	else if (!found->offers.reach.starts)
		kc_fault(exam, NO_LAUNCH, found->text.path);
	else if (found->offers.reach.is_loaded)
		kc_fine(exam, "%s is loaded by %s", found->text.module,
			OpenSSL_version(OPENSSL_VERSION));
	else if (found->conf.is_active)
		find_unloaded(exam);
}
