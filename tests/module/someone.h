/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a process of the fuzzer's plays: a user, a namespace, a memory cgroup. */
#ifndef KC_TESTS_MODULE_SOMEONE_H
#define KC_TESTS_MODULE_SOMEONE_H

/* Makes the cgroup. Says so where the kernel has none. */
void someone_prepare(void);

/* Makes this process root, one of two users, or one of them in a namespace of his own. */
void someone_be(unsigned number);

#endif
