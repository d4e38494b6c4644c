#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each command's --help lists the options that the command takes, that the man page has, and that bash
completes; the completion offers nothing else.

usage: help_test.py BUILD SOURCE"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import BUILD, TOOL

SOURCE = pathlib.Path(sys.argv[2])
ASK = """. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _kcrypto && printf '%s\\n' "${COMPREPLY[@]}" """


def call(*args):
    r = subprocess.run([TOOL, *args], capture_output=True, check=False, text=True)
    return r.returncode, r.stdout, r.stderr


def words(*line):
    """The words that bash offers for the last word."""
    r = subprocess.run(["bash", "-c", ASK, SOURCE / "packaging/completion/kcrypto.bash", "kcrypto", *line], text=True,
                       env=dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"]), capture_output=True)
    assert not r.stderr, r.stderr
    return set(r.stdout.split())


def usages():
    """{command: its usage}, from help."""
    found = re.findall(r"^(?:usage:|      ) (kcrypto ([a-z-]+).*)", call("help")[1], re.M)
    return {command: usage for usage, command in found}


def taken():
    """{command: options}, from the table in the command's source file."""
    found = {"version": {"json"}, "help": set()}
    for path in (SOURCE / "src/cli").rglob("*.c"):
        text = path.read_text()
        for name in re.findall(r'^const struct kc_command \w+ = \{\n\t\.name = "([a-z-]+)"', text, re.M):
            found[name] = set(re.findall(r'^\t\{ "([a-z-]+)", (?:NULL|"[A-Z]+"),', text, re.M))
    return found


def documented():
    """{command: options}, from the man page's synopsis."""
    text = (SOURCE / "man/kcrypto.1").read_text()
    text = text[text.index(".Sh SYNOPSIS"):text.index(".Sh DESCRIPTION")]
    found = {}
    for part in re.split(r"^\.Nm$", text, flags=re.M)[1:]:
        match = re.search(r"^\.Cm ([a-z-]+)", part, re.M)
        if not match:
            continue  # no command
        name = match.group(1)
        found.setdefault(name, set()).update(re.findall(r"(?:Fl|\|) -([a-z][a-z-]*)", part))
    return found


class Help(unittest.TestCase):
    def test_it_is_given_wherever_it_is_asked_for(self):
        want = call("help")
        self.assertEqual(want[0], 0)
        for args in (["--help"], ["-h"]):
            self.assertEqual(call(*args), want)
        for command in usages():
            code, out, err = call(command, "--help")
            self.assertEqual((code, err), (0, ""), command)
            for args in (["help", command], [command, "-h"]):
                self.assertEqual(call(*args), (0, out, ""), args)
        for args in (["config", "enable", "--help"], ["list", "--json", "-h"], ["bench", "--runs", "3", "-h"]):
            self.assertEqual(call(*args), call("help", args[0]), args)

    def test_it_is_not_ours_after_two_dashes_or_in_a_command(self):
        command = ["sh", "-c", 'echo "$1"', "sh", "--help"]
        for args in (["run", "--", *command], ["run", *command]):
            self.assertEqual(call(*args)[1], "--help\n", args)

    def test_every_command_has_the_same_options_everywhere(self):
        self.assertGreaterEqual(len(usages()), 11)
        self.assertEqual(set(usages()), set(documented()))
        self.assertEqual(set(usages()), set(taken()))
        for command, usage in usages().items():
            out = call(command, "--help")[1]
            lines = re.fullmatch(
                rf"kcrypto {command} [^\n]+\.\n\nusage: {re.escape(usage)}\n\n(.*)kcrypto\(1\) describes everything\.\n",
                out, re.S).group(1)
            wanted = taken().get(command, set())
            explained = re.findall(r"^  --([a-z-]+)(?: [A-Z]+)?  +\S", lines, re.M)
            self.assertEqual(sorted(explained), sorted(wanted), command)
            self.assertEqual("[OPTION...]" in usage, bool(wanted), command)
            self.assertEqual(documented()[command], wanted, command)
            if command != "help":
                self.assertEqual({w[2:] for w in words(command, "--")}, wanted, command)

    def test_the_completion_offers_commands_actions_and_what_begins_like_the_word(self):
        self.assertEqual(words(""), set(usages()))
        self.assertEqual(words("help", ""), set(usages()))
        self.assertEqual(words("config", ""), {"check", "fix", "enable", "disable"} | words("config", "--"))
        self.assertEqual(words("tune", "--s"), {"--seconds"})
        self.assertEqual(words("version", ""), {"--json"})

    def test_a_file_follows_config_a_directory_root_and_nothing_of_ours_two_dashes(self):
        self.assertIn("/etc/passwd", words("list", "--config", "/etc/pass"))
        self.assertIn("/etc", words("config", "check", "--root", "/et"))
        self.assertEqual(words("run", "--", "--"), set())

    def test_the_values_of_options_are_offered(self):
        self.assertEqual(words("selftest", "--backend", ""), {"kcrypto", "devcrypto", "afalg"})
        self.assertEqual(words("selftest", "--backend", "d"), {"devcrypto"})
        names = words("bench", "--algorithms", "")
        self.assertLessEqual({"AES-128-CBC", "SHA256", "HMAC-SHA256"}, names)
        self.assertEqual(words("bench", "--algorithms", "AES-128-CBC,AES-256-GC"), {"AES-128-CBC,AES-256-GCM"})
        for words_before in (["bench", "--sizes"], ["tune", "--seconds"], ["doctor", "--key"]):
            self.assertEqual(words(*words_before, ""), set(), words_before)
        with open("/proc/crypto") as f:
            drivers = set(re.findall(r"^driver +: (\S+)$", f.read(), re.M))
        self.assertEqual(words("selftest", ""), drivers | words("selftest", "--"))

    def test_no_line_is_longer_than_80(self):
        for args in [["help"]] + [[c, "--help"] for c in usages()]:
            for line in call(*args)[1].splitlines():
                self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
