// SPDX-License-Identifier: Apache-2.0
/* See lines.h. */
#include "discovery/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/alg.h"

/* Bytes: the kernel returns at most a page of such a text per read. */
#define PIECE 4096

size_t kc_lines_feed(char *text, size_t len, kc_line_fn *take, void *arg)
{
	char *line = text, *stop = text + len, *end;

	while ((end = memchr(line, '\n', (size_t)(stop - line)))) {
		*end = '\0';
		take(arg, line, (size_t)(end - line));
		line = end + 1;
	}
	len = kc_min((size_t)(stop - line), KC_LINE_SIZE);
	memmove(text, line, len);
	return len;
}

int kc_lines_read(const char *path, kc_line_fn *take, void *arg)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	char text[KC_LINE_SIZE + PIECE];
	size_t len = 0;

	if (fd < 0)
		return -errno;
	while (!err) {
		ssize_t n = read(fd, text + len, PIECE);

		if (n == 0)
			break;
		if (n > 0)
			len = kc_lines_feed(text, len + (size_t)n, take, arg);
		else if (errno != EINTR)
			err = -errno;
	}
	text[len] = '\0';
	if (!err && len)
		take(arg, text, len);
	close(fd);
	return err;
}
