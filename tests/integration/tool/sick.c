/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module that crashes the process that loads it, or hangs where SICK_HANGS is set. Where
 * SICK_WRITES names a file, it appends a line to the file instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void write_line(const char *path)
{
	FILE *file = fopen(path, "a");

	if (!file)
		abort();
	fputs("# more\n", file);
	fclose(file);
}

__attribute__((constructor)) static void be_sick(void)
{
	if (getenv("SICK_WRITES")) {
		write_line(getenv("SICK_WRITES"));
		return;
	}
	while (getenv("SICK_HANGS"))
		pause();
	abort();
}
