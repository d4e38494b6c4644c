/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of questions, of at most about a page. Longer requests are left to the first pairs of
 * a program, because software's answer to one request of 64 KiB takes longer than all of these.
 */
#include "offload/classes.h"

#include "core/base.h"

/*
 * Drivers handle ends of blocks and pages, and addresses, in code of their own: they pad, split and
 * align there. A counter may carry after 32, 64 or 128 bits.
 */
static const struct kc_class of_cipher[] = {
	{ .blocks = 1 },
	{ .blocks = 1, .memory = KC_APART, .in_offset = 4, .out_offset = 4 },
	{ .blocks = 3, .memory = KC_APART, .in_offset = 1, .out_offset = 16, .iv_ones = 4 },
	{ .blocks = 4, .memory = KC_APART, .in_offset = 16, .out_offset = 1, .iv_ones = 8 },
	{ .blocks = 17, .memory = KC_APART, .in_offset = 16, .out_offset = 16, .iv_ones = 16 },
	{ .pages = 1, .blocks = -1 },
	{ .pages = 1, .memory = KC_APART },
	{ .pages = 1, .blocks = 1, .memory = KC_APART, .in_offset = 4, .out_offset = 1 },
	/* A tweak that is no sector's number. */
	{ .blocks = 4, .tweak_ones = 8 },
};

/* The text follows the AAD: after 13 bytes, as in TLS, it lies at +13; after 16, at +16. */
static const struct kc_class of_aead[] = {
	{ .blocks = 1, .aad_len = 13 },
	{ .bytes = 1 },
	{ .blocks = 1, .bytes = -1, .aad_len = 16 },
	{ .blocks = 4 },
	{ .blocks = 4, .bytes = 1, .aad_len = 1 },
	{ .blocks = 17, .aad_len = KC_MAX_AAD },
	{ .pages = 1 },
	{ .pages = 1, .bytes = -13, .aad_len = 13 }, /* a page with its AAD */
	{ .pages = 1, .bytes = 1, .aad_len = 20 },
};

/*
 * The last block holds the end of the message, one more bit, and the message's length (an eighth of
 * a block), if that fits. Requests begin at a page's start. An empty message never goes to the
 * kernel.
 */
static const struct kc_class of_hash[] = {
	{ .blocks = 1 },
	{ .blocks = 1, .eighths = -1, .bytes = -1 }, /* the length just fits */
	{ .blocks = 1, .eighths = -1 },		     /* the length just does not fit */
	{ .blocks = 1, .bytes = -1 },
	{ .blocks = 1, .bytes = 1 },
	{ .blocks = 17 },
	{ .pages = 1, .bytes = -1 },
	{ .pages = 1 },
	{ .pages = 1, .bytes = 1 },
};

/* All words are valid midstates, so each question has others. */
static const struct kc_class of_blocks[] = {
	{ .blocks = 1 },
	{ .blocks = 2 },
	{ .blocks = 3 },
	{ .blocks = 17 },
	{ .pages = 1, .blocks = -1 },
	{ .pages = 1 },
	{ .pages = 1, .blocks = 1 },
};

size_t kc_classes_of_blocks(const struct kc_class **classes)
{
	*classes = of_blocks;
	return sizeof(of_blocks) / sizeof(of_blocks[0]);
}

#define TABLE(kind, rows) [kind] = { rows, sizeof(rows) / sizeof((rows)[0]) }

size_t kc_classes_of(enum kc_kind kind, const struct kc_class **classes)
{
	static const struct {
		const struct kc_class *rows;
		size_t n;
	} tables[] = {
		TABLE(KC_CIPHER, of_cipher),
		TABLE(KC_AEAD, of_aead),
		TABLE(KC_DIGEST, of_hash),
		TABLE(KC_MAC, of_hash),
	};

	*classes = tables[kind].rows;
	return tables[kind].n;
}

bool kc_class_fits(const struct kc_class *class, const struct kc_alg *alg)
{
	if (!class->tweak_ones)
		return true;
	return alg->iv_rule == KC_IV_WHOLE;
}

size_t kc_class_len(const struct kc_class *class, const struct kc_alg *alg, size_t limit)
{
	int block = (int)alg->block_len;
	size_t len = (size_t)(class->pages * KC_CLASS_PAGE + class->blocks * block +
			      class->eighths * block / 8 + class->bytes);

	if (len < limit)
		return len;
	if (alg->kind == KC_CIPHER)
		return kc_whole_blocks(alg, limit);
	return limit;
}

bool kc_class_is_short(const struct kc_class *class)
{
	return !class->pages && class->blocks <= 4;
}

bool kc_class_is_long(const struct kc_class *class)
{
	return class->pages;
}

enum trait {
	/* The length is so many of these, or one unit less, or one unit more. */
	OF_PAGES,
	OF_BLOCKS = OF_PAGES + 3,
	WITH_AAD_OF_PAGES = OF_BLOCKS + 3,
	ENDS_IN_LENGTH, /* the message's length needs a block of its own */
	IS_LARGEST,
	/* The address is a multiple of a page, of 16, of 4, or of 1. */
	IN_AT,
	OUT_AT = IN_AT + 4,
	AAD_AT = OUT_AT + 4, /* length: 0, or a multiple of 16, of 4, or of 1 */
	KEY_OF = AAD_AT + 4, /* length: a block, less, or more */
	/*
	 * A cipher's tweak: a sector's number with up to SECTORS bytes, or with more; or another.
	 */
	TWEAK_OF = KEY_OF,
	TAG_OF = KEY_OF + 3,   /* 16 bytes, 12 to 15, 8 to 11, or less */
	NONCE_OF = TAG_OF + 4, /* a TLS record's length, or another */
	TRAITS = NONCE_OF + 2,
};

