#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Choosing between /dev/crypto and AF_ALG, in UML, whose AF_ALG is software only.

usage: backends_test.py BUILD

Requests that the provider counts for the kernel (KCRYPTO_STATS) and the device does not see went through
AF_ALG."""

import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.append(sys.path[0] + "/..")
from case import BUILD
from cuse import Cuse
from player import ALL, always

SOFT = "soft_drivers = 1"
CBC, CTR = "AES-128-CBC", "AES-128-CTR"
OFFER = ("backend", "kind", "offered", "reason")
BY_NAME = "hardware?"  # this device raises no interrupt that would show it at work
GENERIC = ("--software", "--driver", "%m-%c-generic")


class Listing(Cuse):
    def test_both_ways_are_listed_the_hardware_first(self):
        self.load()
        rows = [row for row in self.listing(SOFT, always(*ALL))["algorithms"] if row["name"] in ALL]
        self.assertEqual([(row["name"], row["backend"]) for row in rows],
                         [(name, way) for name in sorted(ALL, key=[r["name"] for r in rows].index)
                          for way in ("/dev/crypto", "AF_ALG")])
        self.assertEqual({row["name"] for row in rows}, set(ALL))
        for row in rows[::2]:
            self.assertEqual((row["kind"], row["offered"], row["tried"]), (BY_NAME, True, True))
        for row in rows[1::2]:
            self.assertNotIn(row["kind"], ("hardware", BY_NAME))
            self.assertTrue(row["offered"])
        self.assertEqual({row["driver"] for row in rows[::2]},
                         {"mv-cbc-aes", "mv-ctr-aes", "mv-ecb-aes", "mv-cbc-des3-ede"})
        self.assertGreater(self.device(), 10 * len(ALL))

    def test_by_default_the_hardware_alone_is_offered(self):
        self.load()
        self.assertEqual([f[0::2] for f in self.facts(CBC, OFFER, always(CBC))],
                         [("/dev/crypto", True), ("AF_ALG", False)])
        player = self.player(always(CBC)).plays_right(CBC)
        self.play(player, CBC, "device")

    def test_the_configuration_says_which_ways_there_are(self):
        self.load()
        device, af_alg = ["/dev/crypto"], ["AF_ALG"]
        for value, ways in (("afalg", af_alg), ("AF_ALG", af_alg), ("devcrypto", device),
                            ("cryptodev", device), ("/dev/crypto", device),
                            ("devcrypto, afalg", device + af_alg),
                            ("afalg devcrypto", af_alg + device), ("auto", device + af_alg),
                            ("afalg auto", af_alg + device)):
            with self.subTest(backends=value):
                rows = self.ways(CBC, SOFT, always(CBC), "backends = " + value)
                self.assertEqual([row["backend"] for row in rows], ways)
                self.assertTrue(all(row["offered"] for row in rows))

    def test_a_way_that_is_left_out_is_not_gone_and_the_device_not_even_opened(self):
        self.load()
        player = self.player(SOFT, always(CBC), "backends = afalg")
        self.play(player, CBC, "AF_ALG")
        self.assertEqual((self.device("files_opened"), self.device()), (0, 0))
        player = self.player(SOFT, always(CBC), "backends = devcrypto").plays_right(CBC)
        self.play(player, CBC, "device")

    def test_nonsense_is_named_and_changes_nothing(self):
        self.load()
        lists = self.listing(SOFT, always(CBC), "backends = devcrpyto")
        self.assertEqual([(p["key"], p["word"], p["reason"], p["nearest"])
                          for p in lists["problems"]],
                         [("backends", "devcrpyto", "bad-value", "/dev/crypto")])
        self.assertEqual([row["backend"] for row in lists["algorithms"] if row["name"] == CBC],
                         ["/dev/crypto", "AF_ALG"])
        rows = self.ways(CBC, SOFT, always(CBC), "backends = nonsense afalg")
        self.assertEqual([row["backend"] for row in rows], ["AF_ALG"])


class Software(Cuse):
    def is_admitted_only_by(self, lines, kind, reason):
        self.assertEqual(self.facts(CBC, OFFER, always(CBC))[0],
                         ("/dev/crypto", kind, False, reason))
        self.play(self.player(always(CBC)), CBC, "software")
        for line in lines:
            only = (line, "backends = devcrypto", always(CBC))
            self.assertEqual(self.facts(CBC, OFFER, *only), [("/dev/crypto", kind, True, "ok")])
            player = self.player(*only).plays_right(CBC)
            self.play(player, CBC, "device")

    def test_behind_the_device_is_no_hardware(self):
        self.load(*GENERIC)
        self.is_admitted_only_by([SOFT], "software", "only-software")

    def test_an_unknown_name_without_the_flag_is_unknown(self):
        self.load("--software", "--driver", "x-%c.%m")
        self.is_admitted_only_by([SOFT, "soft_drivers = 2"], "unknown", "nature-unknown")

    def load_beside_the_kernels_own_list(self):
        self.load(*GENERIC)
        subprocess.run(["umount", "/proc/crypto"], check=True)

    def test_of_two_ways_to_it_the_configurations_first_is_first(self):
        self.load_beside_the_kernels_own_list()
        self.play(self.player(SOFT, always(CBC), "backends = afalg"), CBC, "AF_ALG")
        for value, ways in (("afalg, devcrypto", ["AF_ALG", "/dev/crypto"]),
                            ("devcrypto, afalg", ["/dev/crypto", "AF_ALG"])):
            facts = self.facts(CBC, OFFER, SOFT, always(CBC), "backends = " + value)
            self.assertEqual(facts, [(way, "software", True, "ok") for way in ways])

    def test_of_two_ways_to_it_the_faster_is_gone(self):
        self.load_beside_the_kernels_own_list()
        self.play(self.player(SOFT, always(CBC), "backends = afalg"), CBC, "AF_ALG")
        self.fault(delay_ms=100)
        player = self.player(SOFT, always(CBC)).plays_right(CBC)
        self.assertGreater(self.device(), 10)
        self.play(player, CBC, "AF_ALG")


class Listed(Cuse):
    """The kernel's list has the device's drivers, as it has a real device's."""

    def setUp(self):
        super().setUp()
        self.load("--listed")
        real = Path("/proc/sys/kernel/modprobe").read_text().strip()
        script = self.write("modprobe", f'#!/bin/sh\necho "$*" >>{self.path("modprobes")}\n'
                            f'exec {real} "$@"\n')
        os.chmod(script, 0o755)
        self.modprobe(script)

    def asked(self):
        """The number of times that modprobe ran, and the device's counters."""
        runs = len(self.read("modprobes").splitlines())
        return (runs, *map(self.device, ("files_opened", "sessions_opened", "requests")))

    def test_nothing_is_asked_before_the_first_large_request(self):
        player = self.player()
        for name in ALL:
            player.plays_right(name, length=64)
        self.assertEqual(self.asked(), (0, 0, 0, 0))
        calls = self.traced(["openssl", "enc", "-aes-128-cbc", "-K", "00" * 16, "-iv", "00" * 16,
                             "-in", "/dev/null", "-out", "/dev/null"], self.cnf(),
                            calls="socket,bind,ioctl,openat")
        lines = [line for line in calls.splitlines() if "socket(" in line or "bind(" in line
                 or "/dev/crypto" in line and "O_PATH" not in line]
        self.assertEqual(lines, [])
        self.assertEqual(self.asked(), (0, 0, 0, 0))
        player.plays_right("AES-128-CBC", length=65536, requests=20)
        self.assertGreater(self.device("sessions_opened"), 0)

    def test_for_what_is_not_listed_no_module_is_loaded(self):
        rows = {row["name"]: row for row in self.listing("backends = devcrypto")["algorithms"]}
        self.assertEqual(rows["AES-128-CBC"]["driver"], "mv-cbc-aes")
        self.assertEqual([rows[name]["reason"] for name in ("AES-128-GCM", "ARIA-128-CBC")],
                         ["no-driver"] * 2)
        self.assertEqual(self.device("sessions_asked"), self.device("sessions_opened"))
        self.assertEqual(self.asked()[0], 0)


