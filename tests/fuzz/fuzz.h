/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share. A target aborts on any error, and libFuzzer keeps the input. */
#ifndef KC_TESTS_FUZZ_H
#define KC_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Called by libFuzzer. The second one is in seeds.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Implemented by each target: calls seed() with initial inputs. */
void write_seeds(void);
void seed(const char *name, const void *bytes, size_t len);

#endif
