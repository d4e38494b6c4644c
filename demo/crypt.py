#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An ordinary program: python3-cryptography, AES-256-CBC, a file in 64 KiB pieces.

usage: crypt.py encrypt|decrypt KEY IV IN OUT    (KEY and IV in hexadecimal)
It knows nothing of kcrypto; whether that is used is openssl.cnf's affair. Prints what the file
took: seconds, and seconds of CPU time of the whole machine, as a process's own time misses
kernel threads and interrupts.
"""

import os
import sys
import time

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

PIECE = 65536
BLOCK = 16


def cpu_seconds():
    with open("/proc/stat") as f:
        user, nice, system, _idle, _iowait, irq, softirq = map(int, f.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def encrypt(crypt, f, out):
    data, done = bytearray(PIECE), bytearray(PIECE + BLOCK)
    while (n := f.readinto(data)) == PIECE:
        crypt.update_into(data, done)
        out.write(memoryview(done)[:PIECE])
    pad = BLOCK - n % BLOCK
    out.write(crypt.update(bytes(data[:n]) + bytes([pad]) * pad) + crypt.finalize())


def decrypt(crypt, f, out):
    data, done = bytearray(PIECE), bytearray(PIECE + BLOCK)
    while n := f.readinto(data):
        crypt.update_into(memoryview(data)[:n], done)
        out.write(memoryview(done)[:n])
        last = n
    crypt.finalize()
    out.truncate(out.tell() - done[last - 1])


def main(direction, key, iv, source, target):
    cipher = Cipher(algorithms.AES(bytes.fromhex(key)), modes.CBC(bytes.fromhex(iv)))
    # Made before the clock starts: the first one imports most of the package.
    job, crypt = ((encrypt, cipher.encryptor()) if direction == "encrypt" else
                  (decrypt, cipher.decryptor()))
    wall, cpu = time.monotonic(), cpu_seconds()
    with open(source, "rb", buffering=0) as f, open(target, "wb", buffering=0) as out:
        job(crypt, f, out)
    print(time.monotonic() - wall, cpu_seconds() - cpu)


main(*sys.argv[1:])
