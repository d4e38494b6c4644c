/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithm table: every difference between two algorithms is a column here. The rows are in
 * alg.def, kind by kind. Knows neither OpenSSL's API nor the kernel's.
 */
#ifndef KC_CORE_ALG_H
#define KC_CORE_ALG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KC_MAX_KEY   64 /* bytes, over all ciphers: XTS has two keys */
#define KC_MAX_IV    16
#define KC_MAX_BLOCK 64	 /* ChaCha20's */
#define KC_MAX_OUT   64	 /* tag, digest or MAC */
#define KC_MAX_AAD   256 /* larger AAD never goes to the kernel */
#define KC_MAX_TAG   16	 /* an AEAD's */

#define KC_KERNEL_NAME_SIZE 32 /* with at least one NUL */

#define KC_MAX_MAC_KEY 144 /* bytes, the largest block; software does a MAC with a longer key */

enum kc_kind { KC_CIPHER, KC_AEAD, KC_DIGEST, KC_MAC, KC_KIND_COUNT };

/* How to get the IV of the next request from this one. */
enum kc_iv_rule {
	KC_IV_NONE,	      /* ECB: no IV */
	KC_IV_LAST_BLOCK,     /* CBC, CFB: the last ciphertext block */
	KC_IV_LAST_KEYSTREAM, /* OFB: the last plaintext block xor the last ciphertext block */
	KC_IV_ADD_BLOCKS,     /* CTR: big-endian counter, plus the number of blocks */
	KC_IV_ADD_BLOCKS_LE,  /* ChaCha20: 64 bits, little-endian; the base does not reveal it */
	KC_IV_WHOLE,	      /* XTS: unchanged; an update is a message of its own, never divided */
};

/* AEADs: the sets of OpenSSL calls for a message and for a TLS 1.2 record. */
enum kc_family { KC_GCM, KC_CCM, KC_CHACHA20_POLY1305, KC_FAMILY_COUNT };

enum kc_alg_id {
#define KC_ROW(id, ...) KC_ALG_##id,
#include "core/alg.def"
#undef KC_ROW
	KC_ALG_COUNT
};

struct kc_alg {
	enum kc_kind kind;
	/* No pointers: each would cost a relocation. */
	char names[40]; /* OpenSSL's, each with its NUL, and an empty one; we print the first */
	char kernel_name[KC_KERNEL_NAME_SIZE]; /* in the kernel's crypto API, "cbc(aes)" */
	char mac[8];	      /* of a MAC, else "": OpenSSL's name for all its rows, */
	enum kc_alg_id inner; /* and the digest or cipher inside */
	unsigned key_len;     /* bytes, like the next three; 0: any, or none */
	unsigned iv_len;      /* as the kernel takes it */
	unsigned block_len;   /* of the cipher or hash inside; applies to stream modes too */
	unsigned out_len;     /* of a digest or MAC, or the longest tag */
	unsigned state_len;   /* of a digest between two blocks; 0: we know no such state */
	enum kc_iv_rule iv_rule;
	/* Nothing is held back, no padding. AEAD: text comes in pieces, final checks the tag. */
	bool stream;
	bool steals;		    /* CTS: an update is a whole message; the base does its end */
	enum kc_family family;	    /* of an AEAD, like the next two */
	unsigned nonce_len;	    /* bytes; 0: any, and the kernel's IV begins with its length */
	unsigned record_iv_len;	    /* bytes of it that a TLS 1.2 record carries */
	unsigned default_threshold; /* bytes: a request this long may be worth a system call */
	bool legacy;		    /* belongs to OpenSSL's legacy provider */
	bool named_only;	    /* off, even with ALL, unless the configuration names it */
};

extern const struct kc_alg kc_algs[KC_ALG_COUNT];

/* The longest first name plus the NUL, for buffers. */
#define KC_ALG_NAME_SIZE 32

/* The first name of a row. */
static inline const char *kc_alg_name(const struct kc_alg *alg)
{
	return alg->names;
}

