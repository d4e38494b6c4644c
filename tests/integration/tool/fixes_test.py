#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command that kcrypto doctor prints, as a person would, and runs doctor again.

kcrypto, chmod, unset and tee are real, the last one below the test's root. Commands that change a kernel,
users or packages are stubs, which check the command's arguments and do what it would do: modprobe, sysctl,
mount, groupadd, usermod, udevadm, apk, apt-get. tests/integration/tool/doctor_kernel_test.py and
tests/module/admission_test.py run those in machines. Every row of faults.def that has a command is tested
here, except for those in ELSEWHERE.

usage: fixes_test.py BUILD"""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.append(sys.path[0] + "/..")
from case import BUILD, CLEAN, STANDIN_TOOL, VERSION
import doctor_test
from doctor import CNF, ENGINE, MODULE, SAYS
from doctor_test import BROKEN, NOTED, NO_MODULES, REFUSED, UNLOADED

HERE = Path(__file__).resolve()
ELSEWHERE = {"not-admitted"}  # tests/module/admission_test.py runs its command, in a machine
OUR_ENGINE = BUILD + "/tests/engine/kcrypto-engine-standin.so"

# After any of these commands the kernel answers.
WORKS = "printf 'SAYS_SOCKET=0\\nSAYS_BIND=0\\nSAYS_DEVICE=0\\n' >$KCRYPTO_ROOT/says"
STUBS = {
    "modprobe": r"""
