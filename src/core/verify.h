/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that passed its trial may lie later: some of its answers are compared with the base's. */
#ifndef KC_CORE_VERIFY_H
#define KC_CORE_VERIFY_H

#include "core/cipher.h"

/*
 * As kc_route_run(); every choice->verify-th request is done by the base as well, from req->iv
 * on, and then @req->out is right in any case. A driver that lied is refused for this process.
 * May leave the session closed though it answers 0.
 */
int kc_verify_run(struct kc_cipher *c, const struct kc_req *req);

#endif
