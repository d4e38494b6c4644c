/* SPDX-License-Identifier: Apache-2.0 */
/* Within the device: one message of a request, as the kernel sent it, and the answer to it. */
#ifndef KC_TESTS_CUSE_CALL_H
#define KC_TESTS_CUSE_CALL_H

#include "cuse/device.h"

struct call {
	fuse_req_t req;
	struct device *device;
	struct sessions *sessions;
	void *arg;
	const uint8_t *in;
	size_t in_len, out_len; /* out_len: 0 until the kernel was told of all */
};

void call_invalid(const struct call *call, int err);

/* Whether the structure is there; asks for it if not. */
bool call_has(const struct call *call, void *to, size_t len);

/* Whether everything is there; asks if not. */
bool call_has_all(const struct call *call, const struct iovec *in, size_t ins,
		  const struct iovec *out, size_t outs);

/* A request that is being done. */
struct request {
	struct control *control;
	uint64_t number;
	int err; /* so far; that of a fault on command */
};

/* Counts it, after the time that it takes. */
struct request device_begin(struct control *c);

/* Counts how it ended, and makes the answer wrong on command. @len: the text's. 0 or an errno. */
int device_end(const struct request *r, size_t len, uint8_t *answer, size_t answer_len);

void call_authcrypt(const struct call *call);

#endif
