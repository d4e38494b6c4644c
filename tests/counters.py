#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Creates and reads the memory that KCRYPTO_STATS names, laid out as in src/stats/table.h, for tests and
tools in Python.

As a program: counters.py ALGORITHM COMMAND... runs the command and prints how many of its requests the
kernel did; fails if there were none."""

import collections
import fcntl
import os
import struct
import subprocess
import sys

SIZE = 65536  # bytes of the memory, as in src/stats/table.c
ADD_SEALS, SHRINK = 1033, 2  # of <fcntl.h>; Python has them from 3.8 on
HEAD = 12  # bytes that precede the names
NAME = 32
SOFT = 12  # numbers of what software did, the last ones of a row
WAY = 8  # numbers of each way: requests, bytes, timed, ns, and errors, of which these two are
FAILED, LIED = 5, 7

made = {}


def drop(path):
    """Undoes make()."""
    if path in made:
        os.close(made.pop(path))
    if os.path.lexists(path):
        os.unlink(path)


def make(path):
    """Creates memory without counts, which has this name as long as this process lives. Returns the name."""
    drop(path)
    fd = os.memfd_create("kcrypto-counters", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.posix_fallocate(fd, 0, SIZE)
    fcntl.fcntl(fd, ADD_SEALS, SHRINK)
    os.symlink(f"/proc/{os.getpid()}/fd/{fd}", path)
    made[path] = fd
    return path


def numbers(path):
    """{name: all numbers of its row}; {} if no program has opened the memory."""
    with open(path, "rb") as f:
        data = f.read()
    _, rows, size = struct.unpack_from("=III", data)
    at = HEAD + NAME * rows
    out = {}
    for i in range(rows):
        name = data[HEAD + NAME * i:HEAD + NAME * (i + 1)].rstrip(b"\0").decode()
        halves = struct.unpack_from("=%dI" % (size // 4), data, at + i * size)
        out[name] = [low + (high << 32) for low, high in zip(halves[::2], halves[1::2])]
    return out


def counters(path):
    """{name: (requests, bytes, failed in the kernel, wrong by way ...)}, with zeros for all other names."""
    out = collections.defaultdict(lambda: (0, 0, 0, 0, 0))
    for name, row in numbers(path).items():
        ways = [row[WAY * i:WAY * (i + 1)] for i in range((len(row) - SOFT) // WAY)]
        out[name] = (sum(w[0] for w in ways), sum(w[1] for w in ways),
                     sum(w[FAILED] for w in ways), *(w[LIED] for w in ways))
    return out


def main(name, *command):
    path = make(f"/tmp/counters.{os.getpid()}")
    try:
        subprocess.run(command, env=dict(os.environ, KCRYPTO_STATS=path), check=True)
        requests = counters(path)[name][0]
    finally:
        drop(path)
    print(name, requests, flush=True)
    return requests == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
