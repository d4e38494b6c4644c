/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a process's policy from the tune file, the backends' lists, and the seccomp filters, and
 * decides row by row.
 */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "policy/admit.h"
#include "policy/first_terms.h"
#include "policy/tune_file.h"

/* The best driver in the kernel's list for a row. */
struct best {
	const struct kc_driver *driver; /* NULL: none */
	bool is_usable;
};

/* A kernel that chooses the driver itself goes by priority. */
static bool better(const struct kc_driver *d, const struct kc_driver *than,
		   const struct kc_alg *alg, const struct kc_backend *backend)
{
	bool is_hardware = kc_nature_by(backend, d, alg) == KC_HARDWARE;

	if (!backend->identify && is_hardware != (kc_nature_by(backend, than, alg) == KC_HARDWARE))
		return is_hardware;
	return d->priority > than->priority;
}

static void compare_driver(struct best *best, const struct kc_driver *d, const struct kc_alg *alg,
			   const struct kc_config *config, const struct kc_backend *backend)
{
	const char *named = config->row[alg - kc_algs].driver;
	bool ok = kc_admits(named, config->admit, d, kc_nature_by(backend, d, alg));
	bool is_best = true;

	if (best->driver && (backend->identify || ok == best->is_usable))
		is_best = better(d, best->driver, alg, backend);
	else if (best->driver)
		is_best = ok;
	if (is_best)
		*best = (struct best){ d, ok };
}

/* Inspects each driver once, for all rows that it serves. */
static void find_best(struct best *best, const struct kc_config *config,
		      const struct kc_backend *backend, const struct kc_drivers *drivers)
{
	for (size_t i = 0; i < drivers->n; i++) {
		const struct kc_driver *d = &drivers->v[i];

		for (size_t row = d->row; row < d->row + d->rows; row++)
			compare_driver(&best[row], d, &kc_algs[row], config, backend);
	}
}

static enum kc_reason why_not(bool driver_fixed, const struct kc_driver *d, enum kc_nature nature)
{
	if (driver_fixed)
		return KC_NAMED_DRIVER_ABSENT;
	if (!d || !d->driver[0])
		return KC_NO_DRIVER;
	if (nature == KC_UNKNOWN)
		return KC_NATURE_UNKNOWN;
	if (d->nature == KC_HARDWARE)
		return KC_DRIVERS_SOFTWARE;
	return KC_ONLY_SOFTWARE;
}

static void take_driver(struct kc_candidate *candidate, const struct kc_driver *d)
{
	memcpy(candidate->driver, d->driver, sizeof(candidate->driver));
	candidate->nature = kc_nature_by(candidate->backend, d, candidate->alg);
	candidate->priority = d->priority;
	candidate->traits = d->traits ? kc_driver_traits(d) : NULL;
	candidate->odd_bits = kc_traits_odd_bits(kc_driver_traits(d));
	candidate->terms.least = kc_traits_least(kc_driver_traits(d));
}

static enum kc_nature nature_of(const struct best *best, const struct kc_alg *alg,
				const struct kc_backend *backend)
{
	if (!best->driver)
		return KC_UNKNOWN;
	return kc_nature_by(backend, best->driver, alg);
}

/*
 * True if an algorithm without a listed driver may be there all the same: a template is listed only
 * after its first use. The kernel is not made to create software unasked: either the configuration
 * admits software, or it names the algorithm and a session can tell its driver.
 */
static bool may_be_there(const struct kc_alg *alg, const struct kc_backend *backend,
			 const struct kc_config *config, const struct best *best)
{
	const struct kc_config_row *row = &config->row[alg - kc_algs];

	if (backend->identify && row->is_named && nature_of(best, alg, backend) == KC_UNKNOWN)
		return true;
	if (best->driver || row->driver[0])
		return false;
	return config->admit == KC_ADMIT_ALL;
}

static enum kc_reason judge_row(const struct kc_alg *alg, const struct kc_backend *backend,
				const struct kc_config *config, const struct best *best)
{
	const struct kc_config_row *row = &config->row[alg - kc_algs];

	if (config->rule == KC_RULE_NEVER)
		return KC_NEVER;
	if (!row->on)
		return KC_NOT_LISTED;
	if (!config->max_sessions)
		return KC_NO_SESSIONS;
	if (kc_alg_is_hash(alg) && backend->hashes_by_name && !row->is_named)
		return KC_ONLY_BY_NAME;
	if (backend->number && !backend->number(alg))
		return KC_NO_DRIVER;
	if (!best->is_usable && !may_be_there(alg, backend, config, best))
		return why_not(row->driver[0], best->driver, nature_of(best, alg, backend));
	if (best->driver && kc_harm_of(backend, best->driver, alg) != KC_OK)
		return kc_harm_of(backend, best->driver, alg);
	if (alg->legacy && !config->legacy)
		return KC_LEGACY_INACTIVE;
	return KC_OK;
}

