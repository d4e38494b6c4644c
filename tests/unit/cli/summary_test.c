/* SPDX-License-Identifier: Apache-2.0 */
/* The sentence at the end of kcrypto list says no more than is known. */
#include "unit/check.h"

#include <string.h>

#include "cli/list/offers.h"

static struct kc_policy policy;
static struct kc_candidate candidates[4];

static void begin(void)
{
	memset(&policy, 0, sizeof(policy));
	memset(candidates, 0, sizeof(candidates));
	for (size_t i = 0; i < COUNT(candidates); i++) {
		candidates[i] = (struct kc_candidate){ .alg = &kc_algs[i], .reason = KC_NO_DRIVER };
		atomic_store(&candidates[i].terms.threshold[KC_ENCRYPT], SIZE_MAX);
		atomic_store(&candidates[i].terms.threshold[KC_DECRYPT], SIZE_MAX);
		policy.row[i] = &candidates[i];
	}
}

const struct suite suite = { .before_each = begin };

static struct kc_candidate *found(size_t i, enum kc_nature nature, enum kc_reason reason)
{
	candidates[i].nature = nature;
	candidates[i].reason = reason;
	strcpy(candidates[i].driver, "cbc-aes-x");
	return &candidates[i];
}

static struct kc_candidate *used(size_t i, enum kc_nature nature, enum kc_trust trust, size_t from)
{
	struct kc_candidate *c = found(i, nature, KC_OK);

	c->is_offered = true;
	atomic_store(&c->trust, trust);
	atomic_store(&c->terms.threshold[KC_ENCRYPT], from);
	return c;
}

static void expect(const char *want, bool is_hidden)
{
	char text[KC_SUMMARY_SIZE];

	kc_summarize(text, &policy, is_hidden);
	assert_string_equal(text, want);
}

TEST(a_machine_without_an_accelerator_is_told_so)
{
	found(1, KC_SOFTWARE, KC_ONLY_SOFTWARE);
	found(2, KC_UNKNOWN, KC_NATURE_UNKNOWN);
	expect("software does everything: the kernel lists no accelerator's driver", false);
}

TEST(a_gain_is_claimed_only_where_it_was_measured)
{
	used(0, KC_HARDWARE, KC_TRUSTED, 4096);
	used(1, KC_HARDWARE, KC_TRUSTED, 8192);
	expect("an accelerator does 2 algorithms, in requests from 4096 bytes on, as "
	       "measured just now; software does the rest",
	       false);
	used(1, KC_HARDWARE, KC_PROVEN, 512)->terms.is_tuned = true;
	used(2, KC_HARDWARE, KC_TRUSTED, 0)->terms.is_fixed = true;
	used(3, KC_HARDWARE, KC_UNTRIED, SIZE_MAX);
	expect("an accelerator does 1 algorithm, in requests from 4096 bytes on, as measured "
	       "just now; an accelerator does 1 algorithm, in requests from 512 bytes on, as "
	       "kcrypto tune measured; an accelerator does 1 algorithm, in requests from 0 bytes on, "
	       "as configured (kcrypto bench measures the gain); 1 algorithm would go to drivers that "
	       "were not tried; software does the rest",
	       false);
}

TEST(the_shorter_direction_counts)
{
	atomic_store(&used(0, KC_HARDWARE, KC_TRUSTED, SIZE_MAX)->terms.threshold[KC_DECRYPT],
		     1024);
	expect("an accelerator does 1 algorithm, in requests from 1024 bytes on, as measured "
	       "just now; software does the rest",
	       false);
}

TEST(a_driver_that_was_not_tried_is_not_called_an_accelerators)
{
	used(0, KC_HARDWARE, KC_UNTRIED, 4096)->terms.is_fixed = true;
	expect("1 algorithm would go to drivers that were not tried; software does the rest",
	       false);
}

TEST(only_hardware_is_called_an_accelerator)
{
	used(0, KC_SOFTWARE, KC_TRUSTED, 0)->terms.is_fixed = true;
	expect("the kernel's software does 1 algorithm, in requests from 0 bytes on, as configured "
	       "(kcrypto bench measures the gain); software does the rest",
	       false);
	used(1, KC_UNKNOWN, KC_TRUSTED, 0)->terms.is_fixed = true;
	expect("the kernel does 2 algorithms, in requests from 0 bytes on, as configured (kcrypto "
	       "bench measures the gain); software does the rest",
	       false);
}

TEST(hardware_that_is_not_used_is_told)
{
	found(0, KC_HARDWARE, KC_NOT_REACHED);
	expect("there is an accelerator for 1 algorithm, but programs do not use it; kcrypto doctor "
	       "names the first thing to fix",
	       false);
	found(0, KC_HARDWARE, KC_HARDWARE_HIDDEN);
	expect("there is an accelerator for 1 algorithm, but AF_ALG does not reach it on this kernel; "
	       "kcrypto's kernel module does",
	       true);
	found(0, KC_HARDWARE, KC_ONLY_BY_NAME);
	expect("software does everything: the accelerator has only algorithms that must be named in "
	       "the configuration",
	       false);
}

TEST(a_filter_is_named_with_what_to_do)
{
	found(0, KC_UNKNOWN, KC_IN_FILTER);
	expect("software does everything, because kcrypto runs under a seccomp filter that may kill; "
	       "if it does not, set seccomp = trust",
	       false);
}

TEST(an_accelerator_that_is_slower_is_no_gain)
{
	found(0, KC_HARDWARE, KC_SLOWER);
	expect("software is faster than an accelerator at every size, and does everything", false);
}

TEST(an_administrator_who_wants_none_is_told_no_more)
{
	found(0, KC_HARDWARE, KC_NEVER);
	expect("software does everything, because the configuration has policy = never", false);
}

/* Each part of the sentence at its longest. */
TEST(the_longest_sentence_fits)
{
	char text[KC_SUMMARY_SIZE];

	used(0, KC_SOFTWARE, KC_TRUSTED, SIZE_MAX - 1)->terms.is_fixed = true;
	used(1, KC_SOFTWARE, KC_PROVEN, SIZE_MAX - 1)->terms.is_tuned = true;
	used(2, KC_SOFTWARE, KC_TRUSTED, SIZE_MAX - 1);
	used(3, KC_SOFTWARE, KC_UNTRIED, SIZE_MAX - 1);
	kc_summarize(text, &policy, false);
	assert_non_null(strstr(text, "; software does the rest"));
	assert_in_range(strlen(text), 1, KC_SUMMARY_SIZE - 32);
}
