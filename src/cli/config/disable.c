/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of ours at the end of a text, between two marks; and kcrypto config disable, which
 * removes what enable has added, and nothing else: lines that others have added between the marks
 * become comments. A blank line belongs to the block. If the
 * text's last line has no end, the blank line becomes that end, so that removing everything from
 * there on is right in both cases.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"

#define BEGIN "# kcrypto config: begin; 'kcrypto config disable' takes these lines away"
#define END   "# kcrypto config: end"
#define KEPT  "# lines from before 'kcrypto config disable', some of them not by 'enable':"

struct block {
	const char *begin, *lines, *end, *after; /* the marks, and what follows them */
};

/* The start of the first line that starts with @words; NULL if there is none. */
static const char *find_line(const char *at, const char *end, const char *words)
{
	size_t len = strlen(words);

	while (at && at < end) {
		if ((size_t)(end - at) >= len && memcmp(at, words, len) == 0)
			return at;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return NULL;
}

static const char *behind_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

/* 0; -ENOENT: there is none; -EBADMSG: it has no end. */
static int find_block(const struct kc_text *text, struct block *block)
{
	const char *end = text->at + text->len;

	block->begin = text->at ? find_line(text->at, end, BEGIN) : NULL;
	if (!block->begin)
		return -ENOENT;
	block->lines = behind_line(block->begin, end);
	block->end = find_line(block->begin, end, END);
	if (!block->end)
		return -EBADMSG;
	block->after = behind_line(block->end, end);
	return 0;
}

/* With the text's own line ends. */
static void put_lines(FILE *out, const struct kc_text *text, const char *lines)
{
	const char *newline = text->at ? strchr(text->at, '\n') : NULL;
	bool is_crlf = newline && newline > text->at && newline[-1] == '\r';

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

int kc_block_add(const struct kc_text *text, const char *lines, struct kc_text *edited)
{
	const char *start = text->at ? text->at : "", *end = start + text->len;
	struct block block;
	int err = find_block(text, &block);
	FILE *out;

	if (err == -EBADMSG)
		return err;
	if (err && end > start && end[-1] == '\\')
		return -EINVAL;
	*edited = (struct kc_text){ .at = NULL };
	out = kc_must(open_memstream(&edited->at, &edited->len));
	put_bytes(out, start, err ? end : block.end);
	if (err)
		put_lines(out, text, text->at ? "\n" BEGIN "\n" : BEGIN "\n");
	put_lines(out, text, lines);
	if (err)
		put_lines(out, text, END "\n");
	else
		put_bytes(out, block.end, end);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

/* The end of the text before the block, whose blank line may be that text's last line end. */
static const char *before_blank(const struct kc_text *text, const struct block *block)
{
	const char *end = block->begin;

	if (end > text->at && end[-1] == '\n')
		end--;
	if (end > text->at && end < block->begin && end[-1] == '\r')
		end--;
	return !*block->after || end == text->at || end[-1] == '\n' ? end : block->begin;
}

static void put_comments(FILE *out, const struct block *block)
{
	for (const char *at = block->lines, *next; at < block->end; at = next) {
		next = behind_line(at, block->end);
		fputs("# ", out);
		put_bytes(out, at, next);
	}
}

/*
 * Takes the block out; if @is_kept, its lines become comments. If that leaves nothing of a file
 * that enable made, @edited is empty. 0 or -ENOMEM.
 */
static int undo_block(const struct kc_text *text, const struct block *block, bool is_kept,
		      struct kc_text *edited)
{
	FILE *out = kc_must(open_memstream(&edited->at, &edited->len));
	int err;

	put_bytes(out, text->at, is_kept ? block->begin : before_blank(text, block));
	if (is_kept) {
		put_lines(out, text, KEPT "\n");
		put_comments(out, block);
		put_lines(out, text, "#\n");
	}
	put_bytes(out, block->after, text->at + text->len);
	err = fclose(out) == 0 ? 0 : -ENOMEM;
	if (err || (!edited->len && block->begin == text->at))
		kc_text_free(edited);
	return err;
}

/* Has the block a line of a name that enable does not write? It writes those of conf_put.c. */
static bool has_others(const struct kc_setup *setup, const struct block *block)
{
	static const char ours[] = "openssl_conf providers alg_section random ssl_conf engines "
				   "default kcrypto activate default_properties properties "
				   "system_default Options kcrypto.Options default_algorithms";
	size_t len = (size_t)(block->end - block->lines);
	KC_TEXT lines = { kc_must(strndup(block->lines, len)), len, 0 };
	struct kc_cnf cnf;
	bool has = false;

	kc_cnf_read(&cnf, setup->root, setup->main, &lines);
	for (const struct kc_line *l = cnf.lines; l < cnf.lines + cnf.n_lines; l++)
		has |= l->kind == KC_LINE_INCLUDE ||
		       (l->kind == KC_LINE_VALUE && !kc_has_word(ours, l->name));
	kc_cnf_free(&cnf);
	return has;
}

/* An engine with an old name may be another's. */
static bool is_left_on(const struct kc_parts *parts)
{
	return parts->is_active || (parts->id && strcmp(parts->id->id, "kcrypto") == 0);
}

/* A line that 'enable' did not write stays. Returns an exit code. */
static int tell_rest(const struct kc_setup *setup)
{
	const struct kc_conf *conf = &setup->found.conf;
	const struct kc_parts *parts = &conf->parts;
	bool is_engine = !parts->is_active;

	if (!is_left_on(parts))
		return KC_EXIT_OK;
	return kc_failure("%s: this line turns kcrypto on, and 'enable' did not write it",
			  kc_cnf_place_of(&conf->cnf, is_engine ? parts->engines : parts->kcrypto,
					  is_engine ? parts->engine : "activate"));
}

/* Plans the file without the block. 0 or -errno; -ENOENT: there is no block, or no file. */
static int plan_removal(struct kc_setup *setup, bool *is_kept)
{
	int err = kc_files_read(setup->root, setup->main, &setup->before);
	struct kc_text after = { .at = NULL };
	struct block block;

	if (!err)
		err = find_block(&setup->before, &block);
	if (err)
		return err;
	*is_kept = has_others(setup, &block);
	err = undo_block(&setup->before, &block, *is_kept, &after);
	/* The rest of the file may be one that OpenSSL cannot parse. */
	if (!err)
		kc_setup_plan(setup, after);
	return err;
}

int kc_config_disable(struct kc_setup *setup)
{
	bool is_kept = false;
	int err = plan_removal(setup, &is_kept), code;

	if (err && err != -ENOENT)
		return kc_setup_refuse(setup, err);
	if (is_kept)
		fprintf(stderr,
			"note: %s%s has lines that 'enable' did not write; they stay as comments\n",
			setup->root, setup->main);
	code = kc_setup_finish(setup, is_left_on(&setup->found.conf.parts));
	return code ? code : tell_rest(setup);
}
