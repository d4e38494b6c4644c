/* SPDX-License-Identifier: Apache-2.0 */
/* CIOCAUTHCRYPT for AEADs. The module's other protocols get EINVAL. */
#include "cuse/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/devcrypto_abi.h"

static int work(const struct call *call, struct session *s, const struct crypt_auth_op *op,
		const uint8_t *iv, const uint8_t *aad, uint8_t *text, size_t len)
{
	struct request r = device_begin(call->device->control);

	if (!r.err)
		r.err = -session_auth(s, op->op, iv, aad, op->auth_len, text, len);
	return device_end(&r, len, text, len);
}

/*
 * With the session locked. The input behind the structure is the IV, the AAD and the source; the
 * output precedes the structure.
 */
static void auth_locked(const struct call *call, struct session *s, struct crypt_auth_op *op,
			unsigned tag_len)
{
	bool is_encryption = op->op == COP_ENCRYPT;
	size_t iv_len = session_cipher(s)->iv_len, len = op->len - (is_encryption ? 0 : tag_len);
	size_t made = len + (is_encryption ? tag_len : 0);
	struct iovec in[] = { { call->arg, sizeof(*op) },
			      { op->iv, iv_len },
			      { (void *)op->auth_src, op->auth_len },
			      { (void *)op->src, op->len } };
	struct iovec out[] = { { op->dst, made }, { call->arg, sizeof(*op) } };
	const uint8_t *iv = call->in + sizeof(*op);
	uint8_t *text;
	int err;

	if (!call_has_all(call, in, 4, out, 2))
		return;
	text = malloc(len + tag_len);
	if (!text) {
		fuse_reply_err(call->req, ENOMEM);
		return;
	}
	memcpy(text, iv + iv_len + op->auth_len, op->len);
	err = work(call, s, op, iv, iv + iv_len, text, len);
	op->len = (uint32_t)made;
	op->tag = op->dst + len;
	struct iovec reply[] = { { text, made }, { op, sizeof(*op) } };

	if (err)
		fuse_reply_err(call->req, err);
	else
		fuse_reply_ioctl_iov(call->req, 0, reply, 2);
	free(text);
}

void call_authcrypt(const struct call *call)
{
	struct crypt_auth_op op;
	struct session *s;
	int tag_len = -EINVAL;

	if (!call_has(call, &op, sizeof(op)))
		return;
	s = session_lock(call->sessions, op.ses);
	if (s && session_cipher(s)->tag_len)
		tag_len = session_tag_len(s, op.tag_len);
	/* Without an IV, a text or a destination, the module uses whatever is there. */
	if (tag_len < 0 || op.op > COP_DECRYPT || op.flags || !op.iv || !op.src || !op.dst ||
	    op.auth_len > (uint32_t)sysconf(_SC_PAGESIZE) || (op.auth_len && !op.auth_src) ||
	    (op.op == COP_DECRYPT && op.len < (unsigned)tag_len))
		call_invalid(call, EINVAL);
	else
		auth_locked(call, s, &op, (unsigned)tag_len);
	if (s)
		session_unlock(s);
}
