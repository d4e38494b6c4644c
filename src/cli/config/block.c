/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block of our lines at the end of an openssl.cnf, between two marks. A blank line precedes it
 * and belongs to it. If the text's last line has no end, the blank line becomes that end. So
 * removing everything from there on is right in both cases.
 */
#include "cli/config/block.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cnf/loader.h"
#include "cli/config/edit.h"
#include "cli/text.h"

#define BEGIN "# kcrypto config: begin; 'kcrypto config disable' takes these lines away"
#define END   "# kcrypto config: end"
#define KEPT  "# lines from before 'kcrypto config disable', some of them not by 'enable':"

/* Returns the start of the first line that starts with @words; NULL if there is none. */
static const char *find_mark(const char *at, const char *end, const char *words)
{
	size_t len = strlen(words);

	for (; at < end; at = kc_line_after(at, end))
		if ((size_t)(end - at) >= len && memcmp(at, words, len) == 0)
			return at;
	return NULL;
}

/* 0; -ENOENT: there is none; -EBADMSG: it has no end. */
int kc_block_find(const struct kc_text *text, struct kc_block *block)
{
	const char *start = kc_text_or(text->at, ""), *end = start + text->len;

	block->begin = find_mark(start, end, BEGIN);
	if (!block->begin)
		return -ENOENT;
	block->lines = kc_line_after(block->begin, end);
	block->end = find_mark(block->begin, end, END);
	if (!block->end)
		return -EBADMSG;
	block->after = kc_line_after(block->end, end);
	return 0;
}

/* Writes lines with the text's own line ends. */
static void put_lines(FILE *out, const struct kc_text *text, const char *lines)
{
	bool is_crlf = kc_text_has_crlf(text);

	for (; *lines; lines++) {
		if (*lines == '\n' && is_crlf)
			putc('\r', out);
		putc(*lines, out);
	}
}

static void put_bytes(FILE *out, const char *from, const char *to)
{
	fwrite(from, 1, (size_t)(to - from), out);
}

/* Writes the text, and a block after it. */
static void put_new(FILE *out, const struct kc_text *text, const char *lines)
{
	if (text->at) {
		put_bytes(out, text->at, text->at + text->len);
		put_lines(out, text, "\n");
	}
	put_lines(out, text, BEGIN "\n");
	put_lines(out, text, lines);
	put_lines(out, text, END "\n");
}

/* Writes the text, with more lines in its block. */
static void put_longer(FILE *out, const struct kc_text *text, const struct kc_block *block,
		       const char *lines)
{
	put_bytes(out, text->at, block->end);
	if (block->lines < block->end)
		put_lines(out, text, "\n");
	put_lines(out, text, lines);
	put_bytes(out, block->end, text->at + text->len);
}

/* See block.h. */
int kc_block_add(const struct kc_text *text, const char *lines, struct kc_text *edited)
{
	struct kc_block block;
	int err = kc_block_find(text, &block);
	FILE *out;

	if (err == -EBADMSG)
		return err;
	if (err && text->len && text->at[text->len - 1] == '\\')
		return -EINVAL;
	*edited = (struct kc_text){ .at = NULL };
	out = kc_must(open_memstream(&edited->at, &edited->len));
	if (err)
		put_new(out, text, lines);
	else
		put_longer(out, text, &block, lines);
	if (fclose(out) == 0)
		return 0;
	return -ENOMEM;
}

/* Returns the end of the text before the block, whose blank line may be the last line's end. */
static const char *before_blank(const struct kc_text *text, const struct kc_block *block)
{
	const char *end = block->begin;

	if (end > text->at && end[-1] == '\n')
		end--;
	if (end > text->at && end < block->begin && end[-1] == '\r')
		end--;
	if (!*block->after || end == text->at || end[-1] == '\n')
		return end;
	return block->begin;
}

static void put_comments(FILE *out, const struct kc_block *block)
{
	for (const char *at = block->lines, *next; at < block->end; at = next) {
		next = kc_line_after(at, block->end);
		fputs("# ", out);
		put_bytes(out, at, next);
	}
}

