#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto over accelerators of every kind, simulated by tests/accel's kernel module, in QEMU.

usage: accel_test.py BUILD MODULE

The device's own counters are compared with the provider's (KCRYPTO_STATS): the device did as many requests
as the provider says it sent.  A trial's requests reach the device, but are no application's; "kcrypto
list", which makes no others, shows their number."""

import errno
import json
import os
import subprocess
import sys
import time
import unittest

sys.path.append(sys.path[0] + "/..")
from accel import BACKEND, CAAM, CESA, DIFF, GEODE, QAT, Accel, just_cbc
from case import BUILD, TOOL
from examined import asked, bad
from player import AES_CBC, AES_CTR, AES_ECB, ALL, ONE_OF_EACH, always

PAGES = os.path.join(BUILD, "tests", "shared_pages")
HARDWARE_CNF = os.path.join(BUILD, "tests/cnf/hardware.cnf")


class Faces(Accel):
    def test_marvell_cesa_is_hardware_and_gets_the_requests(self):
        self.load(CESA)
        drivers = dict.fromkeys(AES_CBC, "mv-cbc-aes") | dict.fromkeys(AES_ECB, "mv-ecb-aes")
        rows = self.assert_face(drivers | {"DES-EDE3-CBC": "mv-cbc-des3-ede"}, 300)
        self.assertNotIn("hardware", rows["AES-128-CTR"]["kind"] or "")
        for name in ("AES-128-CBC", "AES-256-ECB", "DES-EDE3-CBC"):
            self.assert_used(name)
        self.assert_unused("AES-128-CTR")

    def test_geode_is_hardware_for_128_bits_only(self):
        self.load(GEODE)
        drivers = {"AES-128-CBC": "cbc-aes-geode", "AES-128-ECB": "ecb-aes-geode"}
        rows = self.assert_face(drivers, 400)
        for name in ("AES-192-CBC", "AES-256-CBC"):
            self.assertEqual([rows[name][key] for key in ("driver", "kind", "reason")],
                             ["cbc-aes-geode", "software", "drivers-software"])
        self.assert_used("AES-128-CBC")
        self.assert_unused("AES-192-CBC")
        self.assert_unused("AES-256-CBC")

    def test_geode_with_a_long_key_is_right_where_software_is_admitted(self):
        self.load(GEODE)
        self.reset()
        player = self.player(always("AES-256-CBC"), "soft_drivers = 1")
        player.plays_right("AES-256-CBC", requests=20, contexts=2)
        self.assertEqual(self.provider("AES-256-CBC")[0], 40)
        self.assertEqual(self.device("requests"), 0)
        self.assertGreater(self.device("passed"), 40)

    def test_caam_is_hardware_and_gets_the_requests(self):
        self.load(CAAM)
        drivers = {name: f"{name[-3:].lower()}-aes-caam" for name in ALL[:-1]}
        self.assert_face(drivers | {"DES-EDE3-CBC": "cbc-3des-caam"}, 3000)
        for name in ("AES-256-CBC", "AES-192-CTR", "AES-128-ECB", "DES-EDE3-CBC"):
            self.assert_used(name)

    def test_qat_below_the_kernels_software_is_bound_by_its_name(self):
        self.load(QAT)
        drivers = dict.fromkeys(AES_CBC, "qat_aes_cbc") | dict.fromkeys(AES_CTR, "qat_aes_ctr")
        self.assert_face(drivers, 50)
        with open("/proc/crypto") as f:
            better = [part for part in f.read().split("\n\n") if ": cbc(aes)\n" in part and
                      "qat" not in part]
        self.assertIn("cbc(aes-generic)", "".join(better))
        self.assert_used("AES-256-CBC")
        self.assert_used("AES-128-CTR")

    def test_a_device_that_refuses_keys_of_other_lengths_is_not_offered_for_them(self):
        self.load(dict(just_cbc(CAAM), keys="16,32"))
        self.fault(refuse=1)
        row = self.row("AES-192-CBC", always(*AES_CBC))
        self.assertEqual((row["offered"], row["reason"]), (False, "open-failed"))
        self.assert_used("AES-256-CBC")
        self.assert_unused("AES-192-CBC")


