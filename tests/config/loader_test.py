#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The line of openssl.cnf that loads kcrypto's module harms nobody: each command has the same result as
without the line, whatever other providers it names; the line goes with the module; and enable replaces
what an older 'config enable' wrote.

usage: loader_test.py BUILD"""

import itertools
import os
import struct
import subprocess
import sys
import unittest

from system import BUILD, LOADER, Root, fixture

OLD = b"""
# kcrypto config: begin; 'kcrypto config disable' takes these lines away
[openssl_init]
providers = kcrypto_providers
alg_section = kcrypto_algorithms
random = kcrypto_random

[kcrypto_providers]
default = kcrypto_default
kcrypto = kcrypto_sect

[kcrypto_default]
activate = 1

[kcrypto_sect]
activate = 1
%s
[kcrypto_algorithms]
default_properties = ?provider=kcrypto

[kcrypto_random]
properties = provider!=kcrypto
# kcrypto config: end
"""
TLS = b"""
[openssl_init]
ssl_conf = s
[s]
system_default = t
[t]
Ciphersuites = TLS_AES_128_GCM_SHA256
"""
ALL = b"soft_drivers = 1\nciphers = ALL\ndigests = ALL\nmacs = ALL\n"
X86_64, I386 = (2, 62), (1, 3)


def elf(machine):
    """The beginning of a library for that class and machine."""
    return b"\x7fELF" + bytes([machine[0], 1, 1]) + bytes(9) + struct.pack("<HH", 3, machine[1]) + bytes(64)


class Program(Root):
    """Debian 12's openssl.cnf, enabled with the module from the build directory."""

    def setUp(self):
        super().setUp()
        self.plain = self.write("plain.cnf", fixture("debian-12"))
        self.conf = self.write("openssl.cnf", fixture("debian-12"))
        # No other architecture's library is below this root.
        self.env = {"OPENSSL_MODULES": BUILD, "KCRYPTO_ROOT": self.root}

    def on(self, *args, code=0):
        r = self.run_(*args, "--config", self.conf, env=self.env)
        self.assertEqual(r.returncode, code, r.stdout + r.stderr)
        return r.stdout + r.stderr

    def openssl(self, *argv, conf=None, **env):
        return subprocess.run(["openssl", *argv], env=os.environ | {"OPENSSL_CONF": conf or self.conf} | env,
                              input=b"text\n" * 2000, capture_output=True, check=False, timeout=600)

    def modules(self, *names):
        """A directory with some of the files that belong together. The module uses the stand-in."""
        for name in names:
            self.write("modules/" + name, b"")
            os.remove(self.path("modules", name))
            if name.endswith(".cnf"):
                self.write("modules/" + name, LOADER.replace("/usr/lib/ossl-modules", self.path("modules")))
            else:
                os.symlink(os.path.join(BUILD, "tests/kcrypto-standin.so"), self.path("modules", name))
        self.env["OPENSSL_MODULES"] = self.path("modules")


