#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each function that a header of src/ or kernel/ declares, and each tracepoint, has a comment:
directly above it, or above its group, beginning with its name or the name's last word ("NAME_find(): ..."
or "find: ..."). A blank line ends a group."""

import glob
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
MARK = "\x01"  # instead of a comment
FUNCTION = re.compile(r"(?m)^(?![\s#}\x01]|typedef|extern|_Static_assert|static_assert)[^\n;{}=]*?\b(\w+)"
                      r"\([^;{}]*\)\s*(?:;|\n\{)")

EXAMPLE = """
/* Finds it. free: NULL is fine. */
int kc_x_find(void);
void kc_x_free(void *x);
/* Takes
 * two lines. */
void kc_x_open(int a,
	       int b);
void kc_x_bare(void);

static inline int kc_x_inline(void)
{
	return 0;
}
"""


def bare(text):
    """The functions without a comment."""
    for group in re.split(r"\n\s*\n", text):
        words = " ".join(COMMENT.findall(group))
        code = COMMENT.sub(MARK, group)
        for function in FUNCTION.finditer(code):
            name = function[1]
            is_named = re.search(rf"\b({name}|{name.split('_')[-1]})\b", words)
            if not is_named and not code[: function.start()].rstrip().endswith(MARK):
                yield name


def main():
    if list(bare(EXAMPLE)) != ["kc_x_bare", "kc_x_inline"]:
        print("tests/headers.py misjudges its own example", file=sys.stderr)
        return 1
    bad = 0
    for path in sorted(glob.glob("src/**/*.h", recursive=True) + glob.glob("kernel/**/*.h", recursive=True)):
        for name in bare(open(path).read()):
            print(f"{path}: {name}() has no comment", file=sys.stderr)
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
