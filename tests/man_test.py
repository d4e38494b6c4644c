#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The man pages and the sources' tables agree: every configuration key, command, option,
environment variable and reason is documented, and everything documented exists.

Takes the root of the source tree."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".")


def read(path):
    return (ROOT / path).read_text()


def table(path, start):
    """The text of the initialiser that follows the line with @start."""
    text = read(path)
    begin = text.index("{", text.index("=", text.index(start)))
    return text[begin:text.index("\n};", begin)]


def rows():
    """The files of rows, in the table's order."""
    files = re.findall(r'#include "(.*)"', read("src/core/alg.def"))
    return "".join(read("src/" + f) for f in files)


def page(path, section=None):
    """A man page, or one section of it, without mdoc's zero-width marks."""
    text = read(path).replace(r"\&", "")
    if section:
        text = re.search(rf"^\.Sh {section}\n(.*?)(?=^\.Sh |\Z)", text, re.M | re.S).group(1)
    return text


def plain(text):
    """Running text for comparison, without macros, line breaks, capitals and full stops."""
    text = re.sub(r"^\.[A-Z][a-z] ", "", text, flags=re.M)
    return " ".join(text.replace(". ", " ").replace(".\n", " ").split()).lower()


def source_keys():
    text = table("src/policy/config_keys.c", "struct key keys[]")
    return set(re.findall(r'^\t\{ "([a-z_.]+)"', text, re.M))


def source_reasons():
    """{word: (text, advice)}"""
    row = (r'^KC_REASON\(KC_\w+, KC_ABOUT_\w+, KC_IS_\w+, "([^"]+)", "([^"]+)",\s*'
           r'(?:NULL|"([^"]+)"), (?:NULL|KC_\w+|"[^"]+")\)$')
    return {m[0]: m[1:] for m in re.findall(row, read("src/core/reasons.def"), re.M)}


def tool():
    return "".join(f.read_text() for f in sorted((ROOT / "src/cli").rglob("*.c")))


def source_commands():
    return set(re.findall(r'^(?:static )?const struct kc_command \w+ = \{\n\t\.name = "([a-z-]+)"', tool(), re.M))


def source_options():
    tables = re.findall(r"^static const struct kc_option \w+\[\] = \{\n(.*?)^\};", tool(), re.M | re.S)
    return {o for t in tables for o in re.findall(r'^\t\{ "([a-z-]+)",', t, re.M)}


def command_aliases():
    return set(re.findall(r'"--([a-z-]+)"', read("src/cli/kcrypto.c")))


def source_variables():
    """kcrypto's own variables, and OpenSSL's that libcrypto reads."""
    files = (ROOT / "src").rglob("*.c")
    return {v for f in files for v in re.findall(r'getenv\("(\w+)"\)', f.read_text())}


