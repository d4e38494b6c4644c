/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what was found. Decides only when a driver is called reliable. */
#include "cli/selftest/report.h"

#include <string.h>
#include <sys/utsname.h>

#include <openssl/crypto.h>

#include "cli/bench/board.h"
#include "cli/screen.h"
#include "cli/selftest/checks.h"
#include "cli/selftest/subject.h"
#include "cli/table.h"

static const char *const words[] = {
	[KC_NOT_ASKED] = "not asked", [KC_IS_RIGHT] = "right", [KC_IS_WRONG] = "wrong",
	[KC_FAILS] = "fails",	      [KC_HANGS] = "hangs",    [KC_DIES] = "dies",
};

static unsigned lines, failures;

/* Findings that are no driver's. */
static struct {
	const char *what, *text;
	enum kc_ruling ruling;
} others[4];
static size_t n_others;

bool kc_report_is_bad(const struct kc_examination *all)
{
	return failures || all->log.is_alarming || kc_checks_found(all, KC_IS_WRONG, KC_DIES);
}

bool kc_report_is_good(const struct kc_examination *all)
{
	return !kc_report_is_bad(all) && kc_checks_found(all, KC_IS_RIGHT, KC_IS_RIGHT);
}

static const char *conclusion(const struct kc_examination *all)
{
	return kc_report_is_bad(all)  ? "unreliable" :
	       kc_report_is_good(all) ? "reliable" :
					"unknown";
}

/* @text: why it was skipped, or what is wrong. */
static void print_line(const char *what, enum kc_ruling ruling, const char *text)
{
	bool ok = ruling <= KC_IS_RIGHT;

	kc_paint(stdout,
		 ruling == KC_NOT_ASKED ? KC_YELLOW :
		 ok			? KC_GREEN :
					  KC_RED,
		 0, ok ? "ok" : "not ok");
	printf(" %u - %s%s%s\n", ++lines, what, ruling == KC_NOT_ASKED ? " # SKIP " : "",
	       ruling == KC_NOT_ASKED ? text : "");
	if (!ok)
		printf("# %s: %s\n", words[ruling], text);
	fflush(stdout);
}

static void name_subject(const struct kc_candidate *c, char *to, size_t size)
{
	char name[KC_ALG_NAME_SIZE];

	snprintf(to, size, "%s by %s%s%s", kc_alg_name(c->alg, name, sizeof(name)),
		 c->backend->name, c->driver[0] ? ", driver " : "", c->driver);
}

void kc_report_finding(const struct kc_examination *all, size_t check, size_t n)
{
	const struct kc_finding *f = kc_finding_of(all, check, n);
	char what[KC_ALG_NAME_SIZE + KC_DRIVER_NAME_SIZE + 64], line[sizeof(what) + 64];

	name_subject(all->candidate[n], what, sizeof(what));
	if (f->requests)
		snprintf(line, sizeof(line), "%s: %s, %u requests to the kernel", what,
			 kc_checks[check].word, f->requests);
	else
		snprintf(line, sizeof(line), "%s: %s", what, kc_checks[check].word);
	print_line(line, f->ruling, f->text);
}

static struct json_object *finding(const char *check, const struct kc_candidate *c,
				   enum kc_ruling ruling, unsigned requests, const char *text)
{
	struct json_object *o = json_object_new_object();
	char name[KC_ALG_NAME_SIZE] = "";

	if (c)
		kc_alg_name(c->alg, name, sizeof(name));
	kc_json_text(o, "check", check);
	kc_json_text(o, "algorithm", name);
	kc_json_text(o, "backend", c ? c->backend->name : "");
	kc_json_text(o, "driver", c ? c->driver : "");
	kc_json_text(o, "ruling", words[ruling]);
	kc_json_int(o, "requests", requests);
	kc_json_text(o, "text", text);
	return o;
}

void kc_report_other(const char *what, enum kc_ruling ruling, const char *text)
{
	failures += ruling > KC_IS_RIGHT;
	others[n_others].what = what;
	others[n_others].ruling = ruling;
	others[n_others++].text = text;
}

/* What the kernel said, as a finding. */
static enum kc_ruling rule_log(const struct kc_log *log, char *text, size_t size)
{
	if (log->err)
		snprintf(text, size, "/dev/kmsg: %s", strerror(log->err));
	else if (log->is_alarming)
		snprintf(text, size, "%zu lines, and a fault of the kernel's among them", log->n);
	else
		snprintf(text, size, log->n ? "%zu lines" : "it said nothing", log->n);
	return log->err ? KC_NOT_ASKED : log->is_alarming ? KC_FAILS : KC_IS_RIGHT;
}

/* The machine, and a named driver. */
static struct json_object *make_head(const struct kc_examination *all)
{
	struct json_object *o = json_object_new_object();
	const struct kc_driver *d = &all->listed;
	char module[64], selftest[32];
	struct utsname u = { .release = "" };

	uname(&u);
	kc_json_text(o, "version", KC_VERSION);
	kc_json_text(o, "openssl", OpenSSL_version(OPENSSL_VERSION));
	kc_json_text(o, "kernel", u.release);
	kc_json_text(o, "machine", u.machine);
	kc_bench_board_add(o, "");
	kc_json_int(o, "seed", all->seed);
	if (!d->driver[0])
		return o;
	kc_subject_record(d->driver, "module", module, sizeof(module));
	kc_subject_record(d->driver, "selftest", selftest, sizeof(selftest));
	kc_json_text(o, "driver", d->driver);
	kc_json_text(o, "kernel_name", d->name);
	kc_json_text(o, "kind", kc_nature_word(d->nature));
	kc_json_int(o, "priority", d->priority);
	kc_json_text(o, "module", module);
	kc_json_text(o, "selftest", selftest);
	kc_json_text(o, "backend", all->candidate[0]->backend->name);
	return o;
}

