/* SPDX-License-Identifier: Apache-2.0 */
/* Finds algorithms that the kernel cannot have, without loading anything. */
#ifndef KC_DISCOVERY_MODULES_H
#define KC_DISCOVERY_MODULES_H

#include "core/alg.h"

/*
 * Marks the rows whose cipher or hash is neither registered in the kernel nor provided by a module
 * that it could load. Marks none if that can't be told, as in containers and on systems without
 * depmod's files.
 */
void kc_modules_find_absent(bool is_absent[KC_ALG_COUNT]);

/* Since Linux 6.5 the pages of a request are pinned, and fork copies pinned pages for the child. */
bool kc_kernel_pins_pages(void);

#endif
