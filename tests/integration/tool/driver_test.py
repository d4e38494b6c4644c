#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto selftest DRIVER on a real kernel: a driver of this machine without a fault. Drivers with a fault
are in driver_faults_test.py and driver_accel_test.py.

usage: driver_test.py BUILD MACHINE"""

import sys
import threading
import unittest
from pathlib import Path

sys.path.append(sys.path[0] + "/..")
from case import TOOL, Case
from machine import BACKEND, HIDES_HARDWARE, MACHINE, only
from examined import bad, examined, rulings

SOFTWARE = "cbc(aes-lib)" if HIDES_HARDWARE else "cbc(aes-generic)"
DRIVER = {"qemu": "virtio_crypto_aes_cbc", "module": "virtio_crypto_aes_cbc",
          "cuse": "mv-cbc-aes"}.get(MACHINE, SOFTWARE)
# Checks that do not apply to this driver; its device does not save power.
ABSENT = {"counter wraps", "AAD lengths", "forged messages", "tag lengths", "after a rest"}


class Driver(Case):
    def ask(self, driver=DRIVER, *options):
        return examined(self, TOOL, driver, *options, env={"OPENSSL_CONF": self.cnf()})

    def test_a_driver_without_a_fault_is_reliable_and_was_asked_everything(self):
        code, page = self.ask()
        self.assertEqual((code, page["verdict"], bad(page)), (0, "reliable", set()), page["checks"])
        self.assertEqual([page[key] for key in ("driver", "kernel_name", "backend")],
                         [DRIVER, "cbc(aes)", BACKEND])
        self.assertEqual({c["check"] for c in page["checks"] if c["ruling"] == "not asked"}, ABSENT)
        self.assertTrue(all(c["requests"] > 0 for c in page["checks"]
                            if c["ruling"] == "right" and c["algorithm"]), page["checks"])
        self.assertEqual({c["algorithm"] for c in page["checks"]} - {None},
                         {"AES-128-CBC", "AES-192-CBC", "AES-256-CBC"})

    @only("qemu", "module")
    def test_its_interrupts_show_that_the_device_did_it(self):
        """If a disk or network card is busy by chance, the result stays unknown."""
        _, page = self.ask()
        texts = {c["text"] for c in page["checks"] if c["check"] == "interrupts"}
        for text in texts:
            self.assertRegex(text, r"^(one interrupt a request \(virtio\d+-virtqueues\)|"
                             r"unknown: another device interrupts meanwhile: )")
        self.assertTrue(any(text.startswith("one interrupt") for text in texts), texts)

    @only("uml")
    def test_a_fault_that_the_kernel_logs_meanwhile_is_found(self):
        def write():
            while not over.wait(0.2):
                Path("/dev/kmsg").write_text("<4>WARNING: CPU: 0 PID: 1 at a test\n")

        over = threading.Event()
        writer = threading.Thread(target=write)
        writer.start()
        try:
            code, page = self.ask()
        finally:
            over.set()
            writer.join()
        self.assertEqual((code, bad(page)), (1, {"kernel's log"}))
        self.assertEqual(page["checks"][-1]["text"], "WARNING: CPU: 0 PID: 1 at a test")

    @only("uml")
    def test_who_may_not_read_the_log_is_told_so(self):
        Path("/proc/sys/kernel/dmesg_restrict").write_text("1")
        r = self.run_(["setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all", TOOL,
                       "selftest", "--seconds", "1", DRIVER], env={"OPENSSL_CONF": "/dev/null"})
        self.assertRegex(r.stdout.decode(), r"\nok \d+ - kernel's log # SKIP /dev/kmsg: Operation not perm")

    @only("cuse")
    def test_a_driver_that_a_session_does_not_get_is_not_asked(self):
        for driver in ("mv-cbc-des3-ede", "cbc(aes-generic)"):
            code, page = self.ask(driver, "--backend", "devcrypto")
            if driver == "cbc(aes-generic)":
                self.assertEqual((code, page), (2, None))
            else:
                self.assertEqual((code, rulings(page, "lengths")), (0, {"right"}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
