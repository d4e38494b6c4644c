/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's ASYNC_JOB, for the core. */
#ifndef KC_BASE_JOBS_H
#define KC_BASE_JOBS_H

/* To call at load. */
void kc_base_use_jobs(void);

#endif
