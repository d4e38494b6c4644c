#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The openssl command, configured by openssl.cnf, with the module that has the stand-in built in: for
systems with an unknown kernel, and for other versions of OpenSSL. integration_test.py tests it on kernels.

usage: openssl_test.py BUILD"""

import os
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import ENC_256, IV, KEY, STANDIN, VERSION, Case


class Openssl(Case):
    module = STANDIN

    def same(self, ours, want):
        """Without assertEqual, which would search for the difference for an hour."""
        self.assertTrue(ours == want, "the bytes differ")

    def test_the_provider_is_listed_with_its_ciphers(self):
        self.assert_listed(self.cnf())

    def test_enc_reads_what_it_wrote_and_what_the_default_provider_wrote(self):
        data = os.urandom(100_001)
        # Wrong lines leave other lines in effect.
        cnf = self.cnf("CIPHER = ALL", "ciphers = AES-256-CBC:0 AES-128-CCB:abc", "max_request = -5",
                       "max_sessions = many")
        ours = self.run_(ENC_256, cnf, data)
        self.same(ours.stdout, self.run_(ENC_256, None, data).stdout)
        self.assertEqual(ours.stderr, b"")
        written = self.requests("AES-256-CBC")
        self.assertGreater(written, 0)
        self.same(self.run_(ENC_256 + ["-d"], cnf, ours.stdout).stdout, data)
        self.assertGreater(self.requests("AES-256-CBC"), written)

    def test_a_small_request_stays_with_the_default_provider(self):
        self.run_(ENC_256, self.cnf(), b"x" * 500)
        self.assertEqual(self.requests("AES-256-CBC"), 0)

    # From 4.0 on the command can make one; -skeyopt itself is older.
    if VERSION >= (4, 0):
        def test_enc_takes_a_key_object_with_what_is_the_default_providers(self):
            data = os.urandom(100_001)
            cnf = self.cnf("ciphers = AES-256-CBC:0")
            ours = ["-propquery", "provider=default"]
            for manager in ("AES", "GENERIC-SECRET"):
                for cipher, more in ("cbc", ours), ("cfb8", []), ("ctr", []):
                    argv = ["openssl", "enc", "-aes-256-" + cipher, "-iv", IV]
                    skey = ["-skeymgmt", manager, "-skeyopt", "hexraw-bytes:" + KEY]
                    self.same(self.run_(argv + skey + more, cnf, data).stdout,
                              self.run_(argv + ["-K", KEY], None, data).stdout)

    def for_random_numbers(self, query):
        """The number of the command's requests, with this query in the section for random numbers."""
        cnf = self.cnf("ciphers = AES-256-CTR:0 AES-256-ECB:0")
        text = self.read("openssl.cnf").replace("[init]\n", "[init]\nrandom = random\n")
        self.assertIn("provider!=kcrypto", text)
        self.write("openssl.cnf", text.replace("provider!=kcrypto", query))
        self.run_(["openssl", "rand", "64"], cnf)
        return self.requests("AES-256-CTR") + self.requests("AES-256-ECB")

    def test_random_numbers_come_from_any_provider_but_ours(self):
        self.assertEqual(self.for_random_numbers("provider!=kcrypto"), 0)

    def long_message(self, argv, *lines):
        """The SHA256 requests of a program that reads a little over 1 MiB. Its result is the same as
        without kcrypto."""
        data = os.urandom((1 << 20) + 77)
        before = self.requests("SHA256") if os.path.exists(self.stats) else 0
        ours = self.run_(argv, self.cnf("digests = SHA256:0", *lines), data, env={"KC_STANDIN_BLOCKS": "1"})
        self.same(ours.stdout, self.run_(argv, None, data).stdout)
        return self.requests("SHA256") - before

    def test_a_long_digest_goes_in_blocks(self):
        self.assertGreaterEqual(self.long_message(["openssl", "dgst", "-sha256"]), 16)

    def test_a_long_hmac_goes_by_its_digest_with_any_key_and_without_a_driver_of_its_own(self):
        for macs in ("NONE", "HMAC-SHA256:0"):
            for bytes_ in (1, 64, 65, 200):
                argv = ["openssl", "mac", "-digest", "SHA256", "-macopt", "hexkey:" + "5a" * bytes_, "HMAC"]
                self.assertGreaterEqual(self.long_message(argv, "macs = " + macs), 16)

    def test_copies_and_children_of_hashlibs_digests_go_on_with_the_same_message(self):
        program = """if True:
            import hashlib, hmac, os, sys
            data = sys.stdin.buffer.read()
            digests = [hashlib.new("sha256"), hmac.new(b"k", digestmod="sha256")]
            at = 0
            for n in list(range(100)) + [65536, 1, 200000, 63, 65537]:
                for d in digests:
                    d.update(data[at:at + n])
                at += n
                if n > 90:
                    digests += [d.copy() for d in digests[:2]]
            child = os.fork()
            for d in digests:
                d.update(data[at:])
            if child:
                os.waitpid(child, 0)
            print([d.hexdigest() for d in digests], bool(child))"""
        self.assertGreaterEqual(self.long_message([sys.executable, "-c", program]), 16)

    if VERSION < (3, 5):
        def test_without_a_query_they_are_made_with_our_cipher(self):
            """Otherwise the test above would show nothing."""
            self.assertGreater(self.for_random_numbers("?provider=kcrypto"), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
