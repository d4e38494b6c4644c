/* SPDX-License-Identifier: Apache-2.0 */
/* The script and the record of the scripted backend's requests in flight. */
#ifndef KC_TESTS_QUEUED_H
#define KC_TESTS_QUEUED_H

#define QUEUED_MOST 4096 /* in flight, of all sessions */

struct queued {
	/* the script; 0: never */
	unsigned early;	      /* requests are asked for too early up to so many times */
	unsigned fail_submit; /* every n-th submission is refused */
	int submit_errno;     /* with this; 0: EAGAIN */

	/* what happened */
	unsigned submitted, dropped, waited, tried;
	unsigned now, most; /* in flight */
};

extern struct queued queued;

#endif
