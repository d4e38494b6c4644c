// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * STM32MP1's CRYP: AES in ECB, CBC, CTR, GCM, CCM, DES and 3DES. The driver, stm32-cryp.ko of
 * Debian's armhf kernels, feeds and empties FIFOs of words in its interrupt handler. There is no
 * job that could be late, so this file simulates the faults itself.
 */
#include <endian.h>
#include <string.h>
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>

#include "board.h"
#include "boards.h"
#include "engine.h"

#define REGS 0x0b000000
#define SPI  100

/* Registers, by their numbers in words. */
enum { CR, SR, INPUT, OUTPUT, DMACR, IMSCR, RISR, MISR, KEY, IV = 0x10, N = 0x24, SIZE = 0x400 };
/* Bits of CR, SR and the interrupt registers. */
enum { DECRYPT = 4, FLUSH = 1 << 14, ENABLE = 1 << 15, ALGORITHM_3 = 1 << 19 };
enum { IN_EMPTY = 1, IN_ROOM = 2, OUT_ANY = 4, OUT_FULL = 8, WANTS_IN = 1, HAS_OUT = 2 };
enum { INIT, HEADER, PAYLOAD, FINAL };
enum { T_ECB, T_CBC, D_ECB, D_CBC, A_ECB, A_CBC, A_CTR, A_PREPARE, A_GCM, A_CCM };
enum { IN_WORDS = 4, OUT_WORDS = 8 };

static uint32_t r[N], in[IN_WORDS], out[OUT_WORDS];
static int n_in, n_out;
static struct irq *irq;
static uint8_t hash_key[16], tag[16], first_counter[16];
static AES_KEY aes;
static bool is_opening;
static enum fault fault;
static bool is_late;

static int algorithm(void)
{
	return (r[CR] >> 3 & 7) + (r[CR] & ALGORITHM_3 ? 8 : 0);
}

static bool is_aead(void)
{
	return algorithm() >= A_GCM;
}

static int phase(void)
{
	return r[CR] >> 16 & 3;
}

static int block_words(void)
{
	return algorithm() <= D_CBC ? 2 : 4;
}

/* The number of padding bytes in the last block. */
static int padding(void)
{
	return r[CR] >> 20 & 15;
}

static void interrupt(void)
{
	bool is_silent = fault == FAULT_SILENT || is_late;

	r[RISR] = (n_in < IN_WORDS ? WANTS_IN : 0) | (n_out > 0 ? HAS_OUT : 0);
	r[MISR] = r[RISR] & r[IMSCR] & (r[CR] & ENABLE ? WANTS_IN | HAS_OUT : HAS_OUT);
	qemu.qemu_set_irq(irq, r[MISR] != 0 && !is_silent);
}

static void on_time(void *opaque)
{
	(void)opaque;
	is_late = false;
	interrupt();
}

/* A key was written, which begins a request. */
static void begin(void)
{
	fault = board_begin();
	if (fault == FAULT_SILENT || fault == FAULT_LATE)
		board_faulted();
	if (fault != FAULT_LATE)
		return;
	is_late = true;
	board_later(333000000, on_time, NULL);
}

/* Faults of this engine alone: a wrong tag of an encryption or decryption, or no tag at all. */
static bool errs(const char *word)
{
	bool is_due = fault == FAULT_OWN && strcmp(board_word(), word) == 0;

	if (is_due)
		board_faulted();
	return is_due;
}

static void xor_block(uint8_t *to, const uint8_t *from)
{
	int i;

	for (i = 0; i < 16; i++)
		to[i] ^= from[i];
}

static void absorb(const uint8_t *block)
{
	if (algorithm() == A_GCM) {
		engine_ghash(hash_key, tag, block);
		return;
	}
	xor_block(tag, block);
	AES_encrypt(tag, tag, &aes);
}

/*
 * In data the first byte of a word is the lowest one of the bus; in the IV and key registers, the
 * highest.
 */
static void load_iv(uint8_t *iv)
{
	uint32_t words[4];
	int i;

	for (i = 0; i < 4; i++)
		words[i] = htobe32(r[IV + i]);
	memcpy(iv, words, 16);
}

static void store_iv(const uint8_t *iv)
{
	uint32_t words[4];
	int i;

	memcpy(words, iv, 16);
	for (i = 0; i < 4; i++)
		r[IV + i] = be32toh(words[i]);
}

/* A key ends in the last key register. A DES key is the second half of the first 16 bytes. */
static int load_key(uint8_t *key)
{
	int a = algorithm(), words = 4 + 2 * (r[CR] >> 8 & 3), first, i;
	uint32_t value;

	if (a <= D_CBC)
		words = a <= T_CBC ? 6 : 2;
	first = a <= D_CBC ? 2 : 8 - words;
	for (i = 0; i < words; i++) {
		value = htobe32(r[KEY + first + i]);
		memcpy(key + 4 * i, &value, 4);
	}
	return words * 4;
}

static void emit(const uint8_t *block, int words)
{
	memcpy(out + n_out, block, 4 * words);
	n_out += words;
}

/* The counter has 32 bits. */
static void count_up(uint8_t *text, const uint8_t *key, int len)
{
	uint8_t stream[16];

	load_iv(stream);
	engine_cipher(AES, ECB, true, key, len, NULL, stream, stream, 16);
	xor_block(text, stream);
	r[IV + 3]++;
}

