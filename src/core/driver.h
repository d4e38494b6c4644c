/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's information about its drivers, and a conclusion from it: does this driver use
 * hardware outside the CPU? Decided by flags, by name and by key length, without system calls.
 */
#ifndef KC_CORE_DRIVER_H
#define KC_CORE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/alg.h"

#define KC_DRIVER_NAME_SIZE 64 /* including the NUL; no socket address takes more */

struct kcrypto_traits;

enum kc_nature { KC_UNKNOWN, KC_SOFTWARE, KC_HARDWARE };

/* Of the same layout for 32 and 64 bits, without padding: the tune file has it as it is. */
struct kc_driver {
	char name[KC_DRIVER_NAME_SIZE];	  /* the algorithm's, "cbc(aes)" */
	char driver[KC_DRIVER_NAME_SIZE]; /* "virtio_crypto_aes_cbc" */
	enum kc_kind kind; /* KC_DIGEST for MACs too: the kernel does not distinguish them */
	int priority;
	/* 0: no. Bytes of any value, as a file may have. */
	uint8_t async;
	uint8_t kernel_driver_only; /* CRYPTO_ALG_KERN_DRIVER_ONLY; /proc/crypto does not tell */
	uint8_t flags_known;	    /* 0: by a session of /dev/crypto, which does not tell async */
	/* Set by kc_driver_classify(). */
	uint8_t nature;	 /* enum kc_nature */
	uint32_t traits; /* its row in kernel/include/kcrypto_drivers.h, plus 1; 0: none */
	uint32_t row;	 /* in a list: the first row of this algorithm, */
	uint32_t rows;	 /* and the number of adjacent rows from there */
	uint32_t blocks; /* it takes blocks from the middle of a digest */
};

/* Only drivers for algorithms in our table, and no internal ones; no board has as many as 256. */
#define KC_MAX_DRIVERS 256

#define KC_NAME_SLOTS 64 /* a power of two */

/* Large: never on the stack. If all zero, it is empty and wants all rows. */
struct kc_drivers {
	size_t n; /* set to 0, it empties the list, which still wants the same rows */
	/* The wanted rows by kernel name, in hash chains: row numbers plus 1; 0 ends a chain. */
	bool is_indexed;
	uint8_t first[KC_NAME_SLOTS], next[KC_ALG_COUNT];
	struct kc_driver v[KC_MAX_DRIVERS]; /* last: unused entries are never touched */
};

/*
 * An empty list for the drivers of the rows in @wanted, and of those with the same kernel name;
 * NULL: of all rows.
 */
void kc_drivers_init(struct kc_drivers *drivers, const bool *wanted);

/*
 * The first wanted row of this algorithm, plus 1; 0: a driver of it is of no use. Asked before more
 * of it is known.
 */
size_t kc_drivers_want(struct kc_drivers *drivers, const char *name);

/* Adds a copy, classified, unless the list is full or no wanted row has the algorithm. */
void kc_drivers_add(struct kc_drivers *drivers, const struct kc_driver *driver);

/* Decides by names and flags. */
void kc_driver_classify(struct kc_driver *driver);

/* What its name tells of a classified driver; zeros where it tells nothing. */
const struct kcrypto_traits *kc_driver_traits(const struct kc_driver *driver);

/* Alignment of input and output for which the device does a request: a mask of address bits. */
unsigned kc_traits_alignmask(const struct kcrypto_traits *traits);

/* The lengths of a digest's or MAC's messages that it does: a mask of bits that are 0 in them. */
unsigned kc_traits_odd_bits(const struct kcrypto_traits *traits);

/*
 * The longest request that the device does, in bytes: any multiple of KC_MAX_BLOCK up to that, from
 * the first one on. @is_contiguous: whatever the pages of its input and output.
 */
size_t kc_traits_most(const struct kcrypto_traits *traits, bool is_contiguous);

/* Does the device make digests and MACs only of messages that come in one piece? */
bool kc_traits_want_whole(const struct kcrypto_traits *traits);

/* Does it do more requests of one contiguous buffer than of a program's pages? */
bool kc_traits_want_contiguous(const struct kcrypto_traits *traits);

/* Does the device do XTS with this tweak? */
bool kc_traits_fit_tweak(const struct kcrypto_traits *traits, const uint8_t tweak[KC_MAX_IV]);

/*
 * Does the device do a message of @len bytes, with AAD of @aad_len, that only goes as a whole, if
 * its length is between the shortest and the longest?
 */
bool kc_traits_fit_message(const struct kcrypto_traits *traits, size_t len, size_t aad_len);

/* The shortest one. */
size_t kc_traits_least(const struct kcrypto_traits *traits);

/* Returns the nature of a classified driver for keys of @key_len bytes; 0: for any key. */
enum kc_nature kc_driver_nature(const struct kc_driver *driver, unsigned key_len);

/*
 * Of a classified one: do requests in parts end in software? Does it mix those of several users?
 * And does harm come of high memory?
 */
bool kc_driver_is_whole_only(const struct kc_driver *driver);
/* Does it mix the requests of several users? */
bool kc_driver_mixes(const struct kc_driver *driver);
/* Does high memory harm it? */
bool kc_driver_needs_low_memory(const struct kc_driver *driver);

/* The latter of a driver of which no more is known than its name. */
bool kc_name_needs_low_memory(const char *driver);

/* "hardware", "software", "unknown". */
const char *kc_nature_word(enum kc_nature nature);

#endif
