/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The /dev/crypto backend: each session opens the device for itself, and a request is one ioctl. A
 * session has a random number that is valid only on its own open file. So if another open file of
 * the device has taken our descriptor's number, it refuses the request.
 */
#include "core/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/process.h"
#include "discovery/procfs.h"
#include "kernel/devcrypto_abi.h"
#include "kernel/node.h"

static const struct {
	char kernel_name[16];
	uint32_t id;
} numbers[] = {
#define KC_DEVCRYPTO(id, number, name) { name, number },
#include "kernel/devcrypto_algs.def"
#undef KC_DEVCRYPTO
};

static unsigned devcrypto_number(const struct kc_alg *alg)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(numbers[i].kernel_name, alg->kernel_name) == 0)
			return numbers[i].id;
	return 0;
}

static int begin_session(struct kc_session *s, const struct kc_key *key)
{
	unsigned number = devcrypto_number(s->alg);
	struct session_op op = { .cipher = number,
				 .keylen = (uint32_t)key->len,
				 .key = key->bytes };
	int err;

	if (!number)
		return -ENOENT;
	if (kc_alg_is_hash(s->alg))
		op = (struct session_op){ .mac = number,
					  .mackeylen = (uint32_t)key->len,
					  .mackey = key->bytes };
	err = kc_node_ask(s->fd, CIOCGSESSION, &op);
	s->id = op.ses;
	explicit_bzero(&op, sizeof(op));
	return err;
}

static const char *driver_in(const struct session_info_op *info, const struct kc_alg *alg)
{
	if (kc_alg_is_hash(alg))
		return info->hash_info.cra_driver_name;
	return info->cipher_info.cra_driver_name;
}

static int ask_session(const struct kc_session *s, struct session_info_op *info)
{
	*info = (struct session_info_op){ .ses = (uint32_t)s->id };
	return kc_node_ask(s->fd, CIOCGSESSINFO, info);
}

/*
 * Reads the session's alignmask and driver. -ENOENT: not the driver that was asked for, because the
 * module takes the one that the kernel prefers.
 */
static int check_driver(struct kc_session *s, const char *driver)
{
	struct session_info_op info;
	int err = ask_session(s, &info);

	s->alignmask = info.alignmask;
	if (err || !*driver)
		return err;
	if (strncmp(driver, driver_in(&info, s->alg), CRYPTODEV_MAX_ALG_NAME) != 0)
		return -ENOENT;
	return 0;
}

static int identify(const struct kc_session *s, struct kc_driver *driver)
{
	struct session_info_op info;
	int err = ask_session(s, &info);

	if (err)
		return err;
	*driver = (struct kc_driver){ .kernel_driver_only =
					      info.flags & SIOP_FLAG_KERNEL_DRIVER_ONLY };
	snprintf(driver->driver, sizeof(driver->driver), "%.*s", (int)sizeof(driver->driver) - 1,
		 driver_in(&info, s->alg));
	return 0;
}

/*
 * If the module cannot use a buffer's pages directly, it silently copies them one by one and makes
 * each a request to the driver. So data that must not be divided is limited to one page.
 */
static void note_page_limit(struct kc_session *s)
{
	size_t page = kc_page_size();

	if (s->alg->iv_rule == KC_IV_WHOLE && s->limit > page)
		s->limit = page;
}

static int devcrypto_open(struct kc_session *s, const char *driver, const struct kc_key *key)
{
	int err;

	s->fd = kc_node_open(DEVCRYPTO_PATH, O_RDWR);
	if (s->fd < 0)
		return s->fd;
	s->lends_pages = true;
	err = begin_session(s, key);
	if (!err)
		err = check_driver(s, driver);
	if (err)
		kc_node_close(s->fd);
	else
		note_page_limit(s);
	return err;
}

static const uint16_t operations[] = {
	[KC_ENCRYPT] = COP_ENCRYPT,
	[KC_DECRYPT] = COP_DECRYPT,
};

/* The module only reads the IV. @len is never 0, with which the module would do nothing. */
static int ask_cipher(const struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	struct crypt_op op = { .ses = (uint32_t)s->id,
			       .op = operations[req->dir],
			       .len = (uint32_t)req->len,
			       .src = req->in,
			       .dst = req->out,
			       .iv = (uint8_t *)(uintptr_t)req->iv };
	int err;

	if (room) {
		memcpy(room, req->in, req->len);
		op.src = room;
		op.dst = room;
	}
	err = kc_node_ask(s->fd, CIOCCRYPT, &op);
	if (!err && room)
		memcpy(req->out, room, req->len);
	return err;
}

/* COP_DECRYPT would make the module hash its own output. Without flags it starts a new message. */
static int run_hash(const struct kc_session *s, const struct kc_req *req)
{
	struct crypt_op op = { .ses = (uint32_t)s->id,
			       .op = COP_ENCRYPT,
			       .len = (uint32_t)req->len,
			       .src = req->in,
			       .mac = req->tag };

	return kc_node_ask(s->fd, CIOCCRYPT, &op);
}

/* Text and tag are at @both, in one piece, as the module expects and leaves them. */
static int run_aead(const struct kc_session *s, const struct kc_req *req, uint8_t *both)
{
	bool is_encryption = req->dir == KC_ENCRYPT;
	size_t made = is_encryption ? s->tag_len : 0;
	size_t given = s->tag_len - made;
	struct crypt_auth_op op = { .ses = (uint32_t)s->id,
				    .op = operations[req->dir],
				    .len = (uint32_t)(req->len + given),
				    .auth_len = (uint32_t)req->aad_len,
				    .auth_src = req->aad,
				    .src = both,
				    .dst = both,
				    .tag_len = s->tag_len,
				    .iv = (uint8_t *)(uintptr_t)req->iv,
				    .iv_len = s->alg->iv_len };
	int err;

	memcpy(both, req->in, req->len);
	memcpy(both + req->len, req->tag, given);
	err = kc_node_ask(s->fd, CIOCAUTHCRYPT, &op);
	if (err)
		return err;
	if (op.len != req->len + made)
		return -EIO;
	memcpy(req->out, both, req->len);
	memcpy(req->tag, both + req->len, made);
	return 0;
}

/*
 * Works in place in @room if there is one: the module lends the driver the input's pages, too,
 * which would otherwise be the caller's.
 */
static int devcrypto_run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	/* A hash needs no room. */
	if (kc_alg_is_hash(s->alg))
		return run_hash(s, req);
	if (s->alg->kind == KC_AEAD)
		return run_aead(s, req, room);
	return ask_cipher(s, req, room);
}

/*
 * Closes the descriptor unless it is another file's. Even among several open files of the device,
 * only the session's own file knows it, as long as the file lives; others answer EINVAL, and any
 * other error proves nothing. Ending the session by its number would also end it for a parent or
 * child that shares the file.
 */
static void devcrypto_close(struct kc_session *s)
{
	struct session_info_op info;

	if (ask_session(s, &info) != -EINVAL)
		kc_node_close(s->fd);
}

/* The module always begins, updates and ends a message in separate calls. */
static bool devcrypto_splits_hashes(void)
{
	return true;
}

const struct kc_backend kc_devcrypto = {
	.names = { DEVCRYPTO_PATH, "devcrypto", "cryptodev" },
	.hashes_by_name = true,
	.splits_hashes = devcrypto_splits_hashes,
	.exists = kc_node_exists,
	.number = devcrypto_number,
	.discover = kc_procfs_read,
	.identify = identify,
	.open = devcrypto_open,
	.run = devcrypto_run,
	.close = devcrypto_close,
};
