#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""verify = N, over an accelerator that begins to lie once it is trusted, in QEMU.

usage: verify_test.py BUILD MODULE"""

import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from accel import CAAM, Accel, just_cbc
from case import stats
from player import ONE_OF_EACH, always


class Verify(Accel):
    NAME = "AES-128-CBC"

    def trusted(self, *lines, face=CAAM):
        """A player whose driver has passed its trial. The device's count starts here."""
        self.load(face)
        player = self.player(always(self.NAME, "AES-128-CTR"), *lines).plays_right(self.NAME)
        self.assertEqual(self.provider(self.NAME)[0], 1)
        self.reset()
        return player

    def wrong(self, name=NAME):
        return sum(stats(self.stats)[name][3:])

    def test_a_driver_that_lies_from_the_1000th_request_on_is_dropped_there(self):
        player = self.trusted("verify = 1", face=just_cbc(CAAM))
        self.fault(corrupt_from=1000)
        # Three contexts, the second one decrypting, all with a session when the lie comes.
        player.plays_right(self.NAME, requests=400, contexts=3)
        self.assertEqual((self.device(), self.device("corrupted")), (1000, 1))
        self.assertEqual(self.wrong(), 1)
        for length in (16, 4112, 65536, 300000):
            player.plays_right(self.NAME, length, requests=5, contexts=2)
        self.assertEqual((self.device(), self.wrong()), (1000, 1))

    def test_a_lie_at_a_length_that_no_trial_has_is_seen(self):
        player = self.trusted("verify = 1", face=just_cbc(CAAM))
        self.fault(corrupt_from=1, corrupt_len=8208)
        for length in (8192, 8208, 8192):
            player.plays_right(self.NAME, length, requests=10, contexts=2)
        self.assertEqual((self.device(), self.device("corrupted")), (21, 1))
        self.assertEqual(self.wrong(), 1)

    def test_one_driver_that_lied_costs_no_other_its_requests(self):
        player = self.trusted("verify = 1", face=dict(CAAM, algs="cbc,ctr"))
        self.fault(corrupt_from=1)
        player.plays_right(self.NAME, requests=5)
        self.fault(corrupt_from=0)
        self.assertEqual(self.device(), 1)
        player.plays_right("AES-128-CTR", requests=20)
        self.assertEqual(self.provider("AES-128-CTR")[0], 20)
        self.assertEqual((self.wrong(), self.wrong("AES-128-CTR")), (1, 0))

    def test_the_list_names_the_driver_that_lied(self):
        player = self.trusted("verify = 1", face=just_cbc(CAAM))
        said = [self.row(self.NAME, always(self.NAME))["reason"]]
        self.fault(corrupt_from=1)
        player.plays_right(self.NAME)
        self.fault(corrupt_from=0)
        said.append(self.row(self.NAME, always(self.NAME))["reason"])
        self.assertEqual(said, ["ok", "lied"])

    def test_the_next_process_asks_the_driver_again(self):
        player = self.trusted("verify = 1", face=just_cbc(CAAM))
        self.fault(corrupt_from=1)
        player.plays_right(self.NAME, requests=5)
        self.fault(corrupt_from=0)
        before = self.provider(self.NAME)[0]
        again = self.player(always(self.NAME), "verify = 1").plays_right(self.NAME, requests=20)
        self.assertEqual(self.provider(self.NAME)[0] - before, 20)

    def test_an_honest_device_loses_nothing_by_it(self):
        for n in (1, 3):
            with self.subTest(verify=n):
                player = self.trusted(f"verify = {n}", face=just_cbc(CAAM))
                player.plays_right(self.NAME, requests=50, contexts=2)
                self.assertEqual((self.device("done"), self.provider(self.NAME)[0]), (100, 101))
                self.assertEqual(self.wrong(), 0)
                self.unload()
                self.count_anew()

    def test_without_it_nobody_notices(self):
        for lines in ((), ("verify = 0",)):
            with self.subTest(lines=lines):
                player = self.trusted(*lines, face=just_cbc(CAAM))
                self.fault(corrupt_from=3)
                self.assertEqual(player.play(self.NAME, requests=5), "wrong: context 0, request 2")
                self.assertEqual(self.wrong(), 0)
                self.unload()
                self.count_anew()

    def test_in_no_play_of_calls_does_a_lie_come_through(self):
        """Differential rounds. The device lies from the 20th request after the trial on."""
        self.load(CAAM)
        for name in ONE_OF_EACH:
            trial = self.trial(name)
            self.reset()
            self.fault(corrupt_from=trial + 20)
            self.diff(self.cnf(always(name), "verify = 1"), 1, "--alg", name, "--rounds", "100",
                      is_dropped=True)
            self.assertEqual((self.device(), self.device("corrupted")), (trial + 20, 1))
            self.fault(corrupt_from=0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