class Absent(Cuse):
    def test_no_device_leaves_af_alg_and_software(self):
        self.assertEqual(self.facts(CBC, OFFER[:1], SOFT, always(CBC)), [("AF_ALG",)])
        self.play(self.player(SOFT, always(CBC)), CBC, "AF_ALG")
        self.play(self.player(always(CBC)), CBC, "software")
        self.play(self.player(SOFT, "backends = devcrypto", always(CBC)), CBC, "software")

    def test_a_device_that_one_may_open_is_gone_by_a_user_without_rights(self):
        self.load()
        player = self.nobodys_player(always(CBC)).plays_right(CBC)
        self.play(player, CBC, "device")

    def test_a_device_that_one_may_not_open_leaves_af_alg(self):
        self.load()
        os.chmod("/dev/crypto", 0o600)
        self.play(self.nobodys_player(SOFT, always(CBC)), CBC, "AF_ALG")
        self.assertEqual(self.device("files_opened"), 0)

    def test_a_device_that_one_may_not_open_leaves_software(self):
        self.load()
        os.chmod("/dev/crypto", 0o600)
        self.play(self.nobodys_player(always(CBC)), CBC, "software")
        self.assertEqual(self.device("files_opened"), 0)

    def test_a_device_that_dies_under_a_session_is_followed_by_af_alg(self):
        self.load()
        player = self.player(SOFT, always(CBC)).plays_right(CBC)
        self.fault(delay_ms=500)
        before, provider = self.device(), self.provider(CBC)
        player.start(CBC, requests=100)
        while self.device() == before:
            time.sleep(0.01)
        self.script("stop")
        self.assertEqual(player.answer(), "right")
        done, _, redone, _ = (a - b for a, b in zip(self.provider(CBC), provider))
        self.assertEqual((done + redone, redone), (100, 1))
        self.play(player, CBC, "AF_ALG")


