/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults for programs that know nothing of the script. KC_STANDIN_PLAYS names the one algorithm of
 * the kernel that the device has; then it answers broken requests by errors. KC_STANDIN_FAULT is a
 * word of fault.c.
 */
#ifndef KC_TESTS_STANDIN_FAULT_H
#define KC_TESTS_STANDIN_FAULT_H

#include "core/backend.h"

/* NULL: all algorithms. */
const char *fault_plays(void);

bool fault_is(const char *word);

/* Around each request. */
void fault_begin(void);
void fault_end(void);

/* 0, 1 where its answer is to be wrong, or -errno. May hang, or end the process. */
int fault_at(const struct kc_req *req, unsigned requests, unsigned sessions);

/* Of a request or key that is broken: -EINVAL, 0 where the fault is to accept it. */
int fault_broken(const char *word);

#endif
