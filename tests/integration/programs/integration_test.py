#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The installed pieces on a running kernel: openssl, python3-cryptography and the tool.

usage: integration_test.py BUILD MACHINE, see machine.py.

Counters are the provider's (KCRYPTO_STATS); if strace or an interrupt line is available, they are compared
with the kernel's own view."""

import os
import re
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import BUILD, ENC_128, ENC_256, IV, KEY, TOOL, Case, stats, unwrapped
from machine import ADMIT, HIDES_HARDWARE, MACHINE, only
from player import AES_CBC, ALL, PLAY, Player, always

# The request of /dev/crypto, as strace prints it.
CIOCCRYPT = "_IOC(_IOC_READ|_IOC_WRITE, 0x63, 0x68, "
CBC = "ciphers = AES-256-CBC:0"

# An unmodified python3-cryptography: encrypts 3 MiB in 64 KiB pieces, prints the SHA-256.
CRYPTOGRAPHY = """
import hashlib
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
e = Cipher(algorithms.AES(bytes.fromhex("%s")), modes.CBC(bytes.fromhex("%s"))).encryptor()
h = hashlib.sha256()
for i in range(48):
    h.update(e.update(bytes([i]) * 65536))
h.update(e.finalize())
print(h.hexdigest())
""" % (KEY, IV)


# 1 MiB and a bit more in one piece, encrypted and decrypted.
LARGE = """
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
aes = Cipher(algorithms.AES(bytes.fromhex("%s")), modes.CBC(bytes.fromhex("%s")))
data = bytes(range(256)) * 4097
e, d = aes.encryptor(), aes.decryptor()
text = e.update(data) + e.finalize()
assert d.update(text) + d.finalize() == data
""" % (KEY, IV)


class Kernels(Case):
    def encrypt(self, *lines, data=b"x" * 65536):
        """The openssl command's output for this data. Requests to the kernel do all of it."""
        return self.run_(ENC_256, self.cnf(*ADMIT, CBC, *lines), data)


class Programs(Kernels):
    def test_python_cryptography_gets_the_same_bytes_and_the_kernel_did_them(self):
        soft = self.run_(["/usr/bin/python3", "-c", CRYPTOGRAPHY]).stdout
        ours = self.run_(["/usr/bin/python3", "-c", CRYPTOGRAPHY],
                         self.cnf(*ADMIT, CBC)).stdout
        self.assertEqual(soft, ours)
        self.assertGreater(self.requests("AES-256-CBC"), 20)

    def test_openssl_enc_reads_what_it_wrote_and_what_software_wrote(self):
        data = os.urandom(100_001)
        soft = self.run_(ENC_256, None, data).stdout
        self.assertEqual(self.encrypt(data=data).stdout, soft)
        self.assertEqual(self.run_([*ENC_256, "-d"], self.cnf(*ADMIT, CBC), soft).stdout, data)
        self.assertGreater(self.requests("AES-256-CBC"), 40)

    def test_openssl_lists_the_provider_and_its_ciphers(self):
        # No kernel lists what the tests' device has, so the cipher has to be named.
        self.assert_listed(self.cnf(*ADMIT, *(["ciphers = AES-128-CBC"] * (MACHINE == "cuse"))))

    def test_openssl_speed_runs_through_us(self):
        argv = ["openssl", "speed", "-elapsed", "-seconds", "1", "-bytes", "65536", "-evp",
                "AES-128-CBC"]
        out = self.run_(argv, self.cnf(*ADMIT, "ciphers = AES-128-CBC:0")).stdout.decode()
        self.assertRegex(out, r"AES-128-CBC +[0-9.]+k")
        self.assertGreater(self.requests("AES-128-CBC"), 0)

    def test_a_session_is_opened_once_the_program_has_encrypted_its_price(self):
        """After how many bytes a session pays is measured: it depends on the machine."""
        player = Player(self, self.cnf(*ADMIT, "ciphers = AES-256-CBC:1024"))
        player.plays_right("AES-256-CBC", length=1008, requests=1000)
        self.assertEqual(self.requests("AES-256-CBC"), 0)
        requests = 100
        while not self.requests("AES-256-CBC"):
            player.plays_right("AES-256-CBC", length=65536, requests=requests)
            requests *= 2
            self.assertLess(requests, 1 << 20)


