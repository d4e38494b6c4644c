/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cnf/layout.h"

#include <errno.h>
#include <glob.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The places that systems use. */
static const char *const places[] = {
	"/etc/ssl/openssl.cnf",	      "/etc/pki/tls/openssl.cnf", "/usr/lib/ssl/openssl.cnf",
	"/usr/lib/ssl-3/openssl.cnf", "/etc/openssl/openssl.cnf", "/usr/local/ssl/openssl.cnf",
};

int kc_layout_find_main(const struct kc_files *files, const char *file, char main[PATH_MAX])
{
	char *found = NULL;
	KC_SPOT spot = { .dir = -1 };
	int err;

	if (!file && !*files->root)
		file = found = CONF_get1_default_config_file();
	for (size_t i = 0; !file && i < ARRAY_SIZE(places); i++)
		if (kc_files_has(files, places[i]))
			file = places[i];
	err = file ? kc_spot_find(&spot, files, file, true) : -ENOENT;
	if (!err)
		memcpy(main, spot.path, PATH_MAX);
	OPENSSL_free(found);
	return err;
}

/* Is there a libcrypto with one of these versions in the image? */
static bool has_library(const struct kc_files *files, const char *versions)
{
	static const char *const dirs[] = { "lib*", "usr/lib*", "lib/*", "usr/lib/*" };
	bool has = false;

	for (size_t i = 0; !has && i < ARRAY_SIZE(dirs); i++) {
		char pattern[PATH_MAX];
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s/%s/libcrypto.so.%s", files->root, dirs[i],
			 versions);
		has = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;
		globfree(&found);
	}
	return has;
}

static void ask_version(struct kc_layout *layout, const struct kc_files *files)
{
	unsigned long version = OpenSSL_version_num();
	bool is_here = !*files->root;

	layout->has_providers = is_here ?
					version >= 0x30000000 :
					has_library(files, "[3-9]*") || !has_library(files, "1.*");
	layout->wants_random = layout->has_providers && (!is_here || version < 0x30500000);
}

