/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config enable and disable. enable's lines go to the sections that the configuration names
 * or, if it names none, to sections of ours. No existing line is overridden, except one that says
 * no to the request. disable removes what enable has added, and nothing else.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/config/config.h"

/* Plans OpenWrt's entry, and reads what follows of it. 0 or -errno. */
static int plan_uci(struct kc_setup *setup, int now, enum kc_uci state)
{
	if (setup->layout.kind != KC_LAYOUT_UCI || now == (int)state)
		return 0;
	if (now < 0)
		return kc_setup_refuse(
			setup, now, "modules are switched by uci in %s" KC_UCI_FILE ", and %s",
			setup->files.root,
			now == -ENOSYS ? "there is no uci here: do it on the device" : "uci fails");
	setup->uci = state;
	return kc_setup_read_planned(setup);
}

int kc_config_enable(struct kc_setup *setup)
{
	bool has_entry = setup->layout.kind == KC_LAYOUT_UCI;
	int err = plan_uci(setup, has_entry ? kc_uci_get(&setup->files) : 0, KC_UCI_ON);

	if (!err)
		err = kc_plan_lines(setup);
	return err ? kc_failure(setup->error) : kc_plan_finish(setup, true);
}

/* A file that becomes empty is removed, unless its backup shows that it was empty before. */
static int restore(struct kc_setup *setup, const char *path, struct kc_text after)
{
	char name[PATH_MAX];
	KC_TEXT backup = { .at = NULL };
	int err = kc_plan_read_beside(setup, path, KC_BACKUP, name, &backup);
	bool is_same = !err && kc_text_equals(&backup, &after);

	if (err == -ENOENT && !after.len)
		kc_text_free(&after);
	if (!err && !is_same)
		fprintf(stderr,
			"note: %s%s has also been changed by others; the original is in %s%s\n",
			setup->files.root, path, setup->files.root, name);
	err = kc_files_plan(&setup->files, path, after);
	return err || !is_same ? err :
				 kc_files_plan(&setup->files, name, (struct kc_text){ .at = NULL });
}

/* An engine with an old name may be another's. */
static bool is_left_on(const struct kc_parts *parts)
{
	return parts->is_active || (parts->id && strcmp(parts->id->id, "kcrypto") == 0);
}

/* Is there a line that enable does not write? Its names are those below. */
static bool has_others(const struct kc_text *text)
{
	static const char names[] = " openssl_conf providers alg_section random ssl_conf engines "
				    "default kcrypto activate default_properties properties "
				    "system_default Options kcrypto.Options default_algorithms ";
	char name[KC_NAME_SIZE + 2];
	struct kc_scan scan;
	bool has = false;

	if (!text->len || !kc_scan_open(&scan, text->at, text->len, "default"))
		return text->len;
	while (!has && kc_scan_next(&scan)) {
		snprintf(name, sizeof(name), " %s ", scan.line.name);
		has = scan.line.kind == KC_LINE_VALUE && !strstr(names, name);
	}
	kc_scan_close(&scan);
	return has;
}

/* Lines that only the user can have written are kept in another file, which must be new. */
static int keep(struct kc_setup *setup, const char *path, const struct kc_text *lines)
{
	const char *root = setup->files.root;
	char name[PATH_MAX];
	KC_TEXT old = { .at = NULL };
	int err;

	if (!has_others(lines))
		return 0;
	err = kc_plan_read_beside(setup, path, ".disabled", name, &old);
	if (!err)
		err = kc_text_equals(&old, lines) ? 0 : -EEXIST;
	else if (err == -ENOENT)
		err = kc_files_plan(&setup->files, name, kc_text_copy(lines->at, lines->len));
	if (err)
		return kc_setup_refuse(setup, err,
				       "%s%s has lines that 'enable' did not write, and they "
				       "cannot be kept in %s%s: %s",
				       root, path, root, name, strerror(-err));
	fprintf(stderr, "note: %s%s has lines that 'enable' did not write; they are kept in %s%s\n",
		root, path, root, name);
	return 0;
}

/* Removes our lines from one file that was read. */
static int undo_file(struct kc_setup *setup, const char *path)
{
	KC_TEXT text = { .at = NULL }, ours = { .at = NULL };
	struct kc_text after = { .at = NULL };
	int err = kc_files_read(&setup->files, path, &text);

	if (err)
		return err == -ENOENT ? 0 : kc_plan_say(setup, path, err);
	if (kc_own_is_ours(&text)) {
		err = keep(setup, path, &text);
		return err ? err : kc_files_plan(&setup->files, path, after);
	}
	err = kc_edit_undo(&text, &after);
	if (err)
		return err == -ENOENT ? 0 : kc_plan_say(setup, path, err);
	ours = kc_edit_block(&text);
	err = keep(setup, path, &ours);
	if (!err)
		return restore(setup, path, after);
	kc_text_free(&after);
	return err;
}

/* Is the module's file that of enable, and so the entry, too? */
static bool is_entry_ours(const struct kc_setup *setup)
{
	KC_TEXT own = { .at = NULL };

	if (strstr(setup->layout.own, "/kcrypto.cnf"))
		kc_files_read(&setup->files, setup->layout.own, &own);
	return kc_own_is_ours(&own);
}

/* An entry of another's that still says yes is switched off. */
static int undo_uci(struct kc_setup *setup, bool is_ours)
{
	int now = setup->layout.kind == KC_LAYOUT_UCI ? kc_uci_get(&setup->files) : KC_UCI_ABSENT;
	int err = kc_setup_read_planned(setup);

	if (err || now == KC_UCI_ABSENT)
		return err;
	if (is_ours)
		return plan_uci(setup, now, KC_UCI_ABSENT);
	return is_left_on(&setup->conf.parts) ? plan_uci(setup, now, KC_UCI_OFF) : 0;
}

/* A line that 'enable' did not write stays. Returns an exit code. */
static int tell_rest(const struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;
	char place[KC_PLACE_SIZE];

	if (!is_left_on(parts))
		return KC_EXIT_OK;
	if (parts->is_active)
		kc_place_of(place, setup, parts->kcrypto, "activate");
	else
		kc_place_of(place, setup, parts->engines, parts->engine);
	fprintf(stderr, "kcrypto: %s: this line turns kcrypto on, and 'enable' did not write it\n",
		place);
	return KC_EXIT_FAILED;
}

int kc_config_disable(struct kc_setup *setup)
{
	const struct kc_cnf *cnf = &setup->conf.cnf;
	bool is_ours = is_entry_ours(setup);
	int err = 0, code;

	for (size_t i = 0; !err && i < cnf->n_files; i++)
		err = undo_file(setup, cnf->file[i].path);
	if (!err)
		err = undo_uci(setup, is_ours);
	if (err)
		return kc_failure(setup->error);
	code = kc_plan_finish(setup, is_left_on(&setup->conf.parts));
	return code ? code : tell_rest(setup);
}