class Harmless(Program):
    COMMANDS = (["version"], ["list", "-providers"], ["list", "-digest-algorithms"], ["dgst", "-sha256"],
                ["dgst", "-sha3-256"], ["dgst", "-md4"], ["dgst", "-sha512", "-hmac", "key"],
                ["enc", "-aes-128-cbc", "-K", "00" * 16, "-iv", "00" * 16],
                ["enc", "-bf-cbc", "-K", "00" * 16, "-iv", "00" * 8],
                ["rand", "-hex", "0"], ["genpkey", "-algorithm", "RSA", "-out", "/dev/null"],
                ["ciphers", "-s", "-tls1_3"], ["kdf", "-keylen", "16", "-kdfopt", "digest:SHA2-256",
                                               "-kdfopt", "key:secret", "-kdfopt", "salt:salt", "HKDF"])

    def outcome(self, command, conf, env):
        r = self.openssl(*command, conf=conf, **env)
        lines = r.stdout.decode(errors="replace").splitlines()
        if command[0] == "list":  # a list also shows what kcrypto adds
            lines = [line for line in lines if "kcrypto" not in line]
        if command[-1] == "-providers":
            lines = [line for line in lines if "name:" in line and "kcrypto" not in line]
        return r.returncode, lines

    def test_no_command_has_another_result_with_other_providers_in_any_order(self):
        self.modules("kcrypto.so", "kcrypto.cnf")
        self.on("enable")
        self.write("openssl.cnf", self.read("openssl.cnf").replace(b"[kcrypto_sect]\n", b"[kcrypto_sect]\n" + ALL))
        directory = subprocess.run(["openssl", "version", "-m"], capture_output=True, text=True,
                                   check=True).stdout.split('"')[1]
        for name in os.listdir(directory):
            if not name.startswith("kcrypto"):
                os.symlink(os.path.join(directory, name), self.path("modules", name))
        env = {"OPENSSL_MODULES": self.path("modules")}
        self.assertIn(b"@ kcrypto", self.openssl("list", "-cipher-algorithms", **env).stdout)
        names = ["default", "legacy", "base", "null"]
        orders = [order for n in range(3) for order in itertools.permutations(names, n)]
        orders += [("default", "legacy", "base"), ("legacy", "base", "default")]
        for order, command in itertools.product(orders, self.COMMANDS):
            if order and command[0] == "version":
                continue
            options = [word for name in order for word in ("-provider", name)]
            argv = [command[0], *options, *command[1:]]
            with self.subTest(argv=argv):
                self.assertEqual(self.outcome(argv, self.conf, env), self.outcome(argv, self.plain, env))

    def test_a_preloaded_module_is_not_libcrypto(self):
        for command in (["version"], ["dgst", "-sha256"]):
            for conf in (self.plain, self.conf):
                want = self.openssl(*command, conf=conf)
                r = self.openssl(*command, conf=conf, LD_PRELOAD=os.path.join(BUILD, "kcrypto.so"))
                self.assertEqual((r.returncode, r.stdout), (0, want.stdout), r.stderr)

    def test_a_run_without_kcrypto_is_without_it(self):
        self.on("enable")
        r = subprocess.run([os.path.join(BUILD, "kcrypto"), "bench", "--json", "--runs", "1", "--", "sh", "-c",
                            f"cat $OPENSSL_CONF >{self.path('seen')}; openssl list -providers >>{self.path('said')}"],
                           env=os.environ | self.env | {"OPENSSL_CONF": self.conf},
                           capture_output=True, text=True, check=False, timeout=600)
        said = self.read("said").decode()
        self.assertGreater(said.count("Providers:"), 1, r.stderr)
        self.assertLess(said.count("  kcrypto\n"), said.count("Providers:"))
        self.assertGreater(said.count("  kcrypto\n"), 0)

class Removed(Program):
    def enable(self, *names):
        self.modules(*names)
        self.on("enable")
        self.write("openssl.cnf", self.read("openssl.cnf") + TLS)

    def is_fine(self):
        """Commands print no error, and the lines for TLS take effect."""
        for command in (["dgst", "-sha256"], ["ciphers", "-s", "-tls1_3"], ["dgst", "-provider", "legacy", "-md4"]):
            got, want = self.openssl(*command), self.openssl(*command, conf=self.path("tls.cnf"))
            self.assertEqual((got.returncode, got.stdout, got.stderr), (want.returncode, want.stdout, want.stderr))
        self.assertEqual(self.openssl("ciphers", "-s", "-tls1_3").stdout.strip(), b"TLS_AES_128_GCM_SHA256")

    def test_programs_work_when_the_module_is_gone(self):
        """The package removes kcrypto.cnf together with the module."""
        self.enable("kcrypto.so", "kcrypto.cnf")
        self.write("tls.cnf", fixture("debian-12") + TLS)
        self.is_fine()
        for name in ("kcrypto.cnf", "kcrypto.so"):
            os.remove(self.path("modules", name))
            self.is_fine()
        said = self.on("check", code=1)
        self.assertIn(f"broken file {self.path('modules/kcrypto.cnf')}, a part of kcrypto's provider, cannot be read", " ".join(said.split()))
        self.write("fixed.cnf", self.read("openssl.cnf"))
        self.assertEqual(self.run_("fix", "--config", self.path("fixed.cnf"), env=self.env).returncode, 0)
        self.assertNotIn(b"activate", self.read("fixed.cnf").replace(fixture("debian-12"), b""))
        self.assertIn(b"\n# kcrypto = kcrypto_sect\n", self.read("fixed.cnf"))
        self.on("disable")
        self.assertEqual(self.read("openssl.cnf"), fixture("debian-12") + TLS)

    def test_a_missing_module_is_named(self):
        self.enable("kcrypto.so", "kcrypto.cnf")
        os.remove(self.path("modules/kcrypto.so"))
        self.assertIn(f"there is no module {self.path('modules/kcrypto.so')}",
                      " ".join(self.on("check", code=1).split()))

    def test_lines_by_hand_in_the_old_way_work_without_the_module(self):
        self.modules()
        os.makedirs(self.path("modules"))
        self.write("openssl.cnf", fixture("debian-12") + OLD.replace(b"%s\n", b"") + TLS)
        self.write("tls.cnf", fixture("debian-12") + TLS)
        self.assertEqual(self.openssl("dgst", "-sha256", OPENSSL_MODULES=self.path("modules")).returncode, 0)
        self.assertEqual(self.openssl("ciphers", "-s", "-tls1_3", OPENSSL_MODULES=self.path("modules")).stdout.strip(),
                         b"TLS_AES_128_GCM_SHA256")

    def test_without_the_file_the_old_way_is_taken(self):
        """A module of an older version may be installed without the file."""
        self.modules("kcrypto.so")
        self.on("enable")
        self.assertIn(b"[kcrypto_sect]\nactivate = 1\n", self.read("openssl.cnf"))


