/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous jobs: a call of the application's that may be left while a request is in flight, and
 * is taken up again later. OpenSSL's ASYNC_JOB is one; this is all that the core knows of it.
 *
 * While a job pauses, its thread runs other jobs and anything else of the application's. So nothing
 * is held across a pause: no lock, no buffer that the context does not own, no state of the thread.
 * A job may never be resumed: nothing but the context's end follows then.
 */
#ifndef KC_SESSION_JOBS_H
#define KC_SESSION_JOBS_H

#include <stdbool.h>

/* Does this thread run a job that can pause? Of src/base, like the next. */
bool kc_job_can_pause(void);

/*
 * Pauses it until the application resumes it, which should be when @fd is readable, and may be
 * earlier. False: it could not pause, and has to wait here.
 */
bool kc_job_pause(int fd);

#endif
