/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults for programs that do not use the script. KC_STANDIN_PLAYS names the only kernel algorithm
 * that the device has; invalid requests then return errors. KC_STANDIN_FAULT is a word of fault.c.
 */
#ifndef KC_TESTS_STANDIN_FAULT_H
#define KC_TESTS_STANDIN_FAULT_H

#include "core/backend.h"

/* The name in KC_STANDIN_PLAYS. NULL: all algorithms. */
const char *fault_plays(void);

bool fault_is(const char *word);

/* Called before and after each request. */
void fault_begin(void);
void fault_end(void);

/* Returns 0, 1 if the request's answer is to be wrong, or -errno. May hang, or end the process. */
int fault_at(const struct kc_req *req, unsigned requests, unsigned sessions);

/* Result of an invalid request or key: -EINVAL, or 0 if the fault is to accept it. */
int fault_broken(const char *word);

#endif
