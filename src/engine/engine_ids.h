/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tool knows of the engine too: the names that it answers to, and its report on the
 * algorithms, both those of the older engines.
 */
#ifndef KC_ENGINE_ENGINE_IDS_H
#define KC_ENGINE_ENGINE_IDS_H

#include <stdio.h>

#include "policy/config.h"

struct kc_id {
	const char *id, *name;
	const char *backend; /* of this id, after /dev/kcrypto; NULL: as configured */
	bool lists_add;	     /* see struct kc_config */
};

/* Ended by an entry whose id is NULL. */
extern const struct kc_id kc_ids[];

/* Returns the id of this name; NULL if the engine has no such id. */
const struct kc_id *kc_id_find(const char *id);

/* Makes the configuration of this id before any line of its section. */
void kc_id_init(const struct kc_id *id, struct kc_config *config);

/* To call after each line: no configuration changes the meaning of the id. */
void kc_id_keep(const struct kc_id *id, struct kc_config *config);

/*
 * DUMP_INFO, in the words that scripts and users know: writes, for each backend of @config, the
 * driver of each algorithm, and whether that is hardware. For each algorithm that @config asks for,
 * a session is opened, without a secret, and closed again: otherwise the kernel does not tell its
 * driver. No session is used. Drivers that the kernel lists are opened, which loads nothing; the
 * algorithm itself only if @config has its name. @nid: OpenSSL's number of an algorithm, 0 to leave
 * it out.
 */
void kc_dump(FILE *out, const struct kc_config *config, int (*nid)(const struct kc_alg *alg));

#endif
