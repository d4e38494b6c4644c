/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A differential round: two contexts of one algorithm, ours and a reference, live the same random
 * life, and are compared after each call. What follows here serves all kinds of algorithms and,
 * with OpenSSL 1.1.1 too, the engine.
 */
#ifndef KC_TESTS_DIFF_PLAY_H
#define KC_TESTS_DIFF_PLAY_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/evp.h>

#include "diff/diff.h"

/* Others put errors into the queue while a kcrypto call pauses. */
extern bool queue_is_shared;

#define CONTEXTS 3
#define ROOM	 (160 * 1024) /* bytes of a buffer: two largest requests and a bit */
#define MARGIN	 64

/*
 * Pointers to an IV inside two contexts, as OpenSSL hands them out: a program may keep one, and
 * read and write through it as long as the context has its cipher. NULL: none was taken.
 */
struct iv_pointer {
	unsigned char *at[2];
};

/* [0] is ours, [1] the reference; one of the three kinds of contexts. */
struct twins {
	const struct play *play;
	EVP_CIPHER_CTX *cipher[2];
	EVP_MD_CTX *md[2];
	struct evp_mac_ctx_st *mac[2];
	int enc;
	bool keyed, has_iv;
	bool tls;    /* records: an AEAD's, or a MAC's, whose updates then have other rules */
	bool fed;    /* text since the last init, kept by who needs it */
	bool sealed; /* an AEAD's last call encrypted a text, or asked for its tag */
	/* As set the last time. */
	unsigned char key[EVP_MAX_KEY_LENGTH], iv[EVP_MAX_IV_LENGTH];
	int iv_len, tag_len;
	struct iv_pointer kept[2]; /* to the original IV, to the next block's */
};

struct play;

/* How to live. */
struct kind {
	size_t least, most; /* steps */
	bool (*start)(struct play *p, struct twins *t);
	bool (*step)(struct play *p, struct twins *t);
	bool (*last)(struct play *p, struct twins *t); /* of each context */
	void (*end)(struct twins *t);
};

struct play {
	struct random random;
	const struct kind *kind;
	const char *name; /* the algorithm's */
	const EVP_CIPHER *cipher[2];
	struct engine_st *engine;   /* ours comes from there; or NULL */
	size_t shown;		    /* bytes behind a pointer to an IV */
	const struct diff_row *row; /* of the provider's table, see row.h; or NULL */
	struct twins twins[CONTEXTS];
	unsigned char *in[2], *out[2]; /* ROOM each */
	bool ok;		       /* the reference's last call succeeded */
	char trace[2048];	       /* the calls so far, for a mismatch */
	size_t traced;
};

/* Bytes that a round needs: its buffers, and itself, as a job has a small stack. */
#define PLAY_ROOM (4 * ROOM + sizeof(struct play))

static inline struct play *play_in(unsigned char *room)
{
	return (struct play *)(void *)(room + 4 * ROOM);
}

/*
 * Plays a round; @p: random, kind, and what the kind needs to know. False, and says why on stderr,
 * if the two differ.
 */
bool play_round(struct play *p, unsigned char *room);
bool play_fail(struct play *p, const char *what);

static inline size_t below(struct play *p, size_t n)
{
	return random_below(&p->random, n);
}

static inline bool one_in(struct play *p, size_t n)
{
	return below(p, n) == 0;
}

/*
 * Lengths and places where drivers break: whole blocks, pages and 64 KiB, and their neighbours;
 * from the start of a page, or a little behind it.
 */
extern bool play_at_edges;

/* Unless there: mostly short, seldom up to @most; of whole blocks now and then. */
size_t some_length(struct play *p, size_t most);

/*
 * Where a text begins in a buffer, from MARGIN up to MOST_PLACE; unless at edges, @range bytes on.
 */
#define MOST_PLACE (MARGIN + 4096 + 16)
size_t some_place(struct play *p, size_t range);

/* A call: what it takes, chosen before it is made on both, and what each side answers. */
struct call {
	const unsigned char *key, *iv[2], *in[2];
	unsigned char *out[2];
	size_t len, key_len;
	int number;
	const void *data;
	const struct ossl_param_st *params;
	const struct twins *from;
	struct {
		int ok;
		bool left;  /* something in the error queue or in errno */
		size_t len; /* of the output, which is in the call's out or here */
		unsigned char out[EVP_MAX_MD_SIZE + 8];
		unsigned char *pointer;
	} got[2];
};

/* Makes a call on one side, notes the answer, and returns EVP's result. */
typedef int act(struct twins *t, int side, struct call *call);

/*
 * Makes a call on both. They have to agree in everything: result, lengths, output, and what the
 * pointers that are kept show.
 */
bool both(struct play *p, struct twins *t, const char *name, act *make, struct call *call);

/* A cipher's or an AEAD's calls. */
bool call_new(struct play *p, struct twins *t);
bool call_init(struct play *p, struct twins *t, const unsigned char *key,
	       const unsigned char *const iv[2], int enc);
/* Text: @len bytes at @at of the in-buffers, to @to of the same or the out-buffers. */
bool call_text(struct play *p, struct twins *t, bool apart, size_t at, size_t to, size_t len,
	       bool oneshot);
bool call_final(struct play *p, struct twins *t);
bool call_copy(struct play *p, struct twins *to, struct twins *from);
bool call_padding(struct play *p, struct twins *t, int on);
bool call_key_len(struct play *p, struct twins *t);
/* Takes a pointer to the IV, or writes through one. */
bool call_pointer(struct play *p, struct twins *t);
void call_free(struct twins *t);
/* Another life, in a new context or with the cipher given again; copies live on. */
bool call_renew(struct play *p, struct twins *t);

/* The input of the next text, the same for both. */
void fill_input(struct play *p, size_t len);

/* Text of any length, in place, apart or shifted; whole blocks where @oneshot. */
bool cipher_update(struct play *p, struct twins *t, bool oneshot);
/* Key, IV, both or none; a direction or the old one. */
bool cipher_init(struct play *p, struct twins *t);

#endif
