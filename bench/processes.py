#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The CPU time of whole processes with kcrypto in openssl.cnf, in that without: processes.py BUILD

In `tests/vm/qemu --count yes`, where a nanosecond is an instruction, user and kernel side; elsewhere
clocks are noise. Runs take turns; medians. What the machine's kernel threads do is not in it.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TURNS = 11
KEY, IV = "603deb1015ca71be2b73aef0857d7781", "000102030405060708090a0b0c0d0e0f"
SIZES = (4096, 65536, 1 << 20, 16 << 20)

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
tune_file = {tune}
[algorithms]
{query}
"""
PREFER = "default_properties = ?provider=kcrypto"


def cpu_seconds(argv, conf):
    pid = os.posix_spawnp(argv[0], argv, dict(os.environ, OPENSSL_CONF=conf),
                          file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, (argv, status)
    return usage.ru_utime + usage.ru_stime


def commands(tmp):
    yield "openssl version", ["openssl", "version"]
    for size in SIZES:
        path = os.path.join(tmp, str(size))
        with open(path, "wb") as f:
            f.write(os.urandom(size))
        yield f"openssl enc, {size} bytes", ["openssl", "enc", "-aes-128-cbc", "-K", KEY, "-iv", IV,
                                             "-in", path]


def main():
    with tempfile.TemporaryDirectory() as tmp:
        # A page of the machine's root, which is its host's, costs more than one of a disk's cache.
        shutil.copy(os.path.join(BUILD, "kcrypto.so"), tmp)
        confs = {}
        tune = os.path.join(tmp, "tune")
        for name, entry, query, file in (("without", "", "", "none"),
                                         ("no tune file", "kcrypto = kcrypto_section", PREFER, "none"),
                                         ("tuned", "kcrypto = kcrypto_section", PREFER, tune)):
            confs[name] = os.path.join(tmp, name + ".cnf")
            with open(confs[name], "w") as f:
                f.write(CNF.format(entry=entry, directory=tmp, tune=file, query=query))
        subprocess.run([os.path.join(BUILD, "kcrypto"), "tune", "--seconds", "10", "--config",
                        confs["tuned"]], env=dict(os.environ, OPENSSL_MODULES=BUILD), check=True,
                       stdout=subprocess.DEVNULL)
        print(f"  {'CPU time, million instructions':32} {'without':>9} {'no tune file':>13} {'tuned':>9}")
        for what, argv in commands(tmp):
            took = {name: [] for name in confs}
            for _ in range(TURNS + 1):
                for name, conf in confs.items():
                    took[name].append(cpu_seconds(argv, conf))
            median = {name: statistics.median(t[1:]) for name, t in took.items()}
            print(f"  {what:32} {median['without'] * 1e3:9.2f} "
                  f"{median['no tune file'] / median['without']:13.3f} "
                  f"{median['tuned'] / median['without']:9.3f}")


main()
