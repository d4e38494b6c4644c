/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the engine answers to: those of the older engines. */
#ifndef KC_ENGINE_ENGINE_IDS_H
#define KC_ENGINE_ENGINE_IDS_H

#include "policy/config.h"

struct kc_id {
	const char *id, *name;
	const char *backend; /* of this id, after /dev/kcrypto; NULL: as configured */
	bool lists_add;	     /* see struct kc_config */
};

/* Ended by an entry whose id is NULL. */
extern const struct kc_id kc_ids[];

/* Returns the id of this name; NULL if it is not one of ours. */
const struct kc_id *kc_id_find(const char *id);

/* Makes the configuration of this id before any line of its section. */
void kc_id_init(const struct kc_id *id, struct kc_config *config);

/* To call after each line: no configuration changes the meaning of the id. */
void kc_id_keep(const struct kc_id *id, struct kc_config *config);

#endif
