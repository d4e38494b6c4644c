/* SPDX-License-Identifier: Apache-2.0 */
/* Reads modprobe's configuration, as far as it may keep AF_ALG out of the kernel. */
#include "cli/doctor/modprobe.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static bool names_af_alg(const char *name)
{
	if (strncmp(name, "algif", 5) == 0)
		return true;
	return strcmp(name, "af_alg") == 0 || strcmp(name, "net-pf-38") == 0;
}

/* True if a line keeps out this module, or the name by which the kernel asks for it. */
static bool is_blocking(const char *line)
{
	static const struct {
		const char *word, *rest; /* "": anything may follow */
	} ways[] = { { "blacklist", "" },
		     { "install", "/false" },
		     { "install", "/true" },
		     { "alias", "off" } };
	char word[16] = "", name[32] = "", rest[256] = "";

	sscanf(line, "%15s %31s %255[^\n]", word, name, rest);
	if (!names_af_alg(name))
		return false;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(word, ways[i].word) == 0 && strstr(rest, ways[i].rest))
			return true;
	return false;
}

static bool has_blocking(const char *path)
{
	KC_FILE *file = fopen(path, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		if (is_blocking(line))
			return true;
	return false;
}

bool kc_modprobe_blocks(const struct kc_found *found, char path[PATH_MAX])
{
	static const char *const dirs[] = { "/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib" };
	glob_t files = { .gl_pathc = 0 };
	size_t i = 0;
	int flags = 0;

	for (size_t j = 0; j < sizeof(dirs) / sizeof(dirs[0]); j++, flags = GLOB_APPEND)
		glob(kc_root_path(found, "%s/modprobe.d/*.conf", dirs[j]), flags, NULL, &files);
	while (i < files.gl_pathc && !has_blocking(files.gl_pathv[i]))
		i++;
	if (i < files.gl_pathc)
		snprintf(path, PATH_MAX, "%s", files.gl_pathv[i]);
	globfree(&files);
	return i < files.gl_pathc;
}
