/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config: its options, the reading of the configuration, the links of kcrypto doctor's
 * chain that openssl.cnf makes, and what becomes of a plan.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "cli/table.h"

/* What an error of reading or writing the file means. */
static const struct {
	int err;
	const char *why;
} refusals[] = {
	{ EINVAL, "its last line ends in a backslash and would continue into the new lines" },
	{ EBADMSG, "the marked lines have no end: the last line written by 'enable' is missing" },
	{ ESTALE, "another program has changed it in the meantime" },
	{ EACCES, "this user may not write it; root may" },
	{ EPERM, "this user may not write it; root may" },
	{ EROFS, "it is on a file system that is mounted read-only" },
	{ ELOOP, "it is a symbolic link to a file that does not exist" },
	{ ENODEV, "it is not a regular file" },
	{ EILSEQ, "it holds a zero byte" },
	{ EBUSY, "it is mounted there by itself, as into a container: change the file that is "
		 "mounted" },
	{ ENOTSUP, "its extended attributes could not be kept" },
	{ EMLINK, "it has several names (hard links), and only one would change: make it a file of "
		  "its own, or a symbolic link" },
};

int kc_setup_refuse(const struct kc_setup *setup, int err)
{
	const char *why = strerror(-err);

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (refusals[i].err == -err)
			why = refusals[i].why;
	return kc_failure("%s%s: %s; nothing was changed", setup->root, setup->main, why);
}

int kc_setup_read(struct kc_setup *setup)
{
	struct kc_found *found = &setup->found;
	struct kc_plan one = { .file[0] = { setup->main, setup->after }, .n = setup->is_planned };
	int err;

	kc_conf_free(&found->conf);
	err = kc_conf_read_of(&found->conf, setup->root, setup->main,
			      setup->plan ? setup->plan : &one);
	if (err != -ENOENT)
		return err;
	kc_cnf_be_empty(&found->conf.cnf);
	return 0;
}

int kc_setup_plan(struct kc_setup *setup, struct kc_text after)
{
	if (setup->is_planned)
		kc_text_free(&setup->after);
	setup->is_planned = true;
	setup->after = after;
	return kc_setup_read(setup);
}

struct kc_diagnosis *kc_setup_judge(struct kc_setup *setup)
{
	static struct kc_diagnosis d;
	struct kc_found *found = &setup->found;

	d.n = 0;
	found->offers.reach.is_asked = false;
	if (!*setup->root && !found->conf.cnf.err)
		kc_reach_ask(&found->offers.reach, &found->conf);
	kc_diagnosis_run(&d, found, KC_OF_FILE);
	return &d;
}

static bool is_verbose, json;

/* "kcrypto is on", or what else it is. */
static const char *say_verdict(const struct kc_diagnosis *d, const struct kc_parts *parts)
{
	if (strcmp(kc_diagnosis_verdict(d), "on") != 0)
		return "kcrypto is off";
	if (parts->is_active)
		return "kcrypto is on";
	return "kcrypto is on as an engine";
}

static void print_check(const struct kc_setup *setup, const struct kc_diagnosis *d)
{
	if (kc_diagnosis_print(d, is_verbose, stdout))
		putchar('\n');
	if (kc_diagnosis_print_worst(d, stdout))
		return;
	kc_paint(stdout, KC_GREEN, 0, "ok");
	printf(": %s%s: %s\n", setup->root, setup->main, say_verdict(d, &setup->found.conf.parts));
}

static int check(struct kc_setup *setup)
{
	struct kc_diagnosis *d = kc_setup_judge(setup);

	kc_diagnosis_advise(d);
	if (json)
		kc_json_finish(stdout,
			       kc_diagnosis_json(d, kc_json(NULL, "version=%s openssl_conf=%s",
							    KC_VERSION, setup->main)),
			       true);
	else
		print_check(setup, d);
	if (kc_diagnosis_worst(d))
		return KC_EXIT_FAILED;
	return KC_EXIT_OK;
}

static void print_lines(char sign, const char *at, const char *end)
{
	for (const char *newline; at < end; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		newline = newline ? newline : end;
		printf("%c%.*s\n", sign, (int)(newline - at), at);
	}
}

