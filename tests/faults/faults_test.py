#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that enter sandboxes, and TLS over broken backends, on a real kernel.

usage: faults_test.py BUILD afalg|devcrypto. Needs root in a machine whose kernel has AF_ALG with software
drivers, or in one with tests/cuse's device."""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
from case import BUILD, SANDBOXED, cnf_of, make, stats as counters  # noqa: E402
from folder import CLEAN, Folder  # noqa: E402

TLS = os.path.join(BUILD, "tests/faults/tls")

WORKING = ("soft_drivers = 1", "ciphers = AES-128-CBC:0")
TRUST = "seccomp = trust"


class Case(Folder):
    def setUp(self):
        super().setUp()
        # Readable for all users: some of the programs drop root.
        os.chmod(self.folder, 0o755)
        self.module = shutil.copy(os.path.join(BUILD, "kcrypto.so"), self.folder)
        make(self.path("stats"))

    def cnf(self, *lines):
        text = cnf_of(self.module, random=True) + "".join(line + "\n" for line in lines)
        return self.write("openssl.cnf", text)

    def counted(self):
        """Requests done and redone, of all algorithms, in the memory of KCRYPTO_STATS."""
        counts = counters(self.path("stats")).values()
        return tuple(sum(c[k] for c in counts) for k in (0, 2))

    def traced(self):
        """The lines of strace's output."""
        return self.read("trace").splitlines()

    def run_(self, argv, **env):
        return subprocess.run(argv, env=CLEAN | env, capture_output=True)


class Sandbox(Case):
    LINES = WORKING

    def caged(self, cage, stage, *more):
        """The requests that the kernel did before the sandbox was entered, and after it."""
        r = self.run_([SANDBOXED, self.cnf(*self.LINES, *more), cage, stage])
        self.assertEqual((r.returncode, r.stderr), (0, b""), (cage, stage))
        before, after = r.stdout.split()
        return int(before), int(after)

    def test_nobody_is_killed_by_a_strict_sandbox_whenever_it_is_entered(self):
        for stage in ("loaded", "fetched", "tried", "live"):
            before, after = self.caged("strict", stage)
            # The requests before it show that the sandbox had something to kill for.
            self.assertEqual((before > 0, after), (stage in ("tried", "live"), 0), stage)

    def test_a_container_gets_its_kernel_where_the_administrator_trusts_its_filter(self):
        self.assertEqual(self.caged("container", "start"), (0, 0))
        self.assertGreater(self.caged("container", "start", TRUST)[1], 100)
        # What existed before is trusted.
        for stage in ("loaded", "fetched", "tried"):
            self.assertEqual(self.caged("container", stage, TRUST)[1], 0, stage)

    def test_to_load_opens_no_file_unless_the_administrator_vouches_for_a_filter(self):
        for more, looks in (((), 0), ((TRUST,), 1)):
            self.run_(["strace", "-f", "-o", self.path("trace"), "openssl", "version"],
                      OPENSSL_CONF=self.cnf(*self.LINES, *more))
            loaded = "".join(self.traced()).split("kcrypto.so", 1)[1]
            self.assertEqual(loaded.count("/proc/"), looks, loaded)

    def test_nobody_is_killed_in_a_sandbox_that_was_there_before_us(self):
        for cage in ("service", "family-deadly", "ioctl-deadly"):
            self.assertEqual(self.caged(cage, "start"), (0, 0), cage)

    def test_the_list_says_that_it_is_in_a_filter_and_what_to_do(self):
        argv = [os.path.join(BUILD, "kcrypto"), "list", "--config", self.cnf(*self.LINES)]
        plain = self.run_(argv).stdout.decode()
        caged = self.run_([SANDBOXED, "container", "--", *argv]).stdout.decode()
        trusted = self.run_([SANDBOXED, "container", "--", *argv[:-1],
                             self.cnf(*self.LINES, TRUST)]).stdout.decode()
        self.assertEqual(["seccomp = trust" in " ".join(said.split()) for said in (plain, caged, trusted)],
                         [False, True, False], caged)

    def test_without_the_address_family_software_does_it_without_a_word(self):
        for cage in ("family-unsupported", "family-forbidden"):
            self.assertEqual(self.caged(cage, "start", TRUST), (0, 0))
            for stage in ("loaded", "fetched", "tried"):
                self.assertEqual(self.caged(cage, stage)[1], 0, stage)

    def test_a_live_session_goes_on_where_only_new_sockets_are_refused(self):
        for cage in ("family-unsupported", "family-forbidden"):
            before, after = self.caged(cage, "live")
            self.assertGreaterEqual(after, 100)

    def test_an_empty_root_means_software_but_for_sessions_that_are_open(self):
        for stage in ("loaded", "fetched", "tried"):
            self.assertEqual(self.caged("empty-root", stage)[1], 0, stage)
        self.assertGreaterEqual(self.caged("empty-root", "live")[1], 100)

    def test_an_unprivileged_user_without_new_privileges_gets_the_kernel(self):
        for stage in ("start", "loaded", "live"):
            self.assertGreater(self.caged("nobody", stage)[1], 100, stage)

    def test_where_only_the_socket_is_deadly_nobody_is_killed_either(self):
        for stage in ("loaded", "fetched", "tried"):
            self.assertEqual(self.caged("family-deadly", stage)[1], 0, stage)
        # Done by the session of the context that existed before.
        self.assertGreaterEqual(self.caged("family-deadly", "live")[1], 100)

    def test_a_thread_in_a_sandbox_of_its_own_leaves_the_others_theirs(self):
        for cage in ("strict", "family-deadly"):
            before, after = self.caged(cage, "thread")
            # Requests of the other thread; of this thread before it entered, and of the first
            # thread afterwards.
            self.assertGreater(after, 400)


