/* SPDX-License-Identifier: Apache-2.0 */
/* The format of the tune file, and the checks that it must pass. */
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

#include "policy/first_terms.h"

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

static void describe_machine(struct kc_machine *m)
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

static size_t size_for(size_t n_drivers, size_t n_facts)
{
	return sizeof(struct kc_tuned) + n_drivers * sizeof(struct kc_tuned_driver) +
	       n_facts * sizeof(struct kc_fact);
}

static bool is_whole(const struct kc_tuned *t, size_t size)
{
	if (t->n_drivers > KC_TUNED_MAX || t->n_facts > KC_TUNED_MAX)
		return false;
	if (t->size != size || size != size_for(t->n_drivers, t->n_facts))
		return false;
	return t->sum == sum_of(t, size);
}

/* Changes of format and meaning change only the last character of the magic word. */
static enum kc_reason check_content(const struct kc_tuned *t, size_t size)
{
	struct kc_machine here;

	if (size < sizeof(*t) || memcmp(t->magic, KC_TUNED_MAGIC, sizeof(t->magic) - 2) != 0)
		return KC_TUNED_DAMAGED;
	if (memcmp(t->magic, KC_TUNED_MAGIC, sizeof(t->magic)) != 0)
		return KC_TUNED_STALE;
	if (!is_whole(t, size))
		return KC_TUNED_DAMAGED;
	describe_machine(&here);
	if (memcmp(&t->machine, &here, sizeof(here)) != 0)
		return KC_TUNED_STALE;
	return KC_OK;
}

/* The file's writer decides which driver gets keys, so only root or this user may write it. */
static enum kc_reason check_owner(int fd, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return KC_TUNED_DAMAGED;
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return KC_TUNED_WRITABLE;
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return KC_TUNED_WRITABLE;
	if (st.st_size > KC_TUNED_MAX)
		return KC_TUNED_DAMAGED;
	*size = (size_t)st.st_size;
	return KC_OK;
}

static enum kc_reason read_whole(int fd, struct kc_tuned **tuned)
{
	size_t size = 0;
	enum kc_reason why = check_owner(fd, &size);
	struct kc_tuned *t;

	if (why != KC_OK)
		return why;
	t = malloc(size + 1);
	if (!t)
		return KC_TUNED_NO_MEMORY;
	why = KC_TUNED_DAMAGED;
	/* Reads one byte too many on purpose: a file that grows is being written. */
	if (read(fd, t, size + 1) == (ssize_t)size)
		why = check_content(t, size);
	if (why == KC_OK)
		*tuned = t;
	else
		free(t);
	return why;
}

enum kc_reason kc_tuned_read(const char *path, struct kc_tuned **tuned)
{
	enum kc_reason why;
	int fd;

	*tuned = NULL;
	if (!*path)
		return KC_TUNED_ABSENT;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ELOOP)
		return KC_TUNED_WRITABLE;
	if (fd < 0)
		return KC_TUNED_ABSENT;
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
	if (length == KC_TUNED_NEVER)
		return SIZE_MAX;
	return length;
}

static void believe(struct kc_candidate *c, const struct kc_fact *fact)
{
	struct kc_measured m = { .longest = SIZE_MAX,
				 .session_bytes = fact->session_bytes,
				 .once_ns = fact->once_ns,
				 .kib_ns = fact->kib_ns };

	if (fact->longest)
		m.longest = bytes_of(fact->longest);
	for (int dir = KC_DECRYPT; dir <= KC_ENCRYPT; dir++)
		m.threshold[dir] = bytes_of(fact->threshold[c->terms.prefer][dir]);
	kc_terms_tuned(c, &m);
	c->is_examined = !fact->left_out;
	atomic_store(&c->trust, KC_PROVEN);
}

/*
 * A driver that is slower at every size counts as missing, unless the administrator set a
 * threshold.
 */
static bool never_pays(const struct kc_candidate *c, const struct kc_fact *fact)
{
	const uint32_t *threshold = fact->threshold[c->terms.prefer];

	if (c->terms.is_fixed)
		return false;
	return threshold[KC_DECRYPT] == KC_TUNED_NEVER && threshold[KC_ENCRYPT] == KC_TUNED_NEVER;
}

/* True if the fact is about the driver of this candidate. */
static bool is_about(const struct kc_fact *fact, const struct kc_candidate *c)
{
	if (fact->reason >= KC_REASON_COUNT)
		return false;
	if (fact->row != (size_t)(c->alg - kc_algs) || fact->is_blocks != !!c->whole)
		return false;
	if (fact->backend != c->backend_number)
		return false;
	return strncmp(fact->driver, c->driver, sizeof(fact->driver)) == 0;
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
	struct kc_tuned *t = calloc(1, size_for(n_drivers, n_facts));

	if (!t)
		return NULL;
	memcpy(t->magic, KC_TUNED_MAGIC, sizeof(t->magic));
	describe_machine(&t->machine);
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
	t->size = (uint32_t)size_for(t->n_drivers, t->n_facts);
	t->sum = sum_of(t, t->size);
}
