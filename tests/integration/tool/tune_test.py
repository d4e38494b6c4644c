#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto tune: processes then do what its file says.

Takes the build directory and the machine."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.append(sys.path[0] + "/..")
from case import ENC_128, SANDBOXED, TOOL, Case
from machine import ADMIT, MACHINE

LISTED = "ciphers = AES-128-CBC" if MACHINE in ("qemu", "module") else "ciphers = AES-128-CBC AES-128-CTR"
SETUP = ("socket", "bind", "accept4", "setsockopt")


def is_settled(fact):
    """Whether measurements agreed. On a busy machine they may not."""
    return {"threshold", "threshold_decrypt"} <= set(fact)


class Tune(Case):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.dir.name, "sub", "tune")

    def tune(self, *words, lines=(), ok=True):
        cnf = self.cnf(*ADMIT, LISTED, "tune_file = " + self.file, *lines)
        return self.run_([TOOL, "tune", "--seconds", "1", "--config", cnf, *words],
                         ok=ok)

    def facts(self, *words):
        return json.loads(self.tune("--json", *words).stdout)["facts"]

    def row(self, name, *lines):
        return super().row(name, *ADMIT, LISTED, "tune_file = " + self.file, *lines)

    def notes(self):
        r = self.listing(*ADMIT, LISTED, "tune_file = " + self.file)
        return " ".join(r["notes"])

    def calls(self, *lines, size=4096):
        """The system calls of a process that encrypts @size bytes, by name."""
        return self.traced([*ENC_128, "-in", self.write("data", bytes(size)), "-out", "/dev/null"],
                           self.cnf(*ADMIT, "tune_file = " + self.file, *lines))

    def test_people_are_told_what_was_gained_and_where_it_is(self):
        def said(*words):
            return " ".join(self.tune(*words).stdout.decode().split())

        text = said("--dry-run")
        self.assertRegex(text, r"Of \d+ algorithms, \d+ are faster with a driver")
        self.assertTrue(text.endswith("No file was written."), text)
        self.assertIn(self.file + " was written; programs that start from now on use it.", said())

    def test_what_it_found_is_what_processes_take(self):
        """Of several backends' facts, processes use those of the row's backend."""
        facts = self.facts()
        compared = set()
        for fact in facts:
            self.assertEqual(fact["reason"], "ok", fact)
            row = self.row(fact["algorithm"])
            if row["backend"] != fact["backend"]:
                continue
            compared.add(row["name"])
            if not is_settled(fact):
                self.assertNotEqual(row["threshold_source"], "tuned")
            elif fact["threshold"] is None and fact["threshold_decrypt"] is None:
                self.assertFalse(row["offered"])
                self.assertEqual(row["reason"], "slower")
            else:
                self.assertTrue(row["offered"])
                self.assertEqual(row["threshold_source"], "tuned")
                self.assertEqual(row["threshold"], fact["threshold"])
        self.assertEqual(compared, {fact["algorithm"] for fact in facts})
        self.assertIn("knows this kernel and its drivers", self.notes())

    def test_the_file_is_for_all_to_read_and_for_its_owner_to_write(self):
        self.addCleanup(os.umask, os.umask(0))
        for mask in 0, 0o077:
            os.umask(mask)
            folder = self.path(str(mask))
            self.tune("--output", os.path.join(folder, "tune"))
            self.assertEqual(os.listdir(folder), ["tune"])
            self.assertEqual([os.stat(p).st_mode & 0o777 for p in (folder, folder + "/tune")], [0o755, 0o644])

    def test_what_a_killed_run_left_is_in_nobodys_way(self):
        """A router may start tune with the same process number each time."""
        cnf, folder = self.cnf(*ADMIT, LISTED), self.path("left")
        os.mkdir(folder)
        self.run_(["sh", "-c", 'touch "$0/tune.kcrypto-$$"; exec "$@" --output "$0/tune"', folder,
                   TOOL, "tune", "--seconds", "1", "--config", cnf])
        self.assertEqual(os.listdir(folder), ["tune"])

    def test_with_the_file_a_process_asks_the_kernel_for_nothing(self):
        self.tune()
        trace = self.calls()
        self.assertIn(self.file, trace)
        self.assertNotIn("/proc/crypto", trace)
        for call in SETUP:
            self.assertNotIn(" %s(" % call, trace)
        self.assertIn("/proc/crypto", self.calls("tune_file = none"))

    def test_a_dry_run_writes_nothing(self):
        self.tune("--dry-run")
        self.assertFalse(os.path.exists(self.file))

    def identity(self):
        """The file's identity: tune replaces the file by another one."""
        st = os.stat(self.file)
        return st.st_ino, st.st_mtime_ns

    def test_if_stale_it_leaves_a_file_that_counts_and_touches_no_driver(self):
        settled = all(map(is_settled, self.facts("--if-stale")))
        before = self.identity()
        cnf = self.cnf(*ADMIT, LISTED, "tune_file = " + self.file)
        r = self.run_(["strace", "-f", "-o", self.path("trace"), TOOL, "tune", "--seconds", "1", "--if-stale",
                       "--config", cnf])
        self.assertEqual(r.stdout.decode() == self.file + " is up to date\n", settled)
        self.assertEqual(self.identity() == before, settled)
        trace = self.read("trace")
        for call in ("AF_ALG", "clone", "fork", '/dev/crypto", O_RDWR') if settled else ():
            self.assertNotIn(call, trace)

    def test_if_stale_a_file_is_replaced_that_does_not_count_or_knows_other_drivers(self):
        self.tune()
        for spoil in (lambda: os.chmod(self.file, 0o666), lambda: os.truncate(self.file, 300),
                      lambda: os.unlink(self.file)):
            spoil()
            self.tune("--if-stale")
            self.assertEqual(self.notes().count("knows this kernel and its drivers"), 1)
        for more in ("ciphers = AES-192-CBC", "ciphers = AES-128-CBC AES-192-CBC AES-256-CBC"):
            before = self.identity()
            self.tune("--if-stale", lines=[more])
            self.assertNotEqual(self.identity(), before)

    def test_in_a_filter_it_finds_what_it_finds_without(self):
        facts = self.facts("--dry-run")
        cnf = self.cnf(*ADMIT, LISTED, "seccomp = avoid")
        r = self.run_([SANDBOXED, "container", "--", TOOL, "tune", "--seconds", "1", "--json", "--dry-run",
                       "--config", cnf])
        self.assertEqual([(f["algorithm"], f["driver"], f["reason"])
                          for f in json.loads(r.stdout)["facts"]],
                         [(f["algorithm"], f["driver"], "ok") for f in facts])

    def test_another_file_may_be_named(self):
        other = self.path("other")
        self.tune("--output", other)
        self.assertTrue(os.path.exists(other))
        self.assertFalse(os.path.exists(self.file))

    def test_interrupted_it_leaves_what_was_there(self):
        self.tune("--output", self.file)
        before = Path(self.file).read_bytes()
        cnf = self.cnf(*ADMIT, LISTED, "tune_file = " + self.file)
        p = subprocess.Popen([TOOL, "tune", "--seconds", "600", "--config", cnf],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        time.sleep(2)
        p.send_signal(signal.SIGINT)
        said, _ = p.communicate()
        self.assertEqual(p.returncode, -signal.SIGINT, said)
        self.assertEqual(Path(self.file).read_bytes(), before)
        self.assertEqual(os.listdir(os.path.dirname(self.file)), ["tune"])
        self.assertEqual([f for f in os.listdir(tempfile.gettempdir()) if f.startswith("kcrypto.")],
                         [])

    def test_a_file_that_does_not_count_is_named_by_the_list(self):
        self.tune()
        os.chmod(self.file, 0o666)
        self.assertIn("users other than root may write", self.notes())
        os.chmod(self.file, 0o644)
        with open(self.file, "r+b") as f:
            f.seek(300)
            f.write(b"\xff\xfe")
        self.assertIn("damaged", self.notes())
        self.assertNotEqual(self.row("AES-128-CBC")["threshold_source"], "tuned")

    def test_bytes_are_right_with_the_file(self):
        """And if tune found that they pay on this machine, the kernel gets the tool's updates."""
        fact = next(f for f in self.facts() if f["algorithm"] == "AES-128-CBC")
        size, update = 4 << 20, 4096
        command = [*ENC_128, "-in", self.write("data", os.urandom(size))]
        ours = self.run_(command, cnf=self.cnf(*ADMIT, LISTED, "tune_file = " + self.file))
        self.assertEqual(ours.stdout, self.run_(command, cnf="/dev/null").stdout)
        row = self.row("AES-128-CBC")
        if row["threshold_source"] == "tuned" and (row["threshold"] or size) <= update and \
                fact["session_bytes"] <= size // 4:
            self.assertGreater(self.requests("AES-128-CBC"), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
