/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of the chain: each algorithm, the keys about it, and better ways to the same end. And
 * the chain from a program to a key of the keyring.
 */
#include "cli/doctor/doctor.h"

#include <openssl/crypto.h>
#include <string.h>
#include <strings.h>

#include "cli/keys/keys.h"
#include "cli/table.h"
#include "cli/tune/tune.h"
#include "cli/text.h"

/* An engine's command may have words and a dot before it. */
static bool has_key_name(const struct kc_line *line, const char *name)
{
	return strcasecmp(kc_skip_dot(line->name), name) == 0;
}

/* Prefers a line with exactly this name. */
static const struct kc_line *find_last(const struct kc_cnf *cnf, const char *section,
				       const char *name)
{
	const struct kc_line *last = NULL, *exact = NULL;

	for (const struct kc_line *l = cnf->lines; section && l != kc_cnf_end(cnf); l++) {
		bool is_there = l->kind == KC_LINE_VALUE && strcmp(l->section, section) == 0;

		if (is_there && has_key_name(l, name))
			last = l;
		if (is_there && strcmp(l->name, name) == 0)
			exact = l;
	}
	if (exact)
		return exact;
	return last;
}

const struct kc_line *kc_conf_line_of(const struct kc_conf *conf, const char *key)
{
	const char *dot = strchr(key, '.');
	const struct kc_line *line = find_last(&conf->cnf, conf->section, kc_skip_dot(key));
	char name[KC_WORD_SIZE];

	if (line || !dot)
		return line;
	snprintf(name, sizeof(name), "%.*s", (int)(dot - key), key);
	return find_last(&conf->cnf, kc_cnf_get(&conf->cnf, conf->section, name), dot + 1);
}

static void tell_problem(struct kc_diagnosis *d, const struct kc_problem *p)
{
	const struct kc_conf *conf = &d->found->conf;
	const struct kc_line *line = kc_conf_line_of(conf, p->key);
	char subject[PATH_MAX + 4 * KC_WORD_SIZE];
	const char *place = conf->file;

	if (line)
		place = kc_cnf_place(&conf->cnf, line->where);
	snprintf(subject, sizeof(subject), "%.512s: %s: '%s'%s%s", place, p->key, p->word,
		 kc_lead(", nearest known: ", p->nearest), p->nearest);
	kc_find_reason(d, subject, p->reason);
}

static void check_lines(struct kc_diagnosis *d)
{
	const struct kc_config *config = &d->found->conf.config;
	for (size_t i = 0; i < config->n_problems; i++)
		tell_problem(d, &config->problems[i]);
	if (!config->n_problems && d->found->conf.section[0])
		kc_fine(d, "each line of the section %s is understood", d->found->conf.section);
}

/*
 * True if it is asked for, or if hardware could do it. Lists leave out ECB, digests and MACs on
 * purpose.
 */
static bool matters(const struct kc_candidate *c, const struct kc_config_row *row)
{
	if (c->is_offered)
		return false;
	if (c->reason == KC_NOT_LISTED)
		return c->nature == KC_HARDWARE && !kc_is_left_out(c);
	return row->is_named || c->nature == KC_HARDWARE;
}

/*
 * Adds one finding for all algorithms that are not offered for this reason, except rows that
 * another backend serves.
 */
static void check_reason(struct kc_diagnosis *d, enum kc_reason reason)
{
	const struct kc_listed *offers = &d->found->offers;
	char subject[160];
	struct kc_list list = { subject, sizeof(subject) };
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		bool is_served = kc_candidate_now(offers->policy.row[i]);

		for (const struct kc_candidate *c = offers->policy.row[i]; c; c = c->next) {
			if (is_served != d->is_spared || c->reason != reason)
				continue;
			if (matters(c, &d->found->conf.config.row[i]) && !n++)
				kc_list_add(&list, "", "%s: %s%sthrough %s", kc_alg_name(c->alg),
					    c->driver, kc_lead(" ", c->driver),
					    c->backend->names[0]);
		}
	}
	if (n > 1)
		kc_list_add(&list, ", and ", "%zu more", n - 1);
	if (n && (reason != KC_NOT_REACHED || !kc_diagnosis_off(d)))
		kc_find_reason(d, subject, reason);
}

