/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scripted backend in place of the kernel: does the work with libcrypto, and fails, lies or
 * forgets as the script says. For faults and sanitizers on the host. It complements the runs on
 * real kernels and does not replace them.
 */
#ifndef KC_TESTS_STANDIN_H
#define KC_TESTS_STANDIN_H

#include "core/backend.h"

struct standin {
	/* the script; 0: never */
	unsigned fail_one_in; /* every n-th request fails, its output half written */
	int fail_errno;	      /* for those; 0: EIO. EBADMSG: for an AEAD, as a fault */
	int open_errno;	      /* every opening fails with this errno */
	unsigned lie_at;      /* the n-th request from now has a wrong answer, and no errno */
	bool lie_in_tag;      /* that answer is wrong in its tag, not in its text */
	unsigned lie_len;     /* requests of this length have wrong answers */
	bool lies;	      /* every request has a wrong answer */
	/*
	 * Requests for which this returns true have wrong answers; the session's key has @key_len
	 * bytes. NULL: none.
	 */
	bool (*lies_to)(const struct kc_req *req, size_t key_len);
	unsigned after;		     /* requests before fail_one_in takes effect */
	bool hides;		     /* result of hides_hardware() */
	bool lends_pages;	     /* for every session */
	bool takes_blocks;	     /* of digests, from a midstate; for each new driver */
	struct kc_drivers drivers;   /* for discover(); empty: one hardware driver per name */
	unsigned delay_us;	     /* each request takes this much longer */
	void (*working)(size_t len); /* called for each request, instead of a delay */
	struct kc_drivers
		other; /* of the second backend, which never fails; empty: it is not there */

	/* what happened */
	const uint8_t *last_out; /* of a request: where its output went */
	unsigned opened, closed, forgotten, requests, largest, other_requests;
};

extern struct standin standin;
extern const struct kc_backend standin_backend, standin_other;
/* discover() of the first backend, for a backend that differs in something else. */
int standin_discover(struct kc_drivers *drivers);
int standin_open(struct kc_session *s, const char *driver, const struct kc_key *key);
extern bool standin_is_shut;	    /* the caller is in a sandbox */
extern void (*standin_asked)(void); /* called whenever somebody asks for standin_is_shut */

/* Copies the bytes of the key with this serial number. Returns 0 or -errno. */
int standin_key(int32_t serial, uint8_t *bytes, size_t len);
void standin_revoke(int32_t serial);

/*
 * Resets the script to a perfect device, unless the environment has KC_STANDIN_FAIL=N: every N-th
 * request fails once the trials are over; with KC_STANDIN_BADMSG, as if a tag were wrong. With
 * KC_STANDIN_LIE_AT=N, the N-th has a wrong answer. With KC_STANDIN_BLOCKS the device takes blocks
 * of digests.
 */
void standin_reset(void);

/* Lets the device work for so many microseconds of the clock: clock.c. */
void standin_spend(unsigned us);

/* Adds a driver to the list. */
void standin_driver(const char *name, const char *driver, int priority, bool kernel_driver_only);

#endif
