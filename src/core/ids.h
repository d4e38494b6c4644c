/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the engine answers to, which are those of the engines before it. */
#ifndef KC_CORE_IDS_H
#define KC_CORE_IDS_H

struct kc_id {
	const char *id, *name;
	const char
		*backends; /* the only ones for this id, as the configuration has them; or NULL */
};

/* Ended by one whose id is NULL. */
extern const struct kc_id kc_ids[];

/* The one of this name; NULL if it is none of ours. */
const struct kc_id *kc_id_find(const char *id);

#endif
