#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto list prints OFFERED yes exactly if a program gets the cipher: for each possible mistake in
openssl.cnf, the openssl command shows whether requests arrive. Uses the stand-in.

usage: reach_test.py BUILD"""

import json
import os
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import (BUILD, CLEAN, IV, KEY, SICK, STANDIN as MODULE, STANDIN_TOOL, TOOL, VERSION, Case,
                  cnf_of, engine_cnf)

ENGINE = os.path.join(BUILD, "tests/engine/kcrypto-engine-standin.so")
HAS_ENGINE = os.path.exists(ENGINE)

CNF = cnf_of(MODULE) + "ciphers = AES-256-CBC:0\ndigests = SHA256:0\nmacs = HMAC-SHA256:0\n"

USES = "CIPHERS = AES-256-CBC:0, AES-256-XTS:0"  # an engine
QUERY = "default_properties = ?provider=kcrypto"

# Mistake: (text of the file, its replacement, offered, a note about it)
WRONG = {
    "nothing": ("", "", True, None),
    "no openssl_conf": ("openssl_conf = init", "", False, "has no line openssl_conf"),
    "no providers": ("providers = providers", "", False, "has no line 'providers"),
    "no line for us": ("kcrypto = kcrypto_section", "", False, "has no line 'kcrypto"),
    "our name elsewhere": ("kcrypto = kcrypto_section", "x = kcrypto_section", True, None),
    "a file that is missing": (MODULE, "/nowhere/kcrypto.so", False, "there is no module /nowhere/kcrypto.so"),
    "a file that is no module": (MODULE, "/etc/hostname", False, "/etc/hostname.*(short|ELF)"),
    "another module": (MODULE, os.path.join(BUILD, "legacy.so"), False, "legacy.so is not kcrypto's"),
    "no activate": (f"{MODULE}\nactivate = 1", MODULE, False, "lacks 'activate = 1'"),
    "activate = no": (f"{MODULE}\nactivate = 1", f"{MODULE}\nactivate = no", VERSION < (3, 2),
                      None if VERSION < (3, 2) else "lacks 'activate = 1'"),
    "no default": ("default = default_section", "", False, "default provider is not active"),
    "default not active": ("[default_section]\nactivate = 1", "[default_section]", False,
                           "default provider is not active"),
    "no properties": (QUERY, "", False, "without default_properties OpenSSL may choose"),
    "no alg_section": ("alg_section = algorithms", "", False, "without default_properties OpenSSL may choose"),
    "not us": ("?provider=kcrypto", "?provider!=kcrypto", False, "does not make programs use kcrypto"),
    "all from us": ("?provider=kcrypto", "provider=kcrypto", True, "hides most of OpenSSL"),
    "all from us, with a preference": ("?provider=kcrypto", "provider=kcrypto,?fips=no", True,
                                       "hides most of OpenSSL"),
    "fips first": ("?provider=kcrypto", "fips=yes,?provider=kcrypto", False,
                   "requires FIPS, but no FIPS provider is active"),
    # Lines of [default] do not replace those that another section lacks.
    "providers in default": ("[init]\nproviders", "providers", False, "names a section that does not exist"),
    "activate in default": (f"{MODULE}\nactivate", f"{MODULE}\n[default]\nactivate", False,
                            "lacks 'activate = 1'"),
    "properties in default": (QUERY, "[default]\n" + QUERY, False, "without default_properties OpenSSL may choose"),
    "a preference more": ("?provider=kcrypto", "?fips=no,?provider=kcrypto", True, None),
}


class Told(Case):
    def told(self, text, **env):
        path = self.write("openssl.cnf", text)
        r = subprocess.run([STANDIN_TOOL, "list", "--json", "--config", path],
                           env=os.environ | env, capture_output=True, check=True)
        self.assertEqual(r.stderr, b"")
        told = json.loads(r.stdout)
        return {a["name"]: a for a in told["algorithms"]}, "\n".join(told["notes"])

    def is_used(self, text, name="AES-256-CBC", **env):
        """Whether a large request of the openssl command arrives, with this file."""
        self.count_anew()
        env = CLEAN | {"OPENSSL_CONF": self.write("openssl.cnf", text), "KCRYPTO_STATS": self.stats} | env
        subprocess.run(["openssl", "enc", "-" + name.lower(), "-K", KEY, "-iv", IV],
                       env=env, input=b"x" * 1_000_000, capture_output=True, check=False)
        return self.requests(name) > 0


class Reach(Told):
    def test_offered_is_what_a_program_gets_and_the_notes_say_what_is_wrong(self):
        for what, (old, new, offered, note) in WRONG.items():
            with self.subTest(wrong=what):
                self.assertIn(old, CNF)
                text = CNF.replace(old, new, 1)
                rows, notes = self.told(text)
                row = rows["AES-256-CBC"]
                self.assertEqual((self.is_used(text), row["offered"]), (offered, offered), notes)
                self.assertEqual(row["reason"], "ok" if offered else "not-reached", notes)
                self.assertRegex(notes, note or r"\A\Z" if offered else note)
                for name in ("SHA256", "HMAC-SHA256"):
                    self.assertEqual(rows[name]["offered"], offered and name in rows, name)

    def test_a_command_is_run_with_the_lines_of_the_sections_alone(self):
        path = self.write("openssl.cnf", "activate = 1\ndefault_properties = fips=yes\n"
                          "openssl_conf = init\n[init]\nalg_section = algorithms\n[algorithms]\n")
        made = self.run_([TOOL, "run", "--config", path, "--", "sh", "-c", 'cat "$OPENSSL_CONF"'])
        self.assertIn("default_properties = ?provider=kcrypto\n", made.stdout.decode())

    def test_a_module_that_crashes_or_hangs_takes_nothing_with_it(self):
        for env, why in ({}, "killed by signal"), ({"SICK_HANGS": "1"}, "did not answer within 10 s"):
            rows, notes = self.told(CNF.replace(MODULE, SICK), **env)
            self.assertFalse(rows["AES-256-CBC"]["offered"])
            self.assertIn("fails: " + why, notes)

    def test_a_program_that_does_not_start_is_told(self):
        text = CNF.replace("[init]", "config_diagnostics = 1\n[init]\nno_such = thing")
        rows, notes = self.told(text)
        self.assertFalse(rows["AES-256-CBC"]["offered"])
        self.assertFalse(self.is_used(text))
        self.assertIn("programs do not start with", notes)


class Engine(Told):
    def test_offered_is_what_a_program_gets_from_the_engine(self):
        text = engine_cnf("kcrypto", USES)
        for files, offered, note in (
                ({"kcrypto": ENGINE}, True, "as the engine kcrypto;"),
                ({}, False, "OpenSSL cannot load the engine kcrypto")):
            env = self.engines(**files)
            rows, notes = self.told(text, **env)
            self.assertRegex(notes, note)
            self.assertEqual(rows["AES-256-CBC"]["offered"], offered, notes)
            self.assertEqual(self.is_used(text, **env), offered)
            self.assertEqual(rows["AES-256-XTS"]["reason"], "not-by-engine")

    def test_an_engine_that_is_not_the_default_is_not_offered(self):
        text = engine_cnf("kcrypto", USES).replace("CIPHERS", "#")
        rows, notes = self.told(text, **self.engines(kcrypto=ENGINE))
        self.assertFalse(rows["AES-256-CBC"]["offered"])
        self.assertIn("but do not use it", notes)

    def test_another_engine_of_the_same_id_is_not_taken_for_ours(self):
        out = subprocess.check_output(["openssl", "version", "-e"], text=True).split('"')[1]
        theirs = os.path.join(out, "afalg.so")  # of Debian's libssl
        text = engine_cnf("afalg", USES).replace("CIPHERS", "default_algorithms = ALL\n#")
        rows, notes = self.told(text, **self.engines(afalg=theirs))
        self.assertFalse(rows["AES-256-CBC"]["offered"])
        self.assertRegex(notes, "engine afalg that programs load is .* not kcrypto's"
                         "|cannot load the engine afalg")
        self.assertNotIn("reach kcrypto as", notes)


if not HAS_ENGINE:
    del Engine


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
