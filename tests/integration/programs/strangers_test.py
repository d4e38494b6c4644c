#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A session's descriptor number becomes another socket's just after it was checked: every kind of socket
of this kernel must refuse the AF_ALG backend's message. Before each request, the session is told that the
other socket is its own.

usage: strangers_test.py BUILD"""

import ctypes
import errno
import os
import socket
import sys
import unittest
from socket import (AF_ALG, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_UNIX, AF_VSOCK, SOCK_DGRAM, SOCK_RAW,
                    SOCK_SEQPACKET, SOCK_STREAM)

LIBRARY = ctypes.CDLL(os.path.abspath(os.path.join(sys.argv[1], "tests/strangers.so")))
ASKED = range(3)  # for a cipher, an AEAD and a digest
# The address of a socket of each family; in AF_PACKET, for all protocols.
HERE = {AF_INET: ("127.0.0.1", 0), AF_INET6: ("::1", 0), AF_NETLINK: (0, 0), AF_PACKET: ("lo", 3),
        AF_VSOCK: (1, socket.VMADDR_PORT_ANY)}
MPTCP, UDPLITE, USERSOCK, ROUTE, GENERIC = 262, 136, 2, 0, 16
FAMILIES, TYPES = 48, 10


def placed(*kind):
    s = socket.socket(*kind)
    s.bind(HERE[kind[0]])
    return s


def connection(*kind):
    with placed(*kind) as listener, socket.socket(*kind) as far:
        listener.listen(1)
        far.connect(listener.getsockname())
        return listener.accept()[0], far.dup()


def datagrams(*kind):
    far, near = placed(*kind), socket.socket(*kind)
    near.connect(far.getsockname())
    return near, far


def alone(*kind):
    """Sends to its own address."""
    return placed(*kind), None


KINDS = {
    "UNIX stream": (socket.socketpair, AF_UNIX, SOCK_STREAM, 0),
    "UNIX datagram": (socket.socketpair, AF_UNIX, SOCK_DGRAM, 0),
    "UNIX seqpacket": (socket.socketpair, AF_UNIX, SOCK_SEQPACKET, 0),
    "TCP": (connection, AF_INET, SOCK_STREAM, socket.IPPROTO_TCP),
    "TCP over IPv6": (connection, AF_INET6, SOCK_STREAM, socket.IPPROTO_TCP),
    "MPTCP": (connection, AF_INET, SOCK_STREAM, MPTCP),
    "SCTP": (connection, AF_INET, SOCK_STREAM, socket.IPPROTO_SCTP),
    "vsock": (connection, AF_VSOCK, SOCK_STREAM, 0),
    "UDP": (datagrams, AF_INET, SOCK_DGRAM, socket.IPPROTO_UDP),
    "UDP over IPv6": (datagrams, AF_INET6, SOCK_DGRAM, socket.IPPROTO_UDP),
    "UDP-Lite": (datagrams, AF_INET, SOCK_DGRAM, UDPLITE),
    "raw IP": (datagrams, AF_INET, SOCK_RAW, 253),
    "raw IPv6": (datagrams, AF_INET6, SOCK_RAW, 253),
    "raw ICMP": (datagrams, AF_INET, SOCK_RAW, socket.IPPROTO_ICMP),
    "netlink": (datagrams, AF_NETLINK, SOCK_RAW, USERSOCK),
    "netlink of routes": (alone, AF_NETLINK, SOCK_RAW, ROUTE),
    "generic netlink": (alone, AF_NETLINK, SOCK_RAW, GENERIC),
    "packets": (alone, AF_PACKET, SOCK_RAW, 0),
    "packets without header": (alone, AF_PACKET, SOCK_DGRAM, 0),
}
# Reads neither address nor control messages; SECURITY.md names it.
TAKES = ("MPTCP",)


class Strangers(unittest.TestCase):
    def refuses(self, name, near, far=None):
        for which in ASKED:
            error = LIBRARY.strangers_ask(which, near.fileno())
            if name in TAKES:
                continue
            self.assertLess(error, 0, (name, which))
            if which == 0:
                print(f"  {name:24} {os.strerror(-error)}", flush=True)
            if far:
                with self.assertRaises(OSError, msg=(name, which)):
                    far.recv(1, socket.MSG_DONTWAIT)
        for s in filter(None, (near, far)):
            s.close()

    def test_a_session_of_ours_takes_it(self):
        self.assertEqual([LIBRARY.strangers_ask(which, -1) for which in ASKED], [0, 0, 0])

    def test_a_connected_stranger_refuses_it(self):
        absent = set()
        for name, (make, *kind) in KINDS.items():
            try:
                near, far = make(*kind)
            except OSError:
                absent.add(name)
                continue
            self.refuses(name, near, far)
        print("  not in this kernel:", *sorted(absent), sep="\n    ", flush=True)
        self.assertGreaterEqual(len(KINDS) - len(absent), 9)

    def test_any_stranger_refuses_it(self):
        """A socket of any family. It has no peer, but some send without one."""
        for family in set(range(1, FAMILIES)) - {AF_ALG}:
            for kind in range(1, TYPES + 1):
                try:
                    with socket.socket(family, kind) as near:
                        self.refuses(f"family {int(family)}, type {kind}", near)
                except OSError as e:
                    if e.errno == errno.EAFNOSUPPORT:
                        break


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
