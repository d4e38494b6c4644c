/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KC_TESTS_PIECES_H
#define KC_TESTS_PIECES_H

#include <openssl/evp.h>

#include "core/backend.h"

#define PIECES_FDS 4096

/* Is the descriptor still ours? AF_ALG looks before each request. */
bool pieces_is_there(const struct kc_session *s);

/* Is a message under way? */
bool pieces_has(int fd);

/* Begins a message or goes on; ends it if there is a tag to write. */
bool pieces_feed(OSSL_LIB_CTX *ctx, const struct kc_session *s, const uint8_t *key, size_t key_len,
		 const struct kc_req *req);

void pieces_copy(int to, int from);
void pieces_end(int fd);

#endif
