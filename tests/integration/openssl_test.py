#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The openssl command, configured by openssl.cnf, with the module that has the stand-in built in: for
systems without a kernel of ours, and other versions of OpenSSL. On kernels: integration_test.py.

usage: openssl_test.py BUILD
"""

import os
import sys
import unittest

from case import ENC_256, IV, KEY, STANDIN, VERSION, Case


class Openssl(Case):
    module = STANDIN

    def same(self, ours, want):
        """assertEqual would look for the difference for an hour."""
        self.assertTrue(ours == want, "the bytes differ")

    def test_the_provider_is_listed_with_its_ciphers(self):
        self.assert_listed(self.cnf())

    def test_enc_reads_what_it_wrote_and_what_the_default_provider_wrote(self):
        data = os.urandom(100_001)
        # Lines that are wrong take no others with them.
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
        """Requests of the command's, whose section for random numbers has this query."""
        cnf = self.cnf("ciphers = AES-256-CTR:0 AES-256-ECB:0")
        text = self.read("openssl.cnf").replace("[init]\n", "[init]\nrandom = random\n")
        self.assertIn("provider!=kcrypto", text)
        self.write("openssl.cnf", text.replace("provider!=kcrypto", query))
        self.run_(["openssl", "rand", "64"], cnf)
        return self.requests("AES-256-CTR") + self.requests("AES-256-ECB")

    def test_random_numbers_come_from_any_provider_but_ours(self):
        self.assertEqual(self.for_random_numbers("provider!=kcrypto"), 0)

    if VERSION < (3, 5):
        def test_without_a_query_they_are_made_with_our_cipher(self):
            """Or the test above would show nothing."""
            self.assertGreater(self.for_random_numbers("?provider=kcrypto"), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
