/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A candidate: one algorithm on one backend, whether it may be used, and what has been learned
 * about it.
 *
 * Its terms decide which requests it gets. They are four quantities in bytes. A request of
 * ->threshold to ->longest goes to the kernel, by a session that is opened once software has done
 * ->session_bytes for the key. ->before_look is a budget: when that many bytes have passed, the
 * next request is done both ways. That pair may move the two ends, and its cost sets the next
 * budget. A context's part in the terms is its stake.
 *
 * Some drivers leave requests above a length to the kernel's software. Text that may be divided
 * goes to them in pieces of at most ->longest; whole messages that are longer do not go to them.
 *
 * The configuration, the tune file or the driver's trial gives the first values. Then the process
 * learns from the requests that it makes anyway. Only terms.c, first_terms.c and learn.c change a
 * field of struct kc_terms or struct kc_stake (in the tool, cli/probe/estimate.c, too). There is no
 * lock: each number is an independent fact, and a lost one is measured again.
 */
#ifndef KC_POLICY_TERMS_H
#define KC_POLICY_TERMS_H

#include <stdatomic.h>

#include "core/backend.h"
#include "core/clock.h"
#include "policy/config.h"

/*
 * KC_PROVEN: examined by kcrypto tune. The first use here still asks one question, or all if the
 * examination ran out of time. KC_ON_TRIAL is stored plus the mark of the process that runs the
 * trial, see core/process.h.
 */
enum kc_trust { KC_UNTRIED, KC_PROVEN, KC_TRUSTED, KC_REFUSED, KC_ON_TRIAL };

/*
 * Size classes: up to 128 bytes, up to 256, and so on to 64 KiB; the last class is for several
 * requests in flight. A driver's limit is often a power of two, which belongs to the class that
 * ends there.
 */
#define KC_SIZE_CLASSES 11

/* Costs in one direction, by size class. */
struct kc_costs {
	_Atomic uint32_t soft[KC_SIZE_CLASSES],
		kernel[KC_SIZE_CLASSES];	  /* ns per KiB; 0: unknown */
	_Atomic uint32_t pairs[KC_SIZE_CLASSES];  /* requests that were done both ways */
	_Atomic uint32_t traits[KC_SIZE_CLASSES]; /* of these pairs, see offload/classes.h */
	/*
	 * The kernel's cost in jobs, where several are in flight; and the number of those requests.
	 */
	_Atomic uint32_t flight[KC_SIZE_CLASSES], flights[KC_SIZE_CLASSES];
};

/* Pairs of a size class before they can move an end of the range. */
#define KC_ENOUGH_PAIRS 3

#define KC_LOAD(number) atomic_load_explicit(number, memory_order_relaxed)

/* The class of several requests in flight. For software it uses the cost of one request. */
#define KC_SEVERAL (KC_SIZE_CLASSES - 1)

/* Returns the class of requests of @len bytes, at least 1. */
static inline unsigned kc_class_of(size_t len)
{
	unsigned long halves = (unsigned long)(len - 1) >> 6 | 1; /* of the first class */
	unsigned c = 8 * sizeof(halves) - 1 - (unsigned)__builtin_clzl(halves);

	return (unsigned)kc_min(c, KC_SEVERAL);
}

/* Returns the longest request of the classes below @class, in bytes. */
static inline size_t kc_class_below(unsigned class)
{
	if (!class)
		return 0;
	return (size_t)64 << class;
}

/* True if there are enough pairs of this class in the direction of @costs. */
static inline bool kc_class_is_judged(const struct kc_costs *costs, unsigned class)
{
	return KC_LOAD(&costs->pairs[class]) >= KC_ENOUGH_PAIRS;
}

/* The first four quantities are the terms; the others serve them. */
struct kc_terms {
	atomic_size_t threshold[2];  /* bytes, per enum kc_dir; SIZE_MAX: never */
	atomic_size_t longest;	     /* bytes, of a request in either direction; SIZE_MAX: any */
	atomic_size_t session_bytes; /* the price of a session, in bytes of software */
	atomic_size_t before_look;   /* bytes that may still pass before a pair is made */
	atomic_size_t alone[2];	     /* the threshold outside jobs if it is higher there; or 0 */
	atomic_size_t waited;	     /* of all contexts of a digest, see struct kc_stake */
	atomic_size_t look;	     /* the longest request of the next pair; 0: ->longest */
	atomic_size_t tried;	     /* the shortest length that a look tried; 0: none yet */
	atomic_uint looks;	     /* looks after a length's first verdict */
	size_t least; /* bytes: the device does nothing shorter; thresholds are never below */
	atomic_size_t floor; /* bytes: learns from requests this long or longer; SIZE_MAX: never */
	bool is_fixed;	     /* the threshold is configured */
	bool is_tuned;	     /* the terms come from the tune file */
	enum kc_prefer prefer;	     /* the clock it learns by */
	atomic_uint once_ns, kib_ns; /* price of a kernel's request: fixed part, and per KiB */
	struct kc_costs costs[2];    /* per enum kc_dir; not valid before the trial */
};

