# SPDX-License-Identifier: Apache-2.0
"""evp_test.py BUILD SOURCE PLAN STEP: OpenSSL's evp_test over kcrypto, judged by the counters.

  baseline    the default provider alone; the others are compared with it, file by file
  afalg       everything to AF_ALG, whatever the length: nothing fails, and some vectors of every
              algorithm that is offered and has vectors went to the kernel
  own         the same, only for the files that have vectors of our algorithms; baseline_own likewise
  rows        like afalg, only for the vectors of the rows that KC_ROWS names: ARIA-*:SM3
  devcrypto   like afalg, over /dev/crypto
  defaults    with the thresholds of kcrypto: equal to the default provider's run
  broken      on the host, over a driver that lies once its trial is over: each algorithm's vectors
              fail; and while it does not lie, they don't
"""

import fnmatch
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from algorithms import SOFT, Steps, Tool, at_once, configuration, counters, make, system_legacy

# The text in pieces of this many bytes, where evp_test has -chunk: for the files of kcrypto's
# algorithms. From pieces of the largest block on (a stream cipher's), each algorithm's pieces go to
# the kernel, unless evp_test says that it does not divide the text.
CHUNKS = (1, 16, 31, 256)
BLOCK = 64
WHOLE = re.compile(r"skipping, '(.+)' does not support fragmentation")
WHERE = re.compile(r"\.txt:\d+: .*error")
DONE = re.compile(r"Completed (\d+) tests with (\d+) errors and (\d+) skipped")

# Not run with everything to the kernel: (part of the file's name, reason).
NOT_RUN = [("_slh_dsa_", "a key is a million digests of a few bytes, each of them a request here")]


def title(name, way):
    """A run's name, with evp_test's options."""
    return " ".join((name, *way))


