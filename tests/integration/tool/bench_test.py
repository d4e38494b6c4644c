#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto bench and kcrypto run: they report what really happened.

Takes the build directory and the machine.
"""

import json
import os
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
import case
from case import TOOL, Case
from machine import ADMIT, BACKEND

FILE = "/usr/bin/openssl"


class Table(Case):
    def bench(self, *options):
        r = self.run_([TOOL, "bench", "--seconds", "1", "--config", self.cnf(*ADMIT),
                       *options])
        return r.stdout.decode()

    def rows(self, *options):
        report = json.loads(self.bench("--json", *options))
        return {(r["algorithm"], r["line"], r["size"]): r for r in report["rows"]}

    def test_a_backends_line_has_a_number_only_where_the_kernel_did_all_of_it(self):
        rows = self.rows("--algorithms", "AES-128-CBC", "--sizes", "16,4096")
        line = [r for (_, line, _), r in rows.items() if line == BACKEND]
        self.assertEqual(len(line), 2)
        for r in line:
            self.assertEqual(r["kernel_share"], 1)
            self.assertGreater(r["mb_per_s"], 0)
            self.assertGreater(r["requests"], 0)

    def test_what_the_kernel_lacks_has_no_number_in_a_backends_line(self):
        rows = self.rows("--algorithms", "ARIA-128-CBC", "--sizes", "16384")
        self.assertGreater(rows["ARIA-128-CBC", "software", 16384]["mb_per_s"], 0)
        for (_, line, _), r in rows.items():
            if line == BACKEND:
                self.assertIsNone(r["mb_per_s"])

    def test_software_never_goes_to_the_kernel(self):
        rows = self.rows("--algorithms", "AES-128-CBC,SHA256", "--sizes", "64,16384")
        for name in ("AES-128-CBC", "SHA256"):
            for size in (64, 16384):
                self.assertEqual(rows[name, "software", size]["kernel_share"], 0)
                self.assertGreater(rows[name, "software", size]["mb_per_s"], 0)

    def test_every_kind_of_algorithm_can_be_measured(self):
        names = "AES-128-CBC-CTS AES-128-XTS AES-128-GCM AES-128-CCM SHA256 HMAC-SHA256 " \
            "CMAC-AES-128"
        rows = self.rows("--algorithms", names, "--sizes", "64")
        for name in names.split():
            self.assertGreater(rows[name, "software", 64]["mb_per_s"], 0, name)
            self.assertGreater(rows[name, "as configured", 64]["mb_per_s"], 0, name)

    def test_several_processes_work_at_a_time(self):
        rows = self.rows("--algorithms", "AES-128-CBC", "--sizes", "4096", "--processes", "2")
        for line in ("software", "as configured"):
            self.assertGreater(rows["AES-128-CBC", line, 4096]["requests"], 0)

    def test_the_table_has_every_row(self):
        text = self.bench("--algorithms", "AES-128-CBC", "--sizes", "16,64")
        for word in ("software", "as configured", "MB/s", "machine s/GB", "process s/GB", "\nAES-128-CBC: "):
            self.assertIn(word, text)

    def test_what_is_asked_for_wrongly_is_named(self):
        for words in (["--algorithms", "AES-128-CBX"], ["--sizes", "16,x"], ["--processes", "0"],
                      ["--nonsense"], ["more"]):
            r = self.run_([TOOL, "bench", *words], ok=False)
            self.assertEqual(r.returncode, 2, words)
            self.assertIn(words[-1].split(",")[-1], r.stderr.decode())
        for option in ("--algorithms", "--sizes"):
            self.assertEqual(self.run_([TOOL, "bench", option, ","], ok=False).returncode, 2)


class Records(Case):
    def bench(self, *options, ok=True, env=()):
        return self.run_([TOOL, "bench", "--tls", "--seconds", "1", *options],
                         cnf=self.cnf(*ADMIT), ok=ok, env=env)

    def test_a_line_has_figures_or_a_reason(self):
        r = self.bench("--json", "--algorithms", "AES-128-GCM,AES-128-CBC", "--sizes", "1024,16384")
        rows = json.loads(r.stdout)["rows"]
        self.assertEqual(len(rows), 2 * 2 * 4)
        for row in rows:
            self.assertEqual(row["mb_per_s"] is None, "why" in row, row)
            if row["line"] == "software":
                self.assertEqual(row["kernel_share"], 0)
                self.assertGreater(row["requests"], 0)

    def test_the_table_ends_with_advice(self):
        text = self.bench("--algorithms", "AES-128-GCM").stdout.decode()
        for word in ("software", "kcrypto", "kTLS", "both", "MB/s", "machine s/GB", "process s/GB"):
            self.assertIn(word, text)
        self.assertIn("\nAES-128-GCM, 16384 bytes: ", text)

    def test_records_are_of_the_version_that_is_asked_for(self):
        text = self.bench("--algorithms", "AES-128-GCM", "--tls-version", "1.3").stdout.decode()
        self.assertIn("\nAES-128-GCM, records of TLS 1.3, sealed and opened\n", text)
        for words in (["--tls-version", "1.1"], ["--tls-version", "1.3", "--algorithms", "AES-128-CBC"]):
            self.assertEqual(self.bench(*words, ok=False).returncode, 2, words)
        self.assertEqual(self.run_([TOOL, "bench", "--tls-version", "1.3"], ok=False).returncode, 2)

    def test_the_rest_of_the_tool_needs_no_libssl(self):
        name = f"libssl.so.{case.VERSION[0]}"
        self.write(name, "")
        env = {"LD_LIBRARY_PATH": self.dir.name}
        r = self.bench(ok=False, env=env)
        self.assertEqual((r.returncode, r.stdout), (1, b""))
        self.assertIn(f"{name} cannot be loaded", r.stderr.decode())
        self.run_([TOOL, "version"], env=env)

    def test_what_is_no_record_is_refused(self):
        for words in (["--sizes", "16385"], ["--algorithms", "AES-128-XTS"], ["--decrypt"],
                      ["--", "true"]):
            self.assertEqual(self.bench(*words, ok=False).returncode, 2, words)


class Command(Case):
    ENCRYPT = [*case.ENC_128, "-in", FILE]

    def run_tool(self, *words, ok=True, cnf=None):
        return self.run_([TOOL, *words], cnf=cnf or self.cnf(*ADMIT, "ciphers = AES-128-CBC:0"),
                         ok=ok, env={"OPENSSL_MODULES": case.BUILD})

    def test_a_command_runs_with_kcrypto_where_the_system_has_none(self):
        path = self.write("none.cnf", "# nothing\n")
        r = self.run_tool("run", "--", "openssl", "list", "-providers", cnf=path)
        self.assertIn("kcrypto", r.stdout.decode())
        self.assertEqual(self.read("none.cnf"), "# nothing\n")

    def test_a_command_has_what_the_systems_file_says(self):
        r = self.run_tool("run", "--", *self.ENCRYPT)
        plain = self.run_(self.ENCRYPT, cnf="/dev/null")
        self.assertEqual(r.stdout, plain.stdout)
        self.assertGreater(self.requests("AES-128-CBC"), 0)

    def test_a_file_that_cannot_be_parsed_is_a_reason(self):
        path = self.write("bad.cnf", "[open\n")
        r = self.run_tool("run", "true", ok=False, cnf=path)
        self.assertEqual(r.returncode, 1)
        self.assertIn("parse the openssl.cnf", r.stderr.decode())

    def test_pairs_of_a_command_say_what_went_to_the_kernel(self):
        r = self.run_tool("bench", "--runs", "2", "--json", "--", *self.ENCRYPT)
        report = json.loads(r.stdout)
        self.assertEqual((report["runs"], report["speed"]), (2, None))
        for measure in ("wall_s", "process_s", "machine_s"):
            self.assertGreaterEqual(report[measure]["with"], 0)
        rows = {row["algorithm"]: row for row in report["by_kernel"]}
        # Three runs use it; the first one does not count, but was done.
        self.assertEqual(rows["AES-128-CBC"]["bytes"] // 3 // 8192,
                         os.path.getsize(FILE) // 8192)

    def test_three_pairs_are_enough_for_a_figure(self):
        text = self.run_tool("bench", "--runs", "3", "--", *self.ENCRYPT).stdout.decode()
        self.assertRegex(text, r"With kcrypto, it is \d+\.\d\d ± \d+\.\d\d times as fast, over 3 pairs")

    def test_a_command_that_needs_no_cipher_is_told_so(self):
        r = self.run_tool("bench", "--runs", "1", "--", "true")
        self.assertIn("nothing went to the kernel: the command does not use", r.stdout.decode())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
