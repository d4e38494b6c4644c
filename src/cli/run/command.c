/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto run, and what other commands share with it: makes an openssl.cnf for one command. It is
 * the text of the file that the command would read, with the lines that 'config enable' would add,
 * or with lines that switch kcrypto off.
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
#include "stats/table.h"

/*
 * Makes a file in TMPDIR or /tmp that only this user can read. NULL, and an empty @path, if it
 * can't.
 */
static FILE *open_temp(char path[PATH_MAX])
{
	const char *dir = secure_getenv("TMPDIR");
	int fd;

	if (!dir)
		dir = "/tmp";
	snprintf(path, PATH_MAX, "%s/kcrypto.XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		return fdopen(fd, "w");
	path[0] = '\0';
	return NULL;
}

/* Writes the file's text, followed by lines that override it. */
static void write_all(FILE *out, const struct kc_conf *conf, enum kc_with with)
{
	const struct kc_parts *parts = &conf->parts;
	const char *section = parts->kcrypto ? parts->kcrypto : KC_CONF_SECTION;
	const char *key = kc_cnf_get(&conf->cnf, section, "STATS") ? "STATS" : "stats";

	fwrite(conf->cnf.text.at, 1, conf->cnf.text.len, out);
	if (with == KC_WITHOUT)
		kc_conf_put_nothing(out, conf);
	else
		kc_conf_put_provider(out, conf, false);
	if (with == KC_WITH_STATS)
		fprintf(out, "\n[%s]\n%s = yes\n", section, key);
}

static bool write_temp(char path[PATH_MAX], const struct kc_conf *conf, enum kc_with with)
{
	FILE *out = open_temp(path);
	bool is_written;

	if (!out)
		return false;
	write_all(out, conf, with);
	is_written = !ferror(out);
	if (fclose(out) != 0)
		return false;
	return is_written;
}

/* A missing file counts as empty. NULL, or the reason why there is no file at @path. */
static const char *make_conf(char path[PATH_MAX], const char *file, enum kc_with with)
{
	static struct kc_conf conf;
	const char *problem = NULL;

	kc_conf_read(&conf, file);
	if (conf.cnf.err == -ENOENT)
		kc_cnf_be_empty(&conf.cnf);
	if (conf.cnf.err)
		problem = "cannot read or parse the openssl.cnf that the command would read";
	else if (!write_temp(path, &conf, with))
		problem = "cannot write a configuration for the command";
	kc_conf_free(&conf);
	return problem;
}

static const char *run_with(char *const *argv, const char *conf, bool is_quiet,
			    struct kc_ended *ended)
{
	struct kc_meter from = kc_meter_read();

	ended->code = kc_child_run(argv, conf, is_quiet, &ended->is_filtered);
	ended->took = kc_meter_since(&from);
	if (ended->code < 0)
		return "cannot start another process";
	return NULL;
}

const char *kc_command_run(char *const *argv, const char *file, enum kc_with with, bool is_quiet,
			   struct kc_ended *ended)
{
	const char *problem = NULL;
	char conf[PATH_MAX] = "";

	if (OpenSSL_version_num() < 0x30000000)
		problem = "a command can be run only with OpenSSL 3.0 or later";
	else if (with != KC_AS_IT_IS && file && access(file, R_OK) != 0)
		problem = "cannot read the file that --config names";
	else if (with != KC_AS_IT_IS)
		problem = make_conf(conf, file, with);
	if (!problem)
		problem = run_with(argv, conf, is_quiet, ended);
	if (conf[0])
		unlink(conf);
	return problem;
}

FILE *kc_report_open(const char *path)
{
	FILE *out;

	if (!path)
		return stderr;
	out = fopen(path, "we");
	if (!out)
		kc_failure("%s can't be written: %s", path, strerror(errno));
	return out;
}

/* The descriptor stays open, and the memory's name valid, until this process ends. */
bool kc_counters_begin(void)
{
	char path[KC_STATS_PATH];

	if (kc_stats_named())
		return true;
	if (kc_stats_make(path) < 0)
		return false;
	return setenv("KCRYPTO_STATS", path, 1) == 0;
}

const char *kc_command_count(char *const *argv, const char *file, enum kc_with with,
			     struct kc_ended *ended)
{
	unsetenv("KCRYPTO_STATS");
	if (!kc_counters_begin())
		return "cannot make memory for the counters";
	return kc_command_run(argv, file, with, false, ended);
}

const struct kc_stats *kc_counters_all(void)
{
	static struct kc_stats stats;

	if (!kc_stats_read(&stats))
		return NULL;
	return &stats;
}

struct kc_stats_sum kc_counters_of(const struct kc_alg *alg)
{
	const struct kc_stats *stats = kc_counters_all();

	if (!stats)
		return (struct kc_stats_sum){ 0 };
	return kc_stats_sum(&stats->row[alg - kc_algs]);
}

static const char *original;

static const struct kc_option options[] = {
	{ "config", "FILE", "starts from FILE instead of the command's openssl.cnf",
	  .text = &original },
	{ NULL },
};

static int run_it(const struct kc_args *args)
{
	struct kc_ended ended;
	const char *problem = kc_command_run(args->command, original, KC_WITH, false, &ended);

	if (problem)
		return kc_failure("%s", problem);
	return ended.code;
}

const struct kc_command kc_cmd_run = {
	.name = "run",
	.about = "runs a command with kcrypto",
	.options = options,
	.operands = "-- COMMAND [ARGUMENT...]",
	.run = run_it,
};
