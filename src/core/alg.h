/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithm table: everything that differs between two algorithms is a column here.
 * The rows are in alg.def. Knows nothing of OpenSSL's API and nothing of the kernel's.
 */
#ifndef KC_CORE_ALG_H
#define KC_CORE_ALG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KC_MAX_KEY   32 /* bytes, over all rows */
#define KC_MAX_IV    16
#define KC_MAX_BLOCK 16

enum kc_kind { KC_CIPHER };

/* How the IV of the next request follows from this one. */
enum kc_iv_rule {
	KC_IV_NONE,	  /* ECB: there is none */
	KC_IV_LAST_BLOCK, /* CBC: the last ciphertext block */
	KC_IV_ADD_BLOCKS, /* CTR: big-endian counter, plus the number of blocks */
};

enum kc_dir { KC_DECRYPT, KC_ENCRYPT };

/* A published vector, in hexadecimal; whole blocks. */
struct kc_kat {
	const char *key, *iv, *plain, *cipher;
};

struct kc_alg {
	enum kc_kind kind;
	const char *names;	 /* OpenSSL's, colon between; the first is the one we print */
	const char *kernel_name; /* of the kernel's crypto API, "cbc(aes)" */
	unsigned key_len;	 /* bytes, this and the next two */
	unsigned iv_len;
	unsigned block_len; /* of the cipher inside; a stream mode works on these too */
	enum kc_iv_rule iv_rule;
	bool stream;		    /* any length, nothing held back, no padding */
	unsigned default_threshold; /* bytes; a shorter request is never worth a system call */
	bool on_by_default;	    /* else only where the configuration names it */
	const struct kc_kat *kat;
};

enum kc_alg_id {
#define KC_ROW(id, ...) KC_ALG_##id,
#include "core/alg.def"
#undef KC_ROW
	KC_ALG_COUNT
};

extern const struct kc_alg kc_algs[KC_ALG_COUNT];

/* The row that has this name, whatever the case; NULL if none. @len bytes of @name count. */
const struct kc_alg *kc_alg_find(const char *name, size_t len);

/* Do two colon-separated lists of names have one in common, whatever the case? */
bool kc_names_share(const char *names, const char *other);

/* The first name of a row, copied to @buf and cut to @size. Returns @buf. */
const char *kc_alg_name(const struct kc_alg *alg, char *buf, size_t size);

/* Longest first name plus the NUL, for buffers. */
#define KC_ALG_NAME_SIZE 32

#endif
