#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""offered.py BUILD ROUNDS: in differential rounds, the ciphers that kcrypto list offers reach the kernel,
and no others do. Prints the cell of scripts/kernels."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path


class Rows:
    """The rows that tests/cnf/NAME configures, for a user whose commands begin with WHO."""

    def __init__(self, build, who, name, rounds, *options):
        self.build, self.who, self.name = build, who, name
        rows = json.loads(self.list("--json"))["algorithms"]
        self.reason = {row["name"]: row["reason"] for row in rows if not row["offered"]}
        text = self.said(f"{build}/tests/kcrypto-diff", *options, "--config", f"{build}/tests/cnf/{name}",
                         "--rounds", str(rounds), "--expect", "0", KC_ABSENT=":".join(self.reason))
        counts = dict(re.findall(r"^  (\S+) +(\d+) requests", text, re.M))
        self.offered = set(counts).difference(self.reason)
        self.used = {row for row in counts if counts[row] != "0"}
        self.reasons = [self.reason[row] for row in counts if row in self.reason]
        self.mismatches = int(re.search(r"(\d+) mismatches", text)[1])

    def said(self, *command, **more):
        env = dict(os.environ, OPENSSL_MODULES=os.path.abspath(self.build), **more)
        run = subprocess.run([*self.who, *command], env=env, capture_output=True, text=True)
        return run.stdout + run.stderr

    def list(self, *options):
        """The rows that kcrypto list prints, where programs ask for kcrypto."""
        text = Path(self.build, "tests/cnf", self.name).read_text()
        text = text.replace("[init]", "[init]\nalg_section = preferred", 1)
        text = text.replace("[providers]", "[providers]\nlegacy = default_section", 1)
        cnf = Path("/dev/shm", self.name)
        cnf.write_text(text + "\n[preferred]\ndefault_properties = ?provider=kcrypto\n")
        return self.said(f"{self.build}/kcrypto", "list", *options, "--config", str(cnf))

    def complaints(self):
        yield from (f"{row} was offered and not used" for row in sorted(self.offered - self.used))
        yield from (f"{row} was used and not offered" for row in sorted(self.used - self.offered))
        if self.mismatches:
            yield f"{self.mismatches} mismatches"
        if "ok" in self.reasons:
            yield "a row is not offered and nothing is wrong with it"


if __name__ == "__main__":
    ciphers = Rows(sys.argv[1], [], "all.cnf", sys.argv[2])
    wrong = list(ciphers.complaints())
    print(*wrong, f"cell: {len(ciphers.used)} rows, {sys.argv[2]} rounds", sep="\n")
    sys.exit(bool(wrong))
