/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config enable and disable: which openssl.cnf a system has; the block of our lines at the
 * end of its text, between two marks; and the plans. enable adds the lines that are missing, and
 * overrides no line but one that says no to the request. disable removes what enable has added, and
 * nothing else: lines that others have added between the marks become comments. A blank line
 * belongs to the block. If the text's last line has no end, the blank line becomes that end, so
 * that removing everything from there on is right in both cases.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <string.h>

#include "cli/cli.h"

#define BEGIN "# kcrypto config: begin; 'kcrypto config disable' takes these lines away"
#define END   "# kcrypto config: end"
#define KEPT  "# lines from before 'kcrypto config disable', some of them not by 'enable':"

/* The places that systems use. */
static const char *const places[] = {
	"/etc/ssl/openssl.cnf",	      "/etc/pki/tls/openssl.cnf", "/usr/lib/ssl/openssl.cnf",
	"/usr/lib/ssl-3/openssl.cnf", "/etc/openssl/openssl.cnf", "/usr/local/ssl/openssl.cnf",
};

/* The first of the usual places where there is a file. */
static const char *find_place(const char *root)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		KC_FD fd = kc_files_open(root, places[i], O_PATH);

		if (fd >= 0)
			return places[i];
	}
	return NULL;
}

int kc_setup_find(struct kc_setup *setup)
{
	const char *file = setup->file;
	char *found = NULL;
	int err;

	if (!file && !*setup->root)
		file = found = CONF_get1_default_config_file();
	if (!file)
		file = find_place(setup->root);
	err = file ? kc_files_resolve(setup->root, file, setup->main) : -ENOENT;
	OPENSSL_free(found);
	return err;
}

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
	const char *start = text->at ? text->at : "", *end = start + text->len;

	block->begin = find_line(start, end, BEGIN);
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

/*
 * Adds @lines to the block at the end of the text, or makes that block. 0; -EINVAL if the text's
 * last line would continue into it; -EBADMSG if the block has no end.
 */
static int add_to_block(const struct kc_text *text, const char *lines, struct kc_text *edited)
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

static int refuse(const struct kc_conf *conf, const char *section, const char *name,
		  const char *why)
{
	return kc_failure("%s: %s", kc_cnf_place_of(&conf->cnf, section, name), why);
}

/* Finds settings that kcrypto must not override. */
static int look_ahead(const struct kc_conf *conf)
{
	const struct kc_parts *parts = &conf->parts;

	if (parts->id)
		return refuse(conf, parts->engines, parts->engine,
			      "programs would get this engine's algorithms in place of the "
			      "provider's: kcrypto-engine(7) tells how to move its lines");
	if (parts->other && !parts->is_base_active)
		return refuse(conf, parts->providers, parts->other,
			      "providers are active here, and OpenSSL's 'default' is not: kcrypto "
			      "needs that one; activate it if that is what you want");
	if (parts->answer.leads && !parts->answer.has_rest)
		return refuse(
			conf, parts->algorithms, "default_properties",
			"'provider=kcrypto' hides most of OpenSSL: write '?provider=kcrypto'");
	if (parts->query && !parts->answer.is_valid)
		return refuse(conf, parts->algorithms, "default_properties",
			      "OpenSSL cannot parse this: 'kcrypto config fix' corrects it");
	if (parts->query && !parts->answer.has_rest)
		return refuse(
			conf, parts->algorithms, "default_properties",
			"this leaves programs no algorithm: 'kcrypto config fix' corrects it");
	if (parts->query && !parts->is_preferred && strstr(parts->query, "provider"))
		return refuse(conf, parts->algorithms, "default_properties",
			      "this prefers another provider, and OpenSSL takes only one");
	return KC_EXIT_OK;
}

/* Writes the missing lines. An exit code: others may be in the way. */
static int find_wanted(const struct kc_setup *setup, struct kc_text *lines)
{
	const struct kc_conf *conf = &setup->found.conf;
	int err = conf->has_providers ? look_ahead(conf) : KC_EXIT_OK;
	FILE *out;

	if (!conf->has_providers && setup->wants_ktls)
		err = kc_failure("kTLS needs OpenSSL 3.0 or later");
	if (err)
		return err;
	out = kc_must(open_memstream(&lines->at, &lines->len));
	if (conf->has_providers)
		kc_conf_put_provider(out, conf, setup->wants_ktls);
	else
		kc_conf_put_engine(out, conf);
	return fclose(out) == 0 ? KC_EXIT_OK : kc_failure("%s", strerror(ENOMEM));
}

/* Plans all missing lines, and reads the result, which must lack none then. An exit code. */
static int plan_lines(struct kc_setup *setup)
{
	KC_TEXT lines = { .at = NULL }, more = { .at = NULL };
	struct kc_text *before = &setup->before, after;
	int err = find_wanted(setup, &lines);

	if (err || !lines.len)
		return err;
	err = kc_files_read(setup->root, setup->main, before);
	if (!err || err == -ENOENT)
		err = add_to_block(before, lines.at, &after);
	if (err)
		return kc_setup_refuse(setup, err);
	if (kc_setup_plan(setup, after) != 0)
		return kc_failure("%s", setup->found.conf.error);
	err = find_wanted(setup, &more);
	if (!err && more.len)
		err = kc_failure("%s%s: existing lines override those that would be added:\n%s",
				 setup->root, setup->main, more.at);
	return err;
}

int kc_setup_add_missing(const struct kc_setup *setup, const struct kc_text *before,
			 struct kc_text *after)
{
	KC_TEXT lines = { .at = NULL };
	int err = find_wanted(setup, &lines);

	if (err || !lines.len)
		return KC_EXIT_FAILED;
	err = add_to_block(before, lines.at, after);
	return err ? kc_setup_refuse(setup, err) : KC_EXIT_OK;
}

int kc_config_enable(struct kc_setup *setup)
{
	int err = plan_lines(setup);

	return err ? err : kc_setup_finish(setup, true);
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
	struct kc_plan plan = { .file[0] = { (char *)setup->main, lines }, .n = 1 };
	struct kc_cnf cnf;
	bool has = false;

	kc_cnf_read(&cnf, setup->root, setup->main, &plan);
	for (const struct kc_line *l = cnf.lines; l != kc_cnf_end(&cnf); l++)
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

	setup->is_removal = true;
	if (err && err != -ENOENT)
		return kc_setup_refuse(setup, err);
	if (is_kept)
		fprintf(stderr,
			"note: %s%s has lines that 'enable' did not write; they stay as comments\n",
			setup->root, setup->main);
	code = kc_setup_finish(setup, is_left_on(&setup->found.conf.parts));
	return code ? code : tell_rest(setup);
}
