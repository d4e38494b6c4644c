/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the contenders: software, each backend by itself, and kcrypto as it is configured; for TLS
 * records software, kcrypto, kTLS and both. Each is a library context with a configuration.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <openssl/crypto.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/tls/tls.h"
#include "policy/config.h"
#include "policy/policy.h"
#include "session/session.h"

static const char base_conf[] = "openssl_conf = init\n[init]\nproviders = providers\n[providers]\n"
				"default = default_section\nlegacy = legacy_section\n"
				"[default_section]\nactivate = 1\n[legacy_section]\nactivate = 1\n";

/*
 * Follows the configuration file: every request goes to this backend, whichever its driver. This
 * shows what the kernel can do, not what pays.
 */
static const char kernel_conf[] =
	"[providers]\nkcrypto = kcrypto_section\n"
	"[kcrypto_section]\nactivate = 1\ntune_file = none\nsoft_drivers = 1\n"
	"backends = %s\nciphers = %s:0\ndigests = %s:0\nmacs = %s:0\n"
	"seccomp = %s\n%smodule = %s\n%sdriver.%s = %s\n";

static const char *module_file = "";
static bool trusts;

void kc_field_begin(const char *module, bool trusts_seccomp)
{
	module_file = "";
	if (strchr(module, '/'))
		module_file = module;
	trusts = trusts_seccomp;
}

/* Returns a library context of its own with this configuration; NULL if it can't be had. */
static OSSL_LIB_CTX *context(const char *file)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();

	if (lib && OSSL_LIB_CTX_load_config(lib, file))
		return lib;
	OSSL_LIB_CTX_free(lib);
	return NULL;
}

static OSSL_LIB_CTX *context_with(const char *text)
{
	KC_FD fd = memfd_create("kcrypto-bench", MFD_CLOEXEC);
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || dprintf(fd, "%s", text) <= 0)
		return NULL;
	return context(path);
}

static struct kc_contender *add_contender(struct kc_field *field, const char *label)
{
	field->contender[field->n].label = label;
	return &field->contender[field->n++];
}

bool kc_enter_software(struct kc_contender *c)
{
	c->lib = context_with(base_conf);
	c->properties = "provider!=kcrypto";
	return c->lib;
}

bool kc_enter_backend(struct kc_contender *c, const struct kc_alg *alg, const char *backend,
		      const char *driver)
{
	const char *list[KC_KIND_COUNT] = { "NONE", "NONE", "NONE", "NONE" };
	const char *name = kc_alg_name(alg);
	char text[8192];
	int n = snprintf(text, sizeof(text), "%s", base_conf);

	list[alg->kind] = name;
	snprintf(text + n, sizeof(text) - (size_t)n, kernel_conf, backend,
		 alg->kind == KC_AEAD ? list[KC_AEAD] : list[KC_CIPHER], list[KC_DIGEST],
		 list[KC_MAC], trusts ? "trust" : "avoid", *module_file ? "" : "#", module_file,
		 *driver ? "" : "#", name, driver);
	c->lib = context_with(text);
	c->properties = "provider=kcrypto";
	return c->lib;
}

/* Returns the algorithm's candidates as the provider finds them if every driver is admitted. */
static struct kc_candidate *candidates(const struct kc_alg *alg)
{
	static struct kc_policy policy;
	static struct kc_config config;

	if (!policy.row[0]) {
		kc_config_init(&config);
		config.legacy = true;
		config.admit = KC_ADMIT_ALL;
		config.tune_file[0] = '\0';
		for (size_t i = 0; i < KC_ALG_COUNT; i++)
			config.row[i].on = true;
		kc_policy_load(&policy, &config);
	}
	return policy.row[alg - kc_algs];
}

static enum kc_reason why_out(const struct kc_candidate *c)
{
	if (!kc_backend_exists(c->backend, true))
		return KC_NO_INTERFACE;
	if (c->is_offered && c->nature == KC_HARDWARE && kc_session_probe_software(c->backend))
		return KC_HARDWARE_HIDDEN;
	return c->reason;
}

/*
 * Finds the candidate of @backend; if that is NULL, of the best backend that reaches its driver.
 * NULL: none is known.
 */
static struct kc_candidate *find_candidate(const struct kc_alg *alg,
					   const struct kc_backend *backend, enum kc_reason *why)
{
	struct kc_candidate *c = candidates(alg), *found = NULL;

	*why = KC_NO_INTERFACE;
	for (; c && (!found || *why != KC_OK); c = c->next) {
		if (backend && c->backend != backend)
			continue;
		found = c;
		*why = why_out(c);
	}
	return found;
}