/* A context's part in its candidate's terms, in bytes. */
struct kc_stake {
	size_t share;  /* of before_look, taken in advance */
	size_t waited; /* done by software towards session_bytes; a digest's: in the terms */
};

/* One algorithm on one backend. */
struct kc_candidate {
	const struct kc_alg *alg;
	const struct kc_backend *backend;
	unsigned backend_number;	  /* its index in kc_backends */
	struct kc_candidate *next;	  /* of the next best backend */
	struct kc_candidate *const *rows; /* of its policy, KC_ALG_COUNT; NULL: it has no policy */
	struct kc_candidate *blocks;	  /* of a digest, for blocks from its middle; NULL: none */
	struct kc_candidate *whole;	  /* of blocks: the digest's candidate; else NULL */
	bool is_offered;
	enum kc_reason reason;		  /* why it is not offered, or KC_OK */
	char driver[KC_DRIVER_NAME_SIZE]; /* the best driver, offered or not; "" for none */
	int priority;
	enum kc_nature nature;
	/* Who was seen to do its requests, in the words of src/cli/evidence; 0: not examined. */
	unsigned seen;
	const struct kcrypto_traits *traits; /* the driver's; NULL: none known */
	unsigned odd_bits;		     /* see kc_traits_odd_bits(); 0: any length */
	size_t max_request;		     /* bytes */
	unsigned max_sessions;
	unsigned verify;   /* see struct kc_config */
	bool driver_fixed; /* configured: no other driver will do */
	bool is_examined;  /* by kcrypto tune, completely: needs no more pairs */
	enum kc_admit admit;

	/* What the process learns. Relaxed atomics: each is an independent fact. */
	atomic_uint trust;	/* enum kc_trust */
	atomic_uint failures;	/* consecutive failures of requests, openings and trials */
	atomic_uint rest_ms;	/* length of the last rest; 0: none */
	atomic_uint rest_ends;	/* ms of the clock; 0: it does not rest. See kc_rest_begin() */
	atomic_bool has_failed; /* its driver failed or lied once: requests are timed */
	atomic_bool is_suspect; /* one failed: the next answer is compared */
	atomic_uint to_verify;	/* number of requests, if verify is not 0 */
	atomic_uint trial_us;	/* length of the trial; 0: none yet */
	struct kc_terms terms;
};

/*
 * Returns the name to bind: the driver's; for software "", the kernel's best, unless the
 * configuration names the driver.
 */
static inline const char *kc_candidate_bind(const struct kc_candidate *candidate)
{
	bool by_driver = candidate->nature != KC_SOFTWARE || candidate->driver_fixed;

	return by_driver ? candidate->driver : "";
}

/* Bytes that software must do before a process tries a driver for the first time. */
#define KC_BYTES_BEFORE_TRIAL (112 * 1024)

/* Returns the time by the clock that counts, in ns: wall time, or the thread's CPU time. */
static inline uint64_t kc_terms_clock(const struct kc_terms *terms)
{
	return terms->prefer == KC_PREFER_CPU ? kc_thread_ns() : kc_now_ns();
}

/* Returns the shortest request for the kernel, in bytes. */
static inline size_t kc_terms_threshold(const struct kc_terms *terms, enum kc_dir dir)
{
	return atomic_load_explicit(&terms->threshold[dir], memory_order_relaxed);
}

/* Returns the longest request for the kernel, in bytes. */
static inline size_t kc_terms_longest(const struct kc_terms *terms)
{
	return atomic_load_explicit(&terms->longest, memory_order_relaxed);
}

/* Returns the longest request of a pair of text that may be divided, in bytes. */
static inline size_t kc_terms_look(const struct kc_terms *terms)
{
	size_t look = atomic_load_explicit(&terms->look, memory_order_relaxed);

	return look ? look : kc_terms_longest(terms);
}

/* Returns the shortest request from which a process learns, in bytes. */
static inline size_t kc_terms_floor(const struct kc_terms *terms)
{
	return atomic_load_explicit(&terms->floor, memory_order_relaxed);
}

/* Returns the threshold outside jobs, in bytes. */
static inline size_t kc_terms_alone(const struct kc_terms *terms, enum kc_dir dir)
{
	size_t alone = atomic_load_explicit(&terms->alone[dir], memory_order_relaxed);

	return alone ? alone : kc_terms_threshold(terms, dir);
}

