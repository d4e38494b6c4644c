#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Real programs with kcrypto in the system's openssl.cnf and in no other configuration. Prints a line for
each program and threshold.

usage: apps.py --packages SET | SET BACKEND LEVEL[,LEVEL] [PROGRAM...]
  Needs root in one of the test machines, usually in a chroot with the packages of the SET; see inside.
  BACKEND: afalg and devcrypto, whose drivers may be software, or virtio, which is AF_ALG with hardware alone.
  LEVEL: 0, every request goes to the kernel, or default, which leaves the decision to kcrypto."""

import glob
import os
import subprocess
import sys
import time

os.environ["OPENSSL_CONF"] = "/dev/null"  # this process uses software alone; each program's App drops the variable

import app as one  # noqa: E402
import beside  # noqa: E402
import language  # noqa: E402
import recipes  # noqa: E402
import shell  # noqa: E402
import soak  # noqa: E402
import tunnel  # noqa: E402
import web  # noqa: E402
from folder import cnf_of  # noqa: E402

# program: (packages, function of the test). Sets for the Debian release that the machine runs:
OWN = {
    "nginx": ("nginx-light,curl", web.nginx),
    "openssh": ("openssh-server,openssh-client", shell.openssh),
    "openvpn": ("openvpn,iproute2", tunnel.openvpn),
    "stunnel": ("stunnel4,curl", web.stunnel),
    "haproxy": ("haproxy,nginx-light,curl", web.haproxy),
    "python": ("python3-cryptography", language.python),
    "node": ("nodejs", language.node),
    "php": ("php-cli", language.php),
    "git": ("git,openssh-server,openssh-client", shell.git),
    "borg": ("borgbackup", shell.borg),
    "nginx-recipe": ("nginx-light,curl,libjson-c5", recipes.nginx),
    "openssh-recipe": ("openssh-server,openssh-client,libjson-c5", recipes.openssh),
    "openvpn-recipe": ("openvpn,iproute2,libjson-c5", recipes.openvpn),
}
# For a newer release, whose sshd-session is a separate program:
NEWER = {
    "openssh-9.8": ("openssh-server,openssh-client", shell.openssh_in_two),
    "fips": ("openssl-provider-fips", beside.fips),
    "legacy": ("openssl-provider-legacy", beside.legacy),
    "pkcs11": ("pkcs11-provider,softhsm2", beside.pkcs11),
    "tpm2": ("tpm2-openssl,swtpm,iproute2", beside.tpm2),
}
SOAK = {"soak": ("nginx-light,curl,kmod", soak.soak)}
SETS = {"own": OWN, "newer": NEWER, "soak": SOAK}

BACKENDS = {
    "afalg": "backends = afalg\nsoft_drivers = 1",
    "devcrypto": "backends = devcrypto\nsoft_drivers = 1",
    "virtio": "backends = afalg",
}
# Over /dev/crypto, digests and MACs are offloaded only where they are named.
LEVELS = {
    "0": "ciphers = ALL:0\ndigests = ALL:0 SHA1:0 SHA256:0 SHA512:0\nmacs = ALL:0 HMAC-SHA256:0",
    "default": "",
}


def place(option):
    return subprocess.check_output(["openssl", "version", option], text=True).split('"')[1]


def mount(*argv):
    subprocess.run(["mount", *argv], check=True)


USERS = """root:x:0:0::/run:/bin/sh
www-data:x:33:33::/nonexistent:/bin/false
sshd:x:64999:65534::/run/sshd:/bin/false
nobody:x:65534:65534::/nonexistent:/bin/false
"""


def prepare():
    """Does what an installation would have done: the module in OpenSSL's directory, an openssl.cnf, and
    users. root's shell gets no start-up files."""
    with open("/run/passwd", "w") as f:
        f.write(USERS)
    mount("--bind", "/run/passwd", "/etc/passwd")
    modules = place("-m")
    subprocess.run(["cp", "-a", modules, "/run/modules"], check=True)
    module = os.environ.get("KC_APPS_MODULE", "kcrypto.so")
    subprocess.run(["cp", f"{one.TOP}/build/{module}", "/run/modules/kcrypto.so"], check=True)
    mount("--bind", "/run/modules", modules)
    conf = os.path.realpath(place("-d") + "/openssl.cnf")
    with open("/run/openssl.cnf", "w"):
        mount("--bind", "/run/openssl.cnf", conf)
    return conf


def configure(conf, backend, level, providers=("default", "kcrypto"), more=""):
    """@more: lines for the end of the file; the first ones belong to kcrypto's section."""
    ours = "default = default_section\nkcrypto = kcrypto_section\n"
    text = cnf_of(random=True).replace(ours, "".join(f"{name} = {name}_section\n" for name in providers))
    with open(conf, "w") as f:
        f.write("\n".join(("nodejs_conf = init", text, "tune_file = none", BACKENDS[backend], LEVELS[level],
                           more, "")))


def play(name, run, conf, backend, level):
    app = one.App(level == "0", lambda *args: configure(conf, backend, level, *args))
    verdict, begin = "ok", time.time()
    try:
        run(app)
        app.judge_cost()
        app.end()
        wrong = app.wrong()
        one.expect(not wrong, f"the kernel failed or lied: {wrong}")
        one.expect(app.requests() or not app.is_all, "the kernel did nothing")
    except Exception as e:  # noqa: BLE001 whatever it is, the other programs still run
        verdict = f"FAILED: {type(e).__name__}: {e}"
        for log in sorted(glob.glob(app.path("log*"))):
            print(f"--- {name}, {log}\n{app.read(log)[-1000:]}")
    app.end()
    print(f"{name:14} {backend:9} {level:7} {app.bytes / 1e6:7.1f} MB {app.requests():7} requests "
          f"{app.cost()} {time.time() - begin:4.0f} s {verdict}" + "".join(f", {s}" for s in app.said),
          flush=True)
    app.forget()
    return verdict == "ok"


def main():
    if sys.argv[1] == "--packages":
        rows = SETS[sys.argv[2]].values()
        print(",".join(sorted({"openssl", "python3", *(p for r in rows for p in r[0].split(","))})))
        return 0
    programs, backend, levels = SETS[sys.argv[1]], sys.argv[2], sys.argv[3]
    names = sys.argv[4:] or programs
    conf = prepare()
    one.certificate()
    bad = 0
    for name in names:
        for level in levels.split(","):
            bad += not play(name, programs[name][1], conf, backend, level)
    print(f"apps: {len(names)} programs, {bad} failed")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
