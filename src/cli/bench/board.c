/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of board and SoC, and the CPU's instructions for crypto, which make software the faster
 * choice on many machines.
 */
#include "cli/bench/board.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <openssl/crypto.h>

#include "cli/cli.h"
#include "cli/conf.h"
#include "cli/table.h"

#define MAX_TEXT 16384 /* bytes: more than /proc/cpuinfo has of one processor */

/* Reads a file, and adds a NUL. Returns the number of bytes. */
static size_t read_root_file(const char *root, const char *path, char text[MAX_TEXT])
{
	char name[PATH_MAX];
	KC_FILE *file = NULL;
	size_t n = 0;

	snprintf(name, sizeof(name), "%s%s", root, path);
	file = fopen(name, "re");
	if (file)
		n = fread(text, 1, MAX_TEXT - 1, file);
	text[n] = '\0';
	return n;
}

/* Returns the text after the colon in the first line of /proc/cpuinfo with this key, or NULL. */
static char *find_cpu_line(const char *root, const char *key, char text[MAX_TEXT])
{
	char *line, *rest, *value;

	read_root_file(root, "/proc/cpuinfo", text);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		value = strchr(line, ':');
		if (value)
			return value + 1 + strspn(value + 1, " \t");
	}
	return NULL;
}

/* Returns the device tree's name, or the mainboard's; "" if there is none. */
static const char *board(const char *root, char text[MAX_TEXT])
{
	if (!read_root_file(root, "/proc/device-tree/model", text))
		read_root_file(root, "/sys/class/dmi/id/product_name", text);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* Returns the last of the device tree's compatible strings; the first one is the board's. */
static const char *soc(const char *root, char text[MAX_TEXT])
{
	size_t n = read_root_file(root, "/proc/device-tree/compatible", text);

	while (n && !text[n - 1])
		n--;
	while (n && text[n - 1])
		n--;
	if (text[n])
		return text + n;
	return find_cpu_line(root, "model name", text);
}

static struct json_object *instructions(const char *root, char text[MAX_TEXT])
{
	static const char known[] = "aes vaes pclmulqdq vpclmulqdq sha_ni pmull sha1 sha2 sha3 "
				    "sha512 sm3 sm4 msa";
	static const char *const keys[] = { "flags", "Features", "features" }; /* x86, Arm, s390 */
	char *line = NULL;
	struct json_object *o;

	for (size_t i = 0; !line && i < sizeof(keys) / sizeof(keys[0]); i++)
		line = find_cpu_line(root, keys[i], text);
	if (!line)
		return NULL;
	o = json_object_new_array();
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		if (kc_has_word(known, word))
			json_object_array_add(o, json_object_new_string(word));
	return o;
}

struct json_object *kc_bench_machine(const char *root)
{
	char names[2][MAX_TEXT], text[MAX_TEXT];
	struct utsname u = { .release = "" };

	uname(&u);
	return kc_json(NULL,
		       "version=%s openssl=%s kernel=%s machine=%s board=%s soc=%s "
		       "cpu_instructions=%p",
		       KC_VERSION, OpenSSL_version(OPENSSL_VERSION), u.release, u.machine,
		       board(root, names[0]), soc(root, names[1]), instructions(root, text));
}
