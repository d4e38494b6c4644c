/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states that a model check has reached: a hash of each, and how many calls were made from
 * there. An open-addressing table.
 */
#ifndef KC_TESTS_AEAD_STATES_H
#define KC_TESTS_AEAD_STATES_H

#include "unit/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLACES (1u << 24)

static struct place {
	uint64_t sum;
	uint8_t left;
} * places;
static size_t n_states;

static inline void states_begin(void)
{
	places = calloc(PLACES, sizeof(*places));
	assert_non_null(places);
	n_states = 0;
}

static inline void states_end(void)
{
	free(places);
}

static inline uint64_t states_sum(const void *state, size_t size)
{
	const unsigned char *at = state;
	uint64_t sum = 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < size; i += 8) {
		uint64_t word = 0;

		memcpy(&word, at + i, size - i < 8 ? size - i : 8);
		sum = (sum ^ word) * 0xd6e8feb86659fd93u;
		sum ^= sum >> 29;
	}
	return sum | 1;
}

/* True if @left or more calls were made from this state. If not, records that they will be. */
static inline bool states_have(const void *state, size_t size, size_t left)
{
	uint64_t sum = states_sum(state, size);
	size_t i;

	for (i = sum % PLACES; places[i].sum && places[i].sum != sum;)
		i = (i + 1) % PLACES;
	if (places[i].sum == sum && places[i].left >= left)
		return true;
	n_states += !places[i].sum;
	assert_true(n_states < PLACES / 2);
	places[i] = (struct place){ sum, (uint8_t)left };
	return false;
}

#endif