class Step(Steps):
    def __init__(self, build, source, plan):
        self.build, self.source, self.plan = map(os.path.abspath, (build, source, plan))
        got = json.loads(Path(plan, "plan.json").read_text())
        self.keys, self.vectors = got["keys"], got["vectors"]
        self.files, self.own_files = got["files"], got["own"]
        self.dir = tempfile.TemporaryDirectory()
        self.program = os.path.join(self.source, "test/evp_test")
        self.whole = set()

    def ways(self):
        """Options of evp_test, for one run each. The whole text in one piece comes first."""
        said = subprocess.run([self.program, "-help"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT).stdout
        if "-chunk" not in said:
            return [()]
        both = ("-process", "both")
        return [both] + [(*both, "-chunk", str(size)) for size in CHUNKS]

    @staticmethod
    def large_enough(way):
        return "-chunk" not in way or int(way[-1]) >= BLOCK

    def run_file(self, path, cnf, stats, way=(), env=None):
        """((run, errors, skipped) or None if it did not end well, output)."""
        environment = {"PATH": os.environ["PATH"], "KCRYPTO_STATS": stats, **(env or {})}
        run = subprocess.run([self.program, "-config", cnf, *way, path], env=environment,
                             cwd=self.dir.name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, errors="replace")
        done = DONE.findall(run.stdout)
        counts = tuple(sum(int(d[i]) for d in done) for i in range(3))
        # A failure that the sum does not show.
        if not done or (run.returncode == 0) != (counts[1] == 0):
            return None, f"ended with {run.returncode}\n" + run.stdout[-1000:]
        return counts, run.stdout

    def cnf(self, module, lines=()):
        path = os.path.join(self.dir.name, "openssl.cnf")
        Path(path).write_text(configuration(module, system_legacy(), lines))
        return path

    def run_all(self, name, way, module, lines=()):
        """({file: counts}, {algorithm: requests}); counts of what is not divided are added to whole."""
        cnf = self.cnf(module, lines)
        stats = make(os.path.join(self.dir.name, "stats" + "".join(way)))
        out = {}
        for file in self.own_files if "-chunk" in way else self.files:
            path = os.path.join(self.source, "test/recipes/30-test_evp_data", file)
            counts, said = self.run_file(path, cnf, stats, way)
            out[file] = counts
            self.whole.update(WHOLE.findall(said))
            if counts is None or counts[1]:
                wrong = [line.strip("# ") for line in said.splitlines() if WHERE.search(line)]
                self.fail(f"{name}: {file}: {counts}: " + "\n".join(wrong[:5] or [said[-1000:]]))
        return out, counters(stats)

    def show(self, name, results, requests):
        sums = [sum(c[i] for c in results.values() if c) for i in range(3)]
        self.sum_up(name, *sums, requests)
        if not sums[0]:
            self.fail(f"{name}: nothing was run")

    def baseline(self):
        out = {}
        for way in self.ways():
            name = title("evp_test, default provider alone", way)
            out[title("", way)], _ = self.run_all(name, way, None)
            self.show(name, out[title("", way)], {})
        Path(self.plan, "baseline.json").write_text(json.dumps(out))

    def baseline_own(self):
        self.files = self.own_files
        self.baseline()

    def compare(self, name, way, results):
        baseline = json.loads(Path(self.plan, "baseline.json").read_text())[title("", way)]
        for file, counts in results.items():
            if counts is not None and list(counts) != baseline[file]:
                self.fail(f"{name}: {file}: (run, errors, skipped) {counts}, "
                          f"of the default provider alone {tuple(baseline[file])}")

    def at_once(self, name, lines):
        """Sends every algorithm to the kernel from the first byte on."""
        lines = SOFT + lines + at_once(self.keys)
        tool = Tool(self.build)
        offered = tool.offered(lines)
        if not offered:
            self.fail(f"{name}: no algorithm is offered")
        for word, why in NOT_RUN:
            left_out = [file for file in self.files if word in file]
            self.files = [file for file in self.files if file not in left_out]
            if left_out:
                print(f"not run: {', '.join(left_out)}: {why}", flush=True)
        for way in self.ways():
            label = title(name, way)
            results, requests = self.run_all(label, way, tool.module, lines)
            self.show(label, results, requests)
            self.compare(label, way, results)
            whole = {tool.row_of("ciphers", name) for name in self.whole}
            if self.large_enough(way):
                self.need_requests(label, set(offered) - whole, self.vectors, requests)
            if not any(requests.values()):
                self.fail(f"{label}: nothing went to the kernel")
        for what, rows in (("not offered", set(self.keys) - set(offered)),
                           ("without vectors", set(offered) - set(self.vectors))):
            if rows:
                print(f"{name}: {what}: {', '.join(sorted(rows))}")

    def afalg(self):
        self.at_once("evp_test over AF_ALG", ["backends = AF_ALG"])

    def own(self):
        self.files = self.own_files
        self.at_once("evp_test over AF_ALG", ["backends = AF_ALG"])

    def rows(self):
        patterns = os.environ["KC_ROWS"].split(":")
        keys = {row: key for row, key in self.keys.items()
                if any(fnmatch.fnmatchcase(row, pattern) for pattern in patterns)}
        cnf = self.cnf(Tool(self.build).module, SOFT + ["backends = AF_ALG"] + at_once(keys))
        results, requests = {}, {}
        for row in sorted(set(keys) & set(self.vectors)):
            results[row], requests[row] = self.only(row, cnf, "0")
            if results[row][1] or not requests[row]:
                self.fail(f"{row}: {results[row]}, requests to the kernel: {requests[row]}")
        self.show("evp_test over AF_ALG, rows alone", results, requests)

    def devcrypto(self):
        self.at_once("evp_test over /dev/crypto", ["backends = /dev/crypto"])

    def defaults(self):
        name = "evp_test, default thresholds"
        tool = Tool(self.build)
        # Nothing goes to the kernel here, so this shows that kcrypto is present.
        if not any(row["offered"] for row in tool.listing(SOFT)["algorithms"]):
            self.fail(f"{name}: no algorithm is offered")
        for way in self.ways():
            label = title(name, way)
            results, requests = self.run_all(label, way, tool.module, SOFT)
            self.show(label, results, requests)
            self.compare(label, way, results)

    def only(self, row, cnf, lie):
        """One row's vectors: counts, requests. lie: 1 if the stand-in, where it is used, lies."""
        path = os.path.join(self.plan, "only", row.replace("/", "_") + ".txt")
        stats = make(os.path.join(self.dir.name, f"{row.replace('/', '_')}.{lie}"))
        counts, said = self.run_file(path, cnf, stats, env={"KC_STANDIN_LIE": lie})
        if counts is None:
            self.fail(f"{row}: {said}")
        return counts or (0, 0, 0), counters(stats).get(row, 0)

    def broken(self):
        cnf = self.cnf(os.path.join(self.build, "tests/vectors/kcrypto-standin.so"),
                       at_once(self.keys))
        sums = {"0": {}, "1": {}}
        went = {"0": {}, "1": {}}
        for row in self.vectors:
            for lie in "0", "1":
                sums[lie][row], went[lie][row] = self.only(row, cnf, lie)
                if not went[lie][row]:
                    self.fail(f"{row}: no request, with lie = {lie}")
            if sums["0"][row][1]:
                self.fail(f"{row}: {sums['0'][row][1]} errors over a driver that is right")
            if not sums["1"][row][1]:
                self.fail(f"{row}: no error over a driver that lies")
        self.show("evp_test over the stand-in, right", sums["0"], went["0"])
        self.show("evp_test over the stand-in, lying (errors are wanted)", sums["1"], went["1"])
        without = sorted(set(self.keys) - set(self.vectors))
        if without:
            print("evp_test over the stand-in: without vectors: " + ", ".join(without))


if __name__ == "__main__":
    Step.main(__doc__, "baseline", "baseline_own", "afalg", "own", "rows", "devcrypto",
              "defaults", "broken")
