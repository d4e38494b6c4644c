/* SPDX-License-Identifier: Apache-2.0 */
/* Owns the name and place of such files. */
#include "cli/run/temp.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int kc_temp_open(char path[KC_TEMP_PATH])
{
	static const char name[] = "kcrypto.XXXXXX";
	const char *dir = secure_getenv("TMPDIR");
	int fd;

	if (!dir || strlen(dir) + 1 + sizeof(name) > KC_TEMP_PATH)
		dir = "/tmp";
	snprintf(path, KC_TEMP_PATH, "%s/%s", dir, name);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		path[0] = '\0';
	return fd;
}

void kc_temp_remove(char path[KC_TEMP_PATH])
{
	if (path[0])
		unlink(path);
	path[0] = '\0';
}
