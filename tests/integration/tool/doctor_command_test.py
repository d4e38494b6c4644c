#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto doctor with a command, and where the file names an engine; see doctor.py.

usage: doctor_command_test.py BUILD
"""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.append(sys.path[0] + "/..")
from case import BUILD, ENC_256, SANDBOXED, VERSION
from doctor import CNF, ENGINE, MODULE, Chain


class Commands(Chain):
    ENC = [*ENC_256, "-in", MODULE, "-out", "/dev/null"]

    def words(self, told):
        return [f["word"] for f in told["findings"]]

    def test_a_command_is_run_and_its_requests_are_counted(self):
        code, told = self.told(*self.ENC, env={"LD_PRELOAD": ""}, root={"dev/crypto": ""})
        self.assertEqual((code, told["run"]["status"]), (0, 0), told["findings"])
        row, = told["run"]["algorithms"]
        self.assertEqual(row["algorithm"], "AES-256-CBC")
        self.assertGreater(row["kernel"][0]["requests"], 0)
        self.assertRegex(told["findings"][-1]["text"], r"the kernel did \d+ of the command's requests")
        self.assertRegex(told["findings"][0]["text"], "openssl uses /.*libcrypto")

    def test_a_command_whose_chain_is_broken_runs_as_it_is(self):
        code, told = self.told(*self.ENC, change={"?provider=kcrypto": "?provider=tpm2"})
        self.assertEqual((code, told["first"]["word"]), (1, "other-query"))
        self.assertEqual(told["run"]["algorithms"], [])
        self.assertEqual(told["findings"][-1]["word"], "not-used")

    def test_short_requests_are_told_from_none(self):
        _, told = self.told(*self.ENC, change={"AES-256-CBC:0": "AES-256-CBC:1000000"})
        self.assertEqual(told["findings"][-1]["word"], "all-soft")
        self.assertEqual(told["run"]["algorithms"][0]["software"][0]["reason"], "below-threshold")

    def test_standard_output_and_the_failure_are_the_commands(self):
        r = self.call("--", "sh", "-c", "echo out; exit 3")
        self.assertEqual((r.stdout, r.returncode), ("out\n", 1))
        self.assertRegex(r.stderr, r"note +run +the command ended with status 3")
        self.assertIn("failed", self.words(self.told("false")[1]))
        self.assertRegex(r.stderr, r"note +program +\S+ does not link libcrypto")
        self.assertIn("no-libcrypto", self.words(self.told("true")[1]))

    def test_without_room_for_counters_the_command_is_not_run(self):
        code, told = self.told("touch", self.file + ".touched", env={"TMPDIR": "/nowhere"})
        self.assertEqual((code, told["first"]["word"]), (2, "not-run"))
        self.assertFalse(os.path.exists(self.file + ".touched"))

    def test_a_filter_that_the_command_enters_is_the_reason(self):
        code, told = self.told(SANDBOXED, "container", "--", "true")
        self.assertEqual((code, told["first"]["word"]), (1, "own-filter"), told["findings"])

    def test_a_program_that_is_not_there_cannot_be_looked_at(self):
        code, told = self.told("no-such-program")
        self.assertEqual((code, told["first"]["word"]), (2, "no-program"))

    STATIC = subprocess.check_output(["pkg-config", "--static", "--libs", "libcrypto"], text=True).split()
    INSIDE = ["-Wl,-Bstatic", *STATIC, "-Wl,-Bdynamic"]

    def linked(self, *how):
        """A program that encrypts a long message with the library that it is linked to."""
        path = self.path("linked")
        subprocess.run(["cc", "-x", "c", "-", "-o", path, *how], check=True, input=b"""
            #include <openssl/evp.h>
            int main(void)
            {
                static unsigned char in[60000], out[60032];
                EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
                int n;
                return !EVP_EncryptInit_ex(c, EVP_aes_256_cbc(), NULL, in, in) ||
                       !EVP_EncryptUpdate(c, out, &n, in, sizeof(in));
            }""", stderr=subprocess.DEVNULL)
        return path

    def replace(self, path, old, new):
        program = Path(path).read_bytes()
        Path(path).write_bytes(program.replace(old.encode(), new.encode()))

    def test_a_libcrypto_inside_the_program_gets_nothing_and_is_told(self):
        code, told = self.told(self.linked(*self.INSIDE), env={"LD_PRELOAD": ""}, root={"dev/crypto": ""})
        self.assertEqual((code, told["first"]["word"]), (1, "static"))
        self.assertEqual(told["run"]["algorithms"], [])

    def test_a_libcrypto_inside_a_program_without_loader_is_told(self):
        for how in ("-static", "-static-pie"):
            _, told = self.told(self.linked("-fPIE", how, *self.STATIC))
            self.assertEqual(told["findings"][0]["word"], "static")

    def test_a_static_program_without_libcrypto_is_told_from_one_with_it(self):
        path = self.path("static")
        subprocess.run(["cc", "-static", "-x", "c", "-", "-o", path], check=True,
                       input=b"int main(){return 0;}")
        os.chmod(path, 0o4755)
        code, told = self.told(path)
        self.assertEqual((code, told["first"]["word"]), (1, "not-used"))
        self.assertEqual(self.words(told)[:2], ["no-libcrypto", "set-id"])

    def test_the_file_of_a_libcrypto_inside_is_found(self):
        path = self.linked(*self.INSIDE)
        self.replace(path, "\0/usr/lib/ssl", "\0/usr/lib/TLS")
        code, told = self.told(path, env={"OPENSSL_CONF": None})
        found, = (f["text"] for f in told["findings"] if f["word"] == "default-absent")
        self.assertRegex(found, "^there is no /usr/lib/TLS/openssl.cnf")

    def test_a_script_is_its_interpreter(self):
        for first in ("#!/usr/bin/openssl", "#!/usr/bin/env openssl"):
            path = self.write("script", first + "\n")
            os.chmod(path, 0o755)
            _, told = self.told(path)
            self.assertRegex(told["findings"][0]["text"], "openssl uses /.*libcrypto")

    def test_nodes_other_name_is_told(self):
        path = self.path("node")
        shutil.copy(shutil.which("openssl"), path)
        code, told = self.told(path, "version")
        self.assertEqual((code, told["first"]["word"]), (1, "own-name"))
        _, told = self.told(path, "version", cnf="nodejs_conf = init\n" + CNF)
        self.assertNotIn("own-name", self.words(told))

    def test_another_libcrypto_and_its_file_are_found(self):
        libcrypto = re.search(r"=> (\S*libcrypto\S*)", subprocess.check_output(
            ["ldd", shutil.which("openssl")], text=True)).group(1)
        directory = self.path("own")
        os.mkdir(directory)
        library = Path(libcrypto).read_bytes()
        self.assertIn(b"\0/usr/lib/ssl/cert.pem\0", library)
        with open(os.path.join(directory, os.path.basename(libcrypto)), "wb") as f:
            f.write(library.replace(b"/usr/lib/ssl", b"/usr/lib/TLS"))
        path = self.path("program")
        subprocess.run(["cc", "-x", "c", "-", "-o", path, "-Wl,-rpath," + directory, "-lcrypto"],
                       input=b"void OPENSSL_cleanup(void); int main(){OPENSSL_cleanup();}", check=True)
        code, told = self.told(path, env={"OPENSSL_CONF": None})
        self.assertEqual((code, told["first"]["word"]), (0, "default-absent"))
        self.assertIn("/usr/lib/TLS/openssl.cnf", told["first"]["text"])
        self.assertEqual(told["findings"][0]["word"], "other-libcrypto")

    def test_a_wrong_line_is_named(self):
        for args, word in ((["--jsn"], "--jsn"), (["--json", "--jsn"], "--jsn"), (["more"], "more")):
            r = self.call(*args)
            self.assertEqual((r.returncode, r.stdout), (2, ""))
            self.assertIn(f"'{word}'", r.stderr)


class Engines(Chain):
    """Where the file names an old engine, the engine is the way into the kernel."""
    ENGINE = os.path.join(BUILD, "tests/engine/kcrypto-engine-standin.so")

    def first(self, id_, lines=(), both=False, **files):
        change = ENGINE | {"kcrypto = kcrypto_section": "", "default = default_section": ""}
        cnf = CNF
        if both:
            change = {"providers = providers": "engines = engines\nproviders = providers",
                      "[providers]": ENGINE["[providers]"]}
        for old, new in (change | dict(lines)).items():
            cnf = cnf.replace(old, new.replace("kcrypto = engine", id_ + " = engine"))
        _, told = self.told(cnf=cnf, env=self.engines(**files))
        return told["first"] and told["first"]["word"], told

    def test_an_engine_is_found_missing_or_another_or_not_in_use(self):
        self.assertEqual(self.first("kcrypto")[0], "engine-absent")
        word, told = self.first("kcrypto", kcrypto=self.ENGINE)
        self.assertEqual(word, None)
        self.assertIn("programs reach kcrypto as the engine kcrypto; see kcrypto-engine(7)",
                      [f["text"] for f in told["findings"]])
        word, _ = self.first("kcrypto", {"CIPHERS": "#"}, kcrypto=self.ENGINE)
        self.assertEqual(word, "engine-aside")
        _, told = self.first("kcrypto", both=True, kcrypto=self.ENGINE)
        self.assertIn("engine-beside", [f["word"] for f in told["findings"]])
        theirs = subprocess.check_output(["openssl", "version", "-e"], text=True).split('"')[1]
        if os.path.exists(theirs + "/afalg.so"):
            self.assertIn(self.first("afalg", afalg=theirs + "/afalg.so")[0],
                          ("engine-foreign", "engine-absent"))


if not os.path.exists(Engines.ENGINE):
    del Engines


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
