/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scripted backend in place of the kernel: does the work with libcrypto, and fails, lies or
 * forgets as told. For faults and sanitizers on the host; it complements the runs on real kernels,
 * and does not replace them.
 */
#ifndef KC_TESTS_STANDIN_H
#define KC_TESTS_STANDIN_H

#include "core/backend.h"

struct standin {
	/* the script; 0: never */
	unsigned fail_one_in; /* requests: every n-th fails, its output is left half written */
	int fail_errno;	      /* for those; 0: EIO. EBADMSG: an AEAD's, as a fault */
	int open_errno;	      /* every opening fails with this */
	unsigned lie_at;      /* the n-th request from now answers wrong, without an errno */
	bool lie_in_tag;      /* such an answer is wrong in its tag, not in its text */
	unsigned lie_len;     /* requests of this length answer wrong */
	bool lies;	      /* every request answers wrong */
	/* those do of which this says so; the session's key has @key_len bytes; NULL: none */
	bool (*lies_to)(const struct kc_req *req, size_t key_len);
	unsigned after;		     /* requests before fail_one_in counts */
	bool hides;		     /* answer of hides_hardware */
	bool lends_pages;	     /* of every session */
	bool takes_blocks;	     /* of digests, from a midstate; each new driver */
	struct kc_drivers drivers;   /* for discover(); empty: one hardware driver per name */
	unsigned delay_us;	     /* every request takes this much longer */
	void (*working)(size_t len); /* told of each request, in place of time that goes by */
	struct kc_drivers
		other; /* of the second backend, which never fails; empty: it is not there */

	/* what happened */
	const uint8_t *last_out; /* of a request: the place of its output */
	unsigned opened, closed, forgotten, requests, largest, other_requests;
};

extern struct standin standin;
extern const struct kc_backend standin_backend, standin_other;
/* The first one's, for a backend that differs in something else. */
int standin_discover(struct kc_drivers *drivers);
int standin_open(struct kc_session *s, const char *driver, const struct kc_key *key);
extern bool standin_is_shut;	    /* the caller is in a sandbox */
extern void (*standin_asked)(void); /* told of each question whether it is */

/* Gets the bytes of a key by its serial number; 0 or -errno. */
int standin_key(int32_t serial, uint8_t *bytes, size_t len);
void standin_revoke(int32_t serial);

/*
 * Back to a perfect device, unless the environment says KC_STANDIN_FAIL=N: every N-th request fails
 * once the trials are over; with KC_STANDIN_BADMSG, as if a tag were wrong. With
 * KC_STANDIN_LIE_AT=N, the N-th answers wrong. With KC_STANDIN_BLOCKS it takes blocks of digests.
 */
void standin_reset(void);

/* Lists one driver more. */
void standin_driver(const char *name, const char *driver, int priority, bool kernel_driver_only);

#endif
