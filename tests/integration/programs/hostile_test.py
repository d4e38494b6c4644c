#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Obstacles that others have put up: zero bytes in a configuration; directories of an attacker, for a user
who is not root; a program with the rights of another user.

usage: hostile_test.py BUILD"""

import os
import pathlib
import shutil
import stat
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import BUILD, ENC_256, SICK, STANDIN, STANDIN_TOOL, Case, cnf_of
from counters import counters

NOBODY = 65534
IS_ROOT = os.geteuid() == 0
LIVES = os.path.join(BUILD, "tests/job_lives")
QUEUED = os.path.join(BUILD, "tests/kcrypto-queued.so")


class Hostile(Case):
    module = STANDIN

    def test_zero_bytes_in_a_configuration_are_said_and_change_no_byte(self):
        """libcrypto reads a line up to the zero byte, and continues with the next line."""
        data = os.urandom(50_001)
        want = self.run_(ENC_256, None, data).stdout
        good = pathlib.Path(self.cnf("ciphers = AES-256-CBC:0", "max_request = 4096")).read_bytes()
        places = [i for i, byte in enumerate(good) if byte in b"=\n:[]"]
        for at in places[::3] + [0, len(good) - 1]:
            for zeros in (b"\0", b"\0" * 5000):
                path = self.path("zero.cnf")
                pathlib.Path(path).write_bytes(good[:at] + zeros + good[at:])
                r = self.run_(ENC_256, path, data, ok=False)
                self.assertIn(r.returncode, (0, 1), r.stderr)
                self.assertTrue(r.returncode or r.stdout == want, at)
        for command in (["list"], ["config", "check"], ["config", "enable"], ["config", "disable"]):
            r = self.run_([STANDIN_TOOL, *command, "--config", path], ok=False)
            self.assertNotEqual(r.returncode, 0, command)
            self.assertIn(b"zero byte", r.stderr + r.stdout)

    def as_nobody(self, *args):
        return self.as_user(NOBODY, *args)

    def as_user(self, user, argv, cwd, env=(), data=None):
        env = {"PATH": os.environ["PATH"], "KCRYPTO_STATS": self.stats, **dict(env)}
        return subprocess.run(argv, cwd=cwd, env=env, input=data, capture_output=True, timeout=600,
                              check=False, user=user if IS_ROOT else None)

    def open_to_all(self):
        """Opens the test's directory to all users, with copies of the programs; the build may be closed to
        others."""
        os.chmod(self.path(), 0o755)
        return {name: shutil.copy(name, self.path(os.path.basename(name)))
                for name in (STANDIN, STANDIN_TOOL, SICK)}

    def trap(self):
        """A directory of the attacker, with everything that a careless program would load."""
        trap = self.path("trap")
        os.mkdir(trap)
        for name in ("kcrypto.so", "kcrypto-standin.so", "legacy.so", "default.so", "libcrypto.so.3",
                     "openssl", "modprobe", "kcrypto"):
            shutil.copy(SICK, os.path.join(trap, name))
        for name in ("openssl.cnf", "tune", ".kcrypto", "kcrypto.cnf"):
            pathlib.Path(trap, name).write_text(f"openssl_conf = i\n[i]\nproviders = p\n[p]\nsick = s\n[s]\n"
                                                f"module = {trap}/kcrypto.so\nactivate = 1\n")
        os.mkfifo(os.path.join(trap, "fifo"))
        os.symlink("/dev/zero", os.path.join(trap, "endless"))
        os.symlink(".", os.path.join(trap, "loop"))
        os.chmod(trap, 0o777)
        return trap

    def test_nothing_is_taken_from_the_directory_in_which_a_program_runs(self):
        there = self.open_to_all()
        trap = self.trap()
        tool = there[STANDIN_TOOL]
        data = os.urandom(50_001)
        want = self.run_(ENC_256, None, data).stdout
        closed = self.path("closed")
        os.mkdir(closed)
        before = sorted(os.listdir(trap))
        for tune in ("none", "tune", trap + "/fifo", trap + "/endless", trap + "/loop/tune", trap,
                     closed + "/tune"):
            cnf = self.write("ours.cnf", cnf_of(there[STANDIN]) +
                             f"ciphers = AES-256-CBC:0\nseccomp = trust\ntune_file = {tune}\n")
            os.chmod(cnf, 0o644)
            env = {"OPENSSL_CONF": cnf, "TMPDIR": trap, "HOME": trap}
            r = self.as_nobody(ENC_256, trap, env, data)
            self.assertEqual((r.returncode, r.stderr), (0, b""), tune)
            self.assertTrue(r.stdout == want, tune)
            for command in (["list"], ["doctor"], ["config", "check"], ["stats"],
                            ["selftest", "AES-256-CBC"]):
                r = self.as_nobody([tool, *command], trap, env)
                self.assertIn(r.returncode, (0, 1, 2, 3), (command, tune, r.stderr))
        self.assertEqual(sorted(os.listdir(trap)), before)
        os.chmod(closed, 0o755)

    def test_a_directory_that_is_gone_or_closed_stops_nobody(self):
        there = self.open_to_all()
        cnf = self.cnf("ciphers = AES-256-CBC:0")
        text = pathlib.Path(cnf).read_text().replace(STANDIN, there[STANDIN])
        pathlib.Path(cnf).write_text(text)
        os.chmod(cnf, 0o644)
        data = os.urandom(50_001)
        want = self.run_(ENC_256, None, data).stdout
        for script in ('mkdir "$0/gone" && cd "$0/gone" && rmdir "$0/gone" && exec "$@"',
                       'mkdir "$0/shut$$" && cd "$0/shut$$" && chmod 0 . && exec "$@"'):
            own = self.path("own")
            os.makedirs(own, exist_ok=True)
            os.chmod(own, 0o777)
            for argv in (ENC_256, [there[STANDIN_TOOL], "list"]):
                r = self.as_nobody(["sh", "-c", script, own, *argv], "/", {"OPENSSL_CONF": cnf}, data)
                self.assertEqual(r.returncode, 0, r.stderr)
                self.assertTrue(argv != ENC_256 or r.stdout == want)
        for name in os.listdir(self.path("own")):
            os.chmod(self.path("own", name), 0o755)

    @unittest.skipUnless(IS_ROOT and os.path.exists(LIVES), "needs root, to make a setuid program")
    def test_a_setuid_program_listens_to_no_variable_of_its_caller(self):
        """The program works, with a configuration of its own, and nothing is counted in the caller's
        memory."""
        os.chmod(self.path(), 0o755)
        module = shutil.copy(QUEUED, self.path("queued.so"))
        program = shutil.copy(LIVES, self.path("lives"))
        cnf = self.write("queued.cnf", cnf_of(module) + "tune_file = none\nciphers = ALL:0\n")
        os.chmod(cnf, 0o644)
        hostile = {"OPENSSL_MODULES": self.path(), "KCRYPTO_ROOT": self.path(), "KC_MODULE": SICK,
                   "KC_STANDIN_EARLY": "3"}
        for mode, user in (0o755, 0), (0o4755, NOBODY):
            os.chown(program, 0, 0)
            os.chmod(program, mode)
            if os.statvfs(program).f_flag & os.ST_NOSUID:
                self.skipTest("no setuid programs here: " + self.path())
            self.count_anew()
            r = self.as_user(user, [program, cnf, "AES-128-CBC", "50", "1", "7"], "/", hostile)
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertTrue(stat.S_IMODE(os.stat(program).st_mode) == mode)
            counted = sum(row[0] for row in counters(self.stats).values())
            self.assertEqual(counted > 0, mode == 0o755, oct(mode))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
