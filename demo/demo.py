#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The main job, shown on a machine that has an accelerator: here or in QEMU.

usage: demo.py BUILD [FILE]
Without a file: says by its exit code whether this kernel offers an accelerator. With one: what
the kernel offers; then that file encrypted and decrypted by an unchanged program, without and with
kcrypto in openssl.cnf, in turns; then request sizes, software against kernel.
"""

import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

BUILD, *FILE = (os.path.abspath(a) for a in sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tests"))
from cnf.text import openssl_cnf  # noqa: E402
from counters import counters, make  # noqa: E402

KEY, IV = "2b" * 32, "7e" * 16
ROUNDS = 3


def device_interrupts():
    with open("/proc/interrupts") as f:
        return sum(int(line.split()[1]) for line in f if "dataq" in line)


def run(argv, cnf=None, stats=None, **how):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENSSL_", "KCRYPTO_"))}
    env["OPENSSL_CONF"] = cnf or "/dev/null"
    if stats:
        env["KCRYPTO_STATS"] = stats
    return subprocess.run(argv, env=env, check=True, **how)


def crypt(direction, source, target, **how):
    """(wall seconds, CPU seconds of the machine), Python's start not counted"""
    r = run(["/usr/bin/python3", os.path.join(HERE, "crypt.py"), direction, KEY, IV, source,
             target], stdout=subprocess.PIPE, text=True, **how)
    return tuple(map(float, r.stdout.split()))


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def same(path, want, what):
    if sha256(path) != want:
        sys.exit(f"demo: WRONG: {what} does not give the file back")
    print(f"  {what}: SHA-256 {want[:16]}… agrees")


def file_job(tmp, ours_cnf):
    plain, soft, ours, back = (os.path.join(tmp, n) for n in ("plain", "soft", "ours", "back"))
    shutil.copyfile(FILE[0], plain)
    want, size = sha256(plain), os.path.getsize(plain)
    stats = make(os.path.join(tmp, "stats"))
    print(f"\nA file of {size / 2**20:.0f} MiB, AES-256-CBC in 64 KiB pieces, python3-cryptography;"
          f"\n{ROUNDS} turns, medians. Reading and writing the file counts, Python's start does "
          f"not;\nCPU time is the whole machine's.\n", flush=True)
    results = {}
    interrupts = 0
    for turn in range(ROUNDS):
        for name, cnf, crypted in (("without kcrypto", None, soft), ("with kcrypto", ours_cnf, ours)):
            before = device_interrupts()
            e = crypt("encrypt", plain, crypted, cnf=cnf, stats=stats)
            d = crypt("decrypt", crypted, back, cnf=cnf, stats=stats)
            if cnf:
                interrupts += device_interrupts() - before
            results.setdefault(name, []).append((e[0] + d[0], e[1] + d[1]))
            print(f"  turn {turn + 1}, {name:16}: {e[0] + d[0]:5.2f} s wall, "
                  f"{e[1] + d[1]:5.2f} s CPU", flush=True)
            if sha256(back) != want:
                sys.exit("demo: WRONG: the file did not come back")
    requests, octets, redone = (sum(n) for n in list(zip(*counters(stats).values()))[:3])
    print(f"\n  requests to the kernel: {requests}, {octets / 2**20:.0f} MiB of "
          f"{2 * ROUNDS * size / 2**20:.0f} MiB; redone in software: {redone}")
    if interrupts:
        print(f"  the device's interrupts meanwhile: {interrupts}")
    run(["openssl", "enc", "-d", "-aes-256-cbc", "-K", KEY, "-iv", IV, "-in", ours, "-out", back])
    same(back, want, "openssl enc -d, in software, of what the kernel encrypted")
    with open(soft, "rb") as a, open(ours, "rb") as b:
        print("  both ciphertexts are the same:", "yes" if a.read() == b.read() else "NO")
    verdict(results, size)


def conclusion(speed, cpu):
    """What these figures mean for this file on this machine."""
    if speed > 1.05 and cpu < 0.95:
        return f"On this machine kcrypto encrypts this file {speed:.1f} times as fast, with {cpu:.0%} of the CPU time."
    if cpu < 0.95:
        return f"On this machine kcrypto takes {cpu:.0%} of the CPU time, and is not faster."
    if speed > 1.05:
        return f"On this machine kcrypto is {speed:.1f} times as fast, and saves no CPU time."
    return "On this machine software is as good: there is nothing to gain with this program."


def verdict(results, size):
    (w, wc), (k, kc) = ([statistics.median(v) for v in zip(*results[n])]
                        for n in ("without kcrypto", "with kcrypto"))
    mib = 2 * size / 2**20
    print(f"\n  {'':16} {'wall s':>7} {'MiB/s':>7} {'CPU s':>7}\n"
          f"  {'without kcrypto':16} {w:7.2f} {mib / w:7.1f} {wc:7.2f}\n"
          f"  {'with kcrypto':16} {k:7.2f} {mib / k:7.1f} {kc:7.2f}\n"
          f"  throughput {w / k:.2f} times software's, CPU {kc / wc:.2f} of software's\n\n"
          f"  {conclusion(w / k, kc / wc)}", flush=True)


def is_emulated():
    path = "/sys/class/dmi/id/sys_vendor"
    if not os.path.exists(path):
        return False
    with open(path) as f:
        return "QEMU" in f.read()


def offers(cnf):
    listed = run([os.path.join(BUILD, "kcrypto"), "list", "--json", "--config", cnf],
                 stdout=subprocess.PIPE)
    return any(row["offered"] for row in json.loads(listed.stdout)["algorithms"])


def main():
    with tempfile.TemporaryDirectory() as tmp:
        ours = os.path.join(tmp, "ours.cnf")
        with open(ours, "w") as f:
            f.write(openssl_cnf(f"module = {BUILD}/kcrypto.so"))
        if not FILE:
            return not offers(ours)
        print(f"Linux {os.uname().release}, {os.cpu_count()} CPU: kcrypto list\n", flush=True)
        run([os.path.join(BUILD, "kcrypto"), "list", "--config", ours])
        if is_emulated():
            print("\nCPU and accelerator of this machine are emulated, the accelerator by the host's "
                  "own code: what\nfollows shows that kcrypto works, and not what a board gains.")
        file_job(tmp, ours)
        print("\nWhat a program hands over at a time decides. TLS records have at most 16 KiB, "
              "OpenSSH\npackets 32 KiB, `openssl enc` asks for 4 KiB at a time. Each size, "
              "software and kernel in turns:\n", flush=True)
        run([os.path.join(BUILD, "kcrypto"), "bench", "--config", ours, "--seconds", "20"])
    return 0


sys.exit(main())
