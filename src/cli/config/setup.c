/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of one call: finds, reads and judges it, prints the lines that a plan changes, and
 * replaces it by the planned text.
 */
#include "cli/config/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/text.h"

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
	const struct kc_plan *plan = &one;
	int err;

	kc_conf_free(&found->conf);
	if (setup->plan)
		plan = setup->plan;
	err = kc_conf_read_of(&found->conf, setup->root, setup->main, plan);
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

/* Where systems have openssl.cnf. */
static const char *const places[] = {
	"/etc/ssl/openssl.cnf",	      "/etc/pki/tls/openssl.cnf", "/usr/lib/ssl/openssl.cnf",
	"/usr/lib/ssl-3/openssl.cnf", "/etc/openssl/openssl.cnf", "/usr/local/ssl/openssl.cnf",
};

/* Returns the first of the usual places where there is a file. */
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
	int err = -ENOENT;

	if (!file && !*setup->root)
		file = found = CONF_get1_default_config_file();
	if (!file)
		file = find_place(setup->root);
	if (file)
		err = kc_files_resolve(setup->root, file, setup->main);
	OPENSSL_free(found);
	return err;
}

static void print_lines(char sign, const char *at, const char *end)
{
	for (const char *newline; at < end; at = newline + 1) {
		newline = kc_line_end(at, end);
		printf("%c%.*s\n", sign, (int)(newline - at), at);
	}
}

/* True if the last @tail bytes begin with a line. */
static bool begins_line(const struct kc_text *text, size_t tail)
{
	if (tail == text->len)
		return true;
	return text->at[text->len - tail - 1] == '\n';
}

/* Prints one change: what enable adds and disable removes is in one piece. */
static void print_change(const struct kc_text *old, const struct kc_text *new)
{
	size_t least = kc_min(old->len, new->len), head = 0, tail = 0;

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
 * Another program may have written the file since it was read. If the file has several names, only
 * this one would get the new contents.
 */
static int look_at_old(int fd, const struct kc_text *before)
{
	KC_TEXT now = { .at = NULL };
	struct stat st;
	int err;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENODEV;
	if (st.st_nlink > 1)
		return -EMLINK;
	err = kc_text_read(&now, fd);
	/* config fix may have removed the file's zero bytes. */
	if (err && err != -EILSEQ)
		return err;
	if (!kc_text_equals(&now, before))
		return -ESTALE;
	return 0;
}

/* Opens the file that will be replaced, if there was one. */
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

static int put_in_place(int dir, const char *name, const struct kc_setup *setup)
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
 * The directory stays open, all names are relative to its descriptor, and no link is followed,
 * because the directory may be another user's.
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
	return put_in_place(dir, slash + 1, setup);
}

enum change { MAKES, REMOVES, CHANGES };

static enum change change_of(const struct kc_setup *setup)
{
	if (!setup->before.at)
		return MAKES;
	if (!setup->after.at)
		return REMOVES;
	return CHANGES;
}

/* An absent file has no lines. */
static struct kc_text lines_of(const struct kc_text *text)
{
	return (struct kc_text){ .at = (char *)kc_text_or(text->at, ""), .len = text->len };
}

void kc_setup_print_change(const struct kc_setup *setup)
{
	static const struct {
		const char *plan, *done;
	} words[] = { [MAKES] = { " a new file", "written" },
		      [REMOVES] = { " is removed", "removed" },
		      [CHANGES] = { "", "changed" } };
	const struct kc_text old = lines_of(&setup->before), new = lines_of(&setup->after);
	enum change change = change_of(setup);

	if (setup->is_dry_run) {
		printf("%s%s:%s\n", setup->root, setup->main, words[change].plan);
		print_change(&old, &new);
	} else {
		printf("%s: %s%s\n", words[change].done, setup->root, setup->main);
	}
}

int kc_setup_finish(struct kc_setup *setup, bool is_on)
{
	static const char *const states[] = { "off", "on" };
	const struct kc_symptom *worst = NULL;
	int err = 0;

	if (!setup->is_planned || kc_text_equals(&setup->before, &setup->after)) {
		printf("nothing to do: kcrypto is %s\n", states[is_on]);
		return KC_EXIT_OK;
	}
	/* A child has loaded the result, with all modules that it names. */
	if (is_on && !setup->is_removal)
		worst = kc_diagnosis_worst(kc_setup_judge(setup));
	if (worst)
		return kc_failure("%s; nothing was changed", worst->text);
	if (!setup->is_dry_run)
		err = kc_setup_write(setup);
	if (err)
		return kc_setup_refuse(setup, err);
	kc_setup_print_change(setup);
	return KC_EXIT_OK;
}
