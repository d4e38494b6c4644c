/* SPDX-License-Identifier: Apache-2.0 */
/* The plan for the files: it is made, judged, printed or carried out. */
#include "cli/config/config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/cli.h"

#define INIT_SCRIPT "/etc/init.d/openssl"
#define ABOUT	    "# The keys of the provider's section: kcrypto-provider(7).\n"

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
	KC_SPOT spot = { .dir = -1 }, beside = { .dir = -1 };
	int err = kc_spot_find(&spot, &setup->files, path, true);

	*text = (struct kc_text){ .at = NULL };
	if (!err && snprintf(name, PATH_MAX, "%s%s", spot.path, suffix) >= PATH_MAX)
		err = -ENAMETOOLONG;
	if (!err)
		err = kc_spot_find(&beside, &setup->files, name, false);
	return err ? err : kc_files_read_here(&beside, text);
}

/* One that exists is never overwritten: it may be the only copy of the original. */
static int plan_backup(struct kc_setup *setup, const char *path, const struct kc_text *before)
{
	KC_TEXT old = { .at = NULL };
	char name[PATH_MAX];
	int err = kc_plan_read_beside(setup, path, KC_BACKUP, name, &old);

	return err != -ENOENT ?
		       err :
		       kc_files_plan(&setup->files, name, kc_text_copy(before->at, before->len));
}

/* Adds to the marked block at the end of openssl.cnf. Its first change is preceded by a backup. */
static int add_to_main(struct kc_setup *setup, const char *lines)
{
	const char *main = setup->layout.main;
	KC_TEXT text = { .at = NULL };
	struct kc_text after;
	int err = kc_files_read(&setup->files, main, &text);

	if (!err && !kc_files_change(&setup->files, main))
		err = plan_backup(setup, main, &text);
	if (!err || err == -ENOENT)
		err = kc_edit_add(&text, lines, &after);
	if (!err)
		err = kc_files_plan(&setup->files, main, after);
	return kc_plan_say(setup, main, err);
}

static int add_to_own(struct kc_setup *setup, const char *lines)
{
	const struct kc_layout *layout = &setup->layout;
	struct kc_text text = { .at = NULL };
	KC_TEXT old = { .at = NULL };
	int err = kc_files_read(&setup->files, layout->own, &old);
	FILE *out = err && err != -ENOENT ? NULL : open_memstream(&text.at, &text.len);

	if (!out)
		return kc_plan_say(setup, layout->own, err ? err : -ENOMEM);
	fprintf(out, "%s\n%s", old.at ? old.at : KC_OWN_MARK ABOUT, lines);
	if (layout->leave[0])
		fprintf(out, "\n# openssl.cnf goes on in this section\n[%s]\n", layout->leave);
	err = fclose(out) == 0 ? 0 : -ENOMEM;
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
	KC_TEXT lines = { .at = NULL }, more = { .at = NULL };
	int err = kc_wanted(setup, &lines);

	if (err || !lines.len)
		return err;
	err = add_lines(setup, lines.at);
	if (!err)
		err = kc_setup_read_planned(setup);
	if (!err)
		err = kc_wanted(setup, &more);
	if (!err && more.len)
		err = kc_setup_refuse(setup, -EINVAL,
				      "%s%s: existing lines override those that would be "
				      "added:\n%s",
				      setup->files.root, setup->layout.main, more.at);
	return err;
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
static void print_change(const struct kc_change *change)
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
	print_lines('-', old->at + head, old->at + old->len - tail);
	print_lines('+', new->at + head, new->at + new->len - tail);
}

/* Prints each change: that it is made, or which lines would change, but not those of a backup. */
static void print_plan(const struct kc_setup *setup)
{
	static const char *const entry[] = { "", "enabled", "disabled", "removed" };
	bool is_dry = setup->is_dry_run;

	for (size_t i = 0; i < setup->files.n; i++) {
		const struct kc_change *change = &setup->files.change[i];
		bool is_new = !change->before.at, is_gone = !change->after.at;

		if (!kc_files_is_changed(change) || (is_dry && strstr(change->path, KC_BACKUP)))
			continue;
		if (is_dry)
			printf("%s%s:%s\n", setup->files.root, change->path,
			       is_new  ? " a new file" :
			       is_gone ? " is removed" :
					 "");
		else
			printf("%s: %s%s\n",
			       is_gone ? "removed" :
			       is_new  ? "written" :
					 "changed",
			       setup->files.root, change->path);
		if (is_dry)
			print_change(change);
	}
	if (setup->uci)
		printf("%s%s: the entry kcrypto in %s" KC_UCI_FILE "\n", is_dry ? "would be " : "",
		       entry[setup->uci], setup->files.root);
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

int kc_plan_finish(struct kc_setup *setup, bool is_on)
{
	const struct kc_symptom *worst = NULL;
	bool is_changed = setup->uci;
	char error[KC_APPLY_ERROR];

	for (size_t i = 0; i < setup->files.n; i++)
		is_changed |= kc_files_is_changed(&setup->files.change[i]);
	if (!is_changed) {
		printf("nothing to do: kcrypto is %s\n", is_on ? "on" : "off");
		return KC_EXIT_OK;
	}
	/* A child has loaded the result, with all modules that it names. */
	if (is_on)
		worst = kc_diagnosis_worst(kc_setup_judge(setup));
	if (worst) {
		fprintf(stderr, "kcrypto: %s; nothing was changed\n", worst->text);
		return KC_EXIT_FAILED;
	}
	if (!setup->is_dry_run && kc_apply(&setup->files, error))
		return kc_failure(error);
	print_plan(setup);
	return setup->is_dry_run ? KC_EXIT_OK : finish_uci(setup);
}
