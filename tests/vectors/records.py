# SPDX-License-Identifier: Apache-2.0
"""records.py BUILD PLAN SET baseline|afalg: the records of a set through EVP (evp.py).

  baseline  the default provider alone, on the host: its verdict on each record
  afalg     everything to AF_ALG whatever the length: each verdict is the same, and some records of
            every algorithm that is offered and has records went to the kernel
"""

import collections
import json
import os
import subprocess
import tempfile
from pathlib import Path

from algorithms import SOFT, Steps, Tool, at_once, configuration, counters, make, system_legacy

# The share of records in which OpenSSL itself may differ from the set. More than one in a hundred
# is a mistake of the test.
FOREIGN = 0.01


class Set(Steps):
    def __init__(self, build, plan, name):
        self.build, self.name = os.path.abspath(build), name
        self.path = os.path.join(os.path.abspath(plan), "records", name)
        got = json.loads(Path(self.path + ".json").read_text())
        self.expect, self.rows, self.skipped = got["expect"], got["rows"], got["skipped"]
        self.keys = got["keys"]

    def fail(self, text):
        super().fail(f"{self.name}: {text}")

    def play(self, module, lines=()):
        """({id: verdict}, {algorithm: requests})."""
        with tempfile.TemporaryDirectory() as where, open(self.path + ".txt") as records:
            cnf, stats = os.path.join(where, "openssl.cnf"), make(os.path.join(where, "stats"))
            Path(cnf).write_text(configuration(module, system_legacy(), lines))
            run = subprocess.run(["/usr/bin/python3", Path(__file__).with_name("evp.py")],
                                 env={"PATH": os.environ["PATH"], "OPENSSL_CONF": cnf,
                                      "KCRYPTO_STATS": stats},
                                 stdin=records, capture_output=True, text=True)
            if run.returncode:
                self.fail(f"ended with {run.returncode} {run.stderr[:1000]}")
            return dict(line.split() for line in run.stdout.splitlines()), counters(stats)

    def baseline(self):
        verdicts, _ = self.play(None)
        as_wanted = absent = 0
        for number, expect in self.expect.items():
            verdict = verdicts.get(number, "nothing said")
            absent += verdict == "absent"
            as_wanted += expect == "acceptable" or (verdict == "right") == (expect == "valid")
        foreign = len(self.expect) - as_wanted - absent
        print(f"{self.name}, default provider alone: {len(self.expect) - absent} run, "
              f"{foreign} not as the set has it, {absent + sum(self.skipped.values())} skipped",
              flush=True)
        if not as_wanted or foreign > FOREIGN * len(self.expect):
            self.fail(f"{foreign} records are not as the set has them")
        Path(self.path + ".baseline").write_text(json.dumps(verdicts))

    def afalg(self):
        baseline = json.loads(Path(self.path + ".baseline").read_text())
        tool = Tool(self.build)
        lines = SOFT + ["backends = AF_ALG"] + at_once(self.keys)
        offered = tool.offered(lines)
        verdicts, requests = self.play(tool.module, lines)
        errors = [number for number in self.expect if verdicts.get(number) != baseline[number]]
        for number in errors:
            self.fail(f"{number} {self.rows[number]}: {verdicts.get(number)}, "
                      f"of the default provider {baseline[number]}")
        absent = sum(verdict == "absent" for verdict in verdicts.values())
        self.sum_up(f"{self.name} over AF_ALG", len(verdicts) - absent, len(errors),
                    absent + sum(self.skipped.values()), requests)
        have = collections.Counter(row for number, row in self.rows.items()
                                   if verdicts.get(number) != "absent")
        print(f"{sum(have[row] for row in offered)} of algorithms that are offered", flush=True)
        self.need_requests("AF_ALG", offered, have, requests)
        if not offered:
            self.fail("no algorithm is offered")


if __name__ == "__main__":
    Set.main(__doc__, "baseline", "afalg")
