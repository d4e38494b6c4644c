# SPDX-License-Identifier: Apache-2.0
"""A file of KCRYPTO_STATS, as src/core/stats.h lays it out, for all that is written in Python."""

import os
import struct

DIGITS = 5  # of a number, the lowest first; each counts for itself


def counters(path):
    """{name: (requests, bytes, redone, wrong by way ...)}; {} without the file."""
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as f:
        data = f.read()
    rows, size = struct.unpack_from("=II", data, 8)
    at = 16 + 32 * rows + 4
    out = {}
    for i in range(rows):
        name = data[16 + 32 * i:48 + 32 * i].rstrip(b"\0").decode()
        digits = struct.unpack_from("=%dI" % (size // 4), data, at + i * size)
        out[name] = tuple(sum(d << 4 * k for k, d in enumerate(digits[n:n + DIGITS]))
                          for n in range(0, len(digits), DIGITS))
    return out
