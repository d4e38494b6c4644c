#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which programs get kcrypto's ciphers and which do not: property queries, and OpenSSL's random numbers.

usage: fetch_test.py BUILD MACHINE, see machine.py"""

import unittest
import sys

sys.path.append(sys.path[0] + "/..")
from case import ENC_256, MODULE, Case, cnf_of, stats
from machine import ADMIT, MACHINE, only
from player import AES_CBC, AES_CTR, AES_ECB, always
from tls_ends import ENDS

ALL = always(*AES_CBC, *AES_CTR, *AES_ECB)
# Ciphers that random numbers are made with; no CBC, which libssl uses for session tickets.
OF_RANDOM = always(*AES_CTR, *AES_ECB)
# Faults of each kind, from the start and from a later request on.
FAULTS = {
    "uml": ("sendmsg:error=EIO:when=100+", "sendmsg:error=EIO:when=100+3", "sendmsg:error=ENOMEM",
            "accept4:error=EMFILE:when=3+", "bind:error=ENOENT", "socket:error=EAFNOSUPPORT"),
    "cuse": ("ioctl:error=EIO:when=100+", "ioctl:error=EIO:when=100+3", "ioctl:error=ENOMEM",
             "ioctl:error=EINVAL:when=15+"),
}

# A program that uses random numbers: TLS handshakes with itself.
HANDSHAKES = ENDS + """
server.load_cert_chain(sys.argv[1])
client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
    server.maximum_version = client.maximum_version = version
    for _ in range(3):
        connect(server, client)
