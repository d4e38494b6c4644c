#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every key with every kind of wrong value, through openssl.cnf: the tool gives a reason, and a
program goes on. Needs no kernel: wrong values are the same everywhere.

usage: configuration_test.py BUILD
"""

import os
import sys
import unittest

from case import ENC_256, Case

# What becomes of each kind of value; None: nothing is wrong with it.
SIZE = {"": "empty", "-1": "out-of-range", "99999999999999999999": "out-of-range",
        "twelve": "bad-number", "\x01\xff\x80": "bad-number"}
WORD = {value: reason and "bad-value" for value, reason in SIZE.items()} | {"": "empty"}
KEYS = {
    "ciphers": ("AES-128-CBC:4096", WORD | {v: "unknown-algorithm" for v in SIZE if v}),
    "digests": ("NONE", WORD | {v: "unknown-algorithm" for v in SIZE if v}),
    "macs": ("NONE", WORD | {v: "unknown-algorithm" for v in SIZE if v}),
    "soft_drivers": ("0", WORD),
    "use_softdrivers": ("0", WORD),
    "max_request": ("32768", SIZE),
    "max_sessions": ("16", SIZE),
    "verify": ("1000", SIZE),
    # Whether there is such a driver the kernel says, not the configuration.
    "driver.AES-128-CBC": ("some-driver", {v: None for v in SIZE} | {"": "empty"}),
}


class Configuration(Case):
    def problems(self, *lines):
        return [(p["key"], p["reason"]) for p in self.listing(*lines)["problems"]]

    def cnf(self, *lines):
        """As bytes: a file can hold anything."""
        path = super().cnf()
        with open(path, "ab") as f:
            f.write("".join(line + "\n" for line in lines).encode("latin-1"))
        return path

    def goes_on(self, *lines):
        """The same bytes as without us, and not a word."""
        r = self.run_(ENC_256, self.cnf(*lines), self.data)
        self.assertEqual((r.stdout, r.stderr), (self.want, b""))

    def setUp(self):
        super().setUp()
        self.data = os.urandom(70_000)
        self.want = self.run_(ENC_256, None, self.data).stdout

    def test_a_right_value_and_none_at_all_are_no_problem(self):
        self.assertEqual(self.problems(), [])
        for key, (right, _) in KEYS.items():
            for spelling in (key, key.upper() if "." not in key else key.lower()):
                with self.subTest(line=f"{spelling} = {right}"):
                    self.assertEqual(self.problems(f"{spelling} = {right}"), [])
        self.goes_on(*(f"{key} = {right}" for key, (right, _) in KEYS.items()))

    def test_every_wrong_value_has_its_reason_and_the_program_goes_on(self):
        for key, (right, kinds) in KEYS.items():
            for value, reason in kinds.items():
                said = [(key, reason)] if reason else []
                with self.subTest(key=key, value=value):
                    self.assertEqual(self.problems(f"{key} = {value}"), said)
                    self.goes_on(f"{key} = {value}")
                # OpenSSL keeps the last of two lines.
                with self.subTest(key=key, value=value, twice=True):
                    self.assertEqual(self.problems(f"{key} = {right}", f"{key} = {value}"), said)
                    self.assertEqual(self.problems(f"{key} = {value}", f"{key} = {right}"), [])

    def test_an_unknown_key_is_named_with_the_one_that_was_meant(self):
        for key in KEYS:
            line = key[:-1] + "x = 1"
            with self.subTest(line=line):
                problem, = self.listing(line)["problems"]
                self.assertEqual((problem["reason"], problem["nearest"]), ("unknown-key", key))
                self.goes_on(line)

    def test_all_that_is_wrong_at_once_is_listed(self):
        lines = [f"{key} = {value}" for key, (_, kinds) in KEYS.items()
                 for value, reason in list(kinds.items())[1:2] if reason]
        self.assertEqual(len(self.problems(*lines)), len(lines))
        self.goes_on(*lines)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
