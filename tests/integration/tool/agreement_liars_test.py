#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""selftest, kcrypto-diff, tune, list and doctor have one verdict on a driver, whether it is right, always wrong,
or wrong only where no trial asks, and each row of selftest and kcrypto-diff says how many requests of how many
the driver did. Over the stand-in.

usage: agreement_liars_test.py BUILD
"""

import json
import os
import re
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import BLAMED, BUILD, STANDIN, STANDIN_TOOL, cnf_of
from doctor import Chain
from examined import asked, examined

DIFF = os.path.join(BUILD, "tests", "kcrypto-diff-standin")
NAME = "AES-128-CBC"
RIGHT = {"KC_STANDIN_PLAYS": "cbc(aes)"}
WRONG = RIGHT | {"KC_STANDIN_LIES": "1"}
# In requests that are longer than those of a trial.
RARE = RIGHT | {"KC_STANDIN_FAULT": "limit"}
FAILS = RIGHT | {"KC_STANDIN_FAIL": "7"}


class Liars(Chain):
    module = STANDIN

    def setUp(self):
        super().setUp()
        self.tune = self.path("tune")
        self.conf = self.cnf(f"ciphers = {NAME}:0", f"tune_file = {self.tune}")

    def tool(self, *words, env=RIGHT):
        """(exit status, the JSON)"""
        r = self.run_([STANDIN_TOOL, *words, "--json", "--config", self.conf], ok=False, env=env)
        return r.returncode, json.loads(r.stdout)

    def listed(self, *words, env=RIGHT):
        """Whether list blames the driver, in its row and by its exit status."""
        status, page = self.tool("list", *words, env=env)
        row, = (r for r in page["algorithms"] if r["name"] == NAME)
        self.assertEqual(status, row["reason"] in BLAMED, row)
        return bool(status)

    def tuned(self, env=RIGHT):
        """tune needs no clock to find what is wrong, and measures nothing then."""
        status, page = self.tool("tune", "--seconds", "1" if env == RIGHT else "6000", env=env)
        self.assertEqual({status}, {fact["reason"] in BLAMED for fact in page["facts"]}, page)
        return bool(status)

    def diagnosed(self, env=RIGHT):
        status, page = self.told(change={"AES-256-CBC:0": f"{NAME}:0", "tune_file = none": "tune_file = " + self.tune},
                                 env=env)
        broken = [f for f in page["findings"] if f["word"] in BLAMED]
        self.assertEqual(bool(broken), bool(status), page["findings"])
        return bool(broken)

    def row_is_sound(self, row):
        """Checks the numbers of requests in a row of selftest."""
        self.assertLessEqual(row["requests"], row["asked"], row)
        if row["ruling"] == "right":
            self.assertEqual(row["requests"], row["asked"], row)

    def examined(self, env=RIGHT):
        verdicts = set()
        for page_of, words in ((examined, ["standin-device"]),
                               (asked, ["--rounds", "300", "--limit", "600", "--config", self.conf])):
            status, page = page_of(self, STANDIN_TOOL, *words, env=env)
            for row in page["checks"]:
                self.row_is_sound(row)
            verdicts.add(bool(status))
        verdict, = verdicts
        return verdict

    def played(self, env=RIGHT):
        """(does kcrypto-diff blame it?, requests that the driver did, requests, what was redone)"""
        conf = self.write("diff.cnf", cnf_of() + f"ciphers = {NAME}:0\ntune_file = none\n")
        r = self.run_([DIFF, "--config", conf, "--rounds", "500", "--seed", "1", "--alg", NAME], ok=False,
                      env=env | {"KC_STANDIN_CLOCK": "still"})
        said = r.stdout.decode()
        self.assertIn(", 0 mismatches\n", said)
        did, of, redone = map(int, re.search(rf"^  {NAME} +(\d+) of (\d+) requests, .*; (\d+) redone$", said, re.M)
                              .groups())
        is_blamed = b": a driver was wrong and was dropped\n" in r.stderr
        self.assertEqual(is_blamed, bool(r.returncode), r.stderr)
        return is_blamed, did, of, redone

    def test_of_a_driver_that_is_right_nobody_says_a_word(self):
        for found in (self.listed, self.examined, self.tuned, self.diagnosed):
            self.assertFalse(found(), found.__name__)
        blamed, did, of, redone = self.played()
        self.assertEqual((blamed, did, redone), (False, of, 0))
        self.assertGreater(of, 100)

    def test_all_blame_a_driver_that_is_always_wrong(self):
        for found in (self.listed, self.examined, self.diagnosed, self.tuned):
            self.assertTrue(found(env=WRONG), found.__name__)
        blamed, did, of, _ = self.played(env=WRONG)
        self.assertEqual((blamed, did), (True, 0))
        self.assertGreater(of, 0)

    def test_those_who_ask_everywhere_blame_one_that_is_wrong_where_no_trial_asks(self):
        """list and doctor ask what a process would, and believe what tune has found."""
        self.assertFalse(self.listed(env=RARE))
        self.assertFalse(self.diagnosed(env=RARE))
        self.assertTrue(self.examined(env=RARE))
        blamed, did, of, _ = self.played(env=RARE)
        self.assertTrue(blamed)
        self.assertLess(did, of)
        self.assertTrue(self.tuned(env=RARE))
        self.assertTrue(self.listed("--no-trial"))
        self.assertTrue(self.diagnosed())

    def test_requests_that_failed_are_not_among_those_that_the_driver_did(self):
        blamed, did, of, redone = self.played(env=FAILS)
        self.assertEqual((blamed, did + redone), (False, of))
        self.assertGreater(redone, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
