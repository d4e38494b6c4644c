/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file as text. libcrypto's parser decides what is in it; this reader keeps two facts that
 * the parser forgets: where a line stands, and which files are included.
 */
#include "cli/doctor/found.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH 8 /* files that include each other */

struct reader {
	struct kc_text *text;
	bool is_in_section; /* the lines before the first one are [default]'s */
	int depth;
};

static void read_file(struct reader *r, const char *path);

static char *trim(char *line)
{
	char *end;

	line[strcspn(line, "#\n")] = '\0';
	line += strspn(line, " \t\r");
	end = line + strlen(line);
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return line;
}

static bool is_included(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcmp(dot, ".cnf") == 0 || strcmp(dot, ".conf") == 0);
}

static void read_directory(struct reader *r, const char *path, DIR *dir)
{
	char name[PATH_MAX];
	const struct dirent *d;

	while ((d = readdir(dir))) {
		if (is_included(d->d_name) &&
		    snprintf(name, sizeof(name), "%s/%s", path, d->d_name) < (int)sizeof(name))
			read_file(r, name);
	}
}

/* Like libcrypto: a file, or all of a directory; relative to OPENSSL_CONF_INCLUDE. */
static void include(struct reader *r, char *word)
{
	const char *base = secure_getenv("OPENSSL_CONF_INCLUDE");
	char path[PATH_MAX];
	DIR *dir;

	word += strspn(word, " \t=\"'");
	word[strcspn(word, "\"'")] = '\0';
	if (base && word[0] != '/')
		snprintf(path, sizeof(path), "%s/%s", base, word);
	else
		snprintf(path, sizeof(path), "%s", word);
	if (strchr(path, '$') || r->depth == MAX_DEPTH)
		return;
	r->depth++;
	dir = opendir(path);
	if (dir) {
		read_directory(r, path, dir);
		closedir(dir);
	} else {
		read_file(r, path);
	}
	r->depth--;
}

/* Takes a line of the main file that is where OpenSSL does not look for it. */
static void take_late(struct kc_text *text, const char *path, long number, const char *value)
{
	if (text->late[0])
		return;
	snprintf(text->late, sizeof(text->late), "%s", path);
	snprintf(text->late_init, sizeof(text->late_init), "%s", value + strspn(value, " \t="));
	text->late_line = number;
}

static void take_line(struct reader *r, const char *path, long number, char *line)
{
	static const char start[] = "openssl_conf";
	const char *rest = line + strlen(start);

	if (*line == '[') {
		line += 1 + strspn(line + 1, " \t");
		r->is_in_section = strncmp(line, "default", 7) != 0 || !strchr(" \t]", line[7]);
	} else if (strncmp(line, ".include", 8) == 0) {
		include(r, line + 8);
	} else if (r->is_in_section && strncmp(line, start, strlen(start)) == 0 &&
		   rest[strspn(rest, " \t")] == '=') {
		take_late(r->text, path, number, rest);
	}
}

static void read_file(struct reader *r, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!file && !r->text->absent[0])
		snprintf(r->text->absent, sizeof(r->text->absent), "%s", path);
	if (file && r->depth)
		r->text->n_included++;
	for (long n = 1; file && getline(&line, &size, file) != -1; n++)
		take_line(r, path, n, trim(line));
	free(line);
	if (file)
		fclose(file);
}

static void parse(struct kc_text *text)
{
	struct reader reader = { .text = text };
	const char *algorithms;

	text->cnf = NCONF_new(NULL);
	if (NCONF_load(text->cnf, text->path, &text->bad_line) <= 0) {
		NCONF_free(text->cnf);
		text->cnf = NULL;
		ERR_clear_error();
		return;
	}
	read_file(&reader, text->path);
	text->init = NCONF_get_string(text->cnf, NULL, "openssl_conf");
	text->providers = kc_conf_get(text->cnf, text->init, "providers");
	text->section = kc_conf_find_provider(text->cnf, text->providers, "kcrypto");
	algorithms = kc_conf_get(text->cnf, text->init, "alg_section");
	text->query = kc_conf_get(text->cnf, algorithms, "default_properties");
	ERR_clear_error();
}

static void choose(struct kc_found *found)
{
	const char *named = secure_getenv("OPENSSL_CONF");
	char *path = CONF_get1_default_config_file();

	found->text.whence = named ? "OPENSSL_CONF" : "libcrypto";
	snprintf(found->text.path, sizeof(found->text.path), "%s",
		 !named && found->program.conf[0] ? found->program.conf :
		 path				  ? path :
						    "");
	OPENSSL_free(path);
}

void kc_found_text(struct kc_found *found)
{
	struct kc_text *text = &found->text;
	FILE *file;

	choose(found);
	file = fopen(text->path, "re");
	if (!file || fgetc(file) == EOF)
		text->err = file && !ferror(file) ? 0 : errno;
	if (file)
		fclose(file);
	if (!text->err)
		parse(text);
	kc_config_init(&found->offers.config);
	kc_conf_read(&found->conf, text->path, &found->offers.config);
	if (!found->conf.module[0])
		return;
	kc_module_path(found->conf.module, text->module, sizeof(text->module));
	text->module_err = access(text->module, R_OK) == 0 ? 0 : errno;
}
