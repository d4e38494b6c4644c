/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Within kcrypto doctor. Facts that several links need are collected first, in struct kc_found;
 * then each link of the chain from the application to the driver is judged. Every verdict is a row
 * of faults.def, or of a reason. kcrypto list and config judge the file in the same way.
 */
#ifndef KC_CLI_DOCTOR_DOCTOR_H
#define KC_CLI_DOCTOR_DOCTOR_H

#include <json-c/json.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "cli/list/offers.h"
#include "cli/run/command.h"
#include "core/reason.h"

/* The command after two dashes; all empty if there is none. */
struct kc_program {
	char *const *argv;
	char path[PATH_MAX]; /* "": there is no such program */
	bool is_set_id;
	char libcrypto[PATH_MAX]; /* the one that the dynamic loader gives it; "": none */
	bool is_inside;		  /* its own is linked statically */
	bool is_other;		  /* libcrypto is another file than this tool's */
	char conf[PATH_MAX];	  /* the file that it reads by default; "": this tool's */
	bool is_node;		  /* it has another name for the line openssl_conf */
	/* after the run */
	struct kc_ended ended;
	const char *problem;	  /* why it was not run, or NULL */
	struct json_object *rows; /* see kc_count_rows() */
};

#define KC_KILLED -1 /* instead of an errno: asking kills the process */

/* A device node. */
struct kc_node {
	const char *path;
	int err; /* errno of opening it; 0: it works; ENOENT: there is none */
	mode_t mode;
	char group[64];
};

struct kc_kernel {
	struct kc_node kcrypto, devcrypto;
	int socket_err, bind_err; /* for AF_ALG: errno or KC_KILLED; 0: none */
};

/* An accelerator without a driver. */
struct kc_device {
	char name[64];	    /* in sysfs */
	const char *module; /* the one that claims it */
	char how[64];	    /* which kernel has that */
	char package[64];   /* of OpenWrt, that has it; "": none */
};

#define KC_MAX_DEVICES 8

/* An accelerator that has one. */
struct kc_bound {
	char name[64], driver[64];
	const char *module;
};

struct kc_found {
	const char *root; /* the directory with proc, sys, dev, etc and lib; "" except in tests */
	struct kc_program program;
	const char *whence; /* who says that programs read this file; NULL: nobody */
	bool is_env;	    /* OPENSSL_CONF says it */
	bool is_named;	    /* by OPENSSL_CONF or --config, which the commands of a fix need, too */
	struct kc_conf conf;
	struct kc_listed offers;
	struct kc_kernel kernel;
	const char *key;	     /* of the kernel, to examine; NULL: none */
	struct json_object *machine; /* kc_bench_machine() */
	struct kc_device device[KC_MAX_DEVICES];
	size_t n_devices;
	struct kc_bound bound[KC_MAX_DEVICES];
	size_t n_bound;
};

/*
 * Each fills in its part. The configuration is @file or, if that is NULL, the one that the program
 * reads.
 */
void kc_found_program(struct kc_found *found);
/* The configuration that is read, and who says so. */
void kc_found_conf(struct kc_found *found, const char *file);
/* AF_ALG and the device nodes. */
void kc_found_kernel(struct kc_found *found);
/* Accelerators in sysfs, with and without a driver. */
void kc_found_devices(struct kc_found *found);

/* The place of a value, for a message, until the next call. */
static inline const char *kc_found_place(const struct kc_found *found, const char *section,
					 const char *name)
{
	return kc_cnf_place_of(&found->conf.cnf, section, name);
}

/* A path below the root, formatted like printf; until the next call. */
__attribute__((format(printf, 2, 3))) const char *kc_root_path(const struct kc_found *found,
							       const char *format, ...);

/* The number after @key at the start of a line of the file; -1: there is none. */
int kc_root_number(const struct kc_found *found, const char *path, const char *key);

/* Is there a directory with the running kernel's modules? */
bool kc_root_has_modules(const struct kc_found *found);

enum kc_loaded { KC_MODULE_ABSENT, KC_MODULE_ON_DISK, KC_MODULE_LOADED };

/* A kernel module, by its name with '_'. Built in counts as loaded. */
enum kc_loaded kc_root_module(const struct kc_found *found, const char *name);

/*
 * The state of a link: in order, worth knowing, broken, could not be examined, off. What makes
 * kcrypto off is broken if the file mentions kcrypto: then somebody wanted it on.
 */
enum kc_state { KC_STATE_OK, KC_STATE_NOTE, KC_STATE_BROKEN, KC_STATE_BLIND, KC_STATE_OFF };

enum kc_fault {
#define FAULT(id, word, state, text, command, advice) KC_FAULT_##id,
#include "cli/doctor/faults.def"
#undef FAULT
	KC_FAULT_COUNT
};

