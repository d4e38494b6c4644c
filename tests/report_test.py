#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto-report: the advice follows from the results, errors in a file are reported, and the page
has all of the results and needs no other file.

Takes the root of the source tree."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "report"))
import advice  # noqa: E402
import drawing  # noqa: E402
import page  # noqa: E402
import results  # noqa: E402
from folder import Folder  # noqa: E402

SIZES = (16, 1024, 8192, 16384, 65536)
# Seconds of a request, and of the machine's CPU: microseconds per request, and microseconds per
# KiB.
SOFTWARE = (0.1, 16, 0.1, 16)
SLOW_SOFTWARE_KERNEL = (100, 4, 40, 2)  # crosses at 8.3 KiB, by CPU time at 2.9 KiB
CPU_ONLY = (100, 20, 40, 2)
NEVER = (100, 20, 100, 20)


def rows(line, cost, sizes=SIZES, algorithm="AES-128-CBC", driver=None, kind=None, **more):
    """Rows of a contender that takes a fixed time and a time per byte. cost: None for no result."""
    found = []
    for size in sizes:
        row = {"algorithm": algorithm, "direction": "encrypt", "line": line, "driver": driver,
               "kind": kind, "size": size, "mb_per_s": None, "spread": None,
               "machine_s_per_gb": None, "process_s_per_gb": None,
               "kernel_share": None, "requests": 0}
        if cost:
            wall, per_wall, cpu, per_cpu = cost
            busy = (cpu + per_cpu * size / 1024) * 1000 / size
            row.update(mb_per_s=size / (wall + per_wall * size / 1024), spread=0.05,
                       machine_s_per_gb=busy, process_s_per_gb=busy / 2, kernel_share=0,
                       requests=100)
        found.append({**row, **more})
    return found


def board(*groups, **more):
    return {"version": "0.1.0", "board": "Example Router", "soc": "example,soc", "kernel": "6.1.0",
            "cpu_instructions": [], "machine": "armv7l", "openssl": "OpenSSL 3.0.19",
            "openssl_conf": None, "processors": 2, "processes": 1, "rounds": 9,
            "rows": [row for group in groups for row in group], **more}


def accelerated(cost=SLOW_SOFTWARE_KERNEL, algorithm="AES-128-CBC", driver="mv-cbc-aes", **more):
    return board(rows("software", SOFTWARE, algorithm=algorithm),
                 rows("AF_ALG", cost, algorithm=algorithm, driver=driver, kind="hardware"),
                 rows("as configured", SOFTWARE, algorithm=algorithm), **more)


class Case(Folder):
    def file(self, content, name="board.json"):
        return self.write(name, content if isinstance(content, str) else json.dumps(content))

    def run_(self, *words):
        return subprocess.run(["/usr/bin/python3", ROOT / "report/kcrypto-report", *words],
                              capture_output=True, text=True)

    def files(self, *boards):
        return [self.file(b, f"board{i}.json") for i, b in enumerate(boards)]

    def page(self, *boards, note=""):
        return page.page(results.read(self.files(*boards)), note)

    def report(self, *boards, options=()):
        r = self.run_(*self.files(*boards), "-o", self.path("out"), *options)
        self.assertEqual((r.returncode, r.stdout, r.stderr), (0, "", ""))
        return self.read("out/index.html")


def advised(report, name="AES-128-CBC"):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(report, f)
        f.flush()
        found = results.read([f.name])[0]
    return advice.advise(found.algorithms[name, "encrypt"], found.facts.get("cpu_instructions"))


