#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A driver that does short requests fast, and leaves longer ones to the kernel's software.

usage: lengths_test.py BUILD MODULE [TEST...]

The accelerator uses AES instructions, which the program and the kernel's generic software do not; and that
software is slowed down, so that an emulated processor shows the difference, too. The test reads no clock: the
device's counters show who did the requests."""

import json
import os
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from accel import CAAM, Accel
from case import TOOL
from speed_change_test import WITHOUT_AES

NAME = "AES-128-CBC"
LENGTH = 65536
PLAY = 20
PLAYS = 1000  # at most, on a busy machine
TUNES = 20   # until measurements agree, on a busy machine
SLOWER = 5   # ms a request
PAGE = os.sysconf("SC_PAGE_SIZE")


class Lengths(Accel):
    def setUp(self):
        super().setUp()
        subprocess.run(["modprobe", "aesni_intel"], check=True)
        self.load(dict(CAAM, algs="fast", passed_delay=SLOWER))
        os.environ.update(WITHOUT_AES)

    def shares(self, player, **how):
        """The numbers of requests of a play that the device and its driver's software got. Its results are
        right."""
        self.reset()
        self.assertEqual(player.play(NAME, length=LENGTH, requests=PLAY, **how), "right")
        return self.device("done"), self.device("passed")

    def assert_learned(self, least, **how):
        """In the end the device does everything, with that many requests for an update, and software
        nothing."""
        player = self.player("ciphers = " + NAME)
        for n in range(PLAYS):
            done, passed = self.shares(player, **how)
            if self.device("bytes") >= 0.9 * PLAY * LENGTH and not passed and done >= least * 0.9 * PLAY:
                print(f"in play {n + 1}: {done} requests", flush=True)
                return
        self.fail(f"{done} requests, and {passed} that the driver left to software")

    def test_a_process_learns_the_longest_request_that_the_device_does(self):
        for longest in (32768, 16384):
            with self.subTest(longest=longest):
                self.fault(longest=longest)
                self.assert_learned(LENGTH / longest)

    def test_a_request_from_within_a_page_has_no_page_more(self):
        self.fault(entries=8)
        self.assert_learned(LENGTH / PAGE / 8, offset=8)

    def test_a_driver_without_a_limit_gets_the_longest_requests(self):
        player = self.player("ciphers = " + NAME)
        for _ in range(PLAYS):
            done, passed = self.shares(player)
            if self.device("bytes") >= 0.9 * PLAY * LENGTH and done <= 1.2 * PLAY:
                return
        self.fail(f"{done} requests")

    def tune(self, cnf):
        """Runs tune until it finds that the device pays."""
        for _ in range(TUNES):
            facts = json.loads(self.run_([TOOL, "tune", "--seconds", "5", "--json", "--config", cnf],
                                         env=WITHOUT_AES).stdout)["facts"]
            fact, = (f for f in facts if f["algorithm"] == NAME)
            if {"threshold", "threshold_decrypt"} <= set(fact) and fact["threshold"] and fact["longest"]:
                return fact
        self.fail(f"not settled in {TUNES} runs: {fact}")

    def test_tune_finds_both_ends_and_list_shows_them(self):
        lines = ("ciphers = " + NAME, "tune_file = " + self.path("tune"))
        self.fault(longest=32768)
        fact = self.tune(self.cnf(*lines))
        self.assertIn(fact["longest"], range(fact["threshold"], 32769))
        row = self.row(NAME, *lines)
        self.assertEqual([row[key] for key in ("threshold", "longest", "threshold_source")],
                         [fact["threshold"], fact["longest"], "tuned"])
        text = self.run_([TOOL, "list", "--config", self.cnf(*lines)]).stdout.decode()
        self.assertIn(f" {fact['threshold']}-{fact['longest']} ", text)
        player = self.player(*lines)
        self.shares(player)
        done, passed = self.shares(player)
        self.assertEqual(passed, 0)
        # Software has done an update before a session was worth its price.
        self.assertGreaterEqual(done, 0.9 * PLAY * LENGTH / fact["longest"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
