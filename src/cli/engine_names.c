/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto engine-names: puts the engine where OpenSSL looks for the old ids, and takes it away. Owns
 * what happens to a file that is there already: it is kept beside, dpkg is told, and it comes back.
 * Each step can be made again, and at no moment is a name without a whole file.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ids.h"

#define ENGINE	    "kcrypto-engine.so"
#define MAX_FILE    (16 << 20) /* bytes; no engine is so large */
#define KEPT	    ".kcrypto-kept"
#define NEW	    ".kcrypto-new"
#define DPKG_DIVERT "dpkg-divert"

struct place {
	char path[PATH_MAX], kept[PATH_MAX + 16], new[PATH_MAX + 16];
};

struct file {
	char *bytes; /* NULL: there is none, or it can't be read */
	size_t len;
};

static const char *dir = KC_ENGINES_DIR;

static int failed(const char *path)
{
	fprintf(stderr, "kcrypto: %s: %s\n", path, strerror(errno));
	return KC_EXIT_FAILED;
}

static struct file read_file(const char *path)
{
	struct file f = { malloc(MAX_FILE), 0 };
	FILE *from = f.bytes ? fopen(path, "re") : NULL;

	if (from)
		f.len = fread(f.bytes, 1, MAX_FILE, from);
	if (!from || ferror(from) || f.len == MAX_FILE) {
		free(f.bytes);
		f.bytes = NULL;
	}
	if (from)
		fclose(from);
	return f;
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* By a text that only the engine has. */
static bool is_ours(const char *path)
{
	struct file f = read_file(path);
	const char *text = kc_ids[0].name;
	bool found = f.bytes && memmem(f.bytes, f.len, text, strlen(text));

	free(f.bytes);
	return found;
}

static bool is_same(const char *path, const struct file *as)
{
	struct file f = read_file(path);
	bool same = f.bytes && f.len == as->len && memcmp(f.bytes, as->bytes, f.len) == 0;

	free(f.bytes);
	return same;
}

/* 0, or what dpkg-divert exited with; 127: there is no dpkg here, which is fine. */
static int divert(const char *what, const struct place *p)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		execlp(DPKG_DIVERT, DPKG_DIVERT, "--quiet", "--no-rename", "--divert", p->kept,
		       what, p->path, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status) == 127 ? 0 : WEXITSTATUS(status);
}

static bool write_whole(const char *path, const struct file *f)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool ok = fd >= 0 && write(fd, f->bytes, f->len) == (ssize_t)f->len &&
		  fchmod(fd, 0644) == 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* By another name of the same file: it stays where it is until ours takes its place. */
static bool keep(const struct place *p)
{
	if (exists(p->kept) && unlink(p->kept) != 0)
		return false;
	return link(p->path, p->kept) == 0;
}

static int install_one(const struct place *p, const struct file *engine)
{
	bool foreign = exists(p->path) && !is_ours(p->path);

	if (divert("--add", p) != 0)
		return kc_failure(DPKG_DIVERT " refused");
	if (is_same(p->path, engine)) {
		printf("%s: is there already\n", p->path);
		return KC_EXIT_OK;
	}
	if (foreign && !keep(p))
		return failed(p->kept);
	if (!write_whole(p->new, engine) || rename(p->new, p->path) != 0) {
		int saved_errno = errno;

		unlink(p->new);
		errno = saved_errno;
		return failed(p->path);
	}
	printf("%s: installed%s%s\n", p->path, foreign ? "; what was there is kept as " : "",
	       foreign ? p->kept : "");
	return KC_EXIT_OK;
}

static int remove_one(const struct place *p, const struct file *engine)
{
	bool ours = is_ours(p->path), kept = exists(p->kept);

	(void)engine;
	if (kept && (ours || !exists(p->path))) {
		if (rename(p->kept, p->path) != 0)
			return failed(p->path);
		printf("%s: is again what it was\n", p->path);
	} else if (ours) {
		if (unlink(p->path) != 0)
			return failed(p->path);
		printf("%s: removed\n", p->path);
	} else {
		printf("%s: %s\n", p->path, exists(p->path) ? "is not ours" : "is not there");
	}
	return divert("--remove", p) == 0 ? KC_EXIT_OK : kc_failure(DPKG_DIVERT " refused");
}

static int for_each(int (*one)(const struct place *p, const struct file *engine),
		    const struct file *engine)
{
	struct place p;
	int code = KC_EXIT_OK;

	for (const struct kc_id *id = kc_ids; id->id && code == KC_EXIT_OK; id++) {
		if (snprintf(p.path, sizeof(p.path), "%s/%s.so", dir, id->id) >=
		    (int)sizeof(p.path))
			return kc_failure("the directory's name is too long");
		snprintf(p.kept, sizeof(p.kept), "%s" KEPT, p.path);
		snprintf(p.new, sizeof(p.new), "%s" NEW, p.path);
		code = one(&p, engine);
	}
	return code;
}

static int install(void)
{
	char path[PATH_MAX];
	struct file engine;
	int code;

	if (snprintf(path, sizeof(path), "%s/" ENGINE, dir) >= (int)sizeof(path))
		return kc_failure("the directory's name is too long");
	engine = read_file(path);
	if (!engine.bytes)
		return failed(path);
	code = for_each(install_one, &engine);
	free(engine.bytes);
	return code;
}

/* 0, or an exit code. */
static int read_options(int argc, char **argv)
{
	static const struct option table[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (c == '?')
			return kc_usage_error(argv[optind - 1], "no option, or lacks its value");
		dir = optarg;
	}
	if (optind + 1 < argc)
		return kc_usage_error(argv[optind + 1], "too much");
	return KC_EXIT_OK;
}

int kc_cmd_engine_names(int argc, char **argv)
{
	int err = read_options(argc, argv);
	const char *what = err || optind >= argc ? "" : argv[optind];

	if (err)
		return err;
	if (!*dir)
		return kc_failure(
			"this OpenSSL has no engines; --dir names the directory of another");
	if (strcmp(what, "install") == 0)
		return install();
	if (strcmp(what, "remove") == 0)
		return for_each(remove_one, NULL);
	return kc_usage_error(what, "neither install nor remove");
}
