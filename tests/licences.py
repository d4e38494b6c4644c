#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each file says under which licence it is, or REUSE.toml does; and each licence's text is there."""

import fnmatch
import re
import subprocess
import sys
import tomllib
from pathlib import Path

TAG = "SPDX-License-" + "Identifier"  # in two parts, or a linter takes it for this file's
SPDX = re.compile(TAG + r": ([\w.-]+(?: WITH [\w.-]+)?)")


def main():
    with open("REUSE.toml", "rb") as f:
        named = [p.replace("**/", "*").replace("**", "*") for a in tomllib.load(f)["annotations"]
                 if TAG in a for p in a["path"]]
    found, bad = set(), []
    for name in subprocess.run(["git", "ls-files"], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        path = Path(name)
        if path.is_symlink() or name.startswith("LICENSES/") or not path.exists():
            continue
        head = SPDX.search("\n".join(path.read_text(errors="replace").split("\n", 3)[:3]))
        if head:
            found.update(head[1].split(" WITH "))
        elif not any(fnmatch.fnmatch(name, p) for p in named):
            bad.append(f"{name}: no licence in its first three lines, and none in REUSE.toml")
    texts = {p.stem for p in Path("LICENSES").iterdir()}
    bad += [f"LICENSES/{n}.txt: the text is missing, or no file is under it" for n in found ^ texts]
    print("\n".join(bad), end="\n" * bool(bad))
    return bool(bad)


sys.exit(main())