class Refusing(Cuse):
    def test_every_session_leaves_all_to_af_alg(self):
        self.load()
        self.fault(refuse_from=1)
        self.assertEqual({(f[0], f[2]) for f in self.facts(CBC, OFFER, SOFT, always(CBC))},
                         {("AF_ALG", True), ("/dev/crypto", False)})
        self.play(self.player(SOFT, always(CBC)), CBC, "AF_ALG")
        self.play(self.player(always(CBC)), CBC, "software")
        self.assertEqual((self.device("sessions_opened"), self.device()), (0, 0))

    def some(self, **fault):
        """Two contexts get a session, the other two use AF_ALG."""
        self.load()
        player = self.player(SOFT, always(CBC)).plays_right(CBC)
        before, provider = self.device(), self.provider(CBC)[0]
        self.fault(**fault)
        player.plays_right(CBC, requests=10, contexts=4)
        self.assertEqual((self.device() - before, self.provider(CBC)[0] - provider), (20, 40))
        self.assertEqual(self.provider(CBC)[2], 0)

    def test_sessions_after_the_second_leaves_the_others_to_af_alg(self):
        self.some(refuse_from="+3")

    def test_more_than_two_sessions_at_once_leaves_the_others_to_af_alg(self):
        self.some(max_live=2, refuse_errno=12)

    def test_to_be_opened_later_leaves_all_to_af_alg(self):
        self.load()
        player = self.player(SOFT, always(CBC)).plays_right(CBC)
        self.fault(open_errno=16)
        self.play(player, CBC, "AF_ALG")

    def test_ciphers_that_it_does_not_have_go_by_af_alg(self):
        self.load("--ciphers", "cbc")
        keys = ("backend", "driver", "offered", "reason")
        self.assertIn(("/dev/crypto", None, False, "open-failed"),
                      self.facts(CTR, keys, SOFT, always(*ALL)))
        player = self.player(SOFT, always(*ALL))
        for name in ALL:
            player.plays_right(name)
            self.play(player, name, "device" if name.endswith("CBC") and "DES" not in name else
                      "AF_ALG")


