#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""nginx and OpenVPN with the engine named in their own configuration: they start, the bytes are
right, and the kernel did the work, in every process that they fork.

usage: programs_test.py BUILD PROGRAMS ID. Root of a machine whose kernel has AF_ALG with software
drivers, or of one with tests/cuse's device.
"""

import hashlib
import http.client
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../integration"))
from case import BUILD, stats  # noqa: E402

PROGRAMS, ID = os.path.abspath(sys.argv[2]), sys.argv[3]

CNF = f"""openssl_conf = init
[init]
engines = engines
[engines]
{ID} = section
[section]
USE_SOFTDRIVERS = 1
CIPHERS = ALL:0
"""

NGINX = """daemon off;
user root;
worker_processes 2;
error_log {dir}/log info;
pid {dir}/pid;
ssl_engine {id};
env OPENSSL_CONF;
env OPENSSL_ENGINES;
env KCRYPTO_STATS;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {dir}/body;
    proxy_temp_path {dir}/proxy;
    fastcgi_temp_path {dir}/fastcgi;
    uwsgi_temp_path {dir}/uwsgi;
    scgi_temp_path {dir}/scgi;
    server {{
        listen 127.0.0.1:8443 ssl;
        ssl_certificate {dir}/cert;
        ssl_certificate_key {dir}/cert;
        ssl_protocols TLSv1.2;
        ssl_ciphers ECDHE-RSA-AES256-SHA384:@SECLEVEL=0;
        root {dir}/files;
    }}
}}
"""

# usage: PORT, or PORT HOST BYTES; the one echoes what the other sends, which prints a checksum.
ECHO = """
import hashlib, socket, sys
if len(sys.argv) == 2:
    s = socket.create_server(("", int(sys.argv[1])))
    print("ready", flush=True)
    c = s.accept()[0]
    while data := c.recv(65536):
        c.sendall(data)
else:
    c = socket.create_connection((sys.argv[2], int(sys.argv[1])), 30)
    h = hashlib.sha256()
    for i in range(int(sys.argv[3])):
        piece = bytes([i % 251]) * 1200
        c.sendall(piece)
        while piece:
            data = c.recv(len(piece))
            h.update(data)
            piece = piece[len(data):]
    print(h.hexdigest())
"""


class Programs(unittest.TestCase):
    def setUp(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.addCleanup(self.tmp.cleanup)
        self.dir = self.tmp.name
        shutil.copy(os.path.join(BUILD, "kcrypto-engine.so"), os.path.join(self.dir, ID + ".so"))
        self.write("cnf", CNF)
        self.env = dict(os.environ, OPENSSL_CONF=self.path("cnf"), OPENSSL_ENGINES=self.dir,
                        KCRYPTO_STATS=self.path("stats"))

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def requests(self, name):
        return stats(self.path("stats"))[name][0] if os.path.exists(self.path("stats")) else 0

    def start(self, argv, **kwargs):
        process = subprocess.Popen(argv, env=self.env, **kwargs)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def wait_until(self, happened, process):
        while not happened():
            self.assertIsNone(process.poll())
            time.sleep(0.1)

    def read(self, name):
        try:
            with open(self.path(name), errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""


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
        os.makedirs(self.path("files"))
        with open(self.path("files/data"), "wb") as f:
            f.write(self.data)
        self.write("req", "[req]\ndistinguished_name = n\n[n]\n")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x",
                        "-keyout", self.path("cert"), "-out", self.path("cert")], check=True,
                       stderr=subprocess.DEVNULL, env=dict(os.environ, OPENSSL_CONF=self.path("req")))
        self.write("conf", NGINX.format(dir=self.dir, id=ID))
        nginx = self.start([PROGRAMS + "/nginx", "-p", self.dir, "-c", self.path("conf"), "-e",
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
        echo = self.start(["ip", "netns", "exec", "far", "/usr/bin/python3", "-c", ECHO, "7000"],
                          stdout=subprocess.PIPE)
        self.assertEqual(echo.stdout.readline(), b"ready\n")
        self.addCleanup(echo.stdout.close)
        before = self.requests("AES-256-CBC")
        said = subprocess.run(["/usr/bin/python3", "-c", ECHO, "7000", "10.9.0.2", "100"],
                              check=True, capture_output=True).stdout
        want = hashlib.sha256(b"".join(bytes([i % 251]) * 1200 for i in range(100))).hexdigest()
        self.assertEqual(said.decode().strip(), want)
        # Each packet there and back, encrypted by one end and decrypted by the other.
        self.assertGreaterEqual(self.requests("AES-256-CBC") - before, 400)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
