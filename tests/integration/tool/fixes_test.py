#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every command that kcrypto doctor prints is run, as a person would, and doctor is asked again.

kcrypto, chmod, unset and tee are real, the last one below the test's root. What changes a kernel, users or
packages is held by a stub, which knows the command's arguments and plays what it would do: modprobe, sysctl,
mount, groupadd, usermod, udevadm, apk, apt-get. tests/integration/tool/doctor_kernel_test.py and
tests/module/admission_test.py run those in machines.

usage: fixes_test.py BUILD
"""

import json
import os
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/..")
from case import CLEAN, STANDIN_TOOL
import doctor_test
from doctor import SAYS
from doctor_test import BROKEN, NOTED, NO_MODULES, REFUSED, UNLOADED

# Any of these: the kernel answers from then on.
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
            exec {STANDIN_TOOL} "$@"
            """), 0o755)

    def clean(self):
        subprocess.run(["rm", "-rf", self.root, self.bin], check=True)
        self.setUp()

    def again(self, command, env):
        """Runs it in a shell with doctor behind it."""
        env = CLEAN | {"OPENSSL_CONF": self.file, "KCRYPTO_ROOT": self.root} | SAYS | env
        env = {k: v.replace("%ROOT%", self.root) for k, v in env.items() if v is not None}
        env["PATH"] = self.bin + ":" + os.environ["PATH"]
        script = f"""{command}
            status=$?
            [ ! -e $KCRYPTO_ROOT/says ] || while read line; do export "$line"; done <$KCRYPTO_ROOT/says
            echo; echo status $status
            kcrypto doctor --json"""
        preload = env.pop("LD_PRELOAD")
        script = script.replace("kcrypto doctor", f"LD_PRELOAD={preload} kcrypto doctor")
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, check=False)

    def test_each_fix_fixes(self):
        run = {}
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
            for f in told["findings"]:
                if f["word"] != word or not f["command"]:
                    continue
                with self.subTest(what=what, command=f["command"]):
                    r = self.again(f["command"], env)
                    before, _, after = r.stdout.partition("status 0\n")
                    self.assertTrue(after, before[-300:] + r.stderr)
                    words = [f["word"] for f in json.loads(after)["findings"]]
                    self.assertNotIn(word, words, r.stderr)
                    run.setdefault(word, set()).add(f["command"])
                break
        print("commands that fixed:", sum(map(len, run.values())), "of", len(run), "findings:",
              *sorted(run), file=sys.stderr)
        self.assertLessEqual({"named-absent", "nameless", "late-start", "syntax", "no-section", "hard-query",
                              "other-query", "bad-query", "fips-query", "stumble", "no-launch", "blocked",
                              "not-loaded", "switched-off", "kcrypto-unloaded", "no-driver-bound", "not-built",
                              "driver-not-built", "no-proc", "device-locked", "device-open"}, set(run))


# Those of doctor_test.py have run there.
for name in dir(doctor_test.Links):
    if name.startswith("test_"):
        setattr(Fixes, name, None)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
