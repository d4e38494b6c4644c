#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Commands keep to their time where the device is slow: the first row takes longer than the command has,
whatever the machine's speed, and the output names what was left out. Uses the stand-in.

usage: slow_test.py BUILD"""

import json
import os
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import STANDIN, STANDIN_TOOL, Case


class Slow(Case):
    module = STANDIN

    def ask(self, kbps, *words):
        r = subprocess.run([STANDIN_TOOL, *words, "--json"], stdout=subprocess.PIPE, check=True, env=os.environ | {
            "OPENSSL_CONF": self.cnf("ciphers = AES-128-CBC, AES-256-CBC"), "KC_STANDIN_KBPS": str(kbps)})
        return json.loads(r.stdout)

    def test_list_begins_no_trial_when_its_time_is_up(self):
        page = self.ask(60, "list", "--seconds", "1")
        rows = {row["name"]: (row["tried"], row["reason"]) for row in page["algorithms"]}
        self.assertEqual(rows["AES-128-CBC"], (True, "slower"))
        self.assertEqual(rows["AES-256-CBC"], (False, "ok"))
        self.assertIn("rows not tried because the time was up: 1; --seconds gives more", page["notes"])

    def test_selftest_begins_no_check_when_its_time_is_up(self):
        first, *others = self.ask(5, "selftest", "--limit", "1", "standin-device")["checks"]
        self.assertEqual((first["check"], first["ruling"]), ("known answers", "right"))
        self.assertGreater(first["left_out"], 0)
        del others[-1]  # the kernel's log
        self.assertGreater(len(others), 100)
        self.assertEqual({(c["ruling"], c["text"]) for c in others if c["text"].startswith("the time")},
                         {("not asked", "the time was up")})
        self.assertEqual(sum(c["asked"] for c in others), 0)

    def test_bench_measures_no_row_when_its_time_is_up(self):
        rows = self.ask(8, "bench", "--seconds", "1", "--sizes", "16384")["rows"]
        self.assertEqual({row["algorithm"] for row in rows if row["mb_per_s"]}, {"AES-128-CBC"})
        self.assertEqual({row["why"] for row in rows if row["algorithm"] == "AES-256-CBC"},
                         {"the time was up; --seconds gives more"})

    def test_bench_begins_no_request_that_would_end_too_late(self):
        rows = self.ask(60, "bench", "--seconds", "2", "--algorithms", "AES-128-CBC", "--sizes",
                        "1024,8192,1048576")["rows"]
        rows = {row["size"]: row for row in rows if row["line"] == "stand-in"}
        self.assertEqual((rows[1024].get("why"), rows[1048576]["why"]), (None, "the time was up; --seconds gives more"))
        self.assertGreater(rows[1024]["turns"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
