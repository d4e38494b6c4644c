/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The /dev/crypto backend: each session opens the device for itself, and a request is one ioctl.
 * Only the session's own open file knows its number, which is random, so a number that fell to
 * somebody else's is refused there too. ioctls by syscall(): musl declares the request as an int.
 */
#include "kernel/devcrypto.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/scratch.h"
#include "kernel/devcrypto_abi.h"
#include "kernel/identity.h"
#include "kernel/sandbox.h"

static const struct {
	const char *kernel_name;
	uint32_t id;
} ciphers[] = {
	{ "cbc(aes)", CRYPTO_AES_CBC }, { "ctr(aes)", CRYPTO_AES_CTR },
	{ "ecb(aes)", CRYPTO_AES_ECB }, { "cbc(des3_ede)", CRYPTO_3DES_CBC },
	{ "gcm(aes)", CRYPTO_AES_GCM },
};

/* 0 if the module has no number for it. */
static uint32_t cipher_id(const char *kernel_name)
{
	for (size_t i = 0; i < sizeof(ciphers) / sizeof(ciphers[0]); i++)
		if (strcmp(ciphers[i].kernel_name, kernel_name) == 0)
			return ciphers[i].id;
	return 0;
}

/* 0 or -errno; made again when interrupted. */
static int request(int fd, unsigned long what, void *arg)
{
	long err;

	do {
		err = syscall(SYS_ioctl, fd, what, arg);
	} while (err < 0 && errno == EINTR);
	return err < 0 ? -errno : 0;
}

