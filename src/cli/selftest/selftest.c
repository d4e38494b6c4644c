/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto selftest: whether every driver in use is right, now, on this machine; or whether a named
 * driver is reliable. Has the options, the choice of drivers and the exit status.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "core/base.h"
#include "cli/bench/bench.h"
#include "cli/child.h"
#include "cli/cli.h"
#include "cli/conf.h"
#include "cli/run/command.h"
#include "cli/tls/tls.h"
#include "cli/selftest/selftest.h"
#include "core/process.h"
#include "policy/config.h"
#include "session/session.h"

/* The exit code if a named driver could not be examined. */
#define BLIND 2

#define MESSAGES 1000 /* by default, for all drivers in use */
#define OF_EACH	 100  /* for each algorithm of a named driver */
#define REPEATS	 2    /* of one question to each algorithm, for each message */

static struct kc_examination all = { .tell = kc_report_add, .seconds = 10, .limit = 300 };
static bool admits_all, json;
static unsigned rounds;
static const char *file, *backend;

static const struct kc_option options[] = {
	{ "all", NULL, "tests all algorithms with all drivers, software too", .flag = &admits_all,
	  .calls = KC_CALL_PLAIN },
	{ "backend", "NAME", "uses only this interface: kcrypto, devcrypto, afalg",
	  .text = &backend, .calls = KC_CALL_WORD },
	{ "seconds", "N", "for parallel sessions, by default 10", .number = &all.seconds,
	  .max = 86400, .calls = KC_CALL_WORD },
	{ "limit", "N", "seconds for everything, by default 300", .number = &all.limit,
	  .max = 86400 },
	{ "rounds", "N", "random messages in all, by default 1000", .number = &rounds,
	  .max = 100000000 },
	{ "seed", "N", "repeats the messages of the run that printed N", .number = &all.seed,
	  .max = 100000000 },
	{ "json", NULL, "prints JSON", .flag = &json },
	{ "config", "FILE", "reads FILE instead of the openssl.cnf that programs read",
	  .text = &file },
	{ NULL },
};

static void find_offered(struct kc_config *config)
{
	static struct kc_policy policy;
	size_t n;

	/* Do not use what tune found out before. */
	config->tune_file[0] = '\0';
	if (admits_all)
		config->admit = KC_ADMIT_ALL;
	for (size_t i = 0; admits_all && i < KC_ALG_COUNT; i++)
		config->row[i].on |= !kc_algs[i].named_only;
	kc_policy_load(&policy, config);
	n = kc_probe_list(&policy, all.candidate);
	for (size_t i = 0; i < n; i++)
		if (kc_backend_exists(all.candidate[i]->backend, true))
			all.candidate[all.n++] = all.candidate[i];
}

/* Any key will do; its halves differ, as XTS demands. */
static const uint8_t any_key[KC_MAX_MAC_KEY] =
	"kcrypto selftest, a key for one session, of any length";

struct opening {
	struct kc_candidate *c;
	int err;
};

static void open_session(void *data)
{
	struct opening *o = data;
	const struct kc_alg *alg = o->c->alg;
	struct kc_key key = { .bytes = any_key, .len = alg->key_len };
	struct kc_session session = { .fd = -1 };

	if (alg->kind == KC_MAC && !alg->key_len)
		key.len = 32;
	if (alg->kind == KC_AEAD)
		key.tag_len = alg->out_len;
	o->err = kc_session_open(&session, o->c, &key);
	kc_session_close(&session);
}

/*
 * Opens a session in a child. 0, -errno, or INT_MIN: the driver hangs, and the child is left
 * behind.
 */
static int open_apart(struct kc_candidate *c)
{
	struct opening o = { c, -ECHILD };
	struct kc_child child;

	kc_child_ask(&child, open_session, &o, sizeof(o), KC_HANG_SECONDS);
	if (child.is_silent)
		return INT_MIN;
	return o.err;
}

/* Returns the longest request that kcrypto would send. */
static size_t longest(const char *name, const struct kc_backend *by)
{
	struct kc_driver driver = { .traits = 0 };
	size_t most;

	snprintf(driver.driver, sizeof(driver.driver), "%s", name);
	kc_driver_classify(&driver);
	most = kc_traits_most(kc_driver_traits(&driver), by->copies);
	if (most < KC_MAX_REQUEST)
		return most;
	return KC_MAX_REQUEST;
}

