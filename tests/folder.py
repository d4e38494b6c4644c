# SPDX-License-Identifier: Apache-2.0
"""A directory of a test's own, and files that many tests put there."""

import os
import subprocess
import tempfile
import unittest

# The environment of a program that nobody has configured for OpenSSL.
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("OPENSSL_")}


def cnf_of(module=None, random=False):
    """An openssl.cnf that ends in the section of @module, or, if that is None, of the installed module.
    With @random, random numbers come from the default provider."""
    return f"""openssl_conf = init
[init]
providers = providers
alg_section = algorithms
{"random = random" if random else ""}
[providers]
default = default_section
kcrypto = kcrypto_section
[default_section]
activate = 1
[algorithms]
default_properties = ?provider=kcrypto
[random]
properties = provider!=kcrypto
[kcrypto_section]
""" + (f"module = {module}\n" if module else "") + "activate = 1\n"


class Files:
    """Files below self.folder."""

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, data):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return path

    def read(self, name):
        """The file's text, or "" if the file does not exist."""
        try:
            with open(self.path(name), errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def certificate(self, *key):
        """A certificate and its key in one file, made by software. @key: another kind of key than RSA."""
        path = self.path("certificate")
        config = self.write("req", "[req]\ndistinguished_name = n\n[n]\n")
        subprocess.run(["openssl", "req", "-x509", "-newkey", *(key or ["rsa:2048"]), "-nodes", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "30",
                        "-config", config, "-keyout", path, "-out", path], check=True,
                       stderr=subprocess.DEVNULL, env=CLEAN)
        return path


class Folder(Files, unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.folder = self.dir.name
