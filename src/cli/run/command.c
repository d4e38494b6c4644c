/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto run, and what other commands share with it: makes an openssl.cnf for one command: the
 * text of the file that it would read, followed by other sections that become the first ones:
 * copies in which kcrypto's lines are added or left out. All other sections stay, and so does the
 * original file.
 */
#include "cli/run/command.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/cli.h"
#include "cli/conf.h"
#include "stats/shared.h"

FILE *kc_temp_open(char path[KC_TEMP_PATH])
{
	static const char name[] = "kcrypto.XXXXXX";
	const char *dir = secure_getenv("TMPDIR");
	int fd;

	if (!dir || strlen(dir) + 1 + sizeof(name) > KC_TEMP_PATH)
		dir = "/tmp";
	snprintf(path, KC_TEMP_PATH, "%s/%s", dir, name);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		path[0] = '\0';
	return fd < 0 ? NULL : fdopen(fd, "w");
}

bool kc_temp_close(FILE *file)
{
	bool ok = !ferror(file);

	return fclose(file) == 0 && ok;
}

void kc_temp_remove(char path[KC_TEMP_PATH])
{
	if (path[0])
		unlink(path);
	path[0] = '\0';
}

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

static void write_all(FILE *out, const struct kc_conf *conf, enum kc_with with)
{
	const struct kc_parts *parts = &conf->parts;
	const struct kc_cnf *cnf = &conf->cnf;

	fwrite(cnf->text.at, 1, cnf->text.len, out);
	fputs("[default]\nopenssl_conf = kcrypto_made\n[kcrypto_made]\n", out);
	copy_section(out, cnf, parts->init,
		     (const char *const[]){ "providers", "alg_section", NULL });
	fputs("providers = kcrypto_made_providers\nalg_section = kcrypto_made_algorithms\n", out);
	write_providers(out, cnf, parts, with);
	fputs("[kcrypto_made_algorithms]\n", out);
	copy_section(out, cnf, parts->algorithms,
		     (const char *const[]){ "default_properties", NULL });
	write_properties(out, parts->query, with);
}

/* A missing file counts as empty. NULL, or why there is no file at @path. */
static const char *make_conf(char path[KC_TEMP_PATH], const char *file, enum kc_with with)
{
	const char *problem = "cannot read or parse the openssl.cnf that the command would read";
	static struct kc_config config;
	struct kc_conf conf = { .section = "" };
	FILE *out;

	kc_config_init(&config);
	kc_conf_read(&conf, file, &config);
	if (conf.cnf.err == -ENOENT)
		kc_cnf_be_empty(&conf.cnf);
	if (!conf.cnf.err) {
		out = kc_temp_open(path);
		if (out)
			write_all(out, &conf, with);
		problem = out && kc_temp_close(out) ?
				  NULL :
				  "cannot write a configuration for the command";
	}
	kc_conf_free(&conf);
	return problem;
}

static const char *run_with(char *const *argv, const char *conf, bool is_quiet,
			    struct kc_ended *ended)
{
	struct kc_meter from = kc_meter_read(), to;

	ended->code = kc_child_run(argv, conf, is_quiet);
	to = kc_meter_read();
	ended->took = kc_meter_between(&from, &to);
	return ended->code < 0 ? "cannot start another process" : NULL;
}

const char *kc_command_run(char *const *argv, const char *file, enum kc_with with, bool is_quiet,
			   struct kc_ended *ended)
{
	const char *problem = NULL;
	char conf[KC_TEMP_PATH] = "";

	if (OpenSSL_version_num() < 0x30000000)
		problem = "a command can be run only with OpenSSL 3.0 or later";
	else if (with != KC_AS_IT_IS && file && access(file, R_OK) != 0)
		problem = "cannot read the file that --config names";
	else if (with != KC_AS_IT_IS)
		problem = make_conf(conf, file, with);
	if (!problem)
		problem = run_with(argv, conf, is_quiet, ended);
	kc_temp_remove(conf);
	return problem;
}

static int counters = -1; /* none are ours, or the user has named some */

bool kc_counters_begin(void)
{
	char path[KC_STATS_PATH];

	if (kc_stats_named())
		return true;
	counters = kc_stats_make(path);
	return counters >= 0 && setenv("KCRYPTO_STATS", path, 1) == 0;
}

void kc_counters_end(void)
{
	if (counters < 0)
		return;
	unsetenv("KCRYPTO_STATS");
	close(counters);
	counters = -1;
}

const struct kc_stats *kc_counters_all(void)
{
	static struct kc_stats stats;

	return kc_stats_read(&stats) ? &stats : NULL;
}

static struct kc_stats_sum sum_of(const struct kc_alg *alg)
{
	const struct kc_stats *stats = kc_counters_all();

	return stats ? kc_stats_sum(&stats->row[alg - kc_algs]) : (struct kc_stats_sum){ 0 };
}

uint64_t kc_counters_bytes(const struct kc_alg *alg)
{
	return sum_of(alg).bytes;
}

uint64_t kc_counters_requests(const struct kc_alg *alg)
{
	return sum_of(alg).requests;
}

static const char *original;

static const struct kc_option options[] = {
	{ "config", "FILE", "takes FILE as the original of the command's openssl.cnf",
	  .text = &original },
	{ NULL },
};

static int run(const struct kc_args *args)
{
	struct kc_ended ended;
	const char *problem = kc_command_run(args->command, original, KC_WITH, false, &ended);

	return problem ? kc_failure(problem) : ended.code;
}

const struct kc_command kc_cmd_run = {
	.name = "run",
	.about = "runs a command with kcrypto",
	.options = options,
	.calls = { { .end = "-- COMMAND [ARGUMENT...]" } },
	.is_wrapper = true,
	.run = run,
};
