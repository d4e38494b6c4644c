/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config/setup.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cnf/uci.h"

int kc_setup_refuse(struct kc_setup *setup, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(setup->error, sizeof(setup->error), format, args);
	va_end(args);
	return err;
}

static int read_cnf(struct kc_setup *setup, const char *main)
{
	int err;

	kc_cnf_free(&setup->cnf);
	err = kc_cnf_read(&setup->cnf, &setup->files, main);
	if (err)
		return kc_setup_refuse(setup, err, "%s", setup->cnf.error);
	kc_state_read(&setup->state, &setup->cnf);
	return 0;
}

int kc_setup_read_planned(struct kc_setup *setup)
{
	int err = setup->layout.kind == KC_LAYOUT_UCI ?
			  kc_uci_foresee(&setup->files, &setup->layout) :
			  0;

	if (err)
		return kc_setup_refuse(setup, err, "%s: %s", KC_UCI_FILE, strerror(-err));
	return read_cnf(setup, setup->layout.main);
}

int kc_setup_read(struct kc_setup *setup)
{
	char main[PATH_MAX];
	int err = kc_layout_find_main(&setup->files, setup->file, main);

	if (err)
		return kc_setup_refuse(setup, err, "there is no openssl.cnf%s%s: %s",
				       *setup->files.root ? " below " : "", setup->files.root,
				       strerror(-err));
	err = read_cnf(setup, main);
	if (err)
		return err;
	kc_layout_detect(&setup->layout, &setup->files, &setup->cnf, main, setup->file);
	return setup->layout.kind == KC_LAYOUT_UCI ? kc_setup_read_planned(setup) : 0;
}

void kc_setup_free(struct kc_setup *setup)
{
	kc_cnf_free(&setup->cnf);
	kc_files_free(&setup->files);
}

const char *kc_place(char buf[KC_PLACE_SIZE], const struct kc_setup *setup, struct kc_where where)
{
	if (!where.file)
		snprintf(buf, KC_PLACE_SIZE, "%s%s", setup->files.root, setup->layout.main);
	else
		snprintf(buf, KC_PLACE_SIZE, "%s%s:%u", setup->files.root, where.file, where.line);
	return buf;
}

const char *kc_place_of(char buf[KC_PLACE_SIZE], const struct kc_setup *setup, const char *section,
			const char *name)
{
	return kc_place(buf, setup, kc_cnf_where(&setup->cnf, section, name));
}