void kc_report_begin(const struct kc_examination *all)
{
	struct json_object *o = make_head(all);

	puts("TAP version 13");
	json_object_object_foreach(o, key, value)
		printf("# %s %s\n", key, value ? json_object_get_string(value) : "unknown");
	json_object_put(o);
}

static void print_speed(const struct kc_examination *all, size_t n, int dir)
{
	static const char *const verbs[] = { "decrypting", "encrypting" };
	const struct kc_alg *alg = all->candidate[n]->alg;
	const struct kc_speed *s = &all->speed[n];
	char name[KC_ALG_NAME_SIZE];

	if (!s->driver[dir][0])
		return;
	printf("# MB/s of driver/software, %s %s:", kc_alg_name(alg, name, sizeof(name)),
	       kc_alg_is_hash(alg) ? "" : verbs[dir]);
	for (size_t i = 0; i < KC_SPEED_SIZES; i++)
		printf("%s %zu bytes %.0f/%.0f", i ? "," : "", kc_speed_size[i], s->driver[dir][i],
		       s->software[dir][i]);
	putchar('\n');
}

void kc_report_end(const struct kc_examination *all)
{
	char text[80];
	enum kc_ruling ruling = rule_log(&all->log, text, sizeof(text));

	for (size_t i = 0; i < n_others; i++)
		print_line(others[i].what, others[i].ruling, others[i].text);
	if (all->listed.driver[0]) {
		print_line("the kernel's log", ruling, text);
		for (size_t i = 0; i < all->log.n && i < KC_LOG_LINES; i++)
			printf("# the kernel said: %s\n", all->log.line[i]);
		for (size_t n = 0; n < all->n; n++)
			for (int dir = KC_ENCRYPT; dir >= KC_DECRYPT; dir--)
				print_speed(all, n, dir);
	}
	printf("1..%u\n", lines);
	if (all->listed.driver[0])
		printf("# The driver %s is %s%s.\n", all->listed.driver, conclusion(all),
		       kc_report_is_good(all) ? " in all that it was asked" : "");
}

static void speed(struct json_object *o, const char *key, double value)
{
	if (value > 0)
		kc_json_real(o, key, value);
	else
		kc_json_add(o, key, NULL);
}

static void add_speeds(struct json_object *array, const struct kc_alg *alg,
		       const struct kc_speed *s, enum kc_dir dir)
{
	char name[KC_ALG_NAME_SIZE];

	for (size_t i = 0; i < KC_SPEED_SIZES; i++) {
		struct json_object *o = json_object_new_object();

		kc_json_text(o, "algorithm", kc_alg_name(alg, name, sizeof(name)));
		kc_json_text(o, "direction", dir == KC_ENCRYPT ? "encrypt" : "decrypt");
		kc_json_int(o, "size", (int64_t)kc_speed_size[i]);
		speed(o, "mb_per_s", s->driver[dir][i]);
		speed(o, "software_mb_per_s", s->software[dir][i]);
		json_object_array_add(array, o);
	}
}

/* Of one driver. */
static void add_rest(struct json_object *o, const struct kc_examination *all)
{
	struct json_object *array = kc_json_array(o, "speed");

	for (size_t n = 0; n < all->n; n++) {
		const struct kc_alg *alg = all->candidate[n]->alg;

		add_speeds(array, alg, &all->speed[n], KC_ENCRYPT);
		if (!kc_alg_is_hash(alg))
			add_speeds(array, alg, &all->speed[n], KC_DECRYPT);
	}
	if (all->log.err) {
		kc_json_add(o, "kernel_log", NULL);
		return;
	}
	array = kc_json_array(o, "kernel_log");
	for (size_t i = 0; i < all->log.n && i < KC_LOG_LINES; i++)
		json_object_array_add(array, json_object_new_string(all->log.line[i]));
}

static void add_checks(struct json_object *o, const struct kc_examination *all)
{
	struct json_object *array = kc_json_array(o, "checks");
	char text[80];
	enum kc_ruling ruling = rule_log(&all->log, text, sizeof(text));

	for (size_t i = 0; i < kc_n_checks * all->n; i++) {
		const struct kc_finding *f = &all->finding[i];
		const struct kc_check *check = &kc_checks[i / all->n];

		if (check->is_quick || all->listed.driver[0])
			json_object_array_add(array,
					      finding(check->word, all->candidate[i % all->n],
						      f->ruling, f->requests, f->text));
	}
	for (size_t i = 0; i < n_others; i++)
		json_object_array_add(array, finding(others[i].what, NULL, others[i].ruling, 0,
						     others[i].text));
	if (all->listed.driver[0])
		json_object_array_add(array, finding("kernel's log", NULL, ruling, 0, text));
}

void kc_report_json(const struct kc_examination *all)
{
	struct json_object *o = make_head(all);

	kc_json_text(o, "verdict", conclusion(all));
	add_checks(o, all);
	if (all->listed.driver[0])
		add_rest(o, all);
	kc_json_print(stdout, o);
}
