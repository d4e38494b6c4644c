/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/cli.h"

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

int kc_plan_read_beside(struct kc_setup *setup, const char *path, const char *suffix,
			char name[PATH_MAX], struct kc_text *text)
{
	struct kc_spot spot;
	int err;

	*text = (struct kc_text){ .at = NULL };
	if (snprintf(name, PATH_MAX, "%s%s", path, suffix) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = kc_spot_find(&spot, &setup->files, name, false);
	if (!err)
		err = kc_files_read_here(&spot, text);
	kc_spot_close(&spot);
	return err;
}

/* One that exists is never overwritten: it may be the only copy of the original. */
static int plan_backup(struct kc_setup *setup, const char *path)
{
	char name[PATH_MAX];
	struct kc_text text, old;
	int err = kc_files_read(&setup->files, path, &text);

	if (err)
		return err == -ENOENT ? 0 : err;
	err = kc_plan_read_beside(setup, path, KC_BACKUP, name, &old);
	kc_text_free(&old);
	if (err == -ENOENT)
		return kc_files_plan(&setup->files, name, text);
	kc_text_free(&text);
	return err;
}

int kc_plan_file(struct kc_setup *setup, const char *path, struct kc_text after)
{
	struct kc_spot spot;
	int err = kc_spot_find(&spot, &setup->files, path, true);

	kc_spot_close(&spot);
	if (!err && !kc_files_change(&setup->files, spot.path))
		err = plan_backup(setup, spot.path);
	if (err)
		kc_text_free(&after);
	else
		err = kc_files_plan(&setup->files, spot.path, after);
	return kc_plan_say(setup, path, err);
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
	for (size_t i = 0; i < setup->conf.cnf.n_includes; i++)
		if (strcmp(setup->conf.cnf.include[i].path, path) == 0)
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

int kc_plan_lines(struct kc_setup *setup)
{
	struct kc_text lines;
	int err = kc_wanted(setup, &lines);
	bool is_missing = !err && lines.len;

	if (is_missing)
		err = add_lines(setup, lines.at);
	kc_text_free(&lines);
	if (err || !is_missing)
		return err;
	err = kc_setup_read_planned(setup);
	if (!err)
		err = kc_wanted(setup, &lines);
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
	if (setup->uci)
		return true;
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

static void print_lines(char sign, const char *at, const char *end)
{
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *next = newline ? newline + 1 : end;

		printf("%c%.*s\n", sign, (int)((newline ? newline : end) - at), at);
		at = next;
	}
}

/* What enable adds, and disable removes, is in one piece. */
static void print_change(const struct kc_setup *setup, const struct kc_change *change)
{
	const struct kc_text none = { .at = (char *)"" };
	const struct kc_text *old = change->before.at ? &change->before : &none;
	const struct kc_text *new = change->after.at ? &change->after : &none;
	size_t least = old->len < new->len ? old->len : new->len, head = 0, tail = 0;

	while (head < least && old->at[head] == new->at[head])
		head++;
	while (head && old->at[head - 1] != '\n')
		head--;
	while (tail < least - head && old->at[old->len - tail - 1] == new->at[new->len - tail - 1])
		tail++;
	printf("%s%s:%s\n", setup->files.root, change->path,
	       !change->before.at ? " a new file" :
	       !change->after.at  ? " is removed" :
				    "");
	print_lines('-', old->at + head, old->at + old->len - tail);
	print_lines('+', new->at + head, new->at + new->len - tail);
}

static void print_uci(const struct kc_setup *setup, const char *would_be)
{
	static const char *const words[] = { "", "enabled", "disabled", "removed" };

	if (setup->uci)
		printf("%s%s: the entry kcrypto in %s" KC_UCI_FILE "\n", would_be,
		       words[setup->uci], setup->files.root);
}

static int print_plan(const struct kc_setup *setup)
{
	for (size_t i = 0; i < setup->files.n; i++) {
		const struct kc_change *change = &setup->files.change[i];

		if (kc_files_is_changed(change) && !is_backup(change->path))
			print_change(setup, change);
	}
	print_uci(setup, "would be ");
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
	print_uci(setup, "");
}

/* OpenWrt's init script writes the file that openssl.cnf includes from UCI's entries. */
static int finish_uci(const struct kc_setup *setup)
{
	static char *const start[] = { INIT_SCRIPT, "start", NULL };

	if (kc_uci_set(&setup->files, &setup->layout, setup->uci))
		return kc_failure("the files are written, but uci cannot change " KC_UCI_FILE);
	if (setup->layout.kind != KC_LAYOUT_UCI)
		return KC_EXIT_OK;
	if (*setup->files.root || access(INIT_SCRIPT, X_OK) != 0)
		printf("run '" INIT_SCRIPT " start' on the device, or start it anew\n");
	else if (kc_child_run(start, NULL, false) != 0)
		return kc_failure("the files are written, but '" INIT_SCRIPT " start' failed");
	return KC_EXIT_OK;
}

/* A child has loaded the result, with all modules that it names. */
static bool is_broken(const struct kc_setup *setup)
{
	const struct kc_symptom *worst = kc_diagnosis_worst(kc_setup_judge(setup));

	if (worst)
		fprintf(stderr, "kcrypto: %s; nothing was changed\n", worst->text);
	return worst;
}

int kc_plan_finish(struct kc_setup *setup, bool is_on)
{
	char error[KC_APPLY_ERROR];

	if (!is_changed(setup)) {
		printf("nothing to do: kcrypto is %s\n", is_on ? "on" : "off");
		return KC_EXIT_OK;
	}
	if (is_on && is_broken(setup))
		return KC_EXIT_FAILED;
	if (setup->is_dry_run)
		return print_plan(setup);
	if (kc_apply(&setup->files, error))
		return kc_failure(error);
	print_done(setup);
	return finish_uci(setup);
}
