#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The engine under the openssl command, with its old names and the configuration files of old systems:
with any OpenSSL that has engines, over a built-in backend or on a running kernel.

usage: engine_test.py BUILD MACHINE; MACHINE: standin, or one of integration/machine.py."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "integration"))

from case import BUILD, IV, KEY, STANDIN, TOOL, VERSION, Case, engine_cnf  # noqa: E402
from counters import make, numbers  # noqa: E402
from folder import CLEAN, cnf_of  # noqa: E402

MACHINE = sys.argv[2].replace("72", "")
IDS = ("kcrypto", "afalg", "af_alg", "devcrypto", "cryptodev")
# Over a device, af_alg differs from afalg in nothing that is tested there.
OVER = {"standin": IDS, "cuse": IDS, "uml": ("kcrypto", "afalg", "af_alg")}.get(MACHINE, ("kcrypto", "afalg"))
FILE = os.path.join(BUILD, "tests/engine/kcrypto-engine-standin.so" if MACHINE == "standin" else
                    "kcrypto-engine.so")
ENC = ["openssl", "enc", "-aes-256-cbc", "-K", KEY, "-iv", IV]
SOFT = ["-pre", "USE_SOFTDRIVERS:1"]
LISTED = ["-pre", "CIPHERS:ALL"]  # without it af_alg offers nothing, as its plugin did


def old(name):
    return Path(HERE, name).read_text()


def only(*machines):
    return lambda test: test if MACHINE in machines else None


class Engine(Case):
    def setUp(self):
        super().setUp()
        # Copies, since libcrypto does not load a second engine from the same file.
        for name in IDS:
            shutil.copy(FILE, self.path(name + ".so"))

    def cnf(self, name, *lines, rest=""):
        return self.write("openssl.cnf", engine_cnf(name, *lines, rest=rest))

    def env(self, cnf):
        return dict(CLEAN, KCRYPTO_STATS=self.stats, OPENSSL_CONF=cnf, OPENSSL_ENGINES=self.folder)

    def run_(self, argv, cnf=os.devnull, data=None, ok=True):
        return super().run_(argv, cnf, data, ok, {"OPENSSL_ENGINES": self.folder})

    def requests(self, name="AES-256-CBC"):
        return super().requests(name)

    def list_the_devices_drivers(self):
        """Lists the drivers as a kernel with that accelerator does. Over AF_ALG they do not exist."""
        if MACHINE == "cuse":
            text = os.path.join(HERE, "..", "cuse", "listed")
            subprocess.run(["mount", "--bind", text, "/proc/crypto"], check=True)
            self.addCleanup(subprocess.run, ["umount", "/proc/crypto"], check=True)

    def encrypts(self, cnf, *options, size=100_001):
        """Encrypts and decrypts, and checks the result. Returns the number of requests that the kernel
        did."""
        data, before = os.urandom(size), self.requests()
        soft = self.run_(ENC, data=data).stdout
        ours = self.run_(ENC + list(options), cnf, data)
        self.assertEqual(ours.stdout, soft)
        self.assertEqual(self.run_(ENC + ["-d", *options], cnf, soft).stdout, data)
        self.assertFalse(re.search(rb"(?i)warn|fail|kcrypto:|error", ours.stderr), ours.stderr)
        return self.requests() - before


