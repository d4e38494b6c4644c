/* SPDX-License-Identifier: Apache-2.0 */
/* The format of the tune file, and the checks it must pass. */
#include "policy/tune_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SUMMED_FROM  offsetof(struct kc_tuned, size)
#define VERSION_SIZE ((int)sizeof(((struct kc_machine *)0)->version))

_Static_assert(sizeof(struct kc_driver) == 2 * KC_DRIVER_NAME_SIZE + 28,
	       "no padding, and of the same layout everywhere");
_Static_assert(sizeof(struct kc_tuned) % 4 == 0 && sizeof(struct kc_tuned_driver) % 4 == 0 &&
		       sizeof(struct kc_fact) % 4 == 0 && SUMMED_FROM % 4 == 0,
	       "the sum is of whole words, and nothing is aligned to more");

static struct kc_tuned_driver *drivers_of(const struct kc_tuned *t)
{
	return (struct kc_tuned_driver *)(uintptr_t)(t + 1);
}

struct kc_fact *kc_tuned_facts(const struct kc_tuned *t)
{
	return (struct kc_fact *)(uintptr_t)(drivers_of(t) + t->n_drivers);
}

/* FNV-1a, of words. Detects damage on disk, not forgery: only root may write the file. */
static uint32_t sum_of(const struct kc_tuned *t, size_t size)
{
	uint32_t sum = 2166136261, word;

	for (size_t at = SUMMED_FROM; at < size; at += sizeof(word)) {
		memcpy(&word, (const char *)t + at, sizeof(word));
		sum = (sum ^ word) * 16777619;
	}
	return sum;
}

static void describe(struct kc_machine *m)
{
	uint64_t hwcap[2] = { getauxval(AT_HWCAP), getauxval(AT_HWCAP2) };
	struct utsname u;
	int len;

	memset(m, 0, sizeof(*m));
	m->rows = KC_ALG_COUNT;
	memcpy(m->instructions, hwcap, sizeof(m->instructions));
	len = snprintf(m->version, sizeof(m->version), "%s", KC_VERSION);
	for (const struct kc_backend *const *b = kc_backends; *b && len < VERSION_SIZE; b++)
		len += snprintf(m->version + len, VERSION_SIZE - (size_t)len, " %s",
				(*b)->names[0]);
	if (uname(&u) == 0)
		snprintf(m->kernel, sizeof(m->kernel), "%s %s %s", u.release, u.version, u.machine);
}

static bool is_whole(const struct kc_tuned *t, size_t size)
{
	return t->size == size && t->n_drivers <= KC_TUNED_MAX && t->n_facts <= KC_TUNED_MAX &&
	       size == sizeof(*t) + t->n_drivers * sizeof(struct kc_tuned_driver) +
			       t->n_facts * sizeof(struct kc_fact) &&
	       t->sum == sum_of(t, size);
}

/* Only the last character of the magic word counts the changes of format and meaning. */
static enum kc_reason check(const struct kc_tuned *t, size_t size)
{
	struct kc_machine here;

	if (size < sizeof(*t) || memcmp(t->magic, KC_TUNED_MAGIC, sizeof(t->magic) - 2) != 0)
		return KC_TUNED_DAMAGED;
	if (memcmp(t->magic, KC_TUNED_MAGIC, sizeof(t->magic)) != 0)
		return KC_TUNED_STALE;
	if (!is_whole(t, size))
		return KC_TUNED_DAMAGED;
	describe(&here);
	return memcmp(&t->machine, &here, sizeof(here)) == 0 ? KC_OK : KC_TUNED_STALE;
}

/* The writer of the file decides which driver gets whose keys. */
static enum kc_reason check_owner(int fd, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return KC_TUNED_DAMAGED;
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return KC_TUNED_WRITABLE;
	*size = (size_t)st.st_size;
	return st.st_size <= KC_TUNED_MAX ? KC_OK : KC_TUNED_DAMAGED;
}

static enum kc_reason read_whole(int fd, struct kc_tuned **tuned)
{
	size_t size = 0;
	enum kc_reason why = check_owner(fd, &size);
	struct kc_tuned *t = why == KC_OK ? malloc(size + 1) : NULL;

	if (!t)
		return why == KC_OK ? KC_TUNED_NO_MEMORY : why;
	/* One byte too many is read on purpose: a file that grows is being written. */
	why = read(fd, t, size + 1) == (ssize_t)size ? check(t, size) : KC_TUNED_DAMAGED;
	if (why == KC_OK)
		*tuned = t;
	else
		free(t);
	return why;
}

enum kc_reason kc_tuned_read(const char *path, struct kc_tuned **tuned)
{
	int fd = *path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) : -1;
	enum kc_reason why;

	*tuned = NULL;
	if (!*path)
		return KC_TUNED_ABSENT;
	if (fd < 0)
		return errno == ELOOP ? KC_TUNED_WRITABLE : KC_TUNED_ABSENT;
	why = read_whole(fd, tuned);
	close(fd);
	return why;
}

