#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto selftest DRIVER names each way in which a driver is wrong. Uses the stand-in, which simulates
the driver of one algorithm with one fault.

usage: driver_faults_test.py BUILD"""

import json
import os
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.append(sys.path[0] + "/..")
from case import BLAMED, STANDIN, STANDIN_TOOL, Case
from examined import asked, bad, examined, rulings

BUILD = sys.argv[1]
DIFF = os.path.join(BUILD, "tests", "kcrypto-diff-standin")

# Fault; algorithm; the check that finds it and how; a check that passes.
FAULTS = {
    "wrap": ("ctr(aes)", "counter wraps", "wrong", r"IV (a5)+f+.*: \d+ of them wrong", "alignments"),
    "unaligned": ("cbc(aes)", "alignments", "wrong", r"from \+\d+ to \+\d+ of a page", "lengths"),
    "limit": ("cbc(aes)", "largest requests", "wrong", r"crypting 65\d\d\d bytes: 1 of them wrong",
              "lengths"),
    "many": ("cbc(aes)", "many sessions", "wrong", "with 64 sessions", "parallel sessions"),
    "parallel": ("sha256", "parallel sessions", "wrong", "the digest is wrong", "many sessions"),
    "aad": ("gcm(aes)", "AAD lengths", "wrong", "AAD of 100", "lengths"),
    "tags": ("gcm(aes)", "forged messages", "wrong", "1 bytes with a wrong tag: accepted", "lengths"),
    "nonce": ("ccm(aes)", "tag lengths", "wrong", "tag of 4, IV 07", "AAD lengths"),
    "short-tag": ("ccm(aes)", "tag lengths", "wrong", "tag of 8, IV 01", "AAD lengths"),
    "keys": ("xts(aes)", "wrong keys", "wrong", r"a key of \d+ bytes was accepted", "broken requests"),
    "parts": ("cbc(aes)", "broken requests", "wrong", "decrypting 15 bytes: accepted", "wrong keys"),
    "fail": ("ecb(aes)", "lengths", "fails", "Input/output error", "largest requests"),
    "die": ("cbc(aes)", "lengths", "dies", "ended by signal 9", "known answers"),
}
KINDS = ("cbc(aes)", "ctr(aes)", "xts(aes)", "chacha20", "gcm(aes)", "ccm(aes)", "sha256",
         "hmac(sha256)", "cmac(aes)")


class Faults(Case):
    module = STANDIN
    hung = None

    def setUp(self):
        """The driver that hangs does so while the other ones are examined."""
        super().setUp()
        self.conf = self.cnf()
        if not Faults.hung:
            Faults.hung = subprocess.Popen(
                [STANDIN_TOOL, "selftest", "--json", "--seconds", "1", "standin-device"],
                env=os.environ | self.env("ofb(aes)", "hang"), stdout=subprocess.PIPE)

    def env(self, kernel_name, fault="", **more):
        return {"OPENSSL_CONF": self.conf, "KC_STANDIN_PLAYS": kernel_name,
                "KC_STANDIN_FAULT": fault} | more

    def ask(self, kernel_name, fault="", driver="standin-device", **more):
        return examined(self, STANDIN_TOOL, driver, env=self.env(kernel_name, fault, **more))

    def ask_each(self, questions):
        """The answers in the order of the questions. Most of an examination waits for a clock, so they run
        in parallel."""
        with ThreadPoolExecutor(4) as pool:
            return pool.map(lambda words: self.ask(*words), questions)

    def test_a_driver_of_each_kind_without_a_fault_is_reliable(self):
        for kernel_name, (code, page) in zip(KINDS, self.ask_each((kind,) for kind in KINDS)):
            with self.subTest(kernel_name):
                self.assertEqual((code, page["verdict"], bad(page)), (0, "reliable", set()))
                self.assertTrue(all(c["text"] for c in page["checks"] if c["ruling"] == "not asked"))
                for check in ("known answers", "lengths", "many sessions", "random messages"):
                    self.assertEqual(rulings(page, check), {"right"}, check)

    def tuned(self, kernel_name, fault, seconds):
        """The reasons of all rows. A driver that is refused is not measured, so the time does not matter."""
        r = self.run_([STANDIN_TOOL, "tune", "--dry-run", "--json", "--seconds", seconds],
                      env=self.env(kernel_name, fault), ok=False)
        reasons = {fact["reason"] for fact in json.loads(r.stdout)["facts"]}
        self.assertEqual(r.returncode, bool(reasons & BLAMED))
        return reasons

    def test_tune_trusts_no_driver_that_is_wrong_or_ends_who_asks(self):
        """A process with the file that tune writes does not use such a driver. A fault in requests that no
        program makes has no effect."""
        self.conf = self.cnf("ciphers = ALL", "digests = ALL", "macs = ALL", "policy = always")
        reasons = {"wrong": {"wrong-answer"}, "dies": {"no-answer"}}
        faults = [(name, fault, "6000", reasons[ruling]) for fault, (name, _, ruling, *_) in FAULTS.items()
                  if fault not in ("keys", "parts", "fail")]
        faults += [("cbc(aes)", "", "1", {"ok"}), ("cbc(aes)", "parts", "1", {"ok"})]
        with ThreadPoolExecutor(4) as pool:
            found = pool.map(lambda words: self.tuned(*words[:3]), faults)
        for (name, fault, _, want), got in zip(faults, found):
            with self.subTest(fault or name):
                self.assertEqual(got, want)

    def test_each_fault_is_named(self):
        answers = self.ask_each((kernel_name, fault) for fault, (kernel_name, *_) in FAULTS.items())
        for (fault, (_, check, ruling, text, well)), (code, page) in zip(FAULTS.items(), answers):
            with self.subTest(fault):
                self.assertEqual((code, page["verdict"]), (1, "unreliable"))
                self.assertEqual(rulings(page, check), {ruling}, page["checks"])
                for found in page["checks"]:
                    if found["check"] == check:
                        self.assertRegex(found["text"], text)
                self.assertEqual(rulings(page, well), {"right"}, page["checks"])

    def test_drivers_in_use_are_asked_often_enough_for_a_fault_in_a_thousand(self):
        conf = self.cnf("ciphers = AES-128-CBC:0")
        for fault, rounds, want in ("seldom", "1000", (1, {"wrong"})), ("", "20", (0, {"right"})):
            code, page = asked(self, STANDIN_TOOL, "--rounds", rounds, "--config", conf,
                               env={"KC_STANDIN_FAULT": fault})
            self.assertEqual((code, rulings(page, "repetitions")), want)
            self.assertLessEqual(page["checks"][1]["asked"], 2 * int(rounds))

    def test_an_unknown_name_leaves_it_blind(self):
        self.assertEqual(self.ask("cbc(aes)", driver="no-such-driver")[0], 2)
        r = self.run_([STANDIN_TOOL, "selftest", "no-such-driver"], ok=False)
        self.assertEqual((r.returncode, r.stdout), (2, b""))
        self.assertIn(b"the kernel lists no driver of this name", r.stderr)

    def test_hidden_hardware_leaves_it_blind(self):
        code, page = self.ask("cbc(aes)", "absent", KC_STANDIN_HIDES="1")
        self.assertEqual((code, page), (2, None))
        r = self.run_([STANDIN_TOOL, "selftest", "standin-device"], ok=False, env={
            "KC_STANDIN_PLAYS": "cbc(aes)", "KC_STANDIN_FAULT": "absent", "KC_STANDIN_HIDES": "1"})
        self.assertIn(b"this kernel uses software, no matter which driver is asked for", r.stderr)

    def test_what_no_interface_reaches_is_neither_examined_nor_measured(self):
        absent = {"KC_STANDIN_ABSENT": "1"}
        r = self.run_([STANDIN_TOOL, "selftest", "standin-device"], ok=False, env=absent)
        self.assertEqual((r.returncode, r.stdout), (2, b""))
        self.assertIn(b"the kernel lacks this interface", r.stderr)
        r = self.run_([STANDIN_TOOL, "bench", "--seconds", "1", "--sizes", "64"], self.cnf(), env=absent)
        self.assertIn(b"stand-in: the kernel lacks this interface\n", r.stdout)
        self.assertNotIn(b"standin-device", r.stdout)

    def test_bench_does_not_call_hidden_hardware_a_contender(self):
        r = self.run_([STANDIN_TOOL, "bench", "--seconds", "1", "--sizes", "64"], self.cnf(),
                      env={"KC_STANDIN_HIDES": "1"})
        self.assertIn(b"stand-in: this kernel uses software, no matter which driver is asked for\n",
                      r.stdout)
        self.assertNotIn(b"(hardware", r.stdout)

    def test_without_our_module_the_driver_itself_is_asked_all_the_same(self):
        code, page = self.ask("cbc(aes)", OPENSSL_CONF="/dev/null", OPENSSL_MODULES="/nowhere")
        self.assertEqual((code, page["verdict"]), (0, "reliable"))
        self.assertEqual(rulings(page, "random messages"), {"not asked"})

    def test_the_page_names_the_driver_the_way_and_what_is_wrong(self):
        r = self.run_([STANDIN_TOOL, "selftest", "--seconds", "1", "standin-device"], self.cnf(),
                      ok=False, env={"KC_STANDIN_PLAYS": "cbc(aes)", "KC_STANDIN_FAULT": "limit"})
        text = r.stdout.decode()
        self.assertEqual(r.returncode, 1)
        self.assertTrue(text.startswith("TAP version 13\n"), text)
        self.assertTrue(text.endswith("\n# The driver standin-device is unreliable.\n"), text)
        self.assertIn("\n# backend stand-in\n", text)
        self.assertRegex(text, r"\nnot ok \d+ - AES-128-CBC by stand-in, driver standin-device: largest "
                         r"requests, \d+ of \d+ requests by the kernel\n# wrong: decrypting 65536 bytes: 1 of")
        # A comparison found it, and software did the rest: no program has seen a wrong byte, and
        # yet selftest fails.
        self.assertRegex(text, r"\nnot ok \d+ - AES-128-CBC by stand-in, driver standin-device: random "
                         r"messages, .*\n# wrong: its driver gave a wrong answer to a program's request")
        numbers = re.findall(r"^(?:not )?ok (\d+) - ", text, re.M)
        self.assertEqual(list(map(int, numbers)), list(range(1, len(numbers) + 1)))
        self.assertIn(f"\n1..{len(numbers)}\n", text)

    def test_of_a_slow_driver_it_says_what_it_had_no_time_for(self):
        """A request takes 5 ms, so a second is too short for all of them on any machine; on a busy one,
        even for each check's first."""
        code, page = examined(self, STANDIN_TOOL, "standin-device", "--limit", "1",
                              env=self.env("ctr(aes)", "slow"))
        self.assertEqual((code, page["verdict"]), (0, "reliable"))
        for check in ("lengths", "counter wraps", "alignments", "random messages"):
            for found in page["checks"]:
                if found["check"] == check:
                    self.assertGreater(found["left_out"], 0, check)
        self.assertGreater(sum(found["requests"] for found in page["checks"]), 0)
        self.assertEqual({c["left_out"] for c in page["checks"] if c["check"] == "known answers"}, {0})

    def test_a_differential_run_over_a_driver_that_lies_fails(self):
        """A comparison finds it before any program does: the rest of the rounds are software's, and right."""
        r = self.run_([DIFF, "--config", f"{BUILD}/tests/cnf/all.cnf", "--rounds", "300", "--seed", "1",
                       "--alg", "AES-128-CBC"], ok=False,
                      env={"KC_STANDIN_PLAYS": "cbc(aes)", "KC_STANDIN_FAULT": "limit"})
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertIn(b"AES-128-CBC: a driver was wrong and was dropped\n", r.stderr)
        self.assertIn(b", 0 mismatches\n", r.stdout)

    def test_a_mistyped_word_is_refused(self):
        for words in (["--backend", "x"], ["--seconds", "0"], ["a", "b"], ["--frobnicate"],
                      *(["--rounds", word] for word in ("0", "-1", "x", "1x", ""))):
            self.assertEqual(self.run_([STANDIN_TOOL, "selftest", *words], ok=False).returncode, 2)

    def test_when_a_driver_hangs_it_is_asked_no_more(self):
        page = json.loads(self.hung.communicate()[0])
        self.assertEqual((self.hung.returncode, page["verdict"]), (1, "unreliable"))
        self.assertEqual(bad(page), {"lengths"})
        first = [c for c in page["checks"] if c["check"] == "lengths"][0]
        self.assertEqual((first["algorithm"], first["ruling"]), ("AES-128-OFB", "hangs"))
        self.assertRegex(first["text"], "^decrypting 8192 bytes: no answer within 20 seconds$")
        after = [c for c in page["checks"] if c["check"] in ("alignments", "random messages", "wrong keys")]
        self.assertEqual({(c["ruling"], c["text"]) for c in after},
                         {("not asked", "the driver hangs")})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
