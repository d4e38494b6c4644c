#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto engine-names: with dpkg, whose database is one of our own, and without.

usage: names_test.py BUILD
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv[1])
IDS = ("kcrypto", "afalg", "af_alg", "devcrypto", "cryptodev")
DISTRO = b"what the distribution put there"
DPKG = shutil.which("dpkg-divert")


class Names(unittest.TestCase):
    dpkg = False

    def setUp(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.addCleanup(self.tmp.cleanup)
        self.dir = os.path.join(self.tmp.name, "engines")
        self.admin = os.path.join(self.tmp.name, "dpkg")
        os.makedirs(self.dir)
        os.makedirs(os.path.join(self.admin, "info"))
        for name in ("status", "diversions"):
            open(os.path.join(self.admin, name), "w").close()
        shutil.copy(os.path.join(BUILD, "kcrypto-engine.so"), self.dir)
        self.write("afalg.so", DISTRO)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        # As dpkg does it: another file of that name.
        with open(self.path(name + ".tmp"), "wb") as f:
            f.write(data)
        os.rename(self.path(name + ".tmp"), self.path(name))

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def listed(self):
        return sorted(os.listdir(self.dir))

    def run_(self, what, code=0):
        env = dict(os.environ, DPKG_ADMINDIR=self.admin,
                   PATH=os.environ["PATH"] if self.dpkg else "/nowhere")
        r = subprocess.run([os.path.join(BUILD, "kcrypto"), "engine-names", what, "--dir", self.dir],
                           env=env, capture_output=True, timeout=60)
        self.assertEqual(r.returncode, code, r.stderr.decode())
        return r.stdout.decode() + r.stderr.decode()

    def assert_installed(self, kept=DISTRO):
        engine = self.read("kcrypto-engine.so")
        for name in IDS:
            self.assertEqual(self.read(name + ".so"), engine)
        self.assertEqual(self.read("afalg.so.kcrypto-kept"), kept)
        self.assertEqual(self.listed(), sorted([i + ".so" for i in IDS] + [
            "kcrypto-engine.so", "afalg.so.kcrypto-kept"]))
        self.assertEqual(self.diversions(), sorted(IDS) if self.dpkg else [])

    def assert_as_before(self, there=DISTRO):
        self.assertEqual(self.listed(), ["afalg.so", "kcrypto-engine.so"])
        self.assertEqual(self.read("afalg.so"), there)
        self.assertEqual(self.diversions(), [])

    def diversions(self):
        with open(os.path.join(self.admin, "diversions")) as f:
            lines = f.read().splitlines()
        return sorted(os.path.basename(line)[:-3] for line in lines[::3])

    def test_install_and_remove_as_often_as_one_likes(self):
        for _ in range(3):
            said = self.run_("install")
            self.assert_installed()
        self.assertEqual(said.count("is there already"), len(IDS))
        for _ in range(3):
            self.run_("remove")
            self.assert_as_before()

    def test_an_upgrade_of_ours(self):
        self.run_("install")
        self.write("kcrypto-engine.so", self.read("kcrypto-engine.so") + b"newer")
        self.run_("install")
        self.assert_installed()
        self.run_("remove")
        self.assert_as_before()

    def test_an_upgrade_of_the_distributions(self):
        self.run_("install")
        self.write("afalg.so.kcrypto-kept" if self.dpkg else "afalg.so", b"newer")
        self.run_("install")
        self.assert_installed(b"newer")
        self.run_("remove")
        self.assert_as_before(b"newer")

    def test_what_was_broken_off_is_made_whole(self):
        os.link(self.path("afalg.so"), self.path("afalg.so.kcrypto-kept"))
        self.write("devcrypto.so.kcrypto-new", b"half a f")
        self.run_("install")
        self.assert_installed()
        os.unlink(self.path("afalg.so"))
        self.run_("remove")
        self.assert_as_before()

    def test_a_foreign_file_is_not_removed(self):
        self.run_("remove")
        self.assert_as_before()
        self.run_("install")
        self.write("afalg.so", b"somebody's")
        self.assertIn("is not ours", self.run_("remove"))
        self.assertEqual(self.read("afalg.so"), b"somebody's")
        self.assertEqual(self.read("afalg.so.kcrypto-kept"), DISTRO)

    def test_without_the_engine_nothing_happens(self):
        os.unlink(self.path("kcrypto-engine.so"))
        self.assertIn("kcrypto-engine.so: No such file", self.run_("install", 1))
        self.assertEqual(self.listed(), ["afalg.so"])
        self.assertEqual(self.diversions(), [])

    def test_a_word_too_many_or_none(self):
        self.run_("upgrade", 2)
        self.run_("", 2)
        self.assert_as_before()


if DPKG and os.geteuid() == 0:
    class WithDpkg(Names):
        dpkg = True


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
