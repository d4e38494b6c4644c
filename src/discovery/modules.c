/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the algorithms that the kernel cannot have, without loading anything: looks for names in
 * /proc/crypto and in the module list that depmod writes. A template such as cbc(aria) is
 * registered when it is first used, so only the algorithm inside it counts.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/backend.h"
#include "discovery/lines.h"

/* Is it the "aria" of "cbc(aria)"? */
static bool is_inside(const char *kernel_name, const char *name, size_t len)
{
	const char *inner = kc_last(kernel_name, '(');

	inner = inner ? inner + 1 : kernel_name;
	return strcspn(inner, "),") == len && memcmp(inner, name, len) == 0;
}

struct modules {
	struct kc_lines lines;
	const char *prefix;
	bool *is_absent;
};

static void take_name(struct kc_lines *lines, const char *line, size_t len)
{
	const struct modules *names = (const struct modules *)lines;
	size_t skip = strlen(names->prefix);
	const char *name = line + skip, *end;

	if (len < skip || memcmp(line, names->prefix, skip) != 0)
		return;
	len -= skip;
	end = memchr(name, ' ', len);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (is_inside(kc_algs[i].kernel_name, name, end ? (size_t)(end - name) : len))
			names->is_absent[i] = false;
}

/* Takes the names after @prefix at the start of each line. False: there is no such file. */
static bool take_names(bool *is_absent, const char *path, const char *prefix)
{
	struct modules names = { { .take = take_name }, prefix, is_absent };

	return kc_lines_read(&names.lines, path) == 0;
}

void kc_kernel_lacks(bool is_absent[KC_ALG_COUNT])
{
	struct utsname name;
	char path[sizeof(name.release) + 32];
	/* A sandbox entered since we were loaded may kill for opening a file. */
	bool is_known = kc_sandbox_permits() && uname(&name) == 0;

	memset(is_absent, true, KC_ALG_COUNT * sizeof(*is_absent));
	if (is_known)
		snprintf(path, sizeof(path), "/lib/modules/%s/modules.alias", name.release);
	if (!is_known || !take_names(is_absent, path, "alias crypto-") ||
	    !take_names(is_absent, "/proc/crypto", "name         : "))
		memset(is_absent, false, KC_ALG_COUNT * sizeof(*is_absent));
}
