/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuse-device: /dev/crypto in user space, for tests. It takes the requests of the cryptodev-linux
 * module, is as strict and as lenient as the module, and lets libcrypto do the work. This file
 * receives the kernel's requests and answers them; options are in main.c, ciphers and sessions in
 * sessions.c, faults on command and counters in control.h.
 *
 * The kernel passes on the data behind a request's pointers only after it has been told where they
 * point: it asks with nothing, is told about the structure, asks with that, is told about the rest,
 * and asks with everything. So a request takes three messages. The kernel moves at most 128 KiB in
 * one message, the structure included: above that, the caller gets ENOMEM, where the module has no
 * limit.
 */
#include "cuse/call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/devcrypto_abi.h"

void call_invalid(const struct call *call, int err)
{
	control_add(call->device->control, INVALID, 1);
	fuse_reply_err(call->req, err);
}

bool call_has(const struct call *call, void *to, size_t len)
{
	struct iovec iov = { call->arg, len };

	if (call->in_len >= len) {
		memcpy(to, call->in, len);
		return true;
	}
	fuse_reply_ioctl_retry(call->req, &iov, 1, NULL, 0);
	return false;
}

static size_t total(const struct iovec *iov, size_t n)
{
	size_t len = 0;

	while (n-- > 0)
		len += iov[n].iov_len;
	return len;
}

/* The caller may have changed lengths since the last message, so they are compared again. */
bool call_has_all(const struct call *call, const struct iovec *in, size_t ins,
		  const struct iovec *out, size_t outs)
{
	if (call->out_len == 0) {
		fuse_reply_ioctl_retry(call->req, in, ins, out, outs);
		return false;
	}
	if (call->in_len == total(in, ins) && call->out_len == total(out, outs))
		return true;
	fuse_reply_err(call->req, EFAULT);
	return false;
}

static const struct cipher *offered(const struct device *device, uint32_t id)
{
	for (unsigned i = 0; i < CIPHERS; i++)
		if (ciphers[i].id == id && device->offers[i])
			return &ciphers[i];
	return NULL;
}

/* The errno with which the session that is asked for now is refused, or 0. */
static int refusal(struct control *c)
{
	uint64_t number = control_add(c, SESSIONS_ASKED, 1) + 1;
	uint64_t from = control_get(c, REFUSE_FROM), most = control_get(c, MAX_LIVE);

	if ((from && number >= from) || (most && control_get(c, SESSIONS_LIVE) >= most))
		return (int)control_get(c, REFUSE_ERRNO);
	return 0;
}

static const struct hash *hash_of(uint32_t id)
{
	for (unsigned i = 0; i < HASHES; i++)
		if (hashes[i].id == id || hashes[i].hmac_id == id)
			return &hashes[i];
	return NULL;
}

/*
 * Finds the key of the cipher or of the hash. Returns false if the request is refused. The module
 * accepts a cipher together with a hash; this device does not.
 */
static bool find_key(const struct call *call, const struct session_op *op, struct iovec *key)
{
	const struct cipher *cipher = offered(call->device, op->cipher);
	const struct hash *hash = hash_of(op->mac);

	if (hash && !op->cipher && op->mackeylen <= CRYPTO_HMAC_MAX_KEY_LEN) {
		*key = (struct iovec){ (void *)op->mackey, op->mackey ? op->mackeylen : 0 };
		/* Without a key the module would use the contents of its stack. */
		return op->mackey || !op->mackeylen;
	}
	*key = (struct iovec){ (void *)op->key, op->keylen };
	return cipher && !op->mac && op->keylen >= cipher->min_key && op->keylen <= cipher->max_key;
}

static int open_session(const struct call *call, struct session_op *op, const struct iovec *key)
{
	const uint8_t *bytes = call->in + sizeof(*op);
	const struct hash *hash = hash_of(op->mac);

	if (hash)
		return sessions_open_hash(call->sessions, hash, op->mac == hash->hmac_id, bytes,
					  key->iov_len, &op->ses);
	return sessions_open(call->sessions, offered(call->device, op->cipher), bytes, key->iov_len,
			     &op->ses);
}

