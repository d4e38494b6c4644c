#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tool ends with each exit status that the man page gives, for the reason that it gives.

usage: status_test.py BUILD SOURCE"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import BUILD, STANDIN, STANDIN_TOOL, TOOL, Case

PAGE = (pathlib.Path(sys.argv[2]) / "man/kcrypto.1").read_text()
STATUS = PAGE[PAGE.index(".Sh EXIT STATUS"):PAGE.index(".Sh EXAMPLES")]
COMMANDS = sorted(set(re.findall(r"^\.Nm\n\.Cm ([a-z-]+)", PAGE, re.M)))
NOWHERE = ["--config", "/nowhere/openssl.cnf"]


def reasons():
    """The reasons of status 1 on the man page."""
    items = STATUS[STATUS.index(".Bl -bullet"):].split("\n.El")[0].split("\n.It\n")[1:]
    return {" ".join(re.sub(r"^\.(?:Fl -(\w+)|[A-Z][a-z] (.*))", lambda m: m[2] or "--" + m[1], item,
                            flags=re.M).split()) for item in items}


class Status(Case):
    module = STANDIN

    def ends(self, want, *argv, env=(), out=subprocess.PIPE, said=""):
        r = subprocess.run(argv, env=os.environ | dict(env), stdout=out, stderr=subprocess.PIPE,
                           check=False, text=True)
        self.assertEqual(r.returncode, want, (argv, r.stdout, r.stderr))
        self.assertIn(said, r.stderr, argv)
        return r

    def unreadable(self):
        for words in (["list"], ["bench"], ["tune", "--dry-run"], ["selftest"]):
            self.ends(1, TOOL, *words, *NOWHERE, said="/nowhere/openssl.cnf")
        for words in (["bench"], ["run"], ["stats"]):
            self.ends(1, TOOL, *words, *NOWHERE, "--", "true", said="cannot read")

    def checked(self):
        path = self.write("broken.cnf", "openssl_conf = nowhere\n")
        self.assertIn("broken: ", self.ends(1, TOOL, "config", "check", "--config", path).stdout)

    def unparsable(self):
        path = self.write("broken.cnf", "[init\n")
        for words in (["config", "enable"], ["run"], ["stats"]):
            self.ends(1, TOOL, *words, "--config", path, *([] if words[0] == "config" else ["--", "true"]))

    def liar(self):
        path = self.cnf("ciphers = AES-128-CBC:0")
        r = self.ends(1, STANDIN_TOOL, "selftest", "--rounds", "1", "--limit", "600", "--config", path,
                      env={"KC_STANDIN_LIES": "1"})
        self.assertRegex(r.stdout, r"(?m)^not ok .*known answers")

    def blamed(self):
        """The driver is to blame: in its trial, in tune, and in the file that tune then writes."""
        path = self.cnf("ciphers = AES-128-CBC:0", f"tune_file = {self.path('tune')}")
        lie = {"KC_STANDIN_LIES": "1"}
        for words, env in ((["list"], lie), (["tune", "--dry-run"], lie), (["tune"], lie),
                           (["list", "--no-trial"], {})):
            more = ["--seconds", "1"] if words[0] == "tune" else []
            r = self.ends(1, STANDIN_TOOL, *words, *more, "--config", path, env=env)
            self.assertIn("its driver failed a known-answer test", r.stdout)

    def untuned(self):
        self.ends(1, STANDIN_TOOL, "tune", "--seconds", "1", "--output", "/proc/nowhere/tune",
                  "--config", self.cnf("ciphers = AES-128-CBC"), said="can't be written")

    def fails(self):
        self.ends(1, TOOL, "bench", "--runs", "1", "--", "false", said="the command failed")

    def engine(self):
        self.ends(1, TOOL, "engine-names", "install", "--dir", "/nowhere")

    def unwritten(self):
        with open("/dev/full", "w") as full:
            for words in (["list", "--no-trial"], ["help"], ["version"], ["config", "check"], ["stats"]):
                self.ends(1, TOOL, *words, out=full, said="cannot write to standard output")

    # Each reason of the page, and the method that brings it about.
    FAILS = {
        "the file given by --config is unreadable": unreadable,
        "a configuration could not be read or changed": unparsable,
        "config check found something broken": checked,
        "selftest found a wrong answer": liar,
        "list or tune found a driver that is wrong, fails or does not answer; the output names it, and "
        "tune's file keeps programs from it": blamed,
        "tune could not write its file": untuned,
        "the command that bench measures failed": fails,
        "an engine's name could not be changed": engine,
        "the output could not be written": unwritten,
    }

    def test_each_failure_ends_with_1(self):
        self.assertEqual(set(self.FAILS), reasons())
        for reason, fail in self.FAILS.items():
            with self.subTest(reason):
                fail(self)

    def test_a_wrong_command_line_ends_with_2(self):
        self.assertIn("\n.It 2\nThe command line is wrong.\n", STATUS)
        self.assertGreater(len(COMMANDS), 10)
        for command in COMMANDS:
            self.ends(2, TOOL, command, "--frob", said="'--frob'")
        for words, said in ((["frob"], "'frob'"), (["help", "me"], "'me'"), (["stats", "more"], "'more'"),
                            (["stats", "--config", "x"], "--config"), (["lst"], "did you mean 'list'?")):
            self.assertEqual(self.ends(2, TOOL, *words, said=said).stdout, "", words)

    def test_the_verdict_needs_no_configuration(self):
        for tool in (TOOL, STANDIN_TOOL):
            r = self.ends(0, tool, env={"OPENSSL_CONF": self.write("empty.cnf", ""), "OPENSSL_MODULES": BUILD})
            heads = re.findall(r"^([a-zA-Z]+)  +\S", r.stdout, re.M)
            self.assertEqual(heads, ["CPU", "accelerator", "kcrypto", "gain", "next"], r.stdout)
            self.assertIn("kcrypto      off", r.stdout)

    def test_having_nothing_to_offer_is_no_failure(self):
        self.assertIn("\n.It 0\nThe command succeeded, even if there is nothing to offer.\n", STATUS)
        empty = self.write("empty.cnf", "")
        for words in (["list"], ["tune", "--dry-run"], ["selftest", "--rounds", "1"], ["config", "check"]):
            # On a machine with an accelerator, selftest tests what it offers.
            self.ends(0, TOOL, *words, "--config", empty, env={"OPENSSL_MODULES": BUILD})

    def test_selftest_calls_no_driver_wrong_for_a_module_that_is_not_there(self):
        r = self.ends(1, STANDIN_TOOL, "selftest", "--rounds", "1", "--config", self.write("empty.cnf", ""),
                      env={"OPENSSL_MODULES": self.folder})
        self.assertIn("kcrypto's module cannot be loaded", r.stdout)
        self.assertNotIn("is wrong", r.stdout)

    def test_run_and_stats_end_as_their_command_and_leave_no_file(self):
        for status in ("its command's", "128 plus", "127", "126"):
            self.assertIn(status, " ".join(STATUS.split()))
        env = {"TMPDIR": self.path("tmp" * 50)}
        os.mkdir(env["TMPDIR"])
        for words in (["run"], ["stats"]):
            for script, status in (("test ${OPENSSL_CONF%/*} = $TMPDIR", 0), ("exit 3", 3), ("kill -9 $$", 137)):
                self.ends(status, TOOL, *words, "--", "sh", "-c", script, env=env)
            self.ends(127, TOOL, *words, "--", "/nowhere/command", env=env)
            self.ends(126, TOOL, *words, "--", "/etc/passwd", env=env)
        self.assertEqual(os.listdir(env["TMPDIR"]), [])

    def test_the_doctor_has_three(self):
        self.assertIn("exits with 0 if no link is broken, 1 if one is, and 2 if one could not be\n"
                      "examined.\n", STATUS)
        self.ends(1, TOOL, "doctor", env={"OPENSSL_CONF": "/nowhere/openssl.cnf"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
