#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Digests and MACs in unmodified programs: openssl, Python's hashlib and ssl, and OpenSSL's own use for
signatures, key derivation and TLS. Results are the same as without kcrypto.

usage: hash_test.py BUILD MACHINE, see machine.py."""

import os
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import Case
from machine import ADMIT, only
from tls_ends import ENDS

DIGESTS = ["MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "RIPEMD160"]
HASHES = ("digests = " + " ".join(d + ":0" for d in DIGESTS),
          "macs = " + " ".join(f"HMAC-{d}:0" for d in DIGESTS))

# Copies, pieces, and more than kcrypto keeps of a message.
HASHLIB = """
import hashlib, hmac
data = bytes(range(256)) * 300
for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "ripemd160"):
    h = hashlib.new(name)
    for n in (0, 1, 20000, 3, 30000, 20000):
        h.update(data[:n])
        copy = h.copy()
        print(name, n, h.hexdigest(), copy.hexdigest())
    print(name, hashlib.new(name, data[:65536]).hexdigest())
    print(name, hmac.new(b"k" * 200, data[:40000], name).hexdigest())
    print(name, hashlib.pbkdf2_hmac(name, b"password", data[:9000], 50).hex())
print(hashlib.scrypt(b"password", salt=b"salt", n=16, r=8, p=1).hex())
"""

# A handshake and 300,000 bytes both ways, in memory; both ends use kcrypto.
TLS = ENDS + """
server.load_cert_chain(sys.argv[1])
client.load_verify_locations(sys.argv[1])
def talk(version, ciphers):
    for context in (server, client):
        context.minimum_version = context.maximum_version = version
        if ciphers:
            context.set_ciphers(ciphers)
    s, c = connect(server, client, "localhost")
    data = bytes(range(256)) * 1172
    for one, other in ((s, c), (c, s)):
        got = b""
        for i in range(0, len(data), 16384):
            one.write(data[i:i + 16384])
            while True:
                try:
                    got += other.read(16384)
                except ssl.SSLWantReadError:
                    break
        assert got == data
    print(version, c.cipher())
talk(ssl.TLSVersion.TLSv1_3, None)
for suite in ("ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA384", "AES128-SHA",
              "ECDHE-RSA-AES256-GCM-SHA384"):
    talk(ssl.TLSVersion.TLSv1_2, suite + ":@SECLEVEL=0")
"""


class Programs(Case):
    def same(self, argv, data=None):
        """Runs the command with kcrypto and without, and returns both outputs."""
        soft = self.run_(argv, None, data).stdout
        self.assertEqual(self.run_(argv, self.cnf(*ADMIT, *HASHES), data).stdout, soft)
        self.assertTrue(soft)
        return soft

    def test_openssl_dgst_says_the_same_and_the_kernel_did_it(self):
        for size in (0, 1, 4000, 65536, 65537, 300000):
            file = self.write("file", os.urandom(size))
            for digest in DIGESTS:
                self.same(["openssl", "dgst", "-" + digest.lower(), file])
        for digest in DIGESTS:
            self.assertEqual(self.requests(digest), 3)

    def test_openssl_mac_says_the_same_and_the_kernel_did_it(self):
        data = os.urandom(50000)
        for digest in DIGESTS:
            for key in ("6b", "6b" * 144, "6b" * 145):
                self.same(["openssl", "mac", "-digest", digest, "-macopt", "hexkey:" + key,
                           "HMAC"], data)
            self.assertEqual(self.requests("HMAC-" + digest), 2)

    def test_a_digest_that_only_another_provider_has_is_found_for_a_mac(self):
        argv = ["openssl", "mac", "-digest", "MD4", "-macopt", "hexkey:00"]
        self.same([*argv, "-provider", "legacy", "-provider", "default", "HMAC"], b"abc")
        # An application that did not ask for the provider does not get it either.
        for cnf in (None, self.cnf(*ADMIT, *HASHES)):
            self.assertNotEqual(self.run_([*argv, "HMAC"], cnf, b"abc", ok=False).returncode, 0)

    def test_a_property_query_that_names_us_is_answered(self):
        for query in ("provider=kcrypto", "?provider=kcrypto", "provider=default"):
            self.run_(["openssl", "mac", "-digest", "SHA256", "-macopt", "hexkey:00", "-macopt",
                       "properties:" + query, "HMAC"], self.cnf(*ADMIT, *HASHES), b"a" * 9000)
        self.assertEqual(self.requests("HMAC-SHA256"), 0)

    def test_pythons_hashlib_says_the_same_and_the_kernel_did_it(self):
        self.same(["/usr/bin/python3", "-c", HASHLIB])
        for digest in DIGESTS:
            self.assertGreater(self.requests(digest), 6)

    def test_signatures_are_good_on_both_sides(self):
        data = self.write("data", os.urandom(30000))
        key = self.path("key")
        cnf = self.cnf(*ADMIT, *HASHES)
        for algorithm in (["RSA", "-pkeyopt", "rsa_keygen_bits:1024"],
                          ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]):
            self.run_(["openssl", "genpkey", "-out", key, "-algorithm", *algorithm])
            self.run_(["openssl", "pkey", "-in", key, "-pubout", "-out", key + ".pub"])
            for digest in ("SHA1", "SHA256", "SHA512"):
                before = self.requests(digest)
                for signs, verifies in ((cnf, None), (None, cnf), (cnf, cnf)):
                    self.run_(["openssl", "dgst", "-" + digest.lower(), "-sign", key, "-out",
                               key + ".sig", data], signs)
                    out = self.run_(["openssl", "dgst", "-" + digest.lower(), "-verify",
                                     key + ".pub", "-signature", key + ".sig", data],
                                    verifies).stdout
                    self.assertIn(b"Verified OK", out)
                self.assertGreaterEqual(self.requests(digest), before + 4)

    def test_tls_is_the_same(self):
        self.same(["/usr/bin/python3", "-c", TLS, self.certificate()])
        self.assertGreater(self.requests("SHA256"), 0)

    @only("cuse")
    def test_all_is_not_enough_over_dev_crypto(self):
        rows = [a for a in self.listing(*ADMIT, "digests = ALL:0", "macs = ALL:0")["algorithms"]
                if a["name"] in DIGESTS or a["name"].startswith("HMAC-")]
        self.assertEqual({a["reason"] for a in rows}, {"only-by-name"})
        # The driver is unknown, so the module was not asked for it.
        self.assertEqual({a.get("driver") or None for a in rows}, {None})
        row = self.row("SHA256", *ADMIT, "digests = SHA256:0")
        self.assertEqual((row["offered"], row["driver"]), (True, "mv-sha256"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
