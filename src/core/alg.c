/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the table, and finds rows by name. */
#include "core/alg.h"

const struct kc_alg kc_algs[KC_ALG_COUNT] = {
#define KC_ROW(id, ...) [KC_ALG_##id] = { __VA_ARGS__ },
#include "core/alg.def"
#undef KC_ROW
};

static bool has_name(const struct kc_alg *alg, const char *name)
{
	for (const char *own = alg->names; *own; own = kc_name_after(own))
		if (kc_word_is(own, name))
			return true;
	return false;
}

const struct kc_alg *kc_alg_find(const char *name)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (has_name(&kc_algs[i], name))
			return &kc_algs[i];
	return NULL;
}

bool kc_alg_is_mac(const struct kc_alg *alg, const char *mac, const char *inner)
{
	if (strcmp(alg->mac, mac) != 0)
		return false;
	return has_name(&kc_algs[alg->inner], inner);
}

const struct kc_alg *kc_alg_find_mac(const char *mac, const char *inner)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (kc_alg_is_mac(&kc_algs[i], mac, inner))
			return &kc_algs[i];
	return NULL;
}

bool kc_names_have(const char *names, const char *name)
{
	size_t len = strlen(name);

	while (*names) {
		size_t n = strcspn(names, ":");

		if (n == len && kc_word_starts(names, name, len))
			return true;
		names += n + (names[n] == ':');
	}
	return false;
}
