/* SPDX-License-Identifier: Apache-2.0 */
/* The sentence at the end of kcrypto list claims no more than is known. */
#include "unit/check.h"

#include <string.h>

#include "cli/list/offers.h"

static struct kc_policy policy;
static struct kc_candidate candidates[4];

/* What is known of an algorithm, row by row. */
struct state {
	enum kc_nature nature;
	enum kc_reason reason;
	enum kc_trust trust;
	bool is_fixed, is_tuned;
	enum kc_doer seen;
	size_t encrypt, decrypt;
};

#define USED(nature, trust) nature, KC_OK, trust
#define FIXED		    .is_fixed = true, .decrypt = SIZE_MAX
#define SEEN		    .seen = KC_DONE_BY_DEVICE

static const struct {
	struct state state[4]; /* KC_UNKNOWN and KC_OK: the kernel has no driver */
	const char *want;
} cases[] = {
	{ { { KC_SOFTWARE, KC_ONLY_SOFTWARE }, { KC_UNKNOWN, KC_NATURE_UNKNOWN } },
	  "software does everything: the kernel lists no accelerator's driver" },
	/* A device that was not seen at work is not said to work. */
	{ { { USED(KC_HARDWARE, KC_TRUSTED), .encrypt = 4096, .decrypt = SIZE_MAX, SEEN },
	    { USED(KC_HARDWARE, KC_TRUSTED), .encrypt = 8192, .decrypt = SIZE_MAX } },
	  "accelerators' drivers get 2 algorithms, in requests from 4096 bytes on; software does the "
	  "rest" },
	{ { { USED(KC_HARDWARE, KC_TRUSTED), .encrypt = 4096, .decrypt = SIZE_MAX, SEEN },
	    { USED(KC_HARDWARE, KC_TRUSTED), .encrypt = 8192, .decrypt = SIZE_MAX, SEEN } },
	  "an accelerator does 2 algorithms, in requests from 4096 bytes on; software does the rest" },
	{ { { USED(KC_HARDWARE, KC_TRUSTED), .encrypt = 4096, .decrypt = SIZE_MAX, SEEN },
	    { USED(KC_HARDWARE, KC_PROVEN), .is_tuned = true, .encrypt = 512, .decrypt = SIZE_MAX,
	      .seen = KC_DONE_BY_POLLING },
	    { USED(KC_HARDWARE, KC_UNTRIED), .encrypt = SIZE_MAX, .decrypt = SIZE_MAX } },
	  "an accelerator does 2 algorithms, in requests from 512 bytes on; 1 algorithm would go to "
	  "drivers that were not tried; software does the rest" },
	/* The direction with the lower threshold counts. */
	{ { { USED(KC_HARDWARE, KC_TRUSTED), .encrypt = SIZE_MAX, .decrypt = 1024, SEEN } },
	  "an accelerator does 1 algorithm, in requests from 1024 bytes on; software does the rest" },
	/* A driver that was not tried may be anything. */
	{ { { USED(KC_HARDWARE, KC_UNTRIED), FIXED, .encrypt = 4096 } },
	  "1 algorithm would go to drivers that were not tried; software does the rest" },
	{ { { USED(KC_SOFTWARE, KC_TRUSTED), FIXED } },
	  "the kernel's software does 1 algorithm, in requests from 0 bytes on; software does the "
	  "rest" },
	{ { { USED(KC_SOFTWARE, KC_TRUSTED), FIXED }, { USED(KC_UNKNOWN, KC_TRUSTED), FIXED } },
	  "the kernel does 2 algorithms, in requests from 0 bytes on; software does the rest" },
	/*
	 * Hardware that is not used: one left out on purpose has the lowest rank, a policy the
	 * highest.
	 */
	{ { { KC_HARDWARE, KC_ONLY_BY_NAME }, { KC_HARDWARE, KC_SLOWER } },
	  "software does everything, although an accelerator's driver has AES-192-CBC: its driver is slower "
	  "than software at every size" },
	{ { { KC_SOFTWARE, KC_SLOWER }, { KC_HARDWARE, KC_ONLY_BY_NAME } },
	  "software does everything, although an accelerator's driver has AES-192-CBC: this backend does a "
	  "digest or MAC only if it is listed by name; /dev/crypto may crash the kernel with them; "
	  "read the warning at the key digests" },
	{ { { KC_HARDWARE, KC_NOT_REACHED }, { KC_HARDWARE, KC_NEVER } },
	  "software does everything, although an accelerator's driver has AES-192-CBC: the configuration says "
	  "policy = never; to use the kernel, remove the key policy" },
	{ { { KC_UNKNOWN, KC_IN_FILTER } },
	  "software does everything: the process runs, or may run, under a seccomp filter that "
	  "could kill it; if the filter allows what kcrypto does, or refuses it with an error, set "
	  "seccomp = trust" },
};

static void take(struct kc_candidate *c, const struct state *state)
{
	bool is_there = state->nature != KC_UNKNOWN || state->reason != KC_OK || state->is_fixed;

	c->reason = is_there ? state->reason : KC_NO_DRIVER;
	c->is_offered = is_there && state->reason == KC_OK;
	c->nature = state->nature;
	c->seen = state->seen;
	c->terms.is_fixed = state->is_fixed;
	c->terms.is_tuned = state->is_tuned;
	atomic_store(&c->trust, state->trust);
	atomic_store(&c->terms.threshold[KC_ENCRYPT], state->encrypt);
	atomic_store(&c->terms.threshold[KC_DECRYPT], state->decrypt);
}

TEST(the_sentence_claims_what_is_known_and_names_the_reason_that_tells_most)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text;

		for (size_t k = 0; k < COUNT(candidates); k++) {
			candidates[k] = (struct kc_candidate){ .alg = &kc_algs[k] };
			strcpy(candidates[k].driver, "cbc-aes-x");
			take(&candidates[k], &cases[i].state[k]);
			policy.row[k] = &candidates[k];
		}
		text = kc_summary(&policy);
		assert_string_equal(text, cases[i].want);
		free(text);
	}
}

TEST(only_what_was_seen_at_work_is_called_hardware)
{
	static const struct {
		enum kc_nature nature;
		enum kc_doer by;
		const char *word;
	} claims[] = { { KC_HARDWARE, KC_DONE_UNTOLD, "hardware?" },
		       { KC_HARDWARE, KC_DONE_UNKNOWN, "hardware?" },
		       { KC_HARDWARE, KC_DONE_BY_DEVICE, "hardware" },
		       { KC_HARDWARE, KC_DONE_BY_POLLING, "hardware" },
		       { KC_HARDWARE, KC_DONE_BY_SOFTWARE, "software" },
		       { KC_SOFTWARE, KC_DONE_BY_POLLING, "software" },
		       { KC_UNKNOWN, KC_DONE_BY_DEVICE, "unknown" } };

	for (size_t i = 0; i < COUNT(claims); i++)
		assert_string_equal(kc_claim_word(claims[i].nature, claims[i].by), claims[i].word);
}

TEST(each_reason_and_its_advice_are_whole)
{
	for (enum kc_reason r = KC_OK + 1; r < KC_REASON_COUNT; r++) {
		const char *end = kc_reasons[r].advice ? kc_reasons[r].advice : kc_reasons[r].text;
		char *text;

		memset(&policy, 0, sizeof(policy));
		policy.row[0] = &candidates[0];
		take(&candidates[0], &(struct state){ KC_HARDWARE, r });
		text = kc_summary(&policy);
		assert_string_equal(text + strlen(text) - strlen(end), end);
		free(text);
	}
}
