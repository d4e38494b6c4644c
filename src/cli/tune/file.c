/* SPDX-License-Identifier: Apache-2.0 */
/* The output of kcrypto tune: a file for processes, and the same in words for people. */
#include "cli/tune/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

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

/* Not there if it is not settled. */
static void add_bytes(struct json_object *o, const char *name, uint32_t n)
{
	if (n != KC_TUNED_UNSETTLED)
		json_object_object_add(o, name,
				       n == KC_TUNED_NEVER ? NULL : json_object_new_int64(n));
}

static struct json_object *fact_object(const struct kc_tuned *t, const struct kc_fact *fact)
{
	const uint32_t *wall = fact->threshold[KC_PREFER_THROUGHPUT];
	const uint32_t *cpu = fact->threshold[KC_PREFER_CPU];
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "algorithm", json_object_new_string(fact->alg));
	json_object_object_add(o, "backend", json_object_new_string(t->backend[fact->backend]));
	json_object_object_add(o, "driver", json_object_new_string(fact->driver));
	json_object_object_add(o, "reason", json_object_new_string(kc_reasons[fact->reason].word));
	add_bytes(o, "threshold", wall[KC_ENCRYPT]);
	add_bytes(o, "threshold_decrypt", wall[KC_DECRYPT]);
	add_bytes(o, "threshold_cpu", cpu[KC_ENCRYPT]);
	add_bytes(o, "threshold_cpu_decrypt", cpu[KC_DECRYPT]);
	json_object_object_add(o, "session_bytes", json_object_new_int64(fact->session_bytes));
	return o;
}

static void print_json(const struct kc_tuned *t)
{
	struct json_object *o = json_object_new_object(), *rows = json_object_new_array();
	size_t n;
	const struct kc_fact *facts = kc_tuned_facts(t, &n);

	json_object_object_add(o, "kernel", json_object_new_string(t->kernel));
	json_object_object_add(o, "facts", rows);
	for (size_t i = 0; i < n; i++)
		json_object_array_add(rows, fact_object(t, &facts[i]));
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
						       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static const char *words(uint32_t n, char buf[16])
{
	if (n >= KC_TUNED_UNSETTLED)
		return n == KC_TUNED_NEVER ? "never" : "?";
	snprintf(buf, 16, "%u", n);
	return buf;
}

static void print_fact(const struct kc_tuned *t, const struct kc_fact *fact)
{
	const uint32_t *wall = fact->threshold[KC_PREFER_THROUGHPUT];
	const uint32_t *cpu = fact->threshold[KC_PREFER_CPU];
	char text[4][16];

	printf("%-18s %-11s %-24s ", fact->alg, t->backend[fact->backend], fact->driver);
	if (fact->reason != KC_OK)
		printf("%s\n", kc_reasons[fact->reason].text);
	else
		printf("%6s %6s  %6s %6s\n", words(wall[KC_ENCRYPT], text[0]),
		       words(wall[KC_DECRYPT], text[1]), words(cpu[KC_ENCRYPT], text[2]),
		       words(cpu[KC_DECRYPT], text[3]));
}

static void print_table(const struct kc_tuned *t, const struct kc_fact *facts, size_t n)
{
	bool unsettled = false;

	printf("%-55s %13s  %13s\n%-18s %-11s %-24s %6s %6s  %6s %6s\n", "", "faster from",
	       "less CPU from", "algorithm", "backend", "driver", "enc.", "dec.", "enc.", "dec.");
	printf("%-55s %13s  %13s\n", "", "bytes", "bytes");
	for (size_t i = 0; i < n; i++) {
		print_fact(t, &facts[i]);
		unsettled |= facts[i].reason == KC_OK &&
			     !(kc_fact_is_settled(&facts[i], KC_PREFER_THROUGHPUT) &&
			       kc_fact_is_settled(&facts[i], KC_PREFER_CPU));
	}
	if (unsettled)
		puts("?: no two measurements agree, or the time was too short for the CPU's clock; "
		     "programs\nmeasure for themselves. Run it again on an idle machine, or with more "
		     "--seconds.");
}

void kc_tuning_print(const struct kc_tuned *t, bool json)
{
	size_t n;
	const struct kc_fact *facts = kc_tuned_facts(t, &n);

	if (json)
		print_json(t);
	else if (n)
		print_table(t, facts, n);
	else
		puts("there is no driver to tune: the kernel has none that the configuration "
		     "admits");
}