class Names(Engine):
    def test_each_id_loads_and_is_called_by_its_name(self):
        for name in IDS:
            out = self.run_(["openssl", "engine", "-t", "-c", "-v", name]).stdout.decode()
            self.assertRegex(out, rf"^\({name}\) .*engine|^\({name}\) .*kcrypto")
            for command in ("USE_SOFTDRIVERS", "CIPHERS", "DIGESTS", "DUMP_INFO"):
                self.assertIn(command, out)

    def test_another_id_does_not_load(self):
        shutil.copy(FILE, os.path.join(self.folder, "padlock2.so"))
        r = self.run_(["openssl", "engine", "-t", "padlock2"], ok=False)
        self.assertNotIn(b"[ available ]", r.stdout)

    def test_a_file_that_is_named_in_openssl_cnf_is_the_engine_of_its_name(self):
        for name in OVER:
            cnf = self.cnf("x", f"engine_id = {name}", f"dynamic_path = {self.folder}/{name}.so",
                           "USE_SOFTDRIVERS = 1", "CIPHERS = AES-256-CBC:0")
            self.assertIn(f"({name})", self.run_(["openssl", "engine"], cnf).stdout.decode())
            self.assertGreater(self.encrypts(cnf), 40)

    def test_what_an_id_means_stays_whatever_the_section_says(self):
        out = self.run_(["openssl", "engine", "-pre", "BACKENDS:AF_ALG", "-pre", "DUMP_INFO",
                         "devcrypto"])
        if MACHINE != "standin":
            self.assertNotIn(b"AF_ALG", out.stderr)
            self.assertIn(b"/dev/crypto info: id=11", out.stderr)

    def test_it_is_available_if_the_kernel_gives_something_and_unavailable_if_not(self):
        for name in OVER:
            out = self.run_(
                ["openssl", "engine", "-t", "-c"] + SOFT + LISTED + [name]).stdout.decode()
            self.assertIn("[ available ]", out)
            self.assertRegex(out, r"\n \[.*\bAES-128-CBC\b.*\]\n")
        out = self.run_(["openssl", "engine", "-t", "-c", "-pre", "CIPHERS:NONE", "kcrypto"])
        self.assertIn(b"[ unavailable ]", out.stdout)
        self.assertNotIn(b"AES-128-CBC", out.stdout)

    def offered(self, name, *options, cnf=os.devnull):
        argv = ["openssl", "engine", "-c", *SOFT, *options, name]
        out = self.run_(argv, cnf).stdout.decode()
        return re.findall(r"(AES-128-C\w+|AES-256-C\w+|SHA\d+)\b", out.split("\n [", 1)[-1])

    @only("standin", "uml")
    def test_under_af_alg_a_list_adds_to_the_one_before_it_and_nothing_is_there_without(self):
        cbc, ctr = ["-pre", "CIPHERS:aes-128-cbc"], ["-pre", "CIPHERS:aes-256-ctr"]
        self.assertEqual(self.offered("afalg", *cbc, *ctr), ["AES-256-CTR"])
        self.assertEqual(self.offered("af_alg", *cbc, *ctr), ["AES-128-CBC", "AES-256-CTR"])
        self.assertIn("AES-128-CBC", self.offered("afalg"))
        self.assertEqual(self.offered("af_alg"), [])
        self.assertEqual(self.offered("af_alg", "-pre", "DIGESTS:sha256"), ["SHA256"])
        # OpenSSL drops a name that comes twice, and what precedes a dot.
        cnf = self.cnf("af_alg", "USE_SOFTDRIVERS = 1", "1.CIPHERS = aes-128-cbc",
                       "2.CIPHERS = aes-256-ctr")
        self.assertEqual(self.offered("af_alg", cnf=cnf), ["AES-128-CBC", "AES-256-CTR"])
        if MACHINE != "standin":
            listed = json.loads(self.run_(
                [TOOL, "list", "--json", "--no-trial", "--config", cnf]).stdout)
            self.assertEqual([row["name"] for row in listed["algorithms"]
                              if row["reason"] != "not-listed"], ["AES-128-CBC", "AES-256-CTR"])

    def test_every_command_is_listed_with_its_help(self):
        out = self.run_(["openssl", "engine", "-vvv", "kcrypto"]).stdout.decode()
        found = re.findall(r"^     ([A-Z_]+): .*\n *\(input flags\): (.*)", out, re.M)
        self.assertEqual(len(found), 12, out)
        self.assertEqual([n for n, flags in found if "NO_INPUT" in flags], ["DUMP_INFO", "VERSION"])

    def test_each_id_says_which_version_it_is(self):
        version = re.search(r"version: '(.*?)'", Path(HERE, "../../meson.build").read_text()).group(1)
        for name in IDS:
            said = self.run_(["openssl", "engine", "-pre", "VERSION", name]).stderr.decode()
            self.assertEqual(said, f"kcrypto {version}\n")


