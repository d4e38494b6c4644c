#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto bench --tls: each of the four ways did its records itself, or has no figures.

usage: bench_tls_test.py BUILD MODULE"""

import json
import os
import re
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from accel import CAAM, Accel
from case import TOOL

RECORD = 16384


def sealed_by_kernel():
    """The number of keys that kTLS has taken so far."""
    with open("/proc/net/tls_stat") as f:
        return int(re.search(r"TlsTxSw\s+(\d+)", f.read()).group(1))


class Records(Accel):
    def setUp(self):
        super().setUp()
        subprocess.run(["modprobe", "tls"], check=True)
        self.load(dict(CAAM, algs="cbc,gcm"))

    def bench(self, name, version="1.2"):
        """The lines of this algorithm, and the advice."""
        r = self.run_([TOOL, "bench", "--tls", "--tls-version", version, "--json", "--seconds", "1", "--algorithms", name,
                       "--config", self.cnf()])
        report = json.loads(r.stdout)
        advice, = report["advice"]
        rows = {row["line"]: row for row in report["rows"]}
        self.assertEqual(list(rows), ["software", "kcrypto", "kTLS", "both"])
        for row in rows.values():
            self.assertEqual((row["algorithm"], row["direction"], row["size"]),
                             (name, "both", RECORD))
            if not row.get("why"):
                for key in ("mb_per_s", "requests", "process_s_per_gb"):
                    self.assertGreater(row[key], 0)
        return rows, advice

    def test_each_way_does_its_records_itself(self):
        keys = sealed_by_kernel()
        self.reset()
        rows, advice = self.bench("AES-128-GCM")
        self.assertEqual([row.get("why") for row in rows.values()], [None] * 4)
        self.assertEqual([row["kernel_share"] for row in rows.values()], [0, 1, 1, 1])
        self.assertEqual([row["driver"] for row in rows.values()], [None] + 3 * ["gcm-aes-caam"])
        self.assertGreater(sealed_by_kernel(), keys)
        # The device seals and opens each record. A trial and a warm-up come before them.
        ours, size, redone = self.provider("AES-128-GCM")
        self.assertGreaterEqual(ours, 2 * rows["kcrypto"]["requests"])
        self.assertGreaterEqual(size, 2 * RECORD * rows["kcrypto"]["requests"])
        self.assertGreaterEqual(self.device("done") - ours, 2 * rows["kTLS"]["requests"])
        self.assertEqual(redone, 0)
        self.assertIn(advice["best"], [None, *rows])

    def test_records_of_tls_13_are_opened_by_somebody(self):
        """OpenSSL 3.0 uses kTLS to send TLS 1.3 records only. With kcrypto beside it, nothing is left to
        software."""
        rows, advice = self.bench("AES-128-GCM", "1.3")
        self.assertEqual([row.get("why") for row in rows.values()], [None] * 4)
        opens = 1 if "note" not in rows["kTLS"] else 0.5
        self.assertEqual([round(row["kernel_share"], 2) for row in rows.values()], [0, 1, opens, 1])
        self.assertIn(advice["best"], [None, *rows])

    def test_ktls_has_no_cbc(self):
        rows, _ = self.bench("AES-128-CBC")
        self.assertIsNone(rows["kTLS"]["mb_per_s"])
        for line in ("kTLS", "both"):
            self.assertIn("lacks this cipher", rows[line]["why"])
        self.assertIsNone(rows["kTLS"]["driver"])
        # Software removes the padding of an opened record.
        self.assertGreater(rows["kcrypto"]["kernel_share"], 0.98)

    def test_a_device_that_lies_has_no_figures(self):
        self.fault(corrupt_from=1)
        rows, advice = self.bench("AES-256-GCM")
        self.assertEqual([row["mb_per_s"] is None for row in rows.values()], [False, True, True, True])
        self.assertIn("not all of the work", rows["kcrypto"]["why"])
        self.assertIn("is wrong", rows["kTLS"]["why"])
        self.assertEqual((advice["best"], advice["command"]), (None, None))

    def test_a_kernel_without_tls_is_a_reason(self):
        self.modprobe()
        subprocess.run(["rmmod", "tls"], check=True)
        rows, _ = self.bench("AES-128-GCM")
        self.assertIsNone(rows["kTLS"]["mb_per_s"])
        self.assertIn("the kernel has no TLS", rows["kTLS"]["why"])
        self.assertFalse(os.path.exists("/sys/module/tls"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
