/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend in place of the kernel's, for the engine, on any OpenSSL: it uses the built-in
 * implementation, without asking an engine. KC_STANDIN_FAIL=N: every N-th request fails, long after
 * the trials; KC_STANDIN_LIE=1: every answer is wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/method.h"
#include "core/backend.h"

#define TRIALS 3000

static uint8_t keys[4096][KC_MAX_KEY]; /* by descriptor, as the kernel has them */
static pid_t owner[4096];	       /* no other process may use or close it */
static atomic_uint requests;

static unsigned number(const char *name)
{
	const char *value = getenv(name);

	return value ? (unsigned)atoi(value) : 0;
}

static int discover(struct kc_drivers *drivers)
{
	kc_drivers_init(drivers);
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		struct kc_driver d = { .kind = kc_algs[i].kind,
				       .priority = 300,
				       .kernel_driver_only = true,
				       .flags_known = true };

		snprintf(d.name, sizeof(d.name), "%s", kc_algs[i].kernel_name);
		snprintf(d.driver, sizeof(d.driver), "standin-device");
		kc_drivers_add(drivers, &d);
	}
	return 0;
}

static int open_session(struct kc_session *s, const struct kc_alg *alg, const char *driver,
			const struct kc_key *key)
{
	(void)alg;
	(void)driver;
	s->fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	if (s->fd >= (int)(sizeof(keys) / sizeof(keys[0]))) {
		close(s->fd);
		return -EMFILE;
	}
	if (key->len)
		memcpy(keys[s->fd], key->bytes, key->len);
	owner[s->fd] = getpid();
	return 0;
}

static int answer(const struct kc_session *s, const struct kc_req *req)
{
	const struct kc_base *base = kc_method_base(s->alg);
	const struct kc_key key = { .bytes = keys[s->fd], .len = s->alg->key_len };
	void *ctx = base->newctx(base);
	int ok = ctx && base->whole(base, ctx, &key, req);

	if (ctx)
		base->freectx(ctx);
	return ok ? 0 : -EINVAL;
}

static int run_at(struct kc_session *s, const struct kc_req *req)
{
	unsigned n = ++requests, fail = number("KC_STANDIN_FAIL");
	bool is_cipher = s->alg->kind == KC_CIPHER;
	uint8_t *out = is_cipher ? req->out : req->tag;
	size_t len = is_cipher ? req->len : s->alg->out_len;
	int err;

	/* As strict as the strictest device. */
	if (s->fd < 0 || !req->len || (is_cipher && req->len % s->alg->block_len) ||
	    req->len > KC_MAX_REQUEST || owner[s->fd] != getpid())
		abort();
	if (fail && n > TRIALS && n % fail == 0) {
		memset(out, 0xee, len / 2);
		errno = EIO;
		return -EIO;
	}
	err = answer(s, req);
	if (!err && number("KC_STANDIN_LIE"))
		out[len / 2] ^= 1;
	return err;
}

static int run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	struct kc_req at = *req;
	int err;

	if (room)
		at.out = room;
	err = run_at(s, &at);
	if (!err && room)
		memcpy(req->out, room, req->len);
	return err;
}

static const struct kc_backend standin = {
	.names = { "stand-in", "afalg", "devcrypto" },
	.discover = discover,
	.open = open_session,
	.run = run,
};

KC_BACKEND_LIST(&standin);
