#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every row that a driver has: kcrypto tune finds the driver right, and with tune's file the kernel gets
the row's requests. Uses the stand-in, or, if the machine is named, its kernel.

usage: tune_rows_test.py BUILD [MACHINE]"""

import json
import os
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import BUILD, MODULE, STANDIN, STANDIN_TOOL, TOOL, Case
from machine import ADMIT, MACHINE

HERE = MACHINE == "host"
RUN, PLAY = ((STANDIN_TOOL, "kcrypto-diff-standin") if HERE else (TOOL, "kcrypto-diff"))


class TuneRows(Case):
    module = STANDIN if HERE else MODULE

    def tool(self, *words):
        return json.loads(self.run_([RUN, *words, "--json"]).stdout)

    def lines(self, suffix=""):
        """Lines for all rows. A name under another kind's key only causes a remark."""
        rows = self.tool("list", "--no-trial", "--config", "/dev/null")["algorithms"]
        names = " ".join(row["name"] + suffix for row in rows)
        return [*ADMIT, "tune_file = " + self.path("tune"),
                *("%s = %s" % (key, names) for key in ("ciphers", "digests", "macs"))]

    def used(self, *lines):
        """A configuration whose drivers have been used once, as the kernel lists an instance of a template
        only then."""
        cnf = self.cnf(*lines)
        self.tool("list", "--config", cnf)
        return cnf

    def test_each_driver_is_right_and_gets_requests(self):
        facts = self.tool("tune", "--seconds", "1", "--config", self.used(*self.lines()))["facts"]
        self.assertTrue(facts)
        self.assertEqual({f["algorithm"]: f["reason"] for f in facts if f["reason"] != "ok"}, {})
        facts = [f for f in facts if not f.get("in_blocks")]
        # Rows that a kernel only might have get no fact.
        rows = self.tool("list", "--no-trial", "--config", self.cnf(*self.lines(":0")))["algorithms"]
        offered = [row["name"] for row in rows if row["offered"] and row["driver"]]
        self.assertEqual(sorted(offered), sorted(f["algorithm"] for f in facts))
        # A list that tests no driver knows what tune saw of each one.
        rows = self.tool("list", "--config", self.cnf(*self.lines()))["algorithms"]
        seen = {(row["name"], row["backend"]): row["done_by"] for row in rows}
        # A machine that is busy for half a minute leaves some rows out, which nothing tested.
        looked_at = [f for f in facts if f["done_by"]]
        for f in looked_at:
            self.assertEqual(f["done_by"], seen[f["algorithm"], f["backend"]], f)
        self.assertTrue(looked_at if HERE else len(looked_at) < len(facts))
        # Each run asserts that the kernel did a part of every row. Accelerators may have few
        # ciphers.
        plays = [(("--hashes",), "100", "all"), ((), "200", "all")] if "SHA256" in offered else \
            [((), "200", str(len(offered)))]
        for kind, rounds, rows in plays:
            self.run_([os.path.join(BUILD, "tests", PLAY), *kind, "--rounds", rounds, "--expect", rows,
                       "--config", self.cnf(*self.lines(":0"))])

    def test_blocks_of_a_digest_have_a_fact_of_their_own(self):
        """list then reports what the facts say, of blocks and of whole messages."""
        if not HERE:
            return
        lines = ("soft_drivers = 1", "ciphers = NONE", "digests = SHA256 SHA3-256", "tune_file = " + self.path("tune"))
        env = {"KC_STANDIN_BLOCKS": "1"}
        words = [RUN, "tune", "--seconds", "2", "--config", self.used(*lines)]
        facts = json.loads(self.run_([*words, "--json"], env=env).stdout)["facts"]
        self.assertEqual([(f["algorithm"], f.get("in_blocks")) for f in facts],
                         [("SHA256", False), ("SHA256", True), ("SHA3-256", None)])
        self.assertEqual({f["reason"] for f in facts}, {"ok"})
        rows = json.loads(self.run_([RUN, "list", "--json", "--no-trial", "--config", self.cnf(*lines)],
                                    env=env).stdout)["algorithms"]
        row = next(row for row in rows if row["name"] == "SHA256")
        if row["reason"] == "slower":
            return
        blocks = facts[1]
        if "threshold" in blocks:
            self.assertEqual(row["blocks_threshold"], blocks["threshold"])
            self.assertEqual(row["blocks_reason"], "ok" if blocks["threshold"] else "slower")
        self.assertEqual(row["blocks_done_by"], blocks["done_by"])

    def test_what_cannot_be_opened_now_keeps_its_rows(self):
        """As in a service that may not open the device: its file must not replace the better one."""
        if not HERE:
            return
        cnf = self.used("soft_drivers = 1", "ciphers = AES-128-CBC", "tune_file = " + self.path("tune"))
        words = [RUN, "tune", "--seconds", "1", "--config", cnf]
        facts = json.loads(self.run_([*words, "--json"]).stdout)["facts"]
        self.assertEqual(len(facts), 1)
        # A busy machine needs more seconds for the examination; unless it ends, the file stays
        # stale.
        for words[3] in ("1", "4", "16", "64"):
            if b"before every driver was examined" not in self.run_(words).stdout:
                break
        before = self.contents("tune")
        gone = {"KC_STANDIN_ABSENT": "1"}
        r = self.run_(words, env=gone)
        self.assertIn(b"cannot be opened now: its rows of the last file are kept", r.stdout)
        self.assertEqual(self.contents("tune"), before)
        self.assertIn(b"up to date", self.run_([*words, "--if-stale"], env=gone).stdout)
        self.assertIn(b"up to date", self.run_([*words, "--if-stale"]).stdout)
        # Without facts no file is written; the old one is removed if that is asked for.
        nothing = [*words[:-1], self.cnf("ciphers = NONE", "tune_file = " + self.path("tune"))]
        self.assertIn(b"there is no driver to tune", self.run_(nothing).stdout)
        self.assertEqual(self.contents("tune"), before)
        self.run_([*nothing, "--forget"])
        self.assertFalse(os.path.exists(self.path("tune")))
        self.run_(nothing)
        self.assertFalse(os.path.exists(self.path("tune")))

    def contents(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def test_as_a_user_it_says_at_once_who_may_write_the_file(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become a user")
        os.chmod(self.dir.name, 0o755)
        cnf = self.cnf("ciphers = AES-128-CBC")
        r = self.run_(["setpriv", "--reuid=65534", "--clear-groups", RUN, "tune", "--seconds", "600", "--config",
                       cnf, "--output", self.path("sub", "tune")], ok=False)
        self.assertEqual(r.returncode, 1)
        self.assertIn("run this as root", r.stderr.decode())

    def test_columns_have_names_and_units_and_what_is_not_settled_is_said(self):
        r = self.run_([RUN, "tune", "--dry-run", "--seconds", "1", "--config",
                       self.used("soft_drivers = 1", "ciphers = AES-128-CBC")]).stdout.decode()
        for word in ("ALGORITHM", "BACKEND", "DRIVER", "FASTER FROM", "LESS CPU", "DECRYPT"):
            self.assertIn(word, r.split("AES-128-CBC")[0])
        self.assertIn("in bytes", r)
        self.assertLessEqual(max(map(len, r.splitlines())), 80)
        # A second is too short to measure CPU time; the output gives a number of seconds that
        # suffices.
        self.assertRegex(" ".join(r.split()), r"for LESS CPU: the time was too short .* with --seconds [2-9]\.")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