class DeviceSandbox(Sandbox):
    LINES = (*WORKING, "backends = devcrypto")

    def test_without_the_address_family_software_does_it_without_a_word(self):
        """kcrypto prints no warning, as it needs no socket; but a sandbox entered after the load may be of
        any kind."""
        for cage in ("family-unsupported", "family-forbidden"):
            self.assertGreater(self.caged(cage, "start", TRUST)[1], 100)
            for stage in ("loaded", "fetched", "tried"):
                self.assertEqual(self.caged(cage, stage)[1], 0, stage)

    def test_where_requests_of_all_but_a_terminal_are_deadly_nobody_is_killed(self):
        for stage in ("loaded", "fetched", "tried", "live"):
            before, after = self.caged("terminal", stage)
            self.assertEqual((before > 0, after), (stage in ("tried", "live"), 0), stage)

    def test_where_the_device_may_be_opened_but_not_asked_nobody_is_killed_either(self):
        for stage in ("loaded", "fetched", "tried"):
            self.assertEqual(self.caged("ioctl-deadly", stage)[1], 0, stage)

    def test_where_the_device_may_not_be_asked_software_does_it_without_a_word(self):
        self.assertEqual(self.caged("ioctl-refused", "start", TRUST), (0, 0))
        for stage in ("loaded", "fetched", "tried", "live"):
            self.assertEqual(self.caged("ioctl-refused", stage)[1], 0, stage)


# Version and suite. CBC with the two orders of MAC and encryption, which the library asks the
# cipher for; GCM.
SUITES = (("TLSv1.2", "ECDHE-ECDSA-AES128-SHA256"), ("TLSv1.2", "ECDHE-ECDSA-AES256-SHA384"),
          ("TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"), ("TLSv1.3", "TLS_AES_256_GCM_SHA384"))

GARBAGE = ("ciphers = rubbish:1 :: AES-128-CBC:x, %%% ALL:-", "digests = more", "soft_drivers = 3",
           "max_request = 1e9", "max_sessions = -1", "driver.AES-128-CBC = " + 100 * "x",
           "CIPHERS = AES-256-CBC:0", "nonsense = ,", "max_requests = 5", "engine_id = nobody")


