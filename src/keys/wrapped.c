/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrapped keys: a blob that only a device can open. The kernel has the drivers for them under names
 * of their own: "cbc(paes)" where a plain key goes to "cbc(aes)".
 */
#include "keys/keyed.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"

#define MAX_BLOB 4096 /* bytes; the longest for a driver in Linux is s390's, of 320 */

struct kc_blob *kc_blob_hold(struct kc_blob *blob)
{
	if (blob)
		atomic_fetch_add(&blob->holders, 1);
	return blob;
}

void kc_blob_drop(struct kc_blob *blob)
{
	if (blob && atomic_fetch_sub(&blob->holders, 1) == 1)
		free(blob);
}

struct kc_kernel_key *kc_wrapped_key(const void *bytes, size_t n, size_t len)
{
	static const char id[] = "blob";
	struct kc_kernel_key *key;

	bool is_blob = n && n <= MAX_BLOB, has_length = len && len <= KC_MAX_KEY;

	if (!is_blob || !has_length)
		return kc_raise(PROV_R_INVALID_KEY,
				"a blob has 1 to %d bytes; key-length is that of the key inside",
				MAX_BLOB);
	key = calloc(1, sizeof(*key) + sizeof(id));
	if (!key)
		return NULL;
	key->blob = malloc(sizeof(*key->blob) + n);
	if (!key->blob) {
		free(key);
		return NULL;
	}
	atomic_init(&key->blob->holders, 1);
	key->blob->len = n;
	memcpy(key->blob->bytes, bytes, n);
	key->is_wrapped = true;
	key->len = len;
	memcpy(key->id, id, sizeof(id));
	return key;
}

/* Makes "cbc(paes)" from "cbc(aes)"; no digest and no AEAD has such a driver. */
static bool name_driver(char *to, const struct kc_alg *alg)
{
	const char *cipher = strstr(alg->kernel_name, "(aes)");

	if (alg->kind != KC_CIPHER || !cipher)
		return false;
	snprintf(to, KC_DRIVER_NAME_SIZE, "%.*s(paes)", (int)(cipher - alg->kernel_name),
		 alg->kernel_name);
	return true;
}

/*
 * Returns the first backend that lists its drivers here; if none does, any, and opening a session
 * tells why.
 */
static const struct kc_backend *backend(unsigned *number)
{
	static struct kc_drivers none;
	const bool wanted[KC_ALG_COUNT] = { false };

	for (unsigned i = 0; kc_backends[i]; i++) {
		if (!kc_backends[i]->copy)
			continue;
		*number = i;
		kc_drivers_init(&none, wanted);
		if (kc_backends[i]->discover(&none) == 0)
			break;
	}
	return kc_backends[*number];
}

/* Call it under kc_process_lock(). */
static struct kc_candidate *find_or_add(struct kc_keys *keys, const struct kc_alg *alg,
					const char *driver)
{
	struct kc_candidate *c = keys->wrapped;

	while (c && c->alg != alg)
		c = c->next;
	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->alg = alg;
	c->backend = backend(&c->backend_number);
	memcpy(c->driver, driver, sizeof(c->driver));
	c->nature = KC_HARDWARE;
	c->max_request = KC_MAX_REQUEST;
	c->max_sessions = UINT_MAX;
	c->next = keys->wrapped;
	keys->wrapped = c;
	return c;
}

struct kc_candidate *kc_wrapped_candidate(struct kc_keys *keys, const struct kc_alg *alg)
{
	char driver[KC_DRIVER_NAME_SIZE] = "";
	struct kc_candidate *c;

	if (!name_driver(driver, alg))
		return kc_raise(PROV_R_INVALID_KEY, "the kernel has no %s for wrapped keys",
				alg->kernel_name);
	pthread_mutex_lock(kc_process_lock());
	c = find_or_add(keys, alg, driver);
	pthread_mutex_unlock(kc_process_lock());
	return c;
}

void kc_wrapped_free(struct kc_keys *keys)
{
	while (keys->wrapped) {
		struct kc_candidate *c = keys->wrapped;

		keys->wrapped = c->next;
		free(c);
	}
}

/* No software can check such a key, so the trial is only a round trip. */
int kc_wrapped_check(struct kc_keyed *k, const uint8_t *answer)
{
	uint8_t back[sizeof(k->question)];
	const struct kc_req req = {
		.dir = KC_DECRYPT, .iv = k->question, .in = answer, .out = back, .len = sizeof(back)
	};
	int err = kc_session_run(&k->session, k->candidate, &req);

	if (!err && memcmp(back, k->question, sizeof(back)) != 0)
		err = -EPROTO;
	return err;
}