class Sentences(unittest.TestCase):
    def test_each_kind_of_result_has_its_sentence(self):
        slow = {"cost": NEVER}
        software = rows("software", SOFTWARE)
        unmeasured = board(rows("software", None), rows("AF_ALG", SLOW_SOFTWARE_KERNEL, driver="x",
                                                        kind="hardware"))
        cases = (
            ("offload", accelerated(),
             "Offload from 8.3 KiB: 1.6 times as fast at 16 KiB, 72 % of the CPU free."),
            ("offload", accelerated(cpu_instructions=["aes"]),
             "Offload from 8.3 KiB: 1.6 times as fast at 16 KiB, 72 % of the CPU free."),
            ("offload", accelerated((0.05, 8, 0.1, 32)),
             "Offload from 16 bytes: 2.0 times as fast at 16 KiB, but 100 % more CPU time."),
            ("offload", accelerated((400, 4, 400, 16)),
             "Offload from 33 KiB: 1.6 times as fast at 64 KiB, but 39 % more CPU time."),
            ("offload_cpu", accelerated(CPU_ONLY), "Offload from 2.9 KiB if the CPU is short of time "
             "(prefer = cpu): slower (0.6 of software's speed) at 16 KiB, 72 % of the CPU free."),
            ("offload", accelerated((250, 0.1, 250, 0.1)),
             "Offload from 16 KiB: 4.0 times as fast at 64 KiB, 75 % of the CPU free."),
            ("offload_cpu", accelerated((20, 15.5, 40, 2)), "Offload from 2.9 KiB if the CPU is short "
             "of time (prefer = cpu): as fast at 16 KiB, 72 % of the CPU free."),
            ("slower", accelerated((20, 15.5, 100, 20)),
             "Leave it off: the kernel is no faster, not even at 64 KiB."),
            ("instructions", accelerated(**slow, cpu_instructions=["aes"]), "Leave it off: this CPU "
             "has AES instructions; software is 1.3 times as fast at 64 KiB."),
            ("slower", accelerated(**slow, cpu_instructions=["sha_ni"]),
             "Leave it off: software is 1.3 times as fast at 64 KiB."),
            ("slower", accelerated(**slow, cpu_instructions=None),
             "Leave it off: software is 1.3 times as fast at 64 KiB."),
            ("slower", accelerated((0.1, 16, 0.1, 16)),
             "Leave it off: the kernel is no faster, not even at 64 KiB."),
            ("kernel_software",
             board(software, rows("AF_ALG", NEVER, driver="cbc-aes-aesni", kind="software")),
             "Leave it off: the kernel does it in software, too (cbc-aes-aesni)."),
            ("no_driver", board(software, rows("AF_ALG", None)),
             "Leave it off: the kernel lists no driver for it."),
            ("no_driver", board(software), "Leave it off: the kernel lists no driver for it."),
            # A driver that the kernel creates on demand is software.
            ("no_driver", board(software, rows("AF_ALG", SLOW_SOFTWARE_KERNEL, kind="unknown")),
             "Leave it off: the kernel lists no driver for it."),
            ("not_done", accelerated(None), "No advice: mv-cbc-aes did not do the work."),
            ("no_software", unmeasured, "No advice: software was not measured."),
        )
        for kind, report, sentence in cases:
            found = advised(report)
            self.assertEqual((found.kind, found.sentence), (kind, sentence))

    def test_instructions_are_those_of_the_algorithm(self):
        for name, word, text in (("AES-256-GCM", "aes", "AES"), ("CMAC-AES-128", "msa", "AES"),
                                 ("SHA256", "sha2", "SHA"), ("HMAC-SHA1", "sha_ni", "SHA"),
                                 ("SHA512", "sha512", "SHA-512"), ("SHA3-256", "sha3", "SHA-3")):
            for words, kind in (([word], "instructions"), (["sm3"], "slower")):
                found = advised(accelerated(NEVER, name, cpu_instructions=words), name)
                self.assertEqual(found.kind, kind, (name, words))
            found = advised(accelerated(NEVER, name, cpu_instructions=[word]), name)
            self.assertIn(f"has {text} instructions", found.sentence)
        self.assertEqual(advised(accelerated(NEVER, "DES-EDE3-CBC", cpu_instructions=["aes"]),
                                 "DES-EDE3-CBC").kind, "slower")

    def test_of_several_backends_the_fastest_is_named(self):
        found = advised(board(rows("software", SOFTWARE),
                              rows("AF_ALG", (100, 4, 40, 2), driver="x", kind="hardware"),
                              rows("/dev/crypto", (70, 3, 30, 1), driver="x", kind="hardware")))
        self.assertEqual(found.sentence, "Offload from 5.4 KiB by /dev/crypto: "
                         "2.2 times as fast at 16 KiB, 82 % of the CPU free.")

    def test_a_driver_of_the_kernels_software_is_never_advised(self):
        found = advised(board(rows("software", SOFTWARE),
                              rows("AF_ALG", (1, 1, 1, 1), driver="fast", kind="software"),
                              rows("/dev/crypto", NEVER, driver="slow", kind="hardware")))
        self.assertEqual((found.kind, found.backend.label), ("slower", "/dev/crypto"))


