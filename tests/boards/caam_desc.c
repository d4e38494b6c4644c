// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CAAM's descriptors: programs of up to 64 words. Each job has one, and most jobs have a second
 * one, which belongs to a key. The real engine works on many commands at once; here each command is
 * done in its turn, and a cipher or hash when its last data have been loaded.
 */
#include "caam_desc.h"

#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "caam.h"
#include "caam_cipher.h"
#include "caam_data.h"
#include "caam_hash.h"

enum {
	C_KEY,
	C_LOAD = 2,
	C_SEQ_LOAD,
	C_FIFO_LOAD,
	C_SEQ_FIFO_LOAD,
	C_SEQ_STORE = 11,
	C_FIFO_STORE,
	C_SEQ_FIFO_STORE,
	C_MOVE = 15,
	C_OPERATION,
	C_JUMP = 20,
	C_MATH,
	C_SEQ_IN = 30,
	C_SEQ_OUT,
};
enum { IN_TABLE = 1 << 24, OF_VARIABLE_LENGTH = 1 << 24, IMMEDIATE = 1 << 23, LONG = 1 << 22 };
enum { HEADER_SHARED = 1 << 12, WORDS = 64, CLASS_1 = 1, CLASS_2 = 2, CLASS_BOTH = 3 };
#define CLASS(command)	  ((command) >> 25 & 3)
#define REGISTER(command) ((command) >> 16 & 0x7f)
#define KIND(command)	  ((command) >> 16 & 0x3f)
#define OFFSET(command)	  ((command) >> 8 & 0x7f)

struct desc {
	uint32_t words[WORDS];
	unsigned int at, n;
	struct caam_class class[2];
	struct caam_sequence in;
	struct caam_output out;
	uint32_t math[16]; /* by their number in commands; of the first four the lower half */
	bool is_zero;
	struct caam_bytes both, filling;
	uint32_t status;
	size_t bytes;
};
/* Numbers of math for the lengths of sequences, and of variable sequences. */
enum { NOTHING = 4, IN_LEFT = 8, OUT_LEFT, IN_LENGTH, OUT_LENGTH };

static uint32_t next(struct desc *d)
{
	return d->at < d->n ? d->words[d->at++] : 0;
}

/* Copies data that stand in the descriptor behind the command. */
static void immediate(struct desc *d, void *to, size_t n)
{
	size_t words = (n + 3) / 4;

	if (d->at + words > d->n)
		words = 0;
	else
		memcpy(to, d->words + d->at, n);
	d->at += words;
}

static void key(struct desc *d, uint32_t command)
{
	struct caam_class *c = &d->class[CLASS(command) == CLASS_2];
	unsigned int n = command & 0x3ff, i;
	bool is_wrapped = command & LONG;
	uint8_t whole[256] = { 0 };

	if (n > sizeof(c->key))
		n = sizeof(c->key);
	if (command & IMMEDIATE)
		immediate(d, whole, is_wrapped ? (n + 15) / 16 * 16 : n);
	else
		dma_read(next(d), whole, n);
	for (i = 0; i < n; i++)
		c->key[i] = whole[i] ^ (is_wrapped ? 0x5a : 0);
	c->key_len = n;
}

/*
 * Writes the key in the only form in which it leaves the engine. The real engine uses AES with a
 * secret key.
 */
static void wrap(const struct caam_class *c, uint32_t to, unsigned int n)
{
	uint8_t whole[128];
	unsigned int i;

	for (i = 0; i < n && i < sizeof(whole); i++)
		whole[i] = c->key[i] ^ 0x5a;
	dma_write(to, whole, i);
}

/* Fills the FIFO with random numbers, for the IV of an AEAD, or passes what was made to class 2. */
static void fill(struct desc *d, uint32_t entry)
{
	size_t n = entry & 0xfff, i;
	uint8_t byte;

	if ((entry >> 24 & 3) == 2)
		for (i = 0; i < n; i++) {
			byte = rand();
			caam_append(&d->filling, &byte, 1);
		}
	else if (entry >> 30 == CLASS_2)
		caam_append(&d->class[1].text, d->out.made.data,
			    n < d->out.made.n ? n : d->out.made.n);
}

