#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""/dev/crypto as tests/cuse simulates it: right answers, the module's errnos, sessions and their owners,
and faults on command. The module itself passes the tests of ciphers (1.14 on Linux 6.1), except for the
counters, flags, and where noted.

usage: device_test.py DIR CLASS...; DIR: directory of the device that tests/cuse/start started."""

import contextlib
import hashlib
import hmac
import itertools
import os
import random
import sys
import threading
import time
import unittest
from ctypes import CDLL, c_size_t, c_void_p
from errno import EBADMSG, EFAULT, EINVAL, EIO, ENOMEM

import device
from control import Control
from device import (AUTH, CASES, CBC, CRYPT, CTR, DECRYPT, DES3, ECB, ENCRYPT, INFO, IV, KEY, XTS, BLOWFISH, Auth,
                    Case, Crypt, Info, Room, Session, answer, ask_session, computed, crypt, end, error, opened)

CONTROL = Control(sys.argv[1])
COMMANDS = list(itertools.takewhile(lambda name: name != "files_opened", CONTROL.at))
LARGEST, PAGE = 65536, os.sysconf("SC_PAGESIZE")
UNTOUCHED = 0xee


def reset():
    for name in COMMANDS:
        CONTROL[name] = {"fail_errno": EIO, "refuse_errno": EINVAL}.get(name, 0)


def some(size, seed=1):
    return random.Random(seed).getrandbits(8 * size).to_bytes(size, "little") if size else b""


class Device(unittest.TestCase):
    """An open file with a session of AES-128-CBC."""

    def setUp(self):
        reset()
        self.addCleanup(reset)
        self.file = opened()
        self.cbc = self.session(CBC)
        self.src, self.dst = Room(LARGEST + PAGE), Room(LARGEST + PAGE)

    def tearDown(self):
        if self.file >= 0:
            os.close(self.file)

    def session(self, case=CBC, file=None):
        number, err = ask_session(self.file if file is None else file, case.cipher, case.key_len)
        self.assertEqual(err, 0, case.name)
        return number

    def is_right(self, session, case, op=ENCRYPT, size=16, apart=True, off=0, file=None):
        """Makes one request and checks its result. off: distance from an aligned address in bytes."""
        text, to, at = some(size, size), self.dst if apart else self.src, off * (1 + apart)
        self.src[off:off + size] = text
        self.dst[:] = bytes([UNTOUCHED]) * len(self.dst)
        to[at + size] = UNTOUCHED
        self.assertEqual(crypt(self.file if file is None else file, session, op, IV.at(), self.src.at(off),
                               to.at(at), size), 0)
        self.assertTrue(to[at:at + size] == computed(case.name, op, text, case.key_len), (case.name, size, off))
        self.assertEqual(to[at + size], UNTOUCHED)

    def request(self, size=16, iv=IV, session=None, **pointers):
        """The errno of a request of AES-128-CBC, which encrypts the first bytes of src."""
        places = {"src": self.src.at(), "dst": self.dst.at(), **pointers}
        return crypt(self.file, self.cbc if session is None else session, ENCRYPT, iv and iv.at(), length=size,
                     **places)

    @contextlib.contextmanager
    def counts(self, **changes):
        """Checks how much the device's counters grow in the meantime."""
        before = {name: CONTROL[name] for name in changes}
        yield
        self.assertEqual({name: CONTROL[name] - n for name, n in before.items()}, changes)


