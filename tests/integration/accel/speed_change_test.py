#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A device whose speed changes while a program uses it.

usage: speed_change_test.py BUILD MODULE

The accelerator uses AES instructions, and the program is told not to, so that the device is faster until
it is told to wait. The test reads no clock: a phase ends when the device's counter shows who gets the
requests."""

import os
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from accel import CAAM, Accel

LENGTH = 4096
PLAY = 100
PHASE = 500  # plays at most, of PLAY requests each

# The bits of AES and VAES in OpenSSL's map of the CPU.
WITHOUT_AES = {"OPENSSL_ia32cap": "~0x200000200000000:~0x20000000000"}


class SpeedChange(Accel):
    def setUp(self):
        super().setUp()
        subprocess.run(["modprobe", "aesni_intel"], check=True)
        self.load(dict(CAAM, algs="fast"))
        os.environ.update(WITHOUT_AES)
        self.player_ = self.player("ciphers = AES-128-CBC")

    def play(self):
        """The device's share of some requests, all of which are right."""
        before = self.device("done")
        self.assertEqual(self.player_.play("AES-128-CBC", length=LENGTH, requests=PLAY), "right")
        return self.device("done") - before

    def play_until(self, what, is_reached):
        """The number of requests that the device got until is_reached()."""
        got = 0
        for n in range(PHASE):
            share = self.play()
            if is_reached(share):
                print(f"{what} in play {n + 1}; {got} requests before it", flush=True)
                return got
            got += share
        self.fail(f"not {what} in {PHASE * PLAY} requests")

    def test_a_device_that_becomes_slow_is_left_and_found_again(self):
        self.play_until("used", lambda share: share >= 0.9 * PLAY)
        self.fault(delay=25)
        self.assertLess(self.play_until("left", lambda share: share == 0), 50)
        self.fault(delay=0)
        self.play_until("found again", lambda share: share >= 0.9 * PLAY)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
