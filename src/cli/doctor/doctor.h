/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For kcrypto doctor alone. Facts that several links need are collected first, in struct kc_found;
 * then each link of the chain from the application to the driver is judged. Every verdict is a row
 * of faults.def or a reason. kcrypto list and config judge the file in the same way.
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

/* The command after two dashes; all zero if there is none. */
struct kc_program {
	char *const *argv;
	char path[PATH_MAX]; /* "": there is no such program */
	bool is_set_id;
	char libcrypto[PATH_MAX]; /* the one that the dynamic loader gives it; "": none */
	bool is_inside;		  /* a libcrypto is linked into it statically */
	bool is_other;		  /* its libcrypto is another file than this tool's */
	char conf[PATH_MAX];	  /* the file that it reads by default; "": this tool's */
	bool is_node;		  /* it has another name for the line openssl_conf */
	/* after the run */
	struct kc_ended ended;
	const char *problem;	  /* why it was not run, or NULL */
	struct json_object *rows; /* see kc_count_rows() */
};

#define KC_KILLED -1 /* in place of an errno: asking kills the process */

/* A device node. */
struct kc_node {
	const char *path;
	int err; /* errno of opening it; 0: it works; ENOENT: there is none */
	mode_t mode;
	char group[64];
};

struct kc_kernel {
	struct kc_node kcrypto, devcrypto;
	int socket_err, bind_err; /* of AF_ALG: errno or KC_KILLED; 0: none */
};

/* An accelerator without a driver. */
struct kc_device {
	char name[64];	    /* in sysfs */
	const char *module; /* the kernel module for it */
	char how[64];	    /* the kernel option that builds that module */
	char package[64];   /* OpenWrt's package with that module; "": none */
};

#define KC_MAX_DEVICES 8

/* An accelerator with a driver. */
struct kc_bound {
	char name[64], driver[64];
	const char *module;
};

struct kc_found {
	const char *root; /* the directory with proc, sys, dev, etc and lib; "" except in tests */
	struct kc_program program;
	const char *whence; /* who says that programs read this file; NULL: nobody */
	bool is_env;	    /* OPENSSL_CONF says it */
	bool is_named;	    /* by OPENSSL_CONF or --config, which a fix's commands need, too */
	struct kc_conf conf;
	struct kc_listed offers;
	struct kc_kernel kernel;
	const char *key;	     /* a key of the keyring to examine; NULL: none */
	struct json_object *machine; /* from kc_bench_machine() */
	struct kc_device device[KC_MAX_DEVICES];
	size_t n_devices;
	struct kc_bound bound[KC_MAX_DEVICES];
	size_t n_bound;
};

/* Examines the program. Each of these functions fills in its part of @found. */
void kc_found_program(struct kc_found *found);
/* Reads the configuration @file; NULL: the one that the program reads. Records who says so. */
void kc_found_conf(struct kc_found *found, const char *file);
/* Examines AF_ALG and the device nodes. */
void kc_found_kernel(struct kc_found *found);
/* Finds accelerators in sysfs, with and without a driver. */
void kc_found_devices(struct kc_found *found);

/* Returns the place of a value, for a message, until the next call. */
static inline const char *kc_found_place(const struct kc_found *found, const char *section,
					 const char *name)
{
	return kc_cnf_place_of(&found->conf.cnf, section, name);
}

/* Returns a path below the root, formatted like printf, until the next call. */
__attribute__((format(printf, 2, 3))) const char *kc_root_path(const struct kc_found *found,
							       const char *format, ...);

/* Returns the number after @key at the start of a line of the file; -1: there is none. */
int kc_root_number(const struct kc_found *found, const char *path, const char *key);

/* True if there is a directory with the running kernel's modules. */
bool kc_root_has_modules(const struct kc_found *found);

enum kc_loaded { KC_MODULE_ABSENT, KC_MODULE_ON_DISK, KC_MODULE_LOADED };

/* Returns the state of a kernel module, whose name has '_' for '-'. Built in counts as loaded. */
enum kc_loaded kc_root_module(const struct kc_found *found, const char *name);

/*
 * The state of a link: in order, worth knowing, broken, could not be examined, off. Where kcrypto
 * is off although the file mentions it, the state is broken: somebody wanted it on.
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
	/* The command ends the fault; "" if there is none. While untried it is a name in <>. */
	char text[768], command[PATH_MAX + 256], advice[512];
};

#define KC_MAX_FINDINGS 256