case $1 in
'-i -a '* | -i) [ "$2" = -a ] && shift 2 && rm -f $KCRYPTO_ROOT/etc/modprobe.d/* ;;
-a) shift ;;
-*) exit 64 ;;
esac
[ $# -gt 0 ] || exit 64
for name; do
	case $name in *[!a-z0-9_]*) exit 64 ;; esac
	mkdir -p $KCRYPTO_ROOT/sys/module/$name && : >$KCRYPTO_ROOT/sys/module/$name/refcnt
done
case $* in
*kcrypto* | *cryptodev*) mkdir -p $KCRYPTO_ROOT/dev && : >$KCRYPTO_ROOT/dev/${1%dev} 2>/dev/null ;;
*cesa*) mkdir -p $KCRYPTO_ROOT/sys/bus/platform/devices/f1090000.crypto/driver ;;
esac
""" + WORKS,
    "sysctl": r"""
case $1 in crypto.af_alg_restrict=[01]) ;; *) exit 64 ;; esac
[ $# = 1 ] && echo ${1#*=} >$KCRYPTO_ROOT/proc/sys/crypto/af_alg_restrict || exit
""" + WORKS,
    "mount": '[ "$*" = "-t proc proc /proc" ] && : >$KCRYPTO_ROOT/proc/crypto',
    "groupadd": '[ "$1 $2 $#" = "-f --system 3" ] || exit 64',
    "usermod": '[ "$1 $#" = "-aG 3" ] && getent group $2 && id $3 || exit 64\n' + WORKS,
    "udevadm": '[ "$1 $#" = "trigger 2" ] && grep -qE "GROUP=.(kcrypto|crypto).*MODE=.0660" '
               "$KCRYPTO_ROOT/etc/udev/rules.d/*.rules && chmod 660 $KCRYPTO_ROOT$2 || exit 64\n"
               "chgrp 1 $KCRYPTO_ROOT$2\n" + WORKS,
    "tee": 'mkdir -p "$KCRYPTO_ROOT${1%/*}" && exec /usr/bin/tee "$KCRYPTO_ROOT$1"',
    "apk": r"""
case $1-$2 in add-kmod-crypto-*) ;; *) exit 64 ;; esac
mkdir -p $KCRYPTO_ROOT/sys/module/af_alg $KCRYPTO_ROOT/sys/module/algif_skcipher
mkdir -p $KCRYPTO_ROOT/sys/bus/platform/devices/f1090000.crypto/driver
""" + WORKS,
    "apt-get": '[ "$*" = "install kcrypto-dkms" ] || exit 64\n: >$KCRYPTO_ROOT/dev/kcrypto\n' + WORKS,
    "uci": """[ "$1 $#" = "set 2" ] || [ "$*" = "commit openssl" ] || exit 64
printf '%s\\n' "$2" >>$KCRYPTO_ROOT/uci
""",
    # OpenWrt's /etc/init.d/openssl, which writes a line for each provider that UCI enables.
    "openssl-init": """[ "$*" = start ] || exit 64
printf '%s\\n' openssl.kcrypto=provider openssl.kcrypto.enabled=1 openssl | cmp - $KCRYPTO_ROOT/uci &&
	echo 'kcrypto = kcrypto_sect' >$KCRYPTO_ROOT/providers.cnf
""",
    "sudo": 'exec "$@"',
}
OPENWRT = {"etc/openwrt_release": "", "usr/bin/apk": ""}
MORE = {
    "OpenWrt without AF_ALG": ("not-built", dict(env=REFUSED, root=UNLOADED | NO_MODULES | OPENWRT)),
    "OpenWrt without a driver": ("driver-not-built", dict(root={
        "sys/bus/platform/devices/f1090000.crypto/driver/x": None,
        "sys/bus/platform/devices/f1090000.crypto/modalias": "of:NcryptoT(null)Cinside-secure,safexcel-eip97"}
        | NO_MODULES | OPENWRT)),
    "no list of drivers": ("no-proc", dict(root={"proc/crypto": None})),
    "a device of another group": ("device-locked", dict(
        env={"KC_STANDIN_HIDES": "1", "SAYS_DEVICE": "13"}, root={"dev/kcrypto": ""}, group=1)),
    "a device that anybody may open": ("device-open", dict(root={"dev/crypto": ""}, mode=0o666)),
}
DEBIAN = {"usr/bin/apt-get": "", "dev/null": ""}


def key(line):
    return dict(change={"ciphers = AES-256-CBC:0": line})


MORE |= {
    "AF_ALG that reaches only software, on Debian": ("masked", dict(env={"KC_STANDIN_HIDES": "1"}, root=DEBIAN)),
    "a driver that a contiguous buffer helps, on Debian": ("scattered", dict(
        env={"KC_STANDIN_DRIVER": "cbc-aes-sun8i-ce"}, root=DEBIAN)),
    "a provider that UCI has off": ("no-line", dict(
        change={"kcrypto = kcrypto_section\n": ".include %ROOT%/providers.cnf\n",
                f"[kcrypto_section]\nmodule = {MODULE}\nactivate = 1\n": ".include %ROOT%/modules.cnf.d\n[ignored]\n"},
        root=OPENWRT | {"etc/config/openssl": "", "providers.cnf": "", "modules.cnf.d/kcrypto.cnf":
                        f"[kcrypto_sect]\nmodule = {MODULE}\nactivate = 1\n"})),
    "a list of others": ("wrong-list", key("digests = AES-256-CBC")),
    "no number": ("bad-number", key("max_sessions = many")),
    "no value of that key": ("bad-value", key("policy = sometimes")),
    "a number out of range": ("out-of-range", key("max_sessions = 99999999")),
    "an empty value": ("empty", key("verify =")),
    "a damaged tune file": ("tuned-damaged", dict(root={"new.tune": "nothing"}, change={
        "tune_file = none": "tune_file = %ROOT%/new.tune"})),
    "a tune file of another version": ("tuned-stale", dict(root={"new.tune": "kctune?" + "\0" * 4096}, change={
        "tune_file = none": "tune_file = %ROOT%/new.tune"})),
}
TUNED = {"no tune file": ("tuned-absent", dict(change={"tune_file = none": "tune_file = %ROOT%/new.tune"}))}


class Fixes(doctor_test.Links):
    """The chains of doctor_test.py."""
    def setUp(self):
        super().setUp()
        self.bin = self.path("bin")
        for name, text in STUBS.items():
            os.chmod(self.write("bin/" + name, "#!/bin/sh\n" + text), 0o755)
        # One second of tune is enough.
        os.chmod(self.write("bin/kcrypto", f"""#!/bin/sh
            [ "$1" = tune ] && set -- "$@" --seconds 1
            # Without that option it would be this system's file.
            case "$1 $*" in "config "*" --config "* | [!c]*) ;; *) exit 64 ;; esac
            [ "$1" = engine-names ] && set -- "$@" --dir "$OPENSSL_ENGINES"
            exec {STANDIN_TOOL} "$@"
            """), 0o755)

    def clean(self):
        subprocess.run(["rm", "-rf", self.root, self.bin], check=True)
        self.setUp()

    def again(self, command, env, question="doctor --json"):
        """Runs the command in a shell, and runs kcrypto again."""
        env = CLEAN | {"OPENSSL_CONF": self.file, "KCRYPTO_ROOT": self.root} | SAYS | env
        env = {k: v.replace("%ROOT%", self.root) for k, v in env.items() if v is not None}
        env["PATH"] = self.bin + ":" + os.environ["PATH"]
        preload = env.pop("LD_PRELOAD")
        script = f"""{command.replace("/etc/init.d/openssl", "openssl-init")}
            status=$?
            [ ! -e $KCRYPTO_ROOT/says ] || while read line; do export "$line"; done <$KCRYPTO_ROOT/says
            echo; echo status $status
            LD_PRELOAD={preload} kcrypto {question}"""
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, check=False)

    def assert_fixed(self, word, told, env, question="doctor --json"):
        """The finding is there, and its command, if it has one here, removes it."""
        found = [f for f in told["findings"] if f["word"] == word]
        self.assertTrue(found, told["findings"])
        command = found[0]["command"]
        if not command:
            return
        r = self.again(command, env, question)
        before, _, after = r.stdout.partition("status 0\n")
        self.assertTrue(after, before[-300:] + r.stderr)
        self.assertNotIn(word, [f["word"] for f in json.loads(after)["findings"]], r.stderr)
        self.ran.setdefault(word, set()).add(command)

    def play_chains(self):
        for what, (word, how) in (BROKEN | NOTED | MORE | TUNED).items():
            how = dict(how)
            group, mode = how.pop("group", None), how.pop("mode", None)
            self.clean()
            env = {"OPENSSL_MODULES": self.root} | how.pop("env", {})
            if group is not None:
                self.write("root/dev/kcrypto", "")
                os.chown(self.root + "/dev/kcrypto", -1, group)
            if mode is not None:
                self.write("root/dev/crypto", "")
                os.chmod(self.root + "/dev/crypto", mode)
            _, told = self.told(env=env, **how)
            with self.subTest(what=what):
                self.assert_fixed(word, told, env)

    def play_a_named_file_that_is_not_there(self):
        self.clean()
        self.call()
        env = {"OPENSSL_CONF": None, "OPENSSL_MODULES": self.root}
        question = "config check --json --config " + self.path("no")
        r = subprocess.run([STANDIN_TOOL, *question.split()], capture_output=True, check=False,
                           env={k: v for k, v in (CLEAN | env).items() if v})
        self.assert_fixed("no-file", json.loads(r.stdout), env, question)

    def play_a_system_without_its_file(self):
        """The system's file must stay: a program has a libcrypto of its own, with another directory."""
        self.clean()
        directory = "/tmp/kc" + secrets.token_hex(3)[:5]
        os.mkdir(directory)
        self.addCleanup(shutil.rmtree, directory)
        libcrypto = re.search(r"=> (\S*libcrypto\S*)", subprocess.check_output(
            ["ldd", shutil.which("openssl")], text=True)).group(1)
        library = Path(libcrypto).read_bytes()
        self.assertIn(b"\0/usr/lib/ssl/cert.pem\0", library)
        own = self.write("own/" + os.path.basename(libcrypto), "")
        Path(own).write_bytes(library.replace(b"/usr/lib/ssl", directory.encode()))
        program = self.path("program")
        subprocess.run(["cc", "-x", "c", "-", "-o", program, "-Wl,-rpath," + os.path.dirname(own), "-lcrypto"],
                       input=b"void OPENSSL_cleanup(void); int main(){OPENSSL_cleanup();}", check=True)
        env, report = {"OPENSSL_CONF": None, "OPENSSL_MODULES": self.root}, self.path("report")
        _, told = self.told(program, env=env)
        self.assert_fixed("default-absent", told, env,
                          f"doctor --json --output {report} -- {program}; cat {report}")

    def play_what_a_user_may_not_read(self):
        """root may read everything: another user runs doctor, and root runs the command."""
        self.clean()
        tool, module, user = self.user()
        for word in "file-locked", "module-locked":
            self.call(change={MODULE: module})
            os.chmod(self.file if word == "file-locked" else module, 0o600)

            def told():
                return json.loads(self.call("--json", tool=tool, user=user, cnf=None).stdout)["first"]

            found = told()
            self.assertEqual(found["word"], word)
            command = re.sub("^sudo ", "", found["command"])
            subprocess.run(command, shell=True, check=True)
            self.assertNotEqual((told() or {"word": ""})["word"], word)
            self.ran[word] = {command}

    def play_engines(self):
        """The engines are in a directory of the test: the command names none, and would use OpenSSL's."""
        if not os.path.exists(OUR_ENGINE):
            return {"engine-absent", "engine-foreign"}
        theirs = subprocess.check_output(["openssl", "version", "-e"], text=True).split('"')[1] + "/afalg.so"
        cnf = CNF
        for old, new in (ENGINE | {"kcrypto = kcrypto_section": "", "default = default_section": ""}).items():
            cnf = cnf.replace(old, new.replace("kcrypto = engine", "afalg = engine"))
        left = set()
        for word, there in ("engine-absent", ()), ("engine-foreign", (theirs,)):
            if there and not os.path.exists(theirs):
                left.add(word)
                continue
            self.clean()
            env = self.engines(**{"kcrypto-engine": OUR_ENGINE}, **({"afalg": theirs} if there else {}))
            _, told = self.told(cnf=cnf, env=env)
            if there and not any(f["word"] == word for f in told["findings"]):
                left.add(word)  # libssl's own engine does not load here
                continue
            self.assert_fixed(word, told, env)
        return left

    def play_another_machine(self):
        """Another architecture's library is installed after config enable. It ends programs, because it
        lacks the module."""
        self.clean()
        self.call()
        self.write("root/kcrypto.cnf", f"kcrypto_module::path = {self.root}/kcrypto.so\nkcrypto = kcrypto_module\n")
        self.write("openssl.cnf", "openssl_conf = mine\nconfig_diagnostics = 1\n[mine]\n")
        env = {"OPENSSL_MODULES": self.root}
        subprocess.run([STANDIN_TOOL, "config", "enable", "--config", self.file], check=True, env=CLEAN | env,
                       stdout=subprocess.DEVNULL)
        self.assertIn("/kcrypto.cnf", Path(self.file).read_text())
        _, told = self.told(cnf=None, env=env, root={"usr/lib/s390x-linux-gnu/libcrypto.so.3": doctor_test.S390X})
        self.assert_fixed("other-machine", told, env)

    def play_a_tune_file_of_other_drivers(self):
        self.clean()
        self.call()
        path = self.path("tune")
        self.write("openssl.cnf", CNF.replace("AES-256-CBC:0", "AES-128-CBC"))
        subprocess.run([STANDIN_TOOL, "tune", "--seconds", "1", "--output", path], check=True,
                       env=os.environ | {"OPENSSL_CONF": self.file}, stdout=subprocess.DEVNULL)
        _, told = self.told(change={"= none": "= " + path})
        self.assert_fixed("tune-old", told, {})

    def test_each_fix_fixes(self):
        self.ran = {}
        self.play_chains()
        self.play_a_named_file_that_is_not_there()
        self.play_a_system_without_its_file()
        self.play_what_a_user_may_not_read()
        left = self.play_engines() | ELSEWHERE
        self.play_another_machine()
        self.play_a_tune_file_of_other_drivers()
        print("commands that fixed:", sum(map(len, self.ran.values())), "of", len(self.ran), "findings:",
              *sorted(self.ran), file=sys.stderr)
        rows = re.findall(r'^FAULT\(\w+, "([^"]+)", \w+, ".*?", ".+", ".*"\)$',
                          (HERE.parents[3] / "src/cli/doctor/faults.def").read_text(), re.M)
        self.assertGreater(len(rows), 40)
        if VERSION >= (3, 5):
            left |= {"no-random"}
        self.assertEqual(set(rows) - set(self.ran) - left, set())


# The chains of doctor_test.py are tested there.
for name in dir(doctor_test.Links):
    if name.startswith("test_"):
        setattr(Fixes, name, None)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
