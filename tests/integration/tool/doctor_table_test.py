#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The rows of kcrypto doctor's tables: each has words, a remedy and a test.

usage: doctor_table_test.py BUILD SOURCE
"""

import os
import re
import sys
import unittest
from pathlib import Path

SOURCE = sys.argv[2]


class Table(unittest.TestCase):
    """Every row can be found, and every reason has a row."""
    ELSEWHERE = ("no-hardware",)  # found in machines only

    def rows(self):
        with open(os.path.join(SOURCE, "src/cli/doctor/faults.def")) as f:
            return re.findall(r'^FAULT\((\w+), "([^"]+)", (\w+), "(.*?)", "(.*)", "(.*)"\)$', f.read(), re.M)

    def test_each_fault_has_a_test(self):
        tests = ""
        for name in "doctor_test.py", "doctor_command_test.py", "doctor_keys_test.py", \
                "../../module/admission_test.py", "../../config/check_test.py":
            tests += Path(os.path.dirname(__file__), name).read_text()
        for _, word, *_ in self.rows():
            self.assertTrue(word in self.ELSEWHERE or f'"{word}"' in tests, word)

    def test_each_row_has_words_and_no_more_names_than_there_is_room_for(self):
        self.assertGreater(len(self.rows()), 50)
        for _, word, state, text, command, advice in self.rows():
            self.assertIn(state, ("NOTE", "OFF", "BROKEN", "BLIND"))
            self.assertTrue(text and (command or advice), word)
            self.assertNotRegex(command, "sed -i", word)
            names = re.sub("^<[a-z]+>", "", command)
            self.assertLessEqual(len(set(re.findall("<[a-z]+>", text + names + advice))), 4, word)

    def test_each_reason_has_a_row_with_something_to_do(self):
        rows = re.findall(r'^KC_REASON\((KC_\w+), (\w+), \w+, "[^"]+", "[^"]+",\s*(NULL|"[^"]+"), '
                          r'(NULL|KC_\w+|"[^"]+")\)$',
                          Path(SOURCE, "src/core/reasons.def").read_text(), re.M)
        self.assertGreater(len(rows), 30)
        for reason, about, advice, fix in rows:
            self.assertTrue(about == "KC_ABOUT_NOTHING" or (advice, fix) != ("NULL", "NULL"), reason)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
