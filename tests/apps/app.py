# SPDX-License-Identifier: Apache-2.0
"""A program under test: its files, its processes, the bytes that arrive, and what it costs."""

import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from counters import counters, make  # noqa: E402
from folder import Files  # noqa: E402

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
HERE = os.path.join(TOP, "tests/apps")
SOFTWARE = {"OPENSSL_CONF": "/dev/null"}
# What a process may gain between two measurements. Idle sessions are descriptors.
DESCRIPTORS, KIB = 8, 4096


class Failed(Exception):
    pass


def expect(happened, why):
    if not happened:
        raise Failed(why)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children(pid):
    found = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat) as f:
                if int(f.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(stat.split("/")[2]))
        except OSError:
            pass
    return found


def resident(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))


def descriptors(pids):
    """The number of open descriptors once it no longer changes: connections take time to end."""
    before, now = -1, 0
    while before != now:
        before, now = now, sum(len(os.listdir(f"/proc/{p}/fd")) for p in pids)
        time.sleep(0.5)
    return now


def wait_until(happened, why):
    """Polls until happened() is true. The limit is high: the machine's watchdog ends a test that stays
    silent."""
    for i in range(6000):
        if happened():
            return
        time.sleep(0.1)
    raise Failed(why)


class App(Files):
    def __init__(self, is_all, configure):
        """@is_all: the kernel gets every request. @configure(providers, more lines) writes the system's
        openssl.cnf."""
        self.is_all, self.configure = is_all, configure
        configure()
        self.dir = self.folder = tempfile.mkdtemp(dir="/run")
        os.chmod(self.dir, 0o755)
        self.env = dict(os.environ, KCRYPTO_STATS=make(self.path("stats")))
        del self.env["OPENSSL_CONF"]
        self.bytes = self.shown = 0
        self.said = []
        self.kib = KIB
        self.marks = {}
        self.processes = []
        self.daemons = []

    def random_file(self, name, size):
        return self.write(name, os.urandom(size))

    def run(self, argv, env=(), **kwargs):
        r = subprocess.run(argv, env=self.env | dict(env), capture_output=True, **kwargs)
        if r.returncode:
            lines = (r.stderr or r.stdout).decode(errors="replace").strip().split("\n")
            raise Failed(f"{os.path.basename(argv[0])} exited with {r.returncode}: {lines[-1]}")
        return r.stdout

    def start(self, argv, ready=None, env=(), **kwargs):
        """Starts a program that runs until the end of the test. @ready is what it prints once it serves."""
        log = f"log{len(self.processes)}-{os.path.basename(argv[0])}"
        with open(self.path(log), "wb") as f:
            process = subprocess.Popen(argv, env=self.env | dict(env), stderr=f,
                                       stdout=kwargs.pop("stdout", f), **kwargs)
        process.log = log
        self.processes.append(process)
        if ready:
            wait_until(lambda: ready in self.read(log) or process.poll() is not None,
                       f"{argv[0]} does not say '{ready}'")
            expect(process.poll() is None, f"{argv[0]} ended: {self.read(log)[-300:]}")
        return process

    def same(self, got, want, of):
        expect(got == want, f"{of}: the bytes are wrong ({len(got)} of {len(want)})")
        self.bytes += len(want)

    def same_files(self, got, want):
        self.run(["cmp", got, want])
        self.bytes += os.path.getsize(want)

    def progress(self, what):
        """Reports progress, because a machine that prints nothing for long is taken for dead."""
        print(f"    {what}", flush=True)

    def say(self, what):
        self.said.append(what)

    def mark(self, label, pids):
        """Measures processes. The first and the last measurement with the same label have to agree."""
        expect(pids, f"no process of {label}'s is left")
        self.marks.setdefault(label, []).append(
            (descriptors(pids), sum(map(resident, pids)), len(pids)))

    def cost(self):
        """Descriptors and memory of the marked processes, at the start and at the end."""
        ends = [[sum(m[i][k] for m in self.marks.values()) for i in (0, -1)] for k in (0, 1)]
        (fds, fds2), (kib, kib2) = ends
        cost = f"{fds}->{fds2} descriptors, {kib / 1024:.1f}->{kib2 / 1024:.1f} MiB"
        return f"{cost if self.marks else '(ends)':36}"

    def judge_cost(self):
        for label, marks in self.marks.items():
            (fds, kib, count), (fds2, kib2, count2) = marks[0], marks[-1]
            expect(count == count2, f"{label}: {count} processes became {count2}")
            expect(fds2 - fds <= DESCRIPTORS * count, f"{label}: {fds} descriptors became {fds2}")
            expect(kib2 - kib <= self.kib * count, f"{label}: {kib} KiB became {kib2}")

    def requests(self):
        return self.shown + sum(c[0] for c in counters(self.path("stats")).values())

    def wrong(self):
        """Rows in which answers of the kernel were refused or requests failed in it."""
        return {name: c[2:] for name, c in counters(self.path("stats")).items() if any(c[2:])}

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        process.wait()

    def end(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                self.stop(process)
        for pid in self.daemons:
            if alive(pid):
                os.kill(pid, signal.SIGTERM)
                wait_until(lambda: not alive(pid), f"process {pid} does not end")

    def forget(self):
        shutil.rmtree(self.dir, ignore_errors=True)


def certificate():
    """A certificate for all tests, made by this process with software alone."""
    run = Files()
    run.folder = "/run"
    path = run.path("certificate")
    if not os.path.exists(path):
        os.chmod(run.certificate(), 0o644)
    return path
