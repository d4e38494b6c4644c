# SPDX-License-Identifier: Apache-2.0
"""Controls the test accelerator, the kernel module of tests/accel: its identities, faults and counters,
and the provider's count of requests sent to it.

The test's second argument is the module's file."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from case import BUILD, Case, stats
from player import ALL, Player, always

MODULE = os.path.abspath(sys.argv[2])
PARAMETERS = "/sys/module/accel/parameters"
# Identities: the kernel's own drivers as they look from outside.
CESA = {"name": "mv-%m-%c", "hash_name": "mv-%h", "kern_driver_only": 1, "async": 1,
        "allocates_memory": 1, "priority": 300, "hash_priority": 0,
        "algs": "cbc,ecb,3des,sha256,hmac"}
GEODE = {"name": "%m-%c-geode", "kern_driver_only": 1, "async": 0, "need_fallback": 1,
         "priority": 400, "keys": "16", "algs": "cbc,ecb"}
CAAM = {"name": "%m-%c-caam", "des_word": "3des", "kern_driver_only": 1, "async": 1,
        "allocates_memory": 1, "priority": 3000, "algs": "cbc,ctr,ecb,3des"}
# The kernel's priority is 100, as that of the software here: a lower one leaves nothing to chance.
QAT = {"name": "qat_%c_%m", "async": 1, "allocates_memory": 1, "priority": 50,
       "algs": "cbc,ctr,xts"}

DIFF = os.path.join(BUILD, "tests", "kcrypto-diff")


def just_cbc(face):
    return dict(face, algs="cbc")


# The only backend in use, as the configuration names it; or None.
BACKEND = os.environ.get("KC_BACKEND")


class Accel(Case):
    def cnf(self, *lines):
        return super().cnf(*lines, *(["backends = " + BACKEND] if BACKEND else []))

    def load(self, face):
        argv = ["insmod", MODULE] + [f"{key}={value}" for key, value in face.items()]
        subprocess.run(argv, check=True)
        self.addCleanup(self.unload)

    def load_nothing_by_itself(self):
        """Until the end of the test, the kernel runs no modprobe, which may take long, for a driver that is
        not there."""
        path = Path("/proc/sys/kernel/modprobe")
        before = path.read_text()
        path.write_text("\n")
        self.addCleanup(path.write_text, before)

    def unload(self):
        """Unloads the module once nobody uses it: a process that was killed may hold it for a moment."""
        if not os.path.exists(PARAMETERS):
            return
        self.fault(delay=0)
        for _ in range(6000):
            if subprocess.run(["rmmod", "accel"], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        self.fail("the module can't be removed")

    def fault(self, **parameters):
        for key, value in parameters.items():
            Path(PARAMETERS, key).write_text(str(value))

    def reset(self):
        self.fault(reset=1)

    def device(self, counter="requests"):
        return int(Path(PARAMETERS, counter).read_text())

    def provider(self, name):
        """(requests, bytes, redone) of all processes so far."""
        return stats(self.stats)[name][:3]

    def player(self, *lines):
        return Player(self, self.cnf(*lines))

    def trial(self, name, *lines):
        """The number of requests that the device gets in one trial of this algorithm."""
        self.reset()
        row = self.row(name, always(name), *lines)
        self.assertEqual((row["reason"], row["offered"]), ("ok", True), row)
        trial = self.device()
        self.assertGreater(trial, 10)
        return trial

    def assert_used(self, name, *lines):
        """Every request of this algorithm reaches the device, and is right."""
        trial = self.trial(name, *lines)
        self.reset()
        before = self.provider(name)
        player = self.player(always(name), *lines)
        player.plays_right(name, length=8192, requests=20, contexts=2)
        after = self.provider(name)
        self.assertEqual([a - b for a, b in zip(after, before)], [40, 40 * 8192, 0])
        self.assertEqual(self.device("done"), trial + 40)
        self.assertEqual(self.device("requests"), trial + 40)
        self.assertEqual(self.device("passed"), 0)

    def assert_unused(self, name, *lines):
        """The requests of this algorithm are right, and none reaches the device."""
        self.reset()
        before = self.provider(name)
        player = self.player(always(name), *lines)
        player.plays_right(name, length=8192, requests=20, contexts=2)
        self.assertEqual(self.provider(name), before)
        self.assertEqual(self.device("requests") + self.device("passed"), 0)

    def diff(self, cnf, expect, *args, is_dropped=False):
        """Runs differential rounds: none may differ, and each cipher's requests must reach the kernel. A
        driver that lies fails them even so: it is to be dropped. Returns how many the programs counted."""
        argv = [DIFF, "--config", cnf, "--expect", str(expect), *args]
        r = subprocess.run(argv, capture_output=True, text=True,
                           env=dict(os.environ, OPENSSL_MODULES=BUILD))
        self.assertEqual(r.returncode, int(is_dropped), r.stdout + r.stderr)
        self.assertIn(" rounds, 0 mismatches\n", r.stdout)
        self.assertEqual("a driver was wrong and was dropped" in r.stderr, is_dropped)
        return sum(int(n) for n in re.findall(r" (\d+) of \d+ requests, ", r.stdout))

    def offered(self, *lines):
        """What an application sees of the provider."""
        out = self.run_(["openssl", "list", "-cipher-algorithms", "-propquery",
                         "provider=kcrypto"], self.cnf(*lines)).stdout.decode()
        return {name for name in ALL for line in out.splitlines()
                if "@ kcrypto" in line and name in line.replace(",", " ").split()}

    def assert_face(self, drivers, priority):
        """drivers: those of the algorithms that are hardware by name. No other algorithm is offered."""
        rows = {row["name"]: row for row in self.listing(always(*ALL))["algorithms"]}
        self.assertEqual({name for name, row in rows.items() if row["offered"]}, set(drivers))
        self.assertEqual(self.offered(always(*ALL)), set(drivers))
        for name, driver in drivers.items():
            self.assertEqual([rows[name][key] for key in ("driver", "kind", "priority", "reason")],
                             [driver, "hardware?", priority, "ok"])
        return rows
