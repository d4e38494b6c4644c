#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The openssl command with keys of the kernel: the same bytes as with the key itself, and the
reasons for what is refused."""

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
KEY, IV = bytes(range(32)), bytes(range(16))
USER_KEYRING = -4
ADD_KEY = 248  # x86-64
FOUR = re.search(r"OpenSSL 4", subprocess.run(["openssl", "version"], capture_output=True,
                                              text=True, check=True).stdout)
BY_NAME = ["-skeymgmt", "KERNEL-KEY", "-skeyopt"]


def add_key(kind, name, payload):
    libc = ctypes.CDLL(None, use_errno=True)
    serial = libc.syscall(ADD_KEY, kind.encode(), name.encode(), payload,
                          ctypes.c_size_t(len(payload)), ctypes.c_long(USER_KEYRING))
    if serial < 0:
        raise OSError(ctypes.get_errno(), f"add_key {kind} {name}")
    return serial


def enc(*more, data, ok=True):
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        file.write(data)
        file.flush()
        done = subprocess.run(["openssl", "enc", "-in", file.name, "-iv", IV.hex(), *more],
                              capture_output=True, check=False)
    if (done.returncode == 0) != ok:
        raise AssertionError(done.stderr.decode())
    return done.stdout if ok else done.stderr.decode()


class Enc(unittest.TestCase):
    def setUp(self):
        add_key("logon", "kcrypto:enc", KEY)
        self.data = os.urandom(100_003)

    def same(self, cipher, *key):
        want = enc(cipher, "-K", KEY.hex(), data=self.data)
        ours = [cipher, "-propquery", "provider=kcrypto-keys", *key]
        self.assertEqual(enc(*ours, data=self.data), want)
        self.assertEqual(enc("-d", *ours, data=want), self.data)

    @unittest.skipUnless(FOUR, "the command takes a key manager since 4.0")
    def test_a_name(self):
        for cipher in "-aes-256-cbc", "-aes-256-ctr", "-aes-256-ecb":
            self.same(cipher, *BY_NAME, "name:logon:kcrypto:enc")

    @unittest.skipUnless(FOUR, "the command takes a URI since 4.0")
    def test_a_uri(self):
        self.same("-aes-256-cbc", "-skeyuri", "kernel-key:logon:kcrypto:enc")

    @unittest.skipUnless(FOUR, "the command takes a key manager since 4.0")
    def test_a_key_that_is_not_there(self):
        said = enc("-aes-256-cbc", "-propquery", "provider=kcrypto-keys", *BY_NAME,
                   "name:logon:kcrypto:nowhere", data=b"", ok=False)
        self.assertIn("there is no such key", said)

    def test_the_program_of_the_docs(self):
        """docs/kernel-keys.md's program, compiled unchanged."""
        text = pathlib.Path(__file__).parents[2].joinpath("docs/kernel-keys.md").read_text()
        with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
            program = os.path.join(place, "program")
            source = re.search(r"```c\n(.*?)```", text, re.S)[1]
            subprocess.run(["cc", "-Wall", "-Werror", "-xc", "-", "-lcrypto", "-o", program],
                           input=source, text=True, check=True)
            got = subprocess.run([program, "logon:kcrypto:enc", IV.hex()], input=self.data,
                                 capture_output=True, check=True).stdout
            refused = subprocess.run([program, "logon:kcrypto:none", IV.hex()], text=True,
                                     capture_output=True, check=False)
        self.assertEqual(got, enc("-aes-256-cbc", "-K", KEY.hex(), data=self.data))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("there is no such key", refused.stderr)

    def test_a_program_that_does_not_ask_gets_none_of_it(self):
        self.assertEqual(len(enc("-aes-256-cbc", "-K", KEY.hex(), data=b"")), 16)


if __name__ == "__main__":
    unittest.main(verbosity=2)