/* Returns the longest request in bytes; more goes in several requests, or to the base. */
static size_t longest(const struct kc_candidate *c, size_t configured)
{
	if (!c->traits)
		return configured;
	return kc_min(configured, kc_traits_most(c->traits, c->backend->copies));
}

static void choose(struct kc_candidate *candidate, const struct kc_config *config,
		   const struct best *best)
{
	const struct kc_config_row *row = &config->row[candidate->alg - kc_algs];

	if (best->driver)
		take_driver(candidate, best->driver);
	candidate->admit = config->admit;
	candidate->driver_fixed = row->driver[0];
	candidate->max_request = longest(candidate, config->max_request);
	candidate->max_sessions = config->max_sessions;
	candidate->verify = config->verify;
	kc_terms_init(candidate, config, row->threshold);
	if (candidate->reason == KC_OK && candidate->driver_fixed)
		memcpy(candidate->driver, row->driver, sizeof(candidate->driver));
}

int kc_candidate_meet(struct kc_candidate *candidate, struct kc_driver *got)
{
	const char *named = "";
	bool ok;

	if (strcmp(candidate->driver, got->driver) == 0 && candidate->nature != KC_UNKNOWN)
		return 0;
	kc_driver_classify(got);
	if (candidate->driver_fixed)
		named = candidate->driver;
	ok = kc_admits(named, candidate->admit, got,
		       kc_nature_by(candidate->backend, got, candidate->alg));
	take_driver(candidate, got);
	if (!ok)
		candidate->reason = why_not(candidate->driver_fixed, got, candidate->nature);
	else
		candidate->reason = kc_harm_of(candidate->backend, got, candidate->alg);
	if (candidate->reason != KC_OK)
		return -ENOENT;
	return 0;
}

/*
 * Blocks of a digest are a candidate of their own, with their own terms, because some drivers do
 * whole messages only. The trial and requests show whether the driver does blocks right and whether
 * they pay.
 */
static struct kc_candidate *new_blocks(struct kc_candidate *whole, const struct kc_config *config,
				       const struct best *best, const struct kc_tuned *tuned)
{
	const struct kc_config_row *row = &config->row[whole->alg - kc_algs];
	struct kc_candidate *blocks;

	if (!whole->is_offered || !whole->alg->state_len)
		return NULL;
	if (!best->driver || !best->driver->blocks)
		return NULL;
	blocks = malloc(sizeof(*blocks));
	if (!blocks)
		return NULL;
	memcpy(blocks, whole, sizeof(*blocks));
	memset(&blocks->terms, 0, sizeof(blocks->terms));
	blocks->terms.least = whole->terms.least;
	blocks->max_request = whole->max_request / whole->alg->block_len * whole->alg->block_len;
	blocks->whole = whole;
	blocks->is_examined = false;
	atomic_store(&blocks->trust, KC_UNTRIED);
	kc_terms_init(blocks, config, row->threshold);
	if (tuned)
		kc_tuned_apply(tuned, blocks);
	if (blocks->reason != KC_OK)
		atomic_store(&blocks->trust, KC_REFUSED);
	return blocks;
}

/* Ranks hardware above other admitted drivers, and those above drivers that are not admitted. */
static unsigned rank(const struct kc_candidate *candidate)
{
	if (!candidate->is_offered)
		return 0;
	if (candidate->nature == KC_HARDWARE)
		return 2;
	return 1;
}

/* Candidates of equal rank keep the order of the configuration's backends. */
static void insert(struct kc_policy *policy, struct kc_candidate *candidate)
{
	struct kc_candidate **at = &policy->row[candidate->alg - kc_algs];

	while (*at && rank(*at) >= rank(candidate))
		at = &(*at)->next;
	candidate->next = *at;
	*at = candidate;
	policy->offers_any |= candidate->is_offered;
	policy->offers_legacy |= candidate->is_offered && candidate->alg->legacy;
}

