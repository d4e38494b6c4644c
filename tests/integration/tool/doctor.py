# SPDX-License-Identifier: Apache-2.0
"""A chain from a program to an accelerator, made of files: an openssl.cnf with the stand-in's module, and
a root with the kernel's files. Each test breaks one link."""

import json
import os
import re
import subprocess
from pathlib import Path

from case import BUILD, CLEAN, STANDIN as MODULE, STANDIN_TOOL, Case, cnf_of

RELEASE = os.uname().release
MODULES = f"lib/modules/{RELEASE}/"

CNF = cnf_of(MODULE, random=True) + "ciphers = AES-256-CBC:0\ntune_file = none\n"

# A kernel that has everything.
ROOT = {
    "proc/crypto": "name         : cbc(aes)\ndriver       : mv-cbc-aes\nselftest     : passed\n\n",
    "proc/self/status": "Name:\tkcrypto\nSeccomp:\t0\n",
    "proc/cpuinfo": "processor : 0\nFeatures : half thumb fastmult vfp edsp neon\n",
    "sys/module/af_alg/refcnt": "0",
    "sys/module/algif_skcipher/refcnt": "0",
    "sys/bus/platform/devices/f1090000.crypto/modalias": "of:NcryptoT(null)Cmarvell,armada-38x-crypto",
    "sys/bus/platform/devices/f1090000.crypto/driver/x": "",
    "sys/bus/platform/devices/f1010000.serial/modalias": "of:NserialT(null)Cns16550a",
    MODULES + "modules.dep": "kernel/drivers/crypto/marvell/cesa/marvell-cesa.ko:\n"
                             "kernel/crypto/af_alg.ko:\n",
    MODULES + "modules.alias": "alias of:N*T*Cmarvell,armada-38x-cryptoC* marvell_cesa\n"
                               "alias of:N*T*Cns16550aC* of_serial\n",
}
# Lines in which the engine takes the provider's place.
ENGINE = {"providers = providers": "engines = engines",
          "[providers]": "[engines]\nkcrypto = engine_section\n[engine_section]\n"
                         "CIPHERS = AES-256-CBC:0\n[providers]"}
SAYS = {"SAYS_SOCKET": "0", "SAYS_BIND": "0",
        "LD_PRELOAD": os.path.join(BUILD, "tests/answers.so")}


def unwrapped(text):
    """The findings, each in one line."""
    return re.sub(r"\n {22}(?=\S)", " ", text)


class Chain(Case):
    def write(self, name, text):
        return super().write(name, text.replace("%ROOT%", self.root))

    def setUp(self):
        super().setUp()
        self.root = self.path("root")
        self.file = self.path("openssl.cnf")

    def call(self, *args, change=(), root=(), env=(), tool=STANDIN_TOOL, cnf=CNF,
             user=None):
        """Runs doctor after replacing pairs of texts in openssl.cnf, and files below the root; None
        removes a file."""
        for old, new in dict(change).items():
            self.assertIn(old, cnf)
            cnf = cnf.replace(old, new)
        for name, text in (ROOT | dict(root)).items():
            if text is not None:
                self.write("root/" + name, text)
        if cnf is not None:
            self.write("openssl.cnf", cnf)
        env = CLEAN | {"OPENSSL_CONF": self.file, "KCRYPTO_ROOT": self.root} | SAYS | dict(env)
        env = {k: v.replace("%ROOT%", self.root) for k, v in env.items() if v is not None}
        return subprocess.run([tool, "doctor", *args], capture_output=True, text=True, check=False,
                              env=env, user=user)

    def told(self, *command, **kwargs):
        """(exit status, its JSON)"""
        report = self.file + ".json"
        r = self.call("--json", *(["--output", report, "--", *command] if command else []), **kwargs)
        try:
            return r.returncode, json.loads(Path(report).read_text() if command else r.stdout)
        except ValueError:
            self.fail(r.stdout + r.stderr)