static const char *last_word(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The directory for packages' files that openssl.cnf itself includes. */
static const struct kc_include *find_directory(const struct kc_cnf *cnf)
{
	for (size_t i = 0; i < cnf->n_includes; i++)
		if (cnf->include[i].is_directory && cnf->include[i].where.file == cnf->file[0].path)
			return &cnf->include[i];
	return NULL;
}

/* The file that OpenWrt's init script writes from UCI, in memory. */
static const struct kc_include *find_generated(const struct kc_cnf *cnf, bool has_providers)
{
	const char *name = has_providers ? "providers.cnf" : "engines.cnf";

	for (size_t i = 0; i < cnf->n_includes; i++)
		if (strncmp(cnf->include[i].path, "/var/etc/", 9) == 0 &&
		    strcmp(last_word(cnf->include[i].path), name) == 0)
			return &cnf->include[i];
	return NULL;
}

/* A file of that name that something else put there is left alone. */
static void name_own(struct kc_layout *layout, const struct kc_files *files, const char *dir,
		     size_t len)
{
	static const char *const names[] = { "kcrypto.cnf", "kcrypto-config.cnf" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		KC_TEXT text = { .at = NULL };

		snprintf(layout->own, sizeof(layout->own), "%.*s/%s", (int)len, dir, names[i]);
		if (kc_files_read(files, layout->own, &text) != 0 || kc_own_is_ours(&text))
			return;
	}
}

static void use_directory(struct kc_layout *layout, const struct kc_files *files,
			  const struct kc_include *directory, const struct kc_include *generated)
{
	size_t len = strlen(directory->path);

	while (len > 1 && directory->path[len - 1] == '/')
		len--;
	layout->kind = generated ? KC_LAYOUT_UCI : KC_LAYOUT_DIRECTORY;
	layout->system = generated				       ? "OpenWrt" :
			 strncmp(directory->path, "/etc/pki/", 9) == 0 ? "Fedora" :
									 "Yocto";
	if (directory->goes_on)
		memcpy(layout->leave, directory->section, sizeof(layout->leave));
	name_own(layout, files, directory->path, len);
}

void kc_layout_detect(struct kc_layout *layout, const struct kc_files *files,
		      const struct kc_cnf *cnf, const char *main, const char *file)
{
	const struct kc_include *directory = file ? NULL : find_directory(cnf);

	*layout = (struct kc_layout){ .kind = KC_LAYOUT_PLAIN, .system = "plain" };
	snprintf(layout->main, sizeof(layout->main), "%s", main);
	snprintf(layout->own, sizeof(layout->own), "%s", main);
	ask_version(layout, files);
	layout->suffix = layout->has_providers ? "_sect" : "";
	if (directory) {
		use_directory(layout, files, directory, find_generated(cnf, layout->has_providers));
	} else if (!file && kc_files_has(files, "/etc/debian_version")) {
		layout->kind = KC_LAYOUT_OWN_FILE;
		layout->system = "Debian";
		name_own(layout, files, main, (size_t)(last_word(main) - main - 1));
	}
}

bool kc_own_is_ours(const struct kc_text *text)
{
	return text->at && strncmp(text->at, KC_OWN_MARK, strlen(KC_OWN_MARK)) == 0;
}

#define ENTRY  "openssl.kcrypto"
#define ABSENT 127 /* the shell's exit code without a program */

struct call {
	int dir; /* that of the file */
	const char *commands;
};

static void become_shell(void *arg, int fd)
{
	const struct call *call = arg;
	char uci[64];

	/* The copy stays open in uci. */
	snprintf(uci, sizeof(uci), "uci -q -c /proc/self/fd/%d", dup(call->dir));
	if (dup2(fd, STDOUT_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", call->commands, uci, NULL);
	_exit(ABSENT);
}

/* Runs shell commands, in which $0 is uci; their answer is a word. uci would follow a link. */
static int run(const struct kc_files *files, const char *commands, char *answer, size_t size)
{
	struct call call = { .commands = commands };
	struct kc_child child;
	KC_SPOT spot;
	char link;
	int err = kc_spot_find(&spot, files, KC_UCI_FILE, false);
	size_t n;

	call.dir = spot.dir;
	if (!err && spot.dir >= 0 && readlinkat(spot.dir, spot.name, &link, 1) >= 0)
		err = -ELOOP;
	if (err || spot.dir < 0 || !kc_child_start(&child, become_shell, &call))
		return err ? err : -EIO;
	n = kc_child_read_all(&child, answer, size - 1, KC_CHILD_SECONDS);
	answer[n] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	kc_child_end(&child);
	if (!child.has_ended || !WIFEXITED(child.status))
		return -EIO;
	return WEXITSTATUS(child.status) == ABSENT ? -ENOSYS :
	       WEXITSTATUS(child.status)	   ? -ENOENT :
						     0;
}

/* Without an option it is enabled, as to the init script. */
int kc_uci_get(const struct kc_files *files)
{
	static const char no[] = " 0 no off false disabled ";
	char answer[32], word[40];
	int err = run(files, "$0 get " ENTRY ".enabled || $0 get " ENTRY, answer, sizeof(answer));

	if (err)
		return err == -ENOENT ? KC_UCI_ABSENT : err;
	snprintf(word, sizeof(word), " %s ", answer);
	return strstr(no, word) ? KC_UCI_OFF : KC_UCI_ON;
}

int kc_uci_set(const struct kc_files *files, const struct kc_layout *layout, enum kc_uci state)
{
	char commands[160], answer[8];

	if (state == KC_UCI_AS_IT_IS)
		return 0;
	if (state == KC_UCI_ABSENT)
		strcpy(commands, "$0 delete " ENTRY " && $0 commit openssl");
	else
		snprintf(commands, sizeof(commands),
			 "$0 set " ENTRY "=%s && $0 set " ENTRY ".enabled=%d && $0 commit openssl",
			 layout->has_providers ? "provider" : "engine", state == KC_UCI_ON);
	return run(files, commands, answer, sizeof(answer));
}

/* The lines of the other modules stay as they are. */
int kc_uci_foresee(struct kc_files *files, const struct kc_layout *layout, enum kc_uci state)
{
	const char *path =
		layout->has_providers ? "/var/etc/ssl/providers.cnf" : "/var/etc/ssl/engines.cnf";
	struct kc_text text = { .at = NULL };
	KC_TEXT old = { .at = NULL };
	int is = state == KC_UCI_AS_IT_IS ? kc_uci_get(files) : (int)state;
	FILE *out;

	if (is < 0)
		return is == -ENOSYS || is == -EIO ? 0 : is;
	kc_files_read(files, path, &old);
	out = open_memstream(&text.at, &text.len);
	for (char *rest = old.at, *line; out && (line = strsep(&rest, "\n"));)
		if (*line && strncmp(line, "kcrypto=", 8) != 0)
			fprintf(out, "%s\n", line);
	if (out && is == KC_UCI_ON)
		fprintf(out, "kcrypto=kcrypto%s\n", layout->suffix);
	if (!out || fclose(out) != 0)
		return -ENOMEM;
	is = kc_files_plan(files, path, text);
	if (!is)
		kc_files_change(files, path)->is_foreseen = true;
	return is;
}
