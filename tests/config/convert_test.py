#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto config convert: the sections of the old engines become the provider's, with the same
algorithms and thresholds; what cannot be carried over is said; disable brings the old ones back.

usage: convert_test.py BUILD
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from system import BUILD, HERE, TOOL, Root

ENV = {"OPENSSL_MODULES": BUILD}


def old(*lines, engine="afalg"):
    return f"openssl_conf = c\n[c]\nengines = e\n[e]\n{engine} = s\n[s]\n" + "".join(
        line + "\n" for line in lines)


class Convert(Root):
    def convert(self, text):
        """The keys of the provider's section, and the notes."""
        path = self.write("openssl.cnf", text)
        r = self.run_("convert", "--config", path, env=ENV)
        self.assertEqual(r.returncode, 0, r.stdout + r.stderr)
        section = Path(path).read_text().split("[kcrypto_sect]\n", 1)[1].split("\n\n", 1)[0]
        return dict(line.split(" = ", 1) for line in section.splitlines()), r.stderr

    def test_the_files_of_the_old_systems(self):
        for name, want in (
                ("koetter", {"ciphers": "aes-128-cbc aes-192-cbc aes-256-cbc des-cbc des-ede3-cbc",
                             "digests": "md4 md5 sha1 sha224 sha256 sha512", "backends": "afalg"}),
                ("cotequeiroz", {"soft_drivers": "2", "digests": "NONE", "backends": "afalg",
                                 "ciphers": "AES-128-CBC:1024, AES-256-CBC:768, DES-EDE3-CBC:0"}),
                ("openwrt", {"ciphers": "ALL", "digests": "NONE", "backends": "devcrypto"})):
            with self.subTest(system=name):
                text = Path(HERE, "../engine", name + ".cnf").read_text()
                keys, _ = self.convert(text)
                self.assertEqual(keys, {"activate": "1"} | want)
                path = self.path("openssl.cnf")
                said = self.run_("check", "--config", path, env=ENV).stdout
                self.assertEqual(said, f"ok: {path}: kcrypto is on\n")
                self.assertIn("engine: none\n", self.run_("show", "--config", path).stdout)
                self.assertIn("nothing to do", self.run_("convert", "--config", path).stdout)
                self.assertEqual(self.run_("disable", "--config", path).returncode, 0)
                self.assertEqual(self.read("openssl.cnf").decode(), text)

    def test_the_provider_takes_what_the_engine_took(self):
        lines = ("CIPHERS = AES-128-CBC:1024 AES-256-CTR", "DIGESTS = SHA256:100")
        self.convert(old(*lines))
        path = self.path("openssl.cnf")
        r = self.run_("show", "--config", path)
        self.assertIn("provider kcrypto: on", r.stdout)
        r = subprocess.run([TOOL, "list", "--json", "--no-trial", "--config", path],
                                         env=os.environ | ENV, capture_output=True, check=True)
        listing = json.loads(r.stdout)
        self.assertEqual((listing["section"], listing["engine"], listing["problems"]),
                         ("kcrypto_sect", None, []))

    def test_what_cannot_be_carried_over_is_said_with_its_line(self):
        keys, notes = self.convert(old("default_algorithms = CIPHERS", "dynamic_path = /x/afalg.so",
                                       "CIPHERS = AES-128-CBC RC4 DES-CBC", "USE_SOFTDRIVERS = 1",
                                       "DUMP_INFO = EMPTY", "FROBNICATE = 3", "engine_id = afalg"))
        self.assertEqual(keys, {"activate": "1", "ciphers": "AES-128-CBC RC4 DES-CBC",
                                "soft_drivers": "1", "backends": "afalg"})
        path = self.path("openssl.cnf")
        for line, why in ((7, "default_algorithms is not carried over"),
                          (8, "dynamic_path is not carried over"),
                          (9, "'RC4' means nothing to the provider: this version has no algorithm"),
                          (9, "DES-CBC is used only if the provider 'legacy' is active"),
                          (11, "DUMP_INFO is not carried over: 'kcrypto list --engine-format'"),
                          (12, "FROBNICATE is not carried over"), (13, "engine_id is not")):
            self.assertIn(f"note: {path}:{line}: {why}", notes)
        self.assertEqual(notes.count("note: "), 7)

    def test_what_the_old_engines_took_for_granted(self):
        keys, notes = self.convert(old("init = 0", engine="devcrypto"))
        self.assertEqual(keys, {"activate": "1", "backends": "devcrypto"})
        self.assertIn("used all digests", notes)
        self.assertIn("USE_SOFTDRIVERS is not set", notes)
        keys, notes = self.convert(old("1.CIPHERS = aes-128-cbc", "2.CIPHERS = aes-256-cbc",
                                       engine="af_alg"))
        self.assertEqual(keys["ciphers"], "aes-128-cbc aes-256-cbc")
        self.assertEqual(self.convert(old("init = 0", engine="af_alg"))[0]["ciphers"], "NONE")
        keys, _ = self.convert(old("1.CIPHERS = aes-128-cbc", "2.CIPHERS = aes-256-cbc"))
        self.assertEqual(keys["ciphers"], "aes-256-cbc")
        self.assertNotIn("backends", self.convert(old("CIPHERS = ALL", engine="kcrypto"))[0])

    def test_other_engines_and_foreign_lines_stay(self):
        text = ("openssl_conf = c\r\n[c]\r\nengines = e\r\n[e]\r\npkcs11 = p\r\n1.afalg = \\\r\n s\r\n"
                "[p]\r\nengine_id = dynamic\r\n[s]\r\nCIPHERS = ALL\r\n# end")
        self.write("etc/ssl/openssl.cnf", text)
        self.config("convert")
        data = self.read("etc/ssl/openssl.cnf").decode()
        self.assertTrue(data.startswith(text.replace("1.afalg", "#kcrypto-config# 1.afalg")))
        self.assertEqual(data.count("#kcrypto-config#"), 1)
        self.config("disable")
        self.assertEqual(self.read("etc/ssl/openssl.cnf").decode(), text)

    def test_of_two_old_engines_the_later_one_counts(self):
        text = old("CIPHERS = AES-128-CBC") + "[t]\nCIPHERS = AES-256-CBC\n[e]\ndevcrypto = t\n"
        keys, notes = self.convert(text)
        self.assertEqual((keys["ciphers"], keys["backends"]), ("AES-256-CBC", "devcrypto"))
        self.assertIn(":5: programs got a later engine's algorithms", notes)
        self.assertEqual(self.read("openssl.cnf").count(b"#kcrypto-config# "), 3)

    def test_keys_that_the_provider_has_stay(self):
        text = old("CIPHERS = AES-128-CBC", "VERIFY = 5") + "[c]\nproviders = p\n[p]\nkcrypto = k\n" \
            "default = d\n[d]\nactivate = 1\n[k]\nactivate = 1\nciphers = AES-256-CBC\n"
        path = self.write("openssl.cnf", text)
        r = self.run_("convert", "--config", path, env=ENV)
        self.assertIn(":7: CIPHERS is not carried over: the provider's section has", r.stderr)
        added = self.read("openssl.cnf").decode().split("begin;", 1)[1]
        self.assertIn("[k]\nverify = 5\nbackends = afalg\n", added)
        self.assertNotIn("ciphers", added)

    def test_on_openwrt_the_entries_change(self):
        for module in ("devcrypto", "afalg"):
            self.setUp()
            self.lay_out("openwrt-23.05")
            self.write(f"etc/ssl/modules.cnf.d/{module}.cnf",
                       f"[{module}_sect]\nCIPHERS = ALL\nDIGESTS = NONE\n")
            self.write("etc/config/openssl", f"config engine '{module}'\n\toption enabled '1'\n")
            before = self.files()
            self.assertIn(f"engine: {module}, by ", self.config("show"))
            self.config("convert")
            self.assertEqual(self.read("etc/config/openssl").decode(),
                             f"config engine '{module}'\n\toption enabled '0'\n"
                             "\nconfig provider 'kcrypto'\n\toption enabled '1'\n")
            self.assertIn(f"backends = {module}\n",
                          self.read("etc/ssl/modules.cnf.d/kcrypto.cnf").decode())
            self.config("disable")
            self.assertEqual({p: f for p, f in self.files().items() if not p.endswith(".disabled")},
                             before)

    def test_a_dry_run_changes_nothing(self):
        text = old(*["# a line"] * 20, "CIPHERS = AES-128-CBC")
        path = self.write("openssl.cnf", text)
        r = self.run_("convert", "--dry-run", "--config", path, env=ENV)
        self.assertIn("-engines = e\n+#kcrypto-config# engines = e\n [e]\n"
                      "-afalg = s\n+#kcrypto-config# afalg = s\n", r.stdout)
        self.assertIn("+ciphers = AES-128-CBC\n", r.stdout)
        self.assertEqual(r.stdout.count("@@ "), 2)
        self.assertEqual(list(self.files().items()), [("openssl.cnf", (0o100644, text.encode()))])
        self.run_("convert", "--config", path, env=ENV)
        converted = self.read("openssl.cnf")
        self.write("openssl.cnf", text)
        subprocess.run(["patch", "-s", path], input=r.stdout, text=True, check=True)
        self.assertEqual(self.read("openssl.cnf"), converted)

    def test_openssl_1_1_has_no_providers(self):
        self.lay_out("openwrt-19.07")
        self.write(self.main, old("CIPHERS = ALL"))
        self.assertIn("OpenSSL 3.0", self.config("convert", code=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