static void make_candidate(struct kc_candidate *c, const struct kc_alg *alg, unsigned number,
			   const char *driver)
{
	memset(c, 0, sizeof(*c));
	c->alg = alg;
	c->backend = kc_backends[number];
	c->backend_number = number;
	snprintf(c->driver, sizeof(c->driver), "%s", driver);
	atomic_store(&c->trust, KC_TRUSTED);
	c->max_request = longest(driver, c->backend);
	c->max_sessions = UINT_MAX;
}

/* By row; rows that the driver lacks have no algorithm. */
static struct kc_candidate own[KC_ALG_COUNT];

/*
 * False for a row with ciphertext stealing, of which the kernel sees only whole blocks, and for one
 * that has no number in a backend with numbers.
 */
static bool is_asked(const struct kc_backend *b, const struct kc_alg *alg)
{
	if (alg->steals)
		return false;
	return !b->number || b->number(alg);
}

/* Finds the driver in the backend's list, with its rows. */
static void find_rows(const char *driver, unsigned number)
{
	const struct kc_backend *b = kc_backends[number];
	static struct kc_drivers drivers;

	all.n = 0;
	memset(own, 0, sizeof(own));
	kc_drivers_init(&drivers, NULL);
	b->discover(&drivers);
	for (size_t i = 0; i < drivers.n; i++) {
		const struct kc_driver *d = &drivers.v[i];

		if (strcmp(d->driver, driver) != 0)
			continue;
		all.listed = *d;
		for (size_t row = d->row; row < d->row + d->rows; row++) {
			const struct kc_alg *alg = &kc_algs[row];

			if (own[row].alg || !is_asked(b, alg))
				continue;
			make_candidate(&own[row], alg, number, driver);
			all.candidate[all.n++] = &own[row];
		}
	}
}

/*
 * A template's instance is listed only after its first use, so the kernel is asked for it by name,
 * as one kind of algorithm after another.
 */
static void wake(unsigned number, const char *driver)
{
	static const enum kc_alg_id one_of_each[] = { KC_ALG_AES_128_CBC, KC_ALG_AES_128_GCM,
						      KC_ALG_SHA256 };
	struct kc_candidate c;

	for (size_t i = 0; i < sizeof(one_of_each) / sizeof(one_of_each[0]); i++) {
		make_candidate(&c, &kc_algs[one_of_each[i]], number, driver);
		if (open_apart(&c) == INT_MIN)
			return;
	}
}

/* Returns why no session opens with a listed driver. */
static const char *word_error(const struct kc_backend *b, int err)
{
	if (err == INT_MIN)
		return kc_reasons[KC_NO_ANSWER].text;
	if (err == -EFAULT)
		return kc_reasons[KC_HIGH_MEMORY].text;
	if (err == -ENOENT && b->hides_hardware && b->hides_hardware())
		return kc_reasons[KC_HARDWARE_HIDDEN].text;
	if (err == -ENOENT && b->identify)
		return "the kernel chooses another driver here, or has none";
	return strerror(-err);
}

/* Returns why the driver has no algorithm to try. */
static const char *word_absence(void)
{
	if (all.listed.driver[0])
		return "it does not have this algorithm";
	return "the kernel lists no driver of this name";
}

/* The first of the driver's algorithms with a session decides. */
static enum kc_ruling open_first(const char *driver, unsigned number, const char **why)
{
	const struct kc_backend *b = kc_backends[number];
	int err = -ENODEV;

	if (!all.listed.driver[0] && !b->identify) {
		wake(number, driver);
		find_rows(driver, number);
	}
	for (size_t i = 0; err && err != INT_MIN && i < all.n; i++)
		err = open_apart(all.candidate[i]);
	if (all.n)
		*why = word_error(b, err);
	else
		*why = word_absence();
	if (!err)
		return KC_IS_RIGHT;
	if (err == INT_MIN)
		return KC_HANGS;
	return KC_NOT_ASKED;
}

/* KC_IS_RIGHT: there is a session, and the driver's algorithms are known. */
static enum kc_ruling try_backend(const char *driver, unsigned number, const char **why)
{
	const struct kc_backend *b = kc_backends[number];

