/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The algorithms of all engines, implemented with libcrypto. The fault "byte" is simulated here. */
#ifndef BOARDS_ENGINE_H
#define BOARDS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mode { ECB, CBC, CTR };
enum algorithm { AES, DES, DES3 };

/*
 * Encrypts or decrypts n bytes, which are whole blocks, in place or not. iv, unless the mode is
 * ECB, is updated for the next block.
 */
void engine_cipher(enum algorithm a, enum mode m, bool encrypt, const uint8_t *key, int key_len,
		   uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n);
/* Computes an AES key from the last words of its expansion. */
void engine_aes_unexpand(const uint8_t *last, int key_len, uint8_t *key);
/* One step of GHASH: multiplies the XOR of y and block by h. */
void engine_ghash(const uint8_t *h, uint8_t *y, const uint8_t *block);

enum hash { H_MD5, H_SHA1, H_SHA256 };
#define HASH_WORDS(h) ((h) == H_MD5 ? 4 : (h) == H_SHA1 ? 5 : 8)

/* Sets the initial state. The state's words have the byte order of this machine. */
void engine_hash_init(enum hash h, uint32_t *state);
void engine_hash_blocks(enum hash h, uint32_t *state, const uint8_t *data, size_t blocks);
/*
 * Hashes whole blocks with SHA-384 or SHA-512. The state is given as its bytes in memory, the
 * highest byte of a word first.
 */
void engine_sha512_blocks(uint8_t *state, const uint8_t *data, size_t blocks);
/* Pads and hashes the last n bytes of a message of total bytes. */
void engine_hash_final(enum hash h, uint32_t *state, const uint8_t *rest, size_t n, uint64_t total);
/* Writes the digest's bytes. */
void engine_hash_store(enum hash h, const uint32_t *state, void *digest);

#endif