static void do_gsession(const struct call *call)
{
	struct control *c = call->device->control;
	struct session_op op;
	struct iovec key;
	int err;

	if (!call_has(call, &op, sizeof(op)))
		return;
	if (!find_key(call, &op, &key)) {
		call_invalid(call, EINVAL);
		return;
	}
	struct iovec in[] = { { call->arg, sizeof(op) }, key };

	if (!call_has_all(call, in, 2, in, 1))
		return;
	err = refusal(c);
	if (!err)
		err = -open_session(call, &op, &key);
	if (err) {
		fuse_reply_err(call->req, err);
		return;
	}
	control_add(c, SESSIONS_OPENED, 1);
	control_add(c, SESSIONS_LIVE, 1);
	fuse_reply_ioctl(call->req, 0, &op, sizeof(op));
}

static void closed(struct control *c, unsigned n)
{
	control_add(c, SESSIONS_CLOSED, n);
	control_add(c, SESSIONS_LIVE, -(uint64_t)n);
}

/* The module does not report an unknown session. */
static void do_fsession(const struct call *call)
{
	struct control *c = call->device->control;
	uint32_t sid;

	if (!call_has(call, &sid, sizeof(sid)))
		return;
	if (sessions_close(call->sessions, sid) == 0)
		closed(c, 1);
	else
		control_add(c, SESSIONS_UNKNOWN, 1);
	fuse_reply_ioctl(call->req, 0, NULL, 0);
}

/*
 * Writes the pattern to @to, which has CRYPTODEV_MAX_ALG_NAME bytes, with @m for %m and @c for %c.
 */
static void fill_pattern(const char *pattern, const char *m, const char *c, char *to)
{
	size_t n = 0, size = CRYPTODEV_MAX_ALG_NAME;

	for (const char *p = pattern; *p && n + 1 < size; p++) {
		bool special = p[0] == '%' && (p[1] == 'm' || p[1] == 'c');

		if (special)
			n += (size_t)snprintf(to + n, size - n, "%s", *++p == 'm' ? m : c);
		else
			to[n++] = *p;
	}
	to[n < size ? n : size - 1] = '\0';
}

static void name_hash(const struct session *s, struct alg_info *info)
{
	const char *name = session_hash(s)->name;

	snprintf(info->cra_name, CRYPTODEV_MAX_ALG_NAME, session_is_hmac(s) ? "hmac(%s)" : "%s",
		 name);
	snprintf(info->cra_driver_name, CRYPTODEV_MAX_ALG_NAME,
		 session_is_hmac(s) ? "mv-hmac-%s" : "mv-%s", name);
}

static void name_cipher(const struct device *device, const struct cipher *cipher,
			struct alg_info *info)
{
	snprintf(info->cra_name, CRYPTODEV_MAX_ALG_NAME, "%s", cipher->name);
	fill_pattern(device->driver, cipher->mode, cipher->word, info->cra_driver_name);
}

static void do_gsessinfo(const struct call *call)
{
	struct iovec whole = { call->arg, sizeof(struct session_info_op) };
	struct session_info_op op;
	struct session *s;

	if (!call_has(call, &op, sizeof(op)))
		return;
	s = session_lock(call->sessions, op.ses);
	if (!s) {
		call_invalid(call, EINVAL);
		return;
	}
	if (session_hash(s))
		name_hash(s, &op.hash_info);
	else
		name_cipher(call->device, session_cipher(s), &op.cipher_info);
	session_unlock(s);
	op.alignmask = call->device->alignmask;
	op.flags = call->device->flags;
	if (call_has_all(call, &whole, 1, &whole, 1))
		fuse_reply_ioctl(call->req, 0, &op, sizeof(op));
}

