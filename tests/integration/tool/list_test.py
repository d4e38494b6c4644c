#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The output of kcrypto list for people. Over the stand-in, whose drivers are hardware.

usage: list_test.py BUILD
"""

import json
import os
import re
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import STANDIN, STANDIN_TOOL, Case, unwrapped

LONG = "a-driver-with-a-long-name-(as-templates-have)-" + "x" * 17  # 63 characters, the kernel's limit
# No thresholds are measured, so the output does not depend on the clock.
FIXED = ("tune_file = none", "ciphers = AES-128-CBC:0, AES-256-CBC-CTS:1048576, ChaCha20:16384",
         "macs = HMAC-SHA3-512:100")

# States of a machine: lines of the configuration, options, environment, and the end of the output.
STATES = {
    "in use": (FIXED, [], {}, "accelerators' drivers get 4 algorithms, in requests from 0 bytes on; software does the rest"),
    "long names": (FIXED, [], {"KC_STANDIN_DRIVER": LONG}, "accelerators' drivers get 4 algorithms"),
    "long names, unused": (("ciphers = NONE",), [], {"KC_STANDIN_DRIVER": LONG}, "configuration does not list it"),
    "not tried": (FIXED, ["--no-trial"], {}, "4 algorithms would go to drivers that were not tried"),
    "software": (("tune_file = none",), [], {"KC_STANDIN_DRIVER": "cbc-aes-generic", "KC_STANDIN_SOFT": "1"},
                 "software does everything: the kernel lists no accelerator's driver"),
    "software that is asked for": (
        (*FIXED, "soft_drivers = 1"), [], {"KC_STANDIN_DRIVER": "cbc-aes-generic", "KC_STANDIN_SOFT": "1"},
        "the kernel's software does 4 algorithms"),
    "unlisted": (("ciphers = NONE",), [], {}, "the configuration does not list it; add its name to the key"),
    "masked": (("ciphers = NONE",), [], {"KC_STANDIN_HIDES": "1"},
               "although an accelerator's driver has"),
    "liars": (FIXED, [], {"KC_STANDIN_LIES": "1"}, "its driver failed a known-answer test"),
    "no interface": (FIXED, [], {"KC_STANDIN_ABSENT": "1"}, "the kernel lacks this interface"),
    "never": (("policy = never",), [], {}, "the configuration says policy = never"),
    "mistakes": (("ciphers = FROBNICATE, AES-128-CCB, " + "X" * 60, "frob = 1"), [], {}, "although an accelerator's driver has"),
}


class List(Case):
    module = STANDIN

    def text(self, *lines, **env):
        return unwrapped(self.raw(lines, [], env))

    def raw(self, lines, options, env):
        r = subprocess.run([STANDIN_TOOL, "list", *options, "--config", self.cnf(*lines)],
                           env=os.environ | env, capture_output=True, check=False, text=True)
        self.assertEqual(r.returncode, "KC_STANDIN_LIES" in env, r.stderr)
        return r.stdout

    def test_the_report_says_which_digests_may_be_of_any_length(self):
        lines = (*FIXED, "digests = SHA256:0 SHA3-256:0")
        for env, want in ({}, []), ({"KC_STANDIN_BLOCKS": "1"}, ["SHA256"]):
            rows = json.loads(self.raw(lines, ["--all", "--json", "--no-trial"], env))["algorithms"]
            self.assertEqual([r["name"] for r in rows if r["in_blocks"]], want)

    def test_no_line_is_longer_than_80_in_any_state(self):
        for name, (lines, options, env, _) in STATES.items():
            for line in self.raw(lines, options, env).splitlines():
                self.assertLessEqual(len(line), 80, (name, line))

    def test_the_last_sentence_says_what_the_machine_gains(self):
        for name, (lines, options, env, end) in STATES.items():
            last = unwrapped(self.raw(lines, options, env)).splitlines()[-1]
            self.assertTrue(last.startswith("In short: "), (name, last))
            self.assertIn(end, last, name)

    def test_each_algorithm_is_a_row_or_counted_once(self):
        for name, (lines, options, env, _) in STATES.items():
            text = self.raw(lines, options, env)
            rows = json.loads(self.raw(lines, [*options, "--json"], env))["algorithms"]
            table = re.findall(r"^(\S+) +stand-in ", text, re.M)
            self.assertEqual(set(table), {r["name"] for r in rows if r["offered"]}, name)
            counts = [int(n) for n in re.findall(r"^ {1,3}(\d+)  \S", text, re.M)]
            self.assertEqual(len(table) + sum(counts), len(rows), name)

    def test_hardware_that_is_not_used_is_named_and_a_long_list_is_cut(self):
        text = self.raw(*STATES["liars"][:3])
        self.assertIn("\n   4  its driver failed a known-answer test\n"
                      "      accelerators' drivers: AES-128-CBC (standin-device), AES-256-CBC-CTS\n"
                      "        (standin-device), ChaCha20 (standin-device), HMAC-SHA3-512\n"
                      "        (standin-device)\n", text)
        self.assertRegex(self.raw(*STATES["unlisted"][:3]), r"AES-192-CTR\s+\(standin-device\)\s+and\s+\d+\s+more\n")

    def test_rows_that_pay_come_before_those_of_which_nothing_is_known(self):
        text = self.raw(("ciphers = AES-128-CBC, AES-256-CBC:0",), ["--no-trial"], {})
        self.assertRegex(text, r"(?s)\nAES-256-CBC .* 0 +0\nAES-128-CBC .* - +-\n")

    def test_all_shows_every_row_and_json_never_folds(self):
        lines = ("ciphers = AES-128-CBC:0",)
        text = self.raw(lines, ["--no-trial", "--all"], {})
        report = self.raw(lines, ["--no-trial", "--json"], {})
        rows = json.loads(report)["algorithms"]
        self.assertGreater(len(rows), 80)
        listed = re.findall(r"^(\S+) +[\d-]+ +stand-in .* (?:yes|no) +(\S.*)$", text, re.M)
        self.assertEqual(listed, [(r["name"], r["reason_text"] or "-") for r in rows])
        self.assertEqual(report, self.raw(lines, ["--no-trial", "--all", "--json"], {}))
        self.assertIn("\nIn short: ", text)

    def test_a_kernel_without_any_interface_is_told(self):
        text = self.text(KC_STANDIN_ABSENT="1")
        self.assertNotIn("\nALGORITHM", text)
        self.assertIn("the kernel lacks this interface", text)
        self.assertIn("note: nothing goes to the kernel", text)

    def test_a_problem_without_a_word_nearby_ends_there(self):
        line, = (x for x in self.text("ciphers = FROBNICATE").splitlines() if "problem" in x)
        self.assertTrue(line.endswith("this version has no algorithm of this name"), line)
        self.assertIn("nearest known: AES-128-CBC", self.text("ciphers = AES-128-CCB"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
