#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Commands keep to their time where the device is slow, and name what was left out. Uses the stand-in, with
a simulated clock: only the device's work takes time, whatever the machine does.

usage: slow_test.py BUILD"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import STANDIN, STANDIN_TOOL, Case


class Slow(Case):
    module = STANDIN

    def ask(self, kbps, *words, ciphers="AES-128-CBC, AES-256-CBC", env=()):
        r = subprocess.run([STANDIN_TOOL, *words, "--json"], stdout=subprocess.PIPE, check=True, env=os.environ | {
            "OPENSSL_CONF": self.cnf("ciphers = " + ciphers), "KC_STANDIN_KBPS": str(kbps)} | dict(env))
        return json.loads(r.stdout)

    def timed(self, kbps, *words, ciphers="ALL", **env):
        """(seconds by the simulated clock, report)"""
        clock = self.write("clock", "\0" * 4)
        env = {"KC_STANDIN_CLOCK": clock} | {"KC_STANDIN_" + key: str(value) for key, value in env.items()}
        page = self.ask(kbps, *words, ciphers=ciphers, env=env)
        return int.from_bytes(pathlib.Path(clock).read_bytes(), sys.byteorder) / 1e6, page

    def test_list_begins_no_row_that_would_end_too_late(self):
        took, page = self.timed(60, "list", "--seconds", "10")
        self.assertLess(took, 10)
        tried = sum(row["tried"] for row in page["algorithms"])
        self.assertGreater(tried, 4)
        self.assertIn(f"rows not tried because the time was up: {sum(row['offered'] for row in page['algorithms'])};"
                      " --seconds gives more", page["notes"])

    def test_selftest_begins_no_request_that_would_end_too_late(self):
        """The longest steps: a request of each of eight threads; a message's trial; the largest requests."""
        for kbps, plays in (60, "cbc(aes)"), (60, "gcm(aes)"), (20, "cbc(aes)"), (5, "cbc(aes)"):
            for limit in 5, 10, 20:
                took, page = self.timed(kbps, "selftest", "--limit", str(limit), "--seconds", "2", "standin-device",
                                        PLAYS=plays)
                self.assertLess(took, limit + 1.7, (kbps, plays, limit))
                self.assertEqual(page["verdict"], "reliable")
                self.assertGreater(sum(c["left_out"] for c in page["checks"]), 0)
        took, _ = self.timed(60, "selftest", "--limit", "20")
        self.assertLess(took, 20 + 1.7)

    def test_tune_gives_a_slow_device_no_grace(self):
        took, page = self.timed(60, "tune", "--seconds", "20", "--dry-run")
        self.assertLess(took, 20 + 3)
        self.assertGreater(len(page["facts"]), 30)

    def test_tune_settles_what_a_busy_machine_delays(self):
        """One long request is not a slow device: tune takes the time that it needs."""
        took, page = self.timed(20000, "tune", "--seconds", "6", "--dry-run", BUSY=10000,
                                ciphers="AES-128-CBC, AES-192-CBC, AES-256-CBC")
        self.assertGreater(took, 7)
        self.assertEqual([fact.get("threshold", "?") for fact in page["facts"]], 3 * [None])

    def test_list_begins_no_trial_when_its_time_is_up(self):
        _, page = self.timed(60, "list", "--seconds", "1", ciphers="AES-128-CBC, AES-256-CBC")
        rows = {row["name"]: (row["tried"], row["reason"]) for row in page["algorithms"]}
        self.assertEqual(rows["AES-128-CBC"], (True, "slower"))
        self.assertEqual(rows["AES-256-CBC"], (False, "ok"))
        self.assertIn("rows not tried because the time was up: 1; --seconds gives more", page["notes"])

    def test_selftest_begins_no_check_when_its_time_is_up(self):
        _, page = self.timed(5, "selftest", "--limit", "1", "standin-device")
        first, *others = page["checks"]
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
