# SPDX-License-Identifier: Apache-2.0
"""An application: reads test records, computes each through EVP with the providers of its openssl.cnf, and
prints "ID VERDICT": right, or the step that failed or differed.

  ID cipher|aead|digest|mac DIRECTIONS NAME INNER KEY IV AAD IN OUT TAG

DIRECTIONS: e, d or ed. INNER: a MAC's digest or cipher; for a cipher, "pad" means padding. The rest is
hexadecimal, "-" for nothing. IN is the plaintext, OUT the ciphertext, the digest or the MAC."""

import ctypes
import subprocess
import sys
from ctypes import byref, c_int, c_size_t, c_uint, c_void_p, create_string_buffer

MAJOR = subprocess.check_output(["openssl", "version"], text=True).split()[1].split(".")[0]
CRYPTO = ctypes.CDLL(f"libcrypto.so.{MAJOR}")
SET_IVLEN, GET_TAG, SET_TAG = 0x9, 0x10, 0x11  # of EVP_CIPHER_CTX_ctrl()
CCM = 7  # of EVP_CIPHER_get_mode()
LARGEST = 64  # bytes of a digest, a MAC or a tag


class Bad(Exception):
    """The step that failed."""


def need(ok, step):
    if ok <= 0:
        raise Bad(step)


def pointer(function, *args):
    function.restype = c_void_p
    return c_void_p(function(*args))


def fetch(kind, name):
    """A method. It is never freed, as there are few names."""
    key = kind, name
    if key not in fetch.known:
        fetch.known[key] = pointer(CRYPTO[f"EVP_{kind}_fetch"], None, name, None)
    need(bool(fetch.known[key]), "absent")
    return fetch.known[key]


fetch.known = {}


class Record:
    def __init__(self, number, kind, directions, name, inner, *data):
        self.number, self.kind, self.directions = number, kind, directions
        self.name, self.inner = name.encode(), inner.encode()
        data = (b"" if word == "-" else bytes.fromhex(word) for word in data)
        self.key, self.iv, self.aad, self.text, self.out, self.tag = data

    def set_up(self, ctx, cipher, enc):
        is_aead, tag = self.kind == "aead", None if enc else self.tag
        need(CRYPTO.EVP_CipherInit_ex2(ctx, cipher, None, None, enc, None), "init")
        if is_aead:
            need(CRYPTO.EVP_CIPHER_CTX_ctrl(ctx, SET_IVLEN, len(self.iv), None), "iv-length")
        if is_aead and (not enc or CRYPTO.EVP_CIPHER_get_mode(cipher) == CCM):
            need(CRYPTO.EVP_CIPHER_CTX_ctrl(ctx, SET_TAG, len(self.tag), tag), "tag-length")
        if len(self.key) != CRYPTO.EVP_CIPHER_CTX_get_key_length(ctx):
            need(CRYPTO.EVP_CIPHER_CTX_set_key_length(ctx, len(self.key)), "key-length")
        if not is_aead:
            need(len(self.iv) == CRYPTO.EVP_CIPHER_CTX_get_iv_length(ctx), "iv-length")
        need(CRYPTO.EVP_CipherInit_ex2(ctx, None, self.key, self.iv or None, enc, None), "key")
        if not is_aead:
            need(CRYPTO.EVP_CIPHER_CTX_set_padding(ctx, self.inner == b"pad"), "padding")

    def feed(self, ctx, cipher, enc):
        text, want = (self.text, self.out) if enc else (self.out, self.text)
        is_ccm = CRYPTO.EVP_CIPHER_get_mode(cipher) == CCM
        got, tag = create_string_buffer(len(text) + 64), create_string_buffer(LARGEST)
        n, more = c_int(0), c_int(0)
        if is_ccm:
            need(CRYPTO.EVP_CipherUpdate(ctx, None, byref(n), None, len(text)), "length")
        if self.aad:
            need(CRYPTO.EVP_CipherUpdate(ctx, None, byref(n), self.aad, len(self.aad)), "aad")
        n.value = 0
        if text or is_ccm:
            need(CRYPTO.EVP_CipherUpdate(ctx, got, byref(n), text, len(text)), "update")
        if enc or not is_ccm:
            need(CRYPTO.EVP_CipherFinal_ex(ctx, byref(got, n.value), byref(more)), "final")
        need(got.raw[:n.value + more.value] == want, "differs")
        if self.kind == "aead" and enc:
            need(CRYPTO.EVP_CIPHER_CTX_ctrl(ctx, GET_TAG, len(self.tag), tag), "tag")
            need(tag.raw[:len(self.tag)] == self.tag, "tag-differs")

    def cipher(self):
        cipher = fetch("CIPHER", self.name)
        for letter in self.directions:
            ctx = pointer(CRYPTO.EVP_CIPHER_CTX_new)
            try:
                self.set_up(ctx, cipher, int(letter == "e"))
                self.feed(ctx, cipher, int(letter == "e"))
            finally:
                CRYPTO.EVP_CIPHER_CTX_free(ctx)

    def digest(self):
        got, n = create_string_buffer(LARGEST), c_uint(0)
        need(CRYPTO.EVP_Digest(self.text, c_size_t(len(self.text)), got, byref(n),
                               fetch("MD", self.name), None), "digest")
        need(got.raw[:n.value] == self.out, "differs")

    def mac(self):
        """A shorter MAC is the beginning of the whole one."""
        got, n = create_string_buffer(LARGEST), c_size_t(0)
        fetch("MAC", self.name)
        need(bool(pointer(CRYPTO.EVP_Q_mac, None, self.name, None, self.inner, None, self.key,
                          c_size_t(len(self.key)), self.text, c_size_t(len(self.text)), got,
                          c_size_t(LARGEST), byref(n))), "mac")
        need(len(self.out) <= n.value and got.raw.startswith(self.out), "differs")

    aead = cipher


def main():
    for line in sys.stdin:
        record = Record(*line.split())
        try:
            getattr(record, record.kind)()
            print(record.number, "right")
        except Bad as step:
            print(record.number, step)


if __name__ == "__main__":
    main()