static void load(struct desc *d, uint32_t command)
{
	uint8_t data[256];
	uint32_t word;
	size_t n = command & 0xff;
	unsigned int class = CLASS(command);

	if (command >> 27 == C_SEQ_LOAD)
		caam_read(&d->in, data, n);
	else if (command & IMMEDIATE)
		immediate(d, data, n);
	else
		dma_read(next(d), data, n);
	if (REGISTER(command) == 0x20 && (class == CLASS_1 || class == CLASS_2) &&
	    OFFSET(command) + n <= 128)
		memcpy(d->class[class - 1].context + OFFSET(command), data, n);
	else if (REGISTER(command) == 0x7e && class == 0)
		caam_append(&d->out.made, data, n);
	else if (REGISTER(command) == 0x7a && class == 0)
		memcpy(&word, data, 4), fill(d, word);
}

static void seq_store(struct desc *d, uint32_t command)
{
	struct caam_class *c = &d->class[CLASS(command) == CLASS_2];

	caam_write(&d->out.to, c->context + OFFSET(command), command & 0x7f);
}

static void check(struct desc *d, int i, const uint8_t *tag, size_t n)
{
	if (d->class[i].op & CAAM_CHECK && memcmp(d->class[i].context, tag, n))
		d->status = (i ? CAAM_STATUS_HASH : CAAM_STATUS_CIPHER) | CAAM_BAD_TAG;
}

/*
 * Does each operation that has all of its data. Class 1 comes first, as its output may be the input
 * of class 2.
 */
static void work(struct desc *d, bool to_class2)
{
	struct caam_class *c1 = &d->class[0], *c2 = &d->class[1];
	size_t before = d->out.made.n;

	if (c1->op && c1->has_all) {
		c1->has_all = false;
		if (!caam_cipher(c1, &d->out.made))
			d->status = CAAM_STATUS_CIPHER | CAAM_BAD_LENGTH;
		d->bytes += c1->text.n;
		if (to_class2)
			caam_append(&c2->text, d->out.made.data + before, d->out.made.n - before);
	}
	if (c2->op && c2->has_all) {
		c2->has_all = false;
		caam_hash(c2);
		d->bytes += c1->op ? 0 : c2->text.n;
	}
	caam_settle(&d->out);
}

static void fifo_load(struct desc *d, uint32_t command, bool is_seq)
{
	enum { MSG = 0x10, MSG1OUT2 = 0x18, IV = 0x20, AAD = 0x30, ICV = 0x38 };
	unsigned int class = CLASS(command), kind = KIND(command) & 0x38, i;
	size_t n = is_seq && command & OF_VARIABLE_LENGTH ? d->math[IN_LENGTH] : command & 0xffff;
	uint8_t *data = calloc(1, n + 1);

	if (is_seq)
		caam_read(&d->in, class ? data : NULL, n);
	else if (command & IMMEDIATE)
		immediate(d, data, n);
	else
		dma_read(next(d), data, n);
	for (i = 0; i < 2; i++) {
		struct caam_class *c = &d->class[i];

		if (!(class & 1 << i) || (i == 1 && kind == MSG1OUT2))
			continue;
		if (kind == MSG || kind == MSG1OUT2)
			caam_append(&c->text, data, n);
		else if (kind == IV)
			caam_append(&c->iv, data, n);
		else if (kind == AAD)
			caam_append(&c->aad, data, n);
	}
	if (class == CLASS_BOTH)
		caam_append(&d->both, data, n);
	d->class[0].has_all |= class && KIND(command) & 2;
	d->class[1].has_all |= class && KIND(command) & 4 && !(kind == ICV);
	work(d, kind == MSG1OUT2);
	if (kind == ICV && class)
		check(d, class == CLASS_2, data, n);
	free(data);
}

