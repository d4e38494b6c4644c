#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The output of kcrypto besides the table: problems, advice and usage. Over the stand-in, whose
drivers are hardware.

usage: list_test.py BUILD
"""

import os
import subprocess
import sys
import unittest

from case import STANDIN, STANDIN_TOOL, TOOL, Case

UNLISTED = "advice: the configuration does not ask for it"


class Beside(Case):
    module = STANDIN

    def text(self, *lines, **env):
        r = subprocess.run([STANDIN_TOOL, "list", "--config", self.cnf(*lines)], env=os.environ | env,
                           capture_output=True, check=True, text=True)
        return r.stdout

    def advice(self, *lines, **env):
        return [line for line in self.text(*lines, **env).splitlines() if line.startswith("advice")]

    def test_nobody_is_advised_to_list_ecb_digests_or_macs(self):
        for line in ("ciphers = ALL", "max_request = 4096"):
            self.assertNotIn(UNLISTED, "".join(self.advice(line)))

    def test_hardware_that_is_not_listed_is_worth_advice(self):
        told, = self.advice("ciphers = AES-128-CBC")
        self.assertIn(UNLISTED, told)

    def test_who_names_an_algorithm_is_told_why_it_is_not_offered(self):
        named = "driver.AES-128-CBC = no-such-driver"
        self.assertNotIn(UNLISTED, "".join(self.advice(named)))
        told = self.advice("ciphers = AES-128-CBC, NO_ECB", named)
        self.assertIn("the driver that the configuration names is not there", "".join(told))

    def test_legacy_ciphers_are_advised_on_where_they_are_named(self):
        self.assertIn("legacy", "".join(self.advice("ciphers = BF-CBC, NO_ECB")))

    def test_a_kernel_without_any_interface_names_modules_and_packages(self):
        told, = self.advice(KC_STANDIN_ABSENT="1")
        for name in ("af_alg", "algif_skcipher", "algif_aead", "algif_hash", "cryptodev",
                     "kmod-crypto-user", "kmod-cryptodev"):
            self.assertIn(name, told)
        text = self.text(KC_STANDIN_ABSENT="1")
        self.assertNotIn(" yes ", text)
        self.assertIn("the kernel lacks this interface", text)
        self.assertIn("note: nothing goes to the kernel", text)

    def test_a_problem_without_a_word_nearby_ends_there(self):
        line, = (x for x in self.text("ciphers = FROBNICATE").splitlines() if "problem" in x)
        self.assertTrue(line.endswith("this version has no algorithm of this name"), line)
        self.assertIn("nearest known: AES-128-CBC", self.text("ciphers = AES-128-CCB"))


class Calls(Case):
    def call(self, *args):
        r = subprocess.run([TOOL, *args], capture_output=True, check=False, text=True)
        return r.returncode, r.stdout, r.stderr

    def test_without_a_command_it_says_how_it_is_called(self):
        code, out, err = self.call()
        self.assertEqual((code, out), (2, ""))
        self.assertIn("usage: kcrypto list", err)
        self.assertNotIn("''", err)

    def test_a_wrong_word_is_named(self):
        for args, word in ((["lst"], "lst"), (["help", "me"], "me"), (["list", "--jsn"], "--jsn")):
            code, out, err = self.call(*args)
            self.assertEqual((code, out), (2, ""), args)
            self.assertIn(f"'{word}'", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
