/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the engine answers to, which are those of the engines before it. */
#ifndef KC_ENGINE_ENGINE_IDS_H
#define KC_ENGINE_ENGINE_IDS_H

#include "policy/config.h"

struct kc_id {
	const char *id, *name;
	const char
		*backends; /* the only ones for this id, as the configuration has them; or NULL */
	bool lists_add;	   /* see struct kc_config */
};

/* Ended by one whose id is NULL. */
extern const struct kc_id kc_ids[];

/* The one of this name; NULL if it is none of ours. */
const struct kc_id *kc_id_find(const char *id);

/* The configuration of this id before any line of its section. */
void kc_id_init(const struct kc_id *id, struct kc_config *config);

/* After each line: no configuration changes what the id stands for. */
void kc_id_keep(const struct kc_id *id, struct kc_config *config);

#endif
