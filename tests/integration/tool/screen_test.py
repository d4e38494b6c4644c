#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Colours appear on a terminal and nowhere else, and there they add nothing but colour.

usage: screen_test.py BUILD"""

import os
import pty
import re
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import STANDIN, STANDIN_TOOL, TOOL, Case

COLOUR = re.compile(r"\033\[\d+m")
# Progress lines, one after the other, and blanks.
PROGRESS = re.compile(r"((?:\r[^\r\n]{79})+)\r")


class Screen(Case):
    module = STANDIN

    def env(self, **more):
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
        return env | {"OPENSSL_CONF": self.cnf("ciphers = AES-128-CBC:0, FROB", "tune_file = none")} | more

    def on_terminal(self, *argv, **env):
        """Everything that the command prints on a terminal, standard error included."""
        ours, its = pty.openpty()
        with subprocess.Popen(argv, env=self.env(**env), stdin=its, stdout=its, stderr=its) as p:
            os.close(its)
            out = b""
            while True:
                try:
                    more = os.read(ours, 65536)
                except OSError:  # the other end was closed
                    break
                out += more
            p.wait()
        os.close(ours)
        self.progress = PROGRESS.findall(out.decode())
        return PROGRESS.sub("", out.decode().replace("\r\n", "\n"))

    def elsewhere(self, *argv, **env):
        r = subprocess.run(argv, env=self.env(**env), stdout=subprocess.PIPE, check=False,
                           stderr=subprocess.STDOUT, text=True)
        return r.stdout

    CALLS = {
        "list": [STANDIN_TOOL, "list", "--no-trial"],
        "doctor": [STANDIN_TOOL, "doctor"],
        "selftest": [STANDIN_TOOL, "selftest", "--rounds", "2", "--seed", "1"],
        "config": [TOOL, "config", "check", "--config", "/nowhere/openssl.cnf"],
        "a wrong word": [TOOL, "list", "--frob"],
        "a failure": [TOOL, "list", "--config", "/nowhere/openssl.cnf"],
    }

    def test_a_terminal_gets_colours_and_nothing_else_does(self):
        for name, argv in self.CALLS.items():
            plain = self.elsewhere(*argv, TERM="xterm")
            self.assertNotIn("\033", plain, name)
            coloured = self.on_terminal(*argv, TERM="xterm")
            self.assertRegex(coloured, COLOUR, name)
            self.assertEqual(COLOUR.sub("", coloured), plain, name)
            self.assertEqual(coloured.count("\033[0m") * 2, len(COLOUR.findall(coloured)), name)

    def test_a_terminal_that_has_none_or_a_user_who_wants_none_gets_none(self):
        for name, argv in self.CALLS.items():
            for env in ({"TERM": "dumb"}, {"TERM": ""}, {}, {"TERM": "xterm", "NO_COLOR": "1"}):
                self.assertNotIn("\033", self.on_terminal(*argv, **env), (name, env))

    def test_an_empty_no_color_counts_as_absent(self):
        self.assertRegex(self.on_terminal(*self.CALLS["list"], TERM="xterm", NO_COLOR=""), COLOUR)

    def test_who_waits_for_selftest_sees_what_it_does(self):
        """Progress shows each check before it begins. It is not printed if standard error is no terminal."""
        self.on_terminal(*self.CALLS["selftest"])
        seen = [line.split("\r")[1].rstrip() for line in self.progress]
        self.assertRegex(seen[0], r"^examining:   0 %, AES-128-CBC by \S+: known answers$")
        self.assertRegex(seen[-1], r"^examining:  \d\d %, AES-128-CBC by \S+: random messages$")
        self.assertTrue(all(line.endswith("\r" + 79 * " ") for line in self.progress), self.progress)
        self.assertNotIn("examining", self.elsewhere(*self.CALLS["selftest"]))

    def test_json_never_has_colours(self):
        for argv in ([STANDIN_TOOL, "list", "--no-trial", "--json"], [STANDIN_TOOL, "doctor", "--json"]):
            self.assertNotIn("\033", self.on_terminal(*argv, TERM="xterm"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