static int open_device(void)
{
	int fd;

	do {
		fd = (int)syscall(SYS_openat, AT_FDCWD, DEVCRYPTO_PATH, O_RDWR | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static int make_session(int fd, const struct kc_alg *alg, const struct kc_key *key, uint32_t *id)
{
	struct session_op op = { .cipher = cipher_id(alg->kernel_name),
				 .keylen = (uint32_t)key->len,
				 .key = key->bytes };
	int err;

	if (!op.cipher)
		return -ENOENT;
	err = request(fd, CIOCGSESSION, &op);
	*id = op.ses;
	explicit_bzero(&op, sizeof(op));
	return err;
}

/* What the module took for this row, by asking it for a session with a key of no secret. */
static void list_row(struct kc_drivers *drivers, int fd, const struct kc_alg *alg)
{
	struct kc_driver driver = { .kind = alg->kind };
	struct session_info_op info = { .ses = 0 };
	uint8_t bytes[KC_MAX_KEY];
	const struct kc_key key = { .bytes = bytes, .len = alg->key_len };
	uint32_t id;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	if (make_session(fd, alg, &key, &id) != 0)
		return;
	info.ses = id;
	if (request(fd, CIOCGSESSINFO, &info) == 0) {
		snprintf(driver.name, sizeof(driver.name), "%s", alg->kernel_name);
		snprintf(driver.driver, sizeof(driver.driver), "%.*s",
			 (int)sizeof(driver.driver) - 1, info.cipher_info.cra_driver_name);
		driver.kernel_driver_only = info.flags & SIOP_FLAG_KERNEL_DRIVER_ONLY;
		kc_drivers_add(drivers, &driver);
	}
	request(fd, CIOCFSESSION, &id);
}

/*
 * Rows of one algorithm that differ in the key's length get the same answer: the first one counts.
 * In a sandbox entered since we were loaded an ioctl may be death.
 */
static int discover(struct kc_drivers *drivers)
{
	int saved_errno = errno;
	int fd = kc_sandbox_as_noted() ? open_device() : -EPERM;

	memset(drivers, 0, sizeof(*drivers));
	drivers->complete = true;
	for (size_t i = 0; fd >= 0 && i < KC_ALG_COUNT; i++)
		if (i == 0 || strcmp(kc_algs[i].kernel_name, kc_algs[i - 1].kernel_name) != 0)
			list_row(drivers, fd, &kc_algs[i]);
	if (fd >= 0)
		syscall(SYS_close, fd);
	errno = saved_errno;
	return fd < 0 ? -ENODEV : 0;
}

/* The module takes the driver that the kernel prefers, whatever we would like: is it the one? */
static int check_driver(const struct kc_session *s, const char *driver)
{
	struct session_info_op info = { .ses = s->id };
	int err = request(s->fd, CIOCGSESSINFO, &info);

	if (err || !*driver)
		return err;
	return strncmp(driver, info.cipher_info.cra_driver_name, CRYPTODEV_MAX_ALG_NAME) == 0 ?
		       0 :
		       -ENOENT;
}

static int open_session(struct kc_session *s, const struct kc_alg *alg, const char *driver,
			const struct kc_key *key)
{
	int err;

	if (!kc_sandbox_as_noted())
		return -EPERM;
	s->fd = open_device();
	if (s->fd < 0)
		return s->fd;
	err = kc_identity_note(s);
	if (!err)
		err = make_session(s->fd, alg, key, &s->id);
	if (!err)
		err = check_driver(s, driver);
	if (err)
		syscall(SYS_close, s->fd);
	return err;
}

/* The IV is read only. Never 0 bytes long, for which the module would do nothing. */
static int run_cipher(const struct kc_session *s, const struct kc_req *req)
{
	struct crypt_op op = { .ses = s->id,
			       .op = req->dir == KC_ENCRYPT ? COP_ENCRYPT : COP_DECRYPT,
			       .len = (uint32_t)req->len,
			       .src = req->in,
			       .dst = req->out,
			       .iv = (uint8_t *)(uintptr_t)req->iv };

	return request(s->fd, CIOCCRYPT, &op);
}

/* Text and tag at @both, in one piece, as the module wants and leaves them. */
static int run_in_place(const struct kc_session *s, const struct kc_req *req, uint8_t *both)
{
	bool is_encryption = req->dir == KC_ENCRYPT;
	struct crypt_auth_op op = { .ses = s->id,
				    .op = is_encryption ? COP_ENCRYPT : COP_DECRYPT,
				    .len = (uint32_t)req->len + (is_encryption ? 0 : s->tag_len),
				    .auth_len = (uint32_t)req->aad_len,
				    .auth_src = req->aad,
				    .src = both,
				    .dst = both,
				    .tag_len = s->tag_len,
				    .iv = (uint8_t *)(uintptr_t)req->iv,
				    .iv_len = s->alg->iv_len };
	size_t made = req->len + (is_encryption ? s->tag_len : 0);
	int err = request(s->fd, CIOCAUTHCRYPT, &op);

	if (err)
		return err;
	return op.len == made ? 0 : -EIO;
}

static int run_aead(const struct kc_session *s, const struct kc_req *req)
{
	uint8_t *both = kc_scratch_take();
	int err;

	if (!both)
		return -ENOMEM;
	memcpy(both, req->in, req->len);
	if (req->dir == KC_DECRYPT)
		memcpy(both + req->len, req->tag, s->tag_len);
	err = run_in_place(s, req, both);
	if (!err) {
		memcpy(req->out, both, req->len);
		if (req->dir == KC_ENCRYPT)
			memcpy(req->tag, both + req->len, s->tag_len);
	}
	kc_scratch_give(both, req->len + s->tag_len);
	return err;
}

static int run(struct kc_session *s, const struct kc_req *req)
{
	if (!kc_identity_holds(s))
		return -EBADF;
	return s->alg->kind == KC_AEAD ? run_aead(s, req) : run_cipher(s, req);
}

/*
 * Of several open files of the device only ours knows the session, which lives as long as the file
 * does: to end it by name would end it for a parent or child that has the file too.
 */
static void close_session(struct kc_session *s)
{
	if (kc_identity_holds(s) && check_driver(s, "") == 0)
		syscall(SYS_close, s->fd);
}

const struct kc_backend kc_devcrypto = {
	.name = "/dev/crypto",
	.aliases = "devcrypto:cryptodev",
	.loaded = kc_sandbox_note,
	.discover = discover,
	.open = open_session,
	.run = run,
	.close = close_session,
	.forget = close_session,
};
