#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Where the kernel becomes faster than software, by `kcrypto tune` and by `kcrypto bench` as kcrypto-report
reads it: crossover.py BUILD [ALGORITHM...]

In a machine with an accelerator (tests/vm/qemu, best with --count yes). A step is a power of two.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../report"))
import advice  # noqa: E402
import results  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
ALGORITHMS = sys.argv[2:] or ["AES-128-CBC", "AES-256-CBC"]
SIZES = ",".join(str(64 << i) for i in range(11))
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


def tool(path, *words):
    """Writes the tool's JSON to @path, and returns that."""
    with open(path, "wb") as f:
        subprocess.run([os.path.join(BUILD, "kcrypto"), *words, "--json", "--seconds", SECONDS], stdout=f,
                       env=dict(os.environ, OPENSSL_MODULES=BUILD), check=True)
    return path


def distance(threshold, crossing):
    if threshold is None or crossing is None:
        return 0 if threshold == crossing else math.inf
    return abs(math.log2(threshold / crossing))


with tempfile.TemporaryDirectory() as directory:
    cnf, page = (os.path.join(directory, name) for name in ("cnf", "page"))
    with open(cnf, "w") as f:
        f.write(CNF)
    with open(tool(page, "tune", "--dry-run", "--config", cnf)) as f:
        facts = json.load(f)["facts"]
    for key, *words in ("threshold",), ("threshold_decrypt", "--decrypt"):
        board = results.read_one(tool(page, "bench", "--config", cnf, "--algorithms", ",".join(ALGORITHMS),
                                      "--sizes", SIZES, *words))
        for fact in facts:
            name = fact["algorithm"], "decrypt" if words else "encrypt"
            contenders = board.algorithms[name].contenders
            crossing = advice.crossover(contenders["software"], contenders[fact["backend"]], "mb_per_s")
            print(f"  {fact['algorithm']:12} {fact['backend']:12} {key:18} tune {fact.get(key)}, bench "
                  f"{crossing and round(crossing)}: {distance(fact.get(key), crossing):.2f} steps away")
