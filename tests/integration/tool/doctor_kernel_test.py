#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto doctor on a running kernel: chains that hold, and links that are broken for real.

usage: doctor_kernel_test.py BUILD MACHINE, see machine.py.
"""

import glob
import json
import os
import platform
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.append(sys.path[0] + "/..")
from case import BUILD, CLEAN, ENC_256, SANDBOXED, TOOL, Case
from machine import ADMIT, only

LINES = (*ADMIT, "ciphers = AES-256-CBC:0", "tune_file = none")
VIRTIO = "/sys/bus/virtio/drivers/virtio_crypto/"


class Doctor(Case):
    def told(self, *command, lines=LINES, inside=()):
        r = subprocess.run([*inside, TOOL, "doctor", "--json", *(["--", *command] if command else [])],
                           env=CLEAN | {"OPENSSL_CONF": self.cnf(*lines)}, capture_output=True,
                           text=True, check=False)
        report = json.loads(r.stderr if command else r.stdout)
        return r.returncode, report, {f["word"]: f for f in report["findings"]}

    def test_nothing_is_broken_where_requests_go_to_the_kernel(self):
        code, report, _ = self.told(*ENC_256, "-in", "/bin/sh", "-out", "/dev/null")
        self.assertEqual((code, report["first"]), (0, None))
        self.assertGreater(report["run"]["algorithms"][0]["kernel"][0]["requests"], 0)
        self.assertRegex(report["findings"][-1]["text"], r"the kernel did \d+ of the command's requests")

    @only("uml")
    def test_a_machine_without_an_accelerator_is_told_so_and_not_called_broken(self):
        code, _, words = self.told(lines=("tune_file = none",))
        self.assertEqual((code, words["no-hardware"]["state"]), (0, "note"))

    @only("uml")
    def test_a_file_that_is_mounted_by_itself_gets_no_command(self):
        """Such a file, like a container's, cannot be replaced from within."""
        path = self.write("openssl.cnf", "# nothing\n")
        env = CLEAN | {"OPENSSL_CONF": path, "OPENSSL_MODULES": BUILD}

        def call(*words):
            return subprocess.run([TOOL, *words], env=env, capture_output=True, text=True, check=False)

        def command():
            return json.loads(call("doctor", "--json").stdout)["first"]["command"]

        self.assertIn("config enable", command())
        subprocess.run(["mount", "--bind", path, path], check=True)
        try:
            self.assertIsNone(command())
            r = call("config", "enable", "--config", path)
            self.assertEqual(r.returncode, 1)
            self.assertIn("it is mounted there by itself", r.stderr)
        finally:
            subprocess.run(["umount", path], check=True)
        self.assertEqual(call("config", "enable", "--config", path).returncode, 0)

    @only("uml")
    def test_a_filter_is_told_from_a_kernel_without_af_alg(self):
        lines = (*LINES, "seccomp = trust")
        for cage in ("family-forbidden", "family-deadly"):
            code, report, _ = self.told(lines=lines, inside=[SANDBOXED, cage, "--"])
            self.assertEqual((code, report["first"]["word"]), (1, "filtered"), report["findings"])

    @only("uml")
    def test_a_kernel_without_the_module_is_told_from_a_filter(self):
        back = self.modprobe()
        subprocess.run("rmmod algif_skcipher algif_hash algif_aead af_alg", shell=True,
                       capture_output=True, check=False)
        self.assertFalse(os.path.exists("/sys/module/af_alg"))
        # Where the kernel's modules are in another place, doctor cannot know.
        word = "not-built" if os.path.isdir("/lib/modules/" + platform.release()) else "modules-absent"
        code, report, _ = self.told()
        self.assertEqual((code, report["first"]["word"]), (1 if word == "not-built" else 2, word))
        # Without an accelerator, the missing driver matters only where software is asked for.
        code, _, words = self.told(lines=("tune_file = none",))
        self.assertEqual((code, words[word]["state"]), (0, "note"))
        back()
        self.assertEqual(self.told()[0], 0)

    @only("qemu", "module")
    def test_a_device_that_lost_its_driver_is_told(self):
        device, = (os.path.basename(d) for d in glob.glob(VIRTIO + "virtio*"))
        Path(VIRTIO + "unbind").write_text(device)
        try:
            code, report, _ = self.told()
            self.assertEqual((code, report["first"]["word"]), (1, "no-driver-bound"))
            self.assertIn(device, report["first"]["text"])
            self.assertEqual(report["first"]["fix"], "modprobe virtio_crypto")
        finally:
            Path(VIRTIO + "bind").write_text(device)
        self.assertEqual(self.told()[0], 0)


class Verdict(Case):
    """kcrypto without a command, from a build that is not installed."""

    def verdict(self):
        env = {k: v for k, v in CLEAN.items() if k != "OPENSSL_MODULES"} | {
            "OPENSSL_CONF": self.write("empty.cnf", "")}
        return subprocess.run([TOOL], env=env, capture_output=True, text=True, check=True).stdout

    @only("qemu")
    def test_the_accelerator_is_named_and_measured(self):
        """Which of the two is faster depends on the machine."""
        said = self.verdict()
        self.assertIn("virtio_crypto_aes_cbc", said)
        self.assertRegex(said, r"gain +(AES-[0-9]+-CBC in requests of|none with AES-[0-9]+-CBC)")
        self.assertRegex(said, r"next +sudo make install\n")

    @only("uml")
    def test_software_is_no_accelerator(self):
        said = self.verdict()
        self.assertRegex(said, r"accelerator +none that this kernel knows\n")
        self.assertRegex(said, r"gain +none: software does everything\n")


class Keys(Case):
    @only("uml")
    def test_keys_of_the_keyring_are_taken_from_linux_6_2_on(self):
        told = subprocess.run([TOOL, "keys", "--json"], env=CLEAN, capture_output=True, text=True,
                              check=True).stdout
        types = {row["type"]: row["taken"] or row["why"] for row in json.loads(told)["types"]}
        is_new = tuple(map(int, platform.release().split("-")[0].split(".")[:2])) >= (6, 2)
        for name in ("user", "logon"):
            if is_new:
                self.assertIs(types[name], True)
            else:
                self.assertIn("it needs Linux 6.2", types[name])


if __name__ == "__main__":
    import sys
    unittest.main(argv=sys.argv[:1], verbosity=2)
