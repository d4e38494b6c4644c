#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The faults on command and the counters of the device that was started with DIR; see control.h.

usage: control.py DIR [NAME=VALUE|NAME=+VALUE|NAME]...

Sets values or prints them, all if none is named. fail_every, corrupt_from=+N: at the N-th request from
now; refuse_from=+N: the N-th session; any other value: so much more.

  control.py /run/cuse fail_errno=12 fail_every=+3
"""

import mmap
import os
import struct
import sys

ROW = struct.Struct("24sQ")
# The counter that a command's number refers to; without an entry, the command's own value.
COUNTED_BY = {"fail_every": "requests", "corrupt_from": "requests", "refuse_from": "sessions_asked"}


class Control:
    def __init__(self, directory):
        with open(os.path.join(directory, "control"), "r+b") as f:
            self.memory = mmap.mmap(f.fileno(), 0)
        names = (name.rstrip(b"\0").decode() for name, _ in ROW.iter_unpack(self.memory))
        self.at = {name: i * ROW.size + 24 for i, name in enumerate(names)}

    def __getitem__(self, name):
        return struct.unpack_from("Q", self.memory, self.at[name])[0]

    def __setitem__(self, name, value):
        struct.pack_into("Q", self.memory, self.at[name], value)

    def set(self, name, text):
        """Sets a value to a number, or to + and a number above the present count."""
        now = self[COUNTED_BY.get(name, name)] if text.startswith("+") else 0
        self[name] = now + int(text)


def main(directory, *words):
    control = Control(directory)
    for word in words:
        name, is_set, value = word.partition("=")
        if is_set:
            control.set(name, value)
        else:
            print(control[name])
    for name in () if words else control.at:
        print(name, control[name])


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] == "--help":
        sys.exit(__doc__)
    main(*sys.argv[1:])