class Unknown(Accel):
    FACE = {"name": "%m-%c-frobnicator", "algs": "cbc", "priority": 500}

    def test_an_asynchronous_driver_of_any_name_is_hardware(self):
        self.load(dict(self.FACE, **{"async": 1}))
        row = self.row("AES-128-CBC")
        self.assertEqual((row["driver"], row["kind"]), ("cbc-aes-frobnicator", "hardware?"))
        self.assert_used("AES-128-CBC")

    def test_an_asynchronous_wrapper_of_a_cpus_instructions_is_software(self):
        self.load(dict(self.FACE, name="%m-%c-aesni", **{"async": 1}))
        row = self.row("AES-128-CBC", always("AES-128-CBC"))
        self.assertEqual([row[key] for key in ("driver", "kind", "offered", "reason")],
                         ["cbc-aes-aesni", "software", False, "only-software"])
        self.assert_unused("AES-128-CBC")

    def test_a_synchronous_driver_is_software_unless_the_configuration_names_it(self):
        self.load(dict(self.FACE, kern_driver_only=1, **{"async": 0}))
        row = self.row("AES-128-CBC", always("AES-128-CBC"))
        self.assertEqual([row[key] for key in ("driver", "kind", "offered", "reason")],
                         ["cbc-aes-frobnicator", "software", False, "only-software"])
        self.assert_unused("AES-128-CBC")
        self.assert_unused("AES-128-CBC", "soft_drivers = 2")
        self.assert_used("AES-128-CBC", "driver.AES-128-CBC = cbc-aes-frobnicator")


class WrongAnswers(Accel):
    def refused(self, **fault):
        self.load(just_cbc(CAAM))
        self.fault(**fault)
        row = self.row("AES-256-CBC", always("AES-256-CBC"))
        self.assertEqual((row["offered"], row["reason"]), (False, "wrong-answer"))
        self.assertGreater(self.device("corrupted"), 0)
        self.reset()
        player = self.player(always("AES-256-CBC"))
        # More than a driver needs to be tried again after a single failure.
        for length, requests in ((16, 5), (4112, 5), (65536, 40)):
            player.plays_right("AES-256-CBC", length, requests, offset=1)
        self.assertEqual(self.provider("AES-256-CBC"), (0, 0, 0))
        # It was asked, lied, and was not asked again.
        self.assertEqual(self.device("corrupted"), 1)

    def test_from_the_first_on_are_refused_before_use(self):
        self.refused(corrupt_from=1)

    def test_of_one_length_only_are_refused_before_use(self):
        self.refused(corrupt_from=1, corrupt_len=4112)

    def test_where_memory_is_unaligned_only_are_refused_before_use(self):
        self.refused(corrupt_from=1, corrupt_unaligned=1)

    def test_of_a_digest_are_refused_before_use(self):
        self.load(dict(CAAM, algs="sha256"))
        self.fault(corrupt_from=1)
        row = self.row("SHA256", "digests = SHA256:0")
        self.assertEqual((row["offered"], row["reason"]), (False, "wrong-answer"))

    def test_a_good_tag_that_is_called_bad_is_one(self):
        """This is no failed request that may be repeated: the text was just encrypted by software."""
        for word, name in (("gcm", "AES-128-GCM"), ("ccm", "AES-128-CCM")):
            with self.subTest(word):
                self.load(dict(CAAM, algs=word))
                self.assertTrue(self.row(name, always(name))["offered"])
                self.assertGreater(self.device("done"), 20)
                self.fault(bad_from=1)
                row = self.row(name, always(name))
                self.assertEqual((row["offered"], row["reason"]), (False, "wrong-answer"))
                self.unload()

    def test_memory_is_unaligned_to_the_device_where_the_applications_is(self):
        """The destination is unaligned. AF_ALG copies the source."""
        self.load(just_cbc(CAAM))
        player = self.player(always("AES-128-CBC")).plays_right("AES-128-CBC")
        for offset, unaligned in ((0, 0), (4, 0), (1, 10), (2, 10)):
            self.reset()
            player.plays_right("AES-128-CBC", requests=10, offset=offset)
            self.assertEqual((self.device(), self.device("unaligned")), (10, unaligned))


