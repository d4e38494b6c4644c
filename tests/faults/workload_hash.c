/* SPDX-License-Identifier: Apache-2.0 */
/* A digest's and a MAC's workload: the same program, over two small interfaces. */
#include "faults/checked.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include "integration/message.h"

#define SMALL 1024
#define LARGE 40000

static struct hash fresh(OSSL_LIB_CTX *lib, const struct workload *w, bool is_mac)
{
	EVP_MAC *mac;
	EVP_MD *md;
	struct hash h;

	checked_ready();
	mac = is_mac ? EVP_MAC_fetch(lib, w->name, w->query) : NULL;
	md = is_mac ? NULL : EVP_MD_fetch(lib, w->name, w->query);
	h = hash_new(md, mac, w->name, w->inner);
	checked_must((mac || md) && (h.mac || h.md), "fetch");
	checked_must(!ERR_peek_error(), "fetching left an error");
	checked_ready();
	checked_done(hash_start(&h, checked_key, 16), "init");
	EVP_MAC_free(mac);
	EVP_MD_free(md);
	return h;
}

static void start(const struct hash *h, const unsigned char *key)
{
	checked_done(hash_start(h, key, 16), "init");
}

static void update(const struct hash *h, const unsigned char *in, size_t len)
{
	checked_done(hash_update(h, in, len), "update");
}

static void end(struct workload *w, const struct hash *h)
{
	size_t n = hash_final(h, w->transcript + w->len);

	checked_done(n > 0, "final");
	w->len += n;
}

static void let_go(struct hash *h)
{
	hash_free(h);
	checked_done(true, "");
}

static void messages(struct workload *w, const struct hash *h)
{
	static const size_t len[] = { SMALL, LARGE, 1, CHECKED_LARGE - 8, SMALL + 7, SMALL };

	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++) {
		if (i)
			start(h, i % 2 ? NULL : checked_key);
		update(h, checked_plain + i, len[i]);
		end(w, h);
		if (i == 0 && w->begun)
			w->begun();
	}
}

/* A message that both go on with, in pieces. */
static void copied(struct workload *w, const struct hash *h)
{
	struct hash copy;

	start(h, checked_key);
	update(h, checked_plain, SMALL);
	update(h, checked_plain + 3, LARGE);
	copy = hash_copy(h);
	checked_done(copy.mac || copy.md, "copy");
	update(h, checked_plain + 5, SMALL);
	update(&copy, checked_plain + 7, SMALL);
	end(w, &copy);
	end(w, h);
	let_go(&copy);
}

static void another_key(struct workload *w, const struct hash *h, const struct hash *second)
{
	start(second, checked_other_key);
	update(second, checked_plain, SMALL);
	start(h, checked_other_key);
	update(h, checked_plain, SMALL);
	end(w, h);
	update(second, checked_plain, LARGE);
	end(w, second);
}

static void again(struct workload *w, void *context)
{
	start(context, NULL);
	update(context, checked_plain, CHECKED_AGAIN);
	end(w, context);
}

static const char *play(OSSL_LIB_CTX *lib, struct workload *w, bool is_mac)
{
	struct hash h, second;

	checked_begin(w);
	h = fresh(lib, w, is_mac);
	second = fresh(lib, w, is_mac);
	messages(w, &h);
	copied(w, &h);
	another_key(w, &h, &second);
	checked_recover(w, again, &h);
	let_go(&h);
	let_go(&second);
	return checked_end();
}

const char *workload_digest(OSSL_LIB_CTX *lib, struct workload *w)
{
	return play(lib, w, false);
}

const char *workload_mac(OSSL_LIB_CTX *lib, struct workload *w)
{
	return play(lib, w, true);
}
