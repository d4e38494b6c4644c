/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-in's MACs of messages that come in pieces, by the descriptor of the session. */
#include "pieces.h"

#include <sys/stat.h>

#include <openssl/params.h>

static EVP_MAC_CTX *begun[PIECES_FDS];

bool pieces_has(int fd)
{
	return begun[fd];
}

static EVP_MAC_CTX *begin(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, const uint8_t *key,
			  size_t key_len)
{
	EVP_MAC *mac = EVP_MAC_fetch(ctx, alg->mac, NULL);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(mac);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("digest", (char *)(uintptr_t)alg->inner, 0),
		OSSL_PARAM_construct_end(),
	};

	EVP_MAC_free(mac);
	if (EVP_MAC_init(c, key, key_len, params))
		return c;
	EVP_MAC_CTX_free(c);
	return NULL;
}

bool pieces_is_there(const struct kc_session *s)
{
	struct stat st;

	return fstat(s->fd, &st) == 0 && st.st_ino == s->ino && st.st_dev == s->dev;
}

bool pieces_feed(OSSL_LIB_CTX *ctx, const struct kc_session *s, const uint8_t *key, size_t key_len,
		 const struct kc_req *req)
{
	size_t n;
	bool ok;

	if (!begun[s->fd])
		begun[s->fd] = begin(ctx, s->alg, key, key_len);
	ok = pieces_is_there(s) && begun[s->fd] &&
	     EVP_MAC_update(begun[s->fd], req->in, req->len) &&
	     (!req->tag || EVP_MAC_final(begun[s->fd], req->tag, &n, s->alg->out_len));
	if (!ok || req->tag)
		pieces_end(s->fd);
	return ok;
}

void pieces_copy(int to, int from)
{
	begun[to] = begun[from] ? EVP_MAC_CTX_dup(begun[from]) : NULL;
}

void pieces_end(int fd)
{
	EVP_MAC_CTX_free(begun[fd]);
	begun[fd] = NULL;
}
