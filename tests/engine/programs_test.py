#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""nginx and OpenVPN with the engine named in their own configuration: they start, the bytes are right, and
the kernel does the work, in every process that they fork.

usage: programs_test.py BUILD PROGRAMS ID. Needs root in a machine whose kernel has AF_ALG with software
drivers, or in one with tests/cuse's device."""

import http.client
import os
import shutil
import signal
import ssl
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../integration"))
from case import BUILD, engine_cnf, make, stats  # noqa: E402
from folder import Folder  # noqa: E402
from served import NGINX  # noqa: E402

PROGRAMS, ID = os.path.abspath(sys.argv[2]), sys.argv[3]

MAIN = f"daemon off; user root; ssl_engine {ID}; env OPENSSL_CONF; env OPENSSL_ENGINES;"
ECHO = os.path.join(HERE, "../apps/echo.py")


class Programs(Folder):
    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(BUILD, "kcrypto-engine.so"), self.path(ID + ".so"))
        self.write("cnf", engine_cnf(ID, "USE_SOFTDRIVERS = 1", "CIPHERS = ALL:0"))
        self.env = dict(os.environ, OPENSSL_CONF=self.path("cnf"), OPENSSL_ENGINES=self.folder,
                        KCRYPTO_STATS=make(self.path("stats")))

    def requests(self, name):
        return stats(self.path("stats"))[name][0]

    def start(self, argv, **kwargs):
        process = subprocess.Popen(argv, env=self.env, **kwargs)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def wait_until(self, happened, process):
        while not happened():
            self.assertIsNone(process.poll())
            time.sleep(0.1)


class Nginx(Programs):
    def fetch(self, count):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_ciphers("ECDHE-RSA-AES256-SHA384:@SECLEVEL=0")
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        for _ in range(count):
            c = http.client.HTTPSConnection("127.0.0.1", 8443, context=context)
            c.request("GET", "/data")
            self.assertEqual(c.getresponse().read(), self.data)
            c.close()

    def test_it_serves_and_starts_anew_without_an_end(self):
        self.data = os.urandom(400_000)
        self.write("files/data", self.data)
        self.write("conf", NGINX.format(main=MAIN, dir=self.folder, cert=self.certificate(), port=8443,
                                        files=self.path("files")))
        nginx = self.start([PROGRAMS + "/nginx", "-p", self.folder, "-c", self.path("conf"), "-e",
                            self.path("log")])
        self.wait_until(lambda: "start worker processes" in self.read("log"), nginx)
        for i in range(3):
            before = self.requests("AES-256-CBC")
            self.fetch(10)
            self.assertGreater(self.requests("AES-256-CBC") - before, 10 * 400_000 // 16384)
            os.kill(nginx.pid, signal.SIGHUP)
            self.wait_until(lambda: self.read("log").count("reconfiguring") > i, nginx)
        self.assertNotIn("[emerg]", self.read("log"))
        self.assertNotIn("exited on signal", self.read("log"))


class OpenVpn(Programs):
    def test_a_tunnel(self):
        subprocess.run(["modprobe", "tun"])
        if not os.path.exists("/dev/net/tun"):
            os.makedirs("/dev/net", exist_ok=True)
            os.mknod("/dev/net/tun", 0o600 | 0o020000, os.makedev(10, 200))
        for line in ("netns add far", "link add near type veth peer name far netns far",
                     "addr add 192.168.7.1/24 dev near", "link set near up",
                     "-n far addr add 192.168.7.2/24 dev far", "-n far link set far up",
                     "-n far link set lo up"):
            subprocess.run(["ip", *line.split()], check=True)
        subprocess.run([PROGRAMS + "/openvpn", "--genkey", "secret", self.path("key")], check=True)
        ends = []
        for n, peer, prefix in ((1, 2, []), (2, 1, ["ip", "netns", "exec", "far"])):
            ends.append(self.start(prefix + [
                PROGRAMS + "/openvpn", "--dev", "tun", "--ifconfig", f"10.9.0.{n}",
                f"10.9.0.{peer}", "--remote", f"192.168.7.{peer}", "--secret", self.path("key"),
                "--cipher", "AES-256-CBC", "--engine", ID, "--disable-dco", "--log",
                self.path(f"log{n}")]))
        for n, end in zip((1, 2), ends):
            self.wait_until(lambda: "Initialization Sequence Completed" in self.read(f"log{n}"), end)
        echo = self.start(["ip", "netns", "exec", "far", "/usr/bin/python3", ECHO, "7000"],
                          stdout=subprocess.PIPE)
        self.assertEqual(echo.stdout.readline(), b"ready\n")
        self.addCleanup(echo.stdout.close)
        before = self.requests("AES-256-CBC")
        subprocess.run(["/usr/bin/python3", ECHO, "7000", "10.9.0.2", "100", "1200"], check=True)
        # Each packet goes there and back, encrypted by one end and decrypted by the other.
        self.assertGreaterEqual(self.requests("AES-256-CBC") - before, 400)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
