/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of one call of 'kcrypto config': a root, its openssl.cnf, and the plan for it. */
#ifndef KC_CLI_CONFIG_SETUP_H
#define KC_CLI_CONFIG_SETUP_H

#include "cli/cnf/uci.h"
#include "cli/conf.h"
#include "cli/doctor/doctor.h"

struct kc_setup {
	const char *file; /* the only file to look at, or NULL */
	bool is_dry_run, wants_ktls;
	struct kc_files files;
	struct kc_conf conf;
	struct kc_config config;
	struct kc_layout layout;
	enum kc_uci uci;	    /* the plan for OpenWrt's entry */
	char error[PATH_MAX + 512]; /* the reason for a failure, as text */
};

/* Finds and reads the configuration as it is. 0 or -errno, with the error as text. */
int kc_setup_read(struct kc_setup *setup);

/* Reads it again as planned; the layout stays. */
int kc_setup_read_planned(struct kc_setup *setup);

/*
 * Judges the configuration that was read, as kcrypto doctor does. On the system itself a child
 * loads it, even if it is only planned.
 */
const struct kc_diagnosis *kc_setup_judge(const struct kc_setup *setup);

void kc_setup_free(struct kc_setup *setup);

/* Writes the error, formatted like printf. Returns @err. */
__attribute__((format(printf, 3, 4))) int kc_setup_refuse(struct kc_setup *setup, int err,
							  const char *format, ...);

/* Writes "FILE:LINE" of a value, for messages; the main file's name if there is none. */
const char *kc_place_of(char buf[KC_PLACE_SIZE], const struct kc_setup *setup, const char *section,
			const char *name);

/* The actions; each returns an exit code. */
int kc_config_show(struct kc_setup *setup);
int kc_config_check(struct kc_setup *setup);
int kc_config_enable(struct kc_setup *setup);
int kc_config_disable(struct kc_setup *setup);

#endif
