/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cnf/include.h"

#include <openssl/bio.h>
#include <openssl/conf.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/cli.h"

#define PROBE "kcrypto.include"

/* Returns the value of "keyword:value"; NULL: this is another keyword. */
static const char *value_of(const char *pragma, const char *keyword)
{
	size_t len = strlen(keyword);
	const char *colon = strchr(pragma, ':');

	if (!colon || strncmp(pragma, keyword, len) != 0)
		return NULL;
	if (pragma + len + strspn(pragma + len, " \t") != colon)
		return NULL;
	return colon + 1 + strspn(colon + 1, " \t");
}

void kc_includes_heed(struct kc_includes *includes, const char *value)
{
	const char *absolute = value_of(value, "abspath");
	const char *directory = value_of(value, "includedir");

	if (absolute)
		includes->is_absolute =
			strcasecmp(absolute, "on") == 0 || strcasecmp(absolute, "true") == 0;
	if (directory) {
		free(includes->directory);
		includes->directory = kc_must(strdup(directory));
	}
}

/* Returns the value that the last line of a text gives in its section. */
static char *ask_libcrypto(const char *text, size_t len, const char *section)
{
	BIO *bio = BIO_new_mem_buf(text, (int)len);
	CONF *conf = NCONF_new(NULL);
	char *value = NULL;

	if (bio && conf && NCONF_load_bio(conf, bio, NULL) > 0)
		value = NCONF_get_string(conf, section, PROBE);
	if (value)
		value = kc_must(strdup(value));
	NCONF_free(conf);
	BIO_free(bio);
	ERR_clear_error();
	return value;
}

char *kc_includes_expand(struct kc_includes *includes, const struct kc_text *text,
			 const struct kc_line *line)
{
	KC_TEXT all = { .at = NULL };
	char *value;
	FILE *out;

	if (strcspn(line->value, "$\\\"'`") == strlen(line->value))
		return kc_must(strdup(line->value));
	if (includes->is_unclear)
		return NULL;
	out = kc_must(open_memstream(&all.at, &all.len));
	fwrite(text->at, 1, text->len, out);
	fprintf(out, PROBE " = %s\n", line->value);
	if (fclose(out) != 0)
		return NULL;
	value = ask_libcrypto(all.at, all.len, line->section);
	includes->is_unclear = !value;
	return value;
}

/*
 * Returns the directory for relative paths; none below another root, where this process's directory
 * means nothing.
 */
static const char *directory_of(const struct kc_includes *includes, const char *root, char *here,
				size_t size)
{
	const char *dir = *root ? NULL : secure_getenv("OPENSSL_CONF_INCLUDE");

	if (dir)
		return dir;
	if (includes->directory)
		return includes->directory;
	if (getcwd(here, size))
		return here;
	return ".";
}

char *kc_includes_path(const struct kc_includes *includes, const char *root, const char *value)
{
	char here[PATH_MAX], *path = NULL;
	const char *dir = "";

	if (!*value)
		return NULL;
	if (*value != '/')
		dir = directory_of(includes, root, here, sizeof(here));
	if (dir == here && (includes->is_absolute || *root))
		return NULL;
	if (*dir && *dir != '/' && (includes->is_absolute || *root))
		return NULL;
	if (asprintf(&path, "%s%s%s", dir, *dir ? "/" : "", value) < 0)
		return NULL;
	return path;
}

bool kc_includes_enter(struct kc_includes *includes, const char *root, const char *path)
{
	struct dirent **list = NULL;
	int n = kc_files_list(root, path, &list);

	if (n < 0)
		return false;
	if (includes->list) {
		for (int i = 0; i < n; i++)
			free(list[i]);
		free(list);
		return true;
	}
	includes->list = list;
	includes->n = n;
	includes->next = 0;
	includes->path = kc_must(strdup(path));
	return true;
}

static void leave(struct kc_includes *includes)
{
	while (includes->next < includes->n)
		free(includes->list[includes->next++]);
	free(includes->list);
	free(includes->path);
	includes->list = NULL;
	includes->path = NULL;
	includes->n = 0;
}

char *kc_includes_next(struct kc_includes *includes)
{
	char *path = NULL;
	struct dirent *entry;

	if (includes->next >= includes->n) {
		leave(includes);
		return NULL;
	}
	entry = includes->list[includes->next++];
	if (asprintf(&path, "%s%s%s", includes->path,
		     includes->path[strlen(includes->path) - 1] == '/' ? "" : "/",
		     entry->d_name) < 0)
		path = NULL;
	free(entry);
	return path;
}

void kc_includes_free(struct kc_includes *includes)
{
	leave(includes);
	free(includes->directory);
	*includes = (struct kc_includes){ .directory = NULL };
}
