/* SPDX-License-Identifier: Apache-2.0 */
/* The text of DUMP_INFO. It never calls software accelerated: a driver counts only if it opens. */
#include "engine/engine_ids.h"

#include <stdlib.h>
#include <string.h>

#include "session/session.h"

struct dump {
	FILE *out;
	const struct kc_config *config;
	const struct kc_backend *backend;
	int (*nid)(const struct kc_alg *alg);
	struct kc_drivers drivers;
	/* For the current row: */
	const struct kc_config_row *row;
	struct kc_driver taken;
};

/* True if a session opens. @got: gets the driver that the kernel took, if it tells; may be NULL. */
static bool opens(const struct kc_backend *backend, const struct kc_alg *alg, const char *driver,
		  struct kc_driver *got)
{
	struct kc_session session = { .limit = KC_MAX_REQUEST };
	struct kc_key key = { .len = alg->key_len };
	uint8_t bytes[KC_MAX_KEY];

	/* XTS and triple DES refuse keys with equal parts. */
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	key.bytes = bytes;
	if (kc_session_begin(&session, backend, alg, driver, &key) != 0)
		return false;
	if (got && (!backend->identify || backend->identify(&session, got) != 0))
		got->driver[0] = '\0';
	kc_session_drop(&session);
	return true;
}

/* Orders hardware first, then by priority. Both drivers are in one list. */
static bool goes_before(const struct kc_driver *a, const struct kc_driver *b, unsigned key_len)
{
	bool is_hardware = kc_driver_nature(a, key_len) == KC_HARDWARE;

	if (is_hardware != (kc_driver_nature(b, key_len) == KC_HARDWARE))
		return is_hardware;
	if (a->priority == b->priority)
		return a < b;
	return a->priority > b->priority;
}

/* Returns the best driver, or the best after @last; NULL if there are no more. */
static const struct kc_driver *next_best(const struct dump *dump, const struct kc_alg *alg,
					 const struct kc_driver *last)
{
	const struct kc_driver *best = NULL;

	for (size_t i = 0; i < dump->drivers.n; i++) {
		const struct kc_driver *d = &dump->drivers.v[i];

		if (strcmp(d->name, alg->kernel_name) != 0)
			continue;
		if (last && !goes_before(last, d, alg->key_len))
			continue;
		if (!best || goes_before(d, best, alg->key_len))
			best = d;
	}
	return best;
}

static bool is_listed(const struct dump *dump, const struct kc_alg *alg)
{
	return next_best(dump, alg, NULL);
}

/*
 * For a kernel that chooses the driver itself: a session tells which. For an algorithm that is not
 * listed, opening one may load a module.
 */
static const struct kc_driver *taken_driver(struct dump *dump, const struct kc_alg *alg)
{
	if (!dump->row->is_named && !is_listed(dump, alg))
		return NULL;
	if (!opens(dump->backend, alg, "", &dump->taken) || !dump->taken.driver[0])
		return NULL;
	kc_driver_classify(&dump->taken);
	return &dump->taken;
}

/* Returns the best driver that opens: some drivers that the kernel lists may be hidden from us. */
static const struct kc_driver *find_driver(struct dump *dump, const struct kc_alg *alg)
{
	const struct kc_driver *d;

	if (dump->backend->identify)
		return taken_driver(dump, alg);
	d = next_best(dump, alg, NULL);
	while (d && !opens(dump->backend, alg, d->driver, NULL))
		d = next_best(dump, alg, d);
	return d;
}

static const char *status(const struct kc_driver *d, const struct kc_alg *alg)
{
	static const char *const words[] = {
		[KC_UNKNOWN] = "acceleration status unknown",
		[KC_SOFTWARE] = "software",
		[KC_HARDWARE] = "hw accelerated",
	};

	return words[kc_driver_nature(d, alg->key_len)];
}

/*
 * True if a session may be opened: if that could harm the machine, a digest must be listed by name.
 */
static bool may_be_asked(const struct dump *dump, const struct kc_alg *alg)
{
	if (!dump->row->on)
		return false;
	if (dump->row->is_named || alg->kind != KC_DIGEST)
		return true;
	return !dump->backend->hashes_by_name;
}

