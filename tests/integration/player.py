# SPDX-License-Identifier: Apache-2.0
"""A process that makes requests on command, and the algorithms that it can use."""

import os
import subprocess

from case import BUILD

PLAY = os.path.join(BUILD, "tests", "requests")
AES_CBC = [f"AES-{bits}-CBC" for bits in (128, 192, 256)]
AES_CTR = [f"AES-{bits}-CTR" for bits in (128, 192, 256)]
AES_ECB = [f"AES-{bits}-ECB" for bits in (128, 192, 256)]
ALL = AES_CBC + AES_CTR + AES_ECB + ["DES-EDE3-CBC"]
ONE_OF_EACH = ["AES-128-CBC", "AES-256-CTR", "AES-192-ECB", "DES-EDE3-CBC"]


def always(*names):
    """The configuration line that sends these algorithms to the kernel at every length."""
    return "ciphers = " + " ".join(name + ":0" for name in names)


class Player:
    """A process that does one line of its input after another, so that a test can set faults in between."""

    def __init__(self, case, cnf, program=PLAY, stats=None, **how):
        self.case = case
        env = dict(os.environ, KCRYPTO_STATS=stats or case.stats, OPENSSL_CONF=cnf)
        self.process = subprocess.Popen([program], env=env, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, **how)
        case.addCleanup(self.end)

    def start(self, cipher, length=4096, requests=1, contexts=1, offset=0):
        self.process.stdin.write(f"{cipher} {length} {requests} {contexts} {offset}\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().strip()

    def play(self, *args, **kwargs):
        self.start(*args, **kwargs)
        return self.answer()

    def plays_right(self, *args, **kwargs):
        """Asserts that the play is right. Returns itself."""
        self.case.assertEqual(self.play(*args, **kwargs), "right")
        return self

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
