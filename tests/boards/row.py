#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""row.py CELLS: prints the rows of the table of results, one for each backend, from the verdicts that
on_board.py left."""

import re
import sys
from pathlib import Path

lines = Path(sys.argv[1]).read_text().splitlines()
board, kernel = (line.split()[1] for line in lines[:2])
rows = [[w.strip() for w in line.split(" | ", 2)] for line in lines if " | " in line]
cells = {what: (verdict, said) for what, verdict, said in rows}


def cell(what):
    verdict, said = cells.get(what, ("not run", ""))
    return f"{verdict}: {said}" if verdict == "passed" else f"**{verdict}**" * (verdict != "not run")


def wrong(backend):
    """The number of rounds of all policies and runs, and of wrong answers. One run with a wrong answer
    fails them all."""
    said = [(verdict, text) for what, verdict, text in rows
            if what.split()[0] == backend and what.split()[1] in ("zero", "default", "always")]
    rounds = sum(int(n) for _, text in said for n in re.findall(r"^(\d+) rounds", text))
    return f"{rounds}, 0" if said and all(v == "passed" for v, _ in said) else "**FAILED**" * bool(said)


for backend in sorted({what.split()[0] for what in cells} - {"driver"}):
    parts = [cell(f"{backend} {part}") for part in ("list", "reach")]
    parts += [wrong(backend)]
    parts += [cell(f"{backend} {part}")
              for part in ("selftest", "doctor", "programs", "faults", "silent", "tune", "slow")]
    print(f"| {board} | {kernel} | {cell('driver')} | {backend} |", " | ".join(parts), "|")
