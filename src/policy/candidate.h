/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A candidate: one algorithm on one backend, whether it may be used, and what has been learned
 * about it.
 */
#ifndef KC_POLICY_CANDIDATE_H
#define KC_POLICY_CANDIDATE_H

#include <stdatomic.h>

#include "core/backend.h"
#include "policy/config.h"

/*
 * KC_PROVEN: by kcrypto tune; the first use here requires one known answer. KC_ON_TRIAL is stored
 * plus the mark of the process that runs the trial, see core/process.h.
 */
enum kc_trust { KC_UNTRIED, KC_PROVEN, KC_TRUSTED, KC_REFUSED, KC_ON_TRIAL };

/* Bytes: below 512, below 1024, and so on, 64 KiB; the last class: several requests in flight. */
#define KC_SIZE_CLASSES 10

/* For one direction, by size class. */
struct kc_costs {
	_Atomic uint32_t soft[KC_SIZE_CLASSES],
		kernel[KC_SIZE_CLASSES];	 /* ns per KiB; 0: unknown */
	_Atomic uint32_t pairs[KC_SIZE_CLASSES]; /* requests that were done both ways */
	/* The kernel's in jobs, where several are in flight; and how many there were. */
	_Atomic uint32_t flight[KC_SIZE_CLASSES], flights[KC_SIZE_CLASSES];
};

/* See policy/terms.h. The first three quantities, in bytes, are the terms; others serve them. */
struct kc_terms {
	atomic_size_t threshold[2];  /* per enum kc_dir; SIZE_MAX: never */
	atomic_size_t session_bytes; /* what opening a session costs, in bytes of software */
	atomic_size_t before_look;   /* bytes that large requests may have before a pair is made */
	atomic_size_t alone[2];	     /* the threshold outside jobs, where it is higher; or 0 */
	atomic_size_t waited;	     /* of all contexts of a digest, as in struct kc_stake */
	size_t floor;  /* bytes: learns from requests this long or longer; SIZE_MAX: never */
	bool is_fixed; /* the threshold is configured */
	bool is_tuned; /* the tune file has the terms */
	enum kc_prefer prefer;	     /* the clock it learns by */
	atomic_uint once_ns, kib_ns; /* what the kernel's requests take: once, and per KiB */
	struct kc_costs costs[2];    /* per enum kc_dir; means nothing before the trial */
};

/* A context's part in the terms of its candidate, in bytes. */
struct kc_stake {
	size_t share;  /* of before_look, taken in advance */
	size_t waited; /* that software did, towards session_bytes; a digest's: in the terms */
};

/* One algorithm on one backend. */
struct kc_candidate {
	const struct kc_alg *alg;
	const struct kc_backend *backend;
	unsigned backend_number;   /* its index in kc_backends */
	struct kc_candidate *next; /* the next best backend's */
	bool is_offered;
	enum kc_reason reason;		  /* why it is not offered, or KC_OK */
	char driver[KC_DRIVER_NAME_SIZE]; /* the best one, offered or not; "" for none */
	int priority;
	enum kc_nature nature;
	size_t max_request; /* bytes */
	unsigned max_sessions;
	unsigned verify;   /* see struct kc_config */
	bool driver_fixed; /* configured: no other driver will do */
	enum kc_admit admit;

	/* What the process learns. Relaxed: each is an independent fact. */
	atomic_uint trust;     /* enum kc_trust */
	atomic_uint failures;  /* in a row, of requests and openings */
	atomic_uint to_verify; /* requests, counted where verify is not 0 */
	atomic_uint trial_us;  /* what the trial took, 0 before it */
	struct kc_terms terms;
};

/*
 * The name to bind: that of the driver, or "" for software, the kernel's best, unless the
 * configuration names it.
 */
static inline const char *kc_candidate_bind(const struct kc_candidate *candidate)
{
	bool by_driver = candidate->nature != KC_SOFTWARE || candidate->driver_fixed;

	return by_driver ? candidate->driver : "";
}

#endif
