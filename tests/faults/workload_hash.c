/* SPDX-License-Identifier: Apache-2.0 */
/* A digest's and a MAC's workload: the same program, over two small interfaces. */
#include "faults/checked.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include "integration/message.h"

#define SMALL 1024
#define LARGE 40000

struct context {
	EVP_MD_CTX *digest; /* one of the two */
	EVP_MAC_CTX *mac;
	EVP_MD *md;
	struct workload *w;
};

/* A digest has no key. */
static bool init(struct context *c, const unsigned char *key)
{
	return c->mac ? mac_start(c->mac, c->w->name, c->w->inner, key, 16) :
			EVP_DigestInit_ex2(c->digest, c->md, NULL);
}

static struct context fresh(OSSL_LIB_CTX *lib, struct workload *w, bool is_mac)
{
	struct context c = { .w = w };
	EVP_MAC *mac;

	checked_ready();
	if (is_mac) {
		mac = EVP_MAC_fetch(lib, w->name, w->query);
		c.mac = EVP_MAC_CTX_new(mac);
		EVP_MAC_free(mac);
	} else {
		c.md = EVP_MD_fetch(lib, w->name, w->query);
		c.digest = EVP_MD_CTX_new();
	}
	checked_must(c.mac || (c.md && c.digest), "fetch");
	checked_must(!ERR_peek_error(), "fetching left an error");
	checked_ready();
	checked_done(init(&c, checked_key), "init");
	return c;
}

static void start(struct context *c, const unsigned char *key)
{
	checked_done(init(c, key), "init");
}

static void update(struct context *c, const unsigned char *in, size_t len)
{
	checked_done(c->mac ? EVP_MAC_update(c->mac, in, len) :
			      EVP_DigestUpdate(c->digest, in, len),
		     "update");
}

static void end(struct context *c)
{
	unsigned char *out = c->w->transcript + c->w->len;
	unsigned n = 0;
	size_t len = 0;
	bool ok = c->mac ? EVP_MAC_final(c->mac, out, &len, EVP_MAX_MD_SIZE) :
			   EVP_DigestFinal_ex(c->digest, out, &n);

	checked_done(ok, "final");
	c->w->len += c->mac ? len : n;
}

static struct context copy_of(const struct context *from)
{
	struct context c = { .w = from->w };
	bool ok;

	c.digest = from->mac ? NULL : EVP_MD_CTX_new();
	c.mac = from->mac ? EVP_MAC_CTX_dup(from->mac) : NULL;
	ok = c.mac || EVP_MD_CTX_copy_ex(c.digest, from->digest);
	checked_done(ok, "copy");
	return c;
}

static void let_go(struct context *c)
{
	EVP_MD_CTX_free(c->digest);
	EVP_MAC_CTX_free(c->mac);
	EVP_MD_free(c->md);
	checked_done(true, "");
}

static void messages(struct context *c)
{
	static const size_t len[] = { SMALL, LARGE, 1, CHECKED_LARGE - 8, SMALL + 7, SMALL };

	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++) {
		if (i)
			start(c, i % 2 ? NULL : checked_key);
		update(c, checked_plain + i, len[i]);
		end(c);
		if (i == 0 && c->w->begun)
			c->w->begun();
	}
}

/* A message that both go on with, in pieces. */
static void copied(struct context *c)
{
	struct context copy;

	start(c, checked_key);
	update(c, checked_plain, SMALL);
	update(c, checked_plain + 3, LARGE);
	copy = copy_of(c);
	update(c, checked_plain + 5, SMALL);
	update(&copy, checked_plain + 7, SMALL);
	end(&copy);
	end(c);
	let_go(&copy);
}

static void another_key(struct context *c, struct context *second)
{
	start(second, checked_other_key);
	update(second, checked_plain, SMALL);
	start(c, checked_other_key);
	update(c, checked_plain, SMALL);
	end(c);
	update(second, checked_plain, LARGE);
	end(second);
}

static void again(struct workload *w, void *context)
{
	(void)w;
	start(context, NULL);
	update(context, checked_plain, CHECKED_AGAIN);
	end(context);
}

static const char *play(OSSL_LIB_CTX *lib, struct workload *w, bool is_mac)
{
	struct context c, second;

	checked_begin(w);
	c = fresh(lib, w, is_mac);
	second = fresh(lib, w, is_mac);
	messages(&c);
	copied(&c);
	another_key(&c, &second);
	checked_recover(w, again, &c);
	let_go(&c);
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
