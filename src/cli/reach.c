/* SPDX-License-Identifier: Apache-2.0 */
/* A child loads the configuration: the file may name any module, and one may crash or hang. */
#include "cli/reach.h"

#include <stdlib.h>

#include <openssl/conf.h>
#include <openssl/objects.h>

#include "request/whole_blocks.h"

/* The flags with which OpenSSL loads the file automatically. */
#define AS_PROGRAMS_DO                                                                             \
	(CONF_MFLAGS_DEFAULT_SECTION | CONF_MFLAGS_IGNORE_MISSING_FILE |                           \
	 CONF_MFLAGS_IGNORE_RETURN_CODES)

struct question {
	struct kc_reach reach;
	const struct kc_conf *conf;
	const char *file;
};

int kc_nid_of(const struct kc_alg *alg)
{
	const char *names = alg->names;
	char name[KC_ALG_NAME_SIZE];
	int nid = NID_undef;

	if (alg->kind != KC_DIGEST && !kc_blocks_fits(alg))
		return nid;
	while (nid == NID_undef && kc_name_next(&names, name))
		nid = OBJ_txt2nid(name);
	return nid;
}

static void load(void *data)
{
	struct question *q = data;

	unsetenv("KCRYPTO_STATS");
	OPENSSL_load_builtin_modules();
	if (kc_reach_load_engines)
		kc_reach_load_engines();
	q->reach.is_told = q->reach.has_rest = true;
	q->reach.starts = CONF_modules_load_file(q->file, NULL, AS_PROGRAMS_DO) > 0;
	if (q->reach.starts && kc_reach_by_provider)
		kc_reach_by_provider(&q->reach, q->conf, q->file);
	if (q->reach.starts && kc_reach_by_engine)
		kc_reach_by_engine(&q->reach, q->conf);
}

void kc_reach_ask(struct kc_reach *reach, const struct kc_conf *conf, const char *file)
{
	struct question q = { .conf = conf, .file = file };
	struct kc_child child;

	kc_child_ask(&child, load, &q, sizeof(q), KC_CHILD_SECONDS);
	*reach = q.reach;
	kc_child_why(&child, reach->why);
}
