/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/config/apply.h"
#include "cli/config/diff.h"
#include "cli/config/edit.h"
#include "cli/config/loading.h"
#include "cli/cnf/uci.h"
#include "cli/config/wanted.h"

#define INIT_SCRIPT "/etc/init.d/openssl"
#define ABOUT	    "# The keys of the provider's section: kcrypto-provider(7).\n\n"

int kc_plan_say(struct kc_setup *setup, const char *path, int err)
{
	const char *why = strerror(-err);

	if (err == -EINVAL)
		why = "its last line ends in a backslash and would continue into the new lines";
	else if (err == -EBADMSG)
		why = "the marked lines have no end: the last line written by 'enable' is missing";
	return err ? kc_setup_refuse(setup, err, "%s%s: %s", setup->files.root, path, why) : 0;
}

/* An older backup stays as long as the file contains anything of ours. */
static int plan_backup(struct kc_setup *setup, const char *path)
{
	char name[PATH_MAX];
	struct kc_text text, old = { .at = NULL };
	int err = kc_files_read(&setup->files, path, &text);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (snprintf(name, sizeof(name), "%s%s", path, KC_BACKUP) >= PATH_MAX)
		err = -ENAMETOOLONG;
	else if (strstr(text.at, "kcrypto"))
		err = kc_files_read(&setup->files, name, &old);
	if (!old.at && (!err || err == -ENOENT))
		return kc_files_plan(&setup->files, name, text);
	kc_text_free(&old);
	kc_text_free(&text);
	return err;
}

static bool is_planned(const struct kc_setup *setup, const char *found)
{
	for (size_t i = 0; i < setup->files.n; i++)
		if (strcmp(setup->files.change[i].path, found) == 0)
			return true;
	return false;
}

int kc_plan_file(struct kc_setup *setup, const char *path, struct kc_text after)
{
	char found[PATH_MAX];
	int err = kc_files_find(&setup->files, path, found);

	if (!err && !is_planned(setup, found))
		err = plan_backup(setup, found);
	if (err)
		kc_text_free(&after);
	else
		err = kc_files_plan(&setup->files, found, after);
	return kc_plan_say(setup, path, err);
}

int kc_plan_uci(struct kc_setup *setup, const char *kind, const char *name, bool is_enabled)
{
	struct kc_text uci, after;
	int err = kc_files_read(&setup->files, KC_UCI_FILE, &uci);

	if (err && err != -ENOENT)
		return kc_plan_say(setup, KC_UCI_FILE, err);
	after = kc_uci_set(&uci, kind, name, is_enabled);
	if (kc_text_equals(&after, &uci) || (!uci.at && !after.len))
		kc_text_free(&after);
	else
		err = kc_plan_file(setup, KC_UCI_FILE, after);
	kc_text_free(&uci);
	return err == -ENOENT ? 0 : err;
}

/* Adds to the marked block at the end of openssl.cnf. */
static int add_to_main(struct kc_setup *setup, const char *lines)
{
	const char *main = setup->layout.main;
	struct kc_text text, after;
	int err = kc_files_read(&setup->files, main, &text);

	if (err && err != -ENOENT)
		return kc_plan_say(setup, main, err);
	err = kc_edit_add(&text, lines, &after);
	kc_text_free(&text);
	return err ? kc_plan_say(setup, main, err) : kc_plan_file(setup, main, after);
}

static int add_to_own(struct kc_setup *setup, const char *lines)
{
	const struct kc_layout *layout = &setup->layout;
	struct kc_text old, text = { .at = NULL };
	int err = kc_files_read(&setup->files, layout->own, &old);
	FILE *out = err && err != -ENOENT ? NULL : open_memstream(&text.at, &text.len);

	if (!out)
		return kc_plan_say(setup, layout->own, err ? err : -ENOMEM);
	if (old.at)
		fwrite(old.at, 1, old.len, out);
	else
		fputs(KC_OWN_MARK ABOUT, out);
	fprintf(out, "%s%s", old.at ? "\n" : "", lines);
	if (layout->leave[0])
		fprintf(out, "\n# openssl.cnf goes on in this section\n[%s]\n", layout->leave);
	err = fclose(out) == 0 ? 0 : -ENOMEM;
	kc_text_free(&old);
	if (!err)
		err = kc_files_plan(&setup->files, layout->own, text);
	return kc_plan_say(setup, layout->own, err);
}