"""


class Fetch(Case):
    def section(self, replace=(), *lines):
        """A configuration in which some lines are replaced."""
        self.cnf(*lines)
        text = self.read("openssl.cnf")
        for old, new in replace:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.write("openssl.cnf", text)

    def total(self):
        return sum(r[0] for r in stats(self.stats).values())

    def encrypt(self, cnf, query=None, ok=True):
        """The encryption of 64 KiB, and the number of requests that the kernel did."""
        before = self.total()
        r = self.run_(ENC_256 + (["-propquery", query] if query else []), cnf, b"x" * 65536, ok=ok)
        return r, self.total() - before


class Properties(Fetch):
    def test_each_query_gets_the_provider_that_it_names(self):
        plain = [("default_properties = ?provider=kcrypto\n", "")]
        soft = self.encrypt(None)[0].stdout
        for query, ours in (
                ("?provider=kcrypto", True), ("provider=kcrypto", True),
                ("provider=default", False), ("?provider=default", False),
                ("provider!=kcrypto", False), ("?provider=kcrypto,provider=default", False)):
            with self.subTest(query=query):
                r, n = self.encrypt(self.section(plain, *ADMIT, ALL), query)
                self.assertEqual(r.stdout, soft)
                self.assertEqual(n > 0, ours, n)

    def test_a_query_for_fips_is_never_answered_by_us(self):
        for default in ("fips=yes", "fips=yes,?provider=kcrypto", "fips=yes,provider=kcrypto"):
            with self.subTest(default=default):
                cnf = self.section([("?provider=kcrypto", default)], *ADMIT, ALL)
                r, n = self.encrypt(cnf, ok=False)
                self.assertNotEqual(r.returncode, 0)
                self.assertEqual(n, 0)

    def test_a_wish_for_fips_is_no_wish_for_us(self):
        """No cipher here matches ?fips=yes: the first provider in the list is used, as without kcrypto."""
        soft = self.encrypt(None)[0].stdout
        r, _ = self.encrypt(self.section([("?provider=kcrypto", "?fips=yes")], *ADMIT, ALL))
        self.assertEqual(r.stdout, soft)
        out = self.run_(["openssl", "list", "-cipher-algorithms", "-propquery", "fips=yes"],
                        self.cnf(*ADMIT, ALL)).stdout.decode()
        self.assertNotIn("@ kcrypto", out)

    def test_a_query_without_the_default_ones_may_get_either(self):
        """-provider drops the default query, so nothing prefers kcrypto. The result is the same."""
        soft = self.encrypt(None)[0].stdout
        r, _ = self.encrypt(self.cnf(*ADMIT, ALL), "-provider")
        self.assertEqual(r.stdout, soft)

    def test_a_legacy_cipher_is_offered_only_where_legacy_is_active(self):
        key, data = "0123456789abcdef", b"x" * 65536
        argv = ["openssl", "enc", "-des-cbc", "-K", key, "-iv", key]
        legacy = [("default = default_section\n",
                   "default = default_section\nlegacy = default_section\n")]
        soft = self.run_(argv + ["-provider", "legacy", "-provider", "default"], None, data).stdout
        lines = (*ADMIT, "ciphers = DES-CBC:0")
        r = self.run_(argv, self.cnf(*lines), data, ok=False)
        self.assertNotEqual(r.returncode, 0)
        self.assertEqual(self.row("DES-CBC", *lines)["offered"], False)
        self.assertEqual(self.total(), 0)
        cnf = self.section(legacy, *lines)
        self.assertEqual(self.run_(argv, cnf, data).stdout, soft)
        self.assertGreater(self.total(), 10)

    def test_where_we_offer_nothing_all_is_as_without_us(self):
        nothing = self.cnf("max_sessions = 0")
        without = self.write("without.cnf", cnf_of(MODULE).replace("kcrypto = kcrypto_section\n", ""))
        for argv in (["-cipher-algorithms"], ["-cipher-algorithms", "-verbose"],
                     ["-digest-algorithms"], ["-random-generators"]):
            with self.subTest(argv=argv):
                ours = self.run_(["openssl", "list"] + argv, nothing).stdout
                self.assertEqual(ours, self.run_(["openssl", "list"] + argv, without).stdout)
                self.assertNotIn(b"@ kcrypto", ours)
        self.assertEqual(self.encrypt(nothing)[0].stdout, self.encrypt(without)[0].stdout)
        self.assertEqual(self.total(), 0)
        r, _ = self.encrypt(nothing, "provider=kcrypto", ok=False)
        self.assertNotEqual(r.returncode, 0)


class Random(Fetch):
    """OpenSSL 3.0 makes its random numbers with kcrypto's cipher where default_properties name kcrypto."""

    def are_random(self, outputs, size):
        for o in outputs:
            self.assertEqual(len(o), size)
            # Among 20,480 bytes each value comes 80 times, plus or minus ten times the deviation.
            self.assertLess(max(o[:20480].count(b) for b in range(256)), 80 + 10 * 9)
        self.assertEqual(len(set(outputs)), len(outputs))

    def use(self, cnf):
        # Enough for a driver to be tried and for a session to pay.
        out = [self.run_(["openssl", "rand", "3000000"], cnf).stdout for _ in range(2)]
        self.are_random(out, 3000000)
        self.run_(["openssl", "genrsa", "2048"], cnf)
        self.run_(["/usr/bin/python3", "-c", HANDSHAKES, self.certificate()], cnf)

    @only("uml", "cuse", "native")
    def test_nothing_of_them_goes_to_the_kernel(self):
        self.use(self.cnf(*ADMIT))
        self.assertEqual(self.total(), 0)

    @only("uml", "cuse", "native")
    def test_a_fixed_threshold_changes_nothing_as_long_as_it_is_not_0(self):
        self.use(self.cnf(*ADMIT, OF_RANDOM.replace(":0", ":16")))
        self.assertEqual(self.total(), 0)

    @only("uml", "cuse")
    def test_a_broken_kernel_neither_spoils_nor_stops_them(self):
        """With a threshold of 0 and no random section, random numbers do use the kernel."""
        cnf = self.cnf(*ADMIT, OF_RANDOM)
        argv = ["openssl", "rand", "30000"]
        self.run_(argv, cnf)
        version = self.run_(["openssl", "version"]).stdout
        self.assertEqual(self.total() > 0, version.startswith(b"OpenSSL 3.0."))
        for fault in FAULTS[MACHINE]:
            with self.subTest(fault=fault):
                out = [self.run_(["strace", "-o", "/dev/null", "-e", "inject=" + fault] + argv,
                                 cnf) for _ in range(2)]
                self.assertEqual([r.stderr for r in out], [b"", b""])
                self.are_random([r.stdout for r in out], 30000)
        redone = sum(r[2] for r in stats(self.stats).values())
        self.assertEqual(redone > 0, version.startswith(b"OpenSSL 3.0."))

    @only("uml", "cuse", "native")
    def test_with_everything_at_once_the_random_section_keeps_them_here(self):
        self.use(self.section([("[init]\n", "[init]\nrandom = random\n")], *ADMIT, OF_RANDOM))
        self.assertEqual(self.total(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
