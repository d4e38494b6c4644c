/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which drivers may get a program's requests through a backend: hardware, or what the administrator
 * allows.
 */
#ifndef KC_POLICY_ADMIT_H
#define KC_POLICY_ADMIT_H

#include "core/backend.h"
#include "policy/config.h"

/*
 * Returns a driver's nature through this backend: KC_SOFTWARE if the backend splits messages that
 * the device does only as a whole.
 */
enum kc_nature kc_nature_by(const struct kc_backend *backend, const struct kc_driver *d,
			    const struct kc_alg *alg);

/*
 * True if a driver is admitted: by the administrator's name for it, or by its nature. @named: ""
 * for any driver.
 */
bool kc_admits(const char *named, enum kc_admit admit, const struct kc_driver *d,
	       enum kc_nature nature);

/*
 * Returns the reason why an admitted driver gets nothing all the same; KC_OK if it gets requests.
 */
enum kc_reason kc_harm_of(const struct kc_backend *backend, const struct kc_driver *d,
			  const struct kc_alg *alg);

#endif
