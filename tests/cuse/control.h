/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device's faults on command, and its counters: the file DIR/control, mapped by the device and
 * by control.py. It must be on a file system that the machine's kernel shares, such as a tmpfs.
 */
#ifndef KC_TESTS_CUSE_CONTROL_H
#define KC_TESTS_CUSE_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

enum control_id {
	/* Commands. 0: none; requests and sessions are counted from 1. */
	FAIL_EVERY,   /* each whose number this divides fails */
	FAIL_ERRNO,   /* with this; EIO at first */
	OPEN_ERRNO,   /* open() fails with this */
	REFUSE_FROM,  /* from this one on, no session that is asked for is given; 1: none at all */
	MAX_LIVE,     /* none is given while so many are open */
	REFUSE_ERRNO, /* with this; EINVAL at first */
	DELAY_MS,     /* each request takes so long, holding its session */
	CORRUPT_FROM, /* from this request on, one bit of the output is wrong */

	/* Counters. */
	FILES_OPENED,
	FILES_RELEASED, /* when the last copy of the descriptor is closed */
	SESSIONS_ASKED, /* with valid parameters */
	SESSIONS_OPENED,
	SESSIONS_CLOSED, /* by request or with their file */
	SESSIONS_LIVE,
	SESSIONS_UNKNOWN, /* CIOCFSESSION of one: the module says nothing, but it is a mistake */
	REQUESTS,	  /* valid ones, those that fail among them */
	COPIED,		  /* of these, because the driver could not use the addresses */
	BYTES,		  /* in those that did not fail */
	FAILED,
	CORRUPTED,
	INVALID, /* EINVAL for a bad request, and NULL with a length, which crashes the module */
	IOCTLS_UNKNOWN,

	CONTROL_COUNT
};

/* A value's name goes with it: that is all that a reader needs to know. */
struct control {
	struct {
		char name[24];
		_Atomic uint64_t value;
	} row[CONTROL_COUNT];
};

/* Makes the file anew. NULL and errno where it can't. */
struct control *control_make(const char *dir);

/* Returns the previous value. */
uint64_t control_add(struct control *c, enum control_id id, uint64_t n);
uint64_t control_get(const struct control *c, enum control_id id);

#endif