class Errors(Accel):
    NAMES = ("EIO", "EINVAL", "EBADMSG", "ENOMEM", "ETIMEDOUT")

    def counted(self, player, requests, **fault):
        """Makes this number of requests with this fault, and returns how many failed."""
        self.reset()
        before = self.provider("AES-256-CBC")
        self.fault(fail_at=0, fail_every=0)
        self.fault(**fault)
        player.plays_right("AES-256-CBC", requests=requests // 2, contexts=2)
        done, size, redone = (a - b for a, b in zip(self.provider("AES-256-CBC"), before))
        self.assertEqual((done, redone), (self.device("done"), self.device("failed")))
        self.assertEqual(size, self.device("bytes"))
        self.assertEqual(done + redone, requests)
        return redone

    def test_are_never_seen_by_the_application(self):
        self.load(just_cbc(CAAM))
        player = self.player(always("AES-256-CBC")).plays_right("AES-256-CBC")
        self.assertEqual(self.counted(player, 40), 0)
        for name in self.NAMES:
            self.fault(fail_errno=getattr(errno, name))
            with self.subTest(error=name):
                self.assertEqual(self.counted(player, 40, fail_at=1), 1)
                self.assertEqual(self.counted(player, 40, fail_at=20), 1)
                self.assertEqual(self.counted(player, 40, fail_every=2), 20)

    def test_at_each_request_of_a_trial_leave_it_undecided_and_software_works(self):
        self.load(just_cbc(CAAM))
        trial = self.trial("AES-256-CBC")
        for at in (1, trial // 2, trial):
            with self.subTest(at=at):
                self.reset()
                self.fault(fail_at=at)
                row = self.row("AES-256-CBC", always("AES-256-CBC"))
                self.assertEqual((row["offered"], row["reason"]), (False, "request-failed"))
        self.reset()
        player = self.player(always("AES-256-CBC"))
        self.fault(fail_at=trial)
        player.plays_right("AES-256-CBC", length=65536, requests=20)
        # The next trial, after half a MiB in software, finds nothing wrong.
        self.assertEqual(self.device("failed"), 1)
        self.assertEqual(self.device("done"), 2 * trial - 1 + self.provider("AES-256-CBC")[0])
        self.assertGreater(self.provider("AES-256-CBC")[0], 5)

    def test_a_device_without_room_for_more_keys_leaves_contexts_to_software_until_it_has(self):
        self.load(just_cbc(CAAM))
        self.fault(sessions=8)
        trial = self.trial("AES-128-CBC")
        self.reset()
        player = self.player(always("AES-128-CBC"))
        player.plays_right("AES-128-CBC", requests=5, contexts=20)
        got = self.provider("AES-128-CBC")[0] // 5
        # /dev/kcrypto gives a user no more than half, unless it has seen more of the device before.
        self.assertIn(got, range(3, 9) if BACKEND == "kcrypto" else [8])
        self.assertEqual(self.provider("AES-128-CBC"), (got * 5, got * 5 * 4096, 0))
        self.assertEqual(self.device("done"), trial + got * 5)
        self.assertGreaterEqual(self.device("keys_refused"), 1 if BACKEND == "kcrypto" else 12)
        self.fault(sessions=0)
        player.plays_right("AES-128-CBC", requests=1000)
        self.assertGreater(self.provider("AES-128-CBC")[0], got * 5)

    def test_a_driver_stays_while_it_is_used_and_software_works_when_it_is_gone(self):
        self.load(just_cbc(CAAM))
        player = self.player(always("AES-128-CBC")).plays_right("AES-128-CBC")
        self.fault(delay=600000)
        self.reset()
        player.start("AES-128-CBC", requests=50)
        while not self.device():
            time.sleep(0.01)
        self.assertNotEqual(subprocess.run(["rmmod", "accel"], capture_output=True).returncode, 0)
        self.fault(delay=0)
        self.assertEqual(player.answer(), "right")
        self.assertEqual(self.provider("AES-128-CBC")[0], 51)
        self.unload()
        self.load_nothing_by_itself()
        # One failure: after two that take long on a busy machine, the driver rests for a minute.
        player.plays_right("AES-128-CBC", requests=1)
        self.assertEqual(self.provider("AES-128-CBC")[0], 51)
        self.load(just_cbc(CAAM))
        player.plays_right("AES-128-CBC", requests=10)
        self.assertEqual(self.provider("AES-128-CBC")[0], 61)
        self.assertEqual(self.device("done"), 10)


class Slow(Accel):
    def test_a_device_that_is_slower_than_software_is_left_alone(self):
        """Slower than software, even if software is preempted for a while in each measurement."""
        self.load(just_cbc(CAAM))
        self.fault(delay=200)
        row = self.row("AES-128-CBC", "ciphers = AES-128-CBC")
        self.assertEqual([row[key] for key in ("offered", "reason", "threshold_source", "threshold")],
                         [False, "slower", None, None])
        self.reset()
        player = self.player("ciphers = AES-128-CBC")
        player.plays_right("AES-128-CBC", length=65536, requests=20)
        looks = self.provider("AES-128-CBC")[0]
        trial = self.device() - looks
        self.assertGreater(trial, 10)
        player.plays_right("AES-128-CBC", length=65536, requests=20)
        # If the trial was disturbed, a request is soon done both ways.
        looks = self.provider("AES-128-CBC")[0]
        self.assertLess(looks, 10)
        self.assertEqual(self.device(), trial + looks)

    def test_a_device_gets_what_is_as_long_as_a_threshold_that_is_configured(self):
        """After how many bytes a session pays depends on measured times, so the test repeats it."""
        self.load(just_cbc(CAAM))
        self.fault(delay=1)
        player = self.player("ciphers = AES-128-CBC:8192")
        player.plays_right("AES-128-CBC", length=8192, requests=1000)
        self.reset()
        before = self.provider("AES-128-CBC")[0]
        player.plays_right("AES-128-CBC", length=8176, requests=1000)
        self.assertEqual(self.device(), 0)
        for _ in range(100):
            player.plays_right("AES-128-CBC", length=8192, requests=1000)
            if self.device():
                break
        self.assertEqual(self.device(), self.provider("AES-128-CBC")[0] - before)
        self.assertGreater(self.device(), 0)

    def test_each_driver_that_does_not_answer_is_tried_once_and_the_rest_all_the_same(self):
        self.load(dict(CAAM, algs="cbc,ctr"))
        self.fault(delay=600000)
        rows = {row["name"]: row for row in self.listing(always(*AES_CBC, *AES_CTR))["algorithms"]}
        for name in AES_CBC + AES_CTR:
            self.assertEqual([rows[name][key] for key in ("offered", "tried", "reason")],
                             [False, True, "no-answer"], name)
        # None has answered by now, and the tool has ended.
        self.assertEqual((self.device("requests"), self.device("done")), (1, 0))
        self.fault(delay=0)
        # The processes that waited have ended, and made no further requests.
        self.unload()
        self.load(dict(CAAM, algs="cbc,ctr"))
        self.assertEqual(self.row("AES-128-CBC", always("AES-128-CBC"))["reason"], "ok")


class Selftest(Accel):
    def test_a_lie_of_a_driver_that_is_trusted_is_a_wrong_message(self):
        self.load(just_cbc(CAAM))
        self.fault(corrupt_from=500)
        code, page = asked(self, TOOL, "--config", self.cnf("ciphers = AES-128-CBC"))
        self.assertEqual((code, bad(page)), (1, {"random messages", "repetitions"}))


class Tuned(Accel):
    ROWS = {"ciphers": [*ONE_OF_EACH, "AES-256-XTS", "AES-256-GCM"], "digests": ["SHA256"], "macs": ["HMAC-SHA256"]}

    def tuned(self, suffix=""):
        return self.cnf("tune_file = " + self.path("tune"),
                        *(f"{kind} = " + " ".join(name + suffix for name in names) for kind, names in self.ROWS.items()))

    def test_tune_finds_every_driver_right_and_all_of_them_get_requests(self):
        self.load(dict(CAAM, algs="cbc,ctr,ecb,3des,xts,gcm,sha256,hmac"))
        out = self.run_([TOOL, "tune", "--seconds", "2", "--json", "--config", self.tuned()]).stdout
        reasons = {f["algorithm"]: f["reason"] for f in json.loads(out)["facts"]}
        self.assertEqual(reasons, dict.fromkeys(sum(self.ROWS.values(), []), "ok"))
        for name in reasons:
            before = self.device()
            self.run_([DIFF, "--alg", name, "--rounds", "30", "--config", self.tuned(":0")])
            self.assertGreater(self.device(), before + 5, name)


class Pages(Accel):
    """One thread encrypts, another forks, a third writes to the pages that it can reach."""
    FACE = dict(CAAM, algs="cbc,ctr,gcm,sha256,hmac")
    ROWS = {"AES-128-CBC": "ciphers", "AES-256-CTR": "ciphers", "AES-128-GCM": "ciphers",
            "SHA256": "digests", "HMAC-SHA256": "macs"}
    REQUESTS = 100

    def wrong(self, row, length):
        """The number of wrong answers to requests that all went to the device."""
        cnf = self.cnf(f"{self.ROWS[row]} = {row}:0")
        before = self.provider(row)[0]
        r = self.run_([PAGES, row, str(length), str(self.REQUESTS)], cnf, ok=False)
        self.assertEqual(self.provider(row)[0] - before, self.REQUESTS + 1, r.stderr.decode())
        return r.stdout.decode()

    def test_no_child_gets_a_page_that_the_device_writes_an_answer_to(self):
        self.load(self.FACE)
        self.fault(delay=2)
        for row in self.ROWS:
            for length in (16384, 48):
                with self.subTest(row, length=length):
                    self.assertEqual(self.wrong(row, length), "0 wrong\n")


class Differential(Accel):
    def test_all_ciphers_over_a_device_without_faults(self):
        self.load(dict(CAAM, algs=CAAM["algs"] + ",xts"))
        counted = self.diff(HARDWARE_CNF, 15, "--rounds", "600")
        self.assertEqual(self.device("failed"), 0)
        self.assertGreater(counted, 0)
        self.assertGreaterEqual(self.device("done"), counted)

    def test_all_ciphers_while_every_seventh_request_fails(self):
        """Each cipher needs a process of its own, as the first requests are a trial's, which must not
        fail."""
        self.load(CAAM)
        for name in ONE_OF_EACH:
            trial = self.trial(name)
            self.reset()
            self.fault(fail_every=7, fail_after=trial)
            self.diff(HARDWARE_CNF, 1, "--alg", name, "--rounds", "150")
            self.assertGreater(self.device("failed"), 10)
            self.fault(fail_every=0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
