/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which drivers may get a program's requests, by one backend: hardware, or what the administrator
 * says.
 */
#ifndef KC_POLICY_ADMIT_H
#define KC_POLICY_ADMIT_H

#include "core/backend.h"
#include "policy/config.h"

/* By this backend: a device for whole messages gets no digest from one that splits them. */
enum kc_nature kc_nature_by(const struct kc_backend *backend, const struct kc_driver *d,
			    const struct kc_alg *alg);

/* A driver that the administrator named is admitted, whatever its nature. @named: "" for any. */
bool kc_admits(const char *named, enum kc_admit admit, const struct kc_driver *d,
	       enum kc_nature nature);

/* Why a driver that is admitted gets nothing all the same; KC_OK: it does. */
enum kc_reason kc_harm_of(const struct kc_backend *backend, const struct kc_driver *d,
			  const struct kc_alg *alg);

#endif
