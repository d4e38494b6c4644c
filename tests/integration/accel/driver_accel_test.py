#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto selftest DRIVER on drivers with a fault, simulated by tests/accel's kernel module.

usage: driver_accel_test.py BUILD MODULE [TEST...]"""

import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from accel import BACKEND, CAAM, Accel
from case import TOOL
from examined import bad, examined, rulings

# One key length; the others are refused, so that a run is short.
FACE = dict(CAAM, keys="16")
ONLY = "AES-128"

# Fault; algorithm; the check that finds it; that check's words; a check that passes.
FAULTS = (
    ({"corrupt_from": 1, "corrupt_wrap": 1}, "ctr", "counter wraps", "wrong", "IV", "alignments"),
    ({"corrupt_from": 1, "corrupt_unaligned": 1}, "cbc", "alignments", "wrong", "of a page",
     "lengths"),
    ({"corrupt_from": 1, "corrupt_len": 65536}, "cbc", "largest requests", "wrong", "65536 bytes",
     "lengths"),
    ({"corrupt_from": 1, "corrupt_parallel": 1, "delay": 1}, "cbc", "parallel sessions", "wrong",
     "with 8 sessions", "many sessions"),
    ({"fail_every": 200}, "cbc", "lengths", "fails", "Input/output error", "known answers"),
)


class Driver(Accel):
    def ask(self, word):
        self.fault(refuse=1)
        code, page = examined(self, TOOL, f"{word}-aes-caam", env={"OPENSSL_CONF": self.cnf()})
        other = [c for c in page["checks"] if c["algorithm"] and ONLY not in c["algorithm"]]
        self.assertEqual({c["ruling"] for c in other}, {"not asked"})
        page["checks"] = [c for c in page["checks"] if c not in other]
        return code, page

    def test_one_without_a_fault_is_reliable(self):
        self.load(dict(FACE, algs="gcm"))
        code, page = self.ask("gcm")
        self.assertEqual((code, page["verdict"], bad(page)), (0, "reliable", set()), page)
        self.assertEqual(rulings(page, "parallel sessions"), {"right"})
        self.assertGreater(self.device(), sum(c["requests"] for c in page["checks"]) / 2)

    def test_each_fault_is_named(self):
        for fault, word, check, ruling, text, well in FAULTS:
            # A driver behind the module gets no unaligned memory.
            if BACKEND == "kcrypto" and "corrupt_unaligned" in fault:
                continue
            with self.subTest(check):
                self.load(dict(FACE, algs=word))
                self.fault(**fault)
                code, page = self.ask(word)
                self.assertEqual((code, page["verdict"]), (1, "unreliable"))
                self.assertEqual(rulings(page, check), {ruling}, page["checks"])
                self.assertIn(text, [c["text"] for c in page["checks"] if c["check"] == check][0])
                self.assertEqual(rulings(page, well), {"right"}, page["checks"])
                self.unload()

    def test_one_that_hangs_is_named_before_it_answers(self):
        self.load(dict(FACE, algs="cbc"))
        self.fault(delay=1000000000)
        code, page = self.ask("cbc")
        self.assertEqual((code, bad(page)), (1, {"known answers"}))
        self.assertEqual(rulings(page, "known answers"), {"hangs"})
        self.assertEqual(rulings(page, "lengths"), {"not asked"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