static void wait_ms(uint64_t ms)
{
	struct timespec left = { (time_t)(ms / 1000), (long)(ms % 1000 * 1000000) };

	while (nanosleep(&left, &left) != 0)
		;
}

struct request device_begin(struct control *c)
{
	struct request r = { c, control_add(c, REQUESTS, 1) + 1, 0 };
	uint64_t every = control_get(c, FAIL_EVERY), ms = control_get(c, DELAY_MS);

	if (ms)
		wait_ms(ms);
	if (every && r.number % every == 0)
		r.err = (int)control_get(c, FAIL_ERRNO);
	return r;
}

static bool lies(const struct request *r, size_t len)
{
	uint64_t from = control_get(r->control, CORRUPT_FROM);

	return len && from && r->number >= from;
}

int device_end(const struct request *r, size_t len, uint8_t *answer, size_t answer_len)
{
	if (r->err) {
		/* A bad tag is no failure of the device. */
		control_add(r->control, FAILED, r->err != EBADMSG);
		return r->err;
	}
	control_add(r->control, BYTES, len);
	if (answer_len && lies(r, len)) {
		answer[answer_len / 2] ^= 1;
		control_add(r->control, CORRUPTED, 1);
	}
	return 0;
}

/* @answer_len: the bytes to return of @out. */
static int work(const struct call *call, struct session *s, const struct crypt_op *op,
		const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t answer_len)
{
	struct request r = device_begin(call->device->control);

	if (!r.err && session_hash(s))
		r.err = -session_run_hash(s, in, op->len, out);
	else if (!r.err)
		r.err = -session_run(s, op->op, iv, in, out, op->len, op->flags & COP_FLAG_NO_ZC);
	return device_end(&r, op->len, out, answer_len);
}

/* The module notes in the caller's structure that it copied the data. */
static void mark_copied(const struct device *device, struct control *c, struct crypt_op *op)
{
	uintptr_t addresses = (uintptr_t)op->src | (uintptr_t)op->dst;

	if (!op->len || !(addresses & device->alignmask))
		return;
	op->flags |= COP_FLAG_NO_ZC;
	control_add(c, COPIED, 1);
}

/*
 * With the session locked. The input behind the structure is the IV and the source; the output
 * precedes the structure.
 */
static void crypt_locked(const struct call *call, struct session *s, struct crypt_op *op)
{
	size_t iv_len = op->iv ? session_cipher(s)->iv_len : 0;
	struct iovec in[] = { { call->arg, sizeof(*op) },
			      { op->iv, iv_len },
			      { (void *)op->src, op->len } };
	struct iovec out[] = { { op->dst, op->len }, { call->arg, sizeof(*op) } };
	const uint8_t *iv = call->in + sizeof(*op);
	uint8_t *result;
	int err;

	/* A NULL with a length would crash the module. */
	if (op->len && (!op->src || !op->dst)) {
		call_invalid(call, EFAULT);
		return;
	}
	if (!call_has_all(call, in, 3, out, 2))
		return;
	result = malloc(op->len + 1);
	if (!result) {
		fuse_reply_err(call->req, ENOMEM);
		return;
	}
	mark_copied(call->device, call->device->control, op);
	err = work(call, s, op, iv_len ? iv : NULL, iv + iv_len, result, op->len);
	struct iovec reply[] = { { result, op->len }, { op, sizeof(*op) } };

	if (err)
		fuse_reply_err(call->req, err);
	else
		fuse_reply_ioctl_iov(call->req, 0, reply, 2);
	free(result);
}