class Ciphers(Device):
    def test_every_cipher_and_key_gives_what_libcrypto_gives(self):
        sizes = (16, 48, 4096, 8208, LARGEST)
        with self.counts(requests=len(CASES) * 5 * 8, bytes=len(CASES) * 8 * sum(sizes), failed=0):
            for case in CASES:
                session = self.session(case)
                for size in sizes:
                    for op in (ENCRYPT, DECRYPT):
                        for apart in (False, True):
                            for off in (0, 3):
                                self.is_right(session, case, op, size, apart, off)
                self.assertEqual(end(self.file, session), 0)

    def test_a_stream_cipher_takes_any_length(self):
        for case in CASES:
            if case.block == 1:
                session = self.session(case)
                for size in range(1, 70):
                    self.is_right(session, case, ENCRYPT, size, True, 1)
                self.is_right(session, case, DECRYPT, LARGEST - 1, True, 1)

    def test_the_next_iv_is_kept(self):
        """A chain of requests without an IV equals one request over all of the text."""
        text = self.src[:192] = some(192)
        for case in CASES:
            for op in () if case.is_whole else (ENCRYPT, DECRYPT):
                session = self.session(case)
                for done in range(0, 192, 48):
                    self.assertEqual(crypt(self.file, session, op, None if done else IV.at(),
                                           self.src.at(done), self.dst.at(done), 48), 0)
                self.assertEqual(self.dst[:192], computed(case.name, op, text, case.key_len))

    def test_a_flag_is_a_mistake(self):
        """The module knows some flags; kcrypto needs none of these."""
        with self.counts(invalid=16):
            for bit in range(16):
                op = Crypt(ses=self.cbc, len=16, src=self.src.at(), dst=self.dst.at(), iv=IV.at(), flags=1 << bit)
                self.assertEqual(answer(self.file, CRYPT, op), EINVAL)

    def test_no_bytes_are_no_error_and_change_nothing(self):
        iv = Room(16, IV[:])
        self.assertEqual(self.request(0, iv, src=None, dst=None), 0)
        self.assertEqual(iv[:], IV[:])
        self.is_right(self.cbc, CBC)

    def test_a_session_names_its_driver(self):
        for case, name, driver in ((CBC, b"cbc(aes)", b"mv-cbc-aes"), (CTR, b"ctr(aes)", b"mv-ctr-aes"),
                                   (ECB, b"ecb(aes)", b"mv-ecb-aes"), (XTS, b"xts(aes)", b"mv-xts-aes"),
                                   (DES3, b"cbc(des3_ede)", b"mv-cbc-des3-ede"),
                                   (BLOWFISH, b"cbc(blowfish)", b"mv-cbc-blowfish")):
            info = Info(ses=self.session(case), alignmask=99)
            info.hash_info.cra_name = b"as it was"
            self.assertEqual(answer(self.file, INFO, info), 0)
            self.assertEqual((info.cipher_info.cra_name, info.cipher_info.cra_driver_name), (name, driver))
            # Only the kernel can use the driver of a hash.
            self.assertEqual((info.hash_info.cra_name, info.flags, info.alignmask), (b"as it was", 1, 0))

    def test_a_session_is_refused_as_by_the_module(self):
        rows = [(cipher, 0, size, EINVAL, {}) for cipher, sizes in (
            (0, [16]), (device.CAST, [16]), (5, [16]), (10, [16]), (99, [16]),
            (device.AES_CBC, [0, 15, 17, 65]), (device.AES_CTR, [31]), (device.AES_ECB, [33]),
            (device.DES3_CBC, [16, 32]), (device.DES_CBC, [7, 16]), (device.AES_XTS, [16, 63]),
            (device.AES_CFB, [15]), (device.AES_OFB, [64]), (device.BLF_CBC, [3, 57]),
            (device.CAMELLIA_CBC, [20])) for size in sizes]
        rows += [(device.AES_CBC, 99, 16, EINVAL, {}), (device.AES_CBC, 0, 16, EFAULT, {"key": None})]
        with self.counts(sessions_live=0):
            for cipher, mac, size, err, more in rows:
                self.assertEqual(ask_session(self.file, cipher, size, mac=mac, ses=4711, **more), (4711, err))
            self.assertEqual(answer(self.file, device.OPEN, 0), EFAULT)

    def test_a_request_is_refused_as_by_the_module(self):
        constant, libc = Room(PAGE), CDLL(None)
        self.assertEqual(libc.mprotect(c_void_p(constant.at()), c_size_t(PAGE), 1), 0)
        ecb, des, xts = (self.session(case) for case in (ECB, DES3, XTS))
        none = ~(self.cbc | ecb | des | xts) & 0xffffffff
        with self.counts(requests=0):
            with self.counts(invalid=9):
                self.assertEqual(crypt(self.file, self.cbc, 2, IV.at(), self.src.at(), self.dst.at(), 16), EINVAL)
                for session, size in ((self.cbc, 15), (self.cbc, 24), (ecb, 17), (des, 12), (xts, 40), (none, 16)):
                    self.assertEqual(self.request(size, session=session), EINVAL)
                # As the module intends; 1.14 crashes the kernel in these two cases.
                self.assertEqual(self.request(src=None), EFAULT)
                self.assertEqual(self.request(dst=None), EFAULT)
            self.assertEqual(self.request(src=8), EFAULT)
            self.assertEqual(crypt(self.file, self.cbc, ENCRYPT, 8, self.src.at(), self.dst.at(), 16), EFAULT)
        # The module crashes in this case too.
        self.assertEqual(self.request(dst=constant.at()), EFAULT)
        self.assertEqual(answer(self.file, CRYPT, 0), EFAULT)
        # 24 bytes are three blocks of 3DES. The session also keeps working.
        self.is_right(des, DES3, DECRYPT, 24)
        self.is_right(self.cbc, CBC)

    def test_other_requests_are_einval(self):
        with self.counts(ioctls_unknown=1):
            self.assertEqual(answer(self.file, INFO, Info(ses=1)), EINVAL)
            self.assertEqual(answer(self.file, device.request(200, Info), Info()), EINVAL)
        self.assertEqual(error(os.read, self.file, 16), EINVAL)
        self.assertEqual(error(os.write, self.file, b"x" * 16), EINVAL)
        # The module returns no error. The device counts the call, because it is the caller's
        # mistake.
        with self.counts(sessions_unknown=1):
            self.assertEqual(end(self.file, 1), 0)

    def test_more_than_the_kernel_moves_at_once_is_enomem_here(self):
        """CUSE limits a message to 32 pages, which the module does not: this explains an ENOMEM in a test."""
        big = Room(33 * PAGE)
        self.assertEqual(self.request(31 * 4096, src=big.at(), dst=big.at()), 0)
        self.assertEqual(self.request(33 * PAGE, src=big.at(), dst=big.at()), ENOMEM)
        self.is_right(self.cbc, CBC)

    def test_sessions_belong_to_the_open_file_and_end_with_it(self):
        with self.counts(sessions_live=0, sessions_closed=3):
            one, other = opened(), opened()
            with self.counts(sessions_live=1):
                with self.counts(sessions_live=3):
                    mine, its, _ = self.session(file=one), self.session(file=other), self.session(file=one)
                for file, session in ((one, its), (other, mine)):
                    self.assertEqual(crypt(file, session, ENCRYPT, IV.at(), self.src.at(), self.dst.at(), 16),
                                     EINVAL)
                self.assertEqual(end(other, mine), 0)
                self.is_right(mine, CBC, file=one)
                os.close(one)
            self.is_right(its, CBC, file=other)
            self.assertEqual(end(other, its), 0)
            self.assertEqual(crypt(other, its, ENCRYPT, IV.at(), self.src.at(), self.dst.at(), 16), EINVAL)
        os.close(other)

    def in_a_child(self, f):
        """Runs @f in a child, which exits with its result."""
        child = os.fork()
        if child == 0:
            os._exit(f())
        return child

    def ends_well(self, child):
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def close(self):
        os.close(self.file)
        self.file = -1

    def test_a_childs_close_ends_nothing(self):
        """So a child that closes what it inherited takes nothing from its parent."""
        with self.counts(files_released=0, sessions_live=0):
            self.ends_well(self.in_a_child(lambda: error(os.close, self.file)))
        self.is_right(self.cbc, CBC)
        with self.counts(files_released=1, sessions_live=-1):
            self.close()

    def test_a_child_that_ends_a_session_ends_its_parents(self):
        self.ends_well(self.in_a_child(lambda: end(self.file, self.cbc)))
        self.assertEqual(self.request(), EINVAL)

    def test_a_parents_close_ends_nothing_while_a_child_has_the_file(self):
        """The child continues when its pipe says so, or when the parent ends."""
        from_parent, to_child = os.pipe()

        def child():
            os.close(to_child)
            return bool(os.read(from_parent, 1)) or self.request()

        with self.counts(files_released=1, sessions_live=-1):
            with self.counts(files_released=0, sessions_live=0):
                number = self.in_a_child(child)
                self.close()
            os.close(from_parent)
            os.close(to_child)
            self.ends_well(number)


