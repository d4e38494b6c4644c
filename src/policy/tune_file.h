/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine's knowledge, as `kcrypto tune` leaves it in a file: the drivers that each backend
 * leads to, and of each driver that was tried whether it is right and from which length on it pays.
 * A process that finds such a file asks the kernel for no list and tries no driver at length.
 */
#ifndef KC_POLICY_TUNE_FILE_H
#define KC_POLICY_TUNE_FILE_H

#include "policy/candidate.h"

#define KC_TUNED_MAGIC "kctune1"

/* A driver as the kernel lists it; texts end with a NUL. */
struct kc_tuned_driver {
	char name[KC_DRIVER_NAME_SIZE], driver[KC_DRIVER_NAME_SIZE];
	int32_t priority;
	uint8_t backend; /* its place in the head's list */
	uint8_t kind;	 /* enum kc_kind */
	uint8_t async, kernel_driver_only, flags_known;
	uint8_t unused[3];
};

#define KC_TUNED_NEVER UINT32_MAX

/* A row by a backend and driver that was tried. */
struct kc_fact {
	char alg[KC_ALG_NAME_SIZE], driver[KC_DRIVER_NAME_SIZE];
	uint32_t row;				/* of kc_algs, if its name is @alg */
	uint32_t backend;			/* its place in the head's list */
	uint32_t reason;			/* enum kc_reason; KC_OK: it is right */
	uint32_t threshold[KC_PREFER_COUNT][2]; /* bytes, by enum kc_dir; KC_TUNED_NEVER */
	uint32_t session_bytes; /* what opening a session costs, in bytes of software */
	uint32_t speed;		/* bytes in a ms, of the largest requests */
};

#define KC_TUNED_KERNEL 200 /* bytes: what uname() says */
#define KC_TUNED_MAX	(256 * 1024)

/*
 * The file: this, then the drivers, then the facts. In the machine's byte order, every size fixed.
 */
struct kc_tuned {
	char magic[8];
	uint32_t order; /* 1 */
	uint32_t sum;	/* of all that follows */
	uint32_t size;	/* of the file, bytes */
	uint32_t n_drivers, n_facts, n_backends;
	uint32_t instructions[4];     /* AT_HWCAP and AT_HWCAP2: what the CPU can do */
	char version[16];	      /* of kcrypto */
	char kernel[KC_TUNED_KERNEL]; /* release, version and machine */
	char backend[KC_MAX_BACKENDS][16];
};

/*
 * Reads @path, "" for none. *@tuned: to be freed; or NULL. KC_OK; KC_TUNED_ABSENT; or why the file
 * counts as absent: KC_TUNED_WRITABLE, KC_TUNED_DAMAGED, KC_TUNED_STALE.
 */
enum kc_reason kc_tuned_read(const char *path, struct kc_tuned **tuned);

/* Was @backend there when the file was written? */
bool kc_tuned_has(const struct kc_tuned *tuned, const struct kc_backend *backend);

/* Lists the drivers of @backend. */
void kc_tuned_drivers(const struct kc_tuned *tuned, const struct kc_backend *backend,
		      struct kc_drivers *drivers);

/* Those that the file holds, @n of them. */
const struct kc_fact *kc_tuned_facts(const struct kc_tuned *tuned, size_t *n);

/*
 * Tells each candidate what the file knows of it. @rows: those of each row, as in struct kc_policy.
 * Their order may have to change: the caller's kc_policy_renew().
 */
void kc_tuned_apply(const struct kc_tuned *tuned, struct kc_candidate *const *rows,
		    enum kc_prefer prefer);

/*
 * Begins a file's contents for this machine, with room for @n_drivers and @n_facts; NULL where
 * memory is short. The caller adds, seals and writes kc_tuned.size bytes.
 */
struct kc_tuned *kc_tuned_new(size_t n_drivers, size_t n_facts);
void kc_tuned_add_drivers(struct kc_tuned *tuned, const struct kc_backend *backend,
			  const struct kc_drivers *drivers);
struct kc_fact *kc_tuned_add_fact(struct kc_tuned *tuned, const struct kc_candidate *candidate);
void kc_tuned_seal(struct kc_tuned *tuned);

#endif
