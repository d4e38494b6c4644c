/* SPDX-License-Identifier: Apache-2.0 */
/* The script and the record of the scripted backend's requests in flight. */
#ifndef KC_TESTS_QUEUED_H
#define KC_TESTS_QUEUED_H

#define QUEUED_MOST 4096 /* in flight, of all sessions together */

struct queued {
	/* the script; 0: never */
	unsigned early;	      /* how often at most a request is reaped too early */
	unsigned fail_submit; /* every n-th submission fails */
	int submit_errno;     /* with this errno; 0: EAGAIN */

	/* what happened */
	unsigned submitted, dropped, waited, tried;
	unsigned now, most; /* in flight */
};

extern struct queued queued;

#endif