class Aead(Device):
    AAD = Room(2 * PAGE, b"seen by all")

    def asks(self, session, op=ENCRYPT, aad=13, size=64, src=None, dst=None, **more):
        return Auth(**{"ses": session, "op": op, "len": size, "auth_len": aad, "auth_src": self.AAD.at(),
                       "src": (src or self.src).at(), "dst": (dst or self.dst).at(), "iv": IV.at(), "iv_len": 12,
                       **more})

    def gcm(self, key_len=16):
        return self.session(Case(device.AES_GCM, "GCM", key_len))

    def test_text_and_tag_are_one_piece(self):
        for key_len in (16, 32):
            session = self.gcm(key_len)
            for size in (1, 16, 100, 5000):
                for aad in (0, 13, 4096):
                    text = self.src[:size] = some(size, size)
                    op = self.asks(session, ENCRYPT, aad, size)
                    self.assertEqual(answer(self.file, AUTH, op), 0)
                    self.assertEqual((op.len, op.tag), (size + 16, self.dst.at(size)))
                    self.assertEqual(self.dst[:size + 16], computed(f"AES-{key_len * 8}-GCM", ENCRYPT, text, key_len,
                                                                    self.AAD[:aad], 16))
                    op = self.asks(session, DECRYPT, aad, size + 16, self.dst)
                    self.assertEqual(answer(self.file, AUTH, op), 0)
                    self.assertEqual((op.len, self.dst[:size]), (size, text))

    def test_a_tag_that_is_bad_is_ebadmsg_and_no_failure(self):
        sealed = computed("AES-128-GCM", ENCRYPT, some(5000), 16, self.AAD[:13], 16)
        self.src[:len(sealed)] = sealed
        op = self.asks(self.gcm(), DECRYPT, 13, len(sealed))
        with self.counts(failed=0):
            self.src[5015] ^= 1
            self.assertEqual(answer(self.file, AUTH, op), EBADMSG)
            self.src[5015] ^= 1
            op.auth_len = 12
            self.assertEqual(answer(self.file, AUTH, op), EBADMSG)
            op.auth_len = 13
            self.assertEqual(answer(self.file, AUTH, op), 0)

    def test_what_makes_no_sense_is_einval(self):
        session = self.gcm()
        for wrong in ({"tag_len": 17}, {"auth_len": PAGE + 1}, {"ses": self.cbc}, {"ses": session ^ 1}, {"op": 2}):
            self.assertEqual(answer(self.file, AUTH, self.asks(session, **wrong)), EINVAL, wrong)
        self.assertEqual(ask_session(self.file, device.AES_GCM, 17)[1], EINVAL)
        # A tag length that was set stays.
        for more, tag_len in (({}, 16), ({"tag_len": 12}, 12), ({}, 12)):
            op = self.asks(session, **more)
            self.assertEqual((answer(self.file, AUTH, op), op.len), (0, 64 + tag_len))


