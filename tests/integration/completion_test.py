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


class Completion(unittest.TestCase):
    def words(self, *line):
        env = dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"])
        r = subprocess.run(["bash", "-c", ASK, SCRIPT, "kcrypto", *line], env=env, text=True,
                           capture_output=True)
        self.assertEqual(r.stderr, "")
        return set(r.stdout.split())

    def test_every_command_is_offered_and_is_one(self):
        usage = subprocess.run([TOOL, "help"], capture_output=True, text=True, check=True).stdout
        words = self.words("")
        self.assertEqual(words, set(re.findall(r"kcrypto ([a-z-]+)(?= |\n|$)", usage)) | {"help"})
        self.assertLessEqual({"list", "tune", "config", "engine-names", "version"}, words)

    def test_options_and_subcommands_are_those_of_the_command(self):
        self.assertEqual(self.words("config", ""),
                         {"show", "check", "enable", "disable", "convert", "--ktls", "--dry-run",
                          "--root", "--config"})
        self.assertEqual(self.words("list", "--"),
                         {"--json", "--engine-format", "--no-trial", "--config"})
        self.assertEqual(self.words("tune", "--s"), {"--seconds"})
        self.assertEqual(self.words("version", ""), set())

    def test_a_file_follows_config_and_a_directory_root(self):
        self.assertIn("/etc/passwd", self.words("list", "--config", "/etc/pass"))
        self.assertIn("/etc", self.words("config", "show", "--root", "/et"))

    def test_what_follows_two_dashes_is_not_ours(self):
        self.assertEqual(self.words("run", "--", "--"), set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
