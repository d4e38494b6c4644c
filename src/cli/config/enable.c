/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto config enable and disable. disable removes what enable has added, and nothing else. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/config/apply.h"
#include "cli/config/edit.h"
#include "cli/config/plan.h"
#include "cli/cnf/uci.h"
#include "engine/engine_ids.h"

int kc_config_enable(struct kc_setup *setup)
{
	int err = 0;

	if (setup->layout.kind == KC_LAYOUT_UCI)
		err = kc_plan_uci(setup, setup->layout.has_providers ? "provider" : "engine",
				  "kcrypto", true);
	if (!err && setup->layout.kind == KC_LAYOUT_UCI)
		err = kc_setup_read_planned(setup);
	if (!err)
		err = kc_plan_lines(setup, "");
	return err ? kc_failure(setup->error) : kc_plan_finish(setup, true);
}

/* A file that becomes empty is removed, unless its backup shows that it was empty before. */
static int restore(struct kc_setup *setup, const char *path, struct kc_text after)
{
	char name[PATH_MAX];
	struct kc_text backup = { .at = NULL };
	int err = 0;

	if (snprintf(name, sizeof(name), "%s%s", path, KC_BACKUP) < PATH_MAX)
		kc_files_read(&setup->files, name, &backup);
	if (!backup.at && !after.len)
		kc_text_free(&after);
	if (backup.at && kc_text_equals(&backup, &after))
		err = kc_files_plan(&setup->files, name, (struct kc_text){ .at = NULL });
	else if (backup.at)
		fprintf(stderr,
			"note: %s%s has also been changed by others; the original is in %s%s\n",
			setup->files.root, path, setup->files.root, name);
	kc_text_free(&backup);
	if (err) {
		kc_text_free(&after);
		return err;
	}
	return kc_files_plan(&setup->files, path, after);
}

/* An engine with an old name may be another's. */
static bool is_left_on(const struct kc_state *state)
{
	return state->is_active || (state->engine_id && strcmp(state->engine_id, "kcrypto") == 0);
}

/* Is there a line that enable does not write? Its names are those of wanted.c. */
static bool has_others(const struct kc_text *text)
{
	static const char names[] = " openssl_conf providers alg_section random ssl_conf engines "
				    "default kcrypto activate default_properties properties "
				    "system_default Options kcrypto.Options default_algorithms ";
	char name[KC_NAME_SIZE + 2];
	struct kc_lines lines;
	bool has = false;

	if (!kc_lines_open(&lines, text->at, text->len, "default"))
		return true;
	while (!has && kc_lines_next(&lines)) {
		snprintf(name, sizeof(name), " %s ", lines.line.name);
		has = lines.line.kind == KC_LINE_VALUE && !strstr(names, name);
	}
	kc_lines_close(&lines);
	return has;
}

