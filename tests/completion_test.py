#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""zsh and fish offer what bash offers (tests/integration/tool/help_test.py compares bash with the tool's
help), with a description of each word, and complete the command behind '--'.

usage: completion_test.py BUILD"""

import os
import pty
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = os.path.abspath(sys.argv[1])
FILES = Path(__file__).resolve().parent.parent / "packaging/completion"
ENV = os.environ | {"PATH": BUILD + ":" + os.environ["PATH"], "TERM": "dumb", "LC_ALL": "C.UTF-8"}
COMMANDS = ["list", "doctor", "bench", "tune", "selftest", "run", "stats", "config", "keys", "engine-names", "version"]
LINES = ["", "help ", "help t", "list --config /etc/pass", "config check --root /etc/ss", "selftest --backend ",
         "selftest --backend d", "bench --algorithms ", "bench --algorithms AES-128-CBC,AES-256-GC", "bench --sizes ",
         "tune --s", "selftest --"] + [command + " " for command in COMMANDS if command != "selftest"]
BASH = """. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _kcrypto && printf '%s\\n' "${COMPREPLY[@]}" """
# zsh completes as it does for a person, but the offers are recorded.
ZSHRC = """PS1= PS2= RPS1=
unsetopt prompt_cr prompt_sp
fpath=(%s $fpath)
autoload -U compinit && compinit -u -D
bindkey -e
compadd() {
	local -a hits meant
	local -i at=$@[(i)-d]

	# With these it computes, and offers nothing.
	if [[ "${@[1,(i)(-|--)]} " != *-[OAD]\\ * ]]; then
		builtin compadd -A hits "$@"
		(( at > $# )) || meant=(${(P)@[at+1]})
		for i in {1..$#hits}; do
			print -r -- "$hits[i]"$'\\t'"$meant[i]"
		done >>$OFFERED
	fi
	builtin compadd "$@"
}
offer() {
	: >$OFFERED
	_main_complete
	compstate[insert]= compstate[list]=
	print -n 'OFF''ERED'
}
zle -C offer complete-word offer
bindkey '^I' offer
print 'OFF''ERED'
"""


def table(text):
    """{word: description}"""
    return {word.strip(): meant.strip() for word, _, meant in (line.partition("\t") for line in text.splitlines())
            if word.strip()}


class Bash:
    def offers(self, line):
        words = ["kcrypto", *line.split(), *([""] if line.endswith(" ") or not line else [])]
        r = subprocess.run(["bash", "-c", BASH, FILES / "kcrypto.bash", *words], env=ENV, text=True, capture_output=True,
                           check=True)
        return table(r.stdout)


class Fish:
    """fish. Directories end in a slash, and are described as such."""

    def offers(self, line):
        r = subprocess.run(["fish", "--no-config", "-c", 'source $argv[1]; complete "--do-complete=$argv[2]"',
                            FILES / "kcrypto.fish", "kcrypto " + line], env=ENV, text=True, capture_output=True, check=True)
        assert not r.stderr, r.stderr
        return {word.rstrip("/"): meant for word, meant in table(r.stdout).items()}


class Zsh:
    """zsh. Of paths and lists it offers the last part."""

    def __init__(self, folder):
        self.file = Path(folder, "offered")
        Path(folder, ".zshrc").write_text(ZSHRC % shlex.quote(str(FILES)))
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe("zsh", ["zsh", "-i"], ENV | {"ZDOTDIR": folder, "OFFERED": str(self.file)})
        self.wait()

    def wait(self):
        seen = b""
        while b"OFFERED" not in seen:
            seen += os.read(self.terminal, 4096)

    def offers(self, line):
        os.write(self.terminal, b"\x15kcrypto " + line.encode() + b"\t")
        self.wait()
        begin = line.split(" ")[-1]
        begin = begin[:max(begin.rfind("/"), begin.rfind(",")) + 1]
        return {begin + "".join(shlex.split(word)): meant for word, meant in table(self.file.read_text()).items()}

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        signal.alarm(1200)  # a shell may wait for ever
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        zsh = Zsh(folder.name)
        cls.addClassCleanup(zsh.end)
        cls.shells = {"fish": Fish(), "zsh": zsh}

    def test_all_shells_offer_the_same_words(self):
        empty = 0
        for line in LINES:
            want = set(Bash().offers(line))
            empty += not want
            for name, shell in self.shells.items():
                with self.subTest(shell=name, line=line):
                    self.assertEqual(set(shell.offers(line)), want)
        self.assertLess(empty, 2)  # 'bench --sizes '

    def test_they_say_what_a_word_means(self):
        help_ = subprocess.run(["kcrypto", "help"], env=ENV, text=True, capture_output=True, check=True).stdout
        want = dict(line[2:].split(None, 1) for line in help_.splitlines()
                    if line.startswith("  ") and line[2] != " ")
        for name, shell in self.shells.items():
            with self.subTest(shell=name):
                got = shell.offers("")
                self.assertEqual(got.keys(), want.keys())
                for word, meant in got.items():
                    self.assertIn(want[word], meant)
                self.assertIn("by default 60", shell.offers("tune --sec")["--seconds"])

    def test_a_driver_follows_selftest(self):
        with open("/proc/crypto") as f:
            drivers = {line.split()[2] for line in f if line.startswith("driver ")}
        for name, shell in self.shells.items():
            with self.subTest(shell=name):
                self.assertLessEqual(drivers, set(shell.offers("selftest ")))
                self.assertFalse(drivers & set(shell.offers("selftest --")))

    def test_after_two_dashes_a_command_has_its_own_words(self):
        for name, shell in self.shells.items():
            with self.subTest(shell=name):
                self.assertEqual(set(shell.offers("run -- kcrypto tune --s")), {"--seconds"})
                self.assertEqual(set(shell.offers("stats --json -- kcrypto tun")), {"tune"})
                self.assertNotIn("--json", shell.offers("run -- true --"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