class Failing(Cuse):
    def test_at_every_request_is_found_by_the_trial(self):
        self.load()
        self.fault(fail_every=1)
        self.assertEqual(self.facts(CBC, OFFER, SOFT, always(CBC))[0],
                         ("/dev/crypto", BY_NAME, False, "request-failed"))
        for lines, way in (((SOFT,), 20), ((), 0)):
            before, asked = self.provider(CBC)[0], self.device()
            player = self.player(*lines, always(CBC)).plays_right(CBC, requests=10, contexts=2)
            self.assertEqual(self.provider(CBC)[0] - before, way)
            self.assertEqual(self.device() - asked, 1)
        self.assertEqual((self.device("failed"), self.device("bytes")), (self.device(), 0))

    def failing(self, *lines, contexts=2, errno=5):
        """Makes 60 requests, of which every third one fails on the device. Returns how many were done,
        asked of the device, failed."""
        self.load()
        player = self.player(*lines, always(CBC)).plays_right(CBC)
        before, provider = self.device(), self.provider(CBC)
        self.fault(fail_every=3, fail_errno=errno)
        player.plays_right(CBC, requests=60 // contexts, contexts=contexts)
        done, _, redone, wrong = (a - b for a, b in zip(self.provider(CBC), provider))
        asked, failed = self.device() - before, self.device("failed")
        self.assertEqual((done + redone, redone, wrong), (60, failed, 0))
        self.unload()
        self.count_anew()
        return done, asked, failed

    def test_at_every_third_request_is_made_up_for_by_software(self):
        for errno in (5, 12, 22):
            with self.subTest(errno=errno):
                self.assertEqual(self.failing(errno=errno), (40, 60, 20))

    def test_at_every_third_request_makes_af_alg_go_on(self):
        done, asked, failed = self.failing(SOFT, contexts=1)
        self.assertEqual(failed, 1)
        self.assertGreaterEqual(done - (asked - failed), 57)

    def test_from_some_request_on_makes_af_alg_go_on(self):
        self.load()
        player = self.player(SOFT, always(CBC)).plays_right(CBC)
        self.play(player, CBC, "device")
        self.fault(fail_every=1)
        before = self.provider(CBC)
        player.plays_right(CBC, requests=20)
        self.assertEqual([a - b for a, b in zip(self.provider(CBC), before)],
                         [19, 19 * 4096, 1, 0])
        self.play(player, CBC, "AF_ALG")
        self.assertEqual(self.device("failed"), 1)


class Lying(Cuse):
    def test_from_the_first_on_is_refused_and_af_alg_goes_on(self):
        self.load()
        self.fault(corrupt_from=1)
        facts = self.facts(CBC, OFFER, SOFT, always(CBC))
        self.assertEqual(facts[0], ("/dev/crypto", BY_NAME, False, "wrong-answer"))
        self.assertEqual((facts[1][0], facts[1][2:]), ("AF_ALG", (True, "ok")))
        player = self.player(SOFT, always(CBC)).plays_right(CBC)
        self.assertEqual((self.device(), self.device("corrupted")), (2, 2))
        self.play(player, CBC, "AF_ALG", requests=200)
        player = self.player(always(CBC)).plays_right(CBC)
        self.play(player, CBC, "software", requests=200)

    def test_later_is_noticed_with_verify_and_af_alg_goes_on(self):
        self.load()
        player = self.player(SOFT, always(CBC), "verify = 1").plays_right(CBC)
        self.play(player, CBC, "device")
        before, asked = self.provider(CBC), self.device()
        self.fault(corrupt_from="+5")
        player.plays_right(CBC, requests=20, contexts=3)
        self.assertEqual((self.device() - asked, self.device("corrupted")), (5, 1))
        self.assertEqual([a - b for a, b in zip(self.provider(CBC), before)],
                         [60, 60 * 4096, 0, 1])
        self.play(player, CBC, "AF_ALG", requests=200)
        self.fault(corrupt_from=0)
        self.assertEqual(self.facts(CBC, ("backend", "reason"), SOFT, always(CBC)),
                         [("/dev/crypto", "lied"), ("AF_ALG", "ok")])


class Aligned(Cuse):
    def test_what_the_driver_cannot_use_is_never_copied_by_the_module(self):
        """A copy by the module would make a request of every page."""
        self.load("--alignmask", "63")
        subprocess.run([os.path.join(BUILD, "tests", "kcrypto-diff"), "--config",
                        os.path.join(BUILD, "tests/cnf/devcrypto.cnf"), "--expect", "0", "--rounds", "1500"],
                       check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, OPENSSL_MODULES=BUILD))
        self.assertGreater(self.device(), 300)
        self.assertEqual(self.device("copied"), 0)


