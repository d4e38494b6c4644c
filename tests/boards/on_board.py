#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests kcrypto over a board's accelerator, inside its machine.

usage: on_board.py BUILD BOARD KCRYPTO_KO ROUNDS BACKEND[,BACKEND] PART[,PART]

Prints the output of each part and its verdict, and leaves the verdicts in the file cells in the machine's
output directory.  A part that fails stops no other part.  With fewer than 1,000 ROUNDS, only one algorithm
of each driver and one driver of each kind are tested."""

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
from cnf.text import openssl_cnf  # noqa: E402

BUILD, BOARD, KO, ROUNDS, BACKENDS, PARTS = sys.argv[1:7]
BUILD = str(TOP / BUILD)
OUT = Path("/run/kcrypto-out")
ENGINE = OUT / "board.stats"
ENV = dict(os.environ, OPENSSL_MODULES=BUILD, KC_ENGINE=str(ENGINE), PYTHONUNBUFFERED="1")
IS_QUICK = int(ROUNDS) < 1000
# marvell-cesa reads no interrupt cause but a request's end: it reports an engine's error as
# success, and the bytes are wrong.
HIDES = {"cesa": ["error"], "cesa-38x": ["error"]}
# Boards whose driver gives wrong answers: marvell-cesa's HMACs of whole blocks, where init, update
# and final are separate calls.
LIES = {"cesa": "HMAC-", "cesa-38x": "HMAC-"}
# Boards whose driver waits without a time limit.
HANGS = ["cesa", "cesa-38x", "stm32", "caam", "caam-imx6", "aspeed"]
# Boards whose driver polls until the engine is done.
POLLED = ["geode", "sun4i-ss"]
# Boards whose engine does 200 KB/s.
SLOW = ["stm32"]
MINUTE = 60  # seconds that an engine stays silent
# Boards whose driver never asks whether the engine failed, or whose engine has no bit for that.
DEAF = ["gxl", "stm32", "aspeed"]
# Boards whose driver goes on from the middle of a digest, over /dev/kcrypto.
IN_BLOCKS = ["cesa", "cesa-38x", "sun4i-ss", "caam", "caam-imx6", "aspeed"]
LIMIT = 900  # seconds: a safety net
HASHES = "MD5 SHA1 SHA224 SHA256 SHA384 SHA512"


class Failed(Exception):
    """The verdict of a part that failed, with the reason."""


def ask(*argv, env=None, output="/run/said"):
    """Runs a command; returns (exit status, output).  A command that hangs in the driver cannot even be
    killed."""
    with open(output, "w") as f:
        p = subprocess.Popen([str(a) for a in argv], env=dict(ENV, **(env or {})), stdout=f,
                             stderr=subprocess.STDOUT if output == "/run/said" else subprocess.DEVNULL)
        try:
            status = p.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            p.kill()
            raise Failed(f"{Path(argv[0]).name} hangs; so far: {Path(output).read_text()}") from None
    return status, Path(output).read_text()


def run(*argv, env=None, check=True):
    """Runs a command and prints its output; returns the output.  Raises Failed if the command fails."""
    status, said = ask(*argv, env=env)
    print(said, end="", flush=True)
    if check and status:
        raise Failed(f"{Path(argv[0]).name} ended with {status}")
    return said


def tool(*argv, env=None):
    """Runs a command of the tool; returns (exit status, JSON report)."""
    status, said = ask(f"{BUILD}/kcrypto", *argv, env=env, output="/run/report")
    return status, json.loads(said)


def engine():
    """(requests, bytes, faults) that the engine has counted so far."""
    return [int(n) for n in re.findall(r"\d+", ENGINE.read_text())[:3]]


def fault(word):
    Path(f"{ENGINE}.fault").write_text(word + "\n")


def drivers_offered(backend):
    """{algorithm: driver} that the table offers names."""
    rows = [line.split() for line in (TOP / "tests/boards/offers").read_text().splitlines()
            if line and line[0] != "#"]
    name = next((row[2] for row in rows if row[0] == BOARD and row[1] == "as"), BOARD)
    return {alg: row[2] for row in rows if row[0] == name and row[1] in ("all", backend)
            for alg in row[3:]}


def share(rows, of_hashes):
    """The share of the requested bytes that the engine did, from rows of reach."""
    those = [row for row in rows if (row[0].split("HMAC-")[-1] in HASHES.split()) == of_hashes]
    asked = sum(int(row[3]) for row in those)
    return f"{100 * sum(int(row[2]) for row in those) / asked:.0f} %" if asked else "none"


class Backend:
    """The parts, over one backend."""

    def __init__(self, name):
        self.name = name
        self.said = {"afalg": "AF_ALG", "kcrypto": "/dev/kcrypto"}[name]
        self.offers = drivers_offered(name)
        self.aeads = [a for a in self.offers if a.endswith(("GCM", "CCM"))]
        self.conf = {}

    def cnf(self, name, *lines):
        """A configuration with this backend alone, hardware alone, and these lines."""
        path = Path(f"/run/{self.name}-{name}.cnf")
        path.write_text(openssl_cnf("soft_drivers = 0", "backends = " + self.name,
                                    f"tune_file = /run/{self.name}-{name}.tune", *lines))
        return path

    def some(self):
        """The algorithms that are tested; the drivers that are tested are those of some_drivers()."""
        if not IS_QUICK:
            return sorted(self.offers)
        return sorted({d: a for a, d in reversed(self.offers.items())}.values())

    def some_drivers(self):
        """The first driver; over /dev/kcrypto the driver of an AEAD, if there is one."""
        if not IS_QUICK:
            return sorted(set(self.offers.values()))
        first = self.aeads[0] if self.aeads and self.name == "kcrypto" else list(self.offers)[0]
        return [self.offers[first]]

    def everything(self, suffix, name, *lines):
        """A configuration with all rows, each with this suffix: ':0' for a threshold of 0."""
        rows = {"ciphers": ["ALL" + suffix] + [a + suffix for a in self.offers if a.endswith("ECB")],
                "digests": [a + suffix for a in HASHES.split()],
                "macs": [f"HMAC-{a}{suffix}" for a in HASHES.split()]}
        return self.cnf(name, *(f"{kind} = {' '.join(names)}" for kind, names in rows.items()), *lines)

    def list(self):
        """Everything that the table names is offered, nothing else but digests and MACs, and nothing that
        is software. Digests are of any length where the driver serves blocks, and nowhere else."""
        _, report = tool("list", "--all", "--json", "--config", self.everything(":0", "list"))
        rows = [r for r in report["algorithms"] if r["backend"] == self.said]
        # The kind of a polled engine is found by timing, which a busy machine disturbs.
        is_told = BOARD not in POLLED
        kinds = Counter(r["kind"] for r in rows if r["offered"] and r["key_bits"])
        offered = {r["name"]: r["driver"] for r in rows
                   if r["offered"] and (r["kind"].startswith("hardware") or not is_told or not r["key_bits"])}
        hashes = {r["name"]: f"{r['driver']} ({r['reason'] if not r['offered'] else 'offered, ' + r['kind']})"
                  for r in rows if r["key_bits"] is None and (r["offered"] or (r["kind"] or "").startswith("hardware"))}
        print("digests and MACs:", hashes)
        ciphers = {a: d for a, d in offered.items() if a not in hashes}
        wrong = [f"{a}: {ciphers.get(a)}, not {self.offers.get(a)}"
                 for a in sorted(ciphers.keys() | self.offers.keys())
                 if ciphers.get(a) != self.offers.get(a)]
        if wrong:
            why = {r["name"]: r["reason_text"] for r in rows}
            raise Failed("; ".join(w + f" ({why.get(w.split(':')[0])})" for w in wrong))
        digests = [r["name"] for r in rows if r["offered"] and r["name"] in HASHES.split()]
        in_blocks = [r["name"] for r in rows if r["in_blocks"] and r["blocks_reason"] == "ok"]
        if in_blocks != (digests if self.name == "kcrypto" and BOARD in IN_BLOCKS else []):
            raise Failed(f"of the digests {digests}, those of any length are {in_blocks}")
        return (f"{len(ciphers)} rows, {kinds['hardware']} of which were seen at work; "
                f"{len(in_blocks)} of {len(digests)} digests of any length")

    def reach(self):
        """The bytes that kcrypto counts for the kernel are those that the engine counted."""
        algs = self.some()
        said = run(f"{BUILD}/tests/board_reach", self.everything(":0", "reach"), *algs, *HASHES.split(),
                   *("HMAC-" + a for a in HASHES.split()), check=False,
                   env={"KC_FEW": "1"} if IS_QUICK and BOARD in SLOW else None)
        rows = re.findall(r"^(\S+): (\d+) requests, (\d+) of (\d+) bytes claimed, .* (\d+) wrong$", said, re.M)
        sums = [sum(int(row[i]) for row in rows) for i in range(1, 5)]
        if not set(algs) <= {row[0] for row in rows}:
            raise Failed("not all rows were offered")
        if sums[3]:
            raise Failed(f"{sums[3]} of {sums[0]} answers were wrong")
        more = re.findall("CLAIMED: (.*)", said)
        if more:
            raise Failed(f"{len(more)} requests that were claimed for hardware, it did not do, such as {more[0]}")
        return f"{sums[1]} bytes claimed, 0 too many: {share(rows, False)} of ciphers, {share(rows, True)} of hashes"

    def rounds(self, how, suffix, *lines):
        """Differential rounds: a quarter of the ROUNDS, one fifth of them for digests and MACs."""
        conf = self.everything(suffix, how, *lines)
        rounds = int(ROUNDS) // 4
        begin = engine()
        _, report = tool("list", "--all", "--json", "--no-trial", "--config", conf)
        has_hashes = any(r["offered"] and r["name"].split("HMAC-")[-1] in HASHES.split()
                         for r in report["algorithms"])
        for hashes in [[], ["--hashes"]][:1 + has_hashes]:
            self.diff("--edges", *([] if how == "zero" else ["--any"]), *hashes, "--config", conf, "--expect", 0,
                      "--rounds", rounds // 5 if hashes else rounds - rounds // 5)
        end = engine()
        rounds -= 0 if has_hashes else rounds // 5
        return f"{rounds} rounds, 0 wrong; the engine had {end[0] - begin[0]} requests, {end[1] - begin[1]} bytes"

    @staticmethod
    def diff(*argv):
        """Rounds have no mismatch. Only a driver that is known to lie may be dropped."""
        said = run(f"{BUILD}/tests/kcrypto-diff", *argv, check=False)
        dropped = re.findall(r"^kcrypto-diff: (\S+): a driver was wrong and was dropped", said, re.M)
        others = re.findall(r"^kcrypto-diff: (?!seed|\S+: a driver was wrong).*", said, re.M)
        if not re.search(r"^\d+ rounds, 0 mismatches$", said, re.M) or others:
            raise Failed(f"kcrypto-diff: {others or 'answers differ'}")
        if any(not re.match(LIES.get(BOARD, "$"), alg) for alg in dropped):
            raise Failed(f"drivers were dropped: {dropped}")

    def zero(self):
        """Differential rounds in which each request goes to the kernel."""
        return self.rounds("zero", ":0")

    def default(self):
        """Differential rounds with the default policy."""
        return self.rounds("default", "")

    def always(self):
        """Differential rounds with policy = always."""
        return self.rounds("always", "", "policy = always")

    def selftest(self):
        """selftest tests each cipher's driver, and each driver passes."""
        bad, verdicts = [], {}
        for driver in self.some_drivers():
            status, report = tool("selftest", "--json", "--backend", self.name, "--seconds", "1",
                                  *(["--rounds", "20", "--limit", "15"] if IS_QUICK else ["--rounds", "200"]),
                                  driver)
            verdicts[driver] = report["verdict"]
            bad += [f"{driver}: {c['check']} of {c['algorithm']} is {c['ruling']}: {c['text']}"
                    for c in report["checks"] if c["ruling"] not in ("right", "not asked")]
            if status or report["verdict"] != "reliable":
                bad.append(f"{driver}: {report['verdict']}, exit status {status}")
        print(verdicts)
        if bad:
            raise Failed("; ".join(bad))
        return f"{len(verdicts)} drivers"

    def doctor(self):
        """doctor finds every link of the chain whole, except that it names a driver that lies."""
        conf = self.everything(":0", "doctor")
        _, report = tool("doctor", "--json", env={"OPENSSL_CONF": str(conf)})
        findings = report["findings"]
        for f in findings:
            print(f"{f['link']}: {f['state']}: {f['text']}")
        broken = [f["text"] for f in findings if f["state"] == "broken"]
        others = [text for text in broken if not re.match(LIES.get(BOARD, "$"), text)]
        if others:
            raise Failed("; ".join(others))
        return broken[0] if broken else "nothing broken"

    def programs(self):
        """openssl enc, dgst and mac give the same output with the engine and without it."""
        text = Path("/run/text")
        text.write_bytes(bytes(i * 7 % 251 for i in range(300000)))
        conf = self.everything(":0", "programs")
        before = engine()
        alg = "aes-128-cbc"
        commands = [["enc", f"-{alg}", "-K", "0" * 31 + "1", "-iv", "1" * 32, "-in", text],
                    ["enc", "-d", f"-{alg}", "-K", "0" * 31 + "1", "-iv", "1" * 32, "-in", "/run/sealed"],
                    *(["mac", "-digest", d, "-macopt", "hexkey:00112233", "-in", f, "HMAC"]
                      for d in ("SHA1", "SHA256") for f in (text, "/run/blocks")),
                    *(["dgst", f"-{d.lower()}", text] for d in HASHES.split())]
        Path("/run/blocks").write_bytes(text.read_bytes()[:40000 // 64 * 64])
        for command in commands:
            answers = [subprocess.run(["openssl", *map(str, command)], capture_output=True, check=True,
                                      env=dict(ENV, **env)).stdout
                       for env in ({"OPENSSL_CONF": str(conf)}, {"OPENSSL_CONF": "/dev/null"})]
            if answers[0] != answers[1]:
                raise Failed(f"openssl {command[0]} is wrong")
            if command[0] == "enc" and "-d" not in command:
                Path("/run/sealed").write_bytes(answers[0])
        did = engine()[1] - before[1]
        if did < 2 * 290000:
            raise Failed(f"the engine did {did} bytes of openssl enc")
        return f"{len(commands)} programs right, {did} bytes by the engine"

    def tune(self):
        """kcrypto tune's threshold lies where the engine begins to pay.  Instructions are counted, so the
        machine does not matter."""
        name = "AES-128-CBC"
        said = run(f"{BUILD}/tests/board_gain", self.cnf("gain", f"ciphers = {name}:0"), name)
        gains = [(int(n), float(times)) for n, times in re.findall(r"^(\d+) bytes.* ([\d.]+) times$", said, re.M)]
        conf = self.cnf("tune", f"ciphers = {name}")
        run(f"{BUILD}/kcrypto", "tune", "--seconds", 5, "--config", conf)
        _, report = tool("list", "--all", "--json", "--no-trial", "--config", conf)
        found = next(r["threshold"] for r in report["algorithms"]
                     if r["name"] == name and r["backend"] == self.said)
        pays = [i for i, (_, times) in enumerate(gains) if times > 1]
        if not pays:
            raise Failed(f"the engine never pays, says the program; tune says {found}")
        low, high = gains[max(pays[0] - 1, 0)][0], gains[pays[0]][0]
        if found is None or not low * 0.7 <= found <= high * 1.4:
            raise Failed(f"tune says {found}, and the engine begins to pay between {low} and {high}")
        return f"from {found} bytes; the engine begins to pay between {low} and {high}"

    def slow(self):
        """With an engine of 60 KB/s each command takes hardly longer than the seconds that it is given.
        Instructions are counted, so the machine does not matter."""
        if BOARD in POLLED:
            return "not played: the model of a polled engine has no speed"
        conf = self.cnf("slow", "ciphers = ALL")
        driver = next(iter(self.offers.values()))
        said, late = [], []
        for seconds, command in ((60, ["list"]), (20, ["tune", "--seconds", "20"]),
                                 (20, ["selftest", "--limit", "20"]),
                                 (20, ["selftest", "--seconds", "2", "--limit", "20", driver]),
                                 (20, ["bench", "--seconds", "20"]), (20, ["bench", "--tls", "--seconds", "20"])):
            begin = time.monotonic()
            status, text = ask(f"{BUILD}/kcrypto", *command, "--config", conf)
            took = time.monotonic() - begin
            print(f"{' '.join(command)}: {took:.0f} s, exit status {status}\n{text}", flush=True)
            said.append(f"{took:.0f} of {seconds} ({command[0]}{' --tls' * ('--tls' in command)})")
            if status > 1:  # a driver with a time limit of its own may fail
                raise Failed(f"{' '.join(command)} ended with {status}")
            # A request takes up to a second, and a row's first measurement a few.
            late += [said[-1]] if took > seconds + 5 else []
        if late:
            raise Failed("seconds: " + ", ".join(late))
        return "seconds: " + ", ".join(said)

    def faults(self):
        """An engine that has faults from the start, and one that has them later: programs get no wrong
        answer."""
        seen = []
        names = ["AES-128-CBC", *self.aeads[:1]]
        words = ["byte"] if BOARD in POLLED else ["byte", "error", "late", "early"]
        words = [word for word in words if word != "error" or BOARD not in DEAF]
        for name in names:
            for word in words[:2] if IS_QUICK else words:
                n = "2" if word == "late" else "12"
                for conf, count in ((self.cnf("faults", f"ciphers = {name}:0"), "+" + n),
                                    (self.cnf("faults", f"ciphers = {name}:0"), n)):
                    said = run(f"{BUILD}/tests/board_faults", conf, name, word, 4096, count, check=False)
                    seen.append((name, word, count[0] == "+", said))
        return self.judge(seen)

    def silent(self):
        """The engine never raises an interrupt again. This part comes last, as this machine's driver does
        nothing after it. Before that there are enough messages for the driver to be in use: a driver may
        give a trial's short requests up in milliseconds."""
        if self.name == "afalg" and BOARD in HANGS:
            return "not played: the driver waits for ever, and nobody can leave such a call of AF_ALG"
        if BOARD in POLLED:
            return "not played: the driver polls, and the kernel waits with it"
        name = self.aeads[0] if self.aeads else "AES-128-CBC"
        seen = [(name, "silent", False, run(f"{BUILD}/tests/board_faults",
                                            self.cnf("silent", f"ciphers = {name}:{threshold}"), name,
                                            "silent", 4096, f"100~{MINUTE}", check=False))
                for threshold in (0, 1024)]
        verdict = self.judge(seen)
        for threshold, (*_, said) in zip((0, 1024), seen):
            # A driver that waits for ever has hung since the first time, so the second time a message
            # waits before the fault.
            (_, before), (n, during) = re.findall(r"(?:before|during): (\d+) messages.*?(\d+) slow", said)
            if not int(before) + int(during):
                raise Failed(f"no message waited, threshold {threshold}: the driver was not in use")
            verdict += f"; of {n} in a minute {int(before) + int(during)} waited, threshold {threshold}"
        return verdict

    @staticmethod
    def judge(seen):
        bad, slow, outrun = [], 0, 0
        for name, word, at_start, said in seen:
            phases = re.findall(r"(before|during|after): (\d+) messages: (\d+) wrong, (\d+) failed, (\d+) slow"
                                r".*?(\d+) requests, (\d+) faults", said)
            if not phases or phases[-1][0] != "after":
                bad.append(f"{name}, {word}: the program died")
            for when, _, wrong, failed, late, _, faults in phases:
                # Nothing detects a driver whose trial is right and whose later answers are wrong.
                lies = word in ["byte", *HIDES.get(BOARD, [])] and not at_start and when == "during"
                if word == "early" and when == "during" and not int(failed):
                    outrun += int(wrong)  # a race, which no trial decides: the data may come late
                elif int(failed) or (int(wrong) and not lies):
                    bad.append(f"{name}, {word}, {when}: {wrong} wrong, {failed} failed")
                # Of an engine that stays silent, silent() looks for the messages that waited.
                if when == "during" and not int(faults) and word != "silent":
                    bad.append(f"{name}, {word}: the engine did not err")
                slow += int(late)
                if word == "silent" and int(late) > 2:
                    bad.append(f"{name}, silent, {when}: {late} messages waited for a driver that hangs")
        if bad:
            raise Failed("; ".join(bad))
        return (f"{len(seen)} faults, nothing wrong, {slow} messages took over 2 s"
                + f"; {outrun} wrong where the interrupt outran the data" * bool(outrun))


def prepare():
    """Loads the driver, and the module of /dev/kcrypto unless there is none."""
    modules = os.environ["KC_MODULES"].split()
    run(TOP / "tests/boards/load", *modules)
    if "kcrypto" in BACKENDS.split(","):
        run("insmod", KO)
    for _ in range(600):
        if all(f": {d}\n" in Path("/proc/crypto").read_text()
               for d in set(drivers_offered("afalg").values())):
            return f"{engine()[0]} requests by the kernel's self-tests"
        time.sleep(0.1)
    raise Failed("the driver has registered less than the table says: "
                 + ", ".join(re.findall(r"^driver +: (.*)", Path("/proc/crypto").read_text(), re.M)))


def cpu():
    """CPU seconds of the commands, in user and kernel mode."""
    times = os.times()
    return times.children_user, times.children_system


def play(what, part):
    begin, before = time.monotonic(), cpu()
    print(f"== {what}", flush=True)
    try:
        verdict, said = "passed", part()
    except Failed as e:
        verdict, said = "FAILED", str(e)
    except Exception as e:  # pylint: disable=broad-except
        verdict, said = "FAILED", f"{type(e).__name__}: {e}"
    user, system = (now - then for now, then in zip(cpu(), before))
    print(f"-- {what}: {verdict}, {time.monotonic() - begin:.0f} s ({user:.0f} in programs, {system:.0f} in the "
          f"kernel for them): {said}", flush=True)
    with open(OUT / "cells", "a") as cells:
        cells.write(f"{what} | {verdict} | {said}\n")
    return verdict == "passed"


def main():
    if not (OUT / "cells").exists():
        (OUT / "cells").write_text(f"board {BOARD}\nkernel {os.uname().release}\nrounds {ROUNDS}\n")
    ok = play("driver", prepare)
    backends = [Backend(name) for name in BACKENDS.split(",")] if ok else []
    for part in PARTS.split(","):
        for backend in backends:
            fault("none")
            ok &= play(f"{backend.said} {part}", getattr(backend, part))
    return not ok


sys.exit(main())