class Configuration(Kernels):
    def test_a_driver_that_is_named_is_admitted_whatever_it_is(self):
        # A template is listed only once it has been used.
        self.run_(ENC_128, self.cnf(*ADMIT, "ciphers = AES-128-CBC:0"), b"x" * 65536)
        name = self.row("AES-128-CBC", *ADMIT, "ciphers = AES-128-CBC:1024")["driver"]
        # With a threshold; otherwise the driver might be refused for being slower than software.
        row = self.row("AES-128-CBC", "soft_drivers = 0", "ciphers = AES-128-CBC:1024",
                       "driver.AES-128-CBC = " + name)
        self.assertEqual((row["driver"], row["offered"]), (name, True))
        row = self.row("AES-128-CBC", *ADMIT, "ciphers = AES-128-CBC", "driver.AES-128-CBC = no-such-driver")
        self.assertEqual((row["offered"], row["reason"]), (False, "named-driver-absent"))


def kernels_list(case):
    """For a test of AF_ALG: the kernel's own /proc/crypto, without the device's drivers."""
    if os.path.ismount("/proc/crypto"):
        subprocess.run(["umount", "/proc/crypto"], check=True)
        case.addCleanup(subprocess.run, ["mount", "--bind", "/dev/null", "/proc/crypto"], check=True)


class Listing(Kernels):
    @only("qemu", "module")
    def test_virtio_is_hardware_with_a_measured_threshold(self):
        rows = {row["name"]: row for row in self.listing()["algorithms"]}
        for row in (rows[name] for name in AES_CBC):
            self.assertEqual(row["driver"], "virtio_crypto_aes_cbc")
            # Another device may raise interrupts at the same time.
            self.assertIn(row["kind"], ("hardware", "hardware?"))
            # On a host with a fast or busy CPU, the device may be slower than software at every length, so
            # that there is no threshold.
            self.assertEqual((row["reason"], row["threshold_source"]),
                             ("ok", "measured") if row["offered"] else ("slower", None))
        self.assertFalse(rows["AES-128-CTR"]["offered"])

    @only("uml")
    def test_without_an_accelerator_nothing_is_offered_and_software_never_called_hardware(self):
        for row in self.listing()["algorithms"]:
            self.assertFalse(row["offered"], row)
            self.assertNotIn("hardware", row["kind"] or "", row)

    @only("uml")
    def test_software_that_is_admitted_is_still_called_software(self):
        self.encrypt()
        row = self.row("AES-256-CBC", *ADMIT, "ciphers = AES-256-CBC")
        self.assertEqual(row["kind"], "software", row)

    @only("uml", "cuse")
    def test_af_alg_is_called_software_for_every_algorithm_that_was_played_over_it(self):
        kernels_list(self)
        lines = ("soft_drivers = 1", "backends = afalg", always(*ALL))
        played = self.run_([PLAY], self.cnf(*lines),
                           "".join(f"{name} 8192 4 1 0\n" for name in ALL).encode()).stdout
        self.assertEqual(played.decode().split(), ["right"] * len(ALL))
        for name in ALL:
            self.assertEqual(self.requests(name), 4, name)
        rows = [row for row in self.listing(always(*ALL))["algorithms"]
                if row["backend"] == "AF_ALG" and row["name"] in ALL]
        self.assertEqual({row["name"] for row in rows}, set(ALL))
        for row in rows:
            self.assertEqual((row["kind"], row["offered"], row["reason"]),
                             ("software", False, "only-software"), row)

    @only("uml", "qemu", "cuse")
    def test_a_kernel_that_hides_hardware_from_af_alg_is_told_of_and_what_to_install(self):
        kernels_list(self)
        release = tuple(int(n) for n in os.uname().release.split(".")[:2])
        self.assertEqual(release >= (7, 2), HIDES_HARDWARE, os.uname().release)
        note = "AF_ALG reaches only software on this kernel, as on Linux 7.2 and later"
        for lines in ((), ("soft_drivers = 1", "ciphers = AES-128-CBC"), ("ciphers = AES-128-CBC:0",)):
            notes = [n for n in self.listing(*lines)["notes"] if note in n]
            self.assertEqual(len(notes), HIDES_HARDWARE, (lines, notes))
            for said in notes:
                self.assertIn("the /dev/kcrypto of kcrypto's kernel module does reach accelerators", said)
            told = unwrapped(self.run_([TOOL, "list", "--config", self.cnf(*lines)]).stdout.decode())
            self.assertEqual([line for line in told.splitlines() if note in line],
                             ["note: " + said for said in notes])


