/* SPDX-License-Identifier: Apache-2.0 */
/* The page, and the same as JSON. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <json-c/json.h>
#include <openssl/crypto.h>

#include "cli/bench/board.h"
#include "cli/screen.h"
#include "cli/verdict/subject.h"

#define INDENT 11

static const char *const words[KC_RULINGS] = {
	[KC_NOT_ASKED] = "not asked", [KC_IS_RIGHT] = "right", [KC_IS_WRONG] = "wrong",
	[KC_FAILS] = "fails",	      [KC_HANGS] = "hangs",    [KC_DIES] = "dies",
};

static const char *conclusion(const struct kc_verdict *v)
{
	return kc_verdict_is_bad(v) ? "unreliable" : kc_verdict_is_good(v) ? "reliable" : "unknown";
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

static bool is_same(const struct kc_finding *a, const struct kc_finding *b)
{
	return a->ruling == b->ruling && strcmp(a->text, b->text) == 0;
}

/* The requests of all algorithms with this finding, and their names, unless it is of all. */
static unsigned gather(const struct kc_verdict *v, const struct kc_finding *f, size_t from,
		       char *names, size_t size)
{
	unsigned requests = 0;
	size_t rows = 0, n = 0;

	names[0] = '\0';
	for (size_t row = from; row < v->subject->n; row++) {
		char name[KC_ALG_NAME_SIZE];

		if (!is_same(&f[from], &f[row]))
			continue;
		requests += f[row].requests;
		kc_alg_name(v->subject->candidate[row].alg, name, sizeof(name));
		if (n < size)
			n += (size_t)snprintf(names + n, size - n, "%s%s", rows++ ? ", " : "",
					      name);
	}
	if (rows == v->subject->n)
		names[0] = '\0';
	return requests;
}

static void print_below(const char *names, const char *text)
{
	char all[KC_ALG_COUNT * KC_ALG_NAME_SIZE + sizeof(((struct kc_finding *)0)->text)];

	snprintf(all, sizeof(all), "%s%s%s", names, names[0] && text[0] ? ": " : "", text);
	printf("\n%*s", INDENT, "");
	kc_wrap(stdout, INDENT, INDENT, all);
}

/* Good, bad, or of no weight. */
static enum kc_colour colour_of(enum kc_ruling ruling)
{
	return ruling == KC_IS_RIGHT ? KC_GREEN : ruling == KC_NOT_ASKED ? KC_YELLOW : KC_RED;
}

static void print_finding(const char *check, enum kc_ruling ruling, unsigned requests,
			  const char *names, const char *text)
{
	char word[16], count[16] = "";

	snprintf(word, sizeof(word), "%s", words[ruling]);
	for (char *c = word; ruling > KC_IS_RIGHT && *c; c++)
		*c = kc_upper(*c);
	if (requests)
		snprintf(count, sizeof(count), "%u", requests);
	kc_paint(stdout, colour_of(ruling), INDENT, word);
	printf("%-17s %9s", check, count);
	/* A short remark stays on the line. */
	if (!names[0] && strlen(text) <= 40)
		printf("%s%s\n", text[0] ? "  " : "", text);
	else
		print_below(names, text);
}

static void print_check(const struct kc_verdict *v, size_t n)
{
	const struct kc_finding *f = v->finding[n];
	char names[KC_ALG_COUNT * KC_ALG_NAME_SIZE];

	for (size_t row = 0; row < v->subject->n; row++) {
		bool is_first = true;
		unsigned requests;

		for (size_t i = 0; i < row; i++)
			is_first &= !is_same(&f[i], &f[row]);
		if (!is_first)
			continue;
		requests = gather(v, f, row, names, sizeof(names));
		print_finding(kc_checks[n].word, f[row].ruling, requests, names, f[row].text);
	}
}

static void print_pair(double driver, double software)
{
	char pair[40];

	snprintf(pair, sizeof(pair), "%.*f/%.*f", driver < 100, driver, software < 100, software);
	printf(" %11s", pair);
}

static void print_speed(const struct kc_verdict *v)
{
	static const char *const verbs[] = { "decrypting", "encrypting" };
	char name[KC_ALG_NAME_SIZE];
	bool has_title = false;

	for (size_t row = 0; row < v->subject->n; row++)
		for (int dir = KC_ENCRYPT; dir >= KC_DECRYPT; dir--) {
			const struct kc_speed *s = &v->speed[row];
			const struct kc_alg *alg = v->subject->candidate[row].alg;

			if (!s->driver[dir][0])
				continue;
			if (!has_title)
				printf("\n%-31s %11s %11s %11s %11s\n",
				       "MB/s of the driver/software", "1 KiB", "4 KiB", "16 KiB",
				       "32 KiB");
			has_title = true;
			printf("%-20s %-10s", kc_alg_name(alg, name, sizeof(name)),
			       kc_alg_is_hash(alg) ? "" : verbs[dir]);
			for (size_t i = 0; i < KC_SPEED_SIZES; i++) {
				print_pair(s->driver[dir][i], s->software[dir][i]);
			}
			putchar('\n');
		}
}

