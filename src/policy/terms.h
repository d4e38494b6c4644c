/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A candidate: one algorithm on one backend, whether it may be used, and what has been learned
 * about it.
 *
 * The terms on which it gets requests are four quantities, in bytes. A request of ->threshold to
 * ->longest goes to the kernel, by a session that is opened once software has done ->session_bytes
 * for the key. When ->before_look have passed, the next request is done both ways, which may move
 * the two ends, and its cost sets the next before_look. A context's part in them is its stake.
 *
 * Some drivers leave requests to the kernel's software above a length: of a text that may be
 * divided, they get pieces of at most ->longest, and of whole messages none that is longer.
 *
 * The configuration, the tune file or the driver's trial gives the first values. Then the process
 * learns from the requests that it makes anyway. Only terms.c and learn.c change a field of either
 * (in the tool, cli/probe/estimate.c too). There is no lock: each number is an independent fact,
 * and a lost one is measured again.
 */
#ifndef KC_POLICY_TERMS_H
#define KC_POLICY_TERMS_H

#include <stdatomic.h>

#include "core/backend.h"
#include "core/clock.h"
#include "policy/config.h"

/*
 * KC_PROVEN: by kcrypto tune; the first use here requires one known answer, or, where the time did
 * not suffice there, all. KC_ON_TRIAL is stored
 * plus the mark of the process that runs the trial, see core/process.h.
 */
enum kc_trust { KC_UNTRIED, KC_PROVEN, KC_TRUSTED, KC_REFUSED, KC_ON_TRIAL };

/*
 * Bytes: up to 128, up to 256, and so on to 64 KiB; the last class: several requests in flight. A
 * driver's limit is often a power of two, which belongs to the class that ends there.
 */
#define KC_SIZE_CLASSES 11

/* For one direction, by size class. */
struct kc_costs {
	_Atomic uint32_t soft[KC_SIZE_CLASSES],
		kernel[KC_SIZE_CLASSES];	  /* ns per KiB; 0: unknown */
	_Atomic uint32_t pairs[KC_SIZE_CLASSES];  /* requests that were done both ways */
	_Atomic uint32_t traits[KC_SIZE_CLASSES]; /* all that these had, offload/classes.h */
	/* The kernel's in jobs, where several are in flight; and how many there were. */
	_Atomic uint32_t flight[KC_SIZE_CLASSES], flights[KC_SIZE_CLASSES];
};

/* The first four quantities, in bytes, are the terms; others serve them. */
struct kc_terms {
	atomic_size_t threshold[2];  /* per enum kc_dir; SIZE_MAX: never */
	atomic_size_t longest;	     /* request, in either direction; SIZE_MAX: any pays */
	atomic_size_t session_bytes; /* what opening a session costs, in bytes of software */
	atomic_size_t before_look;   /* bytes that large requests may have before a pair is made */
	atomic_size_t alone[2];	     /* the threshold outside jobs, where it is higher; or 0 */
	atomic_size_t waited;	     /* of all contexts of a digest, as in struct kc_stake */
	size_t least; /* bytes: the device does none that is shorter, so no threshold is lower */
	atomic_size_t floor; /* bytes: learns from requests this long or longer; SIZE_MAX: never */
	bool is_fixed;	     /* the threshold is configured */
	bool is_tuned;	     /* the tune file has the terms */
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
	unsigned backend_number;	  /* its index in kc_backends */
	struct kc_candidate *next;	  /* the next best backend's */
	struct kc_candidate *const *rows; /* of its policy, KC_ALG_COUNT; NULL: it is alone */
	struct kc_candidate *blocks;	  /* of a digest: for blocks from its middle; NULL: none */
	struct kc_candidate *whole;	  /* whose that is; else NULL */
	bool is_offered;
	enum kc_reason reason;		  /* why it is not offered, or KC_OK */
	char driver[KC_DRIVER_NAME_SIZE]; /* the best one, offered or not; "" for none */
	int priority;
	enum kc_nature nature;
	/* Who was seen to do its requests, in the words of src/cli/evidence; 0: nobody looked. */
	unsigned seen;
	const struct kcrypto_traits *traits; /* the driver's; NULL: none are known */
	unsigned odd_bits;		     /* see kc_traits_odd_bits(); 0: any length */
	size_t max_request;		     /* bytes */
	unsigned max_sessions;
	unsigned verify;   /* see struct kc_config */
	bool driver_fixed; /* configured: no other driver will do */
	bool is_examined;  /* to the end, by kcrypto tune: the process believes it */
	enum kc_admit admit;

