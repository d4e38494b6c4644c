// SPDX-License-Identifier: Apache-2.0
/* See lines.h. */
#include "discovery/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The kernel returns one page of its texts per read, however much is asked for. */
#define PIECE 4096

static void keep(struct kc_lines *lines, const char *text, size_t len)
{
	size_t room = sizeof(lines->line) - lines->len;

	len = len < room ? len : room;
	memcpy(lines->line + lines->len, text, len);
	lines->len += len;
}

static void take_kept(struct kc_lines *lines)
{
	lines->take(lines, lines->line, lines->len);
	lines->len = 0;
}

/* The end of this line, or of the last before an empty one. NULL: it is not here. */
static const char *end_of(const struct kc_lines *lines, const char *text, size_t len)
{
	const char *last = text + len - 1, *end = memchr(text, '\n', len), *next = end;

	while (lines->skips && end > text && end < last && end[1] != '\n' && next) {
		next = memchr(end + 1, '\n', (size_t)(last - end));
		end = next ? next : end;
	}
	return end;
}

void kc_lines_feed(struct kc_lines *lines, const char *text, size_t len)
{
	const char *end;

	while ((end = end_of(lines, text, len))) {
		size_t n = (size_t)(end - text);

		if (lines->len) {
			keep(lines, text, n);
			take_kept(lines);
		} else {
			lines->take(lines, text, n);
		}
		text += n + 1;
		len -= n + 1;
	}
	keep(lines, text, len);
}

int kc_lines_read(struct kc_lines *lines, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : 0;
	char piece[PIECE];

	while (!err) {
		ssize_t n = read(fd, piece, sizeof(piece));

		if (n == 0)
			break;
		if (n > 0)
			kc_lines_feed(lines, piece, (size_t)n);
		else if (errno != EINTR)
			err = -errno;
	}
	if (!err && lines->len)
		take_kept(lines);
	if (fd >= 0)
		close(fd);
	return err;
}
