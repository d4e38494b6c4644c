#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many conditions a statement of the code joins, and how many functions share a name.

usage: density.py [-v]. Fails if a part of the tree is above its LIMITS: per 1,000 lines of code, how often
'?:' is used, and how many statements join three or more conditions; the per cent of returns that compute a
condition; the per cent of static functions whose name another file of the same module uses, too. No
function may have more than 40 lines, or an #if among them. -v prints the figures."""

import collections
import glob
import re
import sys

LIMITS = {"?:": 12.0, "joined": 2.0, "returns": 8.0, "namesakes": 5.0, "long": 0, "#if": 0}
LONGEST = 40  # lines between the braces

PARTS = {
    "src without src/cli": lambda path: path.startswith("src/") and not path.startswith("src/cli/"),
    "src/cli": lambda path: path.startswith("src/cli/"),
    "kernel": lambda path: path.startswith("kernel/"),
}

# Each part is linked into a module of its own; no module has two of them.
EDGES = ["src/provider/", "src/engine/", "src/keys/"]

TOKEN = re.compile(r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*'""", re.S | re.X)
BODY = re.compile(r"^\{\n(.*?)^\}$", re.M | re.S)
DEFINITION = re.compile(r"^static\b[^;={}]*?(\w+)\s*\((?:[^;{}]*)\)\s*\{", re.M)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")

EXAMPLE = '''
static __attribute__((noinline)) int one(int a) /* a ? b : c */
{
	if (a && !a && a && a)
		return a || '?';
#ifdef A /* { */
	puts("a ? b : c && d");
#endif
	return a ? 1 : 2;
}

static const int table[] = { 1, 2 };
'''


def bare(text):
    """The code without comments, and with empty literals."""
    def instead(token):
        return token[0][0] * 2 if token[0][0] in "\"'" else " "
    return TOKEN.sub(instead, text)


def edge_of(path):
    return next((edge for edge in EDGES if path.startswith(edge)), None)


def are_linked(a, b):
    """Whether one module may contain both files."""
    return not edge_of(a) or not edge_of(b) or edge_of(a) == edge_of(b)


class Figures:
    def __init__(self):
        self.lines = self.choices = self.joined = self.returns = self.computed = 0
        self.long = self.conditional = 0
        self.owners = collections.defaultdict(set)

    def add(self, path, text):
        code = bare(text)
        self.lines += sum(bool(line.strip()) for line in code.splitlines())
        self.choices += code.count("?") - code.count("?:")
        for statement in re.split("[;{}]", code):
            self.joined += len(re.findall(r"&&|\|\|", statement)) >= 3
        for result in re.findall(r"\breturn\b([^;]*);", code):
            self.returns += 1
            self.computed += bool(re.search(r"&&|\|\||\?", result))
        for body in BODY.findall(text):
            self.long += body.count("\n") > LONGEST
            self.conditional += bool(re.search(r"^\s*#\s*if", body, re.M))
        for name in DEFINITION.findall(ATTRIBUTE.sub("", code)):
            self.owners[name].add(path)

    def namesakes(self):
        """The files that define a function, for each name that two files of a module define."""
        found = {}
        for name, files in self.owners.items():
            shared = {a for a in files for b in files if a != b and are_linked(a, b)}
            if shared:
                found[name] = shared
        return found

    def shares(self):
        functions = sum(map(len, self.owners.values()))
        return {
            "?:": 1000 * self.choices / max(self.lines, 1),
            "joined": 1000 * self.joined / max(self.lines, 1),
            "returns": 100 * self.computed / max(self.returns, 1),
            "namesakes": 100 * sum(map(len, self.namesakes().values())) / max(functions, 1),
            "long": self.long,
            "#if": self.conditional,
        }


def is_sound():
    """Whether this program counts its own example right."""
    f = Figures()
    f.add("example", EXAMPLE)
    f.add("another", EXAMPLE.replace("{\n", "{\n" + "\n" * LONGEST, 1))
    return (f.choices, f.joined, f.returns, f.computed, f.long, f.conditional, f.namesakes()) == (
        2, 2, 4, 4, 1, 2, {"one": {"example", "another"}})


def main():
    if not is_sound():
        print("tests/density.py miscounts its own example", file=sys.stderr)
        return 1
    bad = 0
    paths = [p for p in glob.glob("src/**/*.c", recursive=True) + glob.glob("kernel/**/*.c", recursive=True)
             if "/tests/" not in p]
    for part, is_in in PARTS.items():
        f = Figures()
        for path in filter(is_in, paths):
            f.add(path, open(path, errors="replace").read())
        if "-v" in sys.argv[1:]:
            print(f"{part:20} {f.lines:6} lines  " + "  ".join(f"{k} {v:.1f}" for k, v in f.shares().items()))
        for what, share in f.shares().items():
            if share > LIMITS[what]:
                print(f"{part}: {what} {share:.1f}, and {LIMITS[what]:g} is the most", file=sys.stderr)
                if what == "namesakes":
                    print("\n".join(f"  {n}: {' '.join(sorted(p))}" for n, p in sorted(f.namesakes().items())),
                          file=sys.stderr)
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