static void fifo_store(struct desc *d, uint32_t command)
{
	enum { WRAPPED_KEY = 0x24, WRAPPED_SPLIT_KEY = 0x26, RANDOM = 0x34 };
	size_t n = command & 0xffff;
	uint32_t to = next(d);
	uint8_t *data;
	size_t i;

	if (KIND(command) == WRAPPED_SPLIT_KEY)
		wrap(&d->class[1], to, n);
	else if (KIND(command) == WRAPPED_KEY)
		wrap(&d->class[0], to, n);
	else if (KIND(command) == RANDOM) {
		data = malloc(n + 1);
		for (i = 0; i < n; i++)
			data[i] = rand() >> 7;
		dma_write(to, data, n);
		free(data);
	}
}

static void seq_fifo_store(struct desc *d, uint32_t command)
{
	enum { MESSAGE = 0x30 };
	size_t n = command & OF_VARIABLE_LENGTH ? d->math[OUT_LENGTH] : command & 0xffff;

	caam_reserve(&d->out, n, KIND(command) == MESSAGE);
	caam_settle(&d->out);
}

/*
 * Moves data between contexts and FIFOs. Descriptors that modify themselves only write a length,
 * which is not needed here.
 */
static void move(struct desc *d, uint32_t command)
{
	enum { CONTEXT1 = 0, MADE = 2, IN_FIFO = 8, FIFO_OF_CLASS = 9 };
	unsigned int from = command >> 20 & 15, to = command >> 16 & 15, n = command & 0x7f;
	uint8_t *context = d->class[0].context + OFFSET(command);

	if (OFFSET(command) + n > 128)
		return;
	if (from == MADE && to == CONTEXT1)
		caam_take(&d->out.made, context, n);
	else if (from == IN_FIFO && to == CONTEXT1)
		caam_take(&d->filling, context, n);
	else if (from == CONTEXT1 && to == MADE)
		caam_append(&d->out.made, context, n);
	else if (from == CONTEXT1 && to == FIFO_OF_CLASS)
		caam_append(&d->class[1].text, context, n);
	else if (from == FIFO_OF_CLASS && to == MADE)
		caam_append(&d->out.made, d->both.data, d->both.n);
	caam_settle(&d->out);
}

/* Turns an HMAC key into a split key. The descriptor has room for one where the key stands. */
static void derive(struct desc *d, uint32_t command)
{
	struct caam_class *c = &d->class[1];
	unsigned int n = command & 0xfff, start = d->at;

	memset(c->key, 0, sizeof(c->key));
	if (n > sizeof(c->key))
		n = sizeof(c->key);
	if (command & 2 << 14)
		dma_read(next(d), c->key, n);
	else
		immediate(d, c->key, n);
	c->key_len = n;
	caam_split(c, CAAM_MD5 + (command >> 16 & 7));
	if (!(command & 2 << 12))
		d->at = start + (c->key_len + 3) / 4;
}

static void operation(struct desc *d, uint32_t command)
{
	unsigned int type = command >> 24 & 7;

	if (type == 0)
		derive(d, command);
	else if (CAAM_ALGORITHM(command) == CAAM_RNG)
		caam_rng(command);
	else if (type == 2 || type == 4)
		d->class[type == 4].op = command;
	/* A message without text and AAD may have been loaded completely before. */
	work(d, false);
}

/*
 * Whether the condition of a jump holds. No descriptor is shared here, and whatever a jump may wait
 * for has ended.
 */
static bool is_true(const struct desc *d, uint32_t command)
{
	enum { SPECIAL = 1 << 24, ALWAYS_OVER = 0x1f, IS_ZERO = 4 };
	unsigned int asked = command >> 8 & 0xff;
	unsigned int given = command & SPECIAL ? ALWAYS_OVER : d->is_zero ? IS_ZERO : 0;
	bool is_any = command >> 17 & 1, is_inverse = command >> 16 & 1;

	if (is_any)
		return (asked & given) != is_inverse;
	return ((asked & given) == asked) != is_inverse;
}

