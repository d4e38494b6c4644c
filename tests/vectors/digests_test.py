#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""NIST's short, long and Monte Carlo messages of SHA-1 and SHA-2, in blocks: requests are so short that
longer messages go from one midstate to the next, and the counters show how many bytes the kernel did, to
the byte.

The vectors are those of Debian's python3-cryptography-vectors, or those that tests/vectors/sets
downloaded. Without either, messages of the same lengths are compared with the default provider's digests,
and so is the Monte Carlo sequence.

usage: digests_test.py BUILD [CHECKPOINTS]   CHECKPOINTS: how many of the Monte Carlo test's 100, by
default 5"""

import ctypes
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(sys.path[0] + "/..")
import counters  # noqa: E402
from cnf.text import openssl_cnf  # noqa: E402

BUILD, CHECKPOINTS = Path(sys.argv[1]).resolve(), int(sys.argv[2] if len(sys.argv) > 2 else 5)
ROUNDS = 1000  # messages between two checkpoints
PLACES = ("/usr/lib/python3/dist-packages/cryptography_vectors", Path(__file__).parents[2] / "build/vectors/nist")
BLOCK = {"SHA1": 64, "SHA224": 64, "SHA256": 64, "SHA384": 128, "SHA512": 128}
PIECES = (1 << 20, 64, 131, 1000)  # bytes of an update
VERSION = subprocess.check_output(["openssl", "version"], text=True).split()[1]


class Digest:
    """One algorithm of one provider."""

    crypto = None

    def __init__(self, name, provider):
        if not Digest.crypto:
            Digest.crypto = ctypes.CDLL("libcrypto.so." + VERSION.split(".")[0])
            for function in "EVP_MD_fetch", "EVP_MD_CTX_new":
                Digest.crypto[function].restype = ctypes.c_void_p
        self.md = ctypes.c_void_p(self.crypto.EVP_MD_fetch(None, name.encode(), f"provider={provider}".encode()))
        self.ctx = ctypes.c_void_p(self.crypto.EVP_MD_CTX_new())
        self.out, self.n = ctypes.create_string_buffer(64), ctypes.c_uint(0)
        assert self.md, f"{provider} has no {name}"

    def of(self, text, piece=1 << 20):
        assert self.crypto.EVP_DigestInit_ex(self.ctx, self.md, None)
        for i in range(0, len(text), piece):
            part = text[i:i + piece]
            assert self.crypto.EVP_DigestUpdate(self.ctx, part, ctypes.c_size_t(len(part)))
        assert self.crypto.EVP_DigestFinal_ex(self.ctx, self.out, ctypes.byref(self.n))
        return self.out.raw[:self.n.value]


def vectors_of(name):
    """(messages with their digests, the seed and the checkpoints of Monte Carlo), or None if this machine
    has none."""
    folder = "SHA1" if name == "SHA1" else "SHA2"
    for place in PLACES:
        start = f"{place}/hashes/{folder}/{name}"
        if not os.path.exists(start + "Monte.rsp"):
            continue
        messages = []
        for kind in "ShortMsg", "LongMsg":
            found = re.findall(r"Len = (\d+)\s+Msg = (\w+)\s+MD = (\w+)", Path(f"{start}{kind}.rsp").read_text())
            messages += [(bytes.fromhex(text)[:int(bits) // 8], bytes.fromhex(md)) for bits, text, md in found]
        text = Path(start + "Monte.rsp").read_text()
        return messages, bytes.fromhex(re.search(r"Seed = (\w+)", text)[1]), re.findall(r"MD = (\w+)", text)
    return None


def made(name):
    """The same from the default provider, for messages of the lengths that NIST's have."""
    theirs, rng, block = Digest(name, "default"), random.Random(44), BLOCK[name]
    lengths = [*range(block + 1), *range(block, 100 * block + 1, 99 * block // 64)]
    texts = [rng.randbytes(n) for n in lengths]
    seed = rng.randbytes(len(theirs.of(b"")))
    checkpoints, at = [], seed
    for _ in range(CHECKPOINTS):
        at = monte_carlo(theirs, at)[0]
        checkpoints.append(at.hex())
    return [(text, theirs.of(text)) for text in texts], seed, checkpoints


def monte_carlo(digest, seed):
    """(the next checkpoint, the length of each message)."""
    a = b = c = seed
    for _ in range(ROUNDS):
        a, b, c = b, c, digest.of(a + b + c)
    return c, 3 * len(seed)


def by_kernel(name, length):
    """Bytes of a message that the kernel does: all, or, if that is more than a request, all whole blocks."""
    block = BLOCK[name]
    if length <= block:
        return length
    # OpenSSL 4.0 gives no access to SHA-1's state.
    return 0 if name == "SHA1" and VERSION >= "4" else length // block * block


def play(name):
    found = vectors_of(name)
    messages, seed, checkpoints = found or made(name)
    ours, done, n = Digest(name, "kcrypto"), 0, 0
    for text, want in messages:
        for piece in PIECES:
            assert ours.of(text, piece) == want, f"{name}: {len(text)} bytes in pieces of {piece}"
            done += by_kernel(name, len(text))
            n += 1
    for i, want in enumerate(checkpoints[:CHECKPOINTS]):
        seed, length = monte_carlo(ours, seed)
        assert seed.hex() == want, f"{name}: Monte Carlo's checkpoint {i}"
        done += ROUNDS * by_kernel(name, length)
        n += ROUNDS
    longest = max(len(text) for text, _ in messages)
    print(f"{name}: {n} digests of {'NIST' if found else 'the default provider'}, of up to {longest} bytes;",
          done, flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        stats = counters.make(folder + "/counters")
        for block in sorted(set(BLOCK.values())):
            names = [name for name in BLOCK if BLOCK[name] == block]
            Path(folder, "cnf").write_text(openssl_cnf(
                f"module = {BUILD}/tests/kcrypto-standin.so", "soft_drivers = 1", "tune_file = none",
                f"max_request = {block}", "digests = " + " ".join(name + ":0" for name in names), is_preferred=False))
            for name in names:
                env = dict(os.environ, OPENSSL_CONF=folder + "/cnf", KCRYPTO_STATS=stats, KC_STANDIN_BLOCKS="1")
                said = subprocess.run([sys.executable, __file__, BUILD, str(CHECKPOINTS), name], env=env,
                                      stdout=subprocess.PIPE, text=True, check=True).stdout
                text, want = said.rsplit(" ", 1)
                did = counters.counters(stats)[name][1]
                print(text, did, "bytes by the kernel", flush=True)
                assert did == int(want), f"{name}: the kernel did {did} bytes, not {want}"
        counters.drop(stats)


if len(sys.argv) > 3:
    play(sys.argv[3])
else:
    main()
