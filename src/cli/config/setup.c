/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/run/command.h"

int kc_setup_refuse(struct kc_setup *setup, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(setup->error, sizeof(setup->error), format, args);
	va_end(args);
	return err;
}

static int read_conf(struct kc_setup *setup, const char *main)
{
	int err;

	kc_conf_free(&setup->conf);
	kc_config_init(&setup->config);
	err = kc_conf_read_of(&setup->conf, &setup->files, main, &setup->config);
	if (err == -ENOENT)
		err = kc_cnf_be_empty(&setup->conf.cnf);
	return err ? kc_setup_refuse(setup, err, "%s", setup->conf.error) : 0;
}

int kc_setup_read_planned(struct kc_setup *setup)
{
	int err = setup->layout.kind == KC_LAYOUT_UCI ?
			  kc_uci_foresee(&setup->files, &setup->layout, setup->uci) :
			  0;

	if (err)
		return kc_setup_refuse(setup, err, "%s: %s", KC_UCI_FILE, strerror(-err));
	return read_conf(setup, setup->layout.main);
}

int kc_setup_read(struct kc_setup *setup)
{
	char main[PATH_MAX];
	int err = kc_layout_find_main(&setup->files, setup->file, main);

	if (err)
		return kc_setup_refuse(setup, -ENXIO, "there is no openssl.cnf%s%s: %s",
				       *setup->files.root ? " below " : "", setup->files.root,
				       strerror(-err));
	err = read_conf(setup, main);
	kc_layout_detect(&setup->layout, &setup->files, &setup->conf.cnf, main, setup->file);
	if (!err && setup->layout.kind == KC_LAYOUT_UCI)
		err = kc_setup_read_planned(setup);
	return err;
}

void kc_setup_free(struct kc_setup *setup)
{
	kc_conf_free(&setup->conf);
	kc_files_free(&setup->files);
}

const char *kc_place_of(char buf[KC_PLACE_SIZE], const struct kc_setup *setup, const char *section,
			const char *name)
{
	const struct kc_cnf *cnf = &setup->conf.cnf;

	return kc_cnf_place(buf, cnf, kc_cnf_where(cnf, section, name));
}

/* The child loads the whole text, with everything that it includes, from a file of its own. */
static void ask(struct kc_found *found)
{
	const struct kc_text *text = &found->conf.cnf.text;
	char path[KC_TEMP_PATH];
	FILE *out = kc_temp_open(path);

	if (out)
		fwrite(text->at, 1, text->len, out);
	if (out && kc_temp_close(out)) {
		kc_reach_ask(&found->offers.reach, &found->conf, path);
		found->is_reached = true;
	}
	kc_temp_remove(path);
}

const struct kc_diagnosis *kc_setup_judge(const struct kc_setup *setup)
{
	static struct kc_found found;
	static struct kc_diagnosis d;

	d.n = 0;
	d.may_be_off = true;
	found = (struct kc_found){ .root = "",
				   .is_named = setup->file != NULL,
				   .has_providers = setup->layout.has_providers,
				   .wants_random = setup->layout.wants_random,
				   .conf = setup->conf };
	found.offers.config = setup->config;
	if (!*setup->files.root && !setup->conf.cnf.err) {
		kc_found_modules(&found);
		ask(&found);
	}
	kc_diagnosis_run(&d, &found, true);
	return &d;
}
