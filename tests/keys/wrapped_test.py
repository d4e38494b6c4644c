#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of kcrypto, with wrapped keys of the test accelerator: the same bytes as
with the key inside, which is nowhere in the program's memory. usage: wrapped_test.py BUILD"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BUILD = sys.argv.pop(1)
IV = bytes(range(16))
PROGRAM = os.path.join(BUILD, "tests", "opaque")
FOUR = re.search(r"OpenSSL 4", subprocess.run(["openssl", "version"], capture_output=True,
                                              text=True, check=True).stdout)
COUNTER = Path("/sys/module/accel/parameters/bytes")


def wrap(key):
    """Wraps a key as tests/accel/wrapped.h does."""
    check = 0
    for byte in key:
        check ^= byte
    return (b"KCWB" + bytes([len(key), check, 0, 0])
            + bytes(byte ^ (0xa5 + 37 * i) & 0xff for i, byte in enumerate(key)))


def software(cipher, key, data):
    return subprocess.run(["openssl", "enc", "-" + cipher.lower(), "-K", key.hex(), "-iv", IV.hex()],
                          input=data, capture_output=True, check=True).stdout


def argv(cipher, blob, length):
    return [PROGRAM, cipher, "KERNEL-KEY", "provider=kcrypto-keys", IV.hex(),
            f"hexblob={blob.hex()}", f"key-length={length}"]


def memory(pid):
    """All memory that the process can read."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        for line in maps:
            start, end = (int(n, 16) for n in line.split()[0].split("-"))
            if line.split()[1][0] == "r" and "[v" not in line:
                mem.seek(start)
                yield mem.read(end - start)


def in_memory(pid, secret):
    """Whether the memory holds any eight bytes of the secret."""
    parts = [secret[i:i + 8] for i in range(len(secret) - 7)]
    return any(part in piece for piece in memory(pid) for part in parts)


class Wrapped(unittest.TestCase):
    def test_a_program_has_the_same_bytes_and_never_the_key(self):
        for cipher, length in ("AES-128-CBC", 16), ("AES-256-CBC", 32), ("AES-256-CTR", 32):
            key, data = os.urandom(length), os.urandom(65536)
            blob, before = wrap(key), int(COUNTER.read_text())
            want = software(cipher, key, data)
            self.assertNotIn(key[:8], blob)
            with subprocess.Popen(argv(cipher, blob, length), stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE) as program:
                program.stdin.write(data)
                program.stdin.flush()
                got = b""
                while len(got) < len(data):
                    got += os.read(program.stdout.fileno(), len(data))
                self.assertTrue(in_memory(program.pid, blob[8:]))  # the search works
                self.assertFalse(in_memory(program.pid, key))
                got += program.communicate()[0]
            self.assertEqual(program.returncode, 0)
            self.assertEqual(got, want)
            self.assertGreater(int(COUNTER.read_text()), before + len(data) - 1)

    def test_a_blob_of_another_device_is_refused_with_the_reason(self):
        blob = bytearray(wrap(bytes(range(32))))
        blob[20] ^= 1
        r = subprocess.run(argv("AES-256-CBC", blob, 32), input=b"x" * 100, capture_output=True,
                           check=False)
        self.assertEqual((r.returncode, r.stdout), (1, b""))
        self.assertIn(b"can't open this blob", r.stderr)

    @unittest.skipUnless(FOUR, "the command takes a key manager since 4.0")
    def test_the_command_takes_a_blob(self):
        key, data = os.urandom(32), os.urandom(100_003)
        r = subprocess.run(["openssl", "enc", "-aes-256-cbc", "-propquery", "provider=kcrypto-keys",
                            "-skeymgmt", "KERNEL-KEY", "-skeyopt", "hexblob:" + wrap(key).hex(),
                            "-skeyopt", "key-length:32", "-iv", IV.hex()],
                           input=data, capture_output=True, check=False)
        self.assertEqual(r.stdout, software("AES-256-CBC", key, data), r.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