static void cipher(uint8_t *text)
{
	int a = algorithm(), len;
	bool encrypts = !(r[CR] & DECRYPT);
	uint8_t key[32], iv[16];

	len = load_key(key);
	if (a > A_CBC) {
		count_up(text, key, len);
		return;
	}
	load_iv(iv);
	engine_cipher(a <= T_CBC ? DES3 :
		      a <= D_CBC ? DES :
				   AES,
		      a & 1 ? CBC : ECB, encrypts, key, len, iv, text, text, 4 * block_words());
	store_iv(iv);
}

static void cut(uint8_t *block)
{
	memset(block + 16 - padding(), 0, padding());
}

static void absorb_cut(const uint8_t *block)
{
	uint8_t text[16];

	memcpy(text, block, 16);
	cut(text);
	absorb(text);
}

/* GCM's tag covers the ciphertext, CCM's the plaintext. Padding is only cut from output. */
static void payload(uint8_t *text)
{
	bool of_input = (algorithm() == A_GCM) == ((r[CR] & DECRYPT) != 0);

	if (of_input)
		absorb(text);
	cipher(text);
	if (!of_input)
		absorb_cut(text);
}

static void swap(uint8_t *block)
{
	uint32_t word;
	int i;

	for (i = 0; i < 16; i += 4) {
		memcpy(&word, block + i, 4);
		word = htobe32(word);
		memcpy(block + i, &word, 4);
	}
}

static void first_block(uint8_t *b0)
{
	swap(b0);
	memset(tag, 0, 16);
	absorb(b0);
	r[CR] &= ~ENABLE;
}

static void last_block(uint8_t *b)
{
	uint8_t stream[16];

	swap(b);
	if (algorithm() == A_GCM) {
		engine_ghash(hash_key, tag, b);
		AES_encrypt(first_counter, stream, &aes);
	} else {
		AES_encrypt(b, stream, &aes);
	}
	xor_block(stream, tag);
	if (errs(is_opening ? "open" : "seal"))
		stream[2] ^= 1;
	if (!errs("tag"))
		emit(stream, 4);
}

static void block(void)
{
	uint8_t b[16];

	memcpy(b, in, 16);
	n_in = 0;
	if (!is_aead()) {
		cipher(b);
		emit(b, block_words());
		board_bytes(4 * block_words());
	} else if (phase() == INIT) {
		first_block(b);
	} else if (phase() == HEADER) {
		absorb(b);
	} else if (phase() == PAYLOAD) {
		payload(b);
		emit(b, 4);
		board_bytes(16 - padding());
	} else {
		last_block(b);
	}
}

static void pump(void)
{
	if (r[CR] & ENABLE && n_in == block_words() && n_out + block_words() <= OUT_WORDS)
		block();
}

/* Begins an AEAD's message: its first phase. */
static void start(void)
{
	uint8_t key[32];

	if (!is_aead() || phase() != INIT)
		return;
	AES_set_encrypt_key(key, 8 * load_key(key), &aes);
	if (algorithm() != A_GCM)
		return;
	memset(tag, 0, 16);
	memset(hash_key, 0, 16);
	AES_encrypt(hash_key, hash_key, &aes);
	load_iv(first_counter);
	memcpy(first_counter + 12, "\0\0\0\1", 4);
	r[CR] &= ~ENABLE;
}

static uint32_t take_output(void)
{
	uint32_t value = out[0];

	n_out--;
	memmove(out, out + 1, 4 * n_out);
	pump();
	interrupt();
	return value;
}

static uint64_t get(void *opaque, hwaddr at, unsigned int size)
{
	(void)opaque, (void)size;
	if (at >= sizeof(r))
		return 0;
	if (at / 4 == SR)
		return (n_in == 0 ? IN_EMPTY : 0) | (n_in < IN_WORDS ? IN_ROOM : 0) |
		       (n_out > 0 ? OUT_ANY : 0) | (n_out == OUT_WORDS ? OUT_FULL : 0);
	return at / 4 == OUTPUT && n_out ? take_output() : r[at / 4];
}

static void control(uint32_t value)
{
	uint32_t old = r[CR];

	if (value & FLUSH && !(value & ENABLE) && !(old & ENABLE))
		n_in = n_out = 0;
	r[CR] = value & ~FLUSH;
	if (phase() != FINAL)
		is_opening = value & DECRYPT;
	if (value & ENABLE && !(old & ENABLE))
		start();
}

/* Whether the register is the one that the driver writes last of a key. */
static bool ends_key(uint32_t reg)
{
	bool is_des = algorithm() >= D_ECB && algorithm() <= D_CBC;

	return reg == KEY + 7 || (is_des && reg == KEY + 3);
}

static void set(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	uint32_t reg = at / 4;

	(void)opaque, (void)size;
	if (at >= sizeof(r) || reg == SR || reg == RISR || reg == MISR || reg == OUTPUT)
		return;
	if (reg == INPUT && n_in < IN_WORDS)
		in[n_in++] = value;
	else if (reg == CR)
		control(value);
	else
		r[reg] = value;
	if (ends_key(reg))
		begin();
	if (reg == INPUT || reg == CR)
		pump();
	interrupt();
}

static const struct region_ops ops = REGISTERS(get, set);

void stm32_start(int variant)
{
	(void)variant;
	irq = board_irq(SPI);
	board_registers(REGS, SIZE, &ops, NULL);
}
