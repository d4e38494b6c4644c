/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenWrt's /etc/config/openssl: which modules its init script enables, and the files that it
 * makes of that.
 */
#ifndef KC_CLI_CNF_UCI_H
#define KC_CLI_CNF_UCI_H

#include "cli/cnf/layout.h"

/* Foresees the files that the init script will write of the entries. 0 or -errno. */
int kc_uci_foresee(struct kc_files *files, const struct kc_layout *layout);

/*
 * The text with a module's entry enabled or not; an entry that is missing is added at the end, or
 * stays missing. @kind: "provider" or "engine". @uci may be empty.
 */
struct kc_text kc_uci_set(const struct kc_text *uci, const char *kind, const char *name,
			  bool is_enabled);

/* The text without that entry and the blank line before it. */
struct kc_text kc_uci_remove(const struct kc_text *uci, const char *kind, const char *name);

#endif
