/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the machine that `kcrypto tune` leaves in a file: the drivers that each backend
 * reaches, and for each driver that it tried, whether it is right and which lengths pay. A process
 * that finds such a file does not ask the kernel for a list, and tries drivers only briefly.
 */
#ifndef KC_POLICY_TUNE_FILE_H
#define KC_POLICY_TUNE_FILE_H

#include "policy/terms.h"

#define KC_TUNED_MAGIC "kctuneb"

/* A driver that a backend lists. */
struct kc_tuned_driver {
	uint32_t backend; /* its index in kc_backends */
	struct kc_driver driver;
};

#define KC_TUNED_NEVER	   UINT32_MAX
#define KC_TUNED_UNSETTLED (UINT32_MAX - 1) /* measured, but no two passes agreed */

/* The result of trying a row on one backend and driver. */
struct kc_fact {
	char driver[KC_DRIVER_NAME_SIZE];
	uint32_t row;	    /* its index in kc_algs */
	uint32_t backend;   /* its index in kc_backends */
	uint32_t is_blocks; /* for blocks from a midstate to another: 0 or 1 */
	uint32_t reason;    /* enum kc_reason; KC_OK: it is right */
	uint32_t left_out;  /* 1 if the time was up before all questions; else 0 */
	uint32_t threshold[KC_PREFER_COUNT][2]; /* bytes, by enum kc_dir, or one of the above */
	uint32_t longest;	  /* bytes: longer requests do not pay; or KC_TUNED_NEVER */
	uint32_t session_bytes;	  /* the price of a session, in bytes of software */
	uint32_t done_by;	  /* who did the requests, in the words of src/cli/evidence */
	uint32_t once_ns, kib_ns; /* price of a kernel's request: fixed part, and per KiB */
	uint32_t speed, cpu;	  /* of encryption, per cent of software's; 0: not known */
};

/* True if the thresholds are known. If not, a process measures for itself, as without a file. */
static inline bool kc_fact_is_settled(const struct kc_fact *fact, enum kc_prefer prefer)
{
	return fact->threshold[prefer][KC_DECRYPT] != KC_TUNED_UNSETTLED &&
	       fact->threshold[prefer][KC_ENCRYPT] != KC_TUNED_UNSETTLED;
}

/* A file is valid only for this kernel, this CPU and this version of kcrypto. */
struct kc_machine {
	uint32_t rows;		  /* number of rows in kc_algs */
	uint32_t instructions[4]; /* AT_HWCAP and AT_HWCAP2: the CPU's features */
	char version[64];	  /* of kcrypto, with its backends in order */
	char kernel[200];	  /* release, version and machine from uname() */
};

#define KC_TUNED_MAX (256 * 1024)

/*
 * The head of the file; drivers and then facts follow. The machine's byte order, with fixed sizes.
 */
struct kc_tuned {
	char magic[8];
	uint32_t sum;  /* check sum of all that follows */
	uint32_t size; /* bytes, of the file */
	uint32_t n_drivers, n_facts;
	uint32_t has; /* bits: the backends that existed, by index in kc_backends */
	struct kc_machine machine;
};

/*
 * Reads the file @path; "": none. The caller frees *@tuned, which is NULL unless the result is
 * KC_OK. Otherwise the file counts as absent, for the reason returned: KC_TUNED_ABSENT,
 * KC_TUNED_WRITABLE, KC_TUNED_DAMAGED, KC_TUNED_STALE or KC_TUNED_NO_MEMORY.
 */
enum kc_reason kc_tuned_read(const char *path, struct kc_tuned **tuned);

/* Lists the drivers of @backend. False: the backend did not exist when the file was written. */
bool kc_tuned_drivers(const struct kc_tuned *tuned, const struct kc_backend *backend,
		      struct kc_drivers *drivers);

/* Returns the file's n_facts facts. */
struct kc_fact *kc_tuned_facts(const struct kc_tuned *tuned);

/* Returns the fact about a candidate's driver; NULL if there is none. */
const struct kc_fact *kc_tuned_fact(const struct kc_tuned *tuned,
				    const struct kc_candidate *candidate);

/* Applies the file's fact about an offered candidate, which may be a reason against it. */
void kc_tuned_apply(const struct kc_tuned *tuned, struct kc_candidate *candidate);

/*
 * Starts a file's contents for this machine, with room for @n_drivers and @n_facts; NULL if memory
 * is short. The caller adds them, seals it, and writes its size bytes.
 */
struct kc_tuned *kc_tuned_new(size_t n_drivers, size_t n_facts);
/* Adds a backend's drivers, and records that it exists. */
void kc_tuned_add_drivers(struct kc_tuned *tuned, const struct kc_backend *backend,
			  const struct kc_drivers *drivers);
/* Adds a fact about the driver of @candidate; the caller fills in the results. */
struct kc_fact *kc_tuned_add_fact(struct kc_tuned *tuned, const struct kc_candidate *candidate);
/* Sets the size and the check sum. Nothing may change after that. */
void kc_tuned_seal(struct kc_tuned *tuned);

#endif