class Slow(Cuse):
    def test_a_device_slower_than_software_is_refused_where_that_is_measured(self):
        self.load()
        self.fault(delay_ms=20)
        line = "ciphers = " + CBC
        self.assertEqual(self.facts(CBC, OFFER, line)[0],
                         ("/dev/crypto", BY_NAME, False, "slower"))
        player = self.player(line)
        asked = self.device()
        player.plays_right(CBC, length=65536, requests=20)
        self.assertGreater(self.device(), asked + 10)
        self.play(player, CBC, "software", length=65536)

    def test_a_slow_device_gets_what_the_configuration_sends_there(self):
        self.load()
        self.fault(delay_ms=5)
        player = self.player(always(CBC)).plays_right(CBC)
        self.play(player, CBC, "device")


class Another(Cuse):
    """The device cannot be told which driver to use: the driver that answers may not be the listed one."""

    def driver_answers(self, player):
        self.unload()
        self.load("--driver", "other-%m-%c")
        self.play(player, CBC, "AF_ALG")
        self.assertGreater(self.device("sessions_opened"), 0)

    def test_driver_than_was_listed_is_used_if_it_is_hardware(self):
        self.load("--listed", "--driver", "other-%m-%c")
        player = self.player(always(CBC)).plays_right(CBC)
        self.play(player, CBC, "device")
        self.assertEqual(self.facts(CBC, ("driver", "kind", "offered"), always(CBC))[0],
                         ("other-cbc-aes", BY_NAME, True))

    def test_driver_than_was_listed_is_refused_if_it_is_software(self):
        self.load("--listed", *GENERIC)
        player = self.player(always(CBC), "backends = devcrypto")
        self.play(player, CBC, "software")
        self.assertEqual((self.device("sessions_opened"), self.device()), (1, 0))
        self.play(player, CBC, "software", length=65536)
        self.assertEqual(self.device("sessions_opened"), 1)
        self.assertEqual(self.facts(CBC, OFFER, always(CBC), "backends = devcrypto"),
                         [("/dev/crypto", "software", False, "only-software")])

    def test_driver_than_was_trusted_is_not_used(self):
        self.load()
        player = self.player(SOFT, always(CBC)).plays_right(CBC)
        self.play(player, CBC, "device")
        self.driver_answers(player)

    def test_device_with_the_same_driver_is_used_again(self):
        self.load()
        player = self.player(always(CBC)).plays_right(CBC)
        self.unload()
        self.load()
        self.play(player, CBC, "device")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
