# SPDX-License-Identifier: Apache-2.0
"""hashlib, hmac, ssl and cryptography. See language.py."""

import hashlib
import hmac
import ssl
import sys

from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes

KEY = bytes(range(32))
IV = bytes(range(16))
SIZES = (0, 1, 16, 1000, 4096, 16384, 65536, 200_000)
MODES = (modes.CBC, modes.CTR, modes.CFB, modes.OFB)
AEADS = (aead.AESGCM, aead.AESCCM, aead.ChaCha20Poly1305)


def hashes(data):
    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b"):
        yield hashlib.new(name, data).digest()
    for name in ("sha1", "sha256", "sha512"):
        yield hmac.new(KEY, data, name).digest()
        yield hmac.digest(KEY, data, name)


def ciphers(data):
    whole = data[:len(data) // 16 * 16]
    for mode in MODES:
        for key in (KEY[:16], KEY):
            cipher = Cipher(algorithms.AES(key), mode(IV))
            e, d = cipher.encryptor(), cipher.decryptor()
            out = e.update(whole[:4096]) + e.update(whole[4096:]) + e.finalize()
            assert d.update(out) + d.finalize() == whole
            yield out
    for kind in AEADS:
        box = kind(KEY)
        out = box.encrypt(IV[:12], data, b"aad")
        assert box.decrypt(IV[:12], out, b"aad") == data
        yield out


def handshake(client, server):
    done = set()
    while len(done) < 2:
        for end in (client, server):
            try:
                end.do_handshake()
                done.add(end)
            except ssl.SSLWantReadError:
                pass


def tls(data):
    for suite in ("ECDHE-RSA-AES256-SHA384", "ECDHE-RSA-AES128-GCM-SHA256", None):
        ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        ours.load_cert_chain("/run/certificate")
        theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        theirs.check_hostname, theirs.verify_mode = False, ssl.CERT_NONE
        if suite:
            theirs.maximum_version = ssl.TLSVersion.TLSv1_2
            ours.set_ciphers(suite + ":@SECLEVEL=0")
            theirs.set_ciphers(suite + ":@SECLEVEL=0")
        up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
        server, client = ours.wrap_bio(up, down, server_side=True), theirs.wrap_bio(down, up)
        handshake(client, server)
        for _ in range(4):
            client.write(data[:16384])
            got = server.read(16384)
            server.write(got)
            yield client.read(16384)


for line in sys.stdin:
    count, total = 0, hashlib.blake2b()  # hashlib has BLAKE2 of its own: it is not libcrypto's
    for size in SIZES:
        data = hashlib.shake_128(b"%d" % size).digest(size)
        parts = [*hashes(data), *ciphers(data), *(tls(data) if size >= 16384 else ())]
        for part in parts:
            total.update(part)
            count += len(part)
    print(count, total.hexdigest(), flush=True)
