/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The algorithms of all engines, by libcrypto. A fault "byte" is played here. */
#ifndef BOARDS_ENGINE_H
#define BOARDS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mode { ECB, CBC, CTR };
enum algorithm { AES, DES, DES3 };

/* n whole blocks, in place or apart; iv, unless ECB, becomes that of the block that follows. */
void engine_cipher(enum algorithm a, enum mode m, bool encrypt, const uint8_t *key, int key_len,
		   uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n);
/* Turns the last words of an expanded AES key into the key. */
void engine_aes_unexpand(const uint8_t *last, int key_len, uint8_t *key);
/* One block of GHASH into y. */
void engine_ghash(const uint8_t *h, uint8_t *y, const uint8_t *block);

enum hash { H_MD5, H_SHA1, H_SHA256 };
#define HASH_WORDS(h) ((h) == H_MD5 ? 4 : (h) == H_SHA1 ? 5 : 8)

/* The state's words are numbers of this system. */
void engine_hash_init(enum hash h, uint32_t *state);
void engine_hash_blocks(enum hash h, uint32_t *state, const uint8_t *data, size_t blocks);
/* Of SHA-384 and SHA-512, whose state is here as its bytes in memory, the highest first. */
void engine_sha512_blocks(uint8_t *state, const uint8_t *data, size_t blocks);
/* The rest of a message of total bytes, and its padding. */
void engine_hash_final(enum hash h, uint32_t *state, const uint8_t *rest, size_t n, uint64_t total);
/* The digest's bytes. */
void engine_hash_store(enum hash h, const uint32_t *state, void *digest);

#endif
