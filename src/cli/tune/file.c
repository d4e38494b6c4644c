/* SPDX-License-Identifier: Apache-2.0 */
/* The output of kcrypto tune: a file for processes, and the same in words for people. */
#include "cli/tune/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/table.h"

#define PLACES (KC_PREFER_COUNT * 2)

static int cannot_write(const char *path, int err)
{
	bool is_denied = geteuid() != 0 && (err == EACCES || err == EPERM);
	char why[PATH_MAX + 128];

	snprintf(why, sizeof(why), "%s can't be written: %s", path,
		 is_denied ? "run this as root, or name another file with --output" :
			     strerror(err));
	return kc_failure(why);
}

/* Makes the directory if it is missing, but not its parent. */
int kc_tuning_may_write(const char *path)
{
	char dir[PATH_MAX] = ".";
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (len >= sizeof(dir))
		return cannot_write(path, ENAMETOOLONG);
	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", len ? (int)len : 1, path);
	if (mkdir(dir, 0755) != 0 && errno != EEXIST)
		return cannot_write(path, errno);
	return access(dir, W_OK | X_OK) == 0 ? KC_EXIT_OK : cannot_write(path, errno);
}

static bool write_whole(int fd, const struct kc_tuned *t)
{
	const char *at = (const char *)t;
	size_t left = t->size;

	while (left) {
		ssize_t n = write(fd, at, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		left -= (size_t)n;
	}
	/* The mode does not depend on the umask: every process must be able to read the file. */
	return fchmod(fd, 0644) == 0 && fsync(fd) == 0;
}

int kc_tuning_write(const struct kc_tuned *t, const char *path)
{
	char new[PATH_MAX];
	bool ok;
	int fd, err;

	snprintf(new, sizeof(new), "%s.new", path);
	unlink(new);
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	ok = fd >= 0 && write_whole(fd, t) && rename(new, path) == 0;
	err = errno;
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !ok)
		unlink(new);
	return ok ? KC_EXIT_OK : cannot_write(path, err);
}

/* By clock and direction, encryption first. */
static const char *const lengths[PLACES] = { "threshold", "threshold_decrypt", "threshold_cpu",
					     "threshold_cpu_decrypt" };

/* A length that is not settled is absent, one that never pays null; a person sees words. */
static void add_length(struct json_object *o, const char *key, uint32_t n, bool in_words)
{
	if (n < KC_TUNED_UNSETTLED)
		kc_json_add(o, key, json_object_new_int64(n));
	else if (in_words)
		kc_json_text(o, key, n == KC_TUNED_NEVER ? "never" : "?");
	else if (n == KC_TUNED_NEVER)
		kc_json_text(o, key, NULL);
}

static struct json_object *fact_objects(const struct kc_tuned *t, bool in_words)
{
	struct json_object *rows = json_object_new_array(), *o;
	size_t n;
	const struct kc_fact *fact = kc_tuned_facts(t, &n);

	for (; n; n--, fact++) {
		o = kc_json_row(rows,
				"algorithm=%s backend=%s driver=%s reason=%s session_bytes=%u",
				fact->alg, t->backend[fact->backend], fact->driver,
				kc_reasons[fact->reason].word, fact->session_bytes);
		for (int i = 0; i < PLACES && (!in_words || fact->reason == KC_OK); i++)
			add_length(o, lengths[i], fact->threshold[i / 2][!(i % 2)], in_words);
	}
	return rows;
}

/* What the table can't say. */
static void print_reasons(const struct kc_tuned *t)
{
	bool is_settled = true;
	size_t n;
	const struct kc_fact *fact = kc_tuned_facts(t, &n);

	for (; n; n--, fact++) {
		if (fact->reason == KC_OK)
			is_settled &= kc_fact_is_settled(fact, KC_PREFER_THROUGHPUT) &&
				      kc_fact_is_settled(fact, KC_PREFER_CPU);
		else
			printf("%s by %s: %s\n", fact->alg, fact->driver,
			       kc_reasons[fact->reason].text);
	}
	if (!is_settled)
		puts("?: no two measurements agree, or the time was too short for the CPU's clock.\n"
		     "Programs measure for themselves. Run this again on an idle machine, or with\n"
		     "more --seconds.");
}

static void print_table(const struct kc_tuned *t)
{
	static const struct kc_column columns[] = {
		{ "ALGORITHM", "algorithm" },
		{ "BACKEND", "backend" },
		{ "DRIVER", "driver", .is_cut = true },
		{ "FASTER FROM", "threshold", .is_number = true },
		{ "DECRYPT", "threshold_decrypt", .is_number = true },
		{ "LESS CPU", "threshold_cpu", .is_number = true },
		{ "DECRYPT", "threshold_cpu_decrypt", .is_number = true },
	};
	struct json_object *rows = fact_objects(t, true);

	kc_table_print(stdout, columns, sizeof(columns) / sizeof(columns[0]), rows);
	json_object_put(rows);
	puts("Lengths of requests are in bytes: from there on the driver is faster than\n"
	     "software, or costs the machine less CPU time.");
	print_reasons(t);
}

void kc_tuning_print(const struct kc_tuned *t, bool json)
{
	if (json)
		kc_json_finish(stdout,
			       kc_json(NULL, "kernel=%s facts=%p", t->kernel,
				       fact_objects(t, false)),
			       true);
	else if (t->n_facts)
		print_table(t);
	else
		puts("there is no driver to tune: the kernel has none that the configuration "
		     "admits");
}
