# SPDX-License-Identifier: Apache-2.0
"""What kcrypto selftest prints."""

import re
import subprocess

from case import TOOL

LINE = re.compile(r"(not )?ok (\d+) - (.*)")


def selftest(case, cnf, *options):
    """The exit status, and of each line whether it is ok and what it is about."""
    argv = [TOOL, "selftest", "--config", cnf, "--seed", "7", *options]
    r = subprocess.run(argv, capture_output=True, text=True)
    case.assertTrue(r.stdout.startswith("TAP version 13\n"), r.stdout + r.stderr)
    tests = [m for m in map(LINE.match, r.stdout.splitlines()) if m]
    case.assertEqual([int(m.group(2)) for m in tests], list(range(1, len(tests) + 1)))
    case.assertIn(f"\n1..{len(tests)}\n", r.stdout)
    case.assertEqual(r.returncode, int(any(m.group(1) for m in tests)), r.stdout + r.stderr)
    return [(not m.group(1), m.group(3)) for m in tests]
