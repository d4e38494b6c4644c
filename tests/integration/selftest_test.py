#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto selftest: every driver of this machine, and the kernel's TLS. That one that lies is found
is in accel_test.py.

usage: selftest_test.py BUILD MACHINE
"""

import re
import subprocess
import sys
import unittest

from case import TOOL, Case
from machine import ADMIT, MACHINE
from tap import selftest

HAS_KERNEL = MACHINE != "host"
NAMES = {"AES-128-CBC", "AES-192-CBC", "AES-256-CBC"}


class Selftest(Case):
    def test_nothing_to_offer_is_skipped_with_a_reason(self):
        (ok, what), *_ = selftest(self, self.cnf("ciphers = NONE"))
        self.assertTrue(ok)
        self.assertIn("# SKIP nothing goes to the kernel", what)

    def test_a_mistyped_number_is_refused(self):
        for word in ("0", "-1", "x", "1x", ""):
            r = subprocess.run([TOOL, "selftest", "--rounds", word], capture_output=True)
            self.assertEqual(r.returncode, 2, word)

    def test_every_driver_answers_right_and_gets_requests(self):
        lines = selftest(self, self.cnf(*ADMIT), "--all", "--rounds", "300")
        self.assertEqual([what for ok, what in lines if not ok], [])
        tried = {what.split(" by ")[0] for _, what in lines if "known answers" in what and "# SKIP" not in what}
        requests = {what.split(" by ")[0]: int(n.group(1)) for _, what in lines
                    if (n := re.search(r"(\d+) requests to the kernel", what))}
        self.assertEqual(tried, set(requests))
        self.assertGreaterEqual(tried, NAMES if HAS_KERNEL else set())
        self.assertNotIn(0, requests.values())

    def test_the_kernels_tls_is_right(self):
        if HAS_KERNEL:
            subprocess.run(["modprobe", "tls"], check=True)
        lines = selftest(self, self.cnf("ciphers = NONE"))[1:]
        self.assertEqual([ok for ok, _ in lines], [True, True])
        if HAS_KERNEL:
            self.assertEqual([what for _, what in lines],
                             [f"kTLS 1.{n} with AES-128-GCM: known records" for n in (2, 3)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