class Crossovers(unittest.TestCase):
    def crossing(self, gains, measure="mb_per_s"):
        """The crossing of a kernel that takes so much less time than software, which takes 100 us, at each
        size."""
        def contender(times):
            c = results.Contender("x", None, None)
            for (size, _), t in zip(gains, times):
                c.rows[size] = {"mb_per_s": size / t, "machine_s_per_gb": t / size}
            return c
        return advice.crossover(contender([100] * len(gains)),
                                contender([100 - gain for _, gain in gains]), measure)

    def test_it_is_where_the_lines_of_two_sizes_meet(self):
        for measure in ("mb_per_s", "machine_s_per_gb"):
            n = self.crossing(((1024, -60), (2048, -30), (4096, 10), (8192, 50)), measure)
            self.assertAlmostEqual(n, 2048 + 2048 * 30 / 40)

    def test_a_kernel_that_always_wins_crosses_at_the_smallest_size(self):
        self.assertEqual(self.crossing(((16, 1), (64, 2))), 16)

    def test_a_kernel_that_does_not_win_at_the_largest_size_never_crosses(self):
        self.assertIsNone(self.crossing(((16, -1), (64, 5), (256, -1))))
        self.assertIsNone(self.crossing(((16, -1), (64, 0))))

    def test_from_there_on_it_wins_at_every_size(self):
        n = self.crossing(((16, -1), (64, 1), (256, -1), (1024, 5)))
        self.assertAlmostEqual(n, 384)

    def test_sizes_without_a_result_do_not_count(self):
        report = accelerated()
        for row in report["rows"]:
            if row["line"] == "AF_ALG" and row["size"] in (16, 8192):
                row.update(mb_per_s=None, machine_s_per_gb=None, process_s_per_gb=None)
        self.assertEqual(advised(report).sentence[:21], "Offload from 8.3 KiB:")

    def test_sizes_are_written_as_people_say_them(self):
        for n, text in ((16, "16 bytes"), (999.6, "1000 bytes"), (1024, "1 KiB"), (1434, "1.4 KiB"),
                        (9523, "9.3 KiB"), (10180, "9.9 KiB"), (10239, "10 KiB"), (12345, "12 KiB"),
                        (131072, "128 KiB"), (1048576, "1 MiB")):
            self.assertEqual(advice.size_text(n), text)


