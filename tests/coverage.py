#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which lines of src the sanitizers have seen. See scripts/coverage.

usage: coverage.py collect BUILD OUT    what gcov says of a build's objects, on the system that built them
       coverage.py report FILE...       together, by folder; each function that never ran, with its reason
"""

import collections
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
REASONS = TOP / "tests/uncovered"
# The tool runs in child processes and on kernels; its tests are in Python.
LEFT_OUT = ("src/cli/",)


def objects(build):
    return sorted(str(path) for path in pathlib.Path(build).resolve().rglob("*.gcno") if "src_" in path.name or
                  path.parent.name.startswith("lib"))


def of_src(name, where):
    """The path below the top directory; None if the file is not the project's source."""
    path = pathlib.Path(where, name).resolve()
    for top in (TOP, pathlib.Path("/kcrypto")):
        if path.is_relative_to(top / "src"):
            name = str(path.relative_to(top))
            return None if name.startswith(LEFT_OUT) else name
    return None


def collect(build, out):
    lines = collections.defaultdict(collections.Counter)
    functions = collections.defaultdict(collections.Counter)
    for path in objects(build):
        said = subprocess.run(["gcov", "--json-format", "--stdout", path], capture_output=True, check=True,
                              cwd=build).stdout
        for data in map(json.loads, said.splitlines()):
            for file in data["files"]:
                name = of_src(file["file"], data["current_working_directory"])
                if not name:
                    continue
                for line in file["lines"]:
                    lines[name][line["line_number"]] += line["count"]
                for f in file["functions"]:
                    functions[name][f["name"]] += f["execution_count"]
    pathlib.Path(out).write_text(json.dumps([lines, functions]))


def together(files):
    """Two tables: {source: {line or function: how often it ran}}."""
    sums = [collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)]
    for file in files:
        for table, more in zip(sums, json.loads(pathlib.Path(file).read_text())):
            for name, counts in more.items():
                table[name].update(counts)
    return sums


def reasons():
    """[(pattern of FILE/FUNCTION, or of FILE, why it never runs)], from lines 'PATTERN...: REASON'."""
    return [(pattern, why) for patterns, why in
            re.findall(r"^(?!#)(.+?): (.+)$", REASONS.read_text(), re.M) for pattern in patterns.split()]


def reason_of(name, known):
    return next((why for pattern, why in known if fnmatch.fnmatch(name, pattern)), None)


def report(files):
    lines, functions = together(files)
    folders = collections.defaultdict(lambda: [0, 0])
    for name, counts in lines.items():
        folder = folders[str(pathlib.Path(name).parent)]
        folder[0] += len(counts)
        folder[1] += sum(n > 0 for n in counts.values())
    for folder, (n, ran) in sorted(folders.items()):
        print(f"{folder:16} {n:6} lines {ran:6} run {100 * ran / n:6.1f} %")
    n, ran = map(sum, zip(*folders.values()))
    print(f"{'all':16} {n:6} lines {ran:6} run {100 * ran / n:6.1f} %")
    absent = [str(path.relative_to(TOP)) for path in sorted(TOP.glob("src/*/*.c"))]
    absent = [name for name in absent if name not in lines and not name.startswith(LEFT_OUT) and
              name in counted()]
    why, bad = reasons(), 0
    print("\nNever run:")
    for name, counts in sorted(functions.items()):
        for function in sorted(f for f, n in counts.items() if not n):
            reason = reason_of(f"{name}/{function}", why)
            print(f"  {name} {function}: {reason or 'NO REASON GIVEN'}")
            bad += not reason
    for name in absent:
        reason = reason_of(name, why)
        print(f"  {name}, not compiled: {reason or 'NO REASON GIVEN'}")
        bad += not reason
    return 1 if bad or ran < 0.9 * n else 0


def counted():
    """The files that contain code."""
    return [str(path.relative_to(TOP)) for path in TOP.glob("src/*/*.c") if "{\n\t" in path.read_text()]


if __name__ == "__main__":
    if sys.argv[1:2] == ["collect"]:
        collect(*sys.argv[2:])
    elif sys.argv[1:2] == ["report"]:
        sys.exit(report(sys.argv[2:]))
    else:
        sys.exit(__doc__)
