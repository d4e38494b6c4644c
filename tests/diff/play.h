/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A differential round: two contexts of one algorithm, kcrypto's and a reference, get the same
 * random calls and are compared after each. The declarations below serve all kinds of algorithms
 * and, with OpenSSL 1.1.1 too, the engine.
 */
#ifndef KC_TESTS_DIFF_PLAY_H
#define KC_TESTS_DIFF_PLAY_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/evp.h>

#include "diff/diff.h"

/*
 * Bytes of the longest text, and of a digest's longest stream, which is longer. Nearly all time
 * goes into what the software of both sides does with long texts; a fuzzer sets less, to make more
 * inputs.
 */
extern size_t play_longest, play_stream;

/* Set if other code adds errors to the queue while a kcrypto call pauses. */
extern bool queue_is_shared;

#define CONTEXTS 3
#define ROOM	 (160 * 1024) /* bytes of a buffer: two largest requests and a bit */
#define MARGIN	 64

/*
 * Pointers to an IV inside two contexts, as OpenSSL returns them: a program may keep such a
 * pointer, and read and write through it as long as the context has its cipher. NULL: none was
 * taken.
 */
struct iv_pointer {
	unsigned char *at[2];
};

/* [0] is kcrypto's context, [1] the reference's. One of the three kinds of contexts is used. */
struct twins {
	const struct play *play;
	EVP_CIPHER_CTX *cipher[2];
	EVP_MD_CTX *md[2];
	struct evp_mac_ctx_st *mac[2];
	int enc;
	bool keyed, has_iv;
	bool tls;    /* TLS records of an AEAD or of a MAC, whose updates then follow other rules */
	bool fed;    /* text since the last init; maintained by the kinds that need it */
	bool sealed; /* an AEAD's last call encrypted a text, or asked for its tag */
	/* As they were set last. */
	unsigned char key[EVP_MAX_KEY_LENGTH], iv[EVP_MAX_IV_LENGTH];
	int iv_len, tag_len;
	struct iv_pointer kept[2]; /* to the original IV, to the IV of the next block */
};

struct play;

/* The course of a round. */
struct kind {
	size_t least, most; /* number of steps */
	bool (*start)(struct play *p, struct twins *t);
	bool (*step)(struct play *p, struct twins *t);
	bool (*last)(struct play *p, struct twins *t); /* last step of each context */
	void (*end)(struct twins *t);
};

struct play {
	struct random random;
	const struct kind *kind;
	const char *name; /* of the algorithm */
	const EVP_CIPHER *cipher[2];
	struct engine_st *engine;   /* where kcrypto's cipher comes from; or NULL */
	size_t shown;		    /* bytes behind a pointer to an IV */
	const struct diff_row *row; /* of the provider's table, see row.h; or NULL */
	struct twins twins[CONTEXTS];
	unsigned char *in[2], *out[2]; /* ROOM bytes each */
	size_t touched;		       /* bytes of each that this round may have written */
	bool ok;		       /* the reference's last call succeeded */
	char trace[2048];	       /* the calls so far, printed on a mismatch */
	size_t traced;
};

/* Bytes that a round needs: its buffers, and struct play, as a job's stack is small. */
#define PLAY_ROOM (4 * ROOM + sizeof(struct play))

static inline struct play *play_in(unsigned char *room)
{
	return (struct play *)(void *)(room + 4 * ROOM);
}

/*
 * Plays a round. @p: has random, kind, and what the kind needs to know. @room: PLAY_ROOM bytes, the
 * buffers at first and afterwards all zero. If the contexts differ, says how on stderr and returns
 * false. play_fail() says so and returns false.
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
 * Set to choose lengths and places where drivers break: whole blocks, pages and 64 KiB, and their
 * neighbours, from the start of a page or shortly after it.
 */
extern bool play_at_edges;

/* A length, otherwise: mostly short, seldom up to @most, sometimes whole blocks. */
size_t some_length(struct play *p, size_t most);

/*
 * Where a text begins in a buffer: from MARGIN up to MOST_PLACE, or, unless play_at_edges is set,
 * within @range bytes of MARGIN.
 */
#define MOST_PLACE (MARGIN + 4096 + 16)
size_t some_place(struct play *p, size_t range);

/* A call: its arguments, chosen before it is made on both sides, and the answers of both sides. */
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
		bool left;  /* something is left in the error queue or in errno */
		size_t len; /* of the output, which is in the call's out or here */
		unsigned char out[EVP_MAX_MD_SIZE + 8];
		unsigned char *pointer;
	} got[2];
};

/* Makes a call on one side, records the answer, and returns EVP's result. */
typedef int act(struct twins *t, int side, struct call *call);

/*
 * Makes a call on both sides and compares results, lengths, output, and what kept pointers show.
 * Returns false on a difference.
 */
bool both(struct play *p, struct twins *t, const char *name, act *make, struct call *call);

/* Calls of a cipher or an AEAD. Each returns false on a difference. */
bool call_new(struct play *p, struct twins *t);
bool call_init(struct play *p, struct twins *t, const unsigned char *key,
	       const unsigned char *const iv[2], int enc);
/* Text: @len bytes at @at of the in-buffers, to @to of the same or of the out-buffers. */
bool call_text(struct play *p, struct twins *t, bool apart, size_t at, size_t to, size_t len,
	       bool oneshot);
bool call_final(struct play *p, struct twins *t);
bool call_copy(struct play *p, struct twins *to, struct twins *from);
bool call_padding(struct play *p, struct twins *t, int on);
bool call_key_len(struct play *p, struct twins *t);
/* Takes a pointer to the IV, or writes through one. */
bool call_pointer(struct play *p, struct twins *t);
void call_free(struct twins *t);
/* Starts again, in a new context or with the cipher set again. Copies continue. */
bool call_renew(struct play *p, struct twins *t);

/* Fills in the input of the next text, the same for both. */
void fill_input(struct play *p, size_t len);
/* Fills in the input of all texts of a digest or MAC, once; both sides read it. */
void fill_shared_input(struct play *p);
/* Says that a buffer may be written up to there. */
void play_touch(struct play *p, size_t end);

/* A text of any length, in place, apart or overlapping; whole blocks where @oneshot. */
bool cipher_update(struct play *p, struct twins *t, bool oneshot);
/* Sets key, IV, both or none, and a direction, or keeps it. */
bool cipher_init(struct play *p, struct twins *t);

#endif
