# SPDX-License-Identifier: Apache-2.0
"""Reads a file of counters, laid out as in src/stats/stats_file.h, for everything written in Python."""

import os
import struct

DIGITS = 8  # of a number, the lowest first; each counts for itself
HEAD = 24  # bytes, before the names
SOFT = 12  # numbers of what software did, the last ones of a row
WAY = 8  # numbers of each: requests, bytes, timed, ns, and errors, of which these two are
FAILED, LIED = 5, 7


def numbers(path):
    """{name: all numbers of its row}; {} without the file."""
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as f:
        data = f.read()
    rows, size = struct.unpack_from("=II", data, 8)
    at = HEAD + 32 * rows + 4
    out = {}
    for i in range(rows):
        name = data[HEAD + 32 * i:HEAD + 32 + 32 * i].rstrip(b"\0").decode()
        digits = struct.unpack_from("=%dI" % (size // 4), data, at + i * size)
        out[name] = [sum(d << 4 * k for k, d in enumerate(digits[n:n + DIGITS]))
                     for n in range(0, len(digits), DIGITS)]
    return out


def counters(path):
    """{name: (requests, bytes, failed there, wrong by way ...)}; {} without the file."""
    out = {}
    for name, row in numbers(path).items():
        ways = [row[WAY * i:WAY * (i + 1)] for i in range((len(row) - SOFT) // WAY)]
        out[name] = (sum(w[0] for w in ways), sum(w[1] for w in ways),
                     sum(w[FAILED] for w in ways), *(w[LIED] for w in ways))
    return out
