#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""openssl s_server and s_client with kcrypto preferred, in every kind of suite: MEGABYTES in both
directions at once, compared; and DTLS, one datagram at a time.

usage: s_server_test.py BUILD MACHINE [MEGABYTES]

A suite whose cipher the kernel lacks is left out, and named. Streams of AEADs have the provider on one
side, then on the other, so that both sides cannot make the same mistake."""

import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.append(sys.path[0] + "/..")
from case import CLEAN, Case, stats
from machine import ADMIT

MEGABYTES = int(sys.argv[3]) if len(sys.argv) > 3 else 2
SIZE = MEGABYTES << 20

# Version, suite, algorithm, further options of both ends.
STREAMS = [
    ("tls1", "ECDHE-RSA-AES128-SHA", "AES-128-CBC", ()),
    ("tls1_1", "ECDHE-RSA-AES256-SHA", "AES-256-CBC", ()),
    ("tls1_2", "ECDHE-RSA-AES128-SHA256", "AES-128-CBC", ()),
    ("tls1_2", "ECDHE-RSA-AES256-SHA384", "AES-256-CBC", ("-no_etm",)),
    ("tls1_2", "ECDHE-RSA-AES128-GCM-SHA256", "AES-128-GCM", ()),
    ("tls1_2", "ECDHE-RSA-AES256-GCM-SHA384", "AES-256-GCM", ()),
    ("tls1_2", "AES128-CCM", "AES-128-CCM", ()),
    ("tls1_2", "AES256-CCM8", "AES-256-CCM", ()),
    ("tls1_2", "ECDHE-RSA-CHACHA20-POLY1305", "ChaCha20-Poly1305", ()),
    ("tls1_3", "TLS_AES_128_GCM_SHA256", "AES-128-GCM", ()),
    ("tls1_3", "TLS_AES_256_GCM_SHA384", "AES-256-GCM", ()),
    ("tls1_3", "TLS_CHACHA20_POLY1305_SHA256", "ChaCha20-Poly1305", ()),
    ("tls1_3", "TLS_AES_128_CCM_SHA256", "AES-128-CCM", ()),
    ("tls1_3", "TLS_AES_128_CCM_8_SHA256", "AES-128-CCM", ()),
]
DATAGRAMS = [row for row in STREAMS if row[0] == "tls1_2"]


class Tls(Case):
    port = 4433  # one for each server: what is left of the last one would look like the next

    def setUp(self):
        super().setUp()
        self.cert = self.certificate()

    def end(self, argv, version, suite, cnf, stdin, stdout):
        """Some suites need a lower security level. @cnf: None for a side without the provider."""
        offers = ("-cipher", suite + ":@SECLEVEL=0")
        if version == "tls1_3":
            offers = ("-ciphersuites", suite, "-cipher", "DEFAULT:@SECLEVEL=0")
        env = CLEAN | {"KCRYPTO_STATS": self.stats} | ({"OPENSSL_CONF": cnf} if cnf else {})
        p = subprocess.Popen(["openssl", *argv, "-quiet", "-" + version, *offers], env=env,
                             stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop, p)
        return p

    def stop(self, p):
        if p.poll() is None:
            p.kill()
        p.wait()
        for f in (p.stdin, p.stdout):
            if f:
                f.close()

    def server(self, version, suite, cnf, options, stdin, stdout):
        Tls.port += 1
        p = self.end(["s_server", "-accept", f"127.0.0.1:{self.port}", "-cert", self.cert,
                      *options], version, suite, cnf, stdin, stdout)
        protocol = "udp" if version.startswith("dtls") else "tcp"
        while p.poll() is None:
            with open("/proc/net/" + protocol) as f:
                if ":%04X " % self.port in f.read():
                    return p
            time.sleep(0.05)
        self.fail("the server ended before it listened")

    def offered(self, name):
        """The configuration, if the kernel has this algorithm."""
        lines = (*ADMIT, f"ciphers = {name}:0")  # at once
        rows = [r for r in self.listing(*lines)["algorithms"] if r["name"] == name]
        if any(r["offered"] for r in rows):
            return self.cnf(*lines)
        print(f"left out: {name} is not offered here", flush=True)
        return None


class Streams(Tls):
    def source(self, path):
        """A pipe that stays open after the text, as a side ends with its input."""
        p = subprocess.Popen(["sh", "-c", 'cat "$0"; exec sleep 86400', path],
                             stdout=subprocess.PIPE)
        self.addCleanup(self.stop, p)
        return p.stdout

    def transfer(self, version, suite, options, server_cnf, client_cnf):
        text = os.urandom(1 << 20) * MEGABYTES
        paths = [self.path(n) for n in ("text", "to_server", "to_client")]
        Path(paths[0]).write_bytes(text)
        with open(paths[1], "wb") as to_server, open(paths[2], "wb") as to_client:
            server = self.server(version, suite, server_cnf, options, self.source(paths[0]), to_server)
            client = self.end(["s_client", "-connect", f"127.0.0.1:{self.port}", *options], version,
                              suite, client_cnf, self.source(paths[0]), to_client)
            while min(map(os.path.getsize, paths[1:])) < SIZE and client.poll() is None \
                    and server.poll() is None:
                time.sleep(0.05)
        for p in (client, server):
            self.stop(p)
        for path in paths[1:]:
            got = Path(path).read_bytes()
            self.assertEqual((len(got), got == text), (SIZE, True), (version, suite, path))

    def play(self, version, suite, name, options, *cnfs):
        before = self.requests(name)
        self.transfer(version, suite, options, *cnfs)
        # Records of 8 KiB and 16 KiB, each encrypted at one end and decrypted at the other.
        least = (SIZE // 8192 + SIZE // 16384) * sum(cnf is not None for cnf in cnfs)
        self.assertGreaterEqual(self.requests(name) - before, least)
        self.assertEqual(stats(self.stats)[name][2], 0)

    def test_every_suite(self):
        for version, suite, name, options in STREAMS:
            cnf = self.offered(name)
            sides = [(cnf, cnf)] if name.endswith("CBC") else [(cnf, None), (None, cnf)]
            for server, client in sides if cnf else ():
                with self.subTest(version=version, suite=suite, server=bool(server), client=bool(client)):
                    self.play(version, suite, name, options, server, client)


class Datagrams(Tls):
    def test_every_suite(self):
        for _, suite, name, options in DATAGRAMS:
            cnf = self.offered(name)
            if not cnf:
                continue
            with self.subTest(suite=suite):
                self.play(suite, name, cnf, options)

    def play(self, suite, name, cnf, options):
        """No record is lost that the other end waits for."""
        before = self.requests(name)
        mtu = ("-mtu", "16000")
        server = self.server("dtls1_2", suite, cnf, (*mtu, *options), subprocess.PIPE,
                             subprocess.PIPE)
        client = self.end(["s_client", "-connect", f"127.0.0.1:{self.port}", *mtu, *options], "dtls1_2",
                          suite, cnf, subprocess.PIPE, subprocess.PIPE)
        for i in range(100):
            line = bytes(33 + (i + k) % 90 for k in range(4000 + i)) + b"\n"
            for source, to in ((client, server), (server, client)):
                source.stdin.write(line)
                source.stdin.flush()
                self.assertEqual(to.stdout.readline(), line)
        self.assertGreater(self.requests(name) - before, 4 * 100 - 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
