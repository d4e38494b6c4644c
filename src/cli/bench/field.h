/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contenders of a comparison: library contexts of this process, each with its own
 * configuration.
 */
#ifndef KC_CLI_BENCH_FIELD_H
#define KC_CLI_BENCH_FIELD_H

#include "cli/bench/compare.h"

struct kc_field {
	struct kc_contender contender[KC_MAX_CONTENDERS];
	size_t n;
	bool trusts_seccomp; /* backends do, for the whole process */
};

/*
 * Names the module's file for all fields of this process; it has to stay. Where it has no path,
 * OpenSSL looks in its own directory.
 */
void kc_field_set_module(const char *module);

/* Each adds one, and is false where that can't be had; a field that is full stays as it is. */
bool kc_field_add_software(struct kc_field *field);
/*
 * Every request of @alg through @backend, whatever its length. @driver: through this one, or "" for
 * any.
 */
bool kc_field_add_backend(struct kc_field *field, const struct kc_alg *alg, const char *backend,
			  const char *driver);
/* Like programs that read the openssl.cnf @file. */
bool kc_field_add_file(struct kc_field *field, const char *file);

/* Frees the contexts. A zeroed field is empty. */
void kc_field_clear(struct kc_field *field);

#endif