class KernelsView(Kernels):
    """Compares kcrypto's counters with what the kernel reports."""

    @only("uml")
    def test_strace_sees_a_sendmsg_for_every_request_counted(self):
        text = self.traced(ENC_256, self.cnf(*ADMIT, CBC), os.urandom(300_000),
                           calls="sendmsg,socket,accept4,close")
        sent = len(re.findall(r"sendmsg\(.*cmsg_level=SOL_ALG.* = \d+$", text, re.M))
        counted = self.requests("AES-256-CBC")
        self.assertGreater(counted, 50)
        # The trial's own requests are not counted, as they are no application's.
        self.assertEqual(sent - counted, self.trial_requests(text))
        self.assertEqual(len(re.findall(r"socket\(AF_ALG.*SOCK_CLOEXEC", text)),
                         len(re.findall(r"socket\(AF_ALG", text)))

    @staticmethod
    def trial_requests(text):
        """Requests before the last session was opened."""
        return len(re.findall(r"sendmsg\(.*cmsg_level=SOL_ALG.* = \d+$",
                              text[:text.rindex("accept4(")], re.M))

    @only("uml", "qemu")
    def test_no_request_is_longer_than_devices_stand(self):
        text = self.traced(["/usr/bin/python3", "-c", LARGE],
                           self.cnf(*ADMIT, CBC), calls="sendmsg,read")
        sent = [sum(int(n) for n in re.findall(r"iov_len=(\d+)", line))
                for line in text.splitlines() if "cmsg_level=SOL_ALG" in line]
        self.assertEqual(max(sent), 65536)
        # Seventeen in each direction. The trial's are not counted.
        self.assertEqual(self.requests("AES-256-CBC"), 34)
        self.assertGreater(len(sent), 34)

    @only("cuse")
    def test_strace_sees_one_ioctl_for_every_request_counted_and_a_look_at_the_descriptor(self):
        """Nothing else happens in between, except that requests are counted and the first ones timed,
        which takes a call in UML. The program's own calls are at both ends."""
        text = self.traced([PLAY], self.cnf(*ADMIT, CBC),
                           b"AES-256-CBC 8192 100 1 0\n", calls="!clock_gettime")
        # From the opening of the session on; the trial's session is closed again.
        lines = text.split("/dev/crypto")[-1].splitlines()[1:]
        names = [line.split("(")[0].split()[-1] + line.rsplit("=", 1)[-1] for line in lines]
        self.assertEqual(self.requests("AES-256-CBC"), 100)
        # The session is opened, its driver queried, the descriptor noted.
        self.assertEqual(names[:3], ["ioctl 0", "ioctl 0", "fstat 0"], lines[:5])
        self.assertEqual(names[3:203], 100 * ["fstat 0", "ioctl 0"])
        self.assertEqual(len([line for line in lines if CIOCCRYPT in line]), 100)
        # At the end kcrypto checks that the descriptor is its own and a session, and closes it.
        self.assertEqual(names[203:206], ["fstat 0", "ioctl 0", "close 0"], lines[-8:])

    @only("module")
    def test_strace_sees_one_ioctl_for_every_request_counted_and_nothing_else(self):
        text = self.traced([PLAY], self.cnf(*ADMIT, CBC),
                           b"AES-256-CBC 8192 100 1 0\n", calls="!clock_gettime,futex")
        lines = text.split("/dev/kcrypto")[-1].splitlines()[1:]
        names = [line.split("(")[0].split()[-1] + line.rsplit("=", 1)[-1] for line in lines]
        self.assertEqual(self.requests("AES-256-CBC"), 100)
        # The session is opened, used, checked, and closed. libcrypto makes a futex call when it is
        # first asked for an asynchronous job.
        self.assertEqual(names[:101], 101 * ["ioctl 0"], lines[:5])
        self.assertEqual([name.split()[0] for name in names[101:103]], ["ioctl", "close"], lines[100:])

    @only("cuse", "module")
    def test_a_long_update_is_as_many_requests_as_the_limit_makes_of_it(self):
        self.run_(["/usr/bin/python3", "-c", LARGE], self.cnf(*ADMIT, CBC))
        self.assertEqual(self.requests("AES-256-CBC"), 34)

    @only("qemu", "module")
    def test_the_device_interrupts_at_least_once_for_every_request_counted(self):
        before = self.interrupts()
        self.run_(["/usr/bin/python3", "-c", CRYPTOGRAPHY],
                  self.cnf(CBC))
        counted = self.requests("AES-256-CBC")
        self.assertGreater(counted, 40)
        self.assertGreaterEqual(self.interrupts() - before, counted)

    @staticmethod
    def interrupts():
        """The interrupts of every virtio data queue named dataq: the crypto device's."""
        with open("/proc/interrupts") as f:
            lines = [line.split() for line in f if "dataq" in line or "virtio" in line]
        return sum(int(word) for line in lines for word in line[1:] if word.isdigit())


class Statistics(Kernels):
    def test_memory_of_another_user_is_not_taken(self):
        os.chown(self.stats, 65534, 65534)
        self.encrypt()
        self.assertEqual(stats(self.stats), {})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
