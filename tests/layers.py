#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the arrows of HACKING.md: which folder of src/ includes which, that no two files include
each other, directly or in a circle, and that no name stands for two structs. A file is NAME.c and
NAME.h together."""

import collections
import glob
import re
import sys

CORE = ["core", "policy", "stats", "session", "offload", "request"]  # each sees those before it

SEES = {room: CORE[:i] for i, room in enumerate(CORE)}
SEES["policy"] = SEES["stats"] = ["core"]
SEES["discovery"] = ["core"]
SEES["kernel"] = ["core", "discovery"]
SEES["base"] = CORE
SEES["keys"] = CORE + ["base"]
SEES["provider"] = CORE + ["base"]
SEES["engine"] = CORE + ["base"]
SEES["cli"] = CORE + ["base", "engine", "keys"]

# What only some folders may know of the system.
OPENSSL = ["base", "keys", "provider", "engine", "cli"]
SYSTEM = ["kernel", "cli"]


def units():
    """Each file's name, without folder src/ and ending, and which files of src/ it includes."""
    found, problems = {}, []
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True)):
        name, room = path[4:-2], path.split("/")[1]
        text = open(path).read()
        ours = set(re.findall(r'#include "([^"]+)\.h"', text)) - {name}
        found.setdefault(name, set()).update(ours)
        for other in sorted({o.split("/")[0] for o in ours} - {room}):
            if other not in SEES[room]:
                problems.append(f"{path} knows {other}")
        if room not in OPENSSL and "#include <openssl/" in text:
            problems.append(f"{path} knows OpenSSL")
        if room not in SYSTEM and re.search(r"#include <(linux/|sys/socket|sys/ioctl)", text):
            problems.append(f"{path} includes a header of Linux, sockets or ioctls")
    return found, problems


def circles(includes):
    """Every file from which a walk along the includes comes back to it."""
    for start in sorted(includes):
        seen, left = set(), list(includes[start])
        while left:
            name = left.pop()
            if name == start:
                yield start
                break
            if name not in seen:
                seen.add(name)
                left.extend(includes.get(name, ()))


def doubles():
    """Names that stand for more than one struct, union or enum."""
    found = collections.Counter()
    for path in glob.glob("src/**/*.[ch]", recursive=True):
        found.update(re.findall(r"(?m)^(?:struct|union|enum) (\w+) \{", open(path).read()))
    return [name for name, times in found.items() if times > 1]


def main():
    includes, problems = units()
    problems += [f"{name} is the name of more than one struct" for name in doubles()]
    problems += [f"src/{name} is in a circle of includes" for name in circles(includes)]
    rooms = set(glob.glob("src/*/")) | set(glob.glob("src/*/*/"))
    problems += [f"{room} has more than 20 files" for room in sorted(rooms)
                 if len(glob.glob(room + "*.*")) > 20]
    for problem in problems:
        print(problem, file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
