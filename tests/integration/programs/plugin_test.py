#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""This program has no libcrypto. It opens a plugin that has it, uses it and closes it, fifty times:
nothing of the plugin remains, and of kcrypto only the module itself, which the first round leaves.

usage: plugin_test.py BUILD [MACHINE]; without MACHINE, the plugin has the stand-in inside"""

import _ctypes
import ctypes
import os
import sys
import unittest
from pathlib import Path

HERE = os.path.dirname(__file__)
sys.path.append(os.path.join(HERE, "../.."))
from counters import counters, drop, make  # noqa: E402
from folder import Folder  # noqa: E402

NAME = "plugin.so" if sys.argv[2:] else "plugin-standin.so"
PLUGIN = os.path.join(os.path.abspath(sys.argv[1]), "tests", NAME)
CONFIG = os.path.join(HERE, "../lives/one.cnf").encode()


def lines(file, word):
    return sum(word in line for line in Path("/proc/self", file).read_text().splitlines())


def left():
    """The numbers of descriptors, of mapped files, and of pages that a child finds empty, such as the fork
    mark."""
    return len(os.listdir("/proc/self/fd")), lines("maps", "/"), lines("smaps", " wf")


class Plugin(Folder):
    def use_it_once(self):
        plugin = ctypes.CDLL(PLUGIN)
        self.assertEqual(plugin.plugin_run(CONFIG), 1)
        _ctypes.dlclose(plugin._handle)
        with self.assertRaises(OSError):
            ctypes.CDLL(PLUGIN, os.RTLD_NOLOAD)

    def test_a_plugin_that_is_closed_leaves_nothing_more_the_second_time(self):
        stats = make(self.path("stats"))
        self.addCleanup(drop, stats)
        os.environ["KCRYPTO_STATS"] = stats
        self.assertEqual(lines("maps", "libcrypto"), 0)
        self.use_it_once()
        before = left()
        for _ in range(50):
            self.use_it_once()
        self.assertEqual(left(), before)
        # A fork calls no function that is no longer mapped.
        child = os.fork()
        if child == 0:
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(lines("maps", NAME), 0)
        # The search works: it finds libcrypto, which stays for good.
        self.assertGreater(lines("maps", "libcrypto"), 0)
        self.assertGreaterEqual(counters(stats)["AES-128-CBC"][0], 51)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
