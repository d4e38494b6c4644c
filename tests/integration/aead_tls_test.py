#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""TLS 1.2 and 1.3 with every AEAD suite: openssl's own client and server, a MB each way.

usage: aead_tls_test.py BUILD MACHINE, see machine.py.
One side at a time has the provider, so that both cannot make the same mistake; then both have it.
Counters show that the records went to the kernel.
"""

import os
import socket
import subprocess
import time
import unittest

from case import CLEAN, Case, make, stats
from machine import ADMIT, MACHINE

SIZE = 1_000_000

# Algorithm, version, suite. What /dev/crypto has is GCM.
SUITES = [
    ("AES-128-GCM", "1_2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ("AES-256-GCM", "1_2", "ECDHE-ECDSA-AES256-GCM-SHA384"),
    ("AES-128-GCM", "1_3", "TLS_AES_128_GCM_SHA256"),
    ("AES-256-GCM", "1_3", "TLS_AES_256_GCM_SHA384"),
] + ([
    ("AES-128-CCM", "1_2", "ECDHE-ECDSA-AES128-CCM"),
    ("AES-256-CCM", "1_2", "ECDHE-ECDSA-AES256-CCM8"),
    ("ChaCha20-Poly1305", "1_2", "ECDHE-ECDSA-CHACHA20-POLY1305"),
    ("AES-128-CCM", "1_3", "TLS_AES_128_CCM_SHA256"),
    ("AES-128-CCM", "1_3", "TLS_AES_128_CCM_8_SHA256"),
    ("ChaCha20-Poly1305", "1_3", "TLS_CHACHA20_POLY1305_SHA256"),
] if MACHINE == "uml" else [])


def offering(version, suite):
    """What a side is told, so that it offers this suite alone; some are below the usual level."""
    if version == "1_2":
        return ["-tls1_2", "-cipher", suite + ":@SECLEVEL=0"]
    return ["-tls1_3", "-ciphersuites", suite, "-cipher", "DEFAULT:@SECLEVEL=0"]


class Tls(Case):
    def setUp(self):
        super().setUp()
        self.cert = self.certificate("ec", "-pkeyopt", "ec_paramgen_curve:P-256")
        # Hexadecimal, as there are letters that the client takes for commands.
        self.data = os.urandom(SIZE // 2).hex().encode()
        self.write("data", self.data)

    def environment(self, side, name):
        """Of a side that has the provider or has not; each has its own counters."""
        env = CLEAN | {"KCRYPTO_STATS": make(self.path(side))}
        if name:
            env["OPENSSL_CONF"] = self.cnf(*ADMIT, f"ciphers = {name}:0")
        return env

    def start(self, argv, side, name, **how):
        return subprocess.Popen(["openssl"] + argv, cwd=self.dir.name,
                                env=self.environment(side, name), **how)

    def server(self, suite, version, name, out, *more):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        # A ticket that the client has not read when it closes would take what it sent with it.
        process = self.start(["s_server", "-accept", f"127.0.0.1:{port}", "-cert", self.cert,
                              "-key", self.cert, "-naccept", "1", "-quiet", "-num_tickets", "0",
                              *more, *offering(version, suite)],
                             "server", name, stdin=subprocess.PIPE, stdout=out)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, port

    def client(self, port, suite, version, name, data, *more):
        """Once the server is there."""
        argv = ["s_client", "-connect", f"127.0.0.1:{port}", *more, *offering(version, suite)]
        for _ in range(6000):
            r = self.start(argv, "client", name, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
            out, err = r.communicate(data)
            if b"refused" not in err:
                break
            time.sleep(0.1)
        self.assertEqual(r.returncode, 0, err.decode())
        return out

    def check(self, side, name, with_provider):
        if not with_provider:
            return self.assertEqual(stats(self.path(side)), {})
        requests, size, redone = stats(self.path(side))[name][:3]
        self.assertGreaterEqual(size, SIZE, (side, requests))
        self.assertEqual(redone, 0)

    def down(self, name, version, suite, server, client):
        process, port = self.server(suite, version, server and name, subprocess.DEVNULL, "-WWW")
        out = self.client(port, suite, version, client and name, b"GET /data HTTP/1.0\r\n\r\n", "-quiet")
        process.wait()
        self.assertTrue(out.partition(b"\r\n\r\n")[2] == self.data, "what arrived is not what was sent")
        self.check("server", name, server)
        self.check("client", name, client)

    def up(self, name, version, suite, server, client):
        with open(self.path("arrived"), "w+b") as f:
            process, port = self.server(suite, version, server and name, f)
            self.client(port, suite, version, client and name, self.data, "-nocommands",
                        "-no_ign_eof")
            process.wait()
            f.seek(0)
            self.assertTrue(f.read() == self.data, "what arrived is not what was sent")
        self.check("server", name, server)
        self.check("client", name, client)

    def test_every_suite_carries_what_was_sent(self):
        for name, version, suite in SUITES:
            for way, server, client in ((self.down, True, False), (self.down, False, True),
                                        (self.up, True, True)):
                for side in ("server", "client"):
                    if os.path.exists(self.path(side)):
                        os.remove(self.path(side))
                with self.subTest(suite=suite, server=server, client=client):
                    way(name, version, suite, server, client)


if __name__ == "__main__":
    unittest.main(argv=["tls_test"], verbosity=2)
