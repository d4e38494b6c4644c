# SPDX-License-Identifier: Apache-2.0
"""programs.py BUILD SOURCE PLAN STEP: OpenSSL's own test programs, kcrypto preferred.

  baseline  the default provider alone, on the host: the result of each of their tests
  standin   everything to the stand-in, on the host, whatever the length: the same results, except
            for EXCEPTIONS
  kernel    everything to AF_ALG whatever the length, likewise
"""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from algorithms import SOFT, Steps, Tool, at_once, configuration, counters, make


# {name of a run: (arguments, is the configuration an argument? otherwise it is openssl.cnf)}
PEM = ["apps/server.pem", "apps/server.pem"]
DATA = "test/recipes/90-test_sslapi_data/"
RUNS = {
    "sslapitest": (["test/certs", DATA + "passwd.txt", "TMP", "default", "CNF",
                    DATA + "dhparams.pem"], True),
    "evp_extra_test": ([], False),
    "evp_extra_test2": ([], False),
    "evp_libctx_test": (["-config", "CNF"], True),
    "bad_dtls_test": ([], False),
    "recordlentest": (PEM, False),
    "sslbuffertest": (PEM, False),
}

# Programs that are not run, with the reason.
NOT_RUN = {
    "sslapitest by openssl.cnf": "ends at once where the default context has a provider; it gets "
                                 "the configuration as its argument",
    "evp_extra_test -context": "makes a context that no configuration is read for",
}
# {run: why some of its tests fail with the default provider alone, and the same ones here}
FAIL = {
    "evp_extra_test2": "four tests want a default context that loads its provider by itself, so "
                       "they fail with any configuration that names one",
}
# {run: (tests that may run in addition to those without kcrypto but not fail, reason)}
MORE = {
    "evp_libctx_test": ("iteration", "test_cipher_reinit and its sister take every cipher of every "
                                     "provider in turn, ours as well"),
}

VERDICT = re.compile(r"^\s*(ok|not ok) \d+ - (.*?)(?: # (skip).*)?$", re.M)


class Programs(Steps):
    def __init__(self, build, source, plan):
        self.build, self.source, self.plan = map(os.path.abspath, (build, source, plan))
        self.tool = Tool(self.build)
        self.keys = json.loads(Path(plan, "plan.json").read_text())["keys"]

    def full(self, arg):
        path = os.path.join(self.source, arg)
        return path if os.path.exists(path) else arg

    def play(self, name, module, lines=()):
        """([[test, verdict]…], {algorithm: requests}, output)."""
        args, by_argument = RUNS[name]
        with tempfile.TemporaryDirectory() as where:
            words = {"CNF": os.path.join(where, "openssl.cnf"), "TMP": os.path.join(where, "tmp")}
            stats = make(os.path.join(where, "stats"))
            Path(words["CNF"]).write_text(configuration(module, None, lines))
            env = {"LD_LIBRARY_PATH": self.source, "KCRYPTO_STATS": stats,
                   "OPENSSL_MODULES": os.path.join(self.source, "providers")}
            if not by_argument:
                env["OPENSSL_CONF"] = words["CNF"]
            with open(words["TMP"], "w"):
                pass
            # Some programs write files into the current directory.
            run = subprocess.run([os.path.join(self.source, "test", name)] +
                                 [words.get(arg) or self.full(arg) for arg in args],
                                 cwd=where, env=env, errors="replace",
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            said = [[test, skip or verdict] for verdict, test, skip in VERDICT.findall(run.stdout)]
            said.append(["exit", run.returncode])
            return said, counters(stats), run.stdout

    def show(self, name, said, requests):
        verdicts = [verdict for _, verdict in said[:-1]]
        skipped = verdicts.count("skip")
        self.sum_up(name, len(verdicts) - skipped, verdicts.count("not ok"), skipped, requests)

    def baseline(self):
        out = {}
        for name in RUNS:
            said, _, text = self.play(name, None)
            self.show(name + ", default provider alone", said, {})
            failed = any(verdict == "not ok" for _, verdict in said) or said[-1][1] != 0
            if len(said) < 2 or failed != (name in FAIL):
                self.fail(f"{name}: {text[-1000:]}")
            out[name] = said
        Path(self.plan, "programs.json").write_text(json.dumps(out))

    def has_own_libcrypto(self, name):
        """Whether libcrypto is linked into the program: a provider then has another libcrypto, and may get
        no request."""
        said = subprocess.run(["ldd", "test/" + name], cwd=self.source, capture_output=True, text=True)
        return "libcrypto" not in said.stdout

    def compare(self, name, said, baseline, text):
        more = MORE.get(name, ("-",))[0]
        mine, its = ([pair for pair in pairs if not pair[0].startswith(more)]
                     for pairs in (said, baseline))
        wrong = [pair for pair in said if pair[1] == "not ok" and pair not in baseline]
        if mine != its or wrong or len(said) < len(baseline):
            new = [pair for pair in mine if pair not in its] + wrong
            self.fail(f"{name}: {len(baseline)} verdicts of the default provider alone, here "
                      f"{len(said)}; different: {new[:10]}\n{text[-1500:]}")

    def everything(self, way, module, lines):
        """All requests to that way: the same verdicts as without kcrypto."""
        baseline = json.loads(Path(self.plan, "programs.json").read_text())
        for name in RUNS:
            said, requests, text = self.play(name, module, SOFT + lines + at_once(self.keys))
            self.show(name + " over " + way, said, requests)
            self.compare(name, said, baseline[name], text)
            if any(requests.values()):
                continue
            if self.has_own_libcrypto(name):
                print(f"exception: {name}: nothing went to the kernel; it has a libcrypto of its own inside")
            else:
                self.fail(f"{name}: nothing went to the kernel")

    def standin(self):
        self.everything("the stand-in", os.path.join(self.build, "tests/kcrypto-standin.so"), [])

    def kernel(self):
        self.everything("AF_ALG", self.tool.module, ["backends = AF_ALG"])
        for name, (tests, why) in MORE.items():
            print(f"exception: {name}, more of {tests}: {why}")
        for name, why in FAIL.items():
            print(f"exception: {name}: {why}")
        for name, why in NOT_RUN.items():
            print(f"not run: {name}: {why}")


if __name__ == "__main__":
    Programs.main(__doc__, "baseline", "standin", "kernel")
