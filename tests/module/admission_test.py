#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A driver that /dev/kcrypto does not admit, and the doctor's command that admits it.

usage: admission_test.py BUILD KCRYPTO_KO ACCEL_KO, inside a QEMU machine.
"""

import json
import os
import subprocess
import sys
import unittest

BUILD, KCRYPTO, ACCEL = sys.argv[1:4]
# IBM's nx: a synchronous driver without any flag, which only its name tells to be hardware.
FACE = ["name=%m-%c-nx", "async=0", "kern_driver_only=0", "algs=cbc", "priority=5000"]


def doctor():
    told = subprocess.run([f"{BUILD}/kcrypto", "doctor", "--json"], stdout=subprocess.PIPE, text=True,
                          env=os.environ | {"OPENSSL_CONF": f"{BUILD}/tests/cnf/hardware.cnf"})
    return {f["word"]: f for f in json.loads(told.stdout)["findings"]}


class Admission(unittest.TestCase):
    def setUp(self):
        for module in [ACCEL, *FACE], [KCRYPTO]:
            subprocess.check_call(["insmod", *module])

    def tearDown(self):
        for name in "kcrypto", "accel":
            subprocess.check_call(["rmmod", name])

    def test_the_doctors_command_admits_a_driver(self):
        found = doctor()["not-admitted"]
        self.assertEqual(found["text"], "/dev/kcrypto does not admit cbc-aes-nx")
        command = found["fix"].split(";")[0].replace("sudo ", "")
        self.assertEqual(command, "echo cbc-aes-nx | tee /sys/module/kcrypto/parameters/drivers")
        subprocess.check_call(command, shell=True, stdout=subprocess.DEVNULL)
        self.assertNotIn("not-admitted", doctor())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