/* True if a session was tried and failed. A missing backend fails for all. */
static bool was_asked(const struct dump *dump, const struct kc_alg *alg)
{
	if (dump->row->is_named || is_listed(dump, alg))
		return true;
	return !kc_backend_exists(dump->backend, false);
}

/* Returns the words of the old engines. */
static const char *failure_of(const struct kc_backend *backend)
{
	if (strcmp(backend->names[0], "AF_ALG") == 0)
		return ". AF_ALG socket bind failed.";
	if (strcmp(backend->names[0], "/dev/crypto") == 0)
		return ", CIOCGSESSION (session open call) failed";
	return ". Open failed.";
}

static void write_driver(struct dump *dump, const struct kc_alg *alg)
{
	const char *list = alg->kind == KC_DIGEST ? "DIGESTS" : "CIPHERS";
	const char *how = dump->row->on ? "name" : "list";
	bool is_asked = may_be_asked(dump, alg);
	const struct kc_driver *d = NULL;

	if (is_asked)
		d = find_driver(dump, alg);
	if (!is_asked)
		fprintf(dump->out, ", driver=unknown. Not asked, as %s does not %s it", list, how);
	else if (d)
		fprintf(dump->out, ", driver=%s (%s)", d->driver, status(d, alg));
	/* The user named the algorithm, so the kernel may load modules. */
	else if (dump->row->is_named && opens(dump->backend, alg, "", NULL))
		fprintf(dump->out, ", driver=unknown (acceleration status unknown)");
	else if (was_asked(dump, alg))
		fprintf(dump->out, "%s", failure_of(dump->backend));
	else
		fprintf(dump->out,
			", driver=unknown. The kernel lists none, and none is loaded, "
			"as %s does not name it",
			list);
	if (d && alg->kind == KC_CIPHER)
		fprintf(dump->out, ", sw fallback available, default threshold=%u",
			alg->default_threshold);
	fputc('\n', dump->out);
}

static void write_row(struct dump *dump, const struct kc_alg *alg)
{
	const struct kc_backend *backend = dump->backend;
	const char *kind = alg->kind == KC_DIGEST ? "Digest" : "Cipher";
	unsigned number = 0;

	if (backend->number)
		number = backend->number(alg);
	if (backend->number && !number)
		return;
	dump->row = &dump->config->row[alg - kc_algs];
	fprintf(dump->out, "%s %s, NID=%d, %s info: ", kind, kc_alg_name(alg), dump->nid(alg),
		backend->names[0]);
	if (number)
		fprintf(dump->out, "id=%u", number);
	else
		fprintf(dump->out, "name=%s", alg->kernel_name);
	write_driver(dump, alg);
}

static void write_kind(struct dump *dump, enum kc_kind kind, const char *what)
{
	fprintf(dump->out, "Information about %s supported by the %s engine:\n", what,
		dump->backend->names[0]);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (kc_algs[i].kind == kind && dump->nid(&kc_algs[i]))
			write_row(dump, &kc_algs[i]);
	fputc('\n', dump->out);
}

/* Opens named algorithms first, because the kernel lists a template only after its first use. */
static void discover_drivers(struct dump *dump)
{
	const struct kc_backend *backend = dump->backend;

	if (backend->discover(&dump->drivers) || backend->identify)
		return;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (dump->config->row[i].is_named && dump->nid(&kc_algs[i]) &&
		    !is_listed(dump, &kc_algs[i]))
			opens(backend, &kc_algs[i], "", NULL);
	backend->discover(&dump->drivers);
}

void kc_dump(FILE *out, const struct kc_config *config, int (*nid)(const struct kc_alg *alg))
{
	struct dump *dump = calloc(1, sizeof(*dump));

	if (!dump)
		return;
	dump->out = out;
	dump->config = config;
	dump->nid = nid;
	/* Leaves out a backend that does not exist, unless it is the last. */
	for (size_t i = 0; config->backend[i]; i++) {
		dump->backend = config->backend[i];
		if (config->backend[i + 1] && !kc_backend_exists(dump->backend, false))
			continue;
		discover_drivers(dump);
		write_kind(dump, KC_CIPHER, "ciphers");
		write_kind(dump, KC_DIGEST, "digests");
	}
	free(dump);
}