static void jump(struct desc *d, uint32_t command)
{
	bool is_halt = command >> 22 & 2;

	if (!is_true(d, command))
		return;
	if (is_halt)
		d->at = d->n;
	else
		d->at += (int8_t)(command & 0xff) - 1;
}

static void math(struct desc *d, uint32_t command)
{
	enum { SUBTRACT = 2, WORD = 4, ONE = 12 };
	unsigned int first = command >> 16 & 15, second = command >> 12 & 15,
		     to = command >> 8 & 15;
	uint32_t word = 0, a, b;

	d->math[IN_LEFT] = d->in.left;
	d->math[OUT_LEFT] = d->out.to.left;
	if (first == WORD || second == WORD) {
		word = next(d);
		if ((command & 15) == 8 && !(command & 1 << 26))
			word = next(d);
	}
	a = first == WORD ? word : first == ONE ? 0 : d->math[first];
	b = second == WORD ? word : second == ONE ? 1 : d->math[second];
	a = (command >> 20 & 15) == SUBTRACT ? a - b : a + b;
	d->is_zero = a == 0;
	if (to != 15)
		d->math[to] = a;
}

static void sequence(struct desc *d, struct caam_sequence *s, uint32_t command)
{
	s->at = next(d);
	s->in_table = command & IN_TABLE;
	s->left = command & LONG ? next(d) : command & 0xffff;
	s->done = 0;
}

static void run_one(struct desc *d, uint32_t command)
{
	switch (command >> 27) {
	case C_KEY:
		key(d, command);
		break;
	case C_LOAD:
	case C_SEQ_LOAD:
		load(d, command);
		break;
	case C_FIFO_LOAD:
	case C_SEQ_FIFO_LOAD:
		fifo_load(d, command, command >> 27 == C_SEQ_FIFO_LOAD);
		break;
	case C_SEQ_STORE:
		seq_store(d, command);
		break;
	case C_FIFO_STORE:
		fifo_store(d, command);
		break;
	case C_SEQ_FIFO_STORE:
		seq_fifo_store(d, command);
		break;
	case C_MOVE:
		move(d, command);
		break;
	case C_OPERATION:
		operation(d, command);
		break;
	case C_JUMP:
		jump(d, command);
		break;
	case C_MATH:
		math(d, command);
		break;
	case C_SEQ_IN:
		sequence(d, &d->in, command);
		break;
	case C_SEQ_OUT:
		sequence(d, &d->out.to, command);
		break;
	default:
		board_log("caam: there is no command %08x", command);
	}
}

/* Runs the commands that follow a header and what the header says is not a command. */
static void run_words(struct desc *d, unsigned int first)
{
	d->n = d->words[0] & 0x7f;
	if (d->n > WORDS)
		d->n = WORDS;
	for (d->at = first; d->at < d->n && !d->status;) {
		uint32_t command = next(d);

		board_log("caam %2u: %08x", d->at - 1, command);
		run_one(d, command);
	}
}

static void forget(struct desc *d)
{
	int i;

	for (i = 0; i < 2; i++) {
		free(d->class[i].text.data);
		free(d->class[i].aad.data);
		free(d->class[i].iv.data);
	}
	free(d->out.made.data);
	free(d->both.data);
	free(d->filling.data);
}

/* The job's own commands give the addresses of the data, so they come first. */
uint32_t caam_run(uint32_t at, size_t *bytes)
{
	struct desc d = { 0 };
	uint32_t shared;

	dma_read(at, d.words, sizeof(d.words));
	shared = d.words[1];
	if (!(d.words[0] & HEADER_SHARED)) {
		run_words(&d, 1);
	} else {
		run_words(&d, 2);
		dma_read(shared, d.words, sizeof(d.words));
		run_words(&d, 1);
	}
	*bytes = d.bytes;
	forget(&d);
	return d.status;
}

uint32_t caam_run_words(const uint32_t *words, size_t n)
{
	struct desc d = { 0 };

	memcpy(d.words, words, n * sizeof(*words));
	run_words(&d, 1);
	forget(&d);
	return d.status;
}