static bool is_included(const struct kc_setup *setup, const char *path)
{
	for (size_t i = 0; i < setup->cnf.n_includes; i++)
		if (strcmp(setup->cnf.include[i].path, path) == 0)
			return true;
	return false;
}

static int add_lines(struct kc_setup *setup, const char *lines)
{
	const struct kc_layout *layout = &setup->layout;
	char include[PATH_MAX + 16];
	int err;

	if (layout->kind == KC_LAYOUT_PLAIN)
		return add_to_main(setup, lines);
	err = add_to_own(setup, lines);
	if (err || layout->kind != KC_LAYOUT_OWN_FILE || is_included(setup, layout->own))
		return err;
	snprintf(include, sizeof(include), ".include %s\n", layout->own);
	return add_to_main(setup, include);
}

int kc_plan_lines(struct kc_setup *setup, const char *keys)
{
	struct kc_text lines;
	int err = kc_wanted(setup, keys, &lines);
	bool is_missing = !err && lines.len;

	if (is_missing)
		err = add_lines(setup, lines.at);
	kc_text_free(&lines);
	if (err || !is_missing)
		return err;
	err = kc_setup_read_planned(setup);
	if (!err)
		err = kc_wanted(setup, "", &lines);
	if (!err && lines.len)
		err = kc_setup_refuse(setup, -EINVAL,
				      "%s%s: existing lines override those that would be "
				      "added:\n%s",
				      setup->files.root, setup->layout.main, lines.at);
	kc_text_free(&lines);
	return err;
}

static bool is_changed(const struct kc_setup *setup)
{
	for (size_t i = 0; i < setup->files.n; i++)
		if (kc_files_is_changed(&setup->files.change[i]))
			return true;
	return false;
}

/* Makes no backup of a backup. */
static bool is_backup(const char *path)
{
	size_t len = strlen(path), end = strlen(KC_BACKUP);

	return len > end && strcmp(path + len - end, KC_BACKUP) == 0;
}

static int print_plan(const struct kc_setup *setup)
{
	for (size_t i = 0; i < setup->files.n; i++) {
		const struct kc_change *change = &setup->files.change[i];

		if (kc_files_is_changed(change) && !is_backup(change->path))
			kc_diff_print(change->path, &change->before, &change->after);
	}
	return KC_EXIT_OK;
}

static void print_done(const struct kc_setup *setup)
{
	for (size_t i = 0; i < setup->files.n; i++) {
		const struct kc_change *change = &setup->files.change[i];

		if (kc_files_is_changed(change))
			printf("%s: %s%s\n",
			       !change->after.at ? "removed" :
			       change->before.at ? "changed" :
						   "written",
			       setup->files.root, change->path);
	}
}

/* OpenWrt's, which writes the file that openssl.cnf includes from UCI's entries. */
static int run_init_script(const struct kc_setup *setup)
{
	int status = 0;
	pid_t pid;

	if (setup->layout.kind != KC_LAYOUT_UCI)
		return KC_EXIT_OK;
	if (*setup->files.root || access(INIT_SCRIPT, X_OK) != 0) {
		printf("run '" INIT_SCRIPT " start' on the device, or start it anew\n");
		return KC_EXIT_OK;
	}
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execl(INIT_SCRIPT, INIT_SCRIPT, "start", NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return kc_failure("the files are written, but '" INIT_SCRIPT " start' failed");
	return KC_EXIT_OK;
}

int kc_plan_finish(struct kc_setup *setup, bool is_on)
{
	char error[KC_APPLY_ERROR], why[KC_WHY_SIZE];
	const char *problem = NULL;

	if (!is_changed(setup)) {
		printf("nothing to do: kcrypto is %s\n", is_on ? "on" : "off");
		return KC_EXIT_OK;
	}
	if (!*setup->files.root)
		problem = kc_load(&setup->cnf, is_on, why);
	if (problem) {
		fprintf(stderr, "kcrypto: %s; nothing was changed\n", problem);
		return KC_EXIT_FAILED;
	}
	if (setup->is_dry_run)
		return print_plan(setup);
	if (kc_apply(&setup->files, error))
		return kc_failure(error);
	print_done(setup);
	return run_init_script(setup);
}