/* As crypt_locked(), for a session of a hash. */
static void hash_locked(const struct call *call, struct session *s, struct crypt_op *op)
{
	size_t size = session_hash(s)->size;
	struct iovec in[] = { { call->arg, sizeof(*op) }, { (void *)op->src, op->len } };
	struct iovec out[] = { { op->mac, size }, { call->arg, sizeof(*op) } };
	uint8_t result[MAX_HASH];
	int err;

	/* These requests would crash the module: when decrypting, it hashes the contents of dst. */
	if (op->op != COP_ENCRYPT || op->dst || (op->len && !op->src) || !op->mac) {
		call_invalid(call, EFAULT);
		return;
	}
	if (!call_has_all(call, in, 2, out, 2))
		return;
	err = work(call, s, op, NULL, call->in + sizeof(*op), result, size);
	mark_copied(call->device, call->device->control, op);
	struct iovec reply[] = { { result, size }, { op, sizeof(*op) } };

	if (err)
		fuse_reply_err(call->req, err);
	else
		fuse_reply_ioctl_iov(call->req, 0, reply, 2);
}

static void do_crypt(const struct call *call)
{
	struct crypt_op op;
	struct session *s;

	if (!call_has(call, &op, sizeof(op)))
		return;
	s = session_lock(call->sessions, op.ses);
	/* For an AEAD the module returns a useless result here. kcrypto sets no flag. */
	if (op.flags || op.op > COP_DECRYPT)
		call_invalid(call, EINVAL);
	else if (s && session_hash(s))
		hash_locked(call, s, &op);
	else if (s && op.len % session_cipher(s)->block == 0 && !session_cipher(s)->tag_len)
		crypt_locked(call, s, &op);
	else
		call_invalid(call, EINVAL);
	if (s)
		session_unlock(s);
}

static void do_ioctl(fuse_req_t req, int cmd, void *arg, struct fuse_file_info *fi, unsigned flags,
		     const void *in, size_t in_len, size_t out_len)
{
	struct call call = { .req = req,
			     .device = fuse_req_userdata(req),
			     .sessions = (struct sessions *)(uintptr_t)fi->fh,
			     .arg = arg,
			     .in = in,
			     .in_len = in_len,
			     .out_len = out_len };

	(void)flags;
	switch ((unsigned)cmd) {
	case CIOCGSESSION:
		do_gsession(&call);
		break;
	case CIOCFSESSION:
		do_fsession(&call);
		break;
	case CIOCGSESSINFO:
		do_gsessinfo(&call);
		break;
	case CIOCCRYPT:
		do_crypt(&call);
		break;
	case CIOCAUTHCRYPT:
		call_authcrypt(&call);
		break;
	default:
		control_add(call.device->control, IOCTLS_UNKNOWN, 1);
		fuse_reply_err(req, EINVAL);
	}
}

static void do_open(fuse_req_t req, struct fuse_file_info *fi)
{
	struct device *device = fuse_req_userdata(req);
	int err = (int)control_get(device->control, OPEN_ERRNO);
	struct sessions *sessions = err ? NULL : sessions_new();

	if (!sessions) {
		fuse_reply_err(req, err ? err : ENOMEM);
		return;
	}
	control_add(device->control, FILES_OPENED, 1);
	fi->fh = (uintptr_t)sessions;
	fuse_reply_open(req, fi);
}

static void do_release(fuse_req_t req, struct fuse_file_info *fi)
{
	struct device *device = fuse_req_userdata(req);

	closed(device->control, sessions_free((struct sessions *)(uintptr_t)fi->fh));
	control_add(device->control, FILES_RELEASED, 1);
	fuse_reply_err(req, 0);
}

/* The module supports neither, which the kernel reports as EINVAL. */
static void do_read(fuse_req_t req, size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)size, (void)off, (void)fi;
	fuse_reply_err(req, EINVAL);
}

static void do_write(fuse_req_t req, const char *buf, size_t size, off_t off,
		     struct fuse_file_info *fi)
{
	(void)buf, (void)size, (void)off, (void)fi;
	fuse_reply_err(req, EINVAL);
}

const struct cuse_lowlevel_ops device_ops = {
	.open = do_open,
	.release = do_release,
	.ioctl = do_ioctl,
	.read = do_read,
	.write = do_write,
};
