#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Commands with other providers, without kcrypto and after 'kcrypto config enable': each has the same
result. If the packages of a TPM (swtpm, tpm2-openssl) or a token (softhsm2, pkcs11-provider) are not
installed, prints that they are left out. Uses the stand-in, which offers every algorithm.

usage: others.py BUILD [old | PKCS11]
  old: with the lines of a former enable, which activates providers; PKCS11: a pkcs11-provider in place of the system's
"""

import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = os.path.abspath(sys.argv[1])
OLD = sys.argv[2:] == ["old"]
PKCS11 = [] if OLD else [os.path.abspath(path) for path in sys.argv[2:]]
MODULES = subprocess.run(["openssl", "version", "-m"], capture_output=True, text=True,
                         check=True).stdout.split('"')[1]
DIR = Path(tempfile.mkdtemp())
SOFTHSM = "/usr/lib/softhsm/libsofthsm2.so"
# SoftHSM uses libcrypto itself; without the quirk it hangs at exit, with and without kcrypto.
PLAIN = f"""openssl_conf = openssl_init
config_diagnostics = 1
[openssl_init]
providers = provider_sect
[provider_sect]
pkcs11 = pkcs11_sect
[pkcs11_sect]
module = pkcs11.so
pkcs11-module-path = {SOFTHSM}
pkcs11-module-quirks = no-deinit
[req]
distinguished_name = n
[n]
"""
ACTIVE = """[openssl_init]
alg_section = algs
random = rand
[provider_sect]
default = default_sect
kcrypto = kcrypto_sect
[default_sect]
activate = 1
[kcrypto_sect]
activate = 1
[algs]
default_properties = ?provider=kcrypto
[rand]
properties = provider!=kcrypto
"""
ALL = "soft_drivers = 1\nciphers = ALL\ndigests = ALL\nmacs = ALL\n"
RSA = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
ENV = {k: v for k, v in os.environ.items() if not k.startswith("OPENSSL_")} | {"OPENSSL_MODULES": str(DIR / "modules")}


def write(name, text):
    (DIR / name).write_text(text)
    return str(DIR / name)


def run(argv, conf, check=False, **env):
    return subprocess.run(argv, env=ENV | {"OPENSSL_CONF": conf} | env, cwd=DIR, capture_output=True, check=check,
                          timeout=600)


def configure():
    """The modules of the system and the stand-in in one directory; openssl.cnf without kcrypto, and with
    it."""
    os.mkdir(DIR / "modules")
    for name in os.listdir(MODULES):
        if not name.startswith("kcrypto") and not (PKCS11 and name == "pkcs11.so"):
            os.symlink(os.path.join(MODULES, name), DIR / "modules" / name)
    for path in PKCS11:
        os.symlink(path, DIR / "modules" / "pkcs11.so")
    module = DIR / "modules" / "kcrypto.so"
    os.symlink(os.path.join(BUILD, "tests/kcrypto-standin.so"), module)
    write("modules/kcrypto.cnf", f"kcrypto_module::path = {module}\nkcrypto = kcrypto_module\n")
    plain, conf = write("plain.cnf", PLAIN), write("openssl.cnf", PLAIN)
    if OLD:
        write("openssl.cnf", PLAIN + ACTIVE)
    else:
        run([os.path.join(BUILD, "kcrypto"), "config", "enable", "--config", conf], conf, check=True,
            KCRYPTO_ROOT=str(DIR))
    write("openssl.cnf", (DIR / "openssl.cnf").read_text().replace("[kcrypto_sect]\n", "[kcrypto_sect]\n" + ALL))
    return plain, conf


def free_ports():
    """Two consecutive ports that are free."""
    while True:
        with socket.socket() as a, socket.socket() as b:
            a.bind(("127.0.0.1", 0))
            port = a.getsockname()[1]
            try:
                b.bind(("127.0.0.1", port + 1))
                return port
            except OSError:
                pass


def start_tpm():
    os.mkdir(DIR / "tpm")
    port = free_ports()
    tpm = subprocess.Popen(["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={DIR}/tpm", "--server",
                            f"type=tcp,port={port}", "--ctrl", f"type=tcp,port={port + 1}", "--flags",
                            "not-need-init,startup-clear"], stderr=subprocess.DEVNULL)
    ENV["TPM2OPENSSL_TCTI"] = f"swtpm:host=127.0.0.1,port={port}"
    while subprocess.run(["sh", "-c", f"ss -Hltn 'sport = :{port}'"], capture_output=True, check=True).stdout == b"":
        time.sleep(0.1)
    return tpm


def tpm_commands(plain):
    """The commands of tpm2-openssl's documentation, in all orders of the two providers."""
    run(["openssl", "genpkey", "-provider", "tpm2", *RSA, "-out", "tpm.key"], plain, check=True)
    run(["openssl", "pkey", "-provider", "tpm2", "-provider", "default", "-in", "tpm.key", "-pubout", "-out", "tpm.pub"],
        plain, check=True)
    for order in (["tpm2"], ["tpm2", "default"], ["default", "tpm2"], ["tpm2", "base"], ["tpm2", "legacy", "default"]):
        p = [word for name in order for word in ("-provider", name)]
        yield ["genpkey", *p, *RSA, "-out", "new.key"]
        yield ["genpkey", *p, "-algorithm", "EC", "-pkeyopt", "group:P-256", "-out", "new.key"]
        yield ["pkey", *p, "-in", "tpm.key", "-pubout"]
        yield ["pkeyutl", *p, "-sign", "-inkey", "tpm.key", "-rawin", "-digest", "sha256", "-in", "text", "-out", "sig"]
        yield ["pkeyutl", *p, "-sign", "-inkey", "tpm.key", "-in", "hash", "-pkeyopt", "digest:sha256", "-out", "sig"]
        yield ["pkeyutl", *p, "-verify", "-pubin", "-inkey", "tpm.pub", "-rawin", "-digest", "sha256", "-in", "text",
               "-sigfile", "good"]
        yield ["dgst", *p, "-sha256", "-sign", "tpm.key", "-out", "sig", "text"]
        yield ["req", *p, "-new", "-subj", "/CN=x", "-key", "tpm.key", "-out", "req"]
        yield ["req", *p, "-x509", "-subj", "/CN=x", "-key", "tpm.key", "-out", "cert", "-days", "1"]
        yield ["rand", *p, "-out", "random", "16"]
        yield ["dgst", *p, "-sha256", "text"]
        yield ["enc", *p, "-aes-128-cbc", "-K", "00" * 16, "-iv", "00" * 16, "-in", "text"]
        yield ["list", *p, "-public-key-algorithms"]