/* Has every request go through @backend; NULL: through the best one. */
static void enter_backend(struct kc_contender *c, const struct kc_alg *alg,
			  const struct kc_backend *backend)
{
	enum kc_reason why;
	struct kc_candidate *found = find_candidate(alg, backend, &why);

	if (why != KC_OK) {
		c->why = kc_reasons[why].text;
		return;
	}
	c->driver = found->driver;
	if (found->nature == KC_HARDWARE)
		kc_evidence_ask(found, KC_LOOK_QUICKLY, &c->evidence);
	c->kind = kc_claim_word(found->nature, c->evidence.by);
	if (!kc_enter_backend(c, alg, found->backend->names[0], ""))
		c->why = "kcrypto's module cannot be loaded";
}

/* Has the contender pass a record, or say why not: wrong records do not count. */
static bool try_record(struct kc_contender *c, const struct kc_bench *bench,
		       const struct kc_alg *alg)
{
	struct kc_tls *tls = NULL;

	if (c->lib)
		tls = kc_tls_open(c->lib, alg, bench->is_13, c->is_ktls, &c->why);
	if (tls)
		c->by_ktls = kc_tls_by_kernel(tls);
	kc_tls_close(tls);
	return tls;
}

/* Returns the driver that the kernel itself uses for the algorithm; NULL if it lists none. */
static const struct kc_driver *best_driver(const struct kc_alg *alg)
{
	static struct kc_drivers drivers;
	const struct kc_driver *best = NULL;

	for (size_t i = 0; kc_backends[i] && !drivers.n; i++)
		kc_backends[i]->discover(&drivers);
	for (size_t i = 0; i < drivers.n; i++)
		if (strcmp(drivers.v[i].name, alg->kernel_name) == 0 &&
		    (!best || drivers.v[i].priority > best->priority))
			best = &drivers.v[i];
	return best;
}

/* kTLS asks for an algorithm, and gets the driver of the highest priority. */
static void enter_ktls(struct kc_contender *c, const struct kc_bench *bench,
		       const struct kc_alg *alg)
{
	const struct kc_driver *best;
	bool is_absent;

	c->is_ktls = true;
	c->why = kc_ktls_check(bench->is_13, &is_absent);
	if (c->why || !kc_enter_software(c) || !try_record(c, bench, alg))
		return;
	c->is_half = c->by_ktls == 1;
	best = best_driver(alg);
	if (!best)
		return;
	c->driver = best->driver;
	c->kind = kc_claim_word(kc_driver_nature(best, alg->key_len), KC_DONE_UNTOLD);
}

/* kTLS, with kcrypto for the records that libssl does not leave to it. */
static void enter_both(struct kc_contender *c, const struct kc_contender *ktls,
		       const struct kc_bench *bench, const struct kc_alg *alg)
{
	c->is_ktls = true;
	c->why = ktls->why;
	if (c->why)
		return;
	enter_backend(c, alg, NULL);
	try_record(c, bench, alg);
}

/* In the order of advice.c. */
static void fill_for_records(struct kc_field *field, const struct kc_bench *bench,
			     const struct kc_alg *alg)
{
	struct kc_contender *software = add_contender(field, "software");
	struct kc_contender *ours = add_contender(field, "kcrypto");
	struct kc_contender *ktls = add_contender(field, "kTLS");

	kc_enter_software(software);
	try_record(software, bench, alg);
	enter_backend(ours, alg, NULL);
	try_record(ours, bench, alg);
	enter_ktls(ktls, bench, alg);
	enter_both(add_contender(field, "both"), ktls, bench, alg);
}

static void fill_for_requests(struct kc_field *field, const struct kc_bench *bench,
			      const struct kc_alg *alg)
{
	kc_enter_software(add_contender(field, "software"));
	for (size_t i = 0; kc_backends[i] && field->n < KC_MAX_CONTENDERS - 1; i++)
		if (kc_backend_exists(kc_backends[i], false))
			enter_backend(add_contender(field, kc_backends[i]->names[0]), alg,
				      kc_backends[i]);
	add_contender(field, "as configured")->lib = context(bench->file);
}

/* Fills in the same lines, without figures. */
static void fill_late(struct kc_field *field, const struct kc_bench *bench)
{
	add_contender(field, "software");
	for (size_t i = 0; kc_backends[i] && field->n < KC_MAX_CONTENDERS - 1; i++)
		if (!bench->is_tls && kc_backend_exists(kc_backends[i], false))
			add_contender(field, kc_backends[i]->names[0]);
	if (bench->is_tls)
		add_contender(field, "kcrypto");
	add_contender(field, bench->is_tls ? "kTLS" : "as configured");
	if (bench->is_tls)
		add_contender(field, "both");
	for (size_t i = 0; i < field->n; i++)
		field->contender[i].why = KC_BENCH_LATE;
}

void kc_field_fill(struct kc_field *field, const struct kc_bench *bench, const struct kc_alg *alg,
		   bool is_late)
{
	if (is_late)
		fill_late(field, bench);
	else if (bench->is_tls)
		fill_for_records(field, bench, alg);
	else
		fill_for_requests(field, bench, alg);
}

void kc_field_clear(struct kc_field *field)
{
	while (field->n)
		OSSL_LIB_CTX_free(field->contender[--field->n].lib);
}