	find_rows(driver, number);
	if (!kc_backend_exists(b, true))
		*why = kc_reasons[KC_NO_INTERFACE].text;
	else if (b->hashes_by_name && !backend && all.listed.kind == KC_DIGEST)
		/* Some machines crash with this backend, so the user has to insist. */
		*why = "may crash the kernel with it; --backend insists";
	else
		return open_first(driver, number, why);
	return KC_NOT_ASKED;
}

/*
 * Finds the driver through the named backend, or through the first one that opens a session with
 * it. A driver that hangs before its first request counts as examined.
 */
static int find_named(const char *driver)
{
	const char *why[KC_MAX_BACKENDS] = { NULL };
	const struct kc_backend *only = NULL;
	enum kc_ruling ruling = KC_NOT_ASKED;

	if (backend)
		only = kc_backend_named(backend);
	if (backend && !only)
		return kc_usage_error("unknown kernel interface '%s'", backend);
	for (unsigned i = 0; kc_backends[i] && ruling == KC_NOT_ASKED; i++)
		if (!only || only == kc_backends[i])
			ruling = try_backend(driver, i, &why[i]);
	if (ruling == KC_IS_RIGHT)
		return KC_EXIT_OK;
	kc_failure("the driver %s could not be tested", driver);
	for (size_t i = 0; kc_backends[i]; i++)
		if (why[i])
			fprintf(stderr, "%s: %s\n", kc_backends[i]->names[0], why[i]);
	if (ruling == KC_HANGS)
		return KC_EXIT_FAILED;
	return BLIND;
}

static void check_ktls(bool is_13)
{
	static const char *const checks[] = { "kTLS 1.2 with AES-128-GCM: known records",
					      "kTLS 1.3 with AES-128-GCM: known records" };
	enum kc_ruling ruling = KC_IS_RIGHT;
	bool is_absent;
	const char *why = kc_ktls_check(is_13, &is_absent);

	if (why)
		ruling = KC_IS_WRONG;
	if (why && is_absent)
		ruling = KC_NOT_ASKED;
	kc_report_note(checks[is_13], ruling, why);
}

static void set_rounds(bool is_named)
{
	if (!all.seed)
		all.seed = (unsigned)time(NULL) % 1000000 + 1;
	if (!rounds && is_named)
		rounds = OF_EACH * (unsigned)all.n;
	if (!rounds)
		rounds = MESSAGES;
	all.repeats = REPEATS * rounds;
	if (all.n)
		all.rounds = (rounds - 1) / (unsigned)all.n + 1;
}

static int examine_all(void)
{
	bool is_named = all.listed.driver[0];
	enum kc_ruling verdict;

	all.depth = KC_IN_USE;
	if (is_named)
		all.depth = KC_NAMED;
	set_rounds(is_named);
	kc_report_begin(&all, json);
	if (!all.n)
		kc_report_note("drivers", KC_NOT_ASKED,
			       "nothing goes to the kernel; kcrypto list says why");
	if (!kc_checks_run(&all))
		return kc_failure("memory or processes are short");
	for (int i = 0; !is_named && i < 2; i++)
		check_ktls(i);
	verdict = kc_report_end(&all);
	if (verdict > KC_IS_RIGHT)
		return KC_EXIT_FAILED;
	if (is_named && verdict == KC_NOT_ASKED)
		return BLIND;
	return KC_EXIT_OK;
}

static int run_selftest(const struct kc_args *args)
{
	static struct kc_conf conf;
	int err = KC_EXIT_OK;

	/* If this runs under a filter, the filter was made for it. */
	kc_process_begin();
	kc_sandbox_loaded(true);
	if (kc_conf_open(&conf, file))
		return KC_EXIT_FAILED;
	kc_field_begin(conf.module, true);
	if (args->word)
		err = find_named(args->word);
	else
		find_offered(&conf.config);
	if (!err && !kc_base_open(true))
		err = kc_failure("OpenSSL's default provider cannot be loaded");
	if (!err && !kc_counters_begin())
		all.no_module = "no file can be made to count the module's requests in";
	if (!err)
		err = examine_all();
	return err;
}

const struct kc_command kc_cmd_selftest = {
	.name = "selftest",
	.about = "tests the answers of drivers in use, or examines one",
	.options = options,
	.operands = "[DRIVER]",
	.run = run_selftest,
};
