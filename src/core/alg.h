/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithm table. Every difference between two algorithms is a column of struct kc_alg; the
 * rows are in alg.def, kind by kind. This file uses neither OpenSSL's API nor the kernel's.
 */
#ifndef KC_CORE_ALG_H
#define KC_CORE_ALG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KC_MAX_KEY   64 /* bytes, of all ciphers: XTS has two keys */
#define KC_MAX_IV    16
#define KC_MAX_BLOCK 64	 /* bytes, ChaCha20's */
#define KC_MAX_OUT   64	 /* bytes, of a tag, digest or MAC */
#define KC_MAX_AAD   256 /* bytes; a message with more AAD never goes to the kernel */
#define KC_MAX_TAG   16	 /* bytes, of an AEAD's tag */

#define KC_KERNEL_NAME_SIZE 32 /* bytes, with at least one NUL */

#define KC_MAX_MAC_KEY 144 /* bytes, the largest block; software does a MAC with a longer key */

enum kc_kind { KC_CIPHER, KC_AEAD, KC_DIGEST, KC_MAC, KC_KIND_COUNT };

/* How the IV of the next request follows from this one. */
enum kc_iv_rule {
	KC_IV_NONE,	      /* ECB: no IV */
	KC_IV_LAST_BLOCK,     /* CBC, CFB: the last ciphertext block */
	KC_IV_LAST_KEYSTREAM, /* OFB: the last plaintext block xor the last ciphertext block */
	KC_IV_ADD_BLOCKS,     /* CTR: big-endian counter, plus the number of blocks */
	KC_IV_ADD_BLOCKS_LE,  /* ChaCha20: 64 bits, little-endian; the base does not reveal it */
	KC_IV_WHOLE,	      /* XTS: unchanged; an update is a message of its own, never divided */
};

/* AEADs are grouped by the OpenSSL calls that make up a message and a TLS 1.2 record. */
enum kc_family { KC_GCM, KC_CCM, KC_CHACHA20_POLY1305, KC_FAMILY_COUNT };

enum kc_alg_id {
#define KC_ROW(id, ...) KC_ALG_##id,
#include "core/alg.def"
#undef KC_ROW
	KC_ALG_COUNT
};

struct kc_alg {
	enum kc_kind kind;
	/* Arrays, not pointers: each pointer would cost a relocation at load. */
	char names[40]; /* OpenSSL's, each with its NUL, then ""; the first is printed */
	char kernel_name[KC_KERNEL_NAME_SIZE]; /* of the kernel's crypto API, "cbc(aes)" */
	char mac[8];	      /* a MAC's name in OpenSSL, for all its rows; else "" */
	enum kc_alg_id inner; /* the digest or cipher inside a MAC */
	unsigned key_len;     /* bytes, like the next four; 0: any, or none */
	unsigned iv_len;      /* of the IV that the kernel takes */
	unsigned block_len;   /* of the cipher or hash inside; applies to stream modes too */
	unsigned out_len;     /* of a digest or MAC, or the longest tag */
	unsigned state_len;   /* of a digest's state between two blocks; 0: none known */
	enum kc_iv_rule iv_rule;
	/*
	 * A cipher: no padding, nothing held back. An AEAD: text in pieces, final checks the tag.
	 */
	bool stream;
	bool steals;		    /* CTS: an update is a whole message; the base does its end */
	enum kc_family family;	    /* of an AEAD, like the next two */
	unsigned nonce_len;	    /* bytes; 0: any, and the kernel's IV begins with the length */
	unsigned record_iv_len;	    /* bytes of the nonce that a TLS 1.2 record carries */
	unsigned default_threshold; /* bytes: shortest request that may be worth a system call */
	bool legacy;		    /* is in OpenSSL's legacy provider */
	bool named_only;	    /* offered only if the configuration names it; ALL does not */
};

extern const struct kc_alg kc_algs[KC_ALG_COUNT];

/* Bytes: holds the longest first name and its NUL. */
#define KC_ALG_NAME_SIZE 32

/* Returns the first name of a row. */
static inline const char *kc_alg_name(const struct kc_alg *alg)
{
	return alg->names;
}

/* Returns the name that follows @name in a row's names; "" after the last one. */
static inline const char *kc_name_after(const char *name)
{
	return name + strlen(name) + 1;
}

