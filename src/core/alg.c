/* SPDX-License-Identifier: Apache-2.0 */
/* The table's storage, and look-ups by name. */
#include "core/alg.h"

#include <string.h>

const struct kc_alg kc_algs[KC_ALG_COUNT] = {
#define KC_ROW(id, ...) [KC_ALG_##id] = { __VA_ARGS__ },
#include "core/alg.def"
#undef KC_ROW
};

/* The length of the first name in a list. */
static size_t name_len(const char *names)
{
	return strcspn(names, ":");
}

static bool list_has(const char *names, const char *name, size_t len)
{
	while (*names) {
		size_t n = name_len(names);

		if (n == len && kc_word_starts(names, name, len))
			return true;
		names += n + (names[n] == ':');
	}
	return false;
}

const struct kc_alg *kc_alg_find(const char *name, size_t len)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (list_has(kc_algs[i].names, name, len))
			return &kc_algs[i];
	return NULL;
}

bool kc_names_share(const char *names, const char *other)
{
	while (*names) {
		size_t n = name_len(names);

		if (list_has(other, names, n))
			return true;
		names += n + (names[n] == ':');
	}
	return false;
}

bool kc_name_next(const char **names, char *name)
{
	size_t n = name_len(*names);

	memcpy(name, *names, n);
	name[n] = '\0';
	*names += n + ((*names)[n] == ':');
	return n;
}

const char *kc_name_first(const char *names, char *buf, size_t size)
{
	size_t len = name_len(names);

	len = len < size ? len : size - 1;
	memcpy(buf, names, len);
	buf[len] = '\0';
	return buf;
}

const char *kc_alg_name(const struct kc_alg *alg, char *buf, size_t size)
{
	return kc_name_first(alg->names, buf, size);
}
