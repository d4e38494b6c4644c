/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/admit.h"

#include <string.h>

static bool admitted(enum kc_admit admit, enum kc_nature nature)
{
	if (nature == KC_HARDWARE || admit == KC_ADMIT_ALL)
		return true;
	return admit == KC_ADMIT_UNKNOWN && nature == KC_UNKNOWN;
}

/* True if the backend hands the driver a message of @alg in parts. */
static bool splits(const struct kc_backend *backend, const struct kc_alg *alg)
{
	if (!kc_alg_is_hash(alg) || !backend->splits_hashes)
		return false;
	return backend->splits_hashes();
}

enum kc_nature kc_nature_by(const struct kc_backend *backend, const struct kc_driver *d,
			    const struct kc_alg *alg)
{
	enum kc_nature nature = kc_driver_nature(d, alg->key_len);

	if (nature != KC_HARDWARE || !kc_driver_is_whole_only(d))
		return nature;
	if (splits(backend, alg))
		return KC_SOFTWARE;
	return nature;
}

bool kc_admits(const char *named, enum kc_admit admit, const struct kc_driver *d,
	       enum kc_nature nature)
{
	if (named[0])
		return strcmp(named, d->driver) == 0;
	return admitted(admit, nature);
}

/* True if the driver gets the program's memory, whose address it may compute wrongly. */
static bool takes_low_memory(const struct kc_backend *backend, const struct kc_driver *d)
{
	if (backend->copies || !kc_driver_needs_low_memory(d))
		return false;
	return kc_memory_is_high();
}

/* True if another user's message may come between the parts of one. */
static bool is_mixed(const struct kc_backend *backend, const struct kc_driver *d,
		     const struct kc_alg *alg)
{
	if (!kc_driver_mixes(d))
		return false;
	return splits(backend, alg);
}

enum kc_reason kc_harm_of(const struct kc_backend *backend, const struct kc_driver *d,
			  const struct kc_alg *alg)
{
	if (takes_low_memory(backend, d))
		return KC_HIGH_MEMORY;
	if (is_mixed(backend, d, alg))
		return KC_MIXES_MESSAGES;
	return KC_OK;
}
