/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto's entry in OpenWrt's /etc/config/openssl, which the program uci reads and writes. From the
 * entries, an init script makes a file that openssl.cnf includes.
 */
#ifndef KC_CLI_CNF_UCI_H
#define KC_CLI_CNF_UCI_H

#include "cli/cnf/layout.h"

enum kc_uci { KC_UCI_AS_IT_IS, KC_UCI_ON, KC_UCI_OFF, KC_UCI_ABSENT };

/* The entry as it is. -ENOSYS: there is no uci here; -EIO: it fails. */
int kc_uci_get(const struct kc_files *files);

/* Enables the entry, disables it or removes it. 0 or -errno. */
int kc_uci_set(const struct kc_files *files, const struct kc_layout *layout, enum kc_uci state);

/*
 * Foresees the file that the init script will write. @state: the entry then; as it is, without uci,
 * the file is believed. 0 or -errno.
 */
int kc_uci_foresee(struct kc_files *files, const struct kc_layout *layout, enum kc_uci state);

#endif
