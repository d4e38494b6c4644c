# SPDX-License-Identifier: Apache-2.0
"""For tests of /dev/crypto, real or simulated: its requests, and libcrypto's own results."""

import ctypes
import fcntl
import mmap
import os
import sys
from ctypes import addressof, byref, c_char, c_int, c_uint16, c_uint32, c_void_p, create_string_buffer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vectors"))
from evp import CRYPTO, GET_TAG, fetch, need, pointer  # noqa: E402

ENCRYPT, DECRYPT = 0, 1
DES_CBC, DES3_CBC, BLF_CBC, CAST, AES_CBC, AES_CTR, AES_XTS, AES_ECB, AES_CFB, AES_OFB, AES_GCM, CAMELLIA_CBC = (
    1, 2, 3, 4, 11, 21, 22, 23, 24, 25, 50, 101)


class Case:
    def __init__(self, cipher, name, key_len, block=16):
        self.cipher, self.name, self.key_len, self.block = cipher, name, key_len, block
        self.is_whole = cipher == AES_XTS  # no request continues the previous one


AES = {bits: [Case(cipher, f"AES-{bits}-{mode}", bits // 8, block) for cipher, mode, block in (
    (AES_CBC, "CBC", 16), (AES_CTR, "CTR", 1), (AES_ECB, "ECB", 16),
    (AES_CFB, "CFB", 1), (AES_OFB, "OFB", 1))] for bits in (128, 192, 256)}
CBC, CTR, ECB = AES[128][:3]
XTS, DES3, BLOWFISH = (Case(AES_XTS, "AES-128-XTS", 32), Case(DES3_CBC, "DES-EDE3-CBC", 24, 8),
                       Case(BLF_CBC, "BF-CBC", 16, 8))
CASES = [*AES[128], *AES[192], *AES[256], XTS, Case(AES_XTS, "AES-256-XTS", 64), DES3,
         *(Case(CAMELLIA_CBC, f"CAMELLIA-{bits}-CBC", bits // 8) for bits in (128, 192, 256)),
         Case(DES_CBC, "DES-CBC", 8, 8), BLOWFISH]


def struct(name, **fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


# Laid out as in src/kernel/devcrypto_abi.h.
Session = struct("Session", cipher=c_uint32, mac=c_uint32, keylen=c_uint32, key=c_void_p,
                 mackeylen=c_uint32, mackey=c_void_p, ses=c_uint32)
Names = struct("Names", cra_name=c_char * 64, cra_driver_name=c_char * 64)
Info = struct("Info", ses=c_uint32, cipher_info=Names, hash_info=Names, alignmask=c_uint16,
              flags=c_uint32)
Crypt = struct("Crypt", ses=c_uint32, op=c_uint16, flags=c_uint16, len=c_uint32, src=c_void_p,
               dst=c_void_p, mac=c_void_p, iv=c_void_p)
Auth = struct("Auth", ses=c_uint32, op=c_uint16, flags=c_uint16, len=c_uint32, auth_len=c_uint32,
              auth_src=c_void_p, src=c_void_p, dst=c_void_p, tag=c_void_p, tag_len=c_uint32,
              iv=c_void_p, iv_len=c_uint32)


def request(number, arg, direction=3):
    return direction << 30 | ctypes.sizeof(arg) << 16 | ord("c") << 8 | number


OPEN, END, CRYPT = request(102, Session), request(103, c_uint32, 1), request(104, Crypt)
INFO, AUTH = request(107, Info), request(109, Auth)


class Room(mmap.mmap):
    """Memory with a known address, aligned to a page."""

    def __new__(cls, size, begin=b""):
        room = super().__new__(cls, -1, size)
        room[:len(begin)] = begin
        return room

    def at(self, offset=0):
        return addressof(c_char.from_buffer(self, offset))


KEY = Room(64, b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+")
IV = Room(16, b"\x80\x01\x02\x03\x04\x05\x06\x07" + b"\xff" * 7 + b"\xfe")


def opened():
    return os.open("/dev/crypto", os.O_RDWR | os.O_CLOEXEC)


def error(call, *args):
    """The errno of a call, or 0 if it succeeds."""
    try:
        call(*args)
    except OSError as e:
        return e.errno
    return 0


def answer(file, what, arg):
    return error(fcntl.ioctl, file, what, arg)


def ask_session(file, cipher, key_len, **more):
    """(session number, 0), or (the number's old value, errno)."""
    op = Session(cipher=cipher, keylen=key_len, **{"key": KEY.at(), **more})
    err = answer(file, OPEN, op)
    return op.ses, err


def end(file, session):
    return answer(file, END, c_uint32(session))


def crypt(file, session, op, iv, src, dst, length):
    return answer(file, CRYPT, Crypt(ses=session, op=op, len=length, src=src, dst=dst, iv=iv))


def computed(name, op, text, key_len, aad=b"", tag_len=0):
    """libcrypto's result, with KEY and IV. An AEAD's tag follows its text."""
    out, tag, n = create_string_buffer(len(text)), create_string_buffer(16), c_int()
    ctx = pointer(CRYPTO.EVP_CIPHER_CTX_new)
    try:
        need(CRYPTO.EVP_CipherInit_ex2(ctx, fetch("CIPHER", name.encode()), KEY[:key_len], IV[:],
                                       int(op == ENCRYPT), None), "init")
        CRYPTO.EVP_CIPHER_CTX_set_padding(ctx, 0)
        if aad:
            need(CRYPTO.EVP_CipherUpdate(ctx, None, byref(n), aad, len(aad)), "aad")
        need(CRYPTO.EVP_CipherUpdate(ctx, out, byref(n), text, len(text)), "update")
        if tag_len:
            need(CRYPTO.EVP_CipherFinal_ex(ctx, out, byref(n)), "final")
            need(CRYPTO.EVP_CIPHER_CTX_ctrl(ctx, GET_TAG, tag_len, tag), "tag")
    finally:
        CRYPTO.EVP_CIPHER_CTX_free(ctx)
    return out.raw + tag.raw[:tag_len]


for provider in b"default", b"legacy":
    need(bool(pointer(CRYPTO.OSSL_PROVIDER_load, None, provider)), "provider")