bool kc_tuned_drivers(const struct kc_tuned *tuned, const struct kc_backend *backend,
		      struct kc_drivers *drivers)
{
	unsigned number = kc_backend_number(backend);

	if (!(tuned->has >> number & 1))
		return false;
	drivers->n = 0;
	for (uint32_t i = 0; i < tuned->n_drivers; i++) {
		struct kc_driver d = drivers_of(tuned)[i].driver;

		d.name[KC_DRIVER_NAME_SIZE - 1] = d.driver[KC_DRIVER_NAME_SIZE - 1] = '\0';
		if (drivers_of(tuned)[i].backend == number)
			kc_drivers_add(drivers, &d);
	}
	return true;
}

static size_t bytes_of(uint32_t length)
{
	return length == KC_TUNED_NEVER ? SIZE_MAX : length;
}

static void believe(struct kc_candidate *c, const struct kc_fact *fact)
{
	struct kc_measured m = { .longest = fact->longest ? bytes_of(fact->longest) : SIZE_MAX,
				 .session_bytes = fact->session_bytes,
				 .once_ns = fact->once_ns,
				 .kib_ns = fact->kib_ns };

	for (int dir = KC_DECRYPT; dir <= KC_ENCRYPT; dir++)
		m.threshold[dir] = bytes_of(fact->threshold[c->terms.prefer][dir]);
	kc_terms_tuned(c, &m);
	c->is_examined = !fact->left_out;
	atomic_store(&c->trust, KC_PROVEN);
}

/* Slower at every size: counts as missing, unless the administrator set a threshold. */
static bool never_pays(const struct kc_candidate *c, const struct kc_fact *fact)
{
	const uint32_t *threshold = fact->threshold[c->terms.prefer];

	return !c->terms.is_fixed && threshold[KC_DECRYPT] == KC_TUNED_NEVER &&
	       threshold[KC_ENCRYPT] == KC_TUNED_NEVER;
}

/* Is it about the driver of this candidate? */
static bool is_about(const struct kc_fact *fact, const struct kc_candidate *c)
{
	return fact->row == (size_t)(c->alg - kc_algs) && fact->backend == c->backend_number &&
	       fact->is_blocks == !!c->whole && fact->reason < KC_REASON_COUNT &&
	       strncmp(fact->driver, c->driver, sizeof(fact->driver)) == 0;
}

const struct kc_fact *kc_tuned_fact(const struct kc_tuned *tuned, const struct kc_candidate *c)
{
	const struct kc_fact *fact = kc_tuned_facts(tuned);

	for (uint32_t i = 0; i < tuned->n_facts; i++)
		if (is_about(&fact[i], c))
			return &fact[i];
	return NULL;
}

void kc_tuned_apply(const struct kc_tuned *tuned, struct kc_candidate *c)
{
	const struct kc_fact *fact = kc_tuned_fact(tuned, c);

	if (!fact)
		return;
	if (fact->reason != KC_OK)
		c->reason = (enum kc_reason)fact->reason;
	else if (never_pays(c, fact))
		c->reason = KC_SLOWER;
	else if (c->terms.is_fixed || kc_fact_is_settled(fact, c->terms.prefer))
		believe(c, fact);
}

struct kc_tuned *kc_tuned_new(size_t n_drivers, size_t n_facts)
{
	struct kc_tuned *t = calloc(1, sizeof(*t) + n_drivers * sizeof(struct kc_tuned_driver) +
					       n_facts * sizeof(struct kc_fact));

	if (!t)
		return NULL;
	memcpy(t->magic, KC_TUNED_MAGIC, sizeof(t->magic));
	describe(&t->machine);
	return t;
}

void kc_tuned_add_drivers(struct kc_tuned *t, const struct kc_backend *backend,
			  const struct kc_drivers *drivers)
{
	unsigned number = kc_backend_number(backend);

	t->has |= 1u << number;
	for (size_t i = 0; i < drivers->n; i++)
		drivers_of(t)[t->n_drivers++] = (struct kc_tuned_driver){ number, drivers->v[i] };
}

struct kc_fact *kc_tuned_add_fact(struct kc_tuned *t, const struct kc_candidate *candidate)
{
	struct kc_fact *fact = &kc_tuned_facts(t)[t->n_facts++];

	fact->row = (uint32_t)(candidate->alg - kc_algs);
	fact->backend = candidate->backend_number;
	fact->is_blocks = !!candidate->whole;
	memcpy(fact->driver, candidate->driver, sizeof(fact->driver));
	return fact;
}

void kc_tuned_seal(struct kc_tuned *t)
{
	t->size = (uint32_t)(sizeof(*t) + t->n_drivers * sizeof(struct kc_tuned_driver) +
			     t->n_facts * sizeof(struct kc_fact));
	t->sum = sum_of(t, t->size);
}
