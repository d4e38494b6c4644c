#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A real sshd with its seccomp sandbox, and ssh, with one openssl.cnf that sends every request to the
kernel: no process is killed, the bytes arrive, and the kernel does the work.

usage: sshd_test.py BUILD SSHD afalg|devcrypto|engine [TEST...]. engine: ssh uses the engine afalg instead
of the provider, and sshd has the same openssl.cnf, where the engine leaves its ciphers alone. Needs root
in a machine whose kernel has AF_ALG with software drivers, or in one with tests/cuse's device."""

import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../integration"))
from case import BUILD, Case, engine_cnf, make, stats  # noqa: E402
from served import SSH_CIPHERS as CIPHERS, SSHD as CONFIG, ssh_options  # noqa: E402

SSHD = os.path.abspath(sys.argv[2])
WAY = sys.argv[3]
LINES = ("soft_drivers = 1", "ciphers = ALL:0", "backends = " + WAY)
ENGINE = engine_cnf("afalg", f"dynamic_path = {BUILD}/kcrypto-engine.so", "default_algorithms = ALL",
                    "USE_SOFTDRIVERS = 1", "CIPHERS = ALL:0")


def prepare_system():
    """Does what installing the package would have done, and gives root a shell without start-up files."""
    os.makedirs("/run/sshd", exist_ok=True)
    with open("/run/passwd", "w") as f:
        f.write("root:x:0:0::/run:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n"
                "sshd:x:64999:65534::/run/sshd:/usr/sbin/nologin\n")
    subprocess.run(["mount", "--bind", "/run/passwd", "/etc/passwd"], check=True)


class Sshd(Case):
    def setUp(self):
        super().setUp()
        self.server = None
        self.addCleanup(self.stop)
        for key in ("host", "user"):
            self.run_(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(key)])
        self.write("config", CONFIG.format(dir=self.folder, ciphers=",".join(CIPHERS)))
        env = dict(os.environ, OPENSSL_CONF=self.cnf(*LINES), KCRYPTO_STATS=make(self.path("served")))
        self.log = open(self.path("log"), "wb")
        self.addCleanup(self.log.close)
        self.server = subprocess.Popen([SSHD, "-D", "-e", "-f", self.path("config")], env=env,
                                       stderr=self.log)
        while "Server listening" not in self.said():
            self.assertIsNone(self.server.poll(), self.said())
            time.sleep(0.1)

    def cnf(self, *lines):
        return self.write("openssl.cnf", ENGINE) if WAY == "engine" else super().cnf(*lines)

    def stop(self):
        if self.server:
            self.server.send_signal(signal.SIGTERM)
            self.server.wait()

    def said(self):
        return self.read("log")

    def ssh(self, cipher, command, data=b""):
        argv = ["ssh", "-F", "none", "-p", "2222", *ssh_options(self.path("user"), cipher)]
        return self.run_([*argv, "root@127.0.0.1", command], self.cnf(*LINES), data)

    def done(self, path, cipher):
        _, bits, mode = cipher.replace("aes", "aes-").split("-")
        return stats(self.path(path))[f"AES-{bits}-{mode.upper()}"][0]

    def test_no_cipher_gets_sshd_killed_and_the_kernel_does_both_ends(self):
        data = os.urandom(500_000)
        for cipher in CIPHERS:
            with self.subTest(cipher=cipher):
                r = self.ssh(cipher, "cat", data)
                self.assertTrue(r.stdout == data)
                if WAY == "engine":
                    self.assertEqual(self.done("served", cipher), 0)
                else:
                    self.assertGreater(self.done("served", cipher), 20)
                self.assertGreater(self.done("stats", cipher), 20)
        said = self.said()
        self.assertIn("attaching seccomp filter program", said)
        self.assertNotIn("SIGSYS", said)
        self.assertNotIn("unexpected system call", said)
        self.assertEqual(said.count("Accepted publickey"), len(CIPHERS))


if __name__ == "__main__":
    prepare_system()
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