/* Do the last @tail bytes begin with a line? */
static bool begins_line(const struct kc_text *text, size_t tail)
{
	return tail == text->len || text->at[text->len - tail - 1] == '\n';
}

/* What enable adds, and disable removes, is in one piece. */
static void print_change(const struct kc_text *old, const struct kc_text *new)
{
	size_t least = old->len < new->len ? old->len : new->len, head = 0, tail = 0;

	while (head < least && old->at[head] == new->at[head])
		head++;
	while (head && old->at[head - 1] != '\n')
		head--;
	while (tail < least - head && old->at[old->len - tail - 1] == new->at[new->len - tail - 1])
		tail++;
	while (tail && !(begins_line(old, tail) && begins_line(new, tail)))
		tail--;
	print_lines('-', old->at + head, old->at + old->len - tail);
	print_lines('+', new->at + head, new->at + new->len - tail);
}

/* Makes the new name survive a power failure. */
static void sync_directory(int dir)
{
	KC_FD fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		(void)!fsync(fd);
}

/*
 * Another program may have written the file since it was read. With several names, only this one
 * would get the new contents.
 */
static int look_at_old(int fd, const struct kc_text *before)
{
	KC_TEXT now = { .at = NULL };
	struct stat st;
	int err = fstat(fd, &st) == 0 ? 0 : -errno;

	if (!err && !S_ISREG(st.st_mode))
		err = -ENODEV;
	else if (!err && st.st_nlink > 1)
		err = -EMLINK;
	if (!err)
		err = kc_text_read(&now, fd);
	/* config fix may have taken its zero bytes out. */
	if (err == -EILSEQ)
		err = 0;
	return err ? err : kc_text_equals(&now, before) ? 0 : -ESTALE;
}

/* Opens the file that is replaced, if there was one. */
static int open_old(int dir, const char *name, const struct kc_text *before, int *fd)
{
	*fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd >= 0)
		return look_at_old(*fd, before);
	if (errno == ENOENT && !before->at)
		return 0;
	if (errno == ENOENT)
		return -ESTALE;
	return -errno;
}

static int put(int dir, const char *name, const struct kc_setup *setup)
{
	KC_FD old = -1;
	int err = open_old(dir, name, &setup->before, &old);

	if (!err && setup->after.at)
		err = kc_files_replace(dir, name, &setup->after, old, old < 0);
	else if (!err && unlinkat(dir, name, 0) != 0)
		err = -errno;
	if (!err)
		sync_directory(dir);
	return err;
}

/*
 * The directory stays open, all names are relative to its descriptor, and no link is followed: the
 * directory may be another user's.
 */
int kc_setup_write(const struct kc_setup *setup)
{
	const char *slash = strrchr(setup->main, '/');
	char path[PATH_MAX];
	KC_FD dir = -1;

	snprintf(path, sizeof(path), "%.*s", (int)(slash + 1 - setup->main), setup->main);
	dir = kc_files_open(setup->root, path, O_PATH | O_DIRECTORY);
	if (dir < 0)
		return -errno;
	return put(dir, slash + 1, setup);
}

void kc_setup_print_change(const struct kc_setup *setup)
{
	static const struct kc_text none = { .at = (char *)"" };
	const struct kc_text *old = setup->before.at ? &setup->before : &none;
	const struct kc_text *new = setup->after.at ? &setup->after : &none;

	if (setup->is_dry_run) {
		printf("%s%s:%s\n", setup->root, setup->main,
		       old == &none ? " a new file" :
		       new == &none ? " is removed" :
				      "");
		print_change(old, new);
	} else {
		printf("%s: %s%s\n",
		       old == &none ? "written" :
		       new == &none ? "removed" :
				      "changed",
		       setup->root, setup->main);
	}
}

