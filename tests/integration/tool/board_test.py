#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the tool says of a machine, from another machine's files: doctor reads them below KCRYPTO_ROOT.

usage: board_test.py BUILD"""

import json
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import TOOL, Case

# The files below a root; the board, the SoC and the instructions.
MACHINES = (
    ({"proc/device-tree/model": "Linksys WRT1900ACS\0",
      "proc/device-tree/compatible": "linksys,shelby\0marvell,armada385\0marvell,armada380\0",
      "proc/cpuinfo": "model name\t: ARMv7\nFeatures\t: half thumb vfpv3\n"},
     ["Linksys WRT1900ACS", "marvell,armada380", []]),
    ({"sys/class/dmi/id/product_name": "PowerEdge\n",
      "proc/cpuinfo": "processor\t: 0\nmodel name\t: Xeon\nflags\t\t: fpu sha aes sha_ni\n"
                      "\nprocessor\t: 1\nflags\t\t: fpu sm4\n"},
     ["PowerEdge", "Xeon", ["aes", "sha_ni"]]),
    ({"proc/cpuinfo": "cpu\t\t: POWER8\n"}, [None, None, None]),
)


class Machine(Case):
    def test_a_machine_is_described_by_its_files(self):
        for i, (files, said) in enumerate(MACHINES):
            for path, text in files.items():
                self.write(f"{i}/{path}", text)
            r = self.run_([TOOL, "doctor", "--json"], ok=False,
                          env={"KCRYPTO_ROOT": self.path(str(i)), "OPENSSL_CONF": "/dev/null"})
            page = json.loads(r.stdout)
            self.assertEqual([page[key] for key in ("board", "soc", "cpu_instructions")], said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