class Hashes(Device):
    # The numbers of a digest and of its HMAC.
    NUMBERS = {"md5": (13, 6), "sha1": (14, 7), "sha224": (103, 107), "sha256": (104, 18), "sha384": (105, 19),
               "sha512": (106, 20), "ripemd160": (102, 8)}
    SHA1_HMAC = 7

    def ask_hash(self, number, key=None, size=0):
        op = Session(mac=number, mackey=key, mackeylen=size)
        return op, answer(self.file, device.OPEN, op)

    def run_hash(self, session, size, **more):
        op = Crypt(**{"ses": session.ses, "len": size, "src": self.src.at(), "mac": self.dst.at(), **more})
        return answer(self.file, CRYPT, op)

    def test_every_hash_gives_what_libcrypto_gives(self):
        self.src[:] = some(len(self.src))
        for name, numbers in self.NUMBERS.items():
            for number in numbers:
                session, err = self.ask_hash(number, *((KEY.at(), 20) if number == numbers[1] else ()))
                self.assertEqual(err, 0)
                for size in (0, 1, 64, 4097, LARGEST):
                    for off in (0, 3):
                        text = self.src[off:off + size]
                        want = hmac.new(KEY[:20], text, name).digest() if number == numbers[1] else \
                            hashlib.new(name, text).digest()
                        self.dst[:] = bytes([UNTOUCHED]) * len(self.dst)
                        self.assertEqual(self.run_hash(session, size, src=self.src.at(off)), 0)
                        self.assertEqual(self.dst[:len(want) + 1], want + bytes([UNTOUCHED]))
                self.assertEqual(end(self.file, session.ses), 0)

    def test_a_session_names_the_driver_of_its_hash(self):
        info = Info(ses=self.ask_hash(self.NUMBERS["sha256"][1], KEY.at(), 20)[0].ses)
        self.assertEqual(answer(self.file, INFO, info), 0)
        self.assertEqual((info.hash_info.cra_name, info.hash_info.cra_driver_name, info.cipher_info.cra_name),
                         (b"hmac(sha256)", b"mv-hmac-sha256", b""))

    def test_what_the_module_refuses_or_dies_of_is_refused(self):
        long_key = Room(513)
        with self.counts(invalid=7):
            for number, *key in ((99,), (device.AES_CBC,), (self.SHA1_HMAC, long_key.at(), 513),
                                 (self.SHA1_HMAC, None, 5)):
                self.assertEqual(self.ask_hash(number, *key)[1], EINVAL)
            session, err = self.ask_hash(self.SHA1_HMAC, long_key.at(), 512)
            self.assertEqual(err, 0)
            self.assertEqual(self.run_hash(session, 10, src=None), EFAULT)
            self.assertEqual(self.run_hash(session, 10, mac=None), EFAULT)
            self.assertNotEqual(self.run_hash(session, 10, op=DECRYPT, dst=self.src.at()), 0)


