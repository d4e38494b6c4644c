#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Drivers that are wrong with one kind of requests only, and what finds that: the trial of a process,
kcrypto selftest and tune, or the first requests of the kind. In QEMU.

usage: lies_test.py BUILD MODULE [TEST...]

The kinds are those of tests/accel/lies.c."""

import json
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from accel import CAAM, Accel
from case import TOOL
from examined import asked, bad, examined
from player import always

NAMES = {"cbc": "AES-128-CBC", "gcm": "AES-128-GCM", "ccm": "AES-128-CCM", "sha256": "SHA256",
         "hmac": "HMAC-SHA256"}
ROWS = {"sha256": "digests = SHA256:0", "hmac": "macs = HMAC-SHA256:0"}

# Kinds that a process finds before it uses a driver.
BY_TRIAL = [("cbc", kind) for kind in ("second", "turns", "same-iv", "new-iv", "crossing", "blocks")] + [
    ("gcm", "second"), ("gcm", "turns"), ("gcm", "blocks"), ("ccm", "turns"), ("ccm", "blocks"),
    ("sha256", "blocks"), ("hmac", "blocks")]
# Kinds that a trial has no time for, and an examination has.
BY_EXAMINATION = (("cbc", "aged", "lengths"), ("cbc", "above-32-kib", "largest requests"),
                  ("ccm", "short-tag", "tag lengths"), ("ccm", "short-nonce", "tag lengths"))
REST = 3000  # ms for which the device is idle before it is suspended


class Lies(Accel):
    def load_liar(self, word, kind):
        self.count_anew()  # not what an earlier one was caught at
        self.load(dict(CAAM, algs=word, hash_name="%h-caam", keys="16"))
        self.fault(refuse=1, corrupt_from=1, corrupt_only=kind)

    def reason(self, word):
        return self.row(NAMES[word], ROWS.get(word, always(NAMES[word])))["reason"]

    def tuned(self, word):
        cnf = self.cnf(ROWS.get(word, always(NAMES[word])), "tune_file = " + self.path("tune"))
        out = self.run_([TOOL, "tune", "--seconds", "6000", "--json", "--config", cnf], ok=False).stdout
        fact, = (f for f in json.loads(out)["facts"] if f["algorithm"] == NAMES[word])
        return fact["reason"]

    def test_a_trial_finds_each_kind_that_is_cheap_to_ask_for(self):
        for word, kind in BY_TRIAL:
            with self.subTest(f"{word}, {kind}"):
                self.load_liar(word, kind)
                self.assertEqual(self.reason(word), "wrong-answer")
                self.assertGreater(self.device("corrupted"), 0)
                self.unload()

    def test_an_examination_finds_what_a_trial_has_no_time_for(self):
        for word, kind, check in BY_EXAMINATION:
            with self.subTest(f"{word}, {kind}"):
                self.load_liar(word, kind)
                self.assertEqual(self.reason(word), "ok")
                _, page = examined(self, TOOL, f"{word}-aes-caam", env={"OPENSSL_CONF": self.cnf()})
                self.assertEqual(page["verdict"], "unreliable")
                self.assertIn(check, bad(page))
                self.assertEqual(self.tuned(word), "wrong-answer")
                self.unload()

    def test_a_lie_in_a_thousand_is_found_by_whoever_asks_for_thousands(self):
        self.load_liar("cbc", "each-1000th")
        self.assertEqual(self.reason("cbc"), "ok")
        self.reset()
        code, page = examined(self, TOOL, "cbc-aes-caam", env={"OPENSSL_CONF": self.cnf()})
        self.assertEqual((code, page["verdict"]), (1, "unreliable"))
        self.reset()
        self.assertEqual(self.tuned("cbc"), "wrong-answer")
        self.reset()
        code, page = asked(self, TOOL, env={"OPENSSL_CONF": self.cnf(always("AES-128-CBC"))})
        self.assertEqual(code, 1)
        self.assertIn("repetitions", bad(page))

    def test_what_a_device_forgets_in_its_rest_is_found_by_an_examination(self):
        """The examination waits until the device is suspended.  On a slow machine, whose pauses are as
        long, other checks find it as well."""
        self.count_anew()
        self.load(dict(CAAM, algs="cbc", keys="16", rest=REST))
        self.fault(refuse=1, corrupt_from=1, corrupt_only="rested")
        code, page = examined(self, TOOL, "cbc-aes-caam", "--limit", "6000", env={"OPENSSL_CONF": self.cnf()})
        self.assertEqual((code, page["verdict"]), (1, "unreliable"))
        self.assertIn("after a rest", bad(page))

    def test_the_first_request_of_more_than_32_kib_is_compared(self):
        self.load_liar("cbc", "above-32-kib")
        player = self.player(always("AES-128-CBC"))
        player.plays_right("AES-128-CBC", length=16384, requests=10, contexts=2)
        player.plays_right("AES-128-CBC", length=65536, requests=10, contexts=2)
        self.assertEqual(self.device("corrupted"), 1)

    def test_what_is_left_of_a_failed_request_reaches_no_program(self):
        """The next request is compared, whichever context makes it."""
        self.load_liar("cbc", "after-error")
        player = self.player(always("AES-128-CBC")).plays_right("AES-128-CBC", requests=20, contexts=2)
        self.reset()
        self.fault(fail_at=15)
        player.plays_right("AES-128-CBC", requests=20, contexts=2)
        self.assertEqual((self.device("failed"), self.device("corrupted")), (1, 1))
        self.assertEqual(self.device("requests"), 16)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
