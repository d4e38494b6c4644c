# SPDX-License-Identifier: Apache-2.0
"""plan.py BUILD SOURCE OUT: reads evp_test's data and sorts it by the rows of kcrypto's table.

Writes OUT/plan.json: {"keys": {name: key}, "vectors": {name: number}, "files": all, "own": those with
vectors of kcrypto's rows}, and OUT/only/NAME.txt with the vectors of one row alone. Runs on the host: it
calls the tool often."""

import glob
import json
import os
import re
import shutil
import sys

from algorithms import Tool

DATA = "test/recipes/30-test_evp_data"
HEADS = {"Cipher": "ciphers", "Digest": "digests", "MAC": "macs"}
# Lines that precede the one that names a vector's subject.
BEFORE = ("Title", "Availablein", "FIPSversion")

# Vectors that are too short for the kernel to do a part of them are not counted: (end of the row's
# name, bytes, reason).
TOO_SHORT = [("-CTS", 33, "the last two blocks are the base's")]


def stanzas(path):
    """The blocks between empty lines, as lists of lines without comments."""
    block = []
    with open(path, encoding="latin-1") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                block.append(line)
            elif not line.strip() and block:
                yield block
                block = []
    if block:
        yield block


def fields(block):
    pairs = (line.split("=", 1) for line in block if "=" in line)
    return [(name.strip(), value.strip()) for name, value in pairs]


def kernel_name(mac, inner):
    """hmac(sha256), cmac(aes): as in the table."""
    inner = re.sub(r"^(aes|des-ede3|camellia|aria|sm4)\b.*", r"\1", inner.lower())
    inner = re.sub(r"^sha2?-?(1|224|256|384|512)$", r"sha\1", inner)
    inner = {"des-ede3": "des3_ede", "ripemd160": "rmd160", "ripemd-160": "rmd160"}.get(inner, inner)
    return f"{mac.lower()}({inner})"


class Sorter:
    def __init__(self, tool):
        self.tool = tool
        self.kernel_names = tool.rows()
        self.keys = tool.keys()

    def mac(self, mac, inner, key_len):
        """The row of a MAC over a digest or cipher. Where rows differ by key length, the one for the key."""
        for word in (f"{mac}-{inner}", f"{mac}({inner})"):
            row = self.tool.row_of("macs", word)
            if row:
                return row
        wanted = kernel_name(mac, inner)
        rows = [name for name, kernel in self.kernel_names.items()
                if kernel == wanted and self.keys[name] == "macs"]
        by_key = [name for name in rows if str(key_len * 8) in re.split(r"\D+", name)] or rows
        return by_key[0] if len(by_key) == 1 else None

    def row(self, block):
        """The row that a vector tests, or None if kcrypto has none."""
        pairs = fields(block)
        name, value = next((pair for pair in pairs if pair[0] not in BEFORE), ("", ""))
        # "HMAC by EVP_PKEY" reaches the MAC through another API, so it is no vector of the MAC.
        if name not in HEADS or " by " in value:
            return None
        rest = dict(pairs)
        if name != "MAC":
            row = self.tool.row_of(HEADS[name], value)
            length = len(rest.get("Plaintext", "")) // 2
            is_short = any((row or "").endswith(end) and length < n for end, n, _ in TOO_SHORT)
            return None if is_short else row
        key = rest.get("Key", "")
        key_len = len(key) - 2 if key.startswith('"') else len(key) // 2
        return self.mac(value, rest.get("Algorithm", ""), key_len)


def main():
    build, source, out = sys.argv[1:]
    sorter = Sorter(Tool(build))
    found, own = {}, []
    files = sorted(glob.glob(os.path.join(source, DATA, "*.txt")))
    for path in files:
        for block in stanzas(path):
            row = sorter.row(block)
            if row:
                found.setdefault(row, []).append("".join(block))
                own.append(os.path.basename(path))
    only = os.path.join(out, "only")
    shutil.rmtree(only, ignore_errors=True)
    os.makedirs(only)
    for row, blocks in found.items():
        with open(os.path.join(only, row.replace("/", "_") + ".txt"), "w", encoding="latin-1") as f:
            f.write("\n".join(blocks))
    with open(os.path.join(out, "plan.json"), "w") as f:
        json.dump({"keys": sorter.keys, "vectors": {n: len(b) for n, b in found.items()},
                   "files": [os.path.basename(path) for path in files],
                   "own": sorted(set(own))}, f, indent=1)


if __name__ == "__main__":
    main()
