/* SPDX-License-Identifier: Apache-2.0 */
/* For strangers_test.py: makes the AF_ALG backend take another socket for a session's own. */
#include <fcntl.h>
#include <unistd.h>

#include "core/backend.h"
#include "session/buffers.h"
#include "session/identity.h"
#include "session/request.h"

#define LEN 64

extern const struct kc_backend kc_afalg;
int strangers_ask(int which, int stranger);

/* A session of a cipher, an AEAD or a digest. */
static struct kc_session opened(int which)
{
	static const enum kc_alg_id ids[] = { KC_ALG_AES_128_CBC, KC_ALG_AES_128_GCM,
					      KC_ALG_SHA256 };
	static const uint8_t bytes[16] = "0123456789abcde";
	struct kc_session s = { .alg = &kc_algs[ids[which]], .limit = KC_MAX_REQUEST, .fd = -1 };
	struct kc_key key = { .bytes = bytes, .len = s.alg->kind == KC_DIGEST ? 0 : 16 };

	if (s.alg->kind == KC_AEAD)
		s.tag_len = key.tag_len = 16;
	if (kc_afalg.open(&s, "", &key) != 0)
		s.fd = -1;
	return s;
}

/*
 * Sends a request to this socket, or, for -1, to the session's own. Returns 0 or -errno; 1 if no
 * session opens.
 */
__attribute__((visibility("default"))) int strangers_ask(int which, int stranger)
{
	static uint8_t in[LEN], out[LEN], iv[16], tag[KC_MAX_OUT], *room;
	const struct kc_req req = {
		.dir = KC_ENCRYPT, .iv = iv, .in = in, .out = out, .len = LEN, .tag = tag
	};
	struct kc_session s = opened(which), wrong = s;
	int err = s.fd < 0;

	room = room ? room : kc_buffer_take();
	if (stranger >= 0) {
		fcntl(stranger, F_SETFL, O_NONBLOCK);
		wrong.fd = stranger;
		err |= kc_identity_note(&wrong) != 0;
	}
	if (room && !err)
		err = kc_afalg.run(&wrong, &req, room);
	close(s.fd);
	return err;
}
