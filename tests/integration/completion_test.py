#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The completion of bash offers the commands, subcommands and options that the tool has.

usage: completion_test.py BUILD
"""

import os
import re
import subprocess
import sys
import unittest

from case import BUILD, TOOL

SCRIPT = os.path.join(os.path.dirname(__file__), "../../packaging/bash/kcrypto")
ASK = """. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _kcrypto && printf '%s\\n' "${COMPREPLY[@]}" """


def words(*line):
    """What bash offers for the last word."""
    env = dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"])
    r = subprocess.run(["bash", "-c", ASK, SCRIPT, "kcrypto", *line], env=env, text=True,
                       capture_output=True)
    assert not r.stderr, r.stderr
    return set(r.stdout.split())


class Completion(unittest.TestCase):
    def test_every_command_is_offered_and_is_one(self):
        usage = subprocess.run([TOOL, "help"], capture_output=True, text=True, check=True).stdout
        offered = words("")
        self.assertEqual(offered, set(re.findall(r"^.{6} kcrypto ([a-z-]+)", usage, re.M)))
        self.assertLessEqual({"list", "tune", "config", "engine-names", "version", "help"}, offered)
        self.assertEqual(words("help", ""), offered)

    def test_options_and_subcommands_are_those_of_the_command(self):
        self.assertEqual(words("config", ""),
                         {"check", "enable", "disable", "--ktls", "--dry-run",
                          "--root", "--config"})
        self.assertEqual(words("list", "--"),
                         {"--all", "--json", "--engine-format", "--no-trial", "--config"})
        self.assertEqual(words("tune", "--s"), {"--seconds"})
        self.assertEqual(words("version", ""), set())

    def test_a_file_follows_config_and_a_directory_root(self):
        self.assertIn("/etc/passwd", words("list", "--config", "/etc/pass"))
        self.assertIn("/etc", words("config", "check", "--root", "/et"))

    def test_what_follows_two_dashes_is_not_ours(self):
        self.assertEqual(words("run", "--", "--"), set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