/* Returns @bytes * @times, limited so that it does not wrap and a counter can reach it. */
static inline size_t kc_bytes_times(size_t bytes, unsigned times)
{
	return bytes > SIZE_MAX / 2 / times ? SIZE_MAX / 2 : bytes * times;
}

/* Returns ns per KiB, at least 1, because 0 means unknown. */
static inline uint32_t kc_cost_per_kib(uint64_t ns, size_t len)
{
	uint64_t n = ns * 1024 / len + 1;

	return n < INT32_MAX ? (uint32_t)n : INT32_MAX;
}

/* Returns the bytes that take @times times @ns at @cost ns per KiB. */
static inline size_t kc_bytes_for(uint64_t ns, unsigned times, uint32_t cost)
{
	uint64_t bytes = ns / cost * times * 1024 + ns % cost * times * 1024 / cost;

	return bytes < SIZE_MAX / 4 ? (size_t)bytes : SIZE_MAX / 4;
}

/* For learn.c: sets the threshold in jobs, @lowest, and outside, @alone, in bytes. */
void kc_terms_set_threshold(struct kc_terms *terms, enum kc_dir dir, size_t lowest, size_t alone);
/* For learn.c: sets the longest request for the kernel, and of pairs, in bytes. */
void kc_terms_set_longest(struct kc_terms *terms, size_t longest);

/* Sets the bytes that must pass before the next pair. */
void kc_terms_wait_to_look(struct kc_candidate *candidate, size_t bytes);

/*
 * wait: software does a request of @len bytes, which counts towards a session. pay: true if
 * software has now done what a session costs, or need not (@at_once); if false, it waits.
 */
void kc_terms_wait(struct kc_candidate *candidate, struct kc_stake *stake, size_t len);
bool kc_terms_pay(struct kc_candidate *candidate, struct kc_stake *stake, size_t len, bool at_once);

/*
 * After a trial without a result: sets the budget before the next; each consecutive failure doubles
 * it.
 */
void kc_terms_wait_for_trial(struct kc_candidate *candidate);

/*
 * take_turn: counts a request of @len bytes; true if this is the one to be done both ways. give:
 * gives back the share that was taken in advance.
 */
bool kc_terms_take_turn(struct kc_candidate *candidate, struct kc_stake *stake, size_t len);
void kc_terms_give(struct kc_candidate *candidate, struct kc_stake *stake);

/* True if text of @len bytes is for the kernel, in one request or in pieces. */
static inline bool kc_candidate_pays(const struct kc_candidate *candidate, enum kc_dir dir,
				     size_t len)
{
	return len >= kc_terms_threshold(&candidate->terms, dir) &&
	       (len <= kc_terms_longest(&candidate->terms) || !kc_alg_is_whole(candidate->alg));
}

/*
 * Returns the first candidate for blocks of a digest, whose first candidate is @first; NULL if
 * there is none, or all are refused.
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
 * Returns the candidate for a request of @len bytes: of those that pay at this length, the fastest.
 * NULL if none is offered and not refused. now: for the longest request.
 */
struct kc_candidate *kc_candidate_for(struct kc_candidate *first, enum kc_dir dir, size_t len);
struct kc_candidate *kc_candidate_now(struct kc_candidate *first);

/*
 * begin: records a failure that took @ns. If that was a second or more, or not quick and not the
 * first of a series, the driver rests, in all rows and on all backends. The rest lasts eight times
 * as long as the failure took, twice as long as the last rest if it follows one, at least a minute
 * and at most an hour. forget: a success ends the series of failures. refuse: the driver
 * lied to a program, and is not used any more in any row of the candidate's backend.
 */
void kc_rest_begin(struct kc_candidate *candidate, uint64_t ns);
void kc_rest_forget(struct kc_candidate *candidate);
void kc_rest_refuse(struct kc_candidate *candidate);

/* Has a rest begun that nobody has ended? Its time may be over. */
static inline bool kc_candidate_has_rest(const struct kc_candidate *candidate)
{
	return atomic_load_explicit(&candidate->rest_ends, memory_order_relaxed);
}

/* Ends a rest whose time is over. Returns true if the driver still rests. */
bool kc_rest_expire(struct kc_candidate *candidate);

/* The same for any candidate. Inline, because most never failed. */
static inline bool kc_candidate_let_rest(struct kc_candidate *candidate)
{
	return kc_candidate_has_rest(candidate) && kc_rest_expire(candidate);
}

/*
 * Returns the lowest threshold, in bytes, of @now and of the measured candidates; nothing is known
 * about the others.
 */
size_t kc_candidates_threshold(const struct kc_candidate *first, const struct kc_candidate *now,
			       enum kc_dir dir);

#endif
