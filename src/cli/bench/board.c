/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of board and SoC, and the CPU's instructions for crypto, which are the reason why
 * software is faster on many machines.
 */
#include "cli/bench/board.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <openssl/crypto.h>

#include "cli/table.h"

#define MAX_NAME 256
#define MAX_TEXT 16384 /* bytes: more than /proc/cpuinfo has of one processor */

/* Reads a file, and adds a NUL. Returns the number of bytes. */
static size_t read_file(const char *root, const char *path, char text[MAX_TEXT])
{
	char name[MAX_NAME];
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

/* Returns the text after the colon in the first line of /proc/cpuinfo with this key, or NULL. */
static char *find_line(char *cpuinfo, const char *key)
{
	char *line = cpuinfo, *value = NULL;

	for (; *line && !value; line += strspn(line, "\n")) {
		size_t len = strcspn(line, "\n");

		if (strncmp(line, key, strlen(key)) == 0)
			value = memchr(line, ':', len);
		line += len;
	}
	if (!value)
		return NULL;
	value += 1 + strspn(value + 1, " \t");
	value[strcspn(value, "\n")] = '\0';
	return value;
}

static struct json_object *text_or_null(const char *text)
{
	return text && *text ? json_object_new_string(text) : NULL;
}

/* The device tree's name, or the mainboard's. */
static struct json_object *board(const char *root, char text[MAX_TEXT])
{
	if (!read_file(root, "/proc/device-tree/model", text))
		read_file(root, "/sys/class/dmi/id/product_name", text);
	text[strcspn(text, "\n")] = '\0';
	return text_or_null(text);
}

/* The last of the device tree's compatible strings; the first is the board. */
static struct json_object *soc(const char *root, char text[MAX_TEXT])
{
	size_t n = read_file(root, "/proc/device-tree/compatible", text);

	while (n && !text[n - 1])
		n--;
	while (n && text[n - 1])
		n--;
	if (text[n])
		return text_or_null(text + n);
	read_file(root, "/proc/cpuinfo", text);
	return text_or_null(find_line(text, "model name"));
}

static struct json_object *instructions(const char *root, char text[MAX_TEXT])
{
	static const char known[] = " aes vaes pclmulqdq vpclmulqdq sha_ni pmull sha1 sha2 sha3 "
				    "sha512 sm3 sm4 msa ";
	static const char *const keys[] = { "flags", "Features", "features" }; /* x86, Arm, s390 */
	char word[32], *line = NULL;
	struct json_object *o;

	read_file(root, "/proc/cpuinfo", text);
	for (size_t i = 0; !line && i < sizeof(keys) / sizeof(keys[0]); i++)
		line = find_line(text, keys[i]);
	if (!line)
		return NULL;
	o = json_object_new_array();
	for (char *w = strtok(line, " "); w; w = strtok(NULL, " ")) {
		snprintf(word, sizeof(word), " %s ", w);
		if (strstr(known, word))
			json_object_array_add(o, json_object_new_string(w));
	}
	return o;
}

void kc_bench_board_add(struct json_object *o, const char *root)
{
	char text[MAX_TEXT];

	json_object_object_add(o, "board", board(root, text));
	json_object_object_add(o, "soc", soc(root, text));
	json_object_object_add(o, "cpu_instructions", instructions(root, text));
}

struct json_object *kc_bench_machine(const char *root)
{
	struct json_object *o = json_object_new_object();
	struct utsname u = { .release = "" };

	uname(&u);
	kc_json_text(o, "version", KC_VERSION);
	kc_json_text(o, "openssl", OpenSSL_version(OPENSSL_VERSION));
	kc_json_text(o, "kernel", u.release);
	kc_json_text(o, "machine", u.machine);
	kc_bench_board_add(o, root);
	return o;
}