class Tls(Case):
    """Non-blocking TLS: an error left in the queue would end the handshake."""

    MORE = ()  # lines of the configuration
    IGNORED = "default"  # the provider of ciphers that the configuration ignores

    def all(self):
        return self.cnf("soft_drivers = 1", "ciphers = ALL:0", *self.MORE)

    def shake(self, conf, *more, trace=()):
        for version, suite in SUITES:
            r = self.run_([*trace, TLS, conf, version, suite, *more],
                          KCRYPTO_STATS=self.path("stats"))
            self.assertEqual((r.returncode, r.stderr), (0, b""), (suite, more, trace))
        return r.stdout.decode().strip()

    def test_over_a_kernel_that_works(self):
        conf = self.all()
        self.assertEqual(self.shake(conf), "kcrypto")
        # The server's session tickets: they are few, but nothing else here reaches kcrypto.
        self.assertGreater(self.counted()[0], 0)

    def test_over_a_configuration_that_is_garbage(self):
        self.assertEqual(self.shake(self.cnf(*self.MORE, *GARBAGE)), self.IGNORED)
        self.assertEqual(self.shake(self.cnf(*self.MORE, *GARBAGE, "SOFT_DRIVERS = 1",
                                             "CIPHERS = ALL:0")), "kcrypto")

    def test_over_a_kernel_that_fails(self):
        conf = self.all()
        trace = self.path("trace")
        # The program itself makes none of these calls: it has a pair of sockets.
        for call in ("socket", "bind", "accept4", "sendmsg"):
            fault = f"inject={call}:error=EIO"
            self.assertEqual(self.shake(conf, trace=("strace", "-f", "-o", trace, "-e", fault)),
                             "kcrypto")
            self.assertRegex(Path(trace).read_text(), call + r"\(.*\(INJECTED\)")

    def test_over_a_kernel_that_fails_once_it_is_trusted(self):
        conf = self.cnf("soft_drivers = 1", "ciphers = AES-256-CBC:0")
        trace = self.path("trace")
        self.run_(["strace", "-o", trace, TLS, conf, *SUITES[-1]], KCRYPTO_STATS=self.path("stats"))
        sent = Path(trace).read_text().count("sendmsg(")
        done, redone = self.counted()
        self.assertEqual((done > 0, redone), (True, 0))
        # The trial's calls come first and are not counted.
        fault = f"inject=sendmsg:error=EIO:when={sent - done + 1}+"
        self.shake(conf, trace=("strace", "-o", trace, "-e", fault))
        self.assertEqual(self.counted()[0], done)
        self.assertGreater(self.counted()[1], 0)

    def test_without_a_descriptor_left(self):
        conf = self.all()
        self.assertEqual(self.shake(conf, "no-descriptors"), "kcrypto")


class DeviceTls(Tls):
    MORE = ("backends = devcrypto",)
    IGNORED = "kcrypto"  # the device is hardware

    def fault(self, what):
        """strace's arguments: @what happens to calls on the device, and to no others."""
        return ("strace", "-o", self.path("trace"), "-P", "/dev/crypto", "-e", "inject=" + what)

    def test_over_a_kernel_that_fails(self):
        for what, gets in (("openat:error=EACCES", "default"), ("ioctl:error=EIO", "kcrypto"),
                           ("openat:error=EACCES:when=2+", "kcrypto"),
                           ("ioctl:error=EINVAL:when=2+", "kcrypto"),
                           ("fstat:error=EIO", "kcrypto")):
            self.assertEqual(self.shake(self.all(), trace=self.fault(what)), gets)
            self.assertRegex("\n".join(self.traced()), r"\(INJECTED\)")
        self.assertEqual(self.counted()[0], 0)

    def test_over_a_kernel_that_fails_once_it_is_trusted(self):
        conf = self.cnf("soft_drivers = 1", "ciphers = AES-256-CBC:0", *self.MORE)
        argv = ["strace", "-o", self.path("trace"), "-P", "/dev/crypto", "-e", "trace=ioctl", TLS]
        self.run_([*argv, conf, *SUITES[-1]], KCRYPTO_STATS=self.path("stats"))
        calls = [line for line in self.traced() if line.startswith("ioctl(")]
        requests = [i for i, line in enumerate(calls, 1) if "0x63, 0x68" in line]
        done, redone = self.counted()
        self.assertEqual((done > 0, redone), (True, 0))
        # The trial's calls come first and are not counted.
        first = requests[len(requests) - done]
        self.shake(conf, trace=self.fault(f"ioctl:error=EIO:when={first}+"))
        self.assertEqual(self.counted()[0], done)
        self.assertGreater(self.counted()[1], 0)


CASES = {"afalg": ("Sandbox", "Tls"), "devcrypto": ("DeviceSandbox", "DeviceTls")}

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *CASES[sys.argv[2]]], verbosity=2)
