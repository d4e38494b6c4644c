/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The new file has the text of the original, and then makes other sections the first ones: copies
 * in which kcrypto's lines are added or left out. All other sections stay.
 */
#include "cli/run/conf_make.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cnf/parts.h"
#include "cli/run/temp.h"

/* Copies the lines of @section except those named in @but, which NULL ends. */
static void copy_section(FILE *out, const struct kc_cnf *cnf, const char *section,
			 const char *const *but)
{
	STACK_OF(CONF_VALUE) *lines = kc_cnf_section(cnf, section);

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);
		const char *const *name = but;

		while (*name && strcmp(*name, line->name) != 0)
			name++;
		if (!*name)
			kc_cnf_write(out, line->name, line->value);
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
		kc_cnf_write(out, "default_properties", kept);
}

static void write_providers(FILE *out, const struct kc_cnf *cnf, const struct kc_parts *parts,
			    enum kc_with with)
{
	bool has_base = parts->is_base_active;

	fputs("[kcrypto_made_providers]\n", out);
	copy_section(out, cnf, parts->providers,
		     (const char *const[]){ parts->kcrypto_line ? parts->kcrypto_line : "kcrypto",
					    has_base ? NULL : "default", NULL });
	if (!has_base)
		fputs("default = kcrypto_made_default\n", out);
	if (with)
		fputs("kcrypto = kcrypto_made_kcrypto\n", out);
	fputs("[kcrypto_made_default]\nactivate = 1\n", out);
	fputs("[kcrypto_made_kcrypto]\n", out);
	copy_section(out, cnf, parts->kcrypto,
		     (const char *const[]){ "activate", with == KC_WITH_STATS ? "stats" : NULL,
					    "STATS", NULL });
	fputs("activate = 1\n", out);
	if (with == KC_WITH_STATS)
		fputs("stats = yes\n", out);
}

static void write_all(FILE *out, const struct kc_cnf *cnf, enum kc_with with)
{
	struct kc_parts parts;

	kc_parts_find(&parts, cnf);
	fwrite(cnf->text.at, 1, cnf->text.len, out);
	fputs("[default]\nopenssl_conf = kcrypto_made\n[kcrypto_made]\n", out);
	copy_section(out, cnf, parts.init,
		     (const char *const[]){ "providers", "alg_section", NULL });
	fputs("providers = kcrypto_made_providers\nalg_section = kcrypto_made_algorithms\n", out);
	write_providers(out, cnf, &parts, with);
	fputs("[kcrypto_made_algorithms]\n", out);
	copy_section(out, cnf, parts.algorithms,
		     (const char *const[]){ "default_properties", NULL });
	write_properties(out, parts.query, with);
}

static int make(struct kc_made_conf *made, const struct kc_cnf *cnf, enum kc_with with)
{
	int fd = kc_temp_open(made->path), err;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		return -errno;
	write_all(out, cnf, with);
	err = ferror(out) ? -EIO : 0;
	if (fclose(out) != 0)
		err = -errno;
	return err;
}

int kc_conf_make(struct kc_made_conf *made, const char *file, enum kc_with with)
{
	static const struct kc_files system = { .root = "" };
	struct kc_cnf cnf;
	int err = kc_cnf_read(&cnf, &system, file);

	made->path[0] = '\0';
	if (err == -ENOENT)
		err = kc_cnf_be_empty(&cnf);
	if (!err)
		err = make(made, &cnf, with);
	kc_cnf_free(&cnf);
	if (err)
		kc_conf_unmake(made);
	return err;
}

void kc_conf_unmake(struct kc_made_conf *made)
{
	kc_temp_remove(made->path);
}