	/* What the process learns. Relaxed: each is an independent fact. */
	atomic_uint trust;	/* enum kc_trust */
	atomic_uint failures;	/* in a row, of requests, openings and trials */
	atomic_uint waited_ms;	/* for these failures, but for quick ones */
	atomic_uint rest_ms;	/* how long it rested after the last of them; 0: not at all */
	atomic_uint rest_ends;	/* ms of the clock; 0: it does not rest. See kc_rest_begin() */
	atomic_bool is_timed;	/* one failed, so that what the next failure costs is wanted */
	atomic_bool is_suspect; /* one failed, so that the next answer is compared */
	atomic_uint to_verify;	/* requests, counted where verify is not 0 */
	atomic_uint trial_us;	/* what the trial took, 0 before it */
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

/* Bytes that software must do before a process tries a driver for the first time. */
#define KC_BYTES_BEFORE_TRIAL (112 * 1024)

/* Times of a trial's requests for one direction, in ns: the lowest of several requests. */
struct kc_prices {
	uint64_t kernel_short;		 /* for one or a few blocks */
	uint64_t kernel_long, soft_long; /* for @len bytes */
	size_t len;
};

/* The clock that counts: wall time, or the thread's CPU time. */
static inline uint64_t kc_terms_clock(const struct kc_terms *terms)
{
	return terms->prefer == KC_PREFER_CPU ? kc_thread_ns() : kc_now_ns();
}

/* The shortest request for the kernel, bytes. */
static inline size_t kc_terms_threshold(const struct kc_terms *terms, enum kc_dir dir)
{
	return atomic_load_explicit(&terms->threshold[dir], memory_order_relaxed);
}

/* The longest request for the kernel, bytes. */
static inline size_t kc_terms_longest(const struct kc_terms *terms)
{
	return atomic_load_explicit(&terms->longest, memory_order_relaxed);
}

/* No process learns from shorter requests, bytes. */
static inline size_t kc_terms_floor(const struct kc_terms *terms)
{
	return atomic_load_explicit(&terms->floor, memory_order_relaxed);
}

/* Outside a job. */
static inline size_t kc_terms_alone(const struct kc_terms *terms, enum kc_dir dir)
{
	size_t alone = atomic_load_explicit(&terms->alone[dir], memory_order_relaxed);

	return alone ? alone : kc_terms_threshold(terms, dir);
}

/* A product of bytes that does not wrap, and that a count of bytes can reach. */
static inline size_t kc_bytes_times(size_t bytes, unsigned times)
{
	return bytes > SIZE_MAX / 2 / times ? SIZE_MAX / 2 : bytes * times;
}

/* At least 1: 0 means unknown. */
static inline uint32_t kc_cost_per_kib(uint64_t ns, size_t len)
{
	uint64_t n = ns * 1024 / len + 1;

	return n < INT32_MAX ? (uint32_t)n : INT32_MAX;
}

/* Returns the bytes that take @times @ns at @cost per KiB. */
static inline size_t kc_bytes_for(uint64_t ns, unsigned times, uint32_t cost)
{
	uint64_t bytes = ns / cost * times * 1024 + ns % cost * times * 1024 / cost;

	return bytes < SIZE_MAX / 4 ? (size_t)bytes : SIZE_MAX / 4;
}

/* For learn.c: the threshold in jobs, @lowest, and outside, @alone. */
void kc_terms_set_threshold(struct kc_terms *terms, enum kc_dir dir, size_t lowest, size_t alone);
/* For learn.c: no longer request, in bytes, goes to the kernel. */
void kc_terms_set_longest(struct kc_terms *terms, size_t longest);

/* Makes @bytes pass before the next look. */
void kc_terms_wait_to_look(struct kc_candidate *candidate, size_t bytes);

/* From the configuration. @threshold: the row's. */
void kc_terms_init(struct kc_candidate *candidate, const struct kc_config *config,
		   size_t threshold);

/* What a measurement tells. */
struct kc_measured {
	size_t threshold[2]; /* bytes, per enum kc_dir, as in the terms */
	size_t longest, session_bytes;
	unsigned once_ns, kib_ns;
};

/*
 * From a measurement. A configured threshold stays, and means all messages that are longer;
 * nevertheless a text is divided as is best.
 */
void kc_terms_tuned(struct kc_candidate *candidate, const struct kc_measured *measured);

/*
 * From a trial that took @trial_ns: @prices, two, by direction, and the time to open a session.
 * Forgets earlier results.
 */
void kc_terms_tried(struct kc_candidate *candidate, const struct kc_prices *prices,
		    uint64_t open_ns, uint64_t trial_ns);

/*
 * Software does a request of @len bytes, which counts towards a session. pay: has software now done
 * what a session costs, or need it not (@at_once)? If not, waits.
 */
void kc_terms_wait(struct kc_candidate *candidate, struct kc_stake *stake, size_t len);
bool kc_terms_pay(struct kc_candidate *candidate, struct kc_stake *stake, size_t len, bool at_once);

/* After a trial without a result: the longer, the more failures there have been in a row. */
void kc_terms_wait_for_trial(struct kc_candidate *candidate);

/*
 * Counts a request of @len bytes; true if it is the one to look at. give: takes back the share.
 */
bool kc_terms_take_turn(struct kc_candidate *candidate, struct kc_stake *stake, size_t len);
void kc_terms_give(struct kc_candidate *candidate, struct kc_stake *stake);

/* Is a text of @len bytes for the kernel: in one request, or in pieces? */
static inline bool kc_candidate_pays(const struct kc_candidate *candidate, enum kc_dir dir,
				     size_t len)
{
	return len >= kc_terms_threshold(&candidate->terms, dir) &&
	       (len <= kc_terms_longest(&candidate->terms) || !kc_alg_is_whole(candidate->alg));
}

/*
 * Returns the first candidate for blocks of the digest whose candidates these are, or NULL if there
 * is none, or each is refused.
 */
static inline struct kc_candidate *kc_candidate_in_blocks(const struct kc_candidate *first)
{
	while (first &&
	       (!first->blocks ||
		atomic_load_explicit(&first->blocks->trust, memory_order_relaxed) == KC_REFUSED))
		first = first->next;
	return first ? first->blocks : NULL;
}

/*
 * Returns the candidate for a request of @len bytes, or NULL if none is offered and not refused: of
 * those that pay at this length, the one that takes the least time. now: for the longest request.
 */
struct kc_candidate *kc_candidate_for(struct kc_candidate *first, enum kc_dir dir, size_t len);
struct kc_candidate *kc_candidate_now(struct kc_candidate *first);

/*
 * A failure that took @ns. Once those in a row took a second or more, without the quick ones, the
 * driver rests, in all rows and on all backends: nobody in the process waits for it before a
 * minute, or eight times what they took if that is more, doubled for each that follows a rest.
 * forget: a success ends the row of failures. refuse: the driver lied to a program, and is not
 * used any more in any row of the candidate's backend.
 */
void kc_rest_begin(struct kc_candidate *candidate, uint64_t ns);
void kc_rest_forget(struct kc_candidate *candidate);
void kc_rest_refuse(struct kc_candidate *candidate);

/* Does it rest now? */
bool kc_rest_goes_on(struct kc_candidate *candidate);

/* Inline: most never failed. */
static inline bool kc_candidate_rests(struct kc_candidate *candidate)
{
	return atomic_load_explicit(&candidate->rest_ends, memory_order_relaxed) &&
	       kc_rest_goes_on(candidate);
}

/*
 * Returns the lowest threshold, in bytes, of @now and of those candidates that have been measured:
 * of the others it says nothing.
 */
size_t kc_candidates_threshold(const struct kc_candidate *first, const struct kc_candidate *now,
			       enum kc_dir dir);

#endif
