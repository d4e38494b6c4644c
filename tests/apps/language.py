# SPDX-License-Identifier: Apache-2.0
"""Python, Node.js and PHP: a script computes the same things again and again, and has to print what it
prints with software."""

import os
import subprocess

from app import HERE, SOFTWARE, Failed

ROUNDS = 6


def ask(process):
    process.stdin.write(b"\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise Failed(f"{process.args[0]} ended")
    return answer


def script(app, *argv):
    """The script answers each line that it reads with a line: bytes processed, and their hash."""
    argv = [*argv[:-1], os.path.join(HERE, argv[-1])]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    soft = app.start(argv, env=SOFTWARE, **pipes)
    ours = app.start(argv, **pipes)
    for i in range(ROUNDS):
        want, got = ask(soft), ask(ours)
        if got != want:
            raise Failed(f"round {i}: {got} and not {want}")
        app.bytes += int(want.split()[0])
        # In the second round everything is loaded already.
        if i:
            app.mark(argv[0], [ours.pid])
    for process in (soft, ours):
        process.stdin.close()
        process.stdout.close()


def python(app):
    script(app, "/usr/bin/python3", "in_python.py")


def node(app):
    app.kib = 32 << 10  # V8 collects its garbage late
    script(app, "node", "in_node.js")


def php(app):
    script(app, "php", "in_php.php")