class OldFiles(Engine):
    """Configurations of the old engines. After how many bytes a session pays depends on the machine, so
    requests are counted with a threshold of 0."""

    # Where the file is used, what the command prints about it, and how to set its threshold to 0.
    # OpenWrt's engine becomes the default by a list alone.
    FILES = {
        "cotequeiroz.cnf": (("standin", "cuse", "qemu"), r"\n \[AES-128-CBC, AES-256-CBC(, DES-EDE3-CBC)?\]\n"
                            r"     \[ available", "AES-256-CBC:768", "AES-256-CBC:0"),
        "openwrt.cnf": (("standin", "cuse"), r"\(devcrypto\)[^\n]*\n \[AES-128-CBC, (?:(?!ECB).)*\]\n"
                        r"     \[ available", "CIPHERS=ALL", "CIPHERS=ALL:0"),
        "koetter.cnf": (("standin", "qemu"), r"\(af_alg\)[^\n]*\n \[.*AES-128-CBC, AES-192-CBC, AES-256-CBC",
                        "aes-256-cbc", "aes-256-cbc:0"),
    }

    @only("standin", "cuse", "qemu")
    def test_each_file_works_as_it_is(self):
        self.list_the_devices_drivers()
        for name, (machines, said, old_words, words) in self.FILES.items():
            if MACHINE not in machines:
                continue
            with self.subTest(file=name):
                text = old(name)
                if MACHINE == "cuse":
                    text = text.replace("afalg=afalg", "devcrypto=afalg")
                cnf = self.write("openssl.cnf", text)
                self.assertRegex(self.run_(["openssl", "engine", "-t", "-c", "-v"], cnf).stdout.decode(), said)
                self.encrypts(cnf)
                self.assertGreater(self.encrypts(self.write("openssl.cnf", text.replace(old_words, words))), 40)

    @only("standin", "qemu")
    def test_software_is_counted_where_the_section_says_so(self):
        """The last twelve numbers of a row: requests, bytes and time for each reason to use software."""
        for line, counts in (("STATS = yes", True), ("STATS = no", False)):
            for size, soft in ((65536, "short"), (0, "")):
                make(self.stats)
                cnf = self.cnf("kcrypto", line, "CIPHERS = AES-256-CBC:%d" % size)
                self.encrypts(cnf)
                row = numbers(self.stats)["AES-256-CBC"][-12:]
                self.assertEqual(row[0] > 0 and row[1] >= 200000, counts and bool(soft), row)
                self.assertEqual(row[2] > 0 and row[3] > 0, counts and bool(soft), row)

    @only("uml")
    def test_each_file_where_software_is_all_there_is(self):
        for name in ("cotequeiroz.cnf", "koetter.cnf", "openwrt.cnf"):
            self.assertEqual(self.encrypts(self.write("openssl.cnf", old(name))), 0)
        for name, zero in (("cotequeiroz.cnf", "256-CBC:768"), ("koetter.cnf", "256-cbc")):
            text = re.sub("USE_SOFTDRIVERS.*\n", "", old(name)) + "USE_SOFTDRIVERS=1\n"
            text = text.replace(zero, zero[:7] + ":0")
            self.assertGreater(self.encrypts(self.write("openssl.cnf", text)), 40)

    @only("standin")
    def test_a_section_that_is_moved_to_the_provider_works_the_same(self):
        if VERSION < (3, 0):
            return
        for name in ("cotequeiroz.cnf", "koetter.cnf", "openwrt.cnf"):
            text = re.sub("(?i)(aes-256-cbc)[:0-9]*", r"\1:0",
                          old(name).replace("CIPHERS=ALL", "CIPHERS=ALL:0"))
            section = text[text.rindex("]") + 1:]
            by_engine = self.encrypts(self.write("openssl.cnf", text))
            by_provider = self.encrypts(self.write("openssl.cnf", cnf_of(STANDIN) + section))
            self.assertAlmostEqual(by_engine, by_provider, delta=4)
            self.assertGreater(by_engine, 40)


