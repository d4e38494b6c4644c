/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device's faults on command and its counters: the file DIR/control, mapped by the device and
 * by control.py. It has to be on a file system that the machine's kernel shares, such as a tmpfs.
 */
#ifndef KC_TESTS_CUSE_CONTROL_H
#define KC_TESTS_CUSE_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

enum control_id {
	/* Commands. 0 means none. Requests and sessions are numbered from 1. */
	FAIL_EVERY,   /* each request whose number this value divides fails */
	FAIL_ERRNO,   /* with this errno; EIO at first */
	OPEN_ERRNO,   /* open() fails with this errno */
	REFUSE_FROM,  /* no session is opened from this one on; 1: none at all */
	MAX_LIVE,     /* no session is opened while so many are open */
	REFUSE_ERRNO, /* with this errno; EINVAL at first */
	DELAY_MS,     /* each request takes so long, holding its session */
	CORRUPT_FROM, /* from this request on, one bit of the output is wrong */

	/* Counters. */
	FILES_OPENED,
	FILES_RELEASED, /* when the last copy of the descriptor is closed */
	SESSIONS_ASKED, /* with valid parameters */
	SESSIONS_OPENED,
	SESSIONS_CLOSED, /* by request or with their file */
	SESSIONS_LIVE,
	SESSIONS_UNKNOWN, /* CIOCFSESSION of unknown ones: a mistake that the module ignores */
	REQUESTS,	  /* valid requests, including those that fail */
	COPIED,		  /* requests that were copied, as the driver could not use the addresses */
	BYTES,		  /* in requests that did not fail */
	FAILED,
	CORRUPTED,
	INVALID, /* EINVAL for a bad request, and NULL with a length, which crashes the module */
	IOCTLS_UNKNOWN,

	CONTROL_COUNT
};

/* Each value stands beside its name, which is all that a reader needs to know. */
struct control {
	struct {
		char name[24];
		_Atomic uint64_t value;
	} row[CONTROL_COUNT];
};

/* Creates the file anew and maps it. Returns NULL and sets errno on failure. */
struct control *control_make(const char *dir);

/* Adds n to a value. Returns the previous value. */
uint64_t control_add(struct control *c, enum control_id id, uint64_t n);
uint64_t control_get(const struct control *c, enum control_id id);

#endif
