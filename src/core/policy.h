/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides, per row: which backend and driver, from which length on, and if not, why not. The
 * decision is made once, at load; what the first use of a driver shows (core/trial.h) is added.
 */
#ifndef KC_CORE_POLICY_H
#define KC_CORE_POLICY_H

#include <stdatomic.h>

#include "core/backend.h"
#include "core/config.h"

/*
 * KC_PROVEN: by kcrypto tune; a known answer is asked for before the first use here. KC_ON_TRIAL is
 * kept plus the mark of the process that is at it, see core/mark.h.
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
struct kc_choice {
	const struct kc_alg *alg;
	const struct kc_backend *way;	  /* the backend that this is about, */
	unsigned way_number;		  /* and its place in kc_backends */
	const struct kc_backend *backend; /* the same, or NULL: not offered this way */
	struct kc_choice *next;		  /* the way to go where this one can't be gone */
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
	atomic_size_t
		before_look;  /* bytes that large requests may have before the other way is tried */
	atomic_uint failures; /* in a row, of requests and openings */
	atomic_uint to_verify;	  /* requests, counted where verify is not 0 */
	atomic_uint speed;	  /* bytes in a ms, of the largest requests */
	atomic_uint trial_us;	  /* what the trial took, 0 before it */
	struct kc_costs costs[2]; /* per enum kc_dir; means nothing before the trial */
};

struct kc_policy {
	struct kc_choice *row[KC_ALG_COUNT]; /* the best way of each, and by ->next the others */
	unsigned n_ways;		     /* of each row */
	bool offers_any;
	enum kc_reason tuned; /* KC_OK: the tune file counts; or why it does not */
	struct kc_choice way[KC_MAX_BACKENDS]
			    [KC_ALG_COUNT]; /* what is not there is never touched */
	char software[KC_MAX_BACKENDS][KC_DRIVER_NAME_SIZE];
};

/* Software does this much, bytes, before a driver is tried for the first time in a process. */
#define KC_BYTES_BEFORE_TRIAL (256 * 1024)

/* Adds the way of @backend to each row, in its place. A policy of zeros has none. */
void kc_policy_add(struct kc_policy *policy, const struct kc_config *config,
		   const struct kc_backend *backend, const struct kc_drivers *drivers);

/* Puts the ways of each row in order again, after what is offered has changed. */
void kc_policy_renew(struct kc_policy *policy);

/* Does it offer a row of OpenSSL's legacy provider? */
bool kc_policy_offers_legacy(const struct kc_policy *policy);

/* The way to go now: of those that are offered and not refused the best, or NULL. */
struct kc_choice *kc_choice_now(struct kc_choice *first);

/*
 * The first session that a way opens got the driver @got: where that is another than what was
 * listed, or nothing was, it is the choice's from now on. 0 or -ENOENT with the reason in @choice:
 * it may not be used. For whoever tries the driver, so by one thread at a time.
 */
int kc_choice_meet(struct kc_choice *choice, struct kc_driver *got);

/* Tells each backend that the module was loaded. @is_trusted: see struct kc_backend. */
void kc_policy_loaded(bool is_trusted);

/*
 * Takes the drivers of each backend that the configuration admits, in its order, and decides. They
 * are in the tune file, or else the backend is asked.
 */
void kc_policy_load(struct kc_policy *policy, const struct kc_config *config);

#endif