class BadInput(Case):
    def refused(self, content, reason):
        r = self.run_(self.file(accelerated(), "good.json"), self.file(content), "-o",
                      self.path("out"))
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertEqual(r.stdout, "")
        self.assertRegex(r.stderr, rf"^kcrypto-report: {re.escape(self.dir.name)}/board\.json: "
                         rf".*{reason}.*\n\Z")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_what_is_no_json_is_refused(self):
        for text in ("", "kcrypto: nothing\n", '{"rows": [', "[" * 100000,
                     json.dumps(accelerated()).replace("0.05", "NaN")):
            self.refused(text, "no JSON")
        r = self.run_(self.write("board.json", b"\xff\xfe\x00"), "-o", self.path("out"))
        self.assertIn("no JSON", r.stderr)
        self.assertEqual(r.returncode, 1)

    def test_another_schema_is_refused(self):
        self.refused([], "it is no object")
        self.refused({"version": "0.1.0", "algorithms": []}, "not what .* it has no 'board'")
        self.refused({"runs": 5, "by_kernel": [], "verdict": ""}, "a command's result has no sizes")
        self.refused({**accelerated(), "advice": []}, "without --tls")
        for key in ("rows", "kernel", "openssl", "rounds"):
            report = accelerated()
            del report[key]
            self.refused(report, f"it has no '{key}'")
        self.refused({**accelerated(), "soc": 5}, "'soc' is no text")
        self.refused({**accelerated(), "rows": {}}, "'rows' is no list")
        self.refused({**accelerated(), "processes": "two"}, "'processes' is no number")
        self.refused({**accelerated(), "cpu_instructions": "aes"}, "'cpu_instructions' is no list")

    def test_rows_that_are_missing_are_named(self):
        self.refused(board(), "there are no rows")
        report = accelerated()
        self.refused({**report, "rows": [r for r in report["rows"] if r["line"] != "software"]},
                     "AES-128-CBC has no rows of software")
        self.refused({**report, "rows": report["rows"][:-1]},
                     "AES-128-CBC has no row of as configured at 65536 bytes")
        self.refused({**report, "rows": report["rows"] + report["rows"][:1]},
                     "row 16 says again what software did .* at 16 bytes")

    def test_one_size_alone_is_refused(self):
        report = accelerated()
        self.refused({**report, "rows": [r for r in report["rows"] if r["size"] == 1024]},
                     "AES-128-CBC has one size alone, 1024 bytes")

    def test_a_row_that_is_wrong_is_named(self):
        for change, reason in (({"size": 0}, "'size' is no number of bytes"),
                               ({"size": "16"}, "'size' is no number of bytes"),
                               ({"mb_per_s": "fast"}, "'mb_per_s' is no number"),
                               ({"mb_per_s": 0}, "'mb_per_s' is 0"),
                               ({"machine_s_per_gb": -1}, "'machine_s_per_gb' is no number"),
                               ({"driver": 7}, "'driver' is no text"),
                               ({"line": None}, "'line' is no text")):
            report = accelerated()
            report["rows"][2].update(change)
            self.refused(report, f"row 3.*{reason}")
        report = accelerated()
        del report["rows"][2]["spread"]
        self.refused(report, "row 3 has no 'spread'")
        report["rows"][2] = 5
        self.refused(report, "row 3 is no object")

    def test_files_that_cannot_be_read_or_written_are_named(self):
        good = self.file(accelerated())
        for words, named in (([self.path("none.json"), "-o", self.path("out")], "none.json: No such"),
                             ([good, "-o", good], "board.json: "),
                             ([good, "-o", good + "/out"], "Not a directory")):
            r = self.run_(*words)
            self.assertEqual(r.returncode, 1)
            self.assertIn(named, r.stderr)
            self.assertNotIn("Traceback", r.stderr)

    def test_a_picture_that_cannot_be_written_leaves_no_page(self):
        good = self.file(accelerated())
        r = self.run_(good, "-o", self.path("out"), "--picture", good + "/picture.svg")
        self.assertEqual(r.returncode, 1)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_an_old_page_stays_as_it_is(self):
        self.report(accelerated())
        before = sorted(os.listdir(self.path("out")))
        text = self.read("out/index.html")
        r = self.run_(self.file("{"), "-o", self.path("out"))
        self.assertEqual(r.returncode, 1)
        self.assertEqual(sorted(os.listdir(self.path("out"))), before)
        self.assertEqual(self.read("out/index.html"), text)

    def test_a_wrong_command_line_is_told_apart(self):
        for words in ([], ["x.json"], ["-o", self.path("out")], ["--nonsense"]):
            self.assertEqual(self.run_(*words).returncode, 2)


