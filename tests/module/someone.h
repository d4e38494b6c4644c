/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of a process of the fuzzer: a user, a namespace, a memory cgroup. */
#ifndef KC_TESTS_MODULE_SOMEONE_H
#define KC_TESTS_MODULE_SOMEONE_H

/* Makes the cgroup. Says so if the kernel has no cgroups. */
void someone_prepare(void);

/* Makes this process root, one of two users, or one of them in a namespace of his own. */
void someone_be(unsigned number);

#endif
