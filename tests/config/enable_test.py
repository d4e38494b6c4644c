#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto config enable and disable, on the layouts of distributions: enable turns kcrypto on, a second
enable changes nothing, and disable leaves every byte as it was.

usage: enable_test.py BUILD"""

import os
import re
import subprocess
import sys
import unittest

from system import BUILD, LAYOUTS, VERSION, Root, fixture

PROVIDERS = [name for name, layout in LAYOUTS.items() if layout[4] == "3"]
ENGINES = [name for name in LAYOUTS if name not in PROVIDERS]


def on_each(names):
    """Decorates a test that runs on each of these layouts, in a root of its own."""
    def decorate(test):
        def run(self):
            for name in names:
                with self.subTest(layout=name):
                    self.setUp()
                    self.lay_out(name)
                    test(self, name)
        return run
    return decorate


class Layouts(Root):
    @on_each(PROVIDERS)
    def test_enable_turns_kcrypto_on(self, _):
        self.config("enable")
        said = self.config("check", "--verbose")
        self.assertIn("loaded by the line 'kcrypto = kcrypto_module'\n", said)
        self.assertRegex(said, "default provider is (active, too|there, unless a program loads others)\n")
        self.assertIn("default_properties = ?provider=kcrypto", said)
        self.assertIn("random numbers stay with OpenSSL's default provider", said)
        self.assertIn("kcrypto is on\n", said)

    @on_each(ENGINES)
    def test_openssl_1_1_gets_the_engine(self, _):
        self.config("enable")
        self.assertIn("kcrypto is on as an engine\n", self.config("check", "--verbose"))
        self.assertIn("kTLS needs OpenSSL 3.0", self.config("enable", "--ktls", code=1))

    @on_each(LAYOUTS)
    def test_enabled_twice_is_once(self, _):
        self.config("enable")
        once = self.files()
        self.assertIn("nothing to do: kcrypto is on", self.config("enable"))
        self.assertEqual(self.files(), once)

    @on_each(LAYOUTS)
    def test_disable_leaves_the_files_as_they_were(self, name):
        for options in [[]] + [["--ktls"]] * (name in PROVIDERS):
            before = self.files()
            self.config("enable", *options)
            self.assertNotEqual(self.files(), before)
            self.config("disable")
            self.assertEqual(self.files(), before)
            self.assertIn("nothing to do: kcrypto is off", self.config("disable"))

    @on_each(LAYOUTS)
    def test_no_byte_that_was_there_is_changed(self, _):
        before = self.files()
        self.config("enable")
        after = self.files()
        for path, (mode, data) in before.items():
            self.assertEqual(after[path][0], mode)
            self.assertEqual(after[path][1][:len(data)], data)

    @on_each(LAYOUTS)
    def test_a_dry_run_prints_the_lines_that_it_adds_and_writes_nothing(self, _):
        before = self.files()
        said = self.run_("enable", "--dry-run", "--root", self.root).stdout
        self.assertEqual(self.files(), before)
        self.config("enable")
        added = self.read(self.main)[len(before[self.main][1]):].decode()
        self.assertEqual(said, self.path(self.main) + ":\n" + "".join(f"+{line}\n" for line in added.splitlines()))
        enabled = self.files()
        said = self.run_("disable", "--dry-run", "--root", self.root).stdout
        self.assertEqual(self.files(), enabled)
        self.assertRegex(said, r"(?m)^-\S")
        self.assertNotIn("\n+", said)

    @on_each(PROVIDERS)
    def test_ktls_comes_with_enable_or_later(self, _):
        self.config("enable")
        self.config("enable", "--ktls")
        self.assertIn(b"Options = KTLS\n", b"".join(data for _, data in self.files().values()))
        self.assertIn("kcrypto is on\n", self.config("check", "--verbose"))
        self.assertIn("nothing to do", self.config("enable"))
        self.assertIn("nothing to do", self.config("enable", "--ktls"))

    def test_a_query_keeps_its_special_characters(self):
        written, query = r"""?x=a\#\$\\\"\'\`""", r"""?x=a#$\"'`"""
        self.write("etc/ssl/openssl.cnf",
                   f"openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = {written}\n")
        self.config("enable")
        self.assertIn(f"default_properties = {query},?provider=kcrypto\n", self.config("check", "--verbose"))

    @on_each(["openwrt-23.05"])
    def test_a_packages_file_and_its_entry_stay_theirs(self, _):
        """OpenWrt's init script writes that line from the package's entry."""
        self.write("etc/ssl/modules.cnf.d/kcrypto.cnf", "[kcrypto_sect]\nactivate = 1\n")
        for line in "", "kcrypto=kcrypto_sect\n":
            self.write("var/etc/ssl/providers.cnf", line)
            before = self.files()
            self.config("enable")
            self.assertIn("kcrypto is on", self.config("check", "--verbose"))
            said = self.config("disable", code=1 if line else 0)
            self.assertEqual("kcrypto.cnf:2: this line turns kcrypto on" in said, bool(line))
            self.assertEqual(self.files(), before)


