/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks, padding, partial blocks and errors as the default provider has them. If the kernel fails
 * a request, no software can do it: the call fails, and the stream can't continue.
 */
#include "keys/cipher.h"

#include <errno.h>
#include <string.h>

#include "core/quiet.h"

/* Does one request, and advances the IV. 0 or -errno. */
static int run_and_chain(struct kc_keyed_cipher *c, const struct kc_req *req)
{
	uint8_t last[KC_MAX_IV];
	int err;

	kc_copy_short(last, req->in + req->len - c->keyed.alg->iv_len, c->keyed.alg->iv_len);
	err = kc_keyed_run(&c->keyed, req);
	if (!err)
		kc_iv_advance(c->keyed.alg, req, c->iv, last);
	explicit_bzero(last, sizeof(last));
	return err;
}

/* Has the kernel do @len bytes: whole blocks, except in XTS. */
static int run_blocks(struct kc_keyed_cipher *c, uint8_t *out, const uint8_t *in, size_t len)
{
	size_t done = 0, limit = 0;
	KC_QUIETLY;
	int err = kc_keyed_open(&c->keyed);

	if (!err)
		limit = kc_whole_blocks(c->keyed.alg, c->keyed.session.limit);
	if (!err && c->keyed.alg->iv_rule == KC_IV_WHOLE && len > limit)
		err = -EMSGSIZE;
	while (!err && done < len) {
		struct kc_req req = { .dir = c->dir,
				      .iv = c->iv,
				      .in = in + done,
				      .out = out + done,
				      .len = kc_min(len - done, limit) };

		err = run_and_chain(c, &req);
		done += req.len;
	}
	if (!err)
		return 1;
	c->broken = true;
	return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED, "the kernel: %s",
			 kc_keyed_explain(&c->keyed, err));
}

static int check_cipher(const struct kc_keyed_cipher *c)
{
	if (!kc_keyed_has_key(&c->keyed))
		return 0;
	if (c->broken)
		return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED, "an earlier request failed");
	return 1;
}

/*
 * The kernel reads all input of a request before it writes, so in place is fine. @head: bytes of
 * @in that are done first; @head_out: their output.
 */
static int check_overlap(const uint8_t *out, size_t out_len, const uint8_t *in, size_t inl,
			 size_t head, size_t head_out)
{
	uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;

	if (o + out_len <= i || i + inl <= o)
		return 1;
	if (o + head_out == i + head)
		return 1;
	return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED, "input and output overlap");
}

static int check_room(size_t outsize, size_t len)
{
	if (outsize < len)
		return kc_refuse(PROV_R_OUTPUT_BUFFER_TOO_SMALL, "the output does not fit");
	return 1;
}

/*
 * Returns how many of @total bytes can be done now: whole blocks. When decrypting with padding, the
 * last block waits, because it may be the one with the padding.
 */
static size_t ready_of(const struct kc_keyed_cipher *c, size_t total)
{
	size_t block = c->keyed.alg->block_len, rest = total % block;
	bool keeps_last = c->dir == KC_DECRYPT && c->padding;

	if (keeps_last && total && !rest)
		rest = block;
	return total - rest;
}

static int update_blocks(struct kc_keyed_cipher *c, uint8_t *out, size_t *outl, size_t outsize,
			 const uint8_t *in, size_t inl)
{
	size_t block = c->keyed.alg->block_len, ready = ready_of(c, c->held + inl);
	size_t head = 0, head_out = 0;

	if (c->held && ready) {
		head = block - c->held;
		head_out = block;
	}
	if (!check_room(outsize, ready) || !check_overlap(out, ready, in, inl, head, head_out))
		return 0;
	if (head_out) {
		memcpy(c->block + c->held, in, head);
		if (!run_blocks(c, out, c->block, block))
			return 0;
		c->held = 0;
	}
	if (ready > head_out && !run_blocks(c, out + head_out, in + head, ready - head_out))
		return 0;
	in += head + ready - head_out;
	inl -= head + ready - head_out;
	if (inl)
		memcpy(c->block + c->held, in, inl);
	c->held += inl;
	*outl = ready;
	return 1;
}

/* Uses up keystream that is left. Returns the number of bytes. */
static size_t use_keystream(struct kc_keyed_cipher *c, uint8_t *out, const uint8_t *in, size_t inl)
{
	size_t n = 0;

	for (; c->held && n < inl; n++) {
		out[n] = in[n] ^ c->block[c->held];
		c->held = (c->held + 1) % c->keyed.alg->block_len;
	}
	return n;
}

