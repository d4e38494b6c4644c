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

/* The errno for the request of this number to fail with, after the time it takes; 0: none. */
int device_failure(struct control *c, uint64_t number);

/* Whether its answer, of so many bytes, is to be wrong. */
bool device_lies(const struct control *c, uint64_t number, size_t len);

void call_authcrypt(const struct call *call);

#endif
