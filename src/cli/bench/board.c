/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of board and SoC, and the CPU's instructions for crypto, which are the reason why
 * software is faster on many machines.
 */
#include "cli/bench/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT 256

/*
 * Reads a file that has no line breaks between its words, and adds a NUL. Returns the number of
 * bytes.
 */
static size_t read_bytes(const char *root, const char *path, char text[MAX_TEXT])
{
	char name[MAX_TEXT];
	size_t n = 0;
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", root, path);
	file = fopen(name, "re");
	if (file) {
		n = fread(text, 1, MAX_TEXT - 1, file);
		fclose(file);
	}
	text[n] = '\0';
	return n;
}

/*
 * Returns the text after the colon in the first line that begins with @key; NULL if there is none.
 * The caller frees it.
 */
static char *read_cpuinfo(const char *root, const char *key)
{
	char name[MAX_TEXT], *line = NULL, *value = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(name, sizeof(name), "%s/proc/cpuinfo", root);
	file = fopen(name, "re");
	while (file && !value && getline(&line, &size, file) != -1)
		if (strncmp(line, key, strlen(key)) == 0)
			value = strchr(line, ':');
	if (value) {
		value++;
		value += strspn(value, " \t");
		value = strndup(value, strcspn(value, "\n"));
	}
	free(line);
	if (file)
		fclose(file);
	return value;
}

/* The device tree's name, or the mainboard's. */
static struct json_object *board(const char *root)
{
	char text[MAX_TEXT];

	if (!read_bytes(root, "/proc/device-tree/model", text))
		read_bytes(root, "/sys/class/dmi/id/product_name", text);
	text[strcspn(text, "\n")] = '\0';
	return text[0] ? json_object_new_string(text) : NULL;
}

/* The last of the device tree's compatible strings; the first is the board. */
static struct json_object *soc(const char *root)
{
	struct json_object *o = NULL;
	char text[MAX_TEXT], *model;
	size_t n = read_bytes(root, "/proc/device-tree/compatible", text);

	while (n && !text[n - 1])
		n--;
	while (n && text[n - 1])
		n--;
	if (text[n])
		return json_object_new_string(text + n);
	model = read_cpuinfo(root, "model name");
	if (model)
		o = json_object_new_string(model);
	free(model);
	return o;
}

static struct json_object *instructions(const char *root)
{
	static const char known[] = " aes vaes pclmulqdq vpclmulqdq sha_ni pmull sha1 sha2 sha3 "
				    "sha512 sm3 sm4 msa ";
	static const char *const keys[] = { "flags", "Features", "features" }; /* x86, Arm, s390 */
	struct json_object *o = NULL;
	char word[32], *line = NULL;

	for (size_t i = 0; !line && i < sizeof(keys) / sizeof(keys[0]); i++)
		line = read_cpuinfo(root, keys[i]);
	if (line)
		o = json_object_new_array();
	for (char *w = line ? strtok(line, " ") : NULL; w; w = strtok(NULL, " ")) {
		snprintf(word, sizeof(word), " %s ", w);
		if (strstr(known, word))
			json_object_array_add(o, json_object_new_string(w));
	}
	free(line);
	return o;
}

void kc_bench_board_add(struct json_object *o, const char *root)
{
	json_object_object_add(o, "board", board(root));
	json_object_object_add(o, "soc", soc(root));
	json_object_object_add(o, "cpu_instructions", instructions(root));
}
