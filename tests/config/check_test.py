#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto config check: which openssl.cnf is used, what is on, what is wrong and in which line. The
command changes nothing.

usage: check_test.py BUILD"""

import json
import os
import sys
import unittest

from system import BUILD, LAYOUTS, Root, unwrapped
from folder import cnf_of

ON = cnf_of(random=True)
OURS = "[kcrypto_section]\n"


class Files(Root):
    def test_the_file_of_each_layout_is_found_and_left_alone(self):
        for name, layout in LAYOUTS.items():
            with self.subTest(layout=name):
                self.setUp()
                self.lay_out(name)
                before = self.files()
                self.assertIn(f"ok: {self.path(layout[0])}: kcrypto is off\n", self.config("check"))
                self.assertEqual(self.files(), before)

    def test_what_is_on_is_said(self):
        self.write("etc/ssl/openssl.cnf", ON)
        said = self.config("check", "--verbose")
        for line in ("active, in this order: default, kcrypto", "default_properties = ?provider=kcrypto",
                     "random numbers stay with OpenSSL's default provider", "kcrypto is on"):
            self.assertIn(line + "\n", said)

    def test_included_files_are_followed_inside_the_root(self):
        self.write("etc/ssl/openssl.cnf", ".include /etc/ssl/first.cnf\n.include=/etc/ssl/more\n")
        os.makedirs(self.path("etc/elsewhere"))
        self.write("etc/elsewhere/first.cnf", ON)
        os.symlink("/etc/elsewhere/first.cnf", self.path("etc/ssl/first.cnf"))
        path = self.write("etc/ssl/more/a.conf", "[algorithms]\ndefault_properties = provider=kcrypto\n")
        self.write("etc/ssl/more/b.txt", "not for [OpenSSL")
        self.assertIn(f"{path}:2: 'default_properties = provider=kcrypto' hides", self.config("check", code=1))

    def test_a_file_that_cannot_be_parsed_is_refused_with_its_line(self):
        for text, line in (("a = 1\n[x\nb = 2\n", 2), ("a = 1\n\nnonsense\n", 3),
                           ("a = 1\r\nb = \\\r\n2\r\nnonsense", 4), ("a = $nothing\n", 1)):
            for name in ("etc/ssl/openssl.cnf", "etc/ssl/more/x.cnf"):
                with self.subTest(text=text, name=name):
                    self.write("etc/ssl/openssl.cnf", "#\n.include /etc/ssl/more\n")
                    self.write("etc/ssl/more/x.cnf", "#\n")
                    path = self.write(name, text)
                    for action in ("check", "enable"):
                        self.assertIn(f"{path}:{line}: ", self.config(action, code=1))

    def test_a_file_of_another_kind_is_refused(self):
        self.write("etc/ssl/openssl.cnf", b"a = 1\n\0\n")
        self.assertIn("zero byte", self.config("check", code=1))
        self.write("etc/ssl/openssl.cnf", ".include /etc/ssl/openssl.cnf\n")
        self.config("check", code=1)
        os.remove(self.path("etc/ssl/openssl.cnf"))
        self.assertIn("there is no openssl.cnf below " + self.root, self.config("check", code=1))


class Check(Root):
    """The links of kcrypto doctor's chain that the file makes. doctor_test.py has more of them."""

    def check(self, old, new, code=1):
        self.assertIn(old, ON)
        self.path_ = self.write("etc/ssl/openssl.cnf", ON.replace(old, new))
        return self.config("check", code=code)

    def test_what_is_broken_is_named_with_its_line(self):
        for old, new, line, why in (
                ("openssl_conf = init", "[first]\nopenssl_conf = init", 2, "openssl_conf is in a section"),
                ("openssl_conf = init", "openssl_conf = int", 1, "'openssl_conf = int' names"),
                ("providers = prov", "providers = rov", 3, "'providers = roviders' names"),
                ("random = ran", "random = sp", 5, "'random = spdom' names"),
                ("?provider", "provider", 12, "hides most of OpenSSL"),
                ("openssl_conf = init", "x = \\\n[a]\ny = \\\\\nopenssl_conf = nit", 4, "= nit' names"),
        ):
            with self.subTest(new=new):
                said = self.check(old, new)
                self.assertRegex(said, f"(?m)^broken +[a-z]+ +{self.path_}:{line}: ")
                self.assertIn(why, said)
                self.assertIn("\nTo fix it: ", said)
        # The contents of a section named default count for no other section.
        said = self.check("[default_section]\n", "[default]\nactivate = 1\n[default_section]\nx = ")
        self.assertIn("default provider is not active", said)

    def test_a_note_is_no_failure(self):
        for old, new in (("[random]\nproperties", "[random]\nx"),
                         ("random = random", "random = random\nengines = e\n[e]\nafalg = x\n"
                          "[x]\nCIPHERS = ALL")):
            self.assertRegex(self.check(old, new, 0), "(?m)^note +[a-z]")

    def test_lines_of_the_section_are_checked(self):
        for line, why in (("ciphers = AES-512-CBC:abc", "AES-512-CBC"), ("Cipherz = 1", "Cipherz")):
            self.assertRegex(self.check(OURS, OURS + line + "\n"), "(?m)^broken +keys .*" + why)

    def test_a_byte_order_mark_counts_only_at_the_very_beginning(self):
        """In an included file OpenSSL takes the byte order mark for a syntax error, and ignores the whole
        configuration."""
        bom = "\ufeff"
        self.write("etc/ssl/openssl.cnf", bom + ON)
        self.assertIn("kcrypto is on\n", self.config("check"))
        path = self.write("etc/ssl/more.cnf", bom + ON)
        self.write("etc/ssl/openssl.cnf", ".include /etc/ssl/more.cnf\n")
        self.assertRegex(self.config("check", code=1), f"(?m)^broken +file +{path}:1: ")

    def test_another_module_of_ours_is_not_taken_for_kcrypto(self):
        other = " = other\n[other]\nmodule = /usr/lib/kcrypto-keys.so\nactivate = 1\n#"
        for name in ("kcrypto", "keys"):
            self.assertIn("has no line 'kcrypto = ...'", self.check("kcrypto = ", name + other))

    def test_a_file_that_is_not_there_is_broken_for_who_names_it(self):
        r = self.run_("check", "--json", "--config", self.path("none.cnf"), env={"OPENSSL_MODULES": BUILD})
        told = json.loads(r.stdout)
        self.assertEqual((r.returncode, told["verdict"], told["first"]["word"]), (1, "broken", "no-file"))
        self.assertIn("config fix --config " + self.path("none.cnf"), told["first"]["command"])

    def test_libcrypto_of_this_system_loads_it(self):
        path = self.write("openssl.cnf", ON.replace(OURS, f"{OURS}module = {BUILD}/x.so\n"))
        r = self.run_("check", "--config", path)
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertIn(f"there is no module {BUILD}/x.so", unwrapped(r.stdout))
        r = self.run_("check", "--config", self.write("openssl.cnf", ON), env={"OPENSSL_MODULES": BUILD})
        self.assertEqual(r.returncode, 0, r.stdout)
        self.assertTrue(r.stdout.endswith(f"ok: {path}: kcrypto is on\n"), r.stdout)


class Calls(Root):
    def test_wrong_words_are_named(self):
        for args, word in ((["shw"], "'shw'"), ([], "requires an action"), (["check", "me"], "'me'"),
                           (["check", "--nix"], "'--nix'")):
            r = self.run_(*args)
            self.assertEqual(r.returncode, 2, args)
            self.assertIn(word, r.stderr)

    def test_a_root_that_is_not_there(self):
        r = self.run_("check", "--root", self.path("none"))
        self.assertEqual(r.returncode, 1)
        self.assertIn("No such file or directory", r.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
