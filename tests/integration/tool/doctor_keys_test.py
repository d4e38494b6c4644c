#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto doctor and list on keys of the kernel, in chains made of files and over the stand-in's
keyring; see doctor.py.  usage: doctor_keys_test.py BUILD
"""

import json
import os
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import BUILD, STANDIN_TOOL
from doctor import CNF, Chain

MODULE = os.path.join(BUILD, "kcrypto-keys.so")
KEYS = CNF.replace("[default_section]", "kcrypto-keys = keys_section\n[default_section]", 1) + \
    f"[keys_section]\nmodule = {MODULE}\nactivate = 1\n"
FIRST = KEYS.replace("kcrypto-keys = keys_section\n", "", 1).replace(
    "[providers]\n", "[providers]\nkcrypto-keys = keys_section\n", 1)
# Before OpenSSL 3.5 one more link is broken.
HAS_OBJECTS = b"OpenSSL 3.5" <= subprocess.run([STANDIN_TOOL, "version"], capture_output=True,
                                               check=True).stdout.split(b"with ")[1]
# The word that doctor has to print, and how the chain is broken.
BROKEN = {
    "not active": ("keys-inactive", dict(cnf=KEYS.replace(f"{MODULE}\nactivate = 1", MODULE))),
    "before the default provider": ("keys-order", dict(cnf=FIRST)),
    "no module": ("no-module", dict(cnf=KEYS.replace(MODULE, "/nowhere/kcrypto-keys.so"))),
    "no keyrings": ("keys-fail", dict(cnf=KEYS, env={"KC_STANDIN_KEYS": "*:38"})),
    "a kernel before 6.2": ("keys-fail", dict(cnf=KEYS, env={"KC_STANDIN_SERIAL": "92"})),
    "a filter": ("keys-fail", dict(cnf=KEYS, env={"KC_STANDIN_KEYS": "*:1"})),
    "no driver": ("keys-fail", dict(cnf=KEYS, env={"KC_STANDIN_SERIAL": "2"})),
    "no quota": ("keys-fail", dict(cnf=KEYS, env={"KC_STANDIN_KEYS": "*:122"})),
    "no such key": ("keys-no-key", dict(cnf=KEYS, key="user:nowhere")),
}


class Keys(Chain):
    def words(self, key=None, **how):
        r = self.call("--json", *(["--key", key] if key else []), **how)
        told = json.loads(r.stdout)
        return {f["word"]: f for f in told["findings"] if f["link"] == "kernel_keys"}, told

    def broken(self, **how):
        return {word for word, f in self.words(**how)[0].items() if f["state"] == "broken"}

    def test_a_chain_that_holds(self):
        words, told = self.words(cnf=KEYS)
        self.assertEqual(self.broken(cnf=KEYS), set() if HAS_OBJECTS else {"keys-openssl"})
        self.assertIn("ok", words)
        self.assertIn("the kernel encrypts with a key of the keyring", [f["text"] for f in told["findings"]])

    def test_each_broken_link_is_named(self):
        for what, (word, how) in BROKEN.items():
            with self.subTest(broken=what):
                self.assertEqual(self.broken(**how) - {"keys-openssl"}, {word})

    def test_nothing_is_said_unless_the_provider_is_configured_or_a_key_named(self):
        self.assertEqual(self.words()[0], {})
        self.assertEqual(set(self.words(key="user:nowhere")[0]), {"ok", "keys-no-key"})

    def test_a_key_has_the_names_that_programs_give_it(self):
        for key in "42", "0x2a", "%42", "kernel-key:0x2a", "user:nowhere", "%user:nowhere", "keyring:user:nowhere":
            with self.subTest(key=key):
                self.assertIn("no such key", self.words(key=key)[0]["keys-no-key"]["text"])
        for key in "42x", "0x80000000", "nowhere", ":nowhere", "user:":
            with self.subTest(key=key):
                self.assertIn("Invalid argument", self.words(key=key)[0]["keys-no-key"]["text"])

    def test_kcrypto_itself_is_not_taken_for_it(self):
        """Whatever the section is called."""
        told = self.words(cnf=FIRST.replace("kcrypto-keys =", "mine ="))[1]
        self.assertIn("algorithms that programs get: 1", json.dumps(told["findings"]))

    def test_keys_shows_what_the_kernel_takes_and_why_not_more(self):
        def types(**env):
            told = subprocess.run([STANDIN_TOOL, "keys", "--json"], env=dict(os.environ, **env), text=True,
                                  capture_output=True, check=True).stdout
            return {row["type"]: row["taken"] or row["why"] for row in json.loads(told)["types"]}
        told = types(KC_STANDIN_KEYS="encrypted:19")
        self.assertEqual((told["user"], told["logon"]), (True, True))
        self.assertEqual(told["encrypted"], "this kernel has no keys of this type")
        self.assertIn("no driver for this algorithm, or none for this process",
                      types(KC_STANDIN_SERIAL="2")["user"])
        self.assertIn("crypto.af_alg_restrict", types(KC_STANDIN_SERIAL="97")["user"])

    def test_a_driver_that_hangs_at_setkey_is_not_waited_for(self):
        self.call(cnf=KEYS)
        env = dict(os.environ, OPENSSL_CONF=self.file, KC_STANDIN_SERIAL="hang")
        out = subprocess.run([STANDIN_TOOL, "keys"], env=env, text=True, capture_output=True, check=True,
                             timeout=600).stdout
        self.assertIn("the driver did not answer", " ".join(out.split()))


if __name__ == "__main__":
    import sys
    unittest.main(argv=sys.argv[:1])
