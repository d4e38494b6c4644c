#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What 'kcrypto config enable' refuses, giving the reason and leaving the file as it was; and how it
writes: each file is the old one or the new one at any moment.

usage: refuse_test.py BUILD"""

import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from system import BUILD, TOOL, Root, fixture

ENV = {"OPENSSL_MODULES": BUILD}
FIPS = """openssl_conf = init
[init]
providers = providers
[providers]
fips = fips
[fips]
activate = 1
"""
ENGINE = """openssl_conf = init
[init]
engines = engines
[engines]
afalg = old
[old]
CIPHERS = ALL
"""


SICK = f"""openssl_conf = i
[i]
providers = p
[p]
sick = s
default = d
[s]
module = {BUILD}/tests/sick.so
activate = 1
[d]
activate = 1
"""


def query(value):
    return f"openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = {value}\n"


class Refused(Root):
    def refused(self, text, why, *args, **more):
        """Enabling fails with the reason, and changes nothing. {} in the reason: the file's path."""
        path = self.write("openssl.cnf", text)
        before = self.files()
        r = self.run_("enable", "--config", path, *args, env=ENV, **more)
        self.assertEqual((r.returncode, r.stdout), (1, ""))
        self.assertIn(why.format(path), r.stderr)
        self.assertEqual(self.files(), before)

    def test_what_stands_in_the_way_is_named_with_its_line(self):
        for text, why in (
                ("a = 1\n[x\n", "{}:2: "),
                ("a = 1\nnonsense\n", "{}:2: "),
                ("a = 1\\", "its last line ends in a backslash"),
                (FIPS, "{}:5: providers are active here without OpenSSL's 'default'"),
                (ENGINE, "{}:5: programs would use this engine instead"),
                (query("provider=kcrypto"), "{}:5: 'provider=kcrypto' hides most"),
                (query("?provider=tpm2"), "{}:5: this prefers another provider"),
                ("# kcrypto config: begin; 'kcrypto config disable' takes these lines away\n",
                 "the marked lines have no end"),
        ):
            with self.subTest(text=text):
                self.refused(text, why)

    def test_no_file_that_a_program_cannot_start_with(self):
        self.refused("openssl_conf = i\nconfig_diagnostics = 1\n[i]\nnonsense = x\n",
                     "programs do not start with {}: config_diagnostics is on")

    def test_no_file_that_crashes_a_program(self):
        self.refused(SICK, "a program that loads {} fails: killed by signal ")

    def test_no_file_that_somebody_changes_in_the_meantime(self):
        path = self.write("openssl.cnf", SICK)
        r = self.run_("enable", "--config", path, env=ENV | {"SICK_WRITES": path})
        self.assertEqual(r.returncode, 1, r.stdout)
        self.assertIn(path + ": another program has changed it", r.stderr)
        self.assertEqual(self.read("openssl.cnf").decode().replace("# more\n", ""), SICK)
        self.assertEqual(os.listdir(self.root), ["openssl.cnf"])

    def test_no_module_that_cannot_be_loaded(self):
        path = self.write("openssl.cnf", "a = 1\n")
        r = self.run_("enable", "--config", path, env={"OPENSSL_MODULES": self.root})
        self.assertEqual(r.returncode, 1)
        self.assertIn(f"OPENSSL_MODULES makes programs look for {self.root}/kcrypto.so", r.stderr)
        self.assertEqual(self.read("openssl.cnf"), b"a = 1\n")

    def test_what_is_in_an_included_file_counts(self):
        included = self.write("more.cnf", "\n\n[oops\n")
        self.refused(f".include {included}\n", included + ":3: ")

    def test_ktls_and_a_dry_run_are_refused_as_well(self):
        for option in ("--ktls", "--dry-run"):
            self.refused(FIPS, "{}:5: ", option)