/* See block.h. */
int kc_block_undo(const struct kc_text *text, const struct kc_block *block, bool is_kept,
		  struct kc_text *edited)
{
	FILE *out = kc_must(open_memstream(&edited->at, &edited->len));
	int err = 0;

	if (!is_kept) {
		put_bytes(out, text->at, before_blank(text, block));
	} else {
		put_bytes(out, text->at, block->begin);
		put_lines(out, text, KEPT "\n");
		put_comments(out, block);
		put_lines(out, text, "#\n");
	}
	put_bytes(out, block->after, text->at + text->len);
	if (fclose(out) != 0)
		err = -ENOMEM;
	if (err || (!edited->len && block->begin == text->at))
		kc_text_free(edited);
	return err;
}

void kc_block_read(struct kc_cnf *cnf, const struct kc_block *block, const char *root,
		   const char *main)
{
	size_t len = (size_t)(block->end - block->lines);
	KC_TEXT lines = { kc_must(strndup(block->lines, len)), len, 0 };
	struct kc_plan plan = { .file[0] = { (char *)main, lines }, .n = 1 };

	kc_cnf_read(cnf, root, main, &plan);
}

bool kc_block_is_own(const struct kc_cnf *cnf, const struct kc_line *line)
{
	return strcmp(line->where.file, cnf->main) == 0;
}

/* The lines of a block that stay, with plain line ends. */
struct rest {
	FILE *out;
	const char *header, *header_end; /* of a section that has no line yet, or NULL */
	bool is_started;
};

static void put_plain(FILE *out, const char *at, const char *next)
{
	for (; at < next; at++)
		if (*at != '\r' || at + 1 == next || at[1] != '\n')
			putc(*at, out);
}

static void put_rest(struct rest *rest, const char *at, const char *next)
{
	if (rest->header) {
		if (rest->is_started)
			putc('\n', rest->out);
		put_plain(rest->out, rest->header, rest->header_end);
	}
	rest->header = NULL;
	rest->is_started = true;
	put_plain(rest->out, at, next);
}

/* A section of which no line stays goes, too. */
static void pass_line(struct rest *rest, const struct kc_line *line, const char *at,
		      const char *next)
{
	if (line->kind == KC_LINE_SECTION) {
		rest->header = at;
		rest->header_end = next;
	} else if (line->kind != KC_LINE_OTHER || memchr(at, '#', (size_t)(next - at))) {
		put_rest(rest, at, next);
	}
}

/* Returns the start of a line of the block, counted from 1. */
static const char *nth_line(const struct kc_block *block, unsigned number)
{
	const char *at = block->lines;

	while (--number)
		at = kc_line_after(at, block->end);
	return at;
}

/* Returns the number of lines that it leaves out. */
static size_t put_block(struct rest *rest, const struct kc_block *block, const struct kc_cnf *cnf,
			bool (*is_old)(const struct kc_line *line, const void *arg),
			const void *arg)
{
	const struct kc_line *last = NULL;
	size_t n = 0;

	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++) {
		if (!kc_block_is_own(cnf, l))
			continue;
		/* A line that backslashes continue ends where the next one starts. */
		if (last)
			pass_line(rest, last, nth_line(block, last->where.line),
				  nth_line(block, l->where.line));
		last = l;
		if (!is_old(l, arg))
			continue;
		last = NULL;
		n++;
	}
	if (last)
		pass_line(rest, last, nth_line(block, last->where.line), block->end);
	return n;
}

int kc_block_renew(const struct kc_text *text, const struct kc_block *block,
		   const struct kc_cnf *cnf,
		   bool (*is_old)(const struct kc_line *line, const void *arg), const void *arg,
		   struct kc_text *edited)
{
	KC_TEXT without = { .at = NULL }, lines = { .at = NULL };
	struct rest rest = { .header = NULL };
	size_t n;
	int err;

	rest.out = kc_must(open_memstream(&lines.at, &lines.len));
	n = put_block(&rest, block, cnf, is_old, arg);
	if (fclose(rest.out) != 0)
		return -ENOMEM;
	if (!n)
		return -ENOENT;
	err = kc_block_undo(text, block, false, &without);
	if (err)
		return err;
	return kc_block_add(&without, lines.at, edited);
}
