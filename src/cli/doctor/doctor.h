/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Within kcrypto doctor. Facts are collected first, in struct kc_found. Then each link of the chain
 * from the application to the driver judges them; every verdict is a row of faults.def or
 * reasons.c.
 */
#ifndef KC_CLI_DOCTOR_DOCTOR_H
#define KC_CLI_DOCTOR_DOCTOR_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/doctor/found.h"
#include "core/reason.h"

/*
 * The state of a link: in order, worth knowing, broken, could not be examined. KC_STATE_OFF is for
 * faults.def: kcrypto is off, which is broken for who asks why, and worth knowing for others.
 */
enum kc_state { KC_STATE_OK, KC_STATE_NOTE, KC_STATE_BROKEN, KC_STATE_BLIND, KC_STATE_OFF };

enum kc_fault {
#define FAULT(id, word, state, text, fix) KC_FAULT_##id,
#include "cli/doctor/faults.def"
#undef FAULT
	KC_FAULT_COUNT
};

#define KC_FAULT_ARGS 3

struct kc_finding {
	const char *link; /* the check's name */
	enum kc_state state;
	const char *word; /* "ok", or the word of the fault or reason */
	char text[768], fix[PATH_MAX + 64];
};

#define KC_MAX_FINDINGS 256

struct kc_diagnosis {
	const struct kc_found *found;
	const char *link; /* of the check that is at it */
	bool is_spared;	  /* there is another way, so a broken link is a note */
	bool may_be_off;  /* nobody expects kcrypto to be on */
	struct kc_finding v[KC_MAX_FINDINGS];
	size_t n;
};

/* Each of these adds a finding. */
__attribute__((format(printf, 2, 3))) void kc_fine(struct kc_diagnosis *d, const char *format, ...);
void kc_find(struct kc_diagnosis *d, enum kc_fault fault, const char *const args[KC_FAULT_ARGS]);
#define kc_fault(d, fault, ...)                                                                    \
	kc_find(d, KC_FAULT_##fault, (const char *const[KC_FAULT_ARGS]){ __VA_ARGS__ })
void kc_find_as(struct kc_diagnosis *d, enum kc_state state, const char *word, const char *text,
		const char *fix);
void kc_find_reason(struct kc_diagnosis *d, const char *subject, enum kc_reason reason);

/* The first finding of the worst kind; NULL: everything is in order. */
const struct kc_finding *kc_diagnosis_worst(const struct kc_diagnosis *d);

/* Walks the chain. */
void kc_diagnosis_run(struct kc_diagnosis *d, const struct kc_found *found);

/* Walks its links from the file to the module alone, for which found.conf is enough. */
void kc_diagnosis_run_file(struct kc_diagnosis *d, const struct kc_found *found);

/* Runs the program, in the configuration that it reads, and counts its requests. */
void kc_diagnosis_command(struct kc_diagnosis *d, struct kc_found *found);

/* The links, by place. Each is a row in exam.c. */
void kc_check_program(struct kc_diagnosis *d);
void kc_check_file(struct kc_diagnosis *d);
void kc_check_start(struct kc_diagnosis *d);
void kc_check_providers(struct kc_diagnosis *d);
void kc_check_default(struct kc_diagnosis *d);
void kc_check_properties(struct kc_diagnosis *d);
void kc_check_random(struct kc_diagnosis *d);
void kc_check_engine(struct kc_diagnosis *d);
void kc_check_module(struct kc_diagnosis *d);
void kc_check_af_alg(struct kc_diagnosis *d);
void kc_check_mask(struct kc_diagnosis *d);
void kc_check_crypto_user(struct kc_diagnosis *d);
void kc_check_devcrypto(struct kc_diagnosis *d);
void kc_check_device(struct kc_diagnosis *d);
void kc_check_driver(struct kc_diagnosis *d);
void kc_check_keys(struct kc_diagnosis *d);
void kc_check_algorithms(struct kc_diagnosis *d);
void kc_check_tune(struct kc_diagnosis *d);
void kc_check_cpu(struct kc_diagnosis *d);
void kc_check_ktls(struct kc_diagnosis *d);
void kc_check_kernel_keys(struct kc_diagnosis *d);

/* Is there a driver outside the CPU for an algorithm whose kernel name contains @mode? */
bool kc_has_hardware(const struct kc_found *found, const char *mode);

/* Prints each finding. */
void kc_diagnosis_print(const struct kc_diagnosis *d, FILE *out);

/* Prints the first broken one again, with its fix. False: nothing is broken. */
bool kc_diagnosis_print_worst(const struct kc_diagnosis *d, FILE *out);

/* Everything, for a bug report; the caller releases it. */
struct json_object *kc_diagnosis_json(const struct kc_diagnosis *d);

#endif
