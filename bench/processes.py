#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What whole processes pay for kcrypto in openssl.cnf: processes.py BUILD [start | regret]

CPU time, in `tests/vm/qemu --count yes`, where a nanosecond is an instruction, user and kernel side; elsewhere
clocks are noise. What the machine's kernel threads do is not in it. start: the wall time of `openssl version`,
which needs nothing of us, and, where strace is installed, its system calls. Where the machine has /dev/kcrypto,
columns say what the same costs by it alone and by AF_ALG alone, without a tune file. regret: by sizes and
numbers of requests, what a process without a tune file pays for its text, divided by the less of what it would
pay without us and with a tune file; an empty text is not in it. It decides by CPU time (prefer = cpu), which is
what is counted. Runs take turns; medians.
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
KEY, IV = "603deb1015ca71be2b73aef0857d7781", "000102030405060708090a0b0c0d0e0f"
SIZES = (4096, 65536, 1 << 20, 16 << 20)
VERSION = ["openssl", "version"]
ENC = ["openssl", "enc", "-aes-128-cbc", "-K", KEY, "-iv", IV]
# Of some bytes, so many; up to 4 MiB in all.
REQUESTS = [(size, n) for size in (1024, 4096, 16384, 65536) for n in (1, 4, 16, 64, 256)
            if 4096 < size * n <= 4 << 20]

CNF = """openssl_conf = init
[init]
providers = providers
alg_section = algorithms
[providers]
default = default_section
{entry}
[default_section]
activate = 1
[kcrypto_section]
module = {directory}/kcrypto.so
activate = 1
{tune}
[algorithms]
{query}
"""
ENTRY, PREFER = "kcrypto = kcrypto_section", "default_properties = ?provider=kcrypto"


def write_conf(tmp, name, entry="", query="", tune=""):
    path = os.path.join(tmp, name + ".cnf")
    with open(path, "w") as f:
        f.write(CNF.format(entry=entry, directory=tmp, tune=tune, query=query))
    return path


def cpu_seconds(argv, conf):
    pid = os.posix_spawnp(argv[0], argv, dict(os.environ, OPENSSL_CONF=conf),
                          file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, (argv, status)
    return usage.ru_utime + usage.ru_stime


def wall_seconds(argv, conf, runs=10):
    start = time.monotonic()
    for _ in range(runs):
        cpu_seconds(argv, conf)
    return (time.monotonic() - start) / runs


def medians(clock, argv, confs, turns=TURNS):
    """{name: seconds}, and those of each turn but the first."""
    took = {name: [] for name in confs}
    for turn in range(turns + 1):
        for name in sorted(confs, reverse=turn % 2):
            took[name].append(clock(argv, confs[name]))
    return {name: statistics.median(t[1:]) for name, t in took.items()}, took


def commands(tmp):
    yield "openssl version", VERSION
    for size in SIZES:
        path = os.path.join(tmp, str(size))
        with open(path, "wb") as f:
            f.write(os.urandom(size))
        yield f"openssl enc, {size} bytes", [*ENC, "-in", path]


def measure_tuned(conf):
    subprocess.run([os.path.join(BUILD, "kcrypto"), "tune", "--seconds", "10", "--config", conf],
                   env=dict(os.environ, OPENSSL_MODULES=BUILD), check=True, stdout=subprocess.DEVNULL)


def regret(tmp):
    # One cipher, so that tune has the time to examine the driver to the end; by the clock that is counted here.
    one = "ciphers = AES-128-CBC\nprefer = cpu\n"
    confs = {"without": write_conf(tmp, "without"),
             "no tune file": write_conf(tmp, "none", ENTRY, PREFER, one + "tune_file = none"),
             "tuned": write_conf(tmp, "tuned", ENTRY, PREFER, one + "tune_file = " + os.path.join(tmp, "tune"))}
    measure_tuned(confs["tuned"])
    path, ratios = os.path.join(tmp, "text"), []
    empty, _ = medians(cpu_seconds, [*ENC, "-in", "/dev/null"], confs, 3)
    print("  requests of bytes      without        tuned  no tune file  in the less, million instructions")
    for size, n in REQUESTS:
        with open(path, "wb") as f:
            f.write(os.urandom(size * n))
        median, _ = medians(cpu_seconds, [*ENC, "-bufsize", str(size), "-in", path], confs, 3)
        median = {name: took - empty[name] for name, took in median.items()}
        ratios.append(median["no tune file"] / min(median["without"], median["tuned"]))
        print(f"  {n:8} {size:8} {median['without'] * 1e3:12.2f} {median['tuned'] * 1e3:12.2f} "
              f"{median['no tune file'] * 1e3:13.2f} {ratios[-1]:12.3f}")
    print(f"  the worst: {max(ratios):.3f}")


def cost(tmp):
    tune = "tune_file = " + os.path.join(tmp, "tune")
    confs = {"without": write_conf(tmp, "without"),
             "no tune file": write_conf(tmp, "none", ENTRY, PREFER, "tune_file = none"),
             "tuned": write_conf(tmp, "tuned", ENTRY, PREFER, tune)}
    if os.path.exists("/dev/kcrypto"):
        for name, backend in ("the module", "/dev/kcrypto"), ("by AF_ALG", "AF_ALG"):
            confs[name] = write_conf(tmp, name.split()[1], ENTRY, PREFER, f"tune_file = none\nbackends = {backend}")
    measure_tuned(confs["tuned"])
    print(f"  {'CPU time, million instructions':32}", *(f"{name:>13}" for name in confs))
    for what, argv in commands(tmp):
        median, _ = medians(cpu_seconds, argv, confs)
        without = median.pop("without")
        print(f"  {what:32} {without * 1e3:13.2f}", *(f"{took / without:13.3f}" for took in median.values()))


def calls(conf, trace):
    """The system calls of the whole process, a line each."""
    subprocess.run(["strace", "-f", "-o", trace, *VERSION], env=dict(os.environ, OPENSSL_CONF=conf),
                   stdout=subprocess.DEVNULL, check=True)
    with open(trace) as f:
        return [line.split(" ", 1)[1] for line in f]


def start(tmp):
    confs = {"with": write_conf(tmp, "with", ENTRY), "without": write_conf(tmp, "without")}
    median, took = medians(wall_seconds, VERSION, confs)
    ratio = statistics.median(a / b for a, b in list(zip(took["with"], took["without"]))[1:])
    print(f"  time: {ratio:.3f} of the process without us; without: {median['without'] * 1e3:.2f} ms")
    if not shutil.which("strace"):
        return
    a, b = (calls(conf, os.path.join(tmp, "trace")) for conf in confs.values())
    at = next((i for i, line in enumerate(a) if "kcrypto.so" in line), len(a))
    own = sum("/proc/" in call for call in a[at:]) * 3
    print(f"  system calls: {len(b)} without us, {len(a)} with; of the {len(a) - len(b)} more our code makes "
          f"{own} (a file of /proc: open, read, close), the rest is loading the module")


with tempfile.TemporaryDirectory() as directory:
    # A page of the machine's root, which is its host's, costs more than one of a disk's cache.
    shutil.copy(os.path.join(BUILD, "kcrypto.so"), directory)
    {"start": start, "regret": regret, "cost": cost}[(sys.argv[2:] or ["cost"])[0]](directory)
