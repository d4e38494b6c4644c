# SPDX-License-Identifier: Apache-2.0
"""The beginning of programs in which a TLS client and server talk in memory."""

ENDS = """
import ssl, sys
def connect(server, client, name=None):
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    s = server.wrap_bio(up, down, server_side=True)
    c = client.wrap_bio(down, up, server_hostname=name)
    waiting = {s, c}
    while waiting:
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.discard(end)
            except ssl.SSLWantReadError:
                pass
    return s, c
server, client = (ssl.SSLContext(p) for p in (ssl.PROTOCOL_TLS_SERVER, ssl.PROTOCOL_TLS_CLIENT))
"""
