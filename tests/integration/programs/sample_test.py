#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto list and DUMP_INFO work with a third backend in the list, too.

usage: sample_test.py BUILD"""

import json
import os
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import BUILD, Case

SAMPLE_TOOL = os.path.join(BUILD, "tests/kcrypto-tool-sample")


class Third(Case):
    module = os.path.join(BUILD, "tests/kcrypto-sample.so")

    def list(self, *options_and_lines):
        options = [o for o in options_and_lines if o.startswith("--")]
        lines = [line for line in options_and_lines if line not in options]
        path = self.cnf("ciphers = AES-128-CBC:0 AES-192-CBC:0 AES-256-CBC:0", *lines)
        return subprocess.run([SAMPLE_TOOL, "list", *options, "--config", path],
                              capture_output=True, check=True, text=True).stdout

    def test_it_is_listed_with_its_rows(self):
        got = json.loads(self.list("--json"))
        self.assertEqual(got["backends"], ["stand-in", "other", "sample"])
        rows = [(r["name"], r["driver"], r["offered"]) for r in got["algorithms"]
                if r["backend"] == "sample" and r["driver"]]
        for bits in 128, 192, 256:
            self.assertIn((f"AES-{bits}-CBC", "sample-cbc", True), rows)

    def test_it_is_in_the_text_of_dump_info(self):
        text = self.list("--engine-format")
        self.assertIn("supported by the sample engine", text)
        self.assertRegex(text, r"AES-256-CBC, NID=\d+, sample info: .*driver=sample-cbc \(hw acc")

    def test_the_configuration_names_it_alone_or_among_others(self):
        for value, want in (("sample", "sample"), ("sample, auto", "sample"),
                            ("other sample", "sample"), ("auto", "stand-in")):
            got = json.loads(self.list("--json", "backends = " + value))
            self.assertEqual(got["problems"], [])
            first = next(r for r in got["algorithms"] if r["name"] == "AES-256-CBC")
            self.assertEqual(first["backend"], want, value)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