def token_commands(plain):
    write("softhsm.conf", f"directories.tokendir = {DIR}/tokens\nobjectstore.backend = file\nlog.level = ERROR\n")
    os.mkdir(DIR / "tokens")
    ENV["SOFTHSM2_CONF"] = str(DIR / "softhsm.conf")
    run(["openssl", "genpkey", *RSA, "-out", "token.key"], plain, check=True)
    run(["softhsm2-util", "--init-token", "--free", "--label", "t", "--so-pin", "1234", "--pin", "1234"], plain, check=True)
    run(["softhsm2-util", "--import", "token.key", "--token", "t", "--label", "key", "--id", "01", "--pin", "1234"],
        plain, check=True)
    uri = "pkcs11:token=t;object=key;type=private?pin-value=1234"
    # Where the pkcs11 provider comes first, SoftHSM waits for itself, with and without kcrypto.
    for order in (["default", "pkcs11"], ["default", "base", "pkcs11"], ["base", "default", "pkcs11"]):
        p = [word for name in order for word in ("-provider", name)]
        yield ["pkey", *p, "-in", uri, "-pubout"]
        yield ["pkeyutl", *p, "-sign", "-inkey", uri, "-in", "hash", "-pkeyopt", "digest:sha256", "-out", "sig"]
        yield ["dgst", *p, "-sha256", "-sign", uri, "-out", "sig", "text"]
        yield ["req", *p, "-new", "-subj", "/CN=x", "-key", uri, "-out", "req"]
        yield ["dgst", *p, "-sha256", "text"]


def own_commands(_):
    names = ["default", "legacy", "base", "null"]
    orders = [order for n in range(1, 4) for order in itertools.permutations(names, n)]
    for order in orders:
        p = [word for name in order for word in ("-provider", name)]
        yield ["dgst", *p, "-sha256", "text"]
        yield ["dgst", *p, "-md4", "text"]
        yield ["enc", *p, "-aes-128-cbc", "-K", "00" * 16, "-iv", "00" * 16, "-in", "text"]
        yield ["genpkey", *p, "-algorithm", "EC", "-pkeyopt", "group:P-256", "-out", "new.key"]
    # A query that excludes default by name selects what is left, so it is not among these.
    for query in ("provider=default", "?provider=legacy", "fips=yes", "provider=null"):
        yield ["dgst", "-propquery", query, "-sha256", "text"]
        yield ["enc", "-propquery", query, "-aes-128-cbc", "-K", "00" * 16, "-iv", "00" * 16, "-in", "text"]


# Commands whose output contains a new key or a random part.
VARYING = {"genpkey", "rand", "req"}


def outcome(argv, conf):
    r = run(["openssl", *argv], conf)
    lines = [line for line in r.stdout.splitlines() if b"kcrypto" not in line]
    return (r.returncode,) if argv[0] in VARYING else (r.returncode, lines)


def compare(what, commands, plain, conf):
    n = changed = failing = 0
    for argv in commands:
        want, got = outcome(argv, plain), outcome(argv, conf)
        n += 1
        failing += want[0] != 0
        changed += want != got
        if want != got:
            print(f"{what}: changed from {want[0]} to {got[0]}: openssl {' '.join(argv)}", flush=True)
    print(f"{what}: {n} commands, of which {failing} fail without kcrypto; results changed: {changed}", flush=True)
    return changed


def main():
    version = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=True).stdout.split("(")[0]
    print(version.strip() + (", old lines" if OLD else ""), flush=True)
    plain, conf = configure()
    write("text", "text\n" * 5000)
    (DIR / "hash").write_bytes(bytes(32))
    changed = compare("OpenSSL's own", own_commands(plain), plain, conf)
    tpm = None
    try:
        if shutil.which("swtpm") and os.path.exists(MODULES + "/tpm2.so"):
            tpm = start_tpm()
            commands = tpm_commands(plain)
            first = next(commands)
            run(["openssl", "dgst", "-provider", "tpm2", "-provider", "default", "-sha256", "-sign", "tpm.key", "-out",
                 "good", "text"], plain)
            changed += compare("tpm2", itertools.chain([first], commands), plain, conf)
        else:
            print("tpm2: not installed")
        if os.path.exists(SOFTHSM) and os.path.exists(DIR / "modules/pkcs11.so"):
            changed += compare("pkcs11", token_commands(plain), plain, conf)
        else:
            print("pkcs11: not installed")
    finally:
        if tpm:
            tpm.terminate()
            tpm.wait()
        shutil.rmtree(DIR)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
