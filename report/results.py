# SPDX-License-Identifier: Apache-2.0
"""Reads what kcrypto bench --json printed, and refuses anything else with a reason."""

import dataclasses
import json
import pathlib

TEXTS = ("version", "board", "soc", "kernel", "machine", "openssl")
COUNTS = ("processors", "processes", "rounds")
ROW_TEXTS = ("algorithm", "direction", "line")
NUMBERS = ("mb_per_s", "spread", "machine_s_per_gb", "process_s_per_gb", "kernel_share")
SOFTWARE = "software"
CONFIGURED = "as configured"
NOISY = 0.25  # of a result; and the part of the results, as in kcrypto bench


class BadResult(Exception):
    """A sentence: which file, and what is wrong with it."""


@dataclasses.dataclass
class Contender:
    """One line of an algorithm's table; rows by size, the smallest first."""
    label: str
    driver: str | None
    kind: str | None
    rows: dict = dataclasses.field(default_factory=dict)

    @property
    def known(self):
        return {size: row for size, row in self.rows.items() if row["mb_per_s"] is not None}


@dataclasses.dataclass
class Algorithm:
    name: str
    direction: str
    contenders: dict = dataclasses.field(default_factory=dict)

    @property
    def sizes(self):
        return sorted({size for c in self.contenders.values() for size in c.rows})

    @property
    def software(self):
        return self.contenders[SOFTWARE]

    @property
    def backends(self):
        return [c for c in self.contenders.values() if c.label not in (SOFTWARE, CONFIGURED)]


@dataclasses.dataclass
class Board:
    file: str
    facts: dict
    algorithms: dict  # by name and direction, in the file's order
    noisy_rows: int
    all_rows: int
    label: str = ""

    @property
    def is_noisy(self):
        return self.noisy_rows > NOISY * self.all_rows


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def no_constant(word):
    raise ValueError(f"{word} is no number")


def load(path):
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        return json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError) as e:
        raise BadResult(f"{path}: no JSON: {e}") from None


def check_head(path, report):
    other = f"{path}: not what kcrypto bench --json prints"
    if not isinstance(report, dict):
        raise BadResult(f"{other}: it is no object")
    if "by_kernel" in report:
        raise BadResult(f"{other} without a command: a command's result has no sizes to draw")
    if "advice" in report:
        raise BadResult(f"{other} without --tls, which ends with its own advice")
    for key in (*TEXTS, *COUNTS, "rows"):
        if key not in report:
            raise BadResult(f"{other}: it has no '{key}'")
    for key in TEXTS:
        if not isinstance(report[key], (str, type(None))):
            raise BadResult(f"{other}: '{key}' is no text")
    for key in COUNTS:
        if not is_number(report[key]):
            raise BadResult(f"{other}: '{key}' is no number")
    if not isinstance(report["rows"], list):
        raise BadResult(f"{other}: 'rows' is no list")
    if not report["rows"]:
        raise BadResult(f"{path}: there are no rows: nothing was measured")


def check_row(where, row):
    if not isinstance(row, dict):
        raise BadResult(f"{where} is no object")
    for key in (*ROW_TEXTS, "driver", "kind", "size", *NUMBERS):
        if key not in row:
            raise BadResult(f"{where} has no '{key}'")
    for key in ROW_TEXTS:
        if not isinstance(row[key], str):
            raise BadResult(f"{where}: '{key}' is no text")
    for key in ("driver", "kind"):
        if not isinstance(row[key], (str, type(None))):
            raise BadResult(f"{where}: '{key}' is no text")
    if type(row["size"]) is not int or row["size"] < 1:
        raise BadResult(f"{where}: 'size' is no number of bytes")
    for key in NUMBERS:
        if row[key] is not None and not (is_number(row[key]) and row[key] >= 0):
            raise BadResult(f"{where}: '{key}' is no number")
    if row["mb_per_s"] == 0:
        raise BadResult(f"{where}: 'mb_per_s' is 0")


def collect(path, rows):
    """The rows as a table: each contender of an algorithm at each of its sizes."""
    algorithms = {}
    for i, row in enumerate(rows, 1):
        where = f"{path}: row {i}"
        check_row(where, row)
        key = row["algorithm"], row["direction"]
        a = algorithms.setdefault(key, Algorithm(*key))
        c = a.contenders.setdefault(row["line"], Contender(row["line"], row["driver"], row["kind"]))
        if row["size"] in c.rows:
            raise BadResult(f"{where} says again what {row['line']} did with {row['algorithm']} "
                            f"at {row['size']} bytes")
        c.rows[row["size"]] = row
    return algorithms


def check_whole(path, a):
    if SOFTWARE not in a.contenders:
        raise BadResult(f"{path}: {a.name} has no rows of software to compare with")
    if len(a.sizes) < 2:
        raise BadResult(f"{path}: {a.name} has one size alone, {a.sizes[0]} bytes; a curve needs two")
    for c in a.contenders.values():
        for size in a.sizes:
            if size not in c.rows:
                raise BadResult(f"{path}: {a.name} has no row of {c.label} at {size} bytes")
        c.rows = dict(sorted(c.rows.items()))


def read_one(path):
    report = load(path)
    check_head(path, report)
    rows = report.pop("rows")
    algorithms = collect(path, rows)
    for a in algorithms.values():
        check_whole(path, a)
    instructions = report.get("cpu_instructions")
    if not isinstance(instructions, (list, type(None))):
        raise BadResult(f"{path}: 'cpu_instructions' is no list")
    noisy = sum((row["spread"] or 0) > NOISY for row in rows)
    return Board(path, report, algorithms, noisy, len(rows))


def read(paths):
    """The boards, each with a name that no other one has."""
    boards = [read_one(path) for path in paths]
    names = [b.facts["board"] or b.facts["soc"] or b.facts["machine"] or "unknown" for b in boards]
    for b, name in zip(boards, names):
        b.label = name if names.count(name) == 1 else f"{pathlib.Path(b.file).stem}: {name}"
    return boards
