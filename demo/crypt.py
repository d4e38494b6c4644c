#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An ordinary program: python3-cryptography, AES-256-CBC, a file, handed to OpenSSL in pieces
of 64 KiB.

usage: crypt.py encrypt|decrypt KEY IV IN OUT    (KEY and IV in hexadecimal)
It knows nothing of kcrypto; whether that is used is openssl.cnf's affair. Prints what the file
took: seconds, and seconds of CPU time of the whole machine, as a process's own time misses
kernel threads and interrupts.
"""

import os
import sys
import time

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

PIECE = 65536       # what OpenSSL is given at a time
BUFFER = 16 * PIECE  # what is read and written at a time
BLOCK = 16


def cpu_seconds():
    with open("/proc/stat") as f:
        user, nice, system, _idle, _iowait, irq, softirq = map(int, f.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def in_pieces(crypt, data, done, n):
    """The first n bytes of data through the cipher, into done."""
    for at in range(0, n, PIECE):
        end = min(at + PIECE, n)
        crypt.update_into(data[at:end], done[at:end + BLOCK])


def buffers():
    return memoryview(bytearray(BUFFER)), memoryview(bytearray(BUFFER + BLOCK))


def encrypt(crypt, f, out):
    data, done = buffers()
    while (n := f.readinto(data)) == BUFFER:
        in_pieces(crypt, data, done, n)
        out.write(done[:n])
    pad = BLOCK - n % BLOCK
    out.write(crypt.update(bytes(data[:n]) + bytes([pad]) * pad) + crypt.finalize())


def decrypt(crypt, f, out):
    data, done = buffers()
    while n := f.readinto(data):
        in_pieces(crypt, data, done, n)
        out.write(done[:n])
        padding = done[n - 1]
    crypt.finalize()
    out.truncate(out.tell() - padding)


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
