/* SPDX-License-Identifier: Apache-2.0 */
/* One message of a request, as the kernel sent it to the device, and the answer to it. */
#ifndef KC_TESTS_CUSE_CALL_H
#define KC_TESTS_CUSE_CALL_H

#include "cuse/device.h"

struct call {
	fuse_req_t req;
	struct device *device;
	struct sessions *sessions;
	void *arg;
	const uint8_t *in;
	size_t in_len, out_len; /* out_len: 0 until the kernel has been told of all data */
};

void call_invalid(const struct call *call, int err);

/*
 * Copies the structure to to. If the message does not have it yet, asks for it and returns false.
 */
bool call_has(const struct call *call, void *to, size_t len);

/* Whether the message has all of these data. If not, asks for them and returns false. */
bool call_has_all(const struct call *call, const struct iovec *in, size_t ins,
		  const struct iovec *out, size_t outs);

/* A request that the device is doing. */
struct request {
	struct control *control;
	uint64_t number;
	int err; /* so far; from the start, that of a fault on command */
};

/* Counts a request, after the delay that the control file sets. */
struct request device_begin(struct control *c);

/*
 * Counts the request's result, and corrupts the answer on command. @len: bytes of the text. Returns
 * 0 or an errno.
 */
int device_end(const struct request *r, size_t len, uint8_t *answer, size_t answer_len);

void call_authcrypt(const struct call *call);

#endif