class Reader:
    """Reads the text of cells and paragraphs, and attributes that could refer to another file. The page is
    XML."""

    def __init__(self, text):
        elements = list(ElementTree.fromstring(text.replace("xlink:href", "href")).iter())
        self.words = [" ".join("".join(e.itertext()).split()) for e in elements
                      if e.tag in ("td", "th", "p", "h3")]
        self.links = [e.get(key) for e in elements
                      for key in ("href", "src", "data", "action", "poster", "srcset") if e.get(key)]
        self.ids = [e.get("id") for e in elements if e.get("id")]


class Page(Case):
    def test_every_row_and_board_appears(self):
        boards = (accelerated(), accelerated(NEVER, board="Server", cpu_instructions=["aes"]))
        cells = Reader(self.report(*boards, options=["--note", "A note."])).words
        self.assertIn("A note.", cells)
        for b in boards:
            for key in ("board", "soc", "kernel", "machine", "openssl", "version"):
                self.assertIn(b[key], cells)
            for row in b["rows"]:
                for key in ("mb_per_s", "machine_s_per_gb", "process_s_per_gb"):
                    v = row[key]
                    self.assertIn(f"{v:,.0f}" if v >= 100 else f"{v:.3g}", cells)
            self.assertEqual(cells.count(advised(b).sentence), 2)  # in the table, and above the charts
        for size in SIZES:
            self.assertEqual(cells.count(f"{size:,}"), 2)
        for line in ("software", "AF_ALG", "as configured"):
            self.assertEqual(cells.count(line), 2)

    def test_charts_mark_the_crossover_and_name_every_line(self):
        charts = re.findall(r"<svg.*?</svg>", self.page(accelerated()), re.S)
        self.assertEqual(len(charts), 3)
        for chart, start in zip(charts, ("8.3 KiB", "2.9 KiB", "2.9 KiB")):
            for text in ("software", "AF_ALG", "as configured", "bytes in a request", start):
                self.assertIn(f">{text}</text>", chart)
        self.assertNotIn("KiB</text>", self.page(accelerated(NEVER)))

    def test_boards_are_drawn_beside_each_other(self):
        text = self.page(accelerated(), accelerated(NEVER, board="Server"))
        charts = re.findall(r"<svg.*?</svg>", text, re.S)
        self.assertEqual(len(charts), 7)
        for name in ("Example Router", "Server"):
            self.assertIn(f">{name}</text>", charts[0])
        self.assertLess(text.index("<h3>Example Router</h3>"), text.index("<h3>Server</h3>"))

    def test_boards_of_one_name_are_told_apart_by_their_files(self):
        text = self.page(accelerated(), accelerated())
        for i in (0, 1):
            self.assertIn(f"<h3>board{i}: Example Router</h3>", text)

    def test_what_only_one_board_has_is_not_measured_on_the_other(self):
        text = self.page(accelerated(), accelerated(algorithm="AES-256-CBC", board="Server"))
        self.assertEqual(text.count("<td>Not measured.</td>"), 2)

    def test_nothing_is_loaded_from_elsewhere(self):
        text = self.page(accelerated(), accelerated(NEVER), note="A note.")
        read = Reader(text)
        self.assertNotRegex(text, r"(?i)https?:|<script|<link|<img|<iframe|@import|url\((?!#)")
        for link in read.links:
            self.assertRegex(link, "^#")
            self.assertIn(link[1:], read.ids)
        for link in re.findall(r"url\(#([^)]*)\)", text):
            self.assertIn(link, read.ids)
        self.assertEqual(len(read.ids), len(set(read.ids)))

    def test_a_page_is_for_light_dark_and_paper_and_lines_differ_without_colours(self):
        text = self.page(accelerated())
        for word in ("prefers-color-scheme: dark", "@media print", "color-scheme: light dark"):
            self.assertIn(word, text)
        chart = re.search(r"<svg.*?</svg>", text, re.S).group(0)
        self.assertNotRegex(chart, r"(?:fill|stroke): (?:#|var)")
        used = set(re.findall(r"(?:fill|stroke)-(ink|grid|c\d)", chart))
        for role in used:
            light, = re.findall(rf"^  .*--{role}: (#\w+);", text, re.M)[:1]
            self.assertRegex(chart, rf'(?:fill|stroke)="{light}"[^>]* class="[^"]*-{role}\b')
            self.assertIn(f".stroke-{role} {{ stroke: var(--{role}); }}", text)
        self.assertTrue({"ink", "grid", "c1", "c5"} <= used)
        self.assertIn("stroke-dasharray", chart)

    def test_names_from_the_file_are_text(self):
        evil = "<script>$\\alpha$ & \"x\"</script>"
        report = accelerated(driver=evil, board=evil, soc=evil)
        text = self.page(report, accelerated(NEVER, board=evil + "2"), note=evil)
        self.assertNotIn("<script", text)
        self.assertIn("$\\alpha$ &amp;", text)
        self.assertIn("&lt;/script&gt;</text>", text)  # in a chart, and not as a formula
        Reader(text)

    def test_a_machine_that_was_too_busy_is_named(self):
        noisy = accelerated()
        for row in noisy["rows"][:4]:
            row["spread"] = 0.3
        text = self.page(noisy, accelerated(NEVER, board="Server"))
        self.assertEqual(text.count("</b> was too busy with other work"), 1)
        self.assertIn("No advice: this machine was too busy with other work; measure again.", text)
        self.assertNotIn("Offload", text)
        self.assertIn("<b>Example Router</b> was too busy", text)
        self.assertIn("4 of\n15 results", text)

    def test_the_picture_is_a_file_of_its_own(self):
        self.report(accelerated(), accelerated(NEVER, board="Server"),
                   options=["--picture", self.path("out/boards.svg")])
        text = self.read("out/boards.svg")
        self.assertTrue(text.startswith('<svg xmlns="http://www.w3.org/2000/svg"'))
        for word in ("Example Router", "Server", "Throughput, MB/s", "prefers-color-scheme"):
            self.assertIn(word, text)
        ElementTree.fromstring(text)
        self.assertNotRegex(text.replace("http://www.w3.org/", ""), "https?:")
        self.assertNotIn("too busy", text)

    def test_the_picture_says_that_a_machine_was_too_busy(self):
        noisy = accelerated()
        for row in noisy["rows"]:
            row["spread"] = 0.3
        self.report(noisy, options=["--picture", self.path("out/boards.svg")])
        self.assertIn("too busy", " ".join(re.findall(r">([^<]*)</text>", self.read("out/boards.svg"))))

    def test_no_line_of_the_picture_is_wider_than_its_chart(self):
        for text in ("Offload from 1.1\N{NO-BREAK SPACE}KiB by /dev/kcrypto if the CPU is short of time (prefer = "
                     "cpu): 2.1 times as fast at 16\N{NO-BREAK SPACE}KiB", "W" * 200 + " and more", "one"):
            for font, room in ((drawing.PLAIN, 280), (drawing.BOLD, 120)):
                lines = drawing.wrapped(text, room, font).split("\n")
                self.assertEqual(" ".join(lines), text)
                for line in lines:
                    self.assertTrue(drawing.width_of(line, font) <= room or " " not in line, line)

    def test_the_picture_has_colours_in_a_program_without_css_variables(self):
        self.report(accelerated(), options=["--picture", self.path("out/boards.svg")])
        subprocess.run(["rsvg-convert", "-o", self.path("out.png"), self.path("out/boards.svg")], check=True)
        import matplotlib.image
        pixels = matplotlib.image.imread(self.path("out.png"))[:, :, :3]
        seen = {tuple(p) for p in (pixels * 255).round().astype(int).reshape(-1, 3).tolist()}
        for colour in ((0xff, 0xff, 0xff), (0x00, 0x72, 0xb2), (0xd9, 0xd9, 0xd9)):
            self.assertIn(colour, seen)


if __name__ == "__main__":
    unittest.main()