/* Encrypted zeros are the keystream. */
static int update_keystream(struct kc_keyed_cipher *c, uint8_t *out, size_t *outl, size_t outsize,
			    const uint8_t *in, size_t inl)
{
	size_t block = c->keyed.alg->block_len, done, body;

	if (!check_room(outsize, inl) || !check_overlap(out, inl, in, inl, 0, 0))
		return 0;
	done = use_keystream(c, out, in, inl);
	body = (inl - done) / block * block;
	if (body && !run_blocks(c, out + done, in + done, body))
		return 0;
	done += body;
	if (done < inl) {
		memset(c->block, 0, block);
		if (!run_blocks(c, c->block, c->block, block))
			return 0;
		/*
		 * Less than a block is left. Its first byte is done here, because held = 0 means no
		 * keystream.
		 */
		out[done] = in[done] ^ c->block[0];
		c->held = 1;
		use_keystream(c, out + done + 1, in + done + 1, inl - done - 1);
	}
	*outl = inl;
	return 1;
}

/* XTS: a message in one piece. */
static int update_whole(struct kc_keyed_cipher *c, uint8_t *out, size_t *outl, size_t outsize,
			const uint8_t *in, size_t inl)
{
	const struct kc_candidate *candidate = c->keyed.candidate;
	bool is_software = !candidate->driver[0] || candidate->nature == KC_SOFTWARE;
	bool is_given = out && in && inl >= c->keyed.alg->block_len;

	if (!check_room(outsize, inl) || !check_overlap(out, inl, in, inl, 0, 0))
		return 0;
	if (!c->iv_set || !is_given)
		return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED,
				 "XTS needs an IV and a whole block");
	if (inl % c->keyed.alg->block_len && !is_software)
		return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED,
				 "the driver takes only whole blocks");
	*outl = inl;
	return run_blocks(c, out, in, inl);
}

int kc_keyed_cipher_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			   const unsigned char *in, size_t inl)
{
	struct kc_keyed_cipher *c = ctx;

	if (!check_cipher(c))
		return 0;
	if (c->keyed.alg->iv_rule == KC_IV_WHOLE)
		return update_whole(c, out, outl, outsize, in, inl);
	if (c->keyed.alg->stream)
		return update_keystream(c, out, outl, outsize, in, inl);
	return update_blocks(c, out, outl, outsize, in, inl);
}

int kc_keyed_cipher_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			    const unsigned char *in, size_t inl)
{
	struct kc_keyed_cipher *c = ctx;

	if (c->keyed.alg->stream)
		return kc_keyed_cipher_update(ctx, out, outl, outsize, in, inl);
	if (!check_cipher(c))
		return 0;
	if (!check_room(outsize, inl) || !check_overlap(out, inl, in, inl, 0, 0))
		return 0;
	if (inl % c->keyed.alg->block_len)
		return kc_refuse(PROV_R_WRONG_FINAL_BLOCK_LENGTH, "the input is not whole blocks");
	*outl = inl;
	return run_blocks(c, out, in, inl);
}

/* Not constant-time; neither is the default provider's. */
static int unpad(struct kc_keyed_cipher *c, size_t *len)
{
	size_t block = c->keyed.alg->block_len, pad = c->block[block - 1];
	bool ok = pad && pad <= block;

	for (size_t i = 1; ok && i <= pad; i++)
		ok = c->block[block - i] == pad;
	*len = block - pad;
	if (!ok)
		return kc_refuse(PROV_R_BAD_DECRYPT, "the padding is wrong");
	return 1;
}

static int final_encrypt(struct kc_keyed_cipher *c, uint8_t *out, size_t *outl, size_t outsize)
{
	size_t block = c->keyed.alg->block_len, pad = block - c->held;

	*outl = 0;
	if (!c->padding && !c->held)
		return 1;
	if (!c->padding)
		return kc_refuse(PROV_R_WRONG_FINAL_BLOCK_LENGTH, "a block is missing");
	if (!check_room(outsize, block))
		return 0;
	memset(c->block + c->held, (int)pad, pad);
	c->held = 0;
	*outl = block;
	return run_blocks(c, out, c->block, block);
}

static int final_decrypt(struct kc_keyed_cipher *c, uint8_t *out, size_t *outl, size_t outsize)
{
	size_t block = c->keyed.alg->block_len, len = block;
	int ok;

	*outl = 0;
	if (!c->held && !c->padding)
		return 1;
	if (c->held != block)
		return kc_refuse(PROV_R_WRONG_FINAL_BLOCK_LENGTH, "a block is missing");
	c->held = 0;
	ok = run_blocks(c, c->block, c->block, block);
	if (ok && c->padding)
		ok = unpad(c, &len);
	if (ok)
		ok = check_room(outsize, len);
	if (ok) {
		memcpy(out, c->block, len);
		*outl = len;
	}
	explicit_bzero(c->block, sizeof(c->block));
	return ok;
}

int kc_keyed_cipher_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_keyed_cipher *c = ctx;

	*outl = 0;
	if (c->keyed.alg->iv_rule == KC_IV_WHOLE)
		return 1;
	if (!check_cipher(c))
		return 0;
	if (c->keyed.alg->stream)
		return 1;
	if (c->dir == KC_ENCRYPT)
		return final_encrypt(c, out, outl, outsize);
	return final_decrypt(c, out, outl, outsize);
}
