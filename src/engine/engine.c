/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's users: the first one opens everything, and the last one closes it. */
#include "engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/method.h"
#include "core/quiet.h"
#include "engine/decision.h"
#include "session/buffers.h"
#include "stats/stats.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the following */
static const struct kc_id *id_now;
static unsigned users;

/* A NUL ends each argument of a process. */
bool kc_engine_is_asked(void)
{
	char args[256] = "";
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t n = file ? fread(args, 1, sizeof(args) - 1, file) : 0, first = strlen(args);

	if (file)
		fclose(file);
	return first >= 7 && strcmp(args + first - 7, "openssl") == 0 && first + 1 < n &&
	       strcmp(args + first + 1, "engine") == 0;
}

/* Called under the lock, like the next. */
static void begin(const struct kc_id *id)
{
	id_now = id;
	kc_policy_loaded(true); /* a later command may say so */
	kc_stats_open();
	kc_method_open();
	kc_decision_begin(id);
	kc_engine_make_ciphers();
	kc_engine_make_digests();
}

static void end(void)
{
	kc_engine_free_ciphers();
	kc_engine_free_digests();
	kc_decision_end();
	kc_method_close();
	kc_stats_close();
	kc_buffer_free();
	kc_policy_unloaded();
}

int kc_engine_open(const struct kc_id *id)
{
	KC_QUIETLY;
	int err = 0;

	pthread_mutex_lock(&lock);
	if (users && id != id_now)
		err = -EBUSY;
	else if (users++ == 0)
		begin(id);
	pthread_mutex_unlock(&lock);
	return err;
}

void kc_engine_close(void)
{
	pthread_mutex_lock(&lock);
	if (--users == 0)
		end();
	pthread_mutex_unlock(&lock);
}
