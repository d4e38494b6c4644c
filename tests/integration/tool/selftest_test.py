#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto selftest: every driver of this machine, and the kernel's TLS. accel_test.py shows that a driver
that lies is found.

usage: selftest_test.py BUILD MACHINE"""

import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import TOOL, Case
from examined import asked
from machine import ADMIT

NAMES = {"AES-128-CBC", "AES-192-CBC", "AES-256-CBC"}


class Selftest(Case):
    def checks(self, cnf, *options):
        code, page = asked(self, TOOL, "--config", cnf, *options)
        self.assertEqual((code, {c["ruling"] for c in page["checks"]} - {"right", "not asked"}),
                         (0, set()), page)
        return page["checks"]

    def test_nothing_to_offer_is_skipped_with_a_reason(self):
        first = self.checks(self.cnf("ciphers = NONE"))[0]
        self.assertEqual(first["ruling"], "not asked")
        self.assertIn("nothing goes to the kernel", first["text"])

    def test_every_driver_answers_right_and_gets_requests(self):
        checks = self.checks(self.cnf(*ADMIT), "--all", "--rounds", "300")
        asked_ones = [c for c in checks if c["algorithm"] and c["ruling"] == "right"]
        tried = {c["algorithm"] for c in asked_ones if c["check"] == "known answers"}
        self.assertEqual(tried, {c["algorithm"] for c in asked_ones if c["requests"]})
        self.assertGreaterEqual(tried, NAMES)
        self.assertNotIn(0, [c["requests"] for c in asked_ones])

    def test_the_kernels_tls_is_right(self):
        subprocess.run(["modprobe", "tls"], check=True)
        checks = self.checks(self.cnf("ciphers = NONE"))[1:]
        self.assertEqual([c["check"] for c in checks],
                         [f"kTLS 1.{n} with AES-128-GCM: known records" for n in (2, 3)])
        self.assertEqual({c["ruling"] for c in checks}, {"right"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