class Program(Root):
    """This machine's libcrypto reads the result, and kcrypto is active."""

    def enable(self, text):
        path = self.write("openssl.cnf", text)
        self.env = {"OPENSSL_CONF": path, "OPENSSL_MODULES": BUILD}
        r = self.run_("enable", "--config", path, env=self.env)
        self.assertEqual(r.returncode, 0, r.stderr)
        return path

    def providers(self):
        r = subprocess.run(["openssl", "list", "-providers"], env=os.environ | self.env,
                           capture_output=True, text=True, check=True)
        return re.findall(r"^  (\w+)\n", r.stdout, re.M)

    def test_openssl_loads_each_layouts_text(self):
        for name, layout in LAYOUTS.items():
            text = fixture(layout[1])
            # OpenSSL 4.0 stops reading where a file asks for engines.
            if VERSION >= (4,) and b"engines" in text:
                continue
            with self.subTest(layout=name):
                for file, data in layout[2].items():
                    included = self.write(os.path.basename(file), data)
                    text = text.replace(b"/" + file.encode(), included.encode())
                path = self.enable(text)
                self.assertEqual(sorted(self.providers()), ["default", "kcrypto"])
                r = self.run_("disable", "--config", path, env=self.env)
                self.assertEqual(r.returncode, 0, r.stderr)
                self.assertEqual(self.read("openssl.cnf"), text)

    def test_tls_gets_the_option(self):
        ask = [sys.executable, "-c", "import ssl; print(ssl.SSLContext(ssl.PROTOCOL_TLS).options >> 3 & 1)"]
        for text, option in (("", "[kcrypto_tls]\nOptions"),
                             ("openssl_conf = i\n[i]\nssl_conf = s\n[s]\nsystem_default = d\n[d]\n"
                              "Options = -SessionTicket\n", "[d]\nkcrypto.Options")):
            path = self.enable(text)
            for args, want in ((["disable"], "0"), (["enable", "--ktls"], "1")):
                self.assertEqual(self.run_(*args, "--config", path, env=self.env).returncode, 0)
                said = subprocess.run(ask, env=os.environ | self.env, capture_output=True, text=True,
                                      check=True).stdout
                self.assertEqual(said.strip(), want)
            self.assertIn(option + " = KTLS\n", self.read("openssl.cnf").decode())

    def test_an_empty_file_and_none(self):
        for text in (b"", b"\n", b"# nothing"):
            path = self.enable(text)
            self.assertEqual(sorted(self.providers()), ["default", "kcrypto"])
            self.run_("disable", "--config", path)
            self.assertEqual(self.files(), {"openssl.cnf": (0o100644, text)})
        os.remove(path)
        self.assertEqual(self.run_("enable", "--config", path, env=self.env).returncode, 0)
        self.assertEqual(sorted(self.providers()), ["default", "kcrypto"])
        self.run_("disable", "--config", path)
        self.assertEqual(self.files(), {})

    def test_the_file_may_end_its_lines_in_any_way(self):
        for text in (b"a = 1\r\n[b]\r\nc = 2\r\n", b"a = 1\r\nb = 2", b"a = 1\nb = 2",
                     b"[s]\na = \\\n1\n", b"\xef\xbb\xbfa = 1\n"):
            with self.subTest(text=text):
                path = self.enable(text)
                self.assertEqual(sorted(self.providers()), ["default", "kcrypto"])
                added = self.read("openssl.cnf")[len(text):]
                self.assertEqual(added.count(b"\r\n"), added.count(b"\n") * (b"\r" in text))
                self.run_("disable", "--config", path)
                self.assertEqual(self.read("openssl.cnf"), text)

    def test_sections_that_are_there_are_used_under_their_own_names(self):
        text = """openssl_conf = my_init
[my_init]
providers = my_provider_sect
alg_section = my_algs
random = my_random
ssl_conf = my_ssl
[my_provider_sect]
default = my_default
[my_default]
%s
[my_algs]
default_properties = ?fips=yes
[my_random]
random = CTR-DRBG
[my_ssl]
system_default = my_tls
[my_tls]
Options = -SessionTicket
"""
        for active in ("activate = 1", "# activate = 1"):
            path = self.enable(text % active)
            self.assertEqual(sorted(self.providers()), ["default", "kcrypto"])
            r = self.run_("enable", "--ktls", "--config", path, env=self.env)
            self.assertEqual(r.returncode, 0, r.stderr)
            added = self.read("openssl.cnf").decode()[len(text % active):]
            self.assertEqual(re.findall(r"^\[(.*)\]", added, re.M),
                             ["my_provider_sect", "kcrypto_sect", "my_algs"] +
                             ["my_random"] * (VERSION < (3, 5)) + ["my_tls", "my_init"])
            self.assertIn("default_properties = ?fips=yes,?provider=kcrypto\n", added)
            self.assertIn("kcrypto.Options = KTLS\n", added)

    def test_one_that_is_on_by_hand_is_left_alone(self):
        path = self.enable("a = 1\n")
        by_hand = b"".join(line for line in self.read("openssl.cnf").splitlines(True)
                           if b"# kcrypto" not in line)
        self.write("openssl.cnf", by_hand)
        r = self.run_("enable", "--config", path, env=self.env)
        self.assertIn("nothing to do", r.stdout)
        r = self.run_("disable", "--config", path)
        self.assertEqual(r.returncode, 1)
        self.assertRegex(r.stderr, rf"{path}:\d+: this line turns kcrypto on")
        self.assertEqual(self.read("openssl.cnf"), by_hand)

    def test_of_lines_by_hand_and_lines_of_enable_the_latter_go(self):
        text = b"openssl_conf = i\n[i]\nproviders = p\n[p]\ndefault = d\nkcrypto = k\n[d]\nactivate = 1\n" \
            b"[k]\nactivate = 1\n"
        path = self.enable(text)
        r = self.run_("disable", "--config", path, env=self.env)
        self.assertEqual((r.returncode, self.read("openssl.cnf")), (1, text))
        self.assertIn(path + ":10: this line turns kcrypto on", r.stderr)

    def test_what_was_added_by_hand_stays_and_counts(self):
        path = self.enable("a = 1\n")
        text = self.read("openssl.cnf").replace(b"[kcrypto_sect]\n", b"[kcrypto_sect]\nciphers = AES-128-CBC\n")
        self.write("openssl.cnf", b"# before\n" + text + b"[after]\nb = 2\n")
        self.assertIn("nothing to do", self.run_("enable", "--config", path, env=self.env).stdout)
        r = self.run_("disable", "--config", path, env=self.env)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn(path + " has lines that 'enable' did not write; they stay as comments", r.stderr)
        kept = self.read("openssl.cnf")
        self.assertRegex(kept, rb"(?s)\A# before\na = 1\n\n#.*\n# \[kcrypto_sect\]\n# ciphers = .*\[after\]\nb = 2\n\Z")
        self.run_("enable", "--config", path, env=self.env)
        self.assertEqual(sorted(self.providers()), ["default", "kcrypto"])
        self.run_("disable", "--config", path, env=self.env)
        self.assertEqual(self.read("openssl.cnf"), kept)

    def test_what_stands_behind_the_block_stays_in_lines_of_its_own(self):
        """Also without the blank line before the block."""
        for text, left in ((b"a = 1", b"a = 1\n"), (b"a = 1\n", b"a = 1\n"), (b"", b"")):
            path = self.enable(text)
            self.write("openssl.cnf", self.read("openssl.cnf").replace(b"\n\n#", b"\n#", 1) + b"[after]\n")
            self.run_("disable", "--config", path, env=self.env)
            self.assertEqual(self.read("openssl.cnf"), left + b"[after]\n")

    def test_a_broken_file_of_ours_can_be_taken_away(self):
        self.lay_out("debian-12")
        before = self.read(self.main)
        for text in (b"[oops\n", b"nonsense\n"):
            self.config("enable")
            enabled = self.read(self.main)
            self.write(self.main, enabled + text)
            line = enabled.count(b"\n") + 1
            self.assertRegex(self.config("check", code=1), f"(?m)^broken +file +{self.path(self.main)}:{line}: ")
            self.config("disable")
            self.assertEqual(self.read(self.main), before + text)
            self.assertIn("nothing to do: kcrypto is off", self.config("disable"))
            self.write(self.main, before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
