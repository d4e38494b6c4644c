/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The new file includes the original one and then makes other sections the first ones: copies in
 * which kcrypto's lines are added or left out. All other sections stay in the original.
 */
#include "cli/run/conf_make.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <openssl/conf.h>
#include <openssl/err.h>

#include "cli/conf.h"
#include "cli/run/temp.h"

/* Writes a value such that it is read back unchanged. */
static void write_line(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s = ", name);
	for (; *value; value++) {
		if (strchr("$\\\"'`#", *value))
			putc('\\', out);
		putc(*value, out);
	}
	putc('\n', out);
}

/* Copies the lines of @section except those named in @but, which NULL ends. */
static void copy_section(FILE *out, const CONF *cnf, const char *section, const char *const *but)
{
	STACK_OF(CONF_VALUE) *lines = section ? NCONF_get_section(cnf, section) : NULL;

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);
		const char *const *name = but;

		while (*name && strcmp(*name, line->name) != 0)
			name++;
		if (!*name)
			write_line(out, line->name, line->value);
	}
}

/* Writes a property query without the clauses about us. */
static void write_properties(FILE *out, const char *query, bool with_kcrypto)
{
	char kept[512] = "";
	size_t n = 0;

	while (query && *query) {
		size_t len = strcspn(query, ",");

		if (!memmem(query, len, "kcrypto", 7) && n + len + 2 < sizeof(kept))
			n += (size_t)snprintf(kept + n, sizeof(kept) - n, "%s%.*s", n ? "," : "",
					      (int)len, query);
		query += len + (query[len] == ',');
	}
	if (with_kcrypto && n + 32 < sizeof(kept))
		snprintf(kept + n, sizeof(kept) - n, "%s?provider=kcrypto", n ? "," : "");
	if (kept[0])
		write_line(out, "default_properties", kept);
}

static void write_providers(FILE *out, const CONF *cnf, const char *providers, enum kc_with with)
{
	bool has_default =
		kc_conf_get(cnf, kc_conf_get(cnf, providers, "default"), "activate") != NULL;

	fputs("[kcrypto_made_providers]\n", out);
	copy_section(out, cnf, providers,
		     (const char *const[]){ "kcrypto", has_default ? NULL : "default", NULL });
	if (!has_default)
		fputs("default = kcrypto_made_default\n", out);
	if (with)
		fputs("kcrypto = kcrypto_made_kcrypto\n", out);
	fputs("[kcrypto_made_default]\nactivate = 1\n", out);
	fputs("[kcrypto_made_kcrypto]\n", out);
	copy_section(out, cnf, kc_conf_get(cnf, providers, "kcrypto"),
		     (const char *const[]){ "activate", with == KC_WITH_STATS ? "stats" : NULL,
					    "STATS", NULL });
	fputs("activate = 1\n", out);
	if (with == KC_WITH_STATS)
		fputs("stats = yes\n", out);
}

static void write_all(FILE *out, const CONF *cnf, const char *file, enum kc_with with)
{
	const char *init = NCONF_get_string(cnf, NULL, "openssl_conf");
	const char *algorithms = kc_conf_get(cnf, init, "alg_section");

	if (access(file, R_OK) == 0)
		fprintf(out, ".include %s\n", file);
	fputs("[default]\nopenssl_conf = kcrypto_made\n[kcrypto_made]\n", out);
	copy_section(out, cnf, init, (const char *const[]){ "providers", "alg_section", NULL });
	fputs("providers = kcrypto_made_providers\nalg_section = kcrypto_made_algorithms\n", out);
	write_providers(out, cnf, kc_conf_get(cnf, init, "providers"), with);
	fputs("[kcrypto_made_algorithms]\n", out);
	copy_section(out, cnf, algorithms, (const char *const[]){ "default_properties", NULL });
	write_properties(out, kc_conf_get(cnf, algorithms, "default_properties"), with);
}

static int make(struct kc_made_conf *made, const CONF *cnf, const char *file, enum kc_with with)
{
	int fd = kc_temp_open(made->path), err;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		return -errno;
	write_all(out, cnf, file, with);
	err = ferror(out) ? -EIO : 0;
	if (fclose(out) != 0)
		err = -errno;
	return err;
}

int kc_conf_make(struct kc_made_conf *made, const char *file, enum kc_with with)
{
	CONF *cnf = NCONF_new(NULL);
	int err = -ENOMEM;
	long line;

	made->path[0] = '\0';
	if (cnf && access(file, F_OK) == 0 && NCONF_load(cnf, file, &line) <= 0)
		err = -EINVAL;
	else if (cnf)
		err = make(made, cnf, file, with);
	NCONF_free(cnf);
	ERR_clear_error();
	if (err)
		kc_conf_unmake(made);
	return err;
}

void kc_conf_unmake(struct kc_made_conf *made)
{
	kc_temp_remove(made->path);
}