class Writing(Root):
    def enable(self, name, code, **more):
        r = self.run_("enable", "--config", self.path(name), env=ENV, **more)
        self.assertEqual(r.returncode, code, r.stdout + r.stderr)
        return r.stdout + r.stderr

    def test_a_write_that_is_interrupted_leaves_the_old_file(self):
        text = fixture("debian-12")
        # The process is killed in the middle of any file that is longer than the limit.
        for limit in (100, len(text) - 1, len(text) + 100):
            self.write("openssl.cnf", text)
            r = subprocess.run([TOOL, "config", "enable", "--root", self.root, "--config", "/openssl.cnf"],
                               capture_output=True, check=False,
                               preexec_fn=lambda n=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)))
            self.assertEqual(r.returncode, -signal.SIGXFSZ)
            self.assertEqual(self.read("openssl.cnf"), text)
        self.config("enable", "--config", "/openssl.cnf")
        self.config("disable", "--config", "/openssl.cnf")
        self.assertEqual(self.read("openssl.cnf"), text)

    def as_user(self, *args):
        """Runs the tool as a user who may read every file and write none."""
        shutil.copy(TOOL, self.path("kcrypto"))
        for path, _, _ in os.walk(self.root):
            os.chmod(path, 0o755 if os.geteuid() == 0 else 0o555)
            self.addCleanup(os.chmod, path, 0o755)
        return subprocess.run([self.path("kcrypto"), "config", *args, "--root", self.root],
                              capture_output=True, text=True, check=False,
                              user=65534 if os.geteuid() == 0 else None)

    def test_a_directory_that_may_not_be_written_is_a_clear_reason(self):
        self.lay_out("debian-12")
        r = self.as_user("enable")
        self.assertEqual(r.returncode, 1)
        self.assertIn(self.path("etc/ssl/openssl.cnf") + ": this user may not write it; root may; "
                      "nothing was changed", r.stderr)
        self.assertEqual(os.listdir(self.path("etc/ssl")), ["openssl.cnf"])
        self.assertEqual(self.as_user("enable", "--dry-run").returncode, 0)

    def test_mode_and_link_stay(self):
        self.write("real/openssl.cnf", "a = 1\n")
        os.chmod(self.path("real/openssl.cnf"), 0o640)
        if os.geteuid() == 0:
            os.chown(self.path("real/openssl.cnf"), 12, 34)
        was = os.stat(self.path("real/openssl.cnf"))
        os.makedirs(self.path("etc/ssl"))
        os.symlink("/real/openssl.cnf", self.path("etc/ssl/openssl.cnf"))
        self.config("enable")
        self.assertTrue(os.path.islink(self.path("etc/ssl/openssl.cnf")))
        now = os.stat(self.path("real/openssl.cnf"))
        self.assertEqual((now.st_mode, now.st_uid, now.st_gid), (was.st_mode, was.st_uid, was.st_gid))
        self.config("disable")
        self.assertEqual(os.listdir(self.path("real")), ["openssl.cnf"])
        self.assertEqual(self.read("real/openssl.cnf"), b"a = 1\n")

    def test_a_link_to_nothing_is_refused(self):
        path = self.path("openssl.cnf")
        os.symlink("victim", path)
        self.assertIn(path + ": it is a symbolic link to a file that does not exist",
                      self.enable("openssl.cnf", 1))
        self.assertEqual(os.listdir(self.root), ["openssl.cnf"])

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_a_device_is_refused(self):
        path = self.path("null")
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        self.assertIn(path + ": it is not a regular file", self.enable("null", 1))
        self.assertTrue(stat.S_ISCHR(os.stat(path).st_mode))

    def test_extended_attributes_and_access_lists_stay(self):
        path = self.write("openssl.cnf", "a = 1\n")
        # User 12 may read, as after setfacl -m u:12:r.
        acl = bytes.fromhex("02000000" "01000600ffffffff" "020004000c000000" "04000400ffffffff"
                            "10000400ffffffff" "20000400ffffffff")
        os.chmod(path, 0o644)
        try:
            os.setxattr(path, "user.note", b"kept")
            os.setxattr(path, "system.posix_acl_access", acl)
        except OSError as e:
            self.skipTest(str(e))
        self.enable("openssl.cnf", 0)
        self.assertEqual(os.getxattr(path, "user.note"), b"kept")
        self.assertEqual(os.getxattr(path, "system.posix_acl_access"), acl)

    def test_a_file_of_several_names_is_refused(self):
        path = self.write("openssl.cnf", "a = 1\n")
        os.link(path, self.path("other"))
        self.assertIn(path + ": it has several names", self.enable("openssl.cnf", 1))
        self.assertEqual((self.read("openssl.cnf"), sorted(os.listdir(self.root))),
                         (b"a = 1\n", ["openssl.cnf", "other"]))

    def test_links_of_an_image_end_inside_it(self):
        self.write("outside/openssl.cnf", "a = 1\n")
        os.makedirs(self.path("image/etc"))
        os.symlink("../../outside", self.path("image/etc/ssl"))
        r = self.run_("enable", "--root", self.path("image"))
        self.assertEqual(r.returncode, 1)
        os.makedirs(self.path("image/outside"))
        self.write("image/outside/openssl.cnf", "b = 1\n")
        r = self.run_("enable", "--root", self.path("image"))
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(self.read("outside/openssl.cnf"), b"a = 1\n")
        self.assertIn(b"kcrypto", self.read("image/outside/openssl.cnf"))
        self.write("outside/x.cnf", "c = 1\n")
        os.symlink(self.path("outside"), self.path("image/more"))
        self.write("image/outside/openssl.cnf", ".include /more\n")
        self.assertNotIn("x.cnf", self.run_("check", "--root", self.path("image")).stdout)

    def test_no_temporary_file_is_left(self):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        self.write("openssl.cnf", "a = 1\n")
        with mock.patch.dict(os.environ, TMPDIR=own.name):
            self.enable("openssl.cnf", 0)
        self.assertEqual(os.listdir(own.name), [])
        self.assertEqual(sorted(os.listdir(self.root)), ["openssl.cnf"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
