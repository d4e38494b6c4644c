/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the engine that the tool uses, too: the names that it answers to, and its report on
 * the algorithms. Both follow the older engines.
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

/* The last entry's id is NULL. */
extern const struct kc_id kc_ids[];

/* Returns the id of this name; NULL if the engine has none. */
const struct kc_id *kc_id_find(const char *id);

/* Makes the configuration that this id has before any line of its section. */
void kc_id_init(const struct kc_id *id, struct kc_config *config);

/* Call it after each line: no configuration changes the backends of an id. */
void kc_id_keep(const struct kc_id *id, struct kc_config *config);

/*
 * DUMP_INFO, in the words that scripts and users know. Writes, for each backend of @config, the
 * driver of each algorithm and whether that is hardware. For each algorithm that @config asks for,
 * it opens a session without a secret and closes it again, because otherwise the kernel does not
 * tell its driver; it makes no request. It opens drivers that the kernel lists, which loads
 * nothing; it opens the algorithm itself only if @config names it. @nid: returns OpenSSL's number
 * of an algorithm, or 0 to leave it out.
 */
void kc_dump(FILE *out, const struct kc_config *config, int (*nid)(const struct kc_alg *alg));

#endif