static void check_algorithms(struct kc_diagnosis *d)
{
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		n += kc_candidate_now(d->found->offers.policy.row[i]) != NULL;
	if (n)
		kc_fine(d, "algorithms that programs get: %zu; kcrypto list shows each", n);
	for (int spared = 0; spared < 2; spared++)
		for (enum kc_reason r = 0; r < KC_REASON_COUNT; r++) {
			d->is_spared = spared;
			check_reason(d, r);
		}
}

static void check_tune(struct kc_diagnosis *d)
{
	const struct kc_config *config = &d->found->conf.config;
	const struct kc_policy *policy = &d->found->offers.policy;
	const char *file = config->tune_file;

	if (!*file)
		return;
	if (policy->tuned == KC_OK && !kc_tune_knows(config, file))
		kc_fault(d, TUNE_OLD, file);
	else if (policy->tuned == KC_OK)
		kc_fine(d, "%s knows this kernel and its drivers", file);
	else if (policy->offers_any || policy->tuned != KC_TUNED_ABSENT)
		kc_find_reason(d, file, policy->tuned);
}

/* The CPU's AES instructions, by the names of bench. */
static void check_cpu(struct kc_diagnosis *d)
{
	const char *words = kc_json_get(d->found->machine, "cpu_instructions");

	if (strstr(words, "\"aes\""))
		kc_fault(d, FAST_CPU, "aes");
	else if (strstr(words, "\"msa\""))
		kc_fault(d, FAST_CPU, "msa");
	else
		kc_fine(d, "this CPU has no known AES instructions");
}

static void check_ktls_use(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	bool is_on = found->conf.parts.has_ktls;
	bool is_worth_it = kc_has_hardware(found, "gcm");

	if (is_on && kc_root_module(found, "tls") != KC_MODULE_LOADED)
		kc_fault(d, KTLS_NO_MODULE);
	else if (is_on)
		kc_fine(d, "the kernel does TLS records with its best driver for GCM");
	else if (is_worth_it)
		kc_fault(d, KTLS_OFF);
}

static void check_section(struct kc_diagnosis *d)
{
	const struct kc_conf *conf = &d->found->conf;
	const char *name = kc_cnf_get(&conf->cnf, conf->parts.keys, "module");

	if (!kc_parts_activates(&conf->cnf, conf->parts.keys))
		kc_fault(d, KEYS_INACTIVE, conf->parts.keys);
	if (!conf->parts.is_base_first)
		kc_fault(d, KEYS_ORDER);
	kc_check_module_file(d, kc_text_or(name, "kcrypto-keys.so"));
	if (OpenSSL_version_num() < 0x30500000)
		kc_fault(d, KEYS_OPENSSL, OpenSSL_version(OPENSSL_VERSION));
}

/*
 * The keyring is examined only if a key is asked about. Every kernel with keys has the type user.
 */
static void check_kernel_keys(struct kc_diagnosis *d)
{
	const char *key = d->found->key;
	int result[KC_KEY_TYPES], err = 0;

	if (d->found->conf.parts.keys)
		check_section(d);
	else if (!key)
		return;
	kc_keys_probe(result);
	if (result[0])
		kc_fault(d, KEYS_FAIL, kc_keys_why(result[0]));
	else
		kc_fine(d, "the kernel encrypts with a key of the keyring");
	if (key)
		err = kc_keys_try(key);
	if (err)
		kc_fault(d, KEYS_NO_KEY, key, kc_keys_why(err));
	else if (key)
		kc_fine(d, "this process can use the key %s", key);
}

const struct kc_link kc_results[] = {
	{ "keys", check_lines, .scope = KC_OF_FILE },
	{ "algorithm", check_algorithms },
	{ "tune", check_tune, .scope = KC_OF_LIST },
	{ "cpu", check_cpu },
	{ "ktls", check_ktls_use },
	{ "kernel_keys", check_kernel_keys },
	{ NULL },
};
