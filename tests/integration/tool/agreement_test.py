#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""doctor, config check, list and stats give one verdict on a file; the commands that they print turn a
broken file into one that works; and a program fails only where OpenSSL does so without kcrypto.  No
command calls a driver hardware if only its name is known.

usage: agreement_test.py BUILD"""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.append(sys.path[0] + "/..")
from case import CLEAN, ENC_128, ENC_256, STANDIN, STANDIN_TOOL, VERSION
from doctor import CNF, MODULE, Chain, SAYS

GOOD = CNF.replace(f"module = {MODULE}\n", "")
QUERY = "default_properties = ?provider=kcrypto\n"
START = "openssl_conf = init\n"
BOM = "\ufeff"


def without(*lines):
    text = GOOD
    for line in lines:
        assert line in text, line
        text = text.replace(line, "")
    return text


def instead(*pairs, text=GOOD):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def query(text):
    return instead((QUERY, f"default_properties = {text}\n"))


# What people paste together with the lines for kcrypto.
SYSTEM = Path(__file__).parents[2].joinpath("config/layouts/debian-12.cnf").read_text(encoding="utf-8")
SECTION = "[kcrypto_section]\nactivate = 1\n"

# A file beside the tested one, for files that include it.
OTHER = "[algorithms]\ndefault_properties = ?provider=default\n"
BESIDE = {
    "more.cnf": BOM + "[more]\n",
    "good.cnf": GOOD,
    "a#b.cnf": GOOD,
    "bad.cnf": query("?provider=kcryto"),
    "empty.cnf": "",
    "parts/good.CNF": GOOD,
    "parts/.cnf": "nonsense",
    "nested/a.cnf": ".include %DIR%/parts\n",
    "first/a.cnf": ".include %DIR%/good.cnf\n" + OTHER,
    "first/b.cnf": "[algorithms]\n" + QUERY,
    "last/a.cnf": ".include %DIR%/empty.cnf\n[algorithms]\n" + QUERY,
    "last/b.conf": instead((QUERY, "default_properties = ?provider=default\n")),
} | {f"deep{i}.cnf": f".include %DIR%/deep{i + 1}.cnf\n" for i in range(20)} | {"deep20.cnf": GOOD}

# Files as people paste them: {what: (text, verdict)}; %DIR% is their directory.
FILES = {
    "as it should be": (GOOD, "on"),
    "CRLF": (GOOD.replace("\n", "\r\n"), "on"),
    "a byte order mark": (BOM + GOOD, "on"),
    "no last line end": (GOOD.rstrip("\n"), "on"),
    "blanks around everything": (GOOD.replace("=", " \t= "), "on"),
    "UTF-16, little-endian, with a mark": ((BOM + GOOD).encode("utf-16-le"), "broken"),
    "UTF-16, little-endian": (GOOD.encode("utf-16-le"), "broken"),
    "UTF-16, big-endian": ((BOM + GOOD).encode("utf-16-be"), "broken"),
    "a zero byte": (GOOD.replace("[init]", "[init]\0"), "broken"),
    "not UTF-8": (GOOD.replace("[init]", "# caf\udce9\n[init]").encode("utf-8", "surrogateescape"), "on"),
    "not UTF-8 in a name": (instead(("[init]\n", "[init]\ncaf\udce9 = x\n")).encode("utf-8", "surrogateescape"),
                            "broken"),
    "curly quotes around the properties": (query("\u201c?provider=kcrypto\u201d"), "broken"),
    "curly quotes around a section": (instead(("providers = providers", "providers = \u201cproviders\u201d")),
                                      "broken"),
    "a blank that does not break": (instead(("activate = 1\n[alg", "activate\u00a0= 1\n[alg")), "broken"),
    "no closing bracket": (instead(("[providers]", "[providers")), "broken"),
    "a line of prose": (instead(("[providers]", "then add this:\n[providers]")), "broken"),
    "a line of a shell": (instead(("[providers]", "$ sudo nano /etc/ssl/openssl.cnf\n[providers]")), "broken"),
    "an unknown variable": (instead(("[providers]", "x = $nothing\n[providers]")), "broken"),
    "a quote that does not end": (instead((QUERY, 'default_properties = "?provider=kcrypto\n')), "on"),
    "a backslash at the end": (GOOD + "\\", "on"),
    "a huge line": (instead(("[init]\n", "#" + "x" * 200000 + "\n[init]\n")), "on"),
    "a huge value": (instead(("[init]\n", "a = " + "x" * 100000 + "\n[init]\n")), "on"),
    "no start": (without(START), "broken"),
    "the start in a section": (instead((START, ""), ("[init]\n", "[init]\n" + START)), "broken"),
    "the start at the end": (without(START) + START, "broken"),
    "another section than the start names": (instead(("[init]", "[openssl_init]")), "broken"),
    "no providers": (without("providers = providers\n"), "broken"),
    "a providers that OpenSSL understands all the same": (instead(("providers = providers", "provider = providers")), "on"),
    "providers without a section": (instead(("[providers]", "[provider]")), "broken"),
    "no line for kcrypto": (without("kcrypto = kcrypto_section\n"), "broken"),
    "no section for kcrypto": (instead(("[kcrypto_section]", "[kcrypto_sect]")), "broken"),
    "kcrypto not active": (GOOD.replace("[kcrypto_section]\nactivate = 1\n", "[kcrypto_section]\n"), "broken"),
    "no default properties": (without(QUERY), "broken"),
    "no alg_section": (without("alg_section = algorithms\n"), "broken"),
    "misspelt default properties": (instead(("default_properties", "default_property")), "broken"),
    "a misspelt provider": (query("?provider=kcryto"), "broken"),
    "properties in capitals": (query("?provider=Kcrypto"), "on"),
    "properties with blanks": (query("? provider = kcrypto"), "on"),
    "properties with a semicolon": (query("?provider=kcrypto;"), "broken"),
    "properties with a colon": (query("?provider:kcrypto"), "broken"),
    "properties with two marks": (query("??provider=kcrypto"), "broken"),
    "hard properties": (query("provider=kcrypto"), "broken"),
    "another provider's": (query("?provider=tpm2"), "broken"),
    "two providers'": (query("?provider=tpm2,?provider=kcrypto"), "broken"),
    "FIPS that is not there": (query("?provider=kcrypto,fips=yes"), "broken"),
    "FIPS alone": (query("fips=yes"), "broken"),
    "FIPS by preference": (query("?provider=kcrypto,?fips=yes"), "on"),
    "empty properties": (query(""), "broken"),
    "properties twice": (instead((QUERY, QUERY + "default_properties = ?provider=default\n")), "broken"),
    "properties twice, the last one right": (instead((QUERY, "default_properties = ?x=y\n" + QUERY)), "on"),
    "a section twice": (GOOD + "[algorithms]\n" + QUERY, "on"),
    "a wrong module": (GOOD + "module = /usr/lib/kcrypt.so\n", "broken"),
    "a module that is a directory": (GOOD + "module = /etc\n", "broken"),
    "a module that is text": (GOOD + "module = /etc/passwd\n", "broken"),
    "an unknown key": (GOOD + "cipher = AES-256-CBC\n", "broken"),
    "a key in mixed case": (GOOD + "Verify = 3\n", "broken"),
    "an unknown algorithm": (GOOD + "digests = SHA-257\n", "broken"),
    "a value out of range": (GOOD + "max_sessions = 99999999\n", "broken"),
    "a module of OpenSSL's that is none": (instead(("[init]\n", "[init]\nno_such = x\n")), "broken"),
    "diagnostics, and an error": (instead(("[init]\n", "config_diagnostics = 1\n[init]\nno_such = x\n")), "broken"),
    "ssl_conf without a section": (instead(("[init]\n", "[init]\nssl_conf = ssl\n")), "broken"),
    "an include of nothing": (".include /nowhere/x.cnf\n" + GOOD, "on"),
    "an include of itself": (".include %FILE%\n" + GOOD, "broken"),
    "an include of a file with a mark": (".include %DIR%/more.cnf\n" + GOOD, "broken"),
    "pasted twice": (GOOD + GOOD, "broken"),
    "a provider that is nowhere": (instead(("[providers]\n", "[providers]\nfips = fips_sect\n")), "broken"),
    "an engine that is nowhere": (instead(("[init]\n", "[init]\nengines = engines\n")) + "[engines]\npkcs11 = p11\n"
                                  "[p11]\ndynamic_path = /nowhere/pkcs11.so\nengine_id = pkcs11\n", "broken"),
    "activate in capitals": (instead(("[kcrypto_section]\nactivate", "[kcrypto_section]\nActivate")), "broken"),
    "a module's bare name": (GOOD + "module = kcrypto\n", "broken"),
    "a remark behind a section": (instead(("[init]", "[ init ] # first")), "on"),
    "a value over two lines": (instead((QUERY, "default_properties = \\\n?provider=kcrypto\n")), "on"),
    "properties in single quotes": (query("'?provider=kcrypto'"), "on"),
    "properties the wrong way round": (query("provider?=kcrypto"), "broken"),
    "an included directory that is missing": (".include /nowhere/more.d\n" + GOOD, "on"),
    "an environment variable that is not set": (instead((START, "openssl_conf = $ENV::NO_SUCH\n")), "broken"),
    "a patch": ("".join("+" + line for line in GOOD.splitlines(True)), "broken"),
    "indented": ("".join("    " + line for line in GOOD.splitlines(True)), "on"),
    "in a fence": ("```\n" + GOOD + "```\n", "broken"),
    "an include relative to the process": (".include good.cnf\n", "on"),
    "an include in quotes, behind a sign, before a remark": ('.include = "%DIR%/a#b.cnf" # all\n', "on"),
    "an include with a word too many": (".includes %DIR%/good.cnf\n", "on"),
    "an include by a variable": ("dir = %DIR%\n.include ${dir}/good.cnf\n", "on"),
    "an include of a broken file by a variable": ("dir = %DIR%\n.include $(dir)/bad.cnf\n", "broken"),
    "an include by a variable that is not set": (".include $nothing/more.cnf\n" + GOOD, "broken"),
    "an include by the environment": (".include $ENV::OPENSSL_MODULES/../good.cnf\n", "on"),
    "a dollar that is part of a name": (".pragma dollarid:on\ndir = %DIR%\n.include $dir/good.cnf\n", "off"),
    "a variable all the same": (".pragma dollarid:on\ndir = %DIR%\n.include ${dir}/good.cnf\n", "on"),
    "a directory of includes": (".pragma = includedir : %DIR%/parts \n.include good.CNF\n", "on"),
    "a directory of includes in vain": (".pragma includedir:%DIR%/parts\n.include good.cnf\n", "off"),
    "a relative include where that is an error": (".pragma abspath:true\n.include empty.cnf\n" + GOOD, "broken"),
    "a relative include where that was an error": (".pragma abspath:on\n.pragma abspath:OFF\n.include good.cnf\n", "on"),
    "an absolute include": (".pragma abspath:true\n.pragma includedir:%DIR%\n.include good.cnf\n", "on"),
    "a pragma that is unknown": (".pragma no:thing\n" + GOOD, "on"),
    "a pragma twice": (".pragma = dollarid:on\n.pragma = dollarid:off\n" + GOOD, "on"),
    "a pragma without a value": (".pragma abspath\n" + GOOD, "broken"),
    "a pragma that is neither true nor false": (".pragma abspath:yes\n" + GOOD, "broken"),
    "a directory in a file of a directory": (".include nested\n", "off"),
    "a directory": (".include parts/\n", "on"),
    "a directory whose first file ends last": (".include first\n", "broken"),
    "a directory whose first file ends last, and is right": (".include last\n", "on"),
    "includes in includes": (".include deep0.cnf\n", "on"),
    "a name in another section's": (instead(("[algorithms]\n" + QUERY, "algorithms::" + QUERY)), "on"),
    "a browser's line ends": (GOOD.replace("\n", "<br>\n"), "broken"),
    "line ends of another time": (GOOD.replace("\n", "\r"), "broken"),
    "line numbers": ("".join(f"{i} {line}" for i, line in enumerate(GOOD.splitlines(True))), "broken"),
    "a quoted mail": ("".join("> " + line for line in GOOD.splitlines(True)), "broken"),
    "a conflict of versions": (instead(("providers = providers\n", "<<<<<<< mine\nproviders = providers\n=======\n"
                                        "providers = others\n>>>>>>> theirs\n")), "broken"),
    "a section's name in brackets": (instead((START, "openssl_conf = [init]\n")), "broken"),
    "two signs": (instead(("providers = providers", "providers == providers")), "broken"),
    "an arrow": (instead(("providers = providers", "providers => providers")), "broken"),
    "a semicolon": (instead(("kcrypto = kcrypto_section", "kcrypto = kcrypto_section;")), "broken"),
    "legacy active, and default not": (instead(
        ("[default_section]\nactivate = 1\n", "[default_section]\n# activate = 1\n[legacy]\nactivate = 1\n"),
        ("kcrypto = kcrypto_section\n", "kcrypto = kcrypto_section\nlegacy = legacy\n")), "broken"),
    "legacy active, and no default": (instead(
        ("default = default_section\n", "legacy = default_section\n")), "broken"),
    "TLS settings that are not there": (instead(("[init]\n", "[init]\nssl_conf = tls\n")) +
                                        "[tls]\nsystem_default = tls_default\n", "broken"),
    "an old engine": (instead(("[init]\n", "[init]\nengines = engines\n")) + "[engines]\nafalg = old\n[old]\n"
                      "default_algorithms = ALL\nCIPHERS = ALL\n", "broken"),
    "an engine without a path": (instead(("[init]\n", "[init]\nengines = engines\n")) + "[engines]\ndevcrypto = old\n"
                                 "[old]\ndefault_algorithms = ALL\nUSE_SOFTDRIVERS = 1\n", "broken"),
    "default_properties in the wrong section": (instead((QUERY, ""), ("[init]\n", "[init]\n" + QUERY)), "broken"),
    "ciphers in the wrong section": (instead(("[algorithms]\n", "[algorithms]\nciphers = AES-256-CBC\n")), "broken"),
    "a remark that goes on": (instead((QUERY, "# next: \\\n" + QUERY)), "broken"),
    "fips_mode": (instead((QUERY, QUERY + "fips_mode = yes\n")), "broken"),
    "fips_mode alone": (instead((QUERY, "fips_mode = true\n")), "broken"),
    "fips_mode that the properties end": (instead((QUERY, "fips_mode = yes\n" + QUERY)), "on"),
    "fips_mode that says no": (instead((QUERY, QUERY + "fips_mode = no\n")), "on"),
    "a module's line in capitals": (instead(("providers = providers", "PROVIDERS = providers")), "broken"),
    "all on one line": (GOOD.replace("\n", " "), "broken"),
    "a section and a key on one line": (instead(("[init]\nproviders", "[init] providers")), "broken"),
    "the end is missing, from within the properties on": (GOOD[:GOOD.index("?provider=kcr") + 13], "broken"),
    "the end is missing, from within a section's name on": (GOOD[:GOOD.index(SECTION) + 9], "broken"),
    "a long patch": ("".join("+" + line for line in (SYSTEM + GOOD).splitlines(True)), "broken"),
    "a long log of a shell": ("$ cat openssl.cnf\n" * 100 + GOOD, "broken"),
    "below the system's lines": (SYSTEM + GOOD, "broken"),
    "above the system's lines": (GOOD + SYSTEM, "broken"),
    "YAML": (GOOD.replace(" = ", ": "), "broken"),
    "TOML": (GOOD.replace(" = ", ' = "').replace("\n", '"\n').replace(']"', "]"), "on"),
    "a here document": ("cat >/etc/ssl/openssl.cnf <<EOF\n" + GOOD + "EOF\n", "broken"),
    "an export": ("export OPENSSL_CONF=/etc/ssl/openssl.cnf\n" + GOOD, "broken"),
    "a variable of the shell": ("OPENSSL_CONF=/etc/ssl/openssl.cnf\n" + GOOD, "on"),
    "a remark of another language": (instead(("[init]", "/* the sections\n * follow */\n; and more\n[init]")), "broken"),
    "the start in another spelling": (instead((START, "Openssl_conf = init\n")), "broken"),
    "the start twice, the last one wrong": (instead((START, START + "openssl_conf = default_conf\n")), "broken"),
    "the start in the section default": ("[default]\n" + GOOD, "on"),
    "the start in the section DEFAULT": ("[DEFAULT]\n" + GOOD, "broken"),
    "the start by another section": ("[s]\nn = init\n[default]\n" + instead((START, "openssl_conf = ${s::n}\n")), "on"),
    "an identity of its own": (instead((SECTION, SECTION + "identity = accelerator\n")), "broken"),
    "a line with another name, and our identity": (instead(
        ("kcrypto = kcrypto_section", "accelerator = kcrypto_section"), (SECTION, SECTION + "identity = kcrypto\n")), "on"),
    "names with numbers": (instead(("providers = providers", "providers.1 = providers"),
                                   ("kcrypto = kcrypto_section", "1.kcrypto = kcrypto_section")), "on"),
    "a list in place of a section": (instead(("providers = providers", "providers = default, kcrypto")), "broken"),
    "the provider's name in capitals": (instead(("kcrypto = kcrypto_section", "KCRYPTO = kcrypto_section")), "broken"),
    "activate in the list of providers": (instead(("[providers]\n", "[providers]\nactivate = 1\n")), "broken"),
    "a section within itself": (GOOD + "more = kcrypto_section\n", "broken"),
    "base in place of default": (instead(("default = default_section", "base = default_section")), "broken"),
    "an object identifier that is none": (instead(("[init]\n", "[init]\noid_section = oids\n")) + "[oids]\nx = y\n",
                                          "broken"),
    # Before 3.2, any value activates.
    "activate and a semicolon": (instead((SECTION, "[kcrypto_section]\nactivate = 1;\n")),
                                 "broken" if VERSION >= (3, 2) else "on"),
    "activate in other words": (instead(("[default_section]\nactivate = 1", "[default_section]\nactivate = enabled")),
                                "broken" if VERSION >= (3, 2) else "on"),
    "a module in the home directory": (GOOD + "module = ~/kcrypto.so\n", "broken"),
    "properties with two signs": (query("?provider==kcrypto"), "broken"),
    "properties that exclude default": (query("?provider!=default"), "on"),
    "properties that exclude kcrypto": (query("?provider!=kcrypto"), "broken"),
    "properties of HTML": (query("&quot;?provider=kcrypto&quot;"), "broken"),
    "properties with a blank that is not seen": (query("?provider=\u200bkcrypto"), "broken"),
    "a dash": (instead(("[init]\n", "[init]\n\u2014 the first section \u2014\n")), "broken"),
    "a list": ("".join("\u2022 " + line for line in GOOD.splitlines(True)), "broken"),
    "a mark in the middle": (instead(("[providers]", BOM + "[providers]")), "broken"),
    "the end of a page": (instead(("[providers]", "\f[providers]")), "broken"),
    "a terminal's colours": (GOOD.replace("[", "\x1b[1m[").replace("]\n", "]\x1b[0m\n"), "broken"),
    "an editor's screen": (GOOD + '~\n~\n"openssl.cnf" 20L, 400B\n', "broken"),
    "a pattern of includes": (".include %DIR%/go*.cnf\n", "off"),
    "an include in capitals": (".INCLUDE %DIR%/empty.cnf\n" + GOOD, "broken"),
    "nothing at all": ("", "off"),
    "nothing about kcrypto": ("openssl_conf = i\n[i]\nproviders = p\n[p]\ndefault = d\n[d]\nactivate = 1\n", "off"),
}


class Agreement(Chain):
    def setUp(self):
        super().setUp()
        self.modules = self.path("modules")
        os.mkdir(self.modules)
        os.symlink(MODULE, self.modules + "/kcrypto.so")
        os.symlink(STANDIN_TOOL, self.path("kcrypto"))

    def tool(self, *args):
        env = CLEAN | {"OPENSSL_CONF": self.file, "OPENSSL_MODULES": self.modules,
                       "KCRYPTO_ROOT": self.root} | SAYS
        if args[0] != "doctor":
            del env["KCRYPTO_ROOT"]
        r = subprocess.run([self.path("kcrypto"), *args], capture_output=True, env=env, check=False, cwd=self.folder)
        return r.returncode, r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace")

    def openssl(self, *argv, modules=None):
        env = CLEAN | {"OPENSSL_CONF": self.file, "OPENSSL_MODULES": modules or self.modules}
        return subprocess.run(argv, capture_output=True, env=env, check=False, cwd=self.folder)

    def enc(self, modules=None):
        return self.openssl(*ENC_256, "-in", "/etc/passwd", modules=modules).returncode

    def verdicts(self):
        """{command: (verdict, first word)}"""
        said = {}
        for command, args in (("doctor", ["doctor", "--json"]), ("list", ["list", "--json"]),
                              ("check", ["config", "check", "--json"]),
                              ("stats", ["stats", "--json", "--", "true"])):
            code, out, err = self.tool(*args)
            text = err if command == "stats" else out
            told = json.loads(text[text.index("{"):])
            said[command] = told["verdict"], told["first"] and told["first"]["word"]
            if command == "doctor":
                self.first = told["first"]
                self.assertEqual(code, 1 if told["verdict"] == "broken" else 0)
        return said

    def lay(self, text):
        self.call(cnf=None)  # the files of the kernel
        data = text if isinstance(text, bytes) else text.encode()
        data = data.replace(b"%DIR%", self.folder.encode()).replace(b"%FILE%", self.file.encode())
        for name, beside in BESIDE.items():
            self.write(name, beside.replace("%DIR%", self.folder))
        Path(self.file).write_bytes(data)

    def test_the_four_agree_and_what_they_print_helps(self):
        self.assertGreaterEqual(len(FILES), 40)
        disagreed, fixed = [], 0
        for what, (text, verdict) in FILES.items():
            with self.subTest(what=what):
                self.lay(text)
                said = self.verdicts()
                if len(set(said.values())) != 1:
                    disagreed.append((what, said))
                self.assertEqual({v for v, _ in said.values()}, {verdict}, said)
                if verdict == "on":
                    self.assertIn(b"\n  kcrypto\n", self.openssl("openssl", "list", "-providers").stdout)
                if self.enc():
                    empty = self.path("empty")
                    os.makedirs(empty, exist_ok=True)
                    self.assertTrue(self.enc(empty), "only with kcrypto")
                if verdict == "broken":
                    self.assertTrue(self.first["command"], self.first)
                if self.first and self.first["command"]:
                    r = subprocess.run(self.first["command"], shell=True, capture_output=True, text=True, check=False,
                                       cwd=self.folder, env=os.environ | {"PATH": self.folder + ":" + os.environ["PATH"],
                                                         "OPENSSL_MODULES": self.modules})
                    self.assertEqual(r.returncode, 0, self.first["command"] + r.stderr)
                    self.assertEqual({v for v, _ in self.verdicts().values()}, {"on"}, self.first)
                    self.assertEqual(self.enc(), 0)
                    fixed += 1
        print(f"{len(FILES)} files, {len(disagreed)} disagreements, {fixed} fixed", file=sys.stderr)
        self.assertEqual(disagreed, [])

    def test_a_file_without_a_word_of_kcrypto_is_only_corrected(self):
        self.lay("[req\nprompt = no\n")
        self.assertEqual(set(self.verdicts().values()), {("broken", "syntax")})
        self.assertEqual(self.tool("config", "fix", "--config", self.file)[0], 0)
        self.assertEqual(Path(self.file).read_text(), "[req]\nprompt = no\n")

    def test_a_file_that_cannot_be_read_is_told_alike(self):
        """root may read everything."""
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            tool, module = shutil.copy(STANDIN_TOOL, self.folder + "/tool"), shutil.copy(MODULE, self.folder)
            self.assertTrue(tool and module)
        self.lay(GOOD)
        os.remove(self.file)
        self.assertEqual(set(self.verdicts().values()), {("broken", "named-absent")})
        os.mkdir(self.file)
        self.assertEqual(set(self.verdicts().values()), {("broken", "named-empty")})
        os.rmdir(self.file)
        os.symlink("nothing", self.file)
        self.assertEqual(set(self.verdicts().values()), {("broken", "dangling")})


# The words of done_by, by their numbers in a tune file: src/cli/evidence.
DOERS = {1: "unknown", 2: "device", 3: "polled device", 4: "software"}
# Offsets of fields of the file's last struct kc_fact, from the end of the file.
THRESHOLDS, DONE_BY, SPEED = -44, -20, -8


def as_if_seen(data, doer):
    """A tune file with one fact, as if tune had seen what did the requests, which are faster from 1 KiB
    on."""
    data = bytearray(data)
    end = len(data)
    struct.pack_into("=4I", data, end + THRESHOLDS, *[1024] * 4)
    struct.pack_into("=I", data, end + DONE_BY, doer)
    struct.pack_into("=2I", data, end + SPEED, 150, 50)
    total = 2166136261
    for word, in struct.iter_unpack("=I", data[12:]):
        total = (total ^ word) * 16777619 % 2 ** 32
    struct.pack_into("=I", data, 8, total)
    return data


class Claims(Chain):
    """Over the stand-in, whose driver has the name of a device's driver."""

    module = STANDIN
    NAME = "AES-128-CBC"

    def ask(self, *args):
        return json.loads(self.tell(*args, "--json"))

    def tell(self, *args):
        return subprocess.run([STANDIN_TOOL, *args, "--config", self.conf], stdout=subprocess.PIPE, check=False,
                              text=True).stdout

    def kind(self, *args):
        return next(r["kind"] for r in self.ask("list", *args)["algorithms"] if r["name"] == self.NAME)

    @staticmethod
    def claim(done_by):
        return {"device": "hardware", "polled device": "hardware", "software": "software"}.get(done_by, "hardware?")

    def test_only_a_device_that_was_seen_at_work_is_called_hardware(self):
        self.conf = self.cnf(f"ciphers = {self.NAME}:0", f"tune_file = {self.dir.name}/tune")
        self.assertEqual({self.kind(), self.kind("--no-trial")}, {"hardware?"})
        self.assertEqual(self.ask("selftest", "--limit", "1", "--seconds", "1", "standin-device")["kind"],
                         "hardware?")
        self.assertIn("accelerators' drivers get 1 algorithm", self.tell("list"))
        for row in self.ask("bench", "--seconds", "1", "--algorithms", self.NAME, "--sizes", "4096")["rows"]:
            if row["kind"] not in (None, "unknown"):
                self.assertEqual(row["kind"], self.claim(row["done_by"]), row)
        all_rows = self.ask("list", "--all")["algorithms"]
        for row in all_rows:
            if row["offered"]:
                self.assertEqual(row["kind"], self.claim(row["done_by"]), row)

    def test_all_commands_believe_what_tune_saw(self):
        self.conf = self.cnf(f"ciphers = {self.NAME}", f"tune_file = {self.dir.name}/tune")
        fact, = self.ask("tune", "--seconds", "1")["facts"]
        self.assertEqual(self.kind("--no-trial"), self.claim(fact["done_by"]), fact)

    # What no command may say of a driver whose device was not seen at work.
    TOO_MUCH = re.compile(r"\bhardware\b(?!\?)|accelerator does|device does")

    @staticmethod
    def verdict(conf):
        env = CLEAN | {"OPENSSL_CONF": conf}
        return subprocess.run([STANDIN_TOOL], env=env, capture_output=True, check=True, text=True).stdout

    def doctors(self, path):
        """(kind of the row, everything that doctor prints)"""
        args = dict(change={"AES-256-CBC:0": self.NAME, "= none": "= " + path})
        told = json.loads(self.call("--json", **args).stdout)
        row = next(r for r in told["list"]["algorithms"] if r["name"] == self.NAME)
        self.assertEqual([f["word"] for f in told["findings"] if f["link"] == "tune"], ["ok"])
        return row["kind"], self.call(**args).stdout

    def counted(self):
        r = subprocess.run([STANDIN_TOOL, "stats", "--", *ENC_128, "-in", "/etc/passwd", "-out", "/dev/null"],
                           env=CLEAN | {"OPENSSL_CONF": self.conf}, capture_output=True, check=True, text=True)
        self.assertIn(self.NAME, r.stderr)
        return r.stderr

    def test_nobody_claims_more_than_tune_saw(self):
        path = self.path("tune")
        self.conf = self.cnf(f"ciphers = {self.NAME}", "tune_file = " + path)
        self.ask("tune", "--seconds", "1")
        tuned = Path(path).read_bytes()
        for number, doer in DOERS.items():
            with self.subTest(doer):
                Path(path).write_bytes(as_if_seen(tuned, number))
                self.conf = self.cnf(f"ciphers = {self.NAME}", "tune_file = " + path)
                claim = self.claim(doer)
                row, = (r for r in self.ask("list", "--no-trial")["algorithms"] if r["name"] == self.NAME)
                self.assertEqual((row["kind"], row["threshold"], row["done_by"]), (claim, 1024, doer))
                said = {"list": self.tell("list", "--no-trial"), "stats": self.counted(),
                        "verdict": self.verdict(self.conf)}
                gain = " ".join(said["verdict"].split("\ngain ")[1].split("\nnext ")[0].split())
                self.assertEqual(gain.startswith(self.NAME + " from 1.0 KiB: up to 1.5 times"), claim != "software")
                self.assertEqual("not seen whether" in gain, "times as fast" in gain and claim != "hardware", gain)
                kind, said["doctor"] = self.doctors(path)
                self.assertEqual(kind, claim)
                for command in ("list", "doctor"):
                    self.assertEqual("an accelerator does 1 algorithm" in said[command], claim == "hardware")
                for command, text in said.items():
                    if claim != "hardware" or command == "stats":
                        self.assertNotRegex(text, self.TOO_MUCH, command)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
