/* SPDX-License-Identifier: Apache-2.0 */
/* KC_FUZZ_SEEDS=DIR: the target writes its initial inputs to DIR, and exits. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

static const char *dir;

void seed(const char *name, const void *bytes, size_t len)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/seed-%s", dir, name);
	file = fopen(path, "w");
	if (!file || fwrite(bytes, 1, len, file) != len || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	dir = getenv("KC_FUZZ_SEEDS");
	if (!dir)
		return 0;
	write_seeds();
	exit(0);
}
