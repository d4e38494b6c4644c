# SPDX-License-Identifier: Apache-2.0
"""Roots that are laid out as those of distributions, and the tool run on them.

The test's first argument is the build directory."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from folder import Folder  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
TOOL = os.path.join(BUILD, "kcrypto")
VERSION = tuple(map(int, re.match(r"OpenSSL (\d+)\.(\d+)", subprocess.run(
    ["openssl", "version"], capture_output=True, text=True, check=True).stdout).groups()))

# Name: its openssl.cnf, the path of that file, other files, directories, the library.
LAYOUTS = {
    "debian-11": ("etc/ssl/openssl.cnf", "debian-11", {"etc/debian_version": "11.11\n"}, [], "1.1"),
    "debian-12": ("etc/ssl/openssl.cnf", "debian-12", {"etc/debian_version": "12.12\n"}, [], "3"),
    "debian-13": ("etc/ssl/openssl.cnf", "debian-13", {"etc/debian_version": "13.1\n"}, [], "3"),
    "fedora": ("etc/pki/tls/openssl.cnf", "fedora",
               {"etc/crypto-policies/back-ends/opensslcnf.config":
                "CipherString = @SECLEVEL=2:kEECDH\nTLS.MinProtocol = TLSv1.2\n"},
               ["etc/pki/tls/openssl.d"], "3"),
    "openwrt-19.07": ("etc/ssl/openssl.cnf", "openwrt-19.07", {}, [], "1.1"),
    "openwrt-22.03": ("etc/ssl/openssl.cnf", "openwrt-22.03", {},
                      ["etc/ssl/engines.cnf.d"], "1.1"),
    "openwrt-23.05": ("etc/ssl/openssl.cnf", "openwrt-23.05", {},
                      ["etc/ssl/modules.cnf.d"], "3"),
    "openwrt-24.10": ("etc/ssl/openssl.cnf", "openwrt-23.05",
                      {"etc/ssl/modules.cnf.d/legacy.cnf": "[legacy_sect]\nactivate = 1\n"}, [], "3"),
    "yocto": ("etc/ssl/openssl.cnf", "yocto", {}, ["etc/ssl/openssl.cnf.d"], "3"),
    "plain": ("etc/ssl/openssl.cnf", "debian-12", {}, [], "3"),
}


# What is installed beside the module.
LOADER = "kcrypto_module::path = /usr/lib/ossl-modules/kcrypto.so\nkcrypto = kcrypto_module\n"


def packaged(file):
    """Whether a file is unchanged since Debian's package openssl installed it, for OpenSSL 3 or later."""
    try:
        said = subprocess.run(["dpkg-query", "-W", "-f", "${Version} ${Conffiles}\n", "openssl"],
                              capture_output=True, text=True, check=True).stdout.split()
        return said[0] >= "3" and hashlib.md5(Path(file).read_bytes()).hexdigest() == \
            said[said.index(file) + 1]
    except (OSError, subprocess.CalledProcessError, ValueError):
        return False


if packaged("/etc/ssl/openssl.cnf"):
    LAYOUTS["installed"] = ("etc/ssl/openssl.cnf", "/etc/ssl/openssl.cnf", {}, [], "3")


def fixture(name):
    """A layout's openssl.cnf without its first two lines, which describe it; or a file of this system."""
    if name.startswith("/"):
        return Path(name).read_bytes()
    return Path(HERE, "layouts", name + ".cnf").read_bytes().split(b"\n", 2)[2]


def unwrapped(text):
    """The findings, each in one line."""
    return re.sub(r"\n(?: {22}|  )(?=\S)", " ", text)


class Root(Folder):
    """A test with a directory that is laid out as a root."""

    def setUp(self):
        super().setUp()
        self.root = self.folder

    def read(self, name):
        return Path(self.path(name)).read_bytes()

    def lay_out(self, name):
        main, text, files, directories, library = LAYOUTS[name]
        for file, data in files.items():
            self.write(file, data)
        for directory in directories:
            os.makedirs(self.path(directory))
        self.write("usr/lib/libcrypto.so." + library, "")
        if library != "1.1":
            self.write("usr/lib/ossl-modules/kcrypto.cnf", LOADER)
        self.main = main
        self.write(main, fixture(text))

    def files(self):
        """{path: (mode, bytes)} of all files."""
        found = {}
        for path, _, names in os.walk(self.root):
            for name in names:
                name = os.path.join(path, name)
                found[os.path.relpath(name, self.root)] = (os.lstat(name).st_mode, Path(name).read_bytes())
        return found

    def run_(self, *args, env=(), **more):
        return subprocess.run([TOOL, "config", *args], capture_output=True, text=True, check=False,
                              timeout=600, env=os.environ | dict(env), **more)

    def config(self, *args, code=0, **more):
        """Runs the tool on this root; returns its output, each finding in one line."""
        r = self.run_(*args, "--root", self.root, **more)
        self.assertEqual(r.returncode, code, r.stdout + r.stderr)
        return unwrapped(r.stdout + r.stderr)