class Configuration(Engine):
    def test_a_misspelt_line_takes_nothing_else_with_it(self):
        rest = "oid_section = oids\n[oids]\nkcryptoTestObject = 1.2.3.4.5"
        for lines in (["CIPHER = ALL"], ["USE_SOFTDRIVERS = 7"], ["CIPHERS = AES-128-CCB:abc"],
                      ["default_algorithms = ALL"], ["USE_SOFTDRIVER = 1", "DIGEST = NONE"]):
            for more in ([], ["USE_SOFTDRIVERS = 1", "CIPHERS = NO-SUCH AES-256-CBC:0"]):
                cnf = self.cnf(OVER[0], *lines, *more, rest=rest)
                self.assertEqual(self.encrypts(cnf) > 40, bool(more), lines)
                # What follows the engines in the file takes effect.
                self.run_(["openssl", "asn1parse", "-genstr", "OID:kcryptoTestObject"], cnf)

    def test_the_engine_command_is_answered_on_standard_error(self):
        r = self.run_(["openssl", "engine", "-pre", "CIPHERS:AES-128-CCB", "-pre", "CIPHER:ALL",
                       "-pre", "USE_SOFTDRIVERS:7", "kcrypto"])
        for word, near in (("AES-128-CCB", "AES-128-CBC"), ("CIPHER", "CIPHERS"),
                           ("7", None)):
            self.assertRegex(r.stderr.decode(), rf"(?i)kcrypto: \w+: '{word}': .*{near or ''}")
        self.assertEqual(r.stdout.count(b"[Success]"), 3)
        r = self.run_(["openssl", "engine", "-pre", "SOMETHING:ELSE", "kcrypto"], ok=False)
        self.assertIn(b"[Failure]: SOMETHING:ELSE", r.stdout)

    def test_the_tool_reads_the_section_as_the_engine_does(self):
        for name, engine, words in (("koetter.cnf", "af_alg", []),
                                    ("cotequeiroz.cnf", "afalg", []),
                                    ("openwrt.cnf", "devcrypto", [])):
            cnf = self.write("openssl.cnf", old(name))
            listed = json.loads(self.run_([TOOL, "list", "--json", "--config", cnf]).stdout)
            self.assertEqual(listed["engine"], engine)
            self.assertEqual([p["word"] for p in listed["problems"]], words)
            self.assertIn(f"the engine {engine};", "".join(listed["notes"]))
            ways = {row["backend"] for row in listed["algorithms"]}
            self.assertLessEqual(ways, {"/dev/kcrypto", "/dev/crypto" if engine == "devcrypto" else "AF_ALG"})
        cnf = self.cnf("kcrypto", "CIPHER = ALL", "Use_SoftDrivers = 3", "init = 1")
        listed = json.loads(self.run_([TOOL, "list", "--json", "--config", cnf]).stdout)
        self.assertEqual([p["word"] for p in listed["problems"]], ["CIPHER", "3"])
        self.assertEqual(listed["problems"][0]["nearest"].lower(), "ciphers")

    def test_the_order_of_lines_does_not_matter(self):
        lines = ["default_algorithms = ALL", "USE_SOFTDRIVERS = 1", "CIPHERS = AES-256-CBC:0"]
        for i in range(3):
            self.assertGreater(self.encrypts(self.cnf(OVER[0], *(lines[i:] + lines[:i]))), 40)

    def test_several_engines_in_one_file(self):
        lines = "USE_SOFTDRIVERS = 1\nCIPHERS = AES-256-CBC:0\n"
        names = OVER[:3]
        cnf = self.write("openssl.cnf", "openssl_conf = i\n[i]\nengines = e\n[e]\n" +
                         "".join(f"{n} = s_{n}\n" for n in names) +
                         "".join(f"[s_{n}]\n{lines}" for n in names))
        self.assertGreater(self.encrypts(cnf), 40)
        listed = self.run_(["openssl", "engine"], cnf).stdout.decode()
        for name in names:
            self.assertIn(f"({name})", listed)


