# SPDX-License-Identifier: Apache-2.0
"""Controls the device that tests/cuse puts at /dev/crypto: starts and stops it, sets its faults, reads its
counters, and tells what did a process's requests: the device, AF_ALG or software."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from case import BUILD, Case, made, stats
from player import PLAY, Player

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cuse")
sys.path.append(HERE)
from control import Control  # noqa: E402

DIR = "/run/cuse-ways"
NOBODY = 65534


class Cuse(Case):
    def setUp(self):
        super().setUp()
        self.log = open(self.path("log"), "w+")
        self.addCleanup(self.nothing_said)

    def nothing_said(self):
        """No process printed anything, as errors are the provider's own affair."""
        self.log.seek(0)
        said = self.log.read()
        self.log.close()
        self.assertEqual(said, "")

    def script(self, name, *args):
        subprocess.run([os.path.join(HERE, name), DIR, *args], check=True,
                       env=dict(os.environ, KC_BUILD=BUILD))

    def load(self, *options):
        self.script("start", *options)
        self.addCleanup(self.unload)

    def unload(self):
        """Stops the device once it has no session: a file is released shortly after it was closed."""
        if not os.path.exists("/dev/crypto"):
            return
        for _ in range(6000):
            if not self.device("sessions_live"):
                break
            time.sleep(0.1)
        left = [self.device(name) for name in
                ("sessions_live", "sessions_unknown", "ioctls_unknown")]
        self.script("stop")
        self.assertEqual(left, [0, 0, 0])

    def fault(self, **values):
        """Sets faults; refuse_from="+1": see control.py."""
        control = Control(DIR)
        for name, value in values.items():
            control.set(name, str(value))

    def device(self, name="requests"):
        return Control(DIR)[name]

    def provider(self, name):
        """(requests, bytes, redone, wrong) of all processes so far."""
        counts = stats(self.stats)[name]
        return (*counts[:3], sum(counts[3:]))

    def player(self, *lines, **how):
        return Player(self, self.cnf(*lines), stderr=self.log, **how)

    def nobodys_player(self, *lines):
        """A player that runs as a user without rights, with copies of files that the user may be unable to
        read."""
        copies = self.path("copies")
        os.mkdir(copies)
        for file in (PLAY, os.path.join(BUILD, "kcrypto.so")):
            shutil.copy(file, copies)
        cnf = self.cnf(*lines)
        text = Path(cnf).read_text().replace(BUILD, copies)
        Path(cnf).write_text(text)
        os.chown(self.dir.name, NOBODY, NOBODY)
        # The counters must belong to the user, who cannot open them by a name in this process.
        fd = made[self.stats]
        os.fchown(fd, NOBODY, NOBODY)
        return Player(self, cnf, os.path.join(copies, "requests"), f"/proc/self/fd/{fd}", stderr=self.log,
                      user=NOBODY, group=NOBODY, extra_groups=[], pass_fds=[fd])

    def ways(self, name, *lines):
        """The rows of one algorithm, best first."""
        return [row for row in self.listing(*lines)["algorithms"] if row["name"] == name]

    def facts(self, name, keys, *lines):
        return [tuple(row[key] for key in keys) for row in self.ways(name, *lines)]

    def play(self, player, name, by, requests=10, contexts=2, length=8192):
        """Makes requests that have to be done by "device", "AF_ALG" or "software", all of them."""
        is_there = os.path.exists("/dev/crypto")
        counts = [(self.device() if is_there else 0, self.provider(name)[0])]
        player.plays_right(name, length, requests, contexts)
        counts.append((self.device() if is_there else 0, self.provider(name)[0]))
        n = requests * contexts
        done = [after - before for before, after in zip(*counts)]
        self.assertEqual(done, {"device": [n, n], "AF_ALG": [0, n], "software": [0, 0]}[by])
