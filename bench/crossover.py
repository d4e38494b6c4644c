#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Where the kernel becomes faster than software, by `kcrypto tune` and by `kcrypto bench`:
crossover.py BUILD [ALGORITHM...]

In a machine with an accelerator (tests/vm/qemu, best with --count yes). The sizes of bench are powers of
two; so far is tune's threshold from the two sizes between which bench sees the crossing, in powers of two.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
ALGORITHMS = sys.argv[2:] or ["AES-128-CBC", "AES-256-CBC"]
SIZES = [64 << i for i in range(11)]
SECONDS = os.environ.get("SECONDS", "20")  # each of three runs

CNF = """openssl_conf = init
[init]
providers = providers
[providers]
default = default_section
kcrypto = kcrypto_section
[default_section]
activate = 1
[kcrypto_section]
activate = 1
tune_file = none
ciphers = {}
""".format(" ".join(ALGORITHMS))


def tool(*words):
    r = subprocess.run([os.path.join(BUILD, "kcrypto"), *words, "--json", "--seconds", SECONDS],
                       env=dict(os.environ, OPENSSL_MODULES=BUILD), check=True, capture_output=True)
    return json.loads(r.stdout)


def crossing(rates):
    """The sizes between which it is, as most sizes see it; a disturbed one contradicts. 0: below the
    first, None: beyond the last."""
    kernel_wins = [rates[size][1] > rates[size][0] for size in SIZES]
    split = min(range(len(SIZES) + 1),
                key=lambda i: sum(kernel_wins[:i]) + len(SIZES[i:]) - sum(kernel_wins[i:]))
    return ([0] + SIZES)[split], (SIZES + [None])[split]


def by_bench(cnf, *words):
    """{(algorithm, backend): crossing}"""
    report = tool("bench", "--config", cnf, "--algorithms", ",".join(ALGORITHMS),
                  "--sizes", ",".join(map(str, SIZES)), *words)
    rates = {}
    for row in report["rows"]:
        rates.setdefault((row["algorithm"], row["size"]), {})[row["line"]] = row["mb_per_s"]
    found = {}
    for (name, size), of in rates.items():
        for way in of.keys() - {"software", "as configured"}:
            if of[way]:
                found.setdefault((name, way), {})[size] = (of["software"], of[way])
    for key, r in found.items():
        print("  kernel in software:", *key, *words,
              *(f"{size}: {kernel / software:.2f}" for size, (software, kernel) in sorted(r.items())))
    return {key: crossing(r) for key, r in found.items() if len(r) == len(SIZES)}


def distance(threshold, below, above):
    if threshold is None or above is None:
        return 0 if threshold == above else math.inf
    if below <= threshold <= above:
        return 0
    return abs(math.log2(threshold / (above if threshold > above else below)))


def main():
    with tempfile.TemporaryDirectory() as tmp:
        cnf = os.path.join(tmp, "cnf")
        with open(cnf, "w") as f:
            f.write(CNF)
        facts = tool("tune", "--dry-run", "--config", cnf)["facts"]
        seen = {"threshold": by_bench(cnf), "threshold_decrypt": by_bench(cnf, "--decrypt")}
    for fact in facts:
        for key, crossings in seen.items():
            below, above = crossings[fact["algorithm"], fact["backend"]]
            print(f"  {fact['algorithm']:12} {fact['backend']:12} {key:18} tune {fact[key]}, bench "
                  f"{below} to {above}: {distance(fact[key], below, above):.2f} steps away")


main()