class Man(unittest.TestCase):
    def test_the_tables_were_found(self):
        for found, least in ((source_keys(), 15), (source_reasons(), 20), (source_commands(), 3),
                             (source_options(), 3), (command_aliases(), 2)):
            self.assertGreaterEqual(len(found), least, found)

    def test_every_row_of_a_reason_is_read(self):
        rows = re.findall(r"^KC_REASON\(", read("src/core/reasons.def"), re.M)
        self.assertEqual(len(rows), len(source_reasons()))

    def test_keys_are_documented_and_documented_keys_exist(self):
        text = page("man/kcrypto-provider.7", "CONFIGURATION KEYS")
        documented = set(re.findall(r"^\.It Cm ([a-z_.]+)", text, re.M))
        without_item = re.split(r"^\.El\n", text, flags=re.M)[-1]
        for line in re.findall(r"^\.Cm (.*)", without_item, re.M):
            documented |= set(line.replace(",", " ").split())
        self.assertEqual(documented, source_keys())

    def test_each_key_of_ours_has_an_example(self):
        text = page("man/kcrypto-provider.7", "CONFIGURATION KEYS")
        for item in re.split(r"^(?=\.It Cm )", text, flags=re.M)[1:]:
            key = re.match(r"\.It Cm ([a-z_.]+)", item).group(1)
            self.assertRegex(item, rf"(?i)\.Bd -literal[^\n]*\n{re.escape(key)}")
            if key != "use_softdrivers":
                self.assertIn("Default:", item, key)

    def test_numbers_in_the_page_are_those_of_the_source(self):
        config = read("src/policy/config_keys.c")
        text = page("man/kcrypto-provider.7", "CONFIGURATION KEYS")
        for name in ("DEFAULT_SESSIONS", "MAX_SESSIONS"):
            number = re.search(rf"#define {name}\s+(\d+)", config).group(1)
            self.assertRegex(text.split("Cm max_sessions")[1], rf"\b{number}\b")
        number = re.search(r"#define MAX_VERIFY\s+(\d+)", config).group(1)
        self.assertRegex(text.split("Cm verify")[1], rf"\b{number}\b")
        number = re.search(r"KC_MAX_REQUEST (\d+)", read("src/core/request.h")).group(1)
        self.assertRegex(text.split("Cm max_request")[1], rf"Default: {number}\b")

    def test_reasons_are_documented_in_the_same_words(self):
        text = page("man/kcrypto-provider.7", "REASONS")
        items = re.split(r"^\.It Sy ", text.split(".El")[0], flags=re.M)[1:]
        documented = {i.split("\n", 1)[0]: plain(i.split("\n", 1)[1]) for i in items}
        sources = source_reasons()
        self.assertEqual(set(documented), set(sources))
        for word, (said, advice) in sources.items():
            self.assertEqual(documented[word], plain(f"{said}.\n{advice}.\n" if advice
                                                     else f"{said}.\n"), word)

    def test_the_doctors_findings_are_documented_in_the_same_words(self):
        rows = re.findall(r'^FAULT\(\w+, "([^"]+)", (\w+), "(.*?)", "(.*)", "(.*)"\)$',
                          read("src/cli/doctor/faults.def"), re.M)
        self.assertGreater(len(rows), 50)
        states = {"NOTE": "note", "OFF": "off", "BROKEN": "broken", "BLIND": "unknown"}
        items = re.split(r"^\.It Sy ", page("man/kcrypto.1", "FINDINGS"), flags=re.M)[1:]
        documented = {}
        for item in items:
            head, rest = item.split("\n", 1)
            text, _, advice = rest.split(".El")[0].partition("\n.br\nAdvice: ")
            text, _, command = text.partition("\n.br\nTo fix it: ")
            documented[head] = plain(text + "\n"), plain(command), plain(advice)
        self.assertEqual(documented, {
            f"{word} , No {states[state]}": (plain(text + ".\n"), plain(command.replace('\\"', '"')),
                                             plain(advice))
            for word, state, text, command, advice in rows})

    def test_the_doctors_links_are_documented(self):
        text = page("man/kcrypto.1", "COMMANDS").split(".It Cm doctor")[1].split(".It Cm")[0]
        named = re.findall(r"^\.It Sy (.*)", text, re.M)
        links = re.findall(r'\{ "(\w+)", check_\w+[ ,]', "".join(
            file.read_text() for file in ROOT.glob("src/cli/doctor/check_*.c")))
        self.assertGreater(len(links), 15)
        self.assertEqual(set(re.findall(r"\w+", " ".join(named))), set(links) | {"run"})

    def test_commands_are_documented_and_documented_commands_exist(self):
        text = page("man/kcrypto.1", "COMMANDS")
        documented = set(re.findall(r"^\.It Cm ([a-z-]+)", text, re.M))
        self.assertEqual(documented, source_commands())
        synopsis = page("man/kcrypto.1", "SYNOPSIS")
        self.assertEqual(set(re.findall(r"^\.Nm\n\.Cm ([a-z-]+)", synopsis, re.M)), documented)

    def test_the_engines_commands_and_ids_are_documented(self):
        text = page("man/kcrypto-engine.7", "COMMANDS")
        documented = re.findall(r"^\.It Cm (.*)", text, re.M)
        self.assertEqual(set(re.findall("[A-Z_]+", " ".join(documented))),
                         set(re.findall(r'\{ "([A-Z_]+)"', table("src/engine/commands.c",
                                                                "} commands[]"))))
        ids = re.findall(r"^\.It Sy (.*)", page("man/kcrypto-engine.7", "DESCRIPTION"), re.M)
        self.assertEqual(set(re.findall("[a-z_]+", " ".join(ids))),
                         set(re.findall(r'^\t\{ "([a-z_]+)"', table("src/engine/engine_ids.c", "kc_ids[]"),
                                        re.M)))

    def test_options_are_documented_and_documented_options_exist(self):
        text = page("man/kcrypto.1", "COMMANDS")
        self.assertEqual(set(re.findall(r"^\.It Fl -([a-z-]+)", text, re.M)), source_options())
        self.assertEqual(set(re.findall(r"^\.Fl -([a-z-]+)\ndoes the same", text, re.M)),
                         command_aliases())
        synopsis = page("man/kcrypto.1", "SYNOPSIS")
        self.assertEqual(set(re.findall(r"(?:Fl|\|) -([a-z-]+)", synopsis)), source_options())

    def test_the_reports_options_are_documented_and_exist(self):
        text = page("man/kcrypto-report.1")
        options = set(re.findall(r'add_argument\((?:"-o", )?"--([a-z-]+)"', read("report/kcrypto-report")))
        self.assertGreaterEqual(len(options), 3)
        self.assertEqual(set(re.findall(r"^\.It Fl (?:o , )?-([a-z-]+)", text, re.M)), options)

    def test_environment_variables_are_documented_and_exist(self):
        pages = page("man/kcrypto-provider.7", "ENVIRONMENT") + page("man/kcrypto.1", "ENVIRONMENT")
        documented = set(re.findall(r"^\.It Ev (\w+)", pages, re.M))
        self.assertEqual(documented, source_variables())

    def test_every_algorithm_of_the_table_is_named(self):
        names = re.findall(r'\.names = "([^"\\]+)', rows())
        text = page("man/kcrypto-provider.7", "DESCRIPTION")
        listed = re.search(r"of this version are(.*?),\s+under every", text, re.S).group(1)
        self.assertEqual(re.split(r",\s*|\s+and\s+", listed.strip()), names)

    def test_every_json_key_is_documented(self):
        text = plain(page("man/kcrypto.1", "JSON"))
        files = sorted((ROOT / "src/cli").rglob("*.c"))
        source = "".join(f.read_text() for f in files)
        keys = re.findall(r'(?:add(?:_\w+)?|kc_json_\w+)\((?:o|row|report),\s*"(\w+)"', source)
        for members in re.findall(r'kc_json(?:_row)?\([^";]*((?:"[^"]*"[\sA-Z0-9]*[a-z]*\d*\s*)+)', source):
            keys += re.findall(r"(\w+)=%", members)
        self.assertGreater(len(set(keys)), 60)
        for key in keys:
            self.assertRegex(text, rf"\b{key}\b")


if __name__ == "__main__":
    unittest.main()
