# SPDX-License-Identifier: Apache-2.0
"""kcrypto's algorithms, from `kcrypto list` and the counters, and configurations that ask for them.

Knows no algorithm: rows, their configuration keys and their other names come from the tool, so an addition
to the table is tested without a change here."""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from counters import counters as all_counters, make  # noqa: E402,F401
from folder import cnf_of  # noqa: E402

KEYS = ("ciphers", "digests", "macs")
SOFT = ["soft_drivers = 1"]

def configuration(module=None, legacy=None, lines=()):
    """The text of an openssl.cnf. Without a module, it has OpenSSL's own providers alone."""
    text = "config_diagnostics = 1\n" + cnf_of(module, random=True)
    if legacy:
        text = text.replace("[default_section]", "legacy = legacy_section\n[legacy_section]\n"
                            f"module = {legacy}\nactivate = 1\n[default_section]")
    if not module:
        return text.replace("kcrypto = kcrypto_section", "").replace("?provider=kcrypto", "")
    return text + "".join(line + "\n" for line in lines)


def system_legacy():
    """The path of the legacy provider of the system's OpenSSL, or None."""
    said = subprocess.run(["openssl", "version", "-m"], check=True, capture_output=True, text=True)
    path = os.path.join(said.stdout.split('"')[1], "legacy.so")
    return path if os.path.exists(path) else None


def at_once(keys):
    """Lines that send every row to the kernel at every length; keys: {name: key}."""
    lists = {}
    for name, key in keys.items():
        lists.setdefault(key, []).append(name + ":0")
    return [key + " = " + ", ".join(names) for key, names in sorted(lists.items())]


def counters(path):
    """{name: requests done by the kernel} in the memory of that name; {} if no program has opened it."""
    return {name: row[0] for name, row in all_counters(path).items()}


class Steps:
    """A program whose last argument is the step to do. Failures are counted; a few are printed."""
    bad = 0

    def fail(self, text):
        self.bad += 1
        if self.bad <= 20:
            print(f"vectors: FAILED: {text}", flush=True)

    @staticmethod
    def sum_up(name, run, errors, skipped, requests):
        went = ", ".join(f"{n} {c}" for n, c in sorted(requests.items()) if c) or "none"
        print(f"{name}: {run} run, {errors} errors, {skipped} skipped; "
              f"requests to the kernel: {went}", flush=True)

    def need_requests(self, name, rows, have, requests):
        """have: {row: number of its vectors}."""
        for row in rows:
            if have.get(row) and not requests.get(row):
                self.fail(f"{name}: {row} has {have[row]} vectors, none went to the kernel")

    @classmethod
    def main(cls, usage, *names):
        *args, name = sys.argv[1:]
        if name not in names:
            sys.exit(usage)
        steps = cls(*args)
        getattr(steps, name)()
        sys.exit(1 if steps.bad else 0)


class Tool:
    """kcrypto list of one build, with configurations made for each query."""

    def __init__(self, build):
        self.build = build
        self.module = os.path.join(build, "kcrypto.so")
        self.known = {}

    def listing(self, lines, trial=False):
        with tempfile.NamedTemporaryFile("w", suffix=".cnf") as f:
            f.write(configuration(self.module, system_legacy(), lines))
            f.flush()
            argv = [os.path.join(self.build, "kcrypto"), "list", "--json", "--config", f.name]
            run = subprocess.run(argv + ([] if trial else ["--no-trial"]), check=True,
                                 capture_output=True,
                                 env={k: v for k, v in os.environ.items()
                                      if k != "OPENSSL_MODULES"})
        return json.loads(run.stdout)

    def rows(self):
        """{name: kernel_name} of the table."""
        return {row["name"]: row["kernel_name"] for row in self.listing([])["algorithms"]}

    def offered(self, lines):
        """Names that are offered, after a trial of their driver."""
        rows = self.listing(lines, trial=True)["algorithms"]
        return sorted({row["name"] for row in rows if row["offered"] and row["reason"] == "ok"})

    def row_of(self, key, word):
        """The row that this word of this configuration key asks for, or None."""
        if not re.fullmatch(r"[A-Za-z0-9/_.()-]+", word) or word.upper() in (
                "ALL", "NONE", "NO_ECB"):
            return None
        if (key, word) not in self.known:
            got = self.listing([f"{k} = {word if k == key else 'NONE'}" for k in KEYS])
            names = {row["name"] for row in got["algorithms"] if row["reason"] != "not-listed"}
            refused = any(problem["key"] == key for problem in got["problems"])
            self.known[key, word] = names.pop() if len(names) == 1 and not refused else None
        return self.known[key, word]

    def keys(self):
        """{name: the configuration key that takes it}."""
        out = {}
        for name in self.rows():
            fitting = [key for key in KEYS if self.row_of(key, name) == name]
            if len(fitting) != 1:
                raise SystemExit(f"kcrypto: tests/vectors: {name} is a word of {fitting or 'no key'}")
            out[name] = fitting[0]
        return out