/* The name behind one of a row's; "": that was the last one. */
static inline const char *kc_name_after(const char *name)
{
	return name + strlen(name) + 1;
}

/* Returns the row that has this name, in upper or lower case; NULL if none has it. */
const struct kc_alg *kc_alg_find(const char *name);

/* Is @alg the MAC @mac with the digest or cipher of this name inside? find: returns that row. */
bool kc_alg_is_mac(const struct kc_alg *alg, const char *mac, const char *inner);
const struct kc_alg *kc_alg_find_mac(const char *mac, const char *inner);

/* Is @name in one of OpenSSL's lists, separated by colons, whatever the case? */
bool kc_names_have(const char *names, const char *name);

/* It has a message and an answer, and no direction. */
static inline bool kc_alg_is_hash(const struct kc_alg *alg)
{
	return alg->kind == KC_DIGEST || alg->kind == KC_MAC;
}

/* Does the kernel get a whole message or nothing? Any other text may go there in pieces. */
static inline bool kc_alg_is_whole(const struct kc_alg *alg)
{
	return alg->kind != KC_CIPHER || alg->iv_rule == KC_IV_WHOLE;
}

/* Has the cipher no state but the IV between two calls, if their input is whole blocks? */
static inline bool kc_alg_state_is_iv(const struct kc_alg *alg)
{
	return alg->kind == KC_CIPHER && !alg->steals && alg->iv_rule != KC_IV_WHOLE &&
	       alg->iv_rule != KC_IV_ADD_BLOCKS_LE;
}

/* The whole blocks in @len bytes, in bytes. A cipher's block is a power of two. */
static inline size_t kc_whole_blocks(const struct kc_alg *alg, size_t len)
{
	return len & ~((size_t)alg->block_len - 1);
}

/* The bytes beyond these. */
static inline size_t kc_part_block(const struct kc_alg *alg, uint64_t len)
{
	return (size_t)len & (alg->block_len - 1);
}

/* Bytes: shorter requests are not measured, and so never go to the kernel unless told to. */
#define KC_SHORTEST_MEASURED 64

/*
 * Bytes: a process begins to learn from requests of this length, as looking at shorter ones costs
 * more than most of them could save, and a hash of that length is worth no buffer. Its trial may
 * lower this (terms.c), and kcrypto tune measures from KC_SHORTEST_MEASURED on.
 */
static inline size_t kc_alg_floor(const struct kc_alg *alg)
{
	bool is_cut = !kc_alg_is_hash(alg) && alg->default_threshold > 256;

	return is_cut ? 256 : alg->default_threshold;
}

/* The kernel does not distinguish digests from MACs: KC_DIGEST for both. */
static inline enum kc_kind kc_kernel_kind(const struct kc_alg *alg)
{
	return alg->kind == KC_MAC ? KC_DIGEST : alg->kind;
}

/*
 * Words and numbers without calls: every function that a module imports is looked up in each
 * process that loads it, used or not, as OpenSSL wants all of them at once. Each takes 700
 * instructions.
 */

/* ASCII's, whatever the locale is. */
static inline char kc_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* ASCII's upper case. */
static inline char kc_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c + 'A' - 'a') : c;
}

/* The same word in any case? @len bytes of both count. */
static inline bool kc_word_starts(const char *a, const char *b, size_t len)
{
	while (len && *a && kc_lower(*a) == kc_lower(*b)) {
		a++;
		b++;
		len--;
	}
	return !len || kc_lower(*a) == kc_lower(*b);
}

/* The same word in any case, as a whole? */
static inline bool kc_word_is(const char *a, const char *b)
{
	return kc_word_starts(a, b, SIZE_MAX);
}

/* The smaller of two sizes. */
static inline size_t kc_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The larger of two sizes. */
static inline size_t kc_max(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The last @c of @text; NULL: there is none. */
static inline const char *kc_last(const char *text, char c)
{
	const char *last = NULL;

	for (; *text; text++)
		if (*text == c)
			last = text;
	return last;
}

/* The number behind blanks; 0: there is none; UINT64_MAX: it is too large. */
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
