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

sys.path.append(sys.path[0] + "/..")
from case import BUILD, SICK, VERSION
from doctor import CNF, ENGINE, MODULE, MODULES, STANDIN_TOOL, Chain, unwrapped

NOBODY = 65534
DEVICE = "sys/bus/platform/devices/f1090000.crypto/"
NO_MODULES = {MODULES + "modules.dep": "kernel/crypto/cbc.ko:\n", MODULES + "modules.alias": ""}
UNLOADED = {"sys/module/af_alg/refcnt": None, "sys/module/algif_skcipher/refcnt": None}
OURS = {MODULES + "modules.dep": "kernel/crypto/cbc.ko:\nupdates/dkms/kcrypto.ko:\n"}
REFUSED = {"SAYS_SOCKET": "97"}  # EAFNOSUPPORT
FILTER = {"proc/self/status": "Seccomp:\t2\n"}
S390X = "\x7fELF\x02\x02\x01" + "\0" * 9 + "\0\3\0\x16" + "\0" * 64
BOTH = {"openssl_conf = init\n": "", "[init]\n": "[init]\nopenssl_conf = init\n"}

# Broken chains: the word that doctor has to print first, and how the chain is broken.
BROKEN = {
    "a name of no file": ("named-absent", dict(env={"OPENSSL_CONF": "/nowhere/openssl.cnf"})),
    "a name of a device": ("named-empty", dict(env={"OPENSSL_CONF": "/dev/null"})),
    "a link to nothing": ("dangling", dict(env={"OPENSSL_CONF": "%ROOT%/dangling"})),
    "a file that includes itself": ("include-loop", dict(change={
        "openssl_conf": ".include %ROOT%/../openssl.cnf\nopenssl_conf"})),
    "an empty name of the file": ("nameless", dict(env={"OPENSSL_CONF": ""})),
    "a file that is a directory": ("named-empty", dict(env={"OPENSSL_CONF": "/etc"})),
    "UTF-16": ("file-kind", dict(cnf="openssl_conf = init\n".encode("utf-16-le").decode())),
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
    "properties with a semicolon": ("other-query", dict(change={
        "?provider=kcrypto": "?provider=kcrypto;"})),
    "properties in a word processor's quotes": ("bad-query", dict(change={
        "?provider=kcrypto": "\u201c?provider=kcrypto\u201d"})),
    "properties that require FIPS": ("fips-query", dict(change={
        "?provider=kcrypto": "?provider=kcrypto,fips=yes"})),
    "hard properties": ("hard-query", dict(change={"?provider=kcrypto": "provider=kcrypto"})),
    "properties that lead elsewhere": ("other-query", dict(change={"?provider=kcrypto":
                                                                   "?provider=tpm2"})),
    "no module": ("no-module", dict(change={MODULE: "/nowhere/kcrypto.so"})),
    "OPENSSL_MODULES elsewhere": ("named-modules", dict(
        change={f"module = {MODULE}\n": ""}, env={"OPENSSL_MODULES": "/nowhere"})),
    "no module for the line that loads it": ("no-module", dict(change={
        "[providers]": "kcrypto = loader\n[loader]\npath = /nowhere/kcrypto.so\n[providers]"})),
    "that, and programs that end": ("no-module", dict(change={
        "openssl_conf": "config_diagnostics = 1\nopenssl_conf",
        "[providers]": "kcrypto = loader\n[loader]\npath = /nowhere/kcrypto.so\n[providers]"})),
    "another architecture without a module": ("other-machine", dict(
        change={"openssl_conf": "config_diagnostics = 1\nopenssl_conf",
                "[init]": f"[loader]\npath = {BUILD}/kcrypto.so\n[init]",
                "[providers]": "kcrypto = loader\n[providers]"},
        env={"OPENSSL_MODULES": BUILD}, root={"usr/lib/s390x-linux-gnu/libcrypto.so.3": S390X})),
    "the module's own file is gone": ("loader-absent", dict(change={
        "openssl_conf": ".include /nowhere/kcrypto.cnf\nopenssl_conf"})),
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
    "algif_skcipher blocked": ("blocked", dict(env={"SAYS_BIND": "2"}, root={
        "sys/module/algif_skcipher/refcnt": None,
        "etc/modprobe.d/a.conf": "install algif_skcipher /bin/false\n"})),
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
    "another kcrypto module": ("no-line", dict(change={MODULE: "%ROOT%/kcrypto-keys.so"})),
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

# Chains that hold, with something to know: its word.
NOTED = {
    "an included file is missing": ("include-absent", dict(change={
        "openssl_conf": ".include /nowhere/more.cnf\nopenssl_conf"})),
    "a line after the one that loads the module": ("not-last", dict(change={
        "[init]": f"[loader]\npath = {BUILD}/tests/kcrypto-standin.so\n[init]\nkcrypto = loader"})),
    "a file that other users cannot read": ("private", dict(change={
        "openssl_conf": ".include %ROOT%/private.cnf\nopenssl_conf"})),
    "a line twice": ("twice", dict(change={
        "[providers]": "[algorithms]\ndefault_properties = ?provider=kcrypto\n[providers]"})),
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
        os.symlink("nothing", os.path.join(self.root, "dangling"))
        os.symlink(MODULE, self.root + "/kcrypto.so")

    def clean(self):
        shutil.rmtree(self.root)
        self.setUp()

    def text(self, **how):
        """The output for people; no line is longer than 80 columns, except for commands."""
        text = self.call(**how).stdout
        for line in text.splitlines():
            if not line.startswith("To ") and " " in line[22:]:
                self.assertLessEqual(len(line), 80, line)
        return text

    def user(self):
        """Copies of the tool and the module that a user who is not root may read; and that user."""
        os.chmod(self.dir.name, 0o755)
        return (shutil.copy(STANDIN_TOOL, self.dir.name), shutil.copy(MODULE, self.dir.name),
                NOBODY if os.geteuid() == 0 else None)

    def test_nothing_is_broken_in_a_chain_that_holds(self):
        code, told = self.told()
        self.assertEqual([f for f in told["findings"] if f["state"] not in ("ok", "note")], [])
        self.assertEqual((code, told["first"]), (0, None))
        self.assertEqual(told["verdict"], "on")
        self.assertNotIn("\nok ", self.call().stdout)
        r = self.call("-v")
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
                if told["first"]["command"]:
                    self.assertIn(f"\nTo fix it: {told['first']['command']}\n", text)
                else:
                    self.assertIn(f" What to do: {told['first']['advice']}", " ".join(text.split()))
                self.assertNotRegex(told["first"]["text"] + told["first"]["fix"], r"<[a-z]+>|\?$")

    def test_config_enable_fixes_what_it_is_named_for(self):
        """The file replaces the one that programs read; the modules' directory has the stand-in's module."""
        fixed = 0
        for what, (word, how) in (BROKEN | NOTED).items():
            self.clean()
            modules = {"OPENSSL_MODULES": self.root}
            _, told = self.told(**how if "env" in how else how | dict(env=modules))
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
        self.assertGreaterEqual(fixed, 8)

    def test_what_is_worth_knowing_is_noted_and_breaks_nothing(self):
        for what, (word, how) in NOTED.items():
            with self.subTest(noted=what):
                self.clean()
                code, told = self.told(**how)
                self.assertIn((word, "note"), [(f["word"], f["state"]) for f in told["findings"]])
                self.assertEqual((code, told["first"]), (0, None))
                self.assertIn("\nNothing is broken.\n", self.text(**how))

    def test_what_a_driver_leaves_to_software_is_told(self):
        page = os.sysconf("SC_PAGE_SIZE")
        for driver, what in (("cbc-aes-sun8i-ce", f"digests, requests of more than {7 * page} bytes, "
                              "requests at some addresses"), ("cbc-aes-rk", "requests at some addresses")):
            _, told = self.told(env={"KC_STANDIN_DRIVER": driver})
            text, = (f["text"] for f in told["findings"] if f["word"] == "scattered")
            self.assertRegex(text, f"driver {driver} leaves some requests through .* to software: {what}; "
                             "through /dev/kcrypto")

    def test_a_device_of_another_group_is_locked(self):
        self.write("root/dev/kcrypto", "")
        os.chown(os.path.join(self.root, "dev/kcrypto"), -1, 1)
        _, told = self.told(env={"KC_STANDIN_HIDES": "1", "SAYS_DEVICE": "13"})
        self.assertEqual(told["first"]["word"], "device-locked")
        self.assertRegex(told["first"]["fix"], r"usermod -aG daemon \w+$")

    def test_the_last_sentence_is_what_this_machine_gets(self):
        soft = {"KC_STANDIN_DRIVER": "cbc-aes-generic", "KC_STANDIN_SOFT": "1"}
        for env, end in (({}, "accelerators' drivers get 1 algorithm, "), (soft, "software does everything")):
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
        """root may read everything, so another user runs doctor."""
        tool, module, user = self.user()
        self.write("openssl.cnf", "")
        os.chmod(self.file, 0)
        r = self.call("--json", tool=tool, user=user, cnf=None)
        self.assertEqual(json.loads(r.stdout)["first"]["word"], "file-locked")
        os.chmod(self.file, 0o644)
        os.chmod(module, 0)
        _, told = self.told(change={MODULE: module}, tool=tool, user=user)
        self.assertEqual(told["first"]["word"], "module-locked")

    def test_without_the_kernels_modules_nobody_knows_what_it_could_load(self):
        code, told = self.told(env=REFUSED, root=UNLOADED | {MODULES + "modules.dep": None,
                                                             MODULES + "modules.alias": None})
        self.assertEqual((code, told["first"]["word"]), (2, "modules-absent"))

    def test_off_is_not_broken(self):
        modules = {"OPENSSL_MODULES": self.root}
        for cnf, word in (("", "no-start"), ("openssl_conf = i\n[i]\nproviders = p\n[p]\n", "no-line")):
            code, told = self.told(cnf=cnf, env=modules)
            self.assertEqual((code, told["verdict"], told["first"]["word"], told["first"]["state"]),
                             (0, "off", word, "off"))
            text = self.text(cnf=cnf, env=modules)
            self.assertIn("\nNothing is broken.\nkcrypto is off: ", text)
            self.assertIn("kcrypto config enable --config " + self.file, text)
        soft = {"KC_STANDIN_DRIVER": "cbc-aes-generic", "KC_STANDIN_SOFT": "1"}
        text = self.text(cnf="", env=modules | soft)
        self.assertIn("There is nothing to gain here: ", text)
        self.assertNotIn("config enable", text)

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
        subprocess.run([STANDIN_TOOL, *told["first"]["command"].split()[1:]], check=True)
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
