# SPDX-License-Identifier: Apache-2.0
"""Reads what kcrypto selftest --json prints."""

import json


def asked(case, tool, *words, env=()):
    """Runs selftest. Returns the exit status and the report, or None without a report."""
    r = case.run_([tool, "selftest", "--json", "--seed", "1", *words], ok=False, env=env)
    case.assertIn(r.returncode, (0, 1, 2), r.stderr.decode())
    return r.returncode, json.loads(r.stdout) if r.stdout else None


def examined(case, tool, driver, *options, env=()):
    return asked(case, tool, "--seconds", "1", *options, driver, env=env)


def bad(page):
    """The checks that found the driver wrong or failing."""
    return {c["check"] for c in page["checks"] if c["ruling"] not in ("right", "not asked")}


def rulings(page, check):
    return {c["ruling"] for c in page["checks"] if c["check"] == check}
