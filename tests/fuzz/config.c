/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration, line by line. The first byte of a line is the index of a key of
 * kc_config_each_key(); if there is no such index, the key is the text before the "=". The value
 * follows.
 */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/backend.h"
#include "policy/config.h"

static void seed_key(void *line, const char *key, size_t number)
{
	(void)number;
	seed(key, line, 3);
	(*(char *)line)++;
}

void write_seeds(void)
{
	static const char names[] = "ciphers=AES-128-CBC:0, aes256 ALL:5 NONE des3\n"
				    "USE_SOFTDRIVERS=2\nmax_request=4096\nmax_sessions=5\n"
				    "verify=3\nbackends=afalg devcrypto auto\n"
				    "driver.aes-128-cbc=mv-cbc-aes\nDIGESTS=NONE\n";
	static const char wrong[] = "cipher=AES-218-CBC\nciphers=NO-ECB:x\nsoft_drivers=yse\n"
				    "max_request=65537\nmax_sessions=-1\nengine_id=x\n\n=\n";
	char line[KC_WORD_SIZE] = "";

	seed("names", names, sizeof(names) - 1);
	seed("wrong", wrong, sizeof(wrong) - 1);
	strcpy(line + 1, "16");
	kc_config_each_key(seed_key, line);
	kc_config_each_driver_key(NULL, seed_key, line);
}

/* Compares all values; the problems may differ. */
static bool same_values(const struct kc_config *a, const struct kc_config *b)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (a->row[i].on != b->row[i].on || a->row[i].threshold != b->row[i].threshold ||
		    strcmp(a->row[i].driver, b->row[i].driver) != 0)
			return false;
	return a->admit == b->admit && a->max_request == b->max_request &&
	       a->max_sessions == b->max_sessions && a->verify == b->verify &&
	       memcmp(a->backend, b->backend, sizeof(a->backend)) == 0;
}

static bool is_known_word(const char *word)
{
	static const char *const others[] = { "NO_ECB", "NONE", "ALL",	"0",	  "1",		"2",
					      "no",	"yes",	"auto", "AF_ALG", "/dev/crypto" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(word, others[i]) == 0)
			return true;
	return kc_config_knows(word) || kc_alg_find(word);
}

static void check_word(const char *word)
{
	size_t len = strnlen(word, KC_WORD_SIZE);

	assert(len < KC_WORD_SIZE);
	for (size_t i = 0; i < len; i++)
		assert(word[i] >= ' ' && word[i] <= '~');
}

static void check(const struct kc_config *c)
{
	assert(c->n_problems <= KC_MAX_PROBLEMS);
	for (unsigned i = 0; i < c->n_problems; i++) {
		const struct kc_problem *p = &c->problems[i];

		assert(kc_reasons[p->reason].about == KC_ABOUT_CONFIG);
		check_word(p->key);
		check_word(p->word);
		check_word(p->nearest);
		assert(!p->nearest[0] || is_known_word(p->nearest));
	}
	assert(c->admit <= KC_ADMIT_UNKNOWN);
	assert(c->max_request >= KC_MAX_BLOCK && c->max_request <= KC_MAX_REQUEST);
	assert(c->max_request % KC_MAX_BLOCK == 0);
	assert(c->max_sessions <= 65536);
	assert(c->verify <= 1000000);
	assert(c->backend[0] && c->backend[0] != c->backend[1] && !c->backend[KC_MAX_BACKENDS]);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		assert(memchr(c->row[i].driver, '\0', sizeof(c->row[i].driver)));
}

/* Whether the key's value is a list, in which a wrong word leaves the other words in effect. */
static bool is_list(const char *key)
{
	static const char *const lists[] = { "ciphers", "digests", "macs", "backends" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcasecmp(key, lists[i]) == 0)
			return true;
	return false;
}

/*
 * A wrong word of a list leaves the rest in effect; any other wrong value changes nothing. The same
 * line a second time changes nothing more.
 */
static void set(struct kc_config *c, const char *key, const char *value)
{
	struct kc_config before = *c, again;

	c->n_problems = 0;
	kc_config_set(c, key, value);
	check(c);
	if (c->n_problems && !is_list(key))
		assert(same_values(c, &before));
	if (!c->n_problems && strncmp(key, "driver.", 7) == 0)
		assert(strcmp(c->row[kc_alg_find(key + 7) - kc_algs].driver, value) == 0);
	again = *c;
	kc_config_set(&again, key, value);
	check(&again);
	assert(same_values(c, &again));
	/* In the order of the lines. */
	if (before.n_problems)
		c->n_problems = before.n_problems;
}

/* Finds the key at an index. */
struct at {
	unsigned left;
	char key[KC_KEY_SIZE];
};

static void find_key(void *arg, const char *key, size_t number)
{
	struct at *at = arg;

	(void)number;
	if (at->left-- == 0)
		strcpy(at->key, key);
}

static void set_line(struct kc_config *c, char *line)
{
	struct at at = { (unsigned char)*line, "" };
	char *equals = strchr(line, '=');

	if (!*line)
		return;
	kc_config_each_key(find_key, &at);
	kc_config_each_driver_key(NULL, find_key, &at);
	if (at.key[0]) {
		set(c, at.key, line + 1);
	} else if (equals) {
		*equals = '\0';
		set(c, line, equals + 1);
	}
}

/* All lines also go into one configuration, which has more problems than it can record. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kc_config each, all;

	kc_config_init(&each);
	kc_config_init(&all);
	for (const uint8_t *end = data + size; data < end;) {
		const uint8_t *newline = memchr(data, '\n', (size_t)(end - data));
		size_t len = (size_t)((newline ? newline : end) - data);
		char *line = calloc(1, len + 1);
		size_t value;

		assert(line);
		memcpy(line, data, len);
		set_line(&each, line);
		value = strlen(line);
		kc_config_set(&all, line, value < len ? line + value + 1 : "x");
		free(line);
		data += len + (newline != NULL);
	}
	check(&all);
	return 0;
}