/* Lines that only the user can have written are kept in another file. */
static int keep(struct kc_setup *setup, const char *path, const struct kc_text *lines)
{
	char name[PATH_MAX];

	if (!has_others(lines))
		return 0;
	if (snprintf(name, sizeof(name), "%s.disabled", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	fprintf(stderr, "note: %s%s has lines that 'enable' did not write; they are kept in %s%s\n",
		setup->files.root, path, setup->files.root, name);
	return kc_files_plan(&setup->files, name, kc_text_copy(lines->at, lines->len));
}

/* Removes our lines from one file that was read. */
static int undo_file(struct kc_setup *setup, const char *path)
{
	char found[PATH_MAX];
	struct kc_text text, after, block;
	int err = kc_files_find(&setup->files, path, found);

	if (!err)
		err = kc_files_read(&setup->files, found, &text);
	if (err)
		return err == -ENOENT ? 0 : err;
	if (kc_own_is_ours(&text)) {
		err = keep(setup, found, &text);
		kc_text_free(&text);
		return err ? err : kc_files_plan(&setup->files, found, text);
	}
	block = kc_edit_block(&text);
	err = keep(setup, found, &block);
	if (!err)
		err = kc_edit_undo(&text, &after);
	if (!err && kc_text_equals(&text, &after))
		kc_text_free(&after);
	else if (!err)
		err = restore(setup, found, after);
	kc_text_free(&text);
	return err;
}

static int undo_files(struct kc_setup *setup)
{
	int err = 0;

	for (size_t i = 0; !err && i < setup->cnf.n_files; i++)
		err = kc_plan_say(setup, setup->cnf.file[i], undo_file(setup, setup->cnf.file[i]));
	return err;
}

/* UCI's file after enable or convert has changed it. */
static struct kc_text change_uci(const struct kc_text *uci, const char *kind, bool is_converted)
{
	struct kc_text changed = kc_uci_set(uci, kind, "kcrypto", true), next;

	for (const struct kc_id *id = kc_ids; is_converted && id->id; id++) {
		next = kc_uci_set(&changed, "engine", id->id, false);
		kc_text_free(&changed);
		changed = next;
	}
	return changed;
}

static bool is_ours_alone(const struct kc_text *uci, const struct kc_text *backup, const char *kind)
{
	struct kc_text enabled = change_uci(backup, kind, false);
	struct kc_text converted = change_uci(backup, kind, true);
	bool is = kc_text_equals(uci, &enabled) || kc_text_equals(uci, &converted);

	kc_text_free(&enabled);
	kc_text_free(&converted);
	return is;
}

static bool has_entry(const struct kc_text *uci, const char *kind)
{
	struct kc_text without = kc_uci_remove(uci, kind, "kcrypto");
	bool has = !kc_text_equals(uci, &without);

	kc_text_free(&without);
	return has;
}

/*
 * Brings the file back as it was. Where others changed it, our entry goes, if it is ours: there was
 * none before.
 */
static int undo_uci(struct kc_setup *setup)
{
	const char *kind = setup->layout.has_providers ? "provider" : "engine";
	struct kc_text uci, backup, after = { .at = NULL };
	int err = kc_files_read(&setup->files, KC_UCI_FILE, &uci);

	if (err)
		return err == -ENOENT ? 0 : err;
	kc_files_read(&setup->files, KC_UCI_FILE KC_BACKUP, &backup);
	if (is_ours_alone(&uci, &backup, kind))
		after = kc_text_copy(backup.at ? backup.at : "", backup.len);
	else if (backup.at && !has_entry(&backup, kind))
		after = kc_uci_remove(&uci, kind, "kcrypto");
	if (after.at && !kc_text_equals(&after, &uci))
		err = restore(setup, KC_UCI_FILE, after);
	else
		kc_text_free(&after);
	kc_text_free(&backup);
	kc_text_free(&uci);
	return err;
}

/* The configuration as it would be, where an entry of UCI's that is not ours still says yes. */
static int switch_off(struct kc_setup *setup)
{
	bool has_providers = setup->layout.has_providers;
	int err = kc_setup_read_planned(setup);

	if (err || setup->layout.kind != KC_LAYOUT_UCI || !is_left_on(&setup->state))
		return err;
	err = kc_plan_uci(setup, has_providers ? "provider" : "engine", "kcrypto", false);
	return err ? err : kc_setup_read_planned(setup);
}

/* A line that 'enable' did not write stays. Returns an exit code. */
static int tell_rest(const struct kc_setup *setup)
{
	const struct kc_state *state = &setup->state;
	char place[KC_PLACE_SIZE];

	if (!is_left_on(state))
		return KC_EXIT_OK;
	if (state->is_active)
		kc_place_of(place, setup, state->kcrypto, "activate");
	else
		kc_place_of(place, setup, state->engines, state->engine);
	fprintf(stderr, "kcrypto: %s: this line turns kcrypto on, and 'enable' did not write it\n",
		place);
	return KC_EXIT_FAILED;
}

int kc_config_disable(struct kc_setup *setup)
{
	int err = undo_files(setup), code;

	if (!err && setup->layout.kind == KC_LAYOUT_UCI)
		err = kc_plan_say(setup, KC_UCI_FILE, undo_uci(setup));
	if (!err)
		err = switch_off(setup);
	if (err)
		return kc_failure(setup->error);
	code = kc_plan_finish(setup, is_left_on(&setup->state));
	return code ? code : tell_rest(setup);
}
