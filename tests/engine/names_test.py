#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto engine-names: with dpkg, whose database is the test's own, and without dpkg.

usage: names_test.py BUILD"""

import itertools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = os.path.abspath(sys.argv[1])
IDS = ("kcrypto", "afalg", "af_alg", "devcrypto", "cryptodev")
DISTRO = b"what the distribution put there"
DPKG = shutil.which("dpkg-divert")
TOOLS = ("cat", "chmod", "cmp", "cp", "grep", "id", "ln", "mv", "readlink", "rm", "sync", "tr")
# Kills the tool and all that it started, after the step.
STEP = """#!/bin/sh
read n <%(tmp)s/count
echo $((n + 1)) >%(tmp)s/count
[ $n = "$KILL_AFTER" ] || exec %(tool)s "$@"
%(tool)s "$@"
kill -9 0
"""


class Names(unittest.TestCase):
    dpkg = False

    def setUp(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.addCleanup(self.tmp.cleanup)
        os.chmod(self.tmp.name, 0o755)
        self.dir = os.path.join(self.tmp.name, "engines")
        self.admin = os.path.join(self.tmp.name, "dpkg")
        self.tools = os.path.join(self.tmp.name, "tools")
        os.makedirs(self.dir)
        os.makedirs(self.tools)
        os.makedirs(os.path.join(self.admin, "info"))
        for name in ("status", "diversions"):
            open(os.path.join(self.admin, name), "w").close()
        for name in self.programs():
            os.symlink(shutil.which(name), os.path.join(self.tools, name))
        shutil.copy(os.path.join(BUILD, "kcrypto-engine.so"), self.dir)
        self.write("afalg.so", DISTRO)

    def programs(self):
        return TOOLS + (("dpkg-divert",) if self.dpkg else ())

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        # As dpkg does it: another file of that name.
        Path(self.path(name + ".tmp")).write_bytes(data)
        os.rename(self.path(name + ".tmp"), self.path(name))

    def read(self, name):
        return Path(self.path(name)).read_bytes()

    def listed(self):
        return sorted(os.listdir(self.dir))

    def tool(self, is_for_others):
        """Makes the tool reachable: the tree may be in a place that other users cannot enter."""
        if not is_for_others:
            return os.path.join(BUILD, "kcrypto")
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        os.chmod(place.name, 0o755)
        return shutil.copy(os.path.join(BUILD, "kcrypto"), place.name)

    def call(self, what, dir=None, env={}, **options):
        env = {**os.environ, "DPKG_ADMINDIR": self.admin, "PATH": self.tools, **env}
        argv = [self.tool("user" in options), "engine-names", what, "--dir", dir or self.dir]
        return subprocess.run(argv, env=env, capture_output=True, **options)

    def run_(self, what, code=0, **options):
        r = self.call(what, **options)
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
        lines = Path(self.admin, "diversions").read_text().splitlines()
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
        if not self.dpkg:
            # The file might belong to somebody else: no file is lost.
            self.assertEqual(self.read("afalg.so.kcrypto-kept.1"), DISTRO)
            os.unlink(self.path("afalg.so.kcrypto-kept.1"))
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

    def test_a_full_disk_is_called_that_and_changes_nothing(self):
        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        # SIGXFSZ stays ignored, as Python has it, so that a write fails instead.
        said = self.run_("install", 1, preexec_fn=no_room, restore_signals=False)
        self.assertIn("File too large", said)
        self.assertNotIn("No such file", said)
        self.assert_as_before()

    def test_one_name_that_can_not_be_had_leaves_the_others(self):
        os.mkdir(self.path("devcrypto.so"))
        self.assertIn("devcrypto.so", self.run_("install", 1))
        os.rmdir(self.path("devcrypto.so"))
        self.assert_as_before()

    def test_a_second_foreign_file_loses_none(self):
        self.run_("install")
        self.write("afalg.so", b"somebody's")
        self.run_("install")
        newest, older = ((DISTRO, b"somebody's") if self.dpkg else (b"somebody's", DISTRO))
        self.assertEqual(self.read("afalg.so.kcrypto-kept.1"), older)
        for _ in range(2):
            self.assertIn("afalg.so.kcrypto-kept.1: is kept", self.run_("remove"))
            self.assertEqual(self.read("afalg.so"), newest)
            self.assertEqual(self.read("afalg.so.kcrypto-kept.1"), older)
        self.assertEqual(self.diversions(), [])

    def test_a_link_comes_back_wherever_it_leads(self):
        self.write("real.so", DISTRO)
        for to in ("real.so", "kcrypto-engine.so", "nowhere", self.path("real.so")):
            os.unlink(self.path("afalg.so"))
            os.symlink(to, self.path("afalg.so"))
            for _ in range(2):
                self.run_("install")
                self.assertFalse(os.path.islink(self.path("afalg.so")))
            self.run_("remove")
            self.assertEqual(os.readlink(self.path("afalg.so")), to)
            self.assertEqual(self.listed(), ["afalg.so", "kcrypto-engine.so", "real.so"])

    def test_a_relative_directory(self):
        self.run_("install", dir="engines", cwd=self.tmp.name)
        self.assert_installed()
        self.run_("remove", dir="../engines/", cwd=self.tools)
        self.assert_as_before()

    def count_steps(self):
        """Counts each step of the tool that is_killed() starts. A step may be the last one."""
        self.steps = os.path.join(self.tmp.name, "steps")
        os.makedirs(self.steps)
        for name in set(self.programs()) & {"cp", "dpkg-divert", "ln", "mv", "rm"}:
            with open(os.path.join(self.steps, name), "w") as f:
                f.write(STEP % {"tmp": self.tmp.name, "tool": shutil.which(name)})
            os.chmod(f.name, 0o755)
        # sync would run hundreds of times, and the disk is not under test.
        os.unlink(os.path.join(self.tools, "sync"))
        os.symlink(shutil.which("true"), os.path.join(self.tools, "sync"))
        self.is_killed("remove", 0)

    def is_killed(self, what, n):
        Path(self.tmp.name, "count").write_text("1\n")
        env = {"KILL_AFTER": str(n), "PATH": f"{self.steps}:{self.tools}"}
        return self.call(what, env=env, start_new_session=True).returncode == -9

    def assert_whole(self):
        """Each name is a whole file, and dpkg knows of kcrypto's diversions alone."""
        engine = self.read("kcrypto-engine.so")
        for name in IDS:
            there = self.read(name + ".so") if os.path.exists(self.path(name + ".so")) else None
            self.assertIn(there, [DISTRO, engine] if name == "afalg" else [None, engine])
            if there != engine:
                self.assertNotIn(name, self.diversions())

    def test_killed_at_any_step_it_leaves_nothing_stale(self):
        self.count_steps()
        for what in ("install", "remove"):
            for n in itertools.count(1):
                if what == "remove":
                    self.run_("install")
                if not self.is_killed(what, n):
                    break
                self.assert_whole()
                if n % 2:
                    self.run_("install")
                self.run_("remove")
                self.assert_as_before()
            self.assertGreater(n, 5)
            self.run_("remove")

    def test_a_word_too_many_or_none(self):
        self.run_("upgrade", 2)
        self.run_("", 2)
        self.assert_as_before()


if DPKG and os.geteuid() == 0:
    class WithDpkg(Names):
        dpkg = True

        def test_a_refusal_of_dpkg_takes_all_back(self):
            with open(os.path.join(self.admin, "diversions"), "w") as f:
                f.write(f"{self.dir}/af_alg.so\n{self.dir}/af_alg.so.else\nsomebody\n")
            self.assertIn("af_alg.so: dpkg-divert refused", self.run_("install", 1))
            self.assertEqual(self.diversions(), ["af_alg"])
            self.assertEqual(self.listed(), ["afalg.so", "kcrypto-engine.so"])
            self.assertEqual(self.read("afalg.so"), DISTRO)

        def test_a_user_is_told_that_dpkg_wants_root(self):
            os.chown(self.dir, 65534, 65534)
            self.assertIn("only root can", self.run_("install", 1, user=65534))
            self.assert_as_before()
            self.run_("install")
            self.assertIn("only root can", self.run_("remove", 1, user=65534))
            self.assert_installed()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