int kc_setup_finish(struct kc_setup *setup, bool is_on)
{
	const struct kc_symptom *worst = NULL;
	int err;

	if (!setup->is_planned || kc_text_equals(&setup->before, &setup->after)) {
		printf("nothing to do: kcrypto is %s\n", is_on ? "on" : "off");
		return KC_EXIT_OK;
	}
	/* A child has loaded the result, with all modules that it names. */
	if (is_on && !setup->is_removal)
		worst = kc_diagnosis_worst(kc_setup_judge(setup));
	if (worst)
		return kc_failure("%s; nothing was changed", worst->text);
	err = setup->is_dry_run ? 0 : kc_setup_write(setup);
	if (err)
		return kc_setup_refuse(setup, err);
	kc_setup_print_change(setup);
	return KC_EXIT_OK;
}

static const struct {
	const char *name;
	int (*run)(struct kc_setup *setup);
	bool may_be_broken; /* the configuration need not be readable */
} actions[] = {
	{ "check", check, .may_be_broken = true },
	{ "fix", kc_config_fix, .may_be_broken = true },
	{ "enable", kc_config_enable },
	{ "disable", kc_config_disable, .may_be_broken = true },
};

/* Paths from the command line, absolute and without links. */
static char root[PATH_MAX], file[PATH_MAX];
static const char *given_root, *given_file;
static struct kc_setup setup; /* large: a static with a value would fill the program's file */

enum { CHECKS = 1, CHANGES = 2 | 4 | 8, SWITCHES = 4 | 8 }; /* in the order of the operands */

static const struct kc_option options[] = {
	{ "ktls", NULL, "also turns on kTLS, the kernel's own TLS", .flag = &setup.wants_ktls,
	  .calls = SWITCHES },
	{ "dry-run", NULL, "prints the lines that change, and writes nothing",
	  .flag = &setup.is_dry_run, .calls = CHANGES },
	{ "root", "DIR", "works on the files of a system below DIR", .text = &given_root },
	{ "config", "FILE", "works on FILE instead of the openssl.cnf that programs read",
	  .text = &given_file },
	{ "verbose", NULL, "check also prints what is in order", .flag = &is_verbose,
	  .calls = CHECKS },
	{ "json", NULL, "check prints JSON", .flag = &json, .calls = CHECKS },
	{ NULL },
};

/* 0, or an exit code. */
static int set_root(void)
{
	if (!realpath(given_root, root))
		return kc_failure("%s: %s", given_root, strerror(errno));
	if (strcmp(root, "/") != 0)
		setup.root = root;
	return KC_EXIT_OK;
}

/* With a root, the file is inside it. It need not exist. */
static int set_file(void)
{
	char *dir = NULL;
	int n;

	if (given_file[0] != '/' && !*setup.root)
		dir = realpath(".", NULL);
	n = snprintf(file, sizeof(file), "%s/%s", dir ? dir : "",
		     given_file + (given_file[0] == '/'));
	free(dir);
	setup.file = file;
	setup.found.is_named = true;
	if (n < PATH_MAX)
		return KC_EXIT_OK;
	return kc_usage_error("'%s' is too long", given_file);
}

/* @action is one of the operands below. */
static int act(const char *action)
{
	int err = kc_setup_find(&setup);
	size_t i = 0;

	if (err)
		return kc_failure("there is no openssl.cnf%s%s: %s", *setup.root ? " below " : "",
				  setup.root, strerror(-err));
	while (strcmp(action, actions[i].name) != 0)
		i++;
	err = kc_setup_read(&setup);
	if (err && !actions[i].may_be_broken)
		return kc_failure("%s", setup.found.conf.error);
	return actions[i].run(&setup);
}

static int run(const struct kc_args *args)
{
	int code = KC_EXIT_OK;

	setup.root = "";
	setup.found.root = "";
	if (given_root)
		code = set_root();
	if (!code && given_file)
		code = set_file();
	else if (!*setup.root)
		setup.found.is_env = secure_getenv("OPENSSL_CONF") != NULL;
	setup.found.is_named |= setup.found.is_env;
	if (!code)
		code = act(args->word);
	kc_conf_free(&setup.found.conf);
	kc_text_free(&setup.before);
	kc_text_free(&setup.after);
	return code;
}

const struct kc_command kc_cmd_config = {
	.name = "config",
	.about = "checks or changes the configuration that turns kcrypto on",
	.options = options,
	.operands = "check | fix | enable | disable",
	.run = run,
};
