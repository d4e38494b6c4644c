#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each file has one licence, in its head or in REUSE.toml; debian/copyright gives the same one, and its
text is here."""

import fnmatch
import re
import subprocess
import sys
import tomllib
from pathlib import Path

TAG = "SPDX-License-" + "Identifier"  # in two parts, or a linter takes it for this file's
SPDX = re.compile(TAG + r": ([\w.-]+(?: (?:WITH|OR) [\w.-]+)?)")


def debian():
    """(pattern, licence) of each file of debian/copyright; the last one that matches counts."""
    stanzas = Path("packaging/debian/copyright").read_text().split("\n\n")
    return [(p, re.search("^License: (.*)", s, re.M)[1]) for s in stanzas if s.startswith("Files: ")
            for p in re.match("Files: (.*)", s)[1].split()]


def last(rows, name):
    return next((licence for p, licence in reversed(rows) if fnmatch.fnmatch(name, p)), None)


def main():
    with open("REUSE.toml", "rb") as f:
        named = [(p.replace("**/", "*").replace("**", "*"), a[TAG])
                 for a in tomllib.load(f)["annotations"] if TAG in a for p in a["path"]]
    found, bad, packaged = set(), [], debian()
    for name in subprocess.run(["git", "ls-files"], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        path = Path(name)
        if path.is_symlink() or name.startswith("LICENSES/") or not path.exists():
            continue
        head = SPDX.search("\n".join(path.read_text(errors="replace").split("\n", 3)[:3]))
        licence = head[1] if head else last(named, name)
        if licence is None:
            bad.append(f"{name}: no licence in its first three lines, and none in REUSE.toml")
            continue
        found.update(re.split(" WITH | OR ", licence))
        said = re.sub(" WITH (.*)", r" with \1 exception", licence).replace(" OR ", " or ")
        if last(packaged, name) != said:
            bad.append(f"{name}: {licence}, but {last(packaged, name)} in packaging/debian/copyright")
    texts = {p.stem for p in Path("LICENSES").iterdir()}
    bad += [f"LICENSES/{n}.txt: the text is missing, or no file is under it" for n in found ^ texts]
    print("\n".join(bad), end="\n" * bool(bad))
    return bool(bad)


sys.exit(main())