#define KC_FAULT_ARGS 4

struct kc_symptom {
	const char *link; /* the check's name */
	enum kc_state state;
	const char *word; /* "ok", or the word of the fault or reason */
	/* The command ends the fault: "" if there is none. As yet untried: one of those in <>. */
	char text[768], command[PATH_MAX + 256], advice[512];
};

#define KC_MAX_FINDINGS 256

struct kc_diagnosis {
	const struct kc_found *found;
	const char *link; /* of the check that is at it */
	bool is_spared;	  /* there is another way, so a broken link is a note */
	bool is_expected; /* the file mentions kcrypto, so it is not off on purpose */
	struct kc_symptom v[KC_MAX_FINDINGS];
	size_t n;
};

/* Each of these adds a finding. */
__attribute__((format(printf, 2, 3))) void kc_fine(struct kc_diagnosis *d, const char *format, ...);
/* A row of faults.def; @args replace the names in it. Call kc_fault(). */
void kc_find(struct kc_diagnosis *d, enum kc_fault fault, const char *const args[KC_FAULT_ARGS]);
#define kc_fault(d, fault, ...)                                                                    \
	kc_find(d, KC_FAULT_##fault, (const char *const[KC_FAULT_ARGS]){ __VA_ARGS__ })
/* A reason of core/reason.h, with what it is about. */
void kc_find_reason(struct kc_diagnosis *d, const char *subject, enum kc_reason reason);

/* The first finding of the worst kind; NULL: nothing is broken, but kcrypto may be off. */
const struct kc_symptom *kc_diagnosis_worst(const struct kc_diagnosis *d);

/* The first finding that says why kcrypto is off; NULL: it is not. */
const struct kc_symptom *kc_diagnosis_off(const struct kc_diagnosis *d);

/* "on", "off", "broken" or "unknown". */
const char *kc_diagnosis_verdict(const struct kc_diagnosis *d);

/*
 * Who asks: the doctor, list or config, of whom each leaves out some links. Those of config need no
 * more than found.conf.
 */
enum kc_scope { KC_OF_DOCTOR, KC_OF_LIST, KC_OF_FILE };

/* A link of the chain, and the check that judges it. */
struct kc_link {
	const char *name;
	void (*check)(struct kc_diagnosis *d);
	enum kc_scope scope; /* the narrowest in which it is checked */
};

/* The chain's parts, each up to a link without a name. */
extern const struct kc_link kc_links_to_file[], kc_links_to_module[], kc_links_to_driver[];
extern const struct kc_link kc_results[];

/* Can the module's file be read? If not, says why. */
bool kc_check_module_file(struct kc_diagnosis *d, const char *name);

/* Does a driver leave requests to software that its device does through /dev/kcrypto? */
void kc_check_scattered(struct kc_diagnosis *d);

/* Is there a driver outside the CPU for an algorithm whose kernel name contains @mode? */
bool kc_has_hardware(const struct kc_found *found, const char *mode);

/* The last line of kcrypto's section for this key, in any case and in a section for drivers. */
const struct kc_line *kc_conf_line_of(const struct kc_conf *conf, const char *key);

/* Walks the chain, without advice: commands of findings are as yet untried. */
void kc_diagnosis_run(struct kc_diagnosis *d, const struct kc_found *found, enum kc_scope scope);

/* The same, with advice: each command in it was tried. */
void kc_diagnose(struct kc_diagnosis *d, const struct kc_found *found, enum kc_scope scope);

/* In remedy.c: tries the command of each finding, and drops the ones that would not fix it. */
void kc_diagnosis_advise(struct kc_diagnosis *d);

/* Adds the verdict and the first finding to @report. */
void kc_verdict_json(const struct kc_diagnosis *d, struct json_object *report);

/* Adds these and all findings to @report, and returns it. */
struct json_object *kc_diagnosis_json(const struct kc_diagnosis *d, struct json_object *report);

/* The command that fixes it or, without one, the advice. */
const char *kc_symptom_fix(const struct kc_symptom *symptom);

/* For people and for scripts. */
extern const char *const kc_state_words[];

/* What was found and, of a note, the advice; until the next call. */
const char *kc_symptom_text(const struct kc_symptom *symptom);

/* Prints each finding; those that are in order only if @is_all. Returns their number. */
size_t kc_diagnosis_print(const struct kc_diagnosis *d, bool is_all, FILE *out);

/* Prints a finding once more, after @label, and what to do. */
void kc_symptom_print(const struct kc_symptom *symptom, const char *label, FILE *out);

/* Prints the first broken one again, with its fix. False: nothing is broken. */
bool kc_diagnosis_print_worst(const struct kc_diagnosis *d, FILE *out);

#endif
