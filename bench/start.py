#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a process pays for kcrypto in openssl.cnf: start.py BUILD

Runs `openssl version` with and without us in turns, and counts system calls with strace where
that is installed. The other configuration differs by our section only.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
TURNS = 15
RUNS = 10

CNF = """openssl_conf = init
[init]
providers = providers
[providers]
default = default_section
{entry}
[default_section]
activate = 1
[kcrypto_section]
module = {build}/kcrypto.so
activate = 1
"""


def env(path):
    return dict(os.environ, OPENSSL_CONF=path)


def seconds(path):
    start = time.monotonic()
    for _ in range(RUNS):
        subprocess.run(["openssl", "version"], env=env(path), stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - start


def calls(path, trace):
    """The system calls of the whole process, a line each."""
    subprocess.run(["strace", "-f", "-o", trace, "openssl", "version"], env=env(path),
                   stdout=subprocess.DEVNULL, check=True)
    with open(trace) as f:
        return [line.split(" ", 1)[1] for line in f]


def count(with_us, without, tmp):
    a, b = (calls(p, os.path.join(tmp, "trace")) for p in (with_us, without))
    at = next((i for i, line in enumerate(a) if "kcrypto.so" in line), len(a))
    ours = [c.split("(")[0] for c in a[at:at + len(a) - len(b)]]
    own = sum("/proc/" in call for call in a[at:]) * 3
    print(f"  system calls: {len(b)} without us, {len(a)} with: {len(ours)} more; of these our code "
          f"makes {own} (a file of /proc: open, read, close), the rest is loading the module")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        with_us, without = (os.path.join(tmp, n) for n in ("with.cnf", "without.cnf"))
        for path, entry in ((with_us, "kcrypto = kcrypto_section"), (without, "")):
            with open(path, "w") as f:
                f.write(CNF.format(entry=entry, build=BUILD))
        ratios = []
        for turn in range(TURNS):
            order = (with_us, without) if turn % 2 else (without, with_us)
            took = {path: seconds(path) for path in order}
            ratios.append(took[with_us] / took[without])
        print(f"  time: {statistics.median(ratios):.3f} of the process without us; without: "
              f"{took[without] / RUNS * 1e3:.2f} ms")
        if shutil.which("strace"):
            count(with_us, without, tmp)


main()
