#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How well the choice between software and kernel is made: choice.py BUILD [plain] [tuned]

By `kcrypto bench`, in a machine with an accelerator (tests/vm/qemu, best with --count yes): the throughput of
kcrypto as configured in the better one of software's and the kernel's. plain: each process measures for itself;
tuned: with a tune file, whose thresholds are also compared with the lengths at which bench's lines cross, as
kcrypto-report reads them. A step is a power of two. ALGORITHMS, SIZES, SECONDS: for each run of bench.
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
ALGORITHMS = os.environ.get("ALGORITHMS", "AES-128-CBC,AES-256-CBC")
SIZES = os.environ.get("SIZES", "16," + ",".join(str(64 << i) for i in range(11)))
SECONDS = os.environ.get("SECONDS", "60")


def tool(path, *words):
    """Writes the tool's JSON to @path, and returns that."""
    with open(path, "wb") as f:
        subprocess.run([os.path.join(BUILD, "kcrypto"), *words, "--json", "--seconds", SECONDS], stdout=f,
                       env=dict(os.environ, OPENSSL_MODULES=BUILD), check=True)
    return path


def rate(contender, size):
    return contender.rows[size]["mb_per_s"] or 0


def show_ratios(algorithm):
    ours = algorithm.contenders[results.CONFIGURED]
    others = [algorithm.software, *algorithm.backends]
    for size in algorithm.sizes:
        best = max(others, key=lambda c: rate(c, size))
        print(f"  {algorithm.name:12} {algorithm.direction} {size:6} bytes: {rate(ours, size):8.1f} MB/s, "
              f"{rate(ours, size) / rate(best, size):.3f} of {best.label}")


def show_distance(algorithm, fact):
    key = "threshold" if algorithm.direction == "encrypt" else "threshold_decrypt"
    crossing = advice.crossover(algorithm.software, algorithm.contenders[fact["backend"]], "mb_per_s")
    steps = abs(math.log2(fact[key] / crossing)) if fact.get(key) and crossing else \
        0 if fact.get(key) == crossing else math.inf
    print(f"  {algorithm.name:12} {algorithm.direction} {fact['backend']}: tune {fact.get(key)}, bench "
          f"{crossing and round(crossing)}: {steps:.2f} steps away")


def measure(directory, is_tuned):
    page, cnf = (os.path.join(directory, name) for name in ("page", "cnf"))
    tune_file = os.path.join(directory, "tune") if is_tuned else "none"
    with open("bench/prefer.cnf") as prefer, open(cnf, "w") as f:
        f.write(prefer.read() + f"[kcrypto_section]\ntune_file = {tune_file}\n")
    facts = []
    if is_tuned:
        with open(tool(page, "tune", "--config", cnf)) as f:
            facts = json.load(f)["facts"]
    for direction in [], ["--decrypt"]:
        board = results.read_one(tool(page, "bench", "--config", cnf, "--algorithms", ALGORITHMS,
                                      "--sizes", SIZES, *direction))
        for algorithm in board.algorithms.values():
            show_ratios(algorithm)
            for fact in facts:
                if fact["algorithm"] == algorithm.name:
                    show_distance(algorithm, fact)


os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
for what in sys.argv[2:] or ["plain", "tuned"]:
    print(f"{what} (goal: >= 0.95; with -cpu max 0.97, tuned 0.99; thresholds within one step)")
    with tempfile.TemporaryDirectory() as scratch:
        measure(scratch, what == "tuned")