class Renewed(Root):
    def setUp(self):
        super().setUp()
        self.lay_out("debian-12")
        self.text = self.read(self.main)

    def enabled(self):
        self.config("enable")
        self.assertIn("kcrypto is on\n", self.config("check"))
        return self.read(self.main)[len(self.text):]

    def test_a_block_of_the_old_way_becomes_a_new_one(self):
        new = self.enabled()
        self.assertNotIn(b"activate", new)
        for more in (b"", b"ciphers = AES-128-CBC\n# for the router\n"):
            self.write(self.main, self.text + OLD.replace(b"%s\n", more))
            block = self.enabled()
            self.assertNotIn(b"activate", block)
            self.assertNotIn(b"kcrypto_default", block)
            self.assertIn(b"[kcrypto_sect]\n" + more if more else b"[kcrypto_sect]\n# keys: ", block)
            self.assertTrue(block.endswith(b".include = /usr/lib/ossl-modules/kcrypto.cnf\n# kcrypto config: end\n"))
            self.assertIn("nothing to do", self.config("enable"))
            if not more:
                self.config("disable")
                self.assertEqual(self.read(self.main), self.text)

    def test_a_block_with_other_line_ends_too(self):
        crlf = self.text.replace(b"\n", b"\r\n")
        self.write(self.main, crlf + OLD.replace(b"%s\n", b"").replace(b"\n", b"\r\n"))
        self.config("enable")
        text = self.read(self.main)
        self.assertEqual(text.count(b"\n"), text.count(b"\r\n"))
        self.assertEqual(text.count(b"\r"), text.count(b"\n"))
        self.config("disable")
        self.assertEqual(self.read(self.main), crlf)

    def test_activated_by_hand_it_stays(self):
        old = b"".join(line for line in OLD.replace(b"%s\n", b"").splitlines(True) if b"# kcrypto" not in line)
        self.write(self.main, self.text + old)
        self.assertIn("nothing to do: kcrypto is on", self.config("enable"))
        self.assertEqual(self.read(self.main), self.text + old)

    def test_the_line_becomes_the_last_one(self):
        self.enabled()
        path = self.write(self.main, self.read(self.main) + TLS)
        line = self.read(self.main).split(b".include = /usr/lib")[0].count(b"\n") + 1
        self.assertRegex(self.config("check"), f"(?m)^note +module +{path}:{line}: .* is not the last line")
        self.config("enable")
        self.assertNotIn("is not the last line", self.config("check"))
        self.assertIn("nothing to do", self.config("enable"))
        self.config("disable")
        self.assertEqual(self.read(self.main), self.text + TLS)

    def test_programs_of_another_architecture_start(self):
        """They read the same file, and a line with a module that they lack would end them."""
        self.write("usr/lib/ossl-modules/kcrypto.so", elf(X86_64))
        self.write("usr/lib/libcrypto.so.3", elf(X86_64))
        new = self.enabled()
        self.assertIn(b".include", new)
        self.write("usr/lib/i386-linux-gnu/libcrypto.so.3", elf(I386))
        old = self.enabled()
        self.assertNotIn(b".include", old)
        self.assertEqual(old.count(b"activate = 1\n"), 2)
        self.assertIn("nothing to do", self.config("enable"))
        # With a module of their own, found in the linker's directory.
        self.write("usr/lib/i386-linux-gnu/ossl-modules/kcrypto.so", elf(I386))
        self.assertIn("nothing to do", self.config("enable"))
        self.write("usr/lib/ossl-modules/kcrypto.cnf", LOADER.replace("/usr/lib/", "/usr/\\$LIB/"))
        self.assertEqual(self.enabled(), new)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
