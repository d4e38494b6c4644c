/* SPDX-License-Identifier: Apache-2.0 */
/* A candidate: one algorithm by one backend, whether it may be used, and what was learned of it. */
#ifndef KC_POLICY_CANDIDATE_H
#define KC_POLICY_CANDIDATE_H

#include <stdatomic.h>

#include "core/backend.h"
#include "policy/config.h"

/*
 * KC_PROVEN: by kcrypto tune; a known answer is asked for before the first use here. KC_ON_TRIAL is
 * kept plus the mark of the process that is at it, see core/process.h.
 */
enum kc_trust { KC_UNTRIED, KC_PROVEN, KC_TRUSTED, KC_REFUSED, KC_ON_TRIAL };

/* Bytes: below 512, below 1024, and so on; the last: from 64 KiB on. */
#define KC_SIZE_CLASSES 9

/* Of one direction, by size class. */
struct kc_costs {
	_Atomic uint32_t soft[KC_SIZE_CLASSES],
		kernel[KC_SIZE_CLASSES];	 /* ns per KiB; 0: not known */
	_Atomic uint32_t pairs[KC_SIZE_CLASSES]; /* requests that were done both ways */
};

/* One algorithm by one backend. */
struct kc_candidate {
	const struct kc_alg *alg;
	const struct kc_backend *backend;
	unsigned backend_number;   /* its index in kc_backends */
	struct kc_candidate *next; /* the next best backend's */
	bool is_offered;
	enum kc_reason reason;		  /* why not; KC_OK if offered */
	char driver[KC_DRIVER_NAME_SIZE]; /* the best there is, offered or not; "" for none */
	const char *bind; /* what is asked of the kernel: that driver, or "": the algorithm */
	int priority;
	enum kc_nature nature;
	size_t max_request; /* bytes */
	unsigned max_sessions;
	unsigned verify;      /* see struct kc_config */
	bool threshold_fixed; /* configured */
	bool counts_cpu;      /* what it learns is about CPU time, not wall time */
	size_t floor; /* bytes: from requests of so much on it learns; SIZE_MAX: from none, ever */
	bool driver_fixed; /* configured: no other one will do */
	enum kc_admit admit;
	bool is_tuned;	      /* the tune file knows it */
	const char *software; /* see struct kc_drivers */

	/* What the process learns. Relaxed: each is a fact of its own. */
	atomic_uint trust;	     /* enum kc_trust */
	atomic_size_t threshold[2];  /* bytes, per enum kc_dir; SIZE_MAX: never */
	atomic_size_t session_bytes; /* what opening a session costs, in bytes of software */
	atomic_size_t before_look;   /* bytes that large requests may have before a pair is made */
	atomic_size_t waited;	     /* of all contexts of a digest, as in struct kc_gate */
	atomic_uint failures;	     /* in a row, of requests and openings */
	atomic_uint to_verify;	     /* requests, counted where verify is not 0 */
	atomic_uint speed;	     /* bytes in a ms, of the largest requests */
	atomic_uint trial_us;	     /* what the trial took, 0 before it */
	struct kc_costs costs[2];    /* per enum kc_dir; means nothing before the trial */
};

#endif