class Faults(Device):
    """Faults that backends_test.py does not count itself."""

    def is_done(self, size=64):
        """Whether the result of a request is right. The request itself has to succeed."""
        self.dst[:] = bytes([UNTOUCHED]) * len(self.dst)
        self.assertEqual(self.request(size), 0)
        return self.dst[:size] == computed(CBC.name, ENCRYPT, self.src[:size], 16)

    def test_the_request_of_a_number_fails_with_the_errno_chosen_and_nothing_is_written(self):
        CONTROL["fail_errno"] = ENOMEM
        with self.counts(failed=1, bytes=128):
            CONTROL.set("fail_every", "+2")
            self.assertTrue(self.is_done())
            self.dst[:64] = bytes([UNTOUCHED]) * 64
            self.assertEqual(self.request(64), ENOMEM)
            self.assertEqual(self.dst[:64], bytes([UNTOUCHED]) * 64)
            self.assertTrue(self.is_done())

    def test_a_failed_request_leaves_the_sessions_iv(self):
        text = self.src[:64] = some(64)
        second = {"src": self.src.at(32), "dst": self.dst.at(32)}
        self.assertEqual(self.request(32), 0)
        CONTROL.set("fail_every", "+1")
        self.assertEqual(self.request(32, None, **second), EIO)
        self.assertEqual(self.request(32, None, **second), 0)
        self.assertEqual(self.dst[:64], computed(CBC.name, ENCRYPT, text, 16))

    def delayed(self):
        file = opened()
        session, room = self.session(file=file), Room(32)
        self.done.append(crypt(file, session, ENCRYPT, IV.at(), room.at(), room.at(16), 16))
        os.close(file)

    def four_requests(self):
        """The seconds that four concurrent requests take."""
        self.done, start = [], time.monotonic()
        threads = [threading.Thread(target=self.delayed) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.done, [0] * 4)
        return time.monotonic() - start

    def test_requests_take_their_time_each_in_its_own_session(self):
        """One after the other, four requests would take four seconds; at once they take at least one."""
        CONTROL["delay_ms"] = 1000
        least = next((took for took in (self.four_requests() for _ in range(100)) if took < 4), 4)
        print(f"{least:.2f} s", flush=True)
        self.assertTrue(1 <= least < 4)


class Chosen(Device):
    """A device that calls itself software, has three ciphers, and copies buffers that are not aligned to
    16 bytes."""

    def test_what_was_chosen_is_what_a_session_tells(self):
        for session, driver in ((self.cbc, b"x-aes.cbc"), (self.session(DES3), b"x-des3-ede.cbc")):
            info = Info(ses=session)
            self.assertEqual(answer(self.file, INFO, info), 0)
            self.assertEqual((info.cipher_info.cra_driver_name, info.flags, info.alignmask), (driver, 0, 15))

    def test_a_cipher_left_out_is_unknown(self):
        for cipher in (device.AES_CTR, device.AES_ECB):
            self.assertEqual(ask_session(self.file, cipher, 16)[1], EINVAL)

    def test_that_data_was_copied_is_noted(self):
        for off in (0, 1):
            op = Crypt(ses=self.cbc, len=32, src=self.src.at(), dst=self.src.at(off), iv=IV.at())
            self.assertEqual((answer(self.file, CRYPT, op), op.flags), (0, 8 if off else 0))

    def test_of_a_unit_of_xts_that_is_copied_only_the_first_page_is_right(self):
        """The module copies page by page. A text that can be divided is right nevertheless; of an XTS unit
        only the first page is."""
        size = 2 * PAGE
        src, dst = Room(size + 1, some(size + 1)), Room(size + 1)
        for case, off, right in ((XTS, 0, size), (XTS, 1, PAGE), (CBC, 0, size), (CBC, 1, size)):
            want = computed(case.name, ENCRYPT, src[off:off + size], case.key_len)
            self.assertEqual(self.request(size, session=self.session(case), src=src.at(off), dst=dst.at(off)), 0)
            pairs = zip(want, dst[off:off + size])
            same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
            self.assertTrue(right <= same <= right + 2, (case.name, off, same))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
