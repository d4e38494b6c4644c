/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel says about its drivers, and what follows from it: does this driver leave the
 * CPU? Decided by flags, by name and by key length; no system call is made here.
 */
#ifndef KC_CORE_DRIVER_H
#define KC_CORE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/alg.h"

#define KC_DRIVER_NAME_SIZE 64 /* with the NUL; the kernel's CRYPTO_MAX_ALG_NAME on the wire */

enum kc_nature { KC_UNKNOWN, KC_SOFTWARE, KC_HARDWARE };

struct kc_driver {
	char name[KC_DRIVER_NAME_SIZE];	  /* the algorithm's, "cbc(aes)" */
	char driver[KC_DRIVER_NAME_SIZE]; /* "virtio_crypto_aes_cbc" */
	enum kc_kind kind; /* KC_DIGEST for MACs too: the kernel makes no difference */
	int priority;
	bool async;
	bool kernel_driver_only; /* CRYPTO_ALG_KERN_DRIVER_ONLY; only netlink tells */
	bool flags_known;	 /* false: from /proc/crypto, kernel_driver_only is a guess */
	/* These by kc_driver_classify(). */
	enum kc_nature nature;
	unsigned only_key_len; /* bytes of the only keys for which it is that; 0: any */
	size_t row;	       /* in a list: the first row of this algorithm, */
	size_t rows;	       /* and how many follow each other from there */
};

/*
 * Only drivers of algorithms in our table, and no internal ones; 256 are more than any board has.
 */
#define KC_MAX_DRIVERS 256

#define KC_NAME_SLOTS 64 /* a power of two */

/* Large: never on the stack. All zeros are an empty list, and so is what kc_drivers_init() made. */
struct kc_drivers {
	size_t n;
	/*
	 * Some cipher's software driver, no template if there is another, or "": for the question
	 * whether binding with a feature mask still means anything.
	 */
	char software[KC_DRIVER_NAME_SIZE];
	/*
	 * The table's rows by the kernel's name: the first one of a slot and the next, plus 1; 0:
	 * none.
	 */
	bool is_indexed;
	uint8_t first[KC_NAME_SLOTS], next[KC_ALG_COUNT];
	struct kc_driver v[KC_MAX_DRIVERS]; /* last: only what is used is ever touched */
};

void kc_drivers_init(struct kc_drivers *drivers);

/* Is a driver of this algorithm of any use? Asked before the rest of it is known. */
bool kc_drivers_want(struct kc_drivers *drivers, const char *name);

/*
 * Adds a copy, classified, unless the list is full or the algorithm is not wanted; keeps
 * ->software.
 */
void kc_drivers_add(struct kc_drivers *drivers, const struct kc_driver *driver);

/* Decides by names and flags. */
void kc_driver_classify(struct kc_driver *driver);

/* What a classified driver is for keys of @key_len bytes; 0: for any key. */
enum kc_nature kc_driver_nature(const struct kc_driver *driver, unsigned key_len);

/* "hardware", "software", "unknown". */
const char *kc_nature_word(enum kc_nature nature);

#endif
