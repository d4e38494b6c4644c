#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which drivers /dev/kcrypto admits: those that programs take for hardware, and those that root names.

usage: admission_test.py BUILD KCRYPTO_KO ACCEL_KO, inside a QEMU machine."""

import json
import os
import subprocess
import sys
import unittest

BUILD, KCRYPTO, ACCEL = sys.argv[1:4]
# A synchronous driver without flags and with an unknown name.
UNHEARD_OF = ["name=%m-%c-unheard", "async=0", "kern_driver_only=0", "algs=cbc", "priority=5000"]

# Names of ciphers and digests; KERN_DRIVER_ONLY and ASYNC, as in the drivers' sources.
K, A = 1, 2
ENGINES = [
    ("mv-%m-%c", "mv-%h", K | A), ("%m-%c-caam", "%h-caam", K | A), ("%m-%c-ccp", "%h-ccp", K | A),
    ("%m-%c-talitos", "%h-talitos", A), ("safexcel-%m-%c", "safexcel-%h", K | A),
    ("%m-%c-qce", "%h-qce", K | A), ("atmel-%m-%c", "atmel-%h", K | A),
    ("%m-%c-omap", "omap-%h", K | A), ("%m-%c-sa2ul", "%h-sa2ul", K | A),
    ("stm32-%m-%c", "stm32-%h", A), ("aspeed-%m-%c", "aspeed-%h", K | A),
    ("%m-%c-geode", None, K), ("%m-%c-sun4i-ss", "%h-sun4i-ss", K), ("%m-%c-nx", "%h-nx", 0),
    ("no-%m-%c", "%h-sun4i-ss", 0), ("%m-%c-sun4i-ss", "zynqmp-%h", K), ("no-%m-%c", "img-%h", A),
    ("%m-%c-sun8i-ce", "%h-sun8i-ce", A), ("%m-%c-sun8i-ss", "%h-sun8i-ss", A),
    ("%m-%c-rk", "rk-%h", A), ("%m-%c-dcp", "%h-dcp", A), ("sahara-%m-%c", "sahara-%h", A),
    ("%m-%c-gxl", None, A), ("virtio_crypto_%c_%m", None, A), ("qat_%c_%m", None, A),
    ("hisi_sec_%c_%m", None, A), ("cpt_%m_%c", None, A), ("%m-%c-chcr", "%h-chcr", A),
    # Drivers that are no hardware.
    ("%m-%c-ce", "%h-ce", A), ("%m-%c-neonbs", "%h-neon", A), ("%m-%c-aesni-accel", None, A),
    ("%m-%c-unheard", "%h-unheard", 0), ("p8_aes_%m", "%h-s390", 0),
]


# Over AF_ALG, these drivers leave digests to software; see kernel/include/kcrypto_drivers.h.
LEFT_TO_SOFTWARE = {"img-sha256", "rk-sha256", "sha256-sa2ul", "sha256-sun8i-ce", "sha256-sun8i-ss",
                    "zynqmp-sha256"}


def load(*face):
    for module in [ACCEL, *face], [KCRYPTO]:
        subprocess.check_call(["insmod", *module])


def ask(*words, conf=f"{BUILD}/tests/cnf/hardware.cnf"):
    told = subprocess.run([f"{BUILD}/kcrypto", *words, "--json"], stdout=subprocess.PIPE, text=True,
                          env=os.environ | {"OPENSSL_CONF": conf})
    return json.loads(told.stdout)


def doctor(**how):
    return {f["word"]: f for f in ask("doctor", **how)["findings"]}


def unload():
    for name in "kcrypto", "accel":
        subprocess.check_call(["rmmod", name])


def natures():
    """The rows for which each backend has hardware by name, with the driver."""
    found = {"AF_ALG": set(), "/dev/kcrypto": set()}
    for row in ask("list", "--no-trial")["algorithms"]:
        if row["backend"] in found and row["kind"] == "hardware?":
            found[row["backend"]].add((row["name"], row["driver"]))
    return found


class Admission(unittest.TestCase):
    def test_the_doctors_command_admits_a_driver(self):
        load(*UNHEARD_OF)
        self.addCleanup(unload)
        with open(f"{BUILD}/tests/cnf/hardware.cnf") as f, open("/run/named.cnf", "w") as conf:
            conf.write(f.read().replace("soft_drivers",
                                        "driver.AES-128-CBC = cbc-aes-unheard\nsoft_drivers"))
        found = doctor(conf="/run/named.cnf")["not-admitted"]
        self.assertEqual(found["text"], "/dev/kcrypto does not admit cbc-aes-unheard")
        command = found["fix"].split(";")[0].replace("sudo ", "")
        self.assertEqual(command,
                         "echo cbc-aes-unheard | tee /sys/module/kcrypto/parameters/drivers")
        subprocess.check_call(command, shell=True, stdout=subprocess.DEVNULL)
        self.assertNotIn("not-admitted", doctor(conf="/run/named.cnf"))

    def test_device_and_programs_admit_the_same_drivers_of_every_engine(self):
        seen = 0
        for cipher, digest, flags in ENGINES:
            load(f"name={cipher}", f"hash_name={digest or '%h-none'}", "priority=5000",
                 "hash_priority=5000", f"async={flags // A}", f"kern_driver_only={flags % A}",
                 "algs=cbc,sha256" if digest else "algs=cbc")
            with self.subTest(cipher=cipher, digest=digest, flags=flags):
                found = natures()
                self.assertLessEqual(found["AF_ALG"], found["/dev/kcrypto"])
                more = found["/dev/kcrypto"] - found["AF_ALG"]
                self.assertLessEqual({driver for _, driver in more}, LEFT_TO_SOFTWARE)
                seen += bool(found["AF_ALG"])
            unload()
        self.assertGreaterEqual(seen, 28)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