struct kc_diagnosis {
	const struct kc_found *found;
	const char *link; /* of the check that runs */
	bool is_spared;	  /* there is another way, so a broken link is only a note */
	bool is_expected; /* the file mentions kcrypto, so it is not off on purpose */
	struct kc_symptom v[KC_MAX_FINDINGS];
	size_t n;
};

/* Adds a finding that all is well. */
__attribute__((format(printf, 2, 3))) void kc_fine(struct kc_diagnosis *d, const char *format, ...);
/* Adds a row of faults.def; @args replace the names in it. Call it by kc_fault(). */
void kc_find(struct kc_diagnosis *d, enum kc_fault fault, const char *const args[KC_FAULT_ARGS]);
#define kc_fault(d, fault, ...)                                                                    \
	kc_find(d, KC_FAULT_##fault, (const char *const[KC_FAULT_ARGS]){ __VA_ARGS__ })
/* Adds a reason of core/reason.h, with its subject. */
void kc_find_reason(struct kc_diagnosis *d, const char *subject, enum kc_reason reason);

/* Returns the first finding of the worst kind; NULL: nothing is broken, but kcrypto may be off. */
const struct kc_symptom *kc_diagnosis_worst(const struct kc_diagnosis *d);

/* Returns the first finding that says why kcrypto is off; NULL: it is not. */
const struct kc_symptom *kc_diagnosis_off(const struct kc_diagnosis *d);

/* Returns "on", "off", "broken" or "unknown". */
const char *kc_diagnosis_verdict(const struct kc_diagnosis *d);

/*
 * Who asks: the doctor, list or config; the latter two leave out some links. config's links need
 * only found.conf.
 */
enum kc_scope { KC_OF_DOCTOR, KC_OF_LIST, KC_OF_FILE };

/* A link of the chain, and the check that judges it. */
struct kc_link {
	const char *name;
	void (*check)(struct kc_diagnosis *d);
	enum kc_scope scope; /* the narrowest one in which it is checked */
};

/* The chain's parts; a link without a name ends each. */
extern const struct kc_link kc_links_to_file[], kc_links_to_module[], kc_links_to_driver[];
extern const struct kc_link kc_results[];

/* True if the module's file can be read; otherwise adds a finding that says why not. */
bool kc_check_module_file(struct kc_diagnosis *d, const char *name);

/*
 * Adds a finding if a driver leaves requests to software that its device does through /dev/kcrypto.
 */
void kc_check_scattered(struct kc_diagnosis *d);

/* True if there is a driver outside the CPU for an algorithm whose kernel name contains @mode. */
bool kc_has_hardware(const struct kc_found *found, const char *mode);

/*
 * Returns the last line of kcrypto's section for this key, in any case, also in a section for
 * drivers.
 */
const struct kc_line *kc_conf_line_of(const struct kc_conf *conf, const char *key);

/* Walks the chain, without advice: the findings' commands are still untried. */
void kc_diagnosis_run(struct kc_diagnosis *d, const struct kc_found *found, enum kc_scope scope);

/* Walks the chain, and tries each command of the advice. */
void kc_diagnose(struct kc_diagnosis *d, const struct kc_found *found, enum kc_scope scope);

/* In remedy.c: tries the command of each finding, and drops those that would not fix it. */
void kc_diagnosis_advise(struct kc_diagnosis *d);

/* Adds the verdict and the first finding to @report. */
void kc_verdict_json(const struct kc_diagnosis *d, struct json_object *report);

/* Adds the verdict and all findings to @report, and returns it. */
struct json_object *kc_diagnosis_json(const struct kc_diagnosis *d, struct json_object *report);

/* Returns the command that fixes it or, if there is none, the advice. */
const char *kc_symptom_fix(const struct kc_symptom *symptom);

/* The words for states, for people and for scripts. */
extern const char *const kc_state_words[];

/* Returns the finding's text and, of a note, the advice; until the next call. */
const char *kc_symptom_text(const struct kc_symptom *symptom);

/* Prints each finding; those that are in order only if @is_all. Returns the number printed. */
size_t kc_diagnosis_print(const struct kc_diagnosis *d, bool is_all, FILE *out);

/* Prints a finding once more, after @label, and what to do about it. */
void kc_symptom_print(const struct kc_symptom *symptom, const char *label, FILE *out);

/* Prints the first broken finding again, with its fix. False: nothing is broken. */
bool kc_diagnosis_print_worst(const struct kc_diagnosis *d, FILE *out);

#endif