/* Returns the row with this name, in any case; NULL if there is none. */
const struct kc_alg *kc_alg_find(const char *name);

/*
 * True if @alg is the MAC @mac with the digest or cipher @inner. find: returns that row, or NULL.
 */
bool kc_alg_is_mac(const struct kc_alg *alg, const char *mac, const char *inner);
const struct kc_alg *kc_alg_find_mac(const char *mac, const char *inner);

/* True if @name is in @names, a list of OpenSSL's with colons between the names, in any case. */
bool kc_names_have(const char *names, const char *name);

/* True for a digest or MAC: a message and an answer, no direction. */
static inline bool kc_alg_is_hash(const struct kc_alg *alg)
{
	return alg->kind == KC_DIGEST || alg->kind == KC_MAC;
}

/* True if the kernel gets a whole message or nothing; other text may go there in pieces. */
static inline bool kc_alg_is_whole(const struct kc_alg *alg)
{
	return alg->kind != KC_CIPHER || alg->iv_rule == KC_IV_WHOLE;
}

/* True for a cipher that keeps no state but the IV between two calls of whole blocks. */
static inline bool kc_alg_state_is_iv(const struct kc_alg *alg)
{
	return alg->kind == KC_CIPHER && !alg->steals && alg->iv_rule != KC_IV_WHOLE &&
	       alg->iv_rule != KC_IV_ADD_BLOCKS_LE;
}

/* Returns the length of the whole blocks in @len bytes. A cipher's block is a power of two. */
static inline size_t kc_whole_blocks(const struct kc_alg *alg, size_t len)
{
	return len & ~((size_t)alg->block_len - 1);
}

/* Returns the number of bytes after the last whole block. */
static inline size_t kc_part_block(const struct kc_alg *alg, uint64_t len)
{
	return (size_t)len & (alg->block_len - 1);
}

/*
 * Bytes: shorter requests are not measured, so only a configured threshold sends them to the
 * kernel.
 */
#define KC_SHORTEST_MEASURED 64

/*
 * Returns the length, in bytes, from which a process begins to learn. Measuring shorter requests
 * costs more than most of them could save, and a shorter hash is not worth a buffer. The trial may
 * lower this (first_terms.c); kcrypto tune measures from KC_SHORTEST_MEASURED on.
 */
static inline size_t kc_alg_floor(const struct kc_alg *alg)
{
	bool is_cut = !kc_alg_is_hash(alg) && alg->default_threshold > 256;

	return is_cut ? 256 : alg->default_threshold;
}

/* Returns the kind as the kernel knows it: KC_DIGEST for MACs, too. */
static inline enum kc_kind kc_kernel_kind(const struct kc_alg *alg)
{
	return alg->kind == KC_MAC ? KC_DIGEST : alg->kind;
}

/*
 * Strings and numbers without calls. OpenSSL binds all imports of a module when it loads it, so
 * each function that we import costs every process about 700 instructions, used or not.
 */

/* Lower case by ASCII, whatever the locale is. */
static inline char kc_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Upper case by ASCII. */
static inline char kc_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c + 'A' - 'a') : c;
}

/* True if the first @len bytes of both words are the same, in any case. */
static inline bool kc_word_starts(const char *a, const char *b, size_t len)
{
	while (len && *a && kc_lower(*a) == kc_lower(*b)) {
		a++;
		b++;
		len--;
	}
	return !len || kc_lower(*a) == kc_lower(*b);
}

/* True if both words are the same, in any case. */
static inline bool kc_word_is(const char *a, const char *b)
{
	return kc_word_starts(a, b, SIZE_MAX);
}

/* Returns the smaller of two sizes. */
static inline size_t kc_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns the larger of two sizes. */
static inline size_t kc_max(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Returns the last @c in @text; NULL if there is none. */
static inline const char *kc_last(const char *text, char c)
{
	const char *last = NULL;

	for (; *text; text++)
		if (*text == c)
			last = text;
	return last;
}

/* Returns the number after leading blanks; 0 if there is none, UINT64_MAX if it is too large. */
static inline uint64_t kc_decimal(const char *text)
{
	uint64_t n = 0;

	while (*text == ' ' || *text == '\t')
		text++;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
			return UINT64_MAX;
	}
	return n;
}

#endif
