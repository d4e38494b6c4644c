/* SPDX-License-Identifier: Apache-2.0 */
/* What the examiner found, line by line in the Test Anything Protocol, or as JSON. */
#ifndef KC_CLI_SELFTEST_REPORT_H
#define KC_CLI_SELFTEST_REPORT_H

#include "cli/selftest/exam.h"

void kc_report_begin(const struct kc_examination *all);

/* One line. */
void kc_report_finding(const struct kc_examination *all, size_t check, size_t subject);

/* A line without a driver, "kTLS 1.2", and what was found. */
void kc_report_other(const char *what, enum kc_ruling ruling, const char *text);

/* The kernel's log, the plan, and of one driver its speed and the conclusion. */
void kc_report_end(const struct kc_examination *all);

void kc_report_json(const struct kc_examination *all);

bool kc_report_is_bad(const struct kc_examination *all);
bool kc_report_is_good(const struct kc_examination *all);

#endif