static void print_head(const struct kc_verdict *v)
{
	const struct kc_driver *d = &v->subject->listed;
	char module[64], selftest[32], name[KC_ALG_NAME_SIZE];
	struct utsname u = { .release = "" };

	uname(&u);
	kc_subject_record(d->driver, "module", module, sizeof(module));
	kc_subject_record(d->driver, "selftest", selftest, sizeof(selftest));
	printf("The driver %s is %s%s.\n\n", d->driver, conclusion(v),
	       kc_verdict_is_good(v) ? " in all that it was asked" : "");
	printf("driver     %s, %s, priority %d, module %s\n", d->driver, kc_nature_word(d->nature),
	       d->priority, module[0] ? module : "unknown");
	printf("algorithm  %s, bound by the driver's name through %s\n", d->name,
	       v->subject->backend->name);
	for (size_t row = 0; row < v->subject->n; row++)
		printf("%s%s", row ? ", " : "           ",
		       kc_alg_name(v->subject->candidate[row].alg, name, sizeof(name)));
	printf("\nkernel     Linux %s on %s; its own test of the driver: %s\n", u.release,
	       u.machine, selftest[0] ? selftest : "unknown");
	printf("compared   with %s, by kcrypto %s\n\n", OpenSSL_version(OPENSSL_VERSION),
	       KC_VERSION);
}

void kc_verdict_print(const struct kc_verdict *v)
{
	enum kc_ruling ruling;
	char text[80];

	print_head(v);
	printf("%-9s  %-17s %9s\n", "answers", "check", "requests");
	for (size_t n = 0; n < kc_n_checks; n++)
		print_check(v, n);
	ruling = rule_log(&v->log, text, sizeof(text));
	print_finding("kernel's log", ruling, 0, "", text);
	print_speed(v);
	for (size_t i = 0; i < v->log.n && i < KC_LOG_LINES; i++)
		printf("%s%s\n", i ? "" : "\nThe kernel said meanwhile:\n", v->log.line[i]);
}

static void add(struct json_object *o, const char *key, struct json_object *value)
{
	json_object_object_add(o, key, value);
}

static void add_text(struct json_object *o, const char *key, const char *text)
{
	add(o, key, text[0] ? json_object_new_string(text) : NULL);
}

static struct json_object *finding(const char *check, const char *algorithm, enum kc_ruling ruling,
				   unsigned requests, const char *text)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "check", check);
	add_text(o, "algorithm", algorithm);
	add_text(o, "ruling", words[ruling]);
	add(o, "requests", json_object_new_int64(requests));
	add_text(o, "text", text);
	return o;
}

static struct json_object *all_findings(const struct kc_verdict *v)
{
	struct json_object *array = json_object_new_array();
	char name[KC_ALG_NAME_SIZE], text[80];
	enum kc_ruling ruling = rule_log(&v->log, text, sizeof(text));

	for (size_t n = 0; n < kc_n_checks; n++)
		for (size_t row = 0; row < v->subject->n; row++) {
			const struct kc_finding *f = &v->finding[n][row];

			kc_alg_name(v->subject->candidate[row].alg, name, sizeof(name));
			json_object_array_add(array, finding(kc_checks[n].word, name, f->ruling,
							     f->requests, f->text));
		}
	json_object_array_add(array, finding("kernel's log", "", ruling, 0, text));
	return array;
}

static struct json_object *number(double n)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", n);
	return n > 0 ? json_object_new_double_s(n, text) : NULL;
}

static void add_speeds(struct json_object *array, const struct kc_alg *alg,
		       const struct kc_speed *s, enum kc_dir dir)
{
	char name[KC_ALG_NAME_SIZE];

	for (size_t i = 0; i < KC_SPEED_SIZES; i++) {
		struct json_object *o = json_object_new_object();

		add_text(o, "algorithm", kc_alg_name(alg, name, sizeof(name)));
		add_text(o, "direction", dir == KC_ENCRYPT ? "encrypt" : "decrypt");
		add(o, "size", json_object_new_int64((int64_t)kc_speed_size[i]));
		add(o, "mb_per_s", number(s->driver[dir][i]));
		add(o, "software_mb_per_s", number(s->software[dir][i]));
		json_object_array_add(array, o);
	}
}

static struct json_object *all_speeds(const struct kc_verdict *v)
{
	struct json_object *array = json_object_new_array();

	for (size_t row = 0; row < v->subject->n; row++) {
		const struct kc_alg *alg = v->subject->candidate[row].alg;

		add_speeds(array, alg, &v->speed[row], KC_ENCRYPT);
		if (!kc_alg_is_hash(alg))
			add_speeds(array, alg, &v->speed[row], KC_DECRYPT);
	}
	return array;
}

static struct json_object *log_lines(const struct kc_log *log)
{
	struct json_object *array = log->err ? NULL : json_object_new_array();

	for (size_t i = 0; array && i < log->n && i < KC_LOG_LINES; i++)
		json_object_array_add(array, json_object_new_string(log->line[i]));
	return array;
}

void kc_verdict_print_json(const struct kc_verdict *v)
{
	const struct kc_driver *d = &v->subject->listed;
	struct json_object *o = json_object_new_object();
	char module[64], selftest[32];
	struct utsname u = { .release = "" };

	uname(&u);
	kc_subject_record(d->driver, "module", module, sizeof(module));
	kc_subject_record(d->driver, "selftest", selftest, sizeof(selftest));
	add_text(o, "version", KC_VERSION);
	add_text(o, "openssl", OpenSSL_version(OPENSSL_VERSION));
	add_text(o, "kernel", u.release);
	add_text(o, "machine", u.machine);
	kc_bench_board_add(o, "");
	add_text(o, "driver", d->driver);
	add_text(o, "kernel_name", d->name);
	add_text(o, "kind", kc_nature_word(d->nature));
	add(o, "priority", json_object_new_int(d->priority));
	add_text(o, "module", module);
	add_text(o, "selftest", selftest);
	add_text(o, "backend", v->subject->backend->name);
	add_text(o, "verdict", conclusion(v));
	add(o, "checks", all_findings(v));
	add(o, "speed", all_speeds(v));
	add(o, "kernel_log", log_lines(&v->log));
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
						       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}
