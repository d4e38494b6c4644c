/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel tells about its drivers, and whether a driver uses hardware outside the CPU. The
 * decision comes from flags, names and key lengths, without system calls.
 */
#ifndef KC_CORE_DRIVER_H
#define KC_CORE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/alg.h"

#define KC_DRIVER_NAME_SIZE 64 /* bytes, with the NUL; no socket address takes more */

struct kcrypto_traits;

enum kc_nature { KC_UNKNOWN, KC_SOFTWARE, KC_HARDWARE };

/* Has the same layout on 32 and 64 bits and no padding: the tune file contains it as it is. */
struct kc_driver {
	char name[KC_DRIVER_NAME_SIZE];	  /* the algorithm's, "cbc(aes)" */
	char driver[KC_DRIVER_NAME_SIZE]; /* "virtio_crypto_aes_cbc" */
	enum kc_kind kind; /* KC_DIGEST for MACs too: the kernel does not distinguish them */
	int priority;
	/* Three flags; 0 is false, and any other byte true, because a file may contain any. */
	uint8_t async;
	uint8_t kernel_driver_only; /* CRYPTO_ALG_KERN_DRIVER_ONLY; /proc/crypto does not tell */
	uint8_t flags_known;	    /* 0: found by a session of /dev/crypto, which tells no async */
	/* Set by kc_driver_classify(); row and rows by kc_drivers_add(). */
	uint8_t nature;	 /* enum kc_nature */
	uint32_t traits; /* its row in kernel/include/kcrypto_drivers.h, plus 1; 0: none */
	uint32_t row;	 /* in a list: the first row of this algorithm, */
	uint32_t rows;	 /* and the number of adjacent rows from there */
	uint32_t blocks; /* it continues a digest from blocks in its middle */
};

/* Counts only drivers for our algorithms, without internal ones. No board has as many. */
#define KC_MAX_DRIVERS 256

#define KC_NAME_SLOTS 64 /* a power of two */

/* Too large for the stack. All zeros are an empty list that wants all rows. */
struct kc_drivers {
	size_t n; /* set it to 0 to empty the list, which still wants the same rows */
	/* Hash chains of the wanted rows by kernel name: row numbers plus 1; 0 ends a chain. */
	bool is_indexed;
	uint8_t first[KC_NAME_SLOTS], next[KC_ALG_COUNT];
	struct kc_driver v[KC_MAX_DRIVERS]; /* last: unused entries are never touched */
};

/*
 * Makes an empty list for the drivers of the rows in @wanted, and of rows with the same kernel
 * name; NULL: of all rows.
 */
void kc_drivers_init(struct kc_drivers *drivers, const bool *wanted);

/*
 * Returns the first wanted row of this algorithm, plus 1; 0 if no row wants it. A backend asks
 * before it gathers more about a driver.
 */
size_t kc_drivers_want(struct kc_drivers *drivers, const char *name);

/* Classifies a copy and adds it, unless the list is full or no wanted row has the algorithm. */
void kc_drivers_add(struct kc_drivers *drivers, const struct kc_driver *driver);

/* Sets nature and traits by name and flags. */
void kc_driver_classify(struct kc_driver *driver);

/* Returns the traits of a classified driver; all zeros if nothing is known. */
const struct kcrypto_traits *kc_driver_traits(const struct kc_driver *driver);

/* Returns the alignment of input and output that the device needs, as a mask of address bits. */
unsigned kc_traits_alignmask(const struct kcrypto_traits *traits);

/* Returns the bits that must be 0 in the length of a digest's or MAC's message. */
unsigned kc_traits_odd_bits(const struct kcrypto_traits *traits);

/*
 * Returns the longest request that the device does, in bytes; it does every multiple of
 * KC_MAX_BLOCK up to that. @is_contiguous: the buffers are contiguous; otherwise the driver counts
 * their pages.
 */
size_t kc_traits_most(const struct kcrypto_traits *traits, bool is_contiguous);

/* True if the device does digests and MACs only of messages in one piece. */
bool kc_traits_want_whole(const struct kcrypto_traits *traits);

/* True if the device does more requests from a contiguous buffer than from a program's pages. */
bool kc_traits_want_contiguous(const struct kcrypto_traits *traits);

/* True if the device does XTS with this tweak. */
bool kc_traits_fit_tweak(const struct kcrypto_traits *traits, const uint8_t tweak[KC_MAX_IV]);

/*
 * True if the device does a message of @len bytes with @aad_len bytes of AAD as a whole, given that
 * @len is between the shortest and the longest.
 */
bool kc_traits_fit_message(const struct kcrypto_traits *traits, size_t len, size_t aad_len);

/* Returns the shortest message that the device does, in bytes. */
size_t kc_traits_least(const struct kcrypto_traits *traits);

/* Returns the nature of a classified driver for keys of @key_len bytes; 0: for any key. */
enum kc_nature kc_driver_nature(const struct kc_driver *driver, unsigned key_len);

/* True if a classified driver leaves requests in parts to software. */
bool kc_driver_is_whole_only(const struct kc_driver *driver);
/* True if a classified driver mixes the requests of several users. */
bool kc_driver_mixes(const struct kc_driver *driver);
/* True if a classified driver does harm on a machine with high memory. */
bool kc_driver_needs_low_memory(const struct kc_driver *driver);

/* Like kc_driver_needs_low_memory(), for a driver of which only the name is known. */
bool kc_name_needs_low_memory(const char *driver);

/* Returns "hardware", "software" or "unknown". */
const char *kc_nature_word(enum kc_nature nature);

#endif
