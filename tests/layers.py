#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the arrows of HACKING.md: which folder of src/ includes which, that no two files include
each other, directly or in a circle, and that no name stands for two structs. A file is NAME.c and
NAME.h together. Questions (is_, has_, may_, can_) take const pointers.

usage: layers.py [BUILD]. With BUILD, what the linker sees is checked, too: no two files use each
other's functions or data, directly or in a circle, and what NAME.c defines NAME.h declares."""

import collections
import glob
import os
import re
import subprocess
import sys

CORE = ["core", "policy", "stats", "session", "offload", "request"]  # each may include those before it

SEES = {room: CORE[:i] for i, room in enumerate(CORE)}
SEES["policy"] = SEES["stats"] = ["core"]
SEES["discovery"] = ["core"]
SEES["kernel"] = ["core", "discovery"]
SEES["base"] = CORE
SEES["keys"] = CORE + ["base"]
SEES["provider"] = CORE + ["base"]
SEES["engine"] = CORE + ["base"]
SEES["cli"] = CORE + ["base", "engine", "keys"]

# System interfaces that only some folders may use.
OPENSSL = ["base", "keys", "provider", "engine", "cli"]
SYSTEM = ["kernel", "cli"]

# Headers that other folders implement, and the header of every command.
CONTRACTS = ["core/base", "core/backend", "cli/cli"]
# The functions of a kind are spread over files, each with an idea of its own; these headers declare
# them.
DECLARED_IN = {
    "keys/message": ["keys/aead"], "keys/update": ["keys/cipher"], "keys/wrapped": ["keys/keyed"],
    "request/cipher_update": ["request/cipher"], "request/detour": ["request/cipher"],
    "request/pieces": ["request/cipher"],
    "policy/choice": ["policy/terms"], "policy/rest": ["policy/terms"],
    "provider/aead": ["provider/rows"], "provider/cipher": ["provider/rows"], "provider/hash": ["provider/rows"],
    "provider/provider": ["provider/conf_module"], "cli/list/summary": ["cli/list/offers"],
    "cli/config/fix": ["cli/config/repair"], "engine/dump_info": ["engine/engine_ids"],
}
# Names of the dynamic linker, and the table of backends, which the build generates.
NOT_OURS = {"main", "OSSL_provider_init", "OPENSSL_init", "OPENSSL_finish", "bind_engine", "v_check",
            "kc_afalg", "kc_devcrypto", "kc_device"}


def units():
    """Each file's name, without src/ and suffix, and the files of src/ that it includes."""
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
    """Every file from which a walk along the includes returns to it."""
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
    """Names of more than one struct, union or enum."""
    found = collections.Counter()
    for path in glob.glob("src/**/*.[ch]", recursive=True):
        found.update(re.findall(r"(?m)^(?:struct|union|enum) (\w+) \{", open(path).read()))
    return [name for name, times in found.items() if times > 1]


def code_of(path):
    return re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)


def acting_questions():
    """Functions with a question's name that could change their argument. A FILE is never const."""
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True)):
        for name, args in re.findall(r"(?m)^[\w ]*?\b((?:\w+_)?(?:is|has|may|can)_\w+)\(([^;{]*?)\)\s*[;{]",
                                     code_of(path)):
            if any("*" in arg and "FILE" not in arg and not re.search(r"\bconst\b", arg) for arg in args.split(",")):
                yield f"{path}: {name}() is a question, and takes a pointer that is not const"


def symbols(build):
    """The linker's names that each file of src defines, and those that it needs."""
    defined, needed = {}, {}
    names = {path[4:-2].replace("/", "_"): path[4:-2] for path in glob.glob("src/**/*.c", recursive=True)}
    for path in sorted(glob.glob(f"{build}/*.p/src_*.o") + glob.glob(f"{build}/src/**/*.o", recursive=True)):
        room = os.path.relpath(os.path.dirname(os.path.dirname(path)), f"{build}/src")
        stem = os.path.basename(path)[:-len(".c.o")]
        name = names.get(stem[4:] if stem.startswith("src_") else f"{room}/{stem}".replace("/", "_"))
        if not name:
            continue
        for *_, kind, symbol in map(str.split, subprocess.check_output(["nm", path], text=True).splitlines()):
            if kind == "U":
                needed.setdefault(name, set()).add(symbol)
            elif kind in "TDRBVW":
                defined.setdefault(name, set()).add(symbol)
    return defined, needed


def calls(defined, needed):
    """Which file uses functions or data of which other files."""
    owners = collections.defaultdict(set)
    for name, those in defined.items():
        for symbol in those:
            owners[symbol].add(name)
    return {name: {owner for symbol in those for owner in owners.get(symbol, ())} - {name}
            for name, those in needed.items()}


def undeclared(defined):
    """Symbols that NAME.c defines and that are declared neither in NAME.h, nor in a header whose name NAME
    begins with, nor in its directory's headers: the one with the directory's name, and CONTRACTS."""
    for name, those in sorted(defined.items()):
        room, stem = name.rsplit("/", 1)
        parts = stem.split("_")
        places = [f"{room}/" + "_".join(parts[:n]) for n in range(1, len(parts) + 1)]
        places += [f"{room}/{os.path.basename(room)}", *CONTRACTS, *DECLARED_IN.get(name, ())]
        text = "".join(code_of(f"src/{p}.h") for p in places if os.path.exists(f"src/{p}.h"))
        for symbol in sorted(those - NOT_OURS):
            if not re.search(rf"\b{symbol}\b", text):
                yield f"src/{name}.c defines {symbol}, and its header does not declare it"


def main():
    includes, problems = units()
    problems += acting_questions()
    problems += [f"{name} is the name of more than one struct" for name in doubles()]
    problems += [f"src/{name} is in a circle of includes" for name in circles(includes)]
    for build in sys.argv[1:]:
        defined, needed = symbols(build)
        problems += [f"src/{name} is in a circle of calls" for name in circles(calls(defined, needed))]
        problems += undeclared(defined)
    rooms = set(glob.glob("src/*/")) | set(glob.glob("src/*/*/"))
    problems += [f"{room} has more than 20 files of code" for room in sorted(rooms)
                 if len(glob.glob(room + "*.[ch]")) > 20]
    for problem in problems:
        print(problem, file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
