/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for the driver in the kernel's list. A template's instance is listed only once it is used:
 * if the name is not there, the kernel is asked for it.
 */
#include "cli/selftest/selftest.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/child.h"
#include "session/session.h"

/* The key is of no interest here; halves that differ suit XTS. */
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
	struct kc_key key = { .bytes = any_key,
			      .len = alg->kind == KC_MAC && !alg->key_len ? 32 : alg->key_len,
			      .tag_len = alg->kind == KC_AEAD ? alg->out_len : 0 };
	struct kc_session session = { .fd = -1 };

	o->err = kc_session_open(&session, o->c, &key);
	kc_session_close(&session);
}

/* Opens one in a child. 0, -errno, or INT_MIN: the driver hangs, and the child is left behind. */
static int open_apart(struct kc_candidate *c)
{
	struct opening o = { c, -ECHILD };
	struct kc_child child;

	kc_child_ask(&child, open_session, &o, sizeof(o), KC_HANG_SECONDS);
	return child.is_silent ? INT_MIN : o.err;
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
	c->max_request = KC_MAX_REQUEST;
	c->max_sessions = UINT_MAX;
}

/* By row; those that the driver lacks have no algorithm. Static: there is one examination. */
static struct kc_candidate own[KC_ALG_COUNT];

/* Its rows. The kernel sees no more than the whole blocks of those with ciphertext stealing. */
static void take_rows(struct kc_examination *all, const struct kc_drivers *drivers,
		      const char *driver, unsigned number)
{
	const struct kc_backend *backend = kc_backends[number];

	all->n = 0;
	memset(own, 0, sizeof(own));
	for (size_t i = 0; i < drivers->n; i++) {
		const struct kc_driver *d = &drivers->v[i];

		if (strcmp(d->driver, driver) != 0)
			continue;
		all->listed = *d;
		for (size_t row = d->row; row < d->row + d->rows; row++) {
			const struct kc_alg *alg = &kc_algs[row];

			if (own[row].alg || alg->steals ||
			    (backend->number && !backend->number(alg)))
				continue;
			make_candidate(&own[row], alg, number, driver);
			all->candidate[all->n++] = &own[row];
		}
	}
}

static void list(const struct kc_backend *backend, struct kc_drivers *drivers)
{
	kc_drivers_init(drivers, NULL);
	backend->discover(drivers);
}

/* By its name alone, as one kind of algorithm after another. */
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

/* Why no session opens with a driver that is listed. */
static const char *word_error(const struct kc_backend *b, int err)
{
	if (err == INT_MIN)
		return kc_reasons[KC_NO_ANSWER].text;
	if (err == -ENOENT && b->hides_hardware && b->hides_hardware())
		return kc_reasons[KC_HARDWARE_HIDDEN].text;
	if (err == -ENOENT && b->identify)
		return "the kernel takes another driver here, or has none";
	return strerror(-err);
}

/* The first of its algorithms with a session decides. */
static enum kc_ruling try_backend(struct kc_examination *all, const char *driver, unsigned number,
				  struct kc_drivers *drivers, const char **why)
{
	const struct kc_backend *b = kc_backends[number];
	int err = -ENODEV;

	if (!all->listed.driver[0] && !b->identify) {
		wake(number, driver);
		list(b, drivers);
		take_rows(all, drivers, driver, number);
	}
	for (size_t i = 0; err && err != INT_MIN && i < all->n; i++)
		err = open_apart(all->candidate[i]);
	if (all->n)
		*why = word_error(b, err);
	else
		*why = all->listed.driver[0] ? "it does not have this algorithm" :
					       "the kernel lists no driver of this name";
	return !err ? KC_IS_RIGHT : err == INT_MIN ? KC_HANGS : KC_NOT_ASKED;
}

bool kc_subject_is_reached(const struct kc_backend *b)
{
	return !b->exists || b->exists(true);
}

enum kc_ruling kc_subject_find(struct kc_examination *all, const char *driver,
			       const struct kc_backend *backend, const char *why[KC_MAX_BACKENDS])
{
	static struct kc_drivers drivers;
	enum kc_ruling ruling = KC_NOT_ASKED;

	for (unsigned i = 0; kc_backends[i] && ruling == KC_NOT_ASKED; i++) {
		const struct kc_backend *b = kc_backends[i];

		if (backend && backend != b)
			continue;
		list(b, &drivers);
		take_rows(all, &drivers, driver, i);
		if (!kc_subject_is_reached(b))
			why[i] = kc_reasons[KC_NO_INTERFACE].text;
		else if (b->hashes_by_name && !backend && all->listed.kind == KC_DIGEST)
			/* The device does not survive all of them: somebody has to insist. */
			why[i] = "may crash the kernel with it; --backend insists";
		else
			ruling = try_backend(all, driver, i, &drivers, &why[i]);
	}
	return ruling;
}
