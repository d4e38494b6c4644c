#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong values in openssl.cnf: the tool gives a reason, and a program continues.
unit/policy/config_value_test.c tests every key with every kind of value. Needs no kernel.

usage: configuration_test.py BUILD"""

import os
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import ENC_256, TOOL, Case

RIGHT = {"ciphers": "AES-128-CBC:4096", "digests": "NONE", "macs": "NONE", "soft_drivers": "0",
         "use_softdrivers": "0", "max_request": "32768", "max_sessions": "16", "verify": "1000",
         "driver.AES-128-CBC": "some-driver"}
# A line for each reason.
WRONG = {("ciphers", "\x01\xff\x80"): "unknown-algorithm", ("soft_drivers", "twelve"): "bad-value",
         ("max_request", "-1"): "out-of-range", ("max_sessions", "twelve"): "bad-number",
         ("verify", ""): "empty"}


class Configuration(Case):
    def problems(self, *lines):
        return [(p["key"], p["reason"]) for p in self.listing(*lines)["problems"]]

    def cnf(self, *lines):
        """Lines of bytes: a file can hold anything."""
        path = super().cnf()
        with open(path, "ab") as f:
            f.write("".join(line + "\n" for line in lines).encode("latin-1"))
        return path

    def goes_on(self, *lines):
        """The program makes the same bytes as without kcrypto, and prints nothing."""
        data = os.urandom(70_000)
        want = self.run_(ENC_256, None, data).stdout
        r = self.run_(ENC_256, self.cnf(*lines), data)
        self.assertEqual((r.stdout, r.stderr), (want, b""))

    def test_right_values_and_none_at_all_are_no_problem(self):
        self.assertEqual(self.problems(), [])
        for key, right in RIGHT.items():
            for spelling in (key, key.upper() if "." not in key else key.lower()):
                self.assertEqual(self.problems(f"{spelling} = {right}"), [])
        self.goes_on(*(f"{key} = {right}" for key, right in RIGHT.items()))

    def test_each_wrong_value_has_its_reason_and_the_program_goes_on(self):
        lines = [f"{key} = {value}" for key, value in WRONG]
        self.assertEqual(self.problems(*lines), [(key, reason) for (key, _), reason in WRONG.items()])
        self.goes_on(*lines)

    def test_the_last_of_two_lines_counts(self):
        for (key, value), reason in WRONG.items():
            right, wrong = f"{key} = {RIGHT[key]}", f"{key} = {value}"
            self.assertEqual(self.problems(right, wrong), [(key, reason)])
            self.assertEqual(self.problems(wrong, right), [])

    def test_an_unknown_key_is_named_with_the_one_that_was_meant(self):
        lines = [key[:-1] + "x = 1" for key in RIGHT]
        problems = self.listing(*lines)["problems"]
        self.assertEqual([(p["reason"], p["nearest"]) for p in problems], [("unknown-key", key) for key in RIGHT])
        self.goes_on(*lines)

    def test_a_file_with_nothing_in_it_is_as_good_as_none(self):
        for text in ("", "\n", "# nothing\n"):
            path = self.write("nothing.cnf", text)
            for command in ("list", "list --json", "selftest", "tune --dry-run", "config check"):
                r = self.run_([TOOL, *command.split(), "--config", path], ok=False)
                self.assertGreaterEqual(r.returncode, 0, command)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