_Static_assert(TRAITS <= 32, "each trait has a bit");

static uint32_t bit(unsigned trait, unsigned n)
{
	return (uint32_t)1 << (trait + n);
}

/* @unit: the smallest difference between two lengths. */
static uint32_t edge(unsigned trait, size_t len, size_t of, size_t unit)
{
	size_t rest = len % of;

	if (rest == 0)
		return bit(trait, 0);
	if (rest == of - unit)
		return bit(trait, 1);
	if (rest == unit && len > of)
		return bit(trait, 2);
	return 0;
}

/* @n: an address. */
static uint32_t at_address(unsigned trait, uintptr_t n)
{
	if (n % KC_CLASS_PAGE == 0)
		return bit(trait, 0);
	if (n % 16 == 0)
		return bit(trait, 1);
	if (n % 4 == 0)
		return bit(trait, 2);
	return bit(trait, 3);
}

static uint32_t with_aad(size_t len)
{
	if (!len)
		return bit(AAD_AT, 0);
	if (len % 16 == 0)
		return bit(AAD_AT, 1);
	if (len % 4 == 0)
		return bit(AAD_AT, 2);
	return bit(AAD_AT, 3);
}

static uint32_t with_key(size_t len, size_t block_len)
{
	if (len == block_len)
		return bit(KEY_OF, 0);
	if (len < block_len)
		return bit(KEY_OF, 1);
	return bit(KEY_OF, 2);
}

/* Bytes: at least one driver divides longer texts into sectors and counts them. */
#define SECTORS 32768

static uint32_t traits_of_tweak(const struct kc_alg *alg, const struct kc_req *req)
{
	static const uint8_t zeros[KC_MAX_IV / 2];

	if (alg->iv_rule != KC_IV_WHOLE)
		return 0;
	if (memcmp(req->iv + KC_MAX_IV / 2, zeros, sizeof(zeros)) != 0)
		return bit(TWEAK_OF, 2);
	return bit(TWEAK_OF, req->len > SECTORS);
}

static uint32_t traits_of_cipher(const struct kc_session *session, const struct kc_req *req)
{
	uint32_t traits = edge(OF_PAGES, req->len, KC_CLASS_PAGE, session->alg->block_len);

	traits |= traits_of_tweak(session->alg, req);
	/* A backend that copies hides the addresses from the driver. */
	if (session->backend->copies)
		return traits;
	traits |= at_address(IN_AT, (uintptr_t)req->in);
	return traits | at_address(OUT_AT, (uintptr_t)req->out);
}

/*
 * The first byte of CCM's IV is the size of the length field, less one; it follows from the nonce's
 * length.
 */
static bool has_other_nonce(const struct kc_alg *alg, const struct kc_req *req)
{
	return !alg->nonce_len && req->iv[0] != alg->iv_len - 2 - KC_RECORD_NONCE;
}

static uint32_t traits_of_aead(const struct kc_session *session, const struct kc_req *req)
{
	const struct kc_alg *alg = session->alg;
	unsigned short_by = (KC_MAX_TAG - session->tag_len + 3) / 4;
	uint32_t traits = edge(OF_PAGES, req->len, KC_CLASS_PAGE, 1);

	traits |= bit(TAG_OF, (unsigned)kc_min(short_by, 3));
	traits |= bit(NONCE_OF, has_other_nonce(alg, req));

	traits |= edge(OF_BLOCKS, req->len, alg->block_len, 1);
	if ((req->len + req->aad_len) % KC_CLASS_PAGE == 0)
		traits |= bit(WITH_AAD_OF_PAGES, 0);
	return traits | with_aad(req->aad_len);
}

static uint32_t traits_of_hash(const struct kc_alg *alg, const struct kc_req *req, size_t key_len)
{
	uint32_t traits = edge(OF_PAGES, req->len, KC_CLASS_PAGE, 1);

	traits |= edge(OF_BLOCKS, req->len, alg->block_len, 1);
	if (req->len % alg->block_len >= alg->block_len - alg->block_len / 8)
		traits |= bit(ENDS_IN_LENGTH, 0);
	if (alg->kind == KC_MAC && !alg->key_len)
		traits |= with_key(key_len, alg->block_len);
	return traits;
}

uint32_t kc_traits(const struct kc_session *session, const struct kc_req *req, size_t key_len)
{
	const struct kc_alg *alg = session->alg;
	uint32_t largest = req->len == session->limit ? bit(IS_LARGEST, 0) : 0;

	if (alg->kind == KC_CIPHER)
		return largest | traits_of_cipher(session, req);
	if (alg->kind == KC_AEAD)
		return largest | traits_of_aead(session, req);
	return largest | traits_of_hash(alg, req, key_len);
}

bool kc_traits_mark_is_telling(const struct kc_alg *alg)
{
	bool has_nonces = alg->kind == KC_AEAD && !alg->nonce_len;

	return alg->iv_rule != KC_IV_WHOLE && !has_nonces;
}
