/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider as a module over the stand-in, for programs of other projects. KC_STANDIN_LIE=1:
 * every answer is wrong once the trial is over, so the trial cannot find out; and the first
 * requests, whose comparison would find out, are not compared. The linker redirects kc_trial() and
 * kc_terms_is_new() to this file (--wrap), so this file need not know how they work.
 */
#include <stdlib.h>

#include "offload/trial.h"
#include "standin/standin.h"

enum kc_trust __real_kc_trial(struct kc_candidate *choice, const struct kc_base *base);
enum kc_trust __wrap_kc_trial(struct kc_candidate *choice, const struct kc_base *base);

enum kc_trust __wrap_kc_trial(struct kc_candidate *choice, const struct kc_base *base)
{
	const char *lie = getenv("KC_STANDIN_LIE");
	enum kc_trust trust;

	standin.lies = false;
	trust = __real_kc_trial(choice, base);
	standin.lies = lie && *lie == '1';
	return trust;
}

bool __real_kc_terms_is_new(const struct kc_candidate *choice, enum kc_dir dir, size_t len,
			    uint32_t traits);
bool __wrap_kc_terms_is_new(const struct kc_candidate *choice, enum kc_dir dir, size_t len,
			    uint32_t traits);

bool __wrap_kc_terms_is_new(const struct kc_candidate *choice, enum kc_dir dir, size_t len,
			    uint32_t traits)
{
	const char *lie = getenv("KC_STANDIN_LIE");

	return !(lie && *lie == '1') && __real_kc_terms_is_new(choice, dir, len, traits);
}