class Programs(Engine):
    def test_speed_by_each_name_alone_in_jobs_and_in_processes(self):
        for name in OVER:
            cnf = self.cnf(name, "USE_SOFTDRIVERS = 1", "CIPHERS = ALL:0")
            for more in ([], ["-async_jobs", "8"], ["-multi", "8"]):
                before = self.requests()
                # On one CPU, speed's clock measures no time in some of eight processes.
                said = (r"Got: \+F.* from 7" if "-multi" in more else r"aes-256-cbc +[1-9][0-9.]+k")
                # On a busy machine a process may get no turn within a second: speed then prints
                # "-nan".
                for seconds in ("1", "8", "64"):
                    r = self.run_(["openssl", "speed", "-evp", "aes-256-cbc", "-elapsed", "-seconds",
                                   seconds, "-bytes", "16384", "-engine", name] + more, cnf)
                    has_figure = re.search(said, r.stdout.decode(), re.I)
                    if has_figure and self.requests() > before:
                        break
                self.assertTrue(has_figure, r.stdout.decode())
                self.assertGreater(self.requests() - before, 0, (name, more))

    def test_dgst_by_each_name(self):
        data = self.write("data", os.urandom(50_000))
        for name in OVER:
            cnf = self.cnf(name, "USE_SOFTDRIVERS = 1", "DIGESTS = SHA256:0 sha1")
            for more in ([], ["-engine", name]):
                before = self.requests("SHA256")
                argv = ["openssl", "dgst", "-sha256", *more, data]
                self.assertEqual(self.run_(argv, cnf).stdout.split()[-1],
                                 self.run_(argv[:3] + [data]).stdout.split()[-1])
                self.assertEqual(self.requests("SHA256") - before, 1, (name, more))

    def test_tls_between_s_server_and_s_client(self):
        """Encrypt-then-MAC, for which libssl uses no combined cipher. Both ends count into one file."""
        cert, data = self.certificate(), os.urandom(300_000)
        self.write("data", data)
        for name in OVER[:2]:
            cnf = self.cnf(name, "USE_SOFTDRIVERS = 1", "CIPHERS = ALL:0")
            for suite in ("AES256-SHA", "ECDHE-RSA-AES256-SHA384"):
                before = self.requests()
                self.assertTrue(self.fetch(name, cnf, cert, suite).endswith(data))
                self.assertGreater(self.requests() - before, 2 * 300_000 // 16384)

    def fetch(self, name, cnf, cert, suite):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = str(s.getsockname()[1])
        common = ["-engine", name, "-cipher", suite + ":@SECLEVEL=0", "-tls1_2"]
        server = subprocess.Popen(
            ["openssl", "s_server", "-accept", port, "-cert", cert, "-WWW", *common],
            env=self.env(cnf), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            while b"ACCEPT" not in server.stdout.readline():
                self.assertIsNone(server.poll())
            return self.run_(["openssl", "s_client", "-connect", "127.0.0.1:" + port, "-quiet",
                              *common], cnf, b"GET /data HTTP/1.0\r\n\r\n").stdout
        finally:
            server.kill()
            server.wait()
            server.stdout.close()

    def test_enc_with_the_engine_on_the_command_line(self):
        for name in OVER:
            cnf = self.cnf(name, "USE_SOFTDRIVERS = 1", "CIPHERS = AES-256-CBC:0", "init = 0")
            self.assertGreater(self.encrypts(cnf, "-engine", name), 40)


class Dump(Engine):
    ROW = (r"Cipher (\S+), NID=\d+, (AF_ALG|/dev/crypto|stand-in) info: "
           r"(?:name=\S+\)|id=\d+), driver=(\S+) "
           r"\((hw accelerated|software|acceleration status unknown)\), "
           r"sw fallback available, default threshold=\d+\n")

    def dump(self, name, *lists, before=()):
        lists = [word for text in lists for word in ("-pre", text)]
        return self.run_([*before, "openssl", "engine", "-t", "-c", "-vv", *lists, "-pre",
                          "DUMP_INFO", name])

    def test_it_names_the_driver_of_each_cipher(self):
        # On that machine /proc/crypto is empty, which AF_ALG's names come from.
        for name in set(OVER) - ({"afalg", "af_alg"} if MACHINE == "cuse" else set()):
            r = self.dump(name, "CIPHERS:AES-128-CBC AES-192-CBC AES-256-CBC", "DIGESTS:ALL sha1")
            text = r.stderr.decode()
            rows = re.findall(self.ROW, text)
            self.assertIn("Information about ciphers supported by the", text)
            self.assertIn("Information about digests supported by the", text)
            self.assertIn("[Success]: DUMP_INFO", r.stdout.decode())
            found = {row[0]: row for row in rows}
            for cipher in ("AES-128-CBC", "AES-192-CBC", "AES-256-CBC"):
                self.assertIn(cipher, found, text)
            self.assertRegex(text, r"Digest SHA1, NID=64, (AF_ALG|stand-in) info: name=sha1, "
                             r"driver=\S+ \((hw accel|software)|/dev/crypto info: id=103")
            self.assertRegex(text, r"Digest SHA256, NID=672, (AF_ALG|stand-in) info: name=sha256, "
                             r"driver=(\S+ \((hw accel|software)|unknown. The kernel lists none)|"
                             r"Digest SHA256, NID=672, /dev/crypto info: id=104, driver=unknown. "
                             r"Not asked, as DIGESTS does not name it")

    def test_nothing_is_asked_that_is_not_configured(self):
        for name in OVER:
            text = self.dump(name, "CIPHERS:AES-128-CBC", "DIGESTS:SHA1").stderr.decode()
            for found, kind in re.findall(r"(?m)^(Cipher|Digest) (?!AES-128-CBC|SHA1)[^.\n]*\. (.*)",
                                          text):
                self.assertEqual(kind, f"Not asked, as {found.upper()}S does not list it")

    @only("uml", "qemu")
    def test_a_name_is_bound_only_where_the_configuration_has_it(self):
        """The kernel may load modules for a name; it loads none for a driver that it lists."""
        for lists, names in (([], set()), (["CIPHERS:ALL", "DIGESTS:ALL"], set()),
                             (["CIPHERS:AES-128-CBC"], {"cbc(aes)"})):
            trace = Path(self.folder, "trace")
            self.dump("afalg", *lists, before=["strace", "-f", "-o", trace, "-e", "trace=bind"])
            # Older versions of strace print the bytes.
            bound = set(re.findall(r'(?:salg_name="|sa_data="\w+(?:\\0)+)([^"\\]*)', trace.read_text()))
            # A template is listed once it has been named.
            listed = set(re.findall(r"(?m)^driver +: (.*)", Path("/proc/crypto").read_text()))
            self.assertLessEqual(bound, listed | names)
            self.assertTrue(bound or not names)

    def test_the_tool_says_the_same_without_an_engine(self):
        if MACHINE == "standin":
            return
        for name in OVER:
            cnf = self.cnf(name, "USE_SOFTDRIVERS = 1", "CIPHERS = AES-128-CBC DES-EDE3-CBC")
            by_engine = self.dump(name, "CIPHERS:AES-128-CBC DES-EDE3-CBC").stderr
            by_tool = self.run_([TOOL, "list", "--engine-format", "--config", cnf]).stdout
            pick = re.compile(r"^Cipher .*|^Digest (?!SHA3|SM3).*|^Information .*", re.M)
            self.assertEqual(pick.findall(by_engine.decode()), pick.findall(by_tool.decode()))

    @only("uml")
    def test_nothing_is_called_accelerated_that_is_not(self):
        text = self.dump("afalg", "CIPHERS:AES-128-CBC").stderr.decode()
        self.assertIn("driver=cbc", text)
        self.assertIn("(software)", text)
        self.assertNotIn("hw accelerated", text)

    @only("uml")
    def test_a_way_that_is_not_there(self):
        text = self.dump("devcrypto", "CIPHERS:AES-128-CBC").stderr.decode()
        self.assertIn("Cipher AES-128-CBC, NID=419, /dev/crypto info: id=11, CIOCGSESSION "
                      "(session open call) failed\n", text)
        self.assertNotRegex(text, r"driver=(?!unknown)|id=0")

    @only("qemu", "cuse")
    def test_hardware_is_called_that(self):
        name = "devcrypto" if MACHINE == "cuse" else "afalg"
        self.list_the_devices_drivers()
        text = self.run_(["openssl", "engine", "-pre", "DUMP_INFO", name]).stderr.decode()
        self.assertRegex(text, r"AES-128-CBC.*\(hw accelerated\)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
