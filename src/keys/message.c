/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD's message, which the default provider takes in pieces and the kernel only as a whole. So
 * the input is kept, and each further piece makes the kernel do the message again from its
 * beginning. Both directions xor the same keystream. So where a tag can't be compared yet,
 * encrypting the ciphertext makes the plaintext; the tag of that is never shown.
 */
#include "keys/aead.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "core/quiet.h"
#include "session/buffers.h"

static int fail_message(struct kc_keyed_aead *a, int err)
{
	const char *why = "a message has at most 64 KiB";

	a->broken = true;
	if (err != -EMSGSIZE)
		why = kc_keyed_explain(&a->keyed, err);
	return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED, "the kernel: %s", why);
}

/* Opens a session, which compares tags of one length. 0 or -errno. */
static int open_for(struct kc_keyed_aead *a, size_t tag_len)
{
	if (a->keyed.tag_len != tag_len)
		kc_session_close(&a->keyed.session);
	a->keyed.tag_len = (unsigned)tag_len;
	return kc_keyed_open(&a->keyed);
}

static int run_message(struct kc_keyed_aead *a, enum kc_dir dir, uint8_t *out, uint8_t *tag)
{
	struct kc_req req = { .dir = dir,
			      .iv = a->iv,
			      .in = a->text,
			      .out = out,
			      .len = a->text_len,
			      .aad = a->aad,
			      .aad_len = a->aad_len,
			      .tag = tag };

	return kc_keyed_run(&a->keyed, &req);
}

/* Writes the result for all text so far to @out. 0 or -errno. */
static int transform(struct kc_keyed_aead *a, uint8_t *out)
{
	int err = open_for(a, KC_MAX_TAG);

	if (!err)
		err = run_message(a, KC_ENCRYPT, out, a->made);
	a->is_whole = !err && a->dir == KC_ENCRYPT;
	return err;
}

/*
 * Decrypts the text so far, if that is all and the tag is right. -EBADMSG: the tag is wrong so far.
 */
static int verify(struct kc_keyed_aead *a, uint8_t *out)
{
	int err = open_for(a, a->tag_len);

	if (!err)
		err = run_message(a, KC_DECRYPT, out, a->tag);
	a->is_whole = !err;
	return err;
}

/* Most programs pass a message in one piece, so a tag that was set is tried first. */
static int first_piece(struct kc_keyed_aead *a, uint8_t *out)
{
	int err = -EBADMSG;

	if (a->dir == KC_DECRYPT && a->tag_len)
		err = verify(a, out);
	if (err == -EBADMSG)
		return transform(a, out);
	return err;
}

/* Does @len more bytes, which follow @from bytes. */
static int next_piece(struct kc_keyed_aead *a, uint8_t *out, size_t from, size_t len)
{
	uint8_t *all = kc_buffer_take();
	int err;

	if (!all)
		return -ENOMEM;
	err = transform(a, all);
	if (!err)
		memcpy(out, all + from, len);
	kc_buffer_give(all, a->text_len);
	return err;
}

/* Keeps the input. 0 or -errno. */
static int keep_text(struct kc_keyed_aead *a, const uint8_t *in, size_t inl)
{
	int err = kc_keyed_open(&a->keyed);

	if (err)
		return err;
	if (inl > a->keyed.session.limit - a->text_len)
		return -EMSGSIZE;
	if (!a->text)
		a->text = kc_buffer_take();
	if (!a->text)
		return -ENOMEM;
	memcpy(a->text + a->text_len, in, inl);
	a->text_len += inl;
	return 0;
}

static int update_text(struct kc_keyed_aead *a, uint8_t *out, const uint8_t *in, size_t inl)
{
	size_t from = a->text_len;
	int err = keep_text(a, in, inl);

	if (!err && from)
		err = next_piece(a, out, from, inl);
	else if (!err)
		err = first_piece(a, out);
	if (err)
		return fail_message(a, err);
	return 1;
}

static int update_aad(struct kc_keyed_aead *a, const uint8_t *in, size_t inl)
{
	if (a->text_len)
		return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED, "AAD must come before the text");
	if (inl > sizeof(a->aad) - a->aad_len) {
		a->broken = true;
		return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED, "AAD has at most %d bytes",
				 KC_MAX_AAD);
	}
	memcpy(a->aad + a->aad_len, in, inl);
	a->aad_len += inl;
	return 1;
}

/* As in the default provider, an encryption without an IV gets a random one. */
static int check_message(struct kc_keyed_aead *a)
{
	if (!kc_keyed_has_key(&a->keyed))
		return 0;
	if (a->broken)
		return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED, "an earlier request failed");
	if (a->is_done)
		return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED,
				 "each message needs an IV of its own");
	if (!a->has_iv && a->dir == KC_ENCRYPT)
		a->has_iv = getrandom(a->iv, sizeof(a->iv), 0) == sizeof(a->iv);
	if (!a->has_iv)
		return kc_refuse(PROV_R_CIPHER_OPERATION_FAILED, "an IV is needed");
	return 1;
}

void kc_keyed_aead_restart(struct kc_keyed_aead *a)
{
	kc_buffer_give(a->text, a->text_len);
	a->text = NULL;
	a->aad_len = 0;
	a->text_len = 0;
	a->is_whole = false;
	a->is_done = false;
	a->broken = false;
}

int kc_keyed_aead_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			  const unsigned char *in, size_t inl)
{
	struct kc_keyed_aead *a = ctx;
	int ok;
	KC_QUIETLY;

	if (!in)
		return kc_keyed_aead_final(ctx, out, outl, outsize);
	*outl = 0;
	if (outsize < inl)
		return kc_refuse(PROV_R_OUTPUT_BUFFER_TOO_SMALL, "the output does not fit");
	if (!check_message(a))
		return 0;
	if (out)
		ok = update_text(a, out, in, inl);
	else
		ok = update_aad(a, in, inl);
	if (ok)
		*outl = inl;
	return ok;
}

int kc_keyed_aead_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			 const unsigned char *in, size_t inl)
{
	*outl = 0;
	if (!inl)
		return 1;
	return kc_keyed_aead_oneshot(ctx, out, outl, outsize, in, inl);
}

/*
 * Gets the kernel's tag or verdict at the end, if it has none for the whole text yet. 0 or -errno.
 */
static int settle(struct kc_keyed_aead *a)
{
	uint8_t *nowhere = kc_buffer_take();
	int err;

	if (!nowhere)
		return -ENOMEM;
	if (a->dir == KC_ENCRYPT)
		err = transform(a, nowhere);
	else
		err = verify(a, nowhere);
	kc_buffer_give(nowhere, a->text_len);
	return err;
}

int kc_keyed_aead_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_keyed_aead *a = ctx;
	int err = 0;
	KC_QUIETLY;

	(void)out;
	(void)outsize;
	*outl = 0;
	if (!check_message(a))
		return 0;
	if (a->dir == KC_DECRYPT && !a->tag_len)
		return kc_refuse(PROV_R_INVALID_TAG, "there is no tag to compare");
	if (!a->is_whole)
		err = settle(a);
	if (err == -EBADMSG)
		return kc_refuse(PROV_R_BAD_DECRYPT, "the tag is wrong");
	if (err)
		return fail_message(a, err);
	if (a->dir == KC_ENCRYPT) {
		memcpy(a->tag, a->made, sizeof(a->tag));
		a->tag_len = sizeof(a->tag);
	}
	kc_keyed_aead_restart(a);
	a->is_done = true;
	return 1;
}
