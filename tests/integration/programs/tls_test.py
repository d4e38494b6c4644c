#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""TLS with kcrypto preferred: records of 16 KiB in both directions, by Python's ssl, with client and
server in one process.

usage: tls_test.py BUILD [MACHINE]"""

import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import MODULE, STANDIN, Case
from machine import ADMIT, MACHINE
from tls_ends import ENDS

# usage: CERT VERSION SUITE OPTIONS; transfers 64 records and compares them.
TLS = ENDS + """
import os
cert, version, suite, options = sys.argv[1:]
server.load_cert_chain(cert)
client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
for context in (server, client):
    context.set_ciphers(suite + ":@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion[version]
    context.options |= int(options)
s, c = connect(server, client)
assert (c.version(), c.cipher()[0]) == (version.replace("_", "."), suite), c.cipher()
for _ in range(32):
    for writer, reader in (c, s), (s, c):
        record = os.urandom(16384)
        writer.write(record)
        assert reader.read(16384) == record
"""
RECORDS = 4 * 32  # each is encrypted by one end and decrypted by the other

NO_ENCRYPT_THEN_MAC = 1 << 19
# Without AES instructions libssl has no combined ciphers, and MAC-then-encrypt reaches kcrypto,
# too.
NO_AES_INSTRUCTIONS = {"OPENSSL_ia32cap": "~0x200000200000000"}


class Cbc(Case):
    module = STANDIN if MACHINE == "host" else MODULE

    def setUp(self):
        super().setUp()
        self.cert = self.certificate()

    def assert_offloaded(self, name, version, suite, options=0, env=()):
        before = self.requests(name)
        self.run_(["/usr/bin/python3", "-c", TLS, self.cert, version, suite, str(options)],
                  self.cnf(*ADMIT, f"ciphers = {name}:0"), env=env)
        self.assertGreaterEqual(self.requests(name) - before, RECORDS)

    def test_encrypt_then_mac(self):
        for version in ("TLSv1", "TLSv1_1", "TLSv1_2"):
            with self.subTest(version=version):
                self.assert_offloaded("AES-128-CBC", version, "ECDHE-RSA-AES128-SHA")
        self.assert_offloaded("AES-128-CBC", "TLSv1_2", "ECDHE-RSA-AES128-SHA256")

    def test_mac_then_encrypt_with_sha_384_which_nobody_stitches(self):
        self.assert_offloaded("AES-256-CBC", "TLSv1_2", "ECDHE-RSA-AES256-SHA384",
                              NO_ENCRYPT_THEN_MAC)

    def test_mac_then_encrypt_without_aes_instructions(self):
        for version in ("TLSv1", "TLSv1_1", "TLSv1_2"):
            with self.subTest(version=version):
                self.assert_offloaded("AES-128-CBC", version, "ECDHE-RSA-AES128-SHA",
                                      NO_ENCRYPT_THEN_MAC, NO_AES_INSTRUCTIONS)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
