#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto stats: its report on running programs, and that counting harms none of them.

Takes the build directory and the machine; needs root."""

import json
import os
import pwd
import shutil
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
import case
from case import ENC_128, TOOL, Case
from machine import ADMIT

FILE = "/usr/bin/openssl"
CIPHER = "AES-128-CBC"
USERS = ("nobody", "daemon")
LISTED = "ciphers = %s:0" % CIPHER


def as_user(name):
    user = pwd.getpwnam(name)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Stats(Case):
    def setUp(self):
        super().setUp()
        os.chmod(self.dir.name, 0o755)
        # Other users may be unable to enter the build directory.
        for file in (TOOL, os.path.join(case.BUILD, "kcrypto.so")):
            shutil.copy(file, self.dir.name)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENSSL_", "XDG_"))}
        self.env["OPENSSL_MODULES"] = self.dir.name

    def conf(self, *lines):
        path = self.cnf(*ADMIT, LISTED, *lines)
        self.write("openssl.cnf", self.read("openssl.cnf").replace(case.BUILD, self.folder))
        os.chmod(path, 0o644)
        return path

    def tool(self, *words, ok=True, **how):
        r = subprocess.run([self.path("kcrypto"), "stats", *words],
                           capture_output=True, env=self.env, **how)
        if ok:
            self.assertEqual(r.returncode, 0, r.stderr.decode())
        return r

    def processes(self, **how):
        report = json.loads(self.tool("--json", **how).stdout)
        return {p["pid"]: p for p in report["processes"]}

    def program(self, *lines, env=(), data=b"x" * 65536, **how):
        """An encryption that has had its first bytes, and waits for more."""
        p = subprocess.Popen(ENC_128, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             env=self.env | {"OPENSSL_CONF": self.conf(*lines)} | dict(env), **how)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        p.stdin.write(data)
        p.stdin.flush()
        p.stdout.read(len(data) // 2)
        return p

    def ends_well(self, p, data=b"x" * 65536):
        """Sends the rest. The output has to be the same as without kcrypto."""
        out, _ = p.communicate(b"y" * 65536)
        self.assertEqual(p.returncode, 0)
        r = subprocess.run(ENC_128, input=data + b"y" * 65536, capture_output=True,
                           env=self.env | {"OPENSSL_CONF": "/dev/null"}, check=True)
        self.assertEqual(out, r.stdout[len(data) // 2:])

    def total(self, process):
        """Requests and bytes of the one algorithm, whatever did them."""
        row = next(a for a in process["algorithms"] if a["algorithm"] == CIPHER)
        parts = row["kernel"] + row["software"]
        return sum(p["requests"] for p in parts), sum(p["bytes"] for p in parts)

    def test_nothing_is_counted_unless_that_is_asked_for(self):
        p = self.program()
        self.assertEqual(self.processes(), {})
        self.assertIn("No running program counts", self.tool().stdout.decode())
        self.ends_well(p)

    def test_a_running_program_is_shown_by_its_numbers_and_gone_with_its_end(self):
        for lines, env in ((("stats = yes",), ()), ((), {"KCRYPTO_STATS": "yes"})):
            p = self.program(*lines, env=env)
            process = self.processes()[p.pid]
            self.assertEqual((process["uid"], process["program"]), (0, "openssl"))
            self.assertGreaterEqual(self.total(process)[1], 32768)
            self.assertLessEqual(self.total(process)[1], 65536)
            text = self.tool().stdout.decode()
            self.assertRegex(text, r"(?m)^ *%d +root +openssl +%s " % (p.pid, CIPHER))
            self.ends_well(p)
            self.assertEqual(self.processes(), {})

    def test_each_user_sees_their_own_and_root_sees_all(self):
        ps = {u: self.program("stats = yes", **as_user(u)) for u in USERS}
        ours = self.program("stats = yes")
        self.assertEqual(set(self.processes()), {ours.pid} | {p.pid for p in ps.values()})
        for user, p in ps.items():
            self.assertEqual(set(self.processes(**as_user(user))), {p.pid})
            self.assertEqual(self.processes()[p.pid]["user"], user)
        for p in (ours, *ps.values()):
            self.ends_well(p)

    def test_what_is_not_shown_is_said(self):
        p = self.program("stats = yes")
        said = self.tool(**as_user(USERS[0])).stdout.decode()
        self.assertIn("Not shown: programs of other users. Root sees them.", said)
        report = json.loads(self.tool("--json", **as_user(USERS[0])).stdout)
        self.assertGreater(report["other_users_processes"], 0)
        self.assertNotIn("Not shown", self.tool().stdout.decode())
        self.ends_well(p)

    def test_a_command_is_counted_with_its_children_and_left_as_it_is(self):
        path = self.conf()
        size = os.path.getsize(FILE)
        script = "%s -in %s; %s -in %s; exit 3" % (" ".join(ENC_128), FILE, " ".join(ENC_128), FILE)
        plain = subprocess.run(["sh", "-c", script], capture_output=True,
                               env=self.env | {"OPENSSL_CONF": "/dev/null"})
        r = self.tool("--json", "--config", path, "--", "sh", "-c", script, ok=False)
        self.assertEqual(r.returncode, 3)
        self.assertEqual(r.stdout, plain.stdout)
        report = json.loads(r.stderr)
        self.assertEqual(report["program"], "sh")
        # The part of an update that follows the kernel's blocks has no line of its own.
        self.assertAlmostEqual(self.total(report)[1], 2 * size, delta=2 * 15)
        kernel = report["algorithms"][0]["kernel"]
        self.assertGreater(sum(k["requests"] for k in kernel), 0)
        self.assertTrue(all(k["mean_us"] > 0 for k in kernel), kernel)
        r = self.tool("--config", path, "--", *ENC_128, "-in", FILE)
        self.assertRegex(r.stderr.decode(), r"ALGORITHM +DONE BY.*\n%s " % CIPHER)

    def test_short_requests_are_told_from_large_ones(self):
        path = self.cnf(*ADMIT, "ciphers = %s:65536" % CIPHER)
        r = self.tool("--json", "--config", path, "--", *ENC_128, "-in", FILE)
        software = {s["reason"]: s for s in json.loads(r.stderr)["algorithms"][0]["software"]}
        self.assertEqual(set(software), {"below-threshold"})
        self.assertEqual(software["below-threshold"]["bytes"], os.path.getsize(FILE))
        self.assertGreater(software["below-threshold"]["mean_us"], 0)

    def test_a_command_without_ciphers_says_so(self):
        r = self.tool("--config", self.conf(), "--", "true")
        self.assertIn("the command used no algorithm that kcrypto offers here", r.stderr.decode())
        self.assertEqual(self.tool("--config", self.conf(), "--", "false", ok=False).returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