/*
 * True if there is a seccomp filter. Looks only if it matters, and last, because that is slow.
 * Under a filter only /proc/crypto is read, which does not tell every driver's nature.
 */
static bool find_filter(struct kc_policy *policy, enum kc_reason reason)
{
	if (reason != KC_OK && reason != KC_NATURE_UNKNOWN)
		return false;
	if (!policy->knows_filters)
		policy->is_shut = !kc_sandbox_permits();
	policy->knows_filters = true;
	return policy->is_shut;
}

static void add_candidate(struct kc_policy *policy, const struct kc_config *config,
			  const struct kc_backend *backend, const struct best *best, size_t row,
			  const struct kc_tuned *tuned)
{
	enum kc_reason reason = judge_row(&kc_algs[row], backend, config, best);
	struct kc_candidate *candidate;

	if (reason != KC_OK && config->offered_only)
		return;
	candidate = malloc(sizeof(*candidate));
	if (!candidate)
		return;
	memset(candidate, 0, sizeof(*candidate));
	candidate->alg = &kc_algs[row];
	candidate->backend = backend;
	candidate->backend_number = kc_backend_number(backend);
	candidate->reason = reason;
	candidate->rows = policy->row;
	choose(candidate, config, best);
	if (tuned && reason == KC_OK)
		kc_tuned_apply(tuned, candidate);
	if (find_filter(policy, candidate->reason))
		candidate->reason = KC_IN_FILTER;
	candidate->is_offered = candidate->reason == KC_OK;
	candidate->blocks = new_blocks(candidate, config, best, tuned);
	insert(policy, candidate);
}

void kc_policy_add(struct kc_policy *policy, const struct kc_config *config,
		   const struct kc_backend *backend, const struct kc_drivers *drivers,
		   const struct kc_tuned *tuned)
{
	struct best best[KC_ALG_COUNT] = { { .driver = NULL } };

	find_best(best, config, backend, drivers);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		add_candidate(policy, config, backend, &best[i], i, tuned);
}

/* Makes a list for the rows that matter. NULL if memory is short. */
static struct kc_drivers *new_list(const struct kc_config *config)
{
	/* Not on the stack, which is the application's and may be small. */
	struct kc_drivers *drivers = malloc(sizeof(*drivers));
	bool wanted[KC_ALG_COUNT];

	if (!drivers)
		return NULL;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		wanted[i] = config->row[i].on || !config->offered_only;
	kc_drivers_init(drivers, wanted);
	return drivers;
}

static void add_all(struct kc_policy *policy, const struct kc_config *config,
		    const struct kc_tuned *tuned, struct kc_drivers *drivers)
{
	int (*listed_by)(struct kc_drivers *) = NULL;
	int err = 0;

	/* Before the backends list their drivers, since they ask the sandbox. */
	if (config->trusts_seccomp)
		kc_sandbox_trust();
	for (size_t i = 0; i < KC_MAX_BACKENDS && config->backend[i]; i++) {
		const struct kc_backend *backend = config->backend[i];

		if (tuned && kc_tuned_drivers(tuned, backend, drivers)) {
			listed_by = NULL;
			err = 0;
		} else if (!kc_backend_exists(backend, false)) {
			continue;
		} else if (backend->discover != listed_by) {
			drivers->n = 0;
			listed_by = backend->discover;
			err = backend->discover(drivers);
		}
		if (err == -ENODEV)
			continue;
		kc_policy_add(policy, config, backend, drivers, tuned);
	}
}

void kc_policy_load(struct kc_policy *policy, const struct kc_config *config)
{
	struct kc_drivers *drivers = new_list(config);
	struct kc_tuned *tuned = NULL;

	memset(policy, 0, sizeof(*policy));
	policy->tuned = kc_tuned_read(config->tune_file, &tuned);
	if (drivers)
		add_all(policy, config, tuned, drivers);
	/*
	 * Now, because mapping its page takes an madvise(), and a sandbox entered later may kill
	 * for that.
	 */
	if (policy->offers_any)
		kc_process_mark();
	free(tuned);
	free(drivers);
}

void kc_policy_free(struct kc_policy *policy)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		for (struct kc_candidate *c = policy->row[i], *next; c; c = next) {
			next = c->next;
			free(c->blocks);
			free(c);
		}
	}
	memset(policy, 0, sizeof(*policy));
}
