/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config fix: takes the first broken finding that a change of the files can end, changes
 * their texts, and judges the result, until nothing is broken or no repair is left. Only then does
 * it write files, each with a copy of the old one beside it.
 */
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/config/edit.h"
#include "cli/config/lines.h"
#include "cli/config/repair.h"

#define MAX_ROUNDS 64
#define BACKUP	   ".kcrypto-backup"

static const struct kc_symptom *judge(struct kc_setup *setup)
{
	kc_setup_read(setup);
	return kc_diagnosis_worst(kc_setup_judge(setup));
}

/* A link to nothing: has its file made, in a directory that exists. */
static int follow_dangling(struct kc_setup *setup)
{
	char target[PATH_MAX], *slash;
	KC_FD fd = kc_files_open(setup->root, setup->main, O_PATH | O_NOFOLLOW);
	ssize_t n = -1;
	size_t dir = 0;

	if (fd >= 0)
		n = readlinkat(fd, "", target, sizeof(target) - 1);
	if (n < 0 || !setup->found.conf.cnf.is_absent)
		return 0;
	target[n] = '\0';
	slash = strrchr(setup->main, '/');
	if (*target != '/' && slash)
		dir = (size_t)(slash + 1 - setup->main);
	if (dir + (size_t)n >= sizeof(setup->main))
		return -ENAMETOOLONG;
	memmove(setup->main + dir, target, (size_t)n + 1);
	return 0;
}

static bool is_syntax(const struct kc_symptom *f)
{
	return strcmp(f->word, "syntax") == 0;
}

/*
 * True if fix should also turn kcrypto on: for a file whose lines OpenSSL can't parse or find, but
 * not for one whose module is missing.
 */
static bool is_meant(const struct kc_diagnosis *d, const struct kc_symptom *worst)
{
	if (!worst || !d->is_expected)
		return false;
	return is_syntax(worst) || strcmp(worst->word, "no-section") == 0;
}

/*
 * Turns kcrypto on if everything about it has become comments. Returns what is broken then, or
 * NULL.
 */
static const struct kc_symptom *turn_on(struct kc_setup *setup)
{
	if (!kc_diagnosis_off(kc_setup_judge(setup)) || !kc_repair_absence(setup))
		return NULL;
	return judge(setup);
}

/* Repairs one thing: a repair may wait for that of another finding. */
static bool repair_one(struct kc_setup *setup)
{
	const struct kc_diagnosis *d = kc_setup_judge(setup);

	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].state == KC_STATE_BROKEN && kc_repair(setup, &d->v[i]))
			return true;
	return false;
}

/* Plans repairs. Returns what is left broken, or NULL. */
static const struct kc_symptom *plan(struct kc_setup *setup)
{
	const struct kc_symptom *worst;
	bool was_meant;
	unsigned rounds = 0;

	setup->plan = &kc_lines_after;
	follow_dangling(setup);
	worst = judge(setup);
	was_meant = is_meant(kc_setup_judge(setup), worst);
	/* Of lines that are no configuration there may be any number; each is corrected once. */
	while (worst && rounds < MAX_ROUNDS && repair_one(setup)) {
		worst = judge(setup);
		rounds += !worst || !is_syntax(worst);
	}
	if (worst || !was_meant)
		return worst;
	return turn_on(setup);
}

static bool is_changed(size_t i)
{
	return !kc_text_equals(&kc_lines_before.file[i].text, &kc_lines_after.file[i].text);
}

/* Makes file @i the setup's only file. */
static void turn_to(struct kc_setup *setup, size_t i)
{
	snprintf(setup->main, sizeof(setup->main), "%s", kc_lines_after.file[i].path);
	setup->before = kc_lines_before.file[i].text;
	setup->after = kc_lines_after.file[i].text;
}

/* The first name is "FILE.kcrypto-backup"; the others have a number. */
static int name_backup(char to[PATH_MAX], const char *of, unsigned number)
{
	int n;

	if (number == 1)
		n = snprintf(to, PATH_MAX, "%s" BACKUP, of);
	else
		n = snprintf(to, PATH_MAX, "%s" BACKUP "-%u", of, number);
	if (n < PATH_MAX)
		return 0;
	return -ENAMETOOLONG;
}

/* Writes a copy beside the file, without replacing an older one. 0 or -errno. */
static int back_up(const struct kc_setup *setup)
{
	static struct kc_setup copy;
	int err = -EEXIST;

	if (!setup->before.at)
		return 0;
	copy.root = setup->root;
	copy.after = setup->before;
	for (unsigned i = 1; err == -EEXIST && i < 1000; i++) {
		err = name_backup(copy.main, setup->main, i);
		if (!err)
			err = kc_setup_write(&copy);
		if (err == -ESTALE)
			err = -EEXIST;
	}
	if (!err)
		printf("copied: %s%s\n", copy.root, copy.main);
	return err;
}

static int write_files(struct kc_setup *setup)
{
	for (size_t i = 0; i < kc_lines_after.n; i++) {
		int err = 0;

		if (!is_changed(i))
			continue;
		turn_to(setup, i);
		if (!setup->is_dry_run)
			err = back_up(setup);
		if (!err && !setup->is_dry_run)
			err = kc_setup_write(setup);
		if (err)
			return kc_setup_refuse(setup, err);
		kc_setup_print_change(setup);
	}
	return KC_EXIT_OK;
}

/* The texts belong to the plans, so they are not freed here. */
static void drop_plans(struct kc_setup *setup)
{
	setup->plan = NULL;
	setup->before = setup->after = (struct kc_text){ .at = NULL };
	for (size_t i = 0; i < kc_lines_after.n; i++) {
		free(kc_lines_before.file[i].path);
		free(kc_lines_after.file[i].path);
		kc_text_free(&kc_lines_before.file[i].text);
		kc_text_free(&kc_lines_after.file[i].text);
	}
	kc_lines_before.n = kc_lines_after.n = 0;
}

int kc_config_fix(struct kc_setup *setup)
{
	const struct kc_symptom *left = plan(setup);
	bool has_plan = false;
	int code = KC_EXIT_OK;

	for (size_t i = 0; i < kc_lines_after.n; i++)
		has_plan |= is_changed(i);
	if (!has_plan && !left)
		printf("nothing to fix in %s%s\n", setup->root, setup->main);
	else if (!has_plan)
		code = kc_failure("%s; nothing was changed", left->text);
	else
		code = write_files(setup);
	if (has_plan && !code && left)
		code = kc_failure("still broken: %s; %s", left->text, left->advice);
	drop_plans(setup);
	return code;
}

static bool has_finding(const struct kc_diagnosis *d, const char *word)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->v[i].word, word) == 0)
			return true;
	return false;
}

bool kc_config_helps(const struct kc_found *found, const char *action, const char *word)
{
	static struct kc_setup trial;
	bool is_changed_now;

	trial.root = found->conf.cnf.root;
	trial.is_dry_run = true;
	trial.file = found->conf.file;
	trial.found.root = found->root;
	trial.found.is_named = found->is_named;
	if (kc_setup_find(&trial) != 0)
		return false;
	kc_setup_read(&trial);
	if (strcmp(action, "enable") == 0)
		is_changed_now = kc_config_enable(&trial) == KC_EXIT_OK && trial.is_planned;
	else
		is_changed_now = plan(&trial) == NULL || kc_lines_after.n;
	if (!is_changed_now)
		return false;
	return !has_finding(kc_setup_judge(&trial), word);
}
