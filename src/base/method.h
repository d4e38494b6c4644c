/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base for code that builds on OpenSSL's older EVP_CIPHER and EVP_MD: calls the built-in
 * implementations' functions directly on a context. It never uses EVP, which asks engines first and
 * might come back to kcrypto. Works the same with 1.1.1 and 3.x.
 */
#ifndef KC_BASE_METHOD_H
#define KC_BASE_METHOD_H

#include <openssl/evp.h>

#include "core/base.h"

/* Functions of an implementation: the built-in one's, or wrappers of them. */
struct kc_cipher_functions {
	int (*init)(EVP_CIPHER_CTX *ctx, const unsigned char *key, const unsigned char *iv,
		    int enc);
	int (*do_cipher)(EVP_CIPHER_CTX *ctx, unsigned char *out, const unsigned char *in,
			 size_t len);
	int (*cleanup)(EVP_CIPHER_CTX *ctx); /* may be NULL, like the next */
	int (*ctrl)(EVP_CIPHER_CTX *ctx, int type, int arg, void *ptr);
};

struct kc_digest_functions {
	int (*init)(EVP_MD_CTX *ctx);
	int (*update)(EVP_MD_CTX *ctx, const void *in, size_t len);
	int (*final)(EVP_MD_CTX *ctx, unsigned char *out);
	int (*copy)(EVP_MD_CTX *to, const EVP_MD_CTX *from); /* may be NULL, like the next two */
	int (*cleanup)(EVP_MD_CTX *ctx);
	int (*ctrl)(EVP_MD_CTX *ctx, int type, int arg, void *ptr);
};

/* The built-in implementation of a row, which is a cipher or a digest. */
struct kc_method {
	struct kc_base base; /* first, so that it has the address of the whole */
	int nid;	     /* OpenSSL's number of the algorithm; 0: there is no base */
	size_t size;	     /* bytes of a context's data */
	union {
		const EVP_CIPHER *their_cipher;
		const EVP_MD *their_digest;
	};
	union {
		struct kc_cipher_functions c;
		struct kc_digest_functions d;
	};
};

/*
 * Returns the method of a row; NULL if libcrypto lacks it or does not allow this use, or if a
 * cipher's mode works neither on whole blocks nor on a key stream. find: returns the method of this
 * kind with OpenSSL's number @nid; NULL if there is none.
 */
const struct kc_method *kc_method(const struct kc_alg *alg);
const struct kc_method *kc_method_find(enum kc_kind kind, int nid);

/* Returns OpenSSL's number of a row's algorithm; 0 if there is no base. */
int kc_method_nid(const struct kc_alg *alg);

/* A cipher's context. The owner of @ctx has it on the stack, or newctx makes both. */
struct kc_method_ctx {
	const struct kc_method *method;
	EVP_CIPHER_CTX *ctx;
	EVP_CIPHER *hidden; /* newctx's: a copy without an id, for which EVP finds no engine */
};

/*
 * A digest's context, made by newctx. Its owner puts the OpenSSL context in; at first there is
 * none.
 */
struct kc_method_digest_ctx {
	const struct kc_method *method;
	EVP_MD_CTX *ctx;
	EVP_MD_CTX *own; /* used without an owner; made on demand, like the next */
	EVP_MD *hidden;	 /* as above */
};

/*
 * Returns a copy of a built-in cipher with this id, further flags, @size bytes of data per context,
 * and these functions; free it by EVP_CIPHER_meth_free(). NULL if memory is short.
 */
EVP_CIPHER *kc_method_copy_cipher(const EVP_CIPHER *theirs, int nid, unsigned long flags, int size,
				  const struct kc_cipher_functions *f);
/* The same for a digest and EVP_MD_meth_free(). @pkey_nid: the id of signatures with it. */
EVP_MD *kc_method_copy_digest(const EVP_MD *theirs, int nid, int pkey_nid, int size,
			      const struct kc_digest_functions *f);

/*
 * Bytes, aligned: room for the context data of any row of this kind. Because it is the same for all
 * rows, a user's own data behind it is found without a lookup.
 */
extern size_t kc_method_room[KC_KIND_COUNT];

/* Fills all rows, until the process ends. Thread-safe. */
void kc_method_open(void);

#endif
