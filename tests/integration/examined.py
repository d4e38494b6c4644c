# SPDX-License-Identifier: Apache-2.0
"""What kcrypto selftest --json DRIVER prints."""

import json


def examined(case, tool, driver, *options, env=()):
    """The exit status and the page, which is None where there is none."""
    argv = [tool, "selftest", "--json", "--seconds", "1", "--seed", "1", *options, driver]
    r = case.run_(argv, ok=False, env=env)
    case.assertIn(r.returncode, (0, 1, 2), r.stderr.decode())
    return r.returncode, json.loads(r.stdout) if r.stdout else None


def bad(page):
    """The checks that found the driver wrong or failing."""
    return {c["check"] for c in page["checks"] if c["ruling"] not in ("right", "not asked")}


def rulings(page, check):
    return {c["ruling"] for c in page["checks"] if c["check"] == check}
