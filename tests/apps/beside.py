# SPDX-License-Identifier: Apache-2.0
"""Other providers beside kcrypto, loaded before it and after it."""

import os
import subprocess
from pathlib import Path

from app import SOFTWARE, certificate, counters, expect, wait_until

SIZE = 1_000_000
KEY = ["-K", "00112233445566778899aabbccddeeff" * 2, "-iv", "0123456789abcdef" * 2]
ORDERS = (["default", "{other}", "kcrypto"], ["kcrypto", "default", "{other}"])


def each_order(app, other, section, tests, after=lambda: None):
    """@tests: functions that show that the other provider works, too."""
    app.random_file("data", SIZE)
    for order in ORDERS:
        app.configure([name.format(other=other) for name in order], f"[{other}_section]\n{section}\n")
        said = app.run(["openssl", "list", "-providers"]).decode()
        for name in (other, "kcrypto"):
            expect(f"\n  {name}\n" in said, f"{name} is not active: {said}")
        expect(said.count("status: active") == 3, said)
        encrypts(app, "aes-256-cbc")
        digest(app, "sha256")
        serves(app, certificate())
        tests(app)
        app.progress(" ".join(order).format(other=other))
    after()
    app.say("2/2 orders")


def openssl(app, *argv, env=()):
    return app.run(["openssl", *argv], env=env)


def requests(app, name):
    return counters(app.path("stats")).get(name, (0,))[0]


def encrypts(app, cipher, *options, software=(), offloaded=True):
    """Encrypts, and compares with software. @offloaded: if every request goes to the kernel, this one has
    to; False: it must not."""
    row, argv = cipher.upper(), ["enc", "-" + cipher, "-in", app.path("data"), *KEY]
    before = requests(app, row)
    got = openssl(app, *argv, *options)
    expect((requests(app, row) > before) == offloaded or (offloaded and not app.is_all),
           f"{cipher} {options} is not where it belongs")
    app.same(got, openssl(app, *argv, *software, env=SOFTWARE), cipher)


def digest(app, name, *options, software=()):
    argv, file = ["dgst", "-" + name, "-r"], app.path("data")
    app.same(openssl(app, *argv, *options, file),
             openssl(app, *argv, *software, file, env=SOFTWARE), name)


def serves(app, key, env=()):
    """s_server has the key in a file or in a token; the client uses software alone."""
    server = app.start(["openssl", "s_server", "-accept", "127.0.0.1:8450", "-cert", certificate(),
                        "-key", key, "-HTTP"], "ACCEPT", env, cwd=app.dir)
    request = b"GET /data HTTP/1.0\r\n\r\n"
    got = app.run(["openssl", "s_client", "-connect", "127.0.0.1:8450", "-quiet", "-ign_eof"],
                  env=SOFTWARE, input=request)
    app.same(got, Path(app.path("data")).read_bytes(), "a page of s_server's")
    app.stop(server)


def fips(app):
    module = app.path("fipsmodule.cnf")
    directory = openssl(app, "version", "-m", env=SOFTWARE).decode().split('"')[1]
    openssl(app, "fipsinstall", "-module", directory + "/fips.so", "-out", module, env=SOFTWARE)
    section = Path(module).read_text().split("[fips_sect]")[1]

    def is_chosen(app):
        """A program that asks for FIPS gets it from the FIPS provider alone."""
        encrypts(app, "aes-256-cbc", "-propquery", "fips=yes", offloaded=False)
        digest(app, "sha256", "-propquery", "fips=yes")

    each_order(app, "fips", section, is_chosen)


def legacy(app):
    """kcrypto offers the legacy provider's ciphers too, as long as that provider is loaded."""
    alone = ("-provider", "legacy", "-provider", "default")

    def has_its_own(app):
        digest(app, "md4", software=alone)
        before = requests(app, "BF-CBC")
        argv = ["enc", "-bf-cbc", "-in", app.path("data"), "-K", KEY[1][:32], "-iv", KEY[3][:16]]
        app.same(openssl(app, *argv), openssl(app, *argv, *alone, env=SOFTWARE), "bf-cbc")
        expect(requests(app, "BF-CBC") > before or not app.is_all, "the kernel did not do Blowfish")

    each_order(app, "legacy", "activate = 1", has_its_own)


TOKEN = """directories.tokendir = {dir}/tokens
objectstore.backend = file
log.level = ERROR
"""
URI = "pkcs11:token=apps;object=key;type=private?pin-value=1234"


def pkcs11(app):
    os.makedirs(app.path("tokens"))
    app.env["SOFTHSM2_CONF"] = app.write("softhsm", TOKEN.format(dir=app.dir))
    pin = ["--token", "apps", "--pin", "1234"]
    app.run(["softhsm2-util", "--init-token", "--free", "--label", "apps", "--so-pin", "1234", *pin[2:]],
            env=SOFTWARE)
    openssl(app, "pkcs8", "-topk8", "-nocrypt", "-in", certificate(), "-out", app.path("key"),
            env=SOFTWARE)
    app.run(["softhsm2-util", "--import", app.path("key"), "--label", "key", "--id", "01", *pin],
            env=SOFTWARE)
    app.random_file("small", 32)

    def signs(app):
        """Signs with a key that never leaves its token."""
        openssl(app, "pkeyutl", "-sign", "-inkey", URI, "-in", app.path("small"),
                "-out", app.path("sig"))
        openssl(app, "pkeyutl", "-verify", "-certin", "-inkey", certificate(), "-in", app.path("small"),
                "-sigfile", app.path("sig"), env=SOFTWARE)
        serves(app, URI)

    # SoftHSM uses libcrypto itself; without the quirk it crashes at exit, with and without kcrypto.
    each_order(app, "pkcs11", "pkcs11-module-path = /usr/lib/softhsm/libsofthsm2.so\n"
               "pkcs11-module-quirks = no-deinit\nactivate = 1", signs)


def tpm2(app):
    os.makedirs(app.path("tpm"))
    tpm = app.start(["swtpm", "socket", "--tpm2", "--tpmstate", "dir=" + app.path("tpm"), "--server",
                     "type=tcp,port=2321", "--ctrl", "type=tcp,port=2322", "--flags",
                     "not-need-init,startup-clear"], env=SOFTWARE)
    app.env["TPM2OPENSSL_TCTI"] = "swtpm:host=127.0.0.1,port=2321"
    wait_until(lambda: subprocess.run(["ss", "-Hltn", "sport = :2321"], capture_output=True).stdout,
               "the TPM does not listen")
    app.random_file("small", 32)

    def signs(app):
        key, public = app.path("tpm.key"), app.path("tpm.pub")
        openssl(app, "genpkey", "-propquery", "?provider=tpm2", "-algorithm", "RSA", "-out", key)
        openssl(app, "pkey", "-propquery", "?provider=tpm2", "-in", key, "-pubout", "-out", public)
        openssl(app, "pkeyutl", "-sign", "-propquery", "?provider=tpm2", "-inkey", key, "-rawin",
                "-digest", "sha256", "-in", app.path("data"), "-out", app.path("sig"))
        openssl(app, "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-digest", "sha256",
                "-in", app.path("data"), "-sigfile", app.path("sig"), env=SOFTWARE)
        expect("TSS2" in Path(key).read_text(), "the key is not the TPM's")

    each_order(app, "tpm2", "activate = 1", signs, lambda: app.stop(tpm))
