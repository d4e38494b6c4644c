#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kcrypto doctor names the link that is broken, in chains made of files; see doctor.py.

usage: doctor_test.py BUILD
"""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from case import BUILD, ENC_256, SICK, VERSION
from doctor import CNF, MODULE, MODULES, STANDIN_TOOL, Chain, unwrapped

NOBODY = 65534
DEVICE = "sys/bus/platform/devices/f1090000.crypto/"
NO_MODULES = {MODULES + "modules.dep": "kernel/crypto/cbc.ko:\n", MODULES + "modules.alias": ""}
UNLOADED = {"sys/module/af_alg/refcnt": None, "sys/module/algif_skcipher/refcnt": None}
OURS = {MODULES + "modules.dep": "kernel/crypto/cbc.ko:\nupdates/dkms/kcrypto.ko:\n"}
REFUSED = {"SAYS_SOCKET": "97"}  # EAFNOSUPPORT
FILTER = {"proc/self/status": "Seccomp:\t2\n"}
ENGINE = {"providers = providers": "engines = engines",
          "[providers]": "[engines]\nkcrypto = engine_section\n[engine_section]\n"
                         "CIPHERS = AES-256-CBC:0\n[providers]"}
BOTH = {"openssl_conf = init\n": "", "[init]\n": "[init]\nopenssl_conf = init\n"}

# Broken chains: the word that doctor has to say first, and how the chain is broken.
BROKEN = {
    "no file": ("no-file", dict(env={"OPENSSL_CONF": "/nowhere/openssl.cnf"})),
    "an empty name of the file": ("nameless", dict(env={"OPENSSL_CONF": ""})),
    "a file that is a directory": ("file-kind", dict(env={"OPENSSL_CONF": "/etc"})),
    "a link to itself": ("file-kind", dict(env={"OPENSSL_CONF": "%ROOT%/loop"})),
    "a byte order mark in an included file": ("syntax", dict(change={
        "openssl_conf": ".include %ROOT%/bom.cnf\nopenssl_conf"}, root={"bom.cnf": "\ufeff# nothing\n"})),
    "a syntax error": ("syntax", dict(change={"[providers]": "[providers"})),
    "no openssl_conf": ("no-start", dict(change={"openssl_conf = init": ""})),
    "openssl_conf in a section": ("late-start", dict(change=BOTH)),
    "openssl_conf without its section": ("no-section", dict(change={"[init]": "[other]"})),
    "no line providers": ("no-line", dict(change={"providers = providers": ""})),
    "providers without its section": ("no-section", dict(change={"[providers]": "[other]"})),
    "no line for kcrypto": ("no-line", dict(change={"kcrypto = kcrypto_section": ""})),
    "kcrypto without its section": ("no-section", dict(change={"[kcrypto_section]": "[other]"})),
    "kcrypto not active": ("inactive", dict(change={f"{MODULE}\nactivate = 1": MODULE})),
    "default missing": ("no-default", dict(change={"default = default_section": ""})),
    "default not active": ("no-default", dict(change={"[default_section]\nactivate = 1":
                                                      "[default_section]"})),
    "no properties": ("no-query", dict(change={"default_properties = ?provider=kcrypto": ""})),
    "hard properties": ("hard-query", dict(change={"?provider=kcrypto": "provider=kcrypto"})),
    "properties that lead elsewhere": ("other-query", dict(change={"?provider=kcrypto":
                                                                   "?provider=tpm2"})),
    "no module": ("no-module", dict(change={MODULE: "/nowhere/kcrypto.so"})),
    "a line that libcrypto does not know": ("stumble", dict(change={"[init]": "[init]\nno_such = x"})),
    "a module that is none": ("unloadable", dict(change={MODULE: "/etc/hostname"})),
    "another module": ("other-module", dict(change={MODULE: BUILD + "/legacy.so"})),
    "a module for another libcrypto": ("unloadable", dict(change={MODULE: "%ROOT%/other.so"})),
    "a module that crashes": ("crash", dict(change={MODULE: SICK})),
    "a program that does not start": ("no-launch", dict(change={
        "[init]": "config_diagnostics = 1\n[init]\nno_such = thing"})),
    "a filter that refuses": ("filtered", dict(env={"SAYS_SOCKET": "1"}, root=FILTER)),
    "a service's filter": ("filtered", dict(env=REFUSED, root=FILTER)),
    "a security module": ("forbidden", dict(env={"SAYS_SOCKET": "13"})),
    "AF_ALG switched off": ("switched-off", dict(env=REFUSED, root={
        "proc/sys/crypto/af_alg_restrict": "2\n"})),
    "af_alg blocked": ("blocked", dict(env=REFUSED, root=UNLOADED | {
        "etc/modprobe.d/copyfail.conf": "install af_alg /bin/false\n"})),
    "af_alg blacklisted": ("blocked", dict(env=REFUSED, root=UNLOADED | {
        "etc/modprobe.d/a.conf": "# no\nblacklist algif_skcipher\n"})),
    "af_alg not loaded": ("not-loaded", dict(env=REFUSED, root=UNLOADED)),
    "af_alg not built": ("not-built", dict(env=REFUSED, root=UNLOADED | NO_MODULES)),
    "algif_skcipher not built": ("not-built", dict(env={"SAYS_BIND": "2"}, root={
        "sys/module/algif_skcipher/refcnt": None})),
    "AF_ALG out of order": ("af-alg-fails", dict(env={"SAYS_SOCKET": "105"})),
    "hardware masked": ("masked", dict(env={"KC_STANDIN_HIDES": "1"})),
    "/dev/crypto alone, and locked": ("device-locked", dict(
        env={"KC_STANDIN_HIDES": "1", "SAYS_DEVICE": "13"}, root={"dev/crypto": ""})),
    "/dev/crypto alone, and dead": ("device-dead", dict(
        env={"KC_STANDIN_HIDES": "1", "SAYS_DEVICE": "19"}, root={"dev/crypto": ""})),
    "kcrypto's module not loaded": ("kcrypto-unloaded", dict(env={"KC_STANDIN_HIDES": "1"}, root=OURS)),
    "/dev/kcrypto for root": ("kcrypto-root", dict(
        env={"KC_STANDIN_HIDES": "1", "SAYS_DEVICE": "13"}, root={"dev/kcrypto": ""})),
    "/dev/kcrypto out of order": ("device-dead", dict(
        env={"KC_STANDIN_HIDES": "1", "SAYS_DEVICE": "19"}, root={"dev/kcrypto": ""})),
    "a device without driver": ("no-driver-bound", dict(root={DEVICE + "driver/x": None})),
    "a device without module": ("driver-not-built", dict(
        root={DEVICE + "driver/x": None} | NO_MODULES)),
    "an unknown key": ("unknown-key", dict(change={"tune_file = none": "cipher = ALL"})),
    "another module of ours": ("no-line", dict(change={MODULE: "%ROOT%/kcrypto-keys.so"})),
    "an algorithm that is not there": ("unknown-algorithm", dict(change={"AES-256-CBC:0": "AES-7"})),
    "policy = never": ("never", dict(change={"tune_file = none": "policy = never"})),
    "max_sessions = 0": ("no-sessions", dict(change={"tune_file = none": "max_sessions = 0"})),
    "a driver that is not there": ("named-driver-absent", dict(change={
        "tune_file = none": "driver.AES-256-CBC = none-such"})),
    "a driver that high memory leads astray": ("high-memory", dict(env={
        "KC_STANDIN_DRIVER": "cbc(aes)-ixp4xx", "KC_STANDIN_HIGH_MEMORY": "1"})),
    "a driver that lies": ("wrong-answer", dict(env={"KC_STANDIN_LIES": "1"})),
    "a tune file that anybody may write": ("tuned-writable", dict(
        root={"tune": "x"}, change={"none": "%ROOT%/tune"})),
}

if VERSION >= (4, 0):
    BROKEN["an engine, and none any more"] = ("engine-unknown", dict(change=ENGINE))

# The chain holds, and there is something to know: its word.
NOTED = {
    "an included file is missing": ("include-absent", dict(change={
        "openssl_conf": ".include /nowhere/more.cnf\nopenssl_conf"})),
    "a file that other users cannot read": ("private", dict(change={
        "openssl_conf": ".include %ROOT%/private.cnf\nopenssl_conf"})),
    "a section that no line names": ("stray", dict(change={
        "[providers]": "[kcrypto_sect]\nciphers = AES-128-CBC\n[providers]"})),
    "fips beside": ("fips", dict(change={
        "[providers]": f"[fips]\nmodule = {BUILD}/legacy.so\nactivate = 1\n[providers]\nfips = fips"})),
    "7.3's allow-list": ("restricted", dict(root={"proc/sys/crypto/af_alg_restrict": "1\n"})),
    "/dev/crypto serves where AF_ALG is masked": ("masked-idle", dict(
        env={"KC_STANDIN_HIDES": "1"}, root={"dev/crypto": ""})),
    "/dev/kcrypto serves where AF_ALG is masked": ("masked-idle", dict(
        env={"KC_STANDIN_HIDES": "1"}, root={"dev/kcrypto": ""})),
    "/dev/crypto spares AF_ALG": ("not-loaded", dict(env=REFUSED,
                                                     root=UNLOADED | {"dev/crypto": ""})),
    "/dev/crypto of an old version": ("device-old", dict(root={
        "dev/crypto": "", "sys/module/cryptodev/version": "1.14\n"})),
    "an untested driver": ("untested", dict(root={
        "proc/crypto": "name : cbc(aes)\ndriver       : mv-cbc-aes\nselftest     : unknown\n"})),
    "a driver that a contiguous buffer helps": ("scattered", dict(env={
        "KC_STANDIN_DRIVER": "cbc-aes-sun8i-ce"})),
    "AES instructions": ("fast-cpu", dict(root={"proc/cpuinfo": "flags\t: fpu aes sse\n"})),
    "kTLS would serve": ("ktls-off", {}),
    "kTLS without its module": ("ktls-no-module", dict(change={
        "random = random\n": "random = random\nssl_conf = ssl\n",
        "[providers]": "[ssl]\nsystem_default = tls\n[tls]\nOptions = KTLS\n[providers]"})),
    "no tune file": ("tuned-absent", dict(change={"tune_file = none": "tune_file = /nowhere/tune"})),
}
if VERSION < (3, 2):
    NOTED["activate = 0, which activates"] = ("active-anyway", dict(change={
        f"{MODULE}\nactivate = 1": f"{MODULE}\nactivate = 0"}))
if VERSION < (3, 5):
    NOTED["no random section"] = ("no-random", dict(change={"random = random": ""}))


class Links(Chain):
    def setUp(self):
        super().setUp()
        other = re.sub(rb"libcrypto\.so\.\d", b"libcrypto.so.9", Path(MODULE).read_bytes())
        os.makedirs(self.root)
        Path(self.root, "other.so").write_bytes(other)
        for name, mode in ("tune", 0o666), ("private.cnf", 0o600):
            with open(os.path.join(self.root, name), "w") as f:
                os.fchmod(f.fileno(), mode)
        os.symlink("loop", os.path.join(self.root, "loop"))

    def clean(self):
        shutil.rmtree(self.root)
        self.setUp()

    def text(self, **how):
        """What people get; no line is longer than 80 but for a command."""
        text = self.call(**how).stdout
        for line in text.splitlines():
            if not line.startswith("To fix it: ") and " " in line[22:]:
                self.assertLessEqual(len(line), 80, line)
        return text

    def user(self):
        """What one that is not root may read: copies of the tool and of the module; and that user."""
        os.chmod(self.dir.name, 0o755)
        return (shutil.copy(STANDIN_TOOL, self.dir.name), shutil.copy(MODULE, self.dir.name),
                NOBODY if os.geteuid() == 0 else None)

    def test_nothing_is_broken_in_a_chain_that_holds(self):
        code, told = self.told()
        self.assertEqual([f for f in told["findings"] if f["state"] not in ("ok", "note")], [])
        self.assertEqual((code, told["first"]), (0, None))
        r = self.call()
        self.assertEqual(r.returncode, 0)
        self.assertIn("\nNothing is broken.\n", r.stdout)
        self.assertIn("algorithms that programs get: 1; kcrypto list shows each", unwrapped(r.stdout))

    def test_the_first_broken_link_is_named_with_its_fix(self):
        self.assertGreaterEqual(len(BROKEN), 25)
        for what, (word, how) in BROKEN.items():
            with self.subTest(broken=what):
                self.clean()
                code, told = self.told(**how)
                self.assertEqual(told["first"] and told["first"]["word"], word, told["findings"])
                self.assertEqual((code, told["first"]["state"]), (1, "broken"))
                text = self.text(**how)
                self.assertRegex(text, r"(?m)^broken +%s" % told["first"]["link"])
                self.assertIn(f"\nTo fix it: {told['first']['fix']}\n", text)
                self.assertNotRegex(told["first"]["text"] + told["first"]["fix"], r"<[a-z]+>|\?$")

    def test_config_enable_fixes_what_it_is_named_for(self):
        """In place of the file that programs read; the modules' directory has the stand-in's."""
        fixed = 0
        for what, (word, how) in (BROKEN | NOTED).items():
            self.clean()
            os.symlink(MODULE, self.root + "/kcrypto.so")
            modules = {"OPENSSL_MODULES": self.root}
            _, told = self.told(**how)
            fix, = {f["fix"] for f in told["findings"] if f["word"] == word}
            if not fix.startswith("kcrypto config enable") or "env" in how:
                continue
            self.assertEqual(fix, "kcrypto config enable --config " + self.file)
            with self.subTest(fixed=what):
                subprocess.run([STANDIN_TOOL, *fix.split()[1:]], check=True,
                               env=os.environ | modules, capture_output=True)
                code, told = self.told(cnf=None, env=modules)
                self.assertEqual((code, told["first"]), (0, None))
                self.assertNotIn(word, [f["word"] for f in told["findings"]])
                fixed += 1
        self.assertGreaterEqual(fixed, 10)

    def test_what_is_worth_knowing_is_noted_and_breaks_nothing(self):
        for what, (word, how) in NOTED.items():
            with self.subTest(noted=what):
                self.clean()
                code, told = self.told(**how)
                self.assertIn((word, "note"), [(f["word"], f["state"]) for f in told["findings"]])
                self.assertEqual((code, told["first"]), (0, None))
                self.assertIn("\nNothing is broken.\n", self.text(**how))

    def test_a_device_of_another_group_is_locked(self):
        self.write("root/dev/kcrypto", "")
        os.chown(os.path.join(self.root, "dev/kcrypto"), -1, 1)
        _, told = self.told(env={"KC_STANDIN_HIDES": "1", "SAYS_DEVICE": "13"})
        self.assertEqual(told["first"]["word"], "device-locked")
        self.assertIn("usermod -aG daemon USER", told["first"]["fix"])

    def test_the_last_sentence_is_what_this_machine_gets(self):
        soft = {"KC_STANDIN_DRIVER": "cbc-aes-generic", "KC_STANDIN_SOFT": "1"}
        for env, end in (({}, "an accelerator does 1 algorithm, "), (soft, "software does everything")):
            self.assertIn("\nNothing is broken.\nIn short: " + end, self.call(env=env).stdout)

    def test_commands_for_root_have_sudo_where_it_is_needed(self):
        tool, module, user = self.user()
        _, told = self.told(**BROKEN["af_alg not loaded"][1], change={MODULE: module}, tool=tool, user=user)
        self.assertTrue(told["first"]["fix"].startswith("sudo modprobe "), told["first"])

    def test_algorithms_that_share_a_reason_share_a_line(self):
        _, told = self.told(change={"ciphers = AES-256-CBC:0\n": "", "?provider": "?x.y"})
        told = [f["text"] for f in told["findings"] if f["word"] == "not-reached"]
        self.assertRegex("\n".join(told), r"\AAES-128-CBC: .*, and \d+ more: [^\n]*\Z")

    def test_a_device_that_anybody_may_open_is_told_of_with_a_rule_for_a_group(self):
        self.write("root/dev/crypto", "")
        os.chmod(os.path.join(self.root, "dev/crypto"), 0o666)
        _, told = self.told()
        found, = (f for f in told["findings"] if f["word"] == "device-open")
        self.assertEqual(found["state"], "note")
        self.assertIn("memory bugs", found["text"])
        self.assertIn('GROUP="crypto", MODE="0660"', found["fix"])
        os.chmod(os.path.join(self.root, "dev/crypto"), 0o660)
        self.assertNotIn("device-open", [f["word"] for f in self.told()[1]["findings"]])

    def test_what_this_user_may_not_read_is_told(self):
        """root may read all: another user asks."""
        tool, module, user = self.user()
        self.write("openssl.cnf", "")
        os.chmod(self.file, 0)
        r = self.call("--json", tool=tool, user=user, cnf=None)
        self.assertEqual(json.loads(r.stdout)["first"]["word"], "file-locked")
        os.chmod(self.file, 0o644)
        os.chmod(module, 0)
        _, told = self.told(change={MODULE: module}, tool=tool, user=user)
        self.assertEqual(told["first"]["word"], "module-locked")

    def test_where_it_cannot_look_it_says_so(self):
        code, told = self.told(root={"proc/crypto": None})
        self.assertEqual((code, told["first"]["word"], told["first"]["state"]),
                         (2, "no-proc", "unknown"))

    def test_a_tune_file_that_does_not_know_the_drivers_is_told(self):
        path = self.path("tune")
        self.write("openssl.cnf", CNF.replace("AES-256-CBC:0", "AES-128-CBC"))
        subprocess.run([STANDIN_TOOL, "tune", "--seconds", "1", "--output", path], check=True,
                       env=os.environ | {"OPENSSL_CONF": self.file}, stdout=subprocess.DEVNULL)
        for ciphers, word in (("AES-128-CBC", "ok"), ("AES-256-CBC", "tune-old")):
            _, told = self.told(change={"AES-256-CBC:0": ciphers, "= none": "= " + path})
            self.assertEqual([f["word"] for f in told["findings"] if f["link"] == "tune"], [word])

    def test_a_late_line_is_fixed_by_the_command(self):
        _, told = self.told(change=BOTH)
        subprocess.run(["sh", "-c", told["first"]["fix"]], check=True)
        code, told = self.told(cnf=Path(self.file).read_text())
        self.assertEqual((code, told["first"]), (0, None))

    def test_a_late_line_is_found_in_files_that_are_included(self):
        for how in (".include %s", ".include = %s"):
            self.write("more.d/a.cnf", "[section]\nx = 1\nopenssl_conf = init\n")
            self.write("more.d/b.conf", "[more]\n")
            self.write("more.d/c.txt", "nothing to be read\n")
            _, told = self.told(change={"openssl_conf = init":
                                        how % self.path("more.d")})
            self.assertEqual(told["first"]["word"], "late-start")
            self.assertIn("/more.d/a.cnf:3: ", told["first"]["text"])
            self.assertIn("files that it includes: 2", told["findings"][0]["text"])

    def test_a_line_in_the_section_default_is_not_late(self):
        code, told = self.told(change={"openssl_conf = init\n":
                                       "[x]\na = 1\n[ default ]\nopenssl_conf = init\n"})
        self.assertEqual((code, told["first"]), (0, None))


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

    def test_a_program_that_is_not_there_cannot_be_looked_at(self):
        code, told = self.told("no-such-program")
        self.assertEqual((code, told["first"]["word"]), (2, "no-program"))

    STATIC = subprocess.check_output(["pkg-config", "--static", "--libs", "libcrypto"], text=True).split()
    INSIDE = ["-Wl,-Bstatic", *STATIC, "-Wl,-Bdynamic"]

    def linked(self, *how):
        """A program that encrypts a long message by the library that it is linked to."""
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
        found, = (f["text"] for f in told["findings"] if f["word"] == "no-file")
        self.assertEqual((code, found), (1, "there is no /usr/lib/TLS/openssl.cnf"))

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
        self.assertEqual((code, told["first"]["word"]), (1, "no-file"))
        self.assertIn("/usr/lib/TLS/openssl.cnf", told["first"]["text"])
        self.assertEqual(told["findings"][0]["word"], "other-libcrypto")

    def test_a_wrong_line_is_named(self):
        for args, word in ((["--jsn"], "--jsn"), (["--json", "--jsn"], "--jsn"), (["more"], "more")):
            r = self.call(*args)
            self.assertEqual((r.returncode, r.stdout), (2, ""))
            self.assertIn(f"'{word}'", r.stderr)


class Engines(Chain):
    """Where the file names an old engine, that is the way."""
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
