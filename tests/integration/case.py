# SPDX-License-Identifier: Apache-2.0
"""What tests on a running kernel share: configuration, programs that use it, counters, the list.

The test's first argument is the build directory."""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from counters import counters as stats, drop, made, make  # noqa: E402,F401
from folder import CLEAN, Folder, cnf_of  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
TOOL = os.path.join(BUILD, "kcrypto")
KEY = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
IV = "000102030405060708090a0b0c0d0e0f"
# Programs that encrypt their input.
ENC_128 = ["openssl", "enc", "-aes-128-cbc", "-K", KEY[:32], "-iv", IV]
ENC_256 = ["openssl", "enc", "-aes-256-cbc", "-K", KEY, "-iv", IV]

VERSION = tuple(map(int, re.match(
    r"OpenSSL (\d+)\.(\d+)", subprocess.check_output(["openssl", "version"], text=True)).groups()))

MODULE = os.path.join(BUILD, "kcrypto.so")
# The same over the stand-in, which replaces the kernel for that tool, too; and a module that
# crashes.
STANDIN = os.path.join(BUILD, "tests/kcrypto-standin.so")
STANDIN_TOOL = os.path.join(BUILD, "tests/kcrypto-tool-standin")
SICK = os.path.join(BUILD, "tests/sick.so")
# Its arguments are a sandbox's name, --, and the command to run in the sandbox.
SANDBOXED = os.path.join(BUILD, "tests/faults/sandboxed")


def engine_cnf(name, *lines, rest=""):
    """A configuration that ends in the section of an engine."""
    return "\n".join(("openssl_conf = init", "[init]", "engines = engines", rest, "[engines]",
                      f"{name} = section", "[section]", *lines, ""))


def unwrapped(text):
    """Remarks of kcrypto list, each in one line."""
    return re.sub(r"\n  (?=\S)", " ", text)


def in_a_filter():
    """Whether this process is in a seccomp filter, such as a container's, in which kcrypto has to use the
    kernel all the same."""
    return not re.search(r"^Seccomp:\s*0$", pathlib.Path("/proc/self/status").read_text(), re.M)


# Reasons that make list and tune fail, because the driver is to blame.
BLAMED = {"request-failed", "wrong-answer", "lied", "no-answer"}


class Case(Folder):
    module = MODULE

    def setUp(self):
        super().setUp()
        self.stats = self.path("stats")
        self.addCleanup(drop, self.stats)
        self.count_anew()

    def count_anew(self):
        """Starts new counters, for processes that start from now on."""
        make(self.stats)

    def cnf(self, *lines):
        return self.write("openssl.cnf", cnf_of(self.module) + "seccomp = trust\n" * in_a_filter() +
                          "".join(line + "\n" for line in lines))

    def run_(self, argv, cnf=None, data=None, ok=True, env=()):
        env = dict(env) | CLEAN | {"KCRYPTO_STATS": self.stats}
        if cnf:
            env["OPENSSL_CONF"] = cnf
        r = subprocess.run(argv, env=env, input=data, capture_output=True)
        if ok:
            self.assertEqual(r.returncode, 0, r.stderr.decode())
        return r

    def modprobe(self, program="/bin/false"):
        """Makes the kernel load modules by this program, until the returned function is called or the test
        ends."""
        path = pathlib.Path("/proc/sys/kernel/modprobe")
        back = functools.partial(path.write_text, path.read_text())
        self.addCleanup(back)
        path.write_text(program)
        return back

    def traced(self, argv, *cnf_and_data, calls="all"):
        """The system calls of a program and its children, as strace prints them."""
        self.run_(["strace", "-f", "-o", self.path("trace"), "-e", "trace=" + calls, *argv],
                  *cnf_and_data)
        return self.read("trace")

    def requests(self, name):
        return stats(self.stats)[name][0]

    def listing(self, *lines):
        r = self.run_([TOOL, "list", "--json", "--config", self.cnf(*lines)], ok=False)
        report = json.loads(r.stdout)
        self.assertEqual(r.returncode, any(row["reason"] in BLAMED for row in report["algorithms"]))
        return report

    def engines(self, **files):
        """A directory of engines that holds these alone."""
        shutil.rmtree(self.path("engines"), ignore_errors=True)
        os.mkdir(self.path("engines"))
        for name, file in files.items():
            shutil.copy(file, self.path("engines", name + ".so"))
        return {"OPENSSL_ENGINES": self.path("engines")}

    def assert_listed(self, cnf):
        """The openssl command lists the provider and its ciphers."""
        out = self.run_(["openssl", "list", "-providers", "-verbose"], cnf).stdout.decode()
        self.assertRegex(out, r"kcrypto\n\s+name: .*kcrypto")
        out = self.run_(["openssl", "list", "-cipher-algorithms", "-propquery",
                         "provider=kcrypto"], cnf).stdout.decode()
        self.assertIn("AES-128-CBC, AES128 } @ kcrypto", out)
        self.assertNotIn("AES-128-ECB } @ kcrypto", out)

    def row(self, name, *lines):
        return next(a for a in self.listing(*lines)["algorithms"] if a["name"] == name)
