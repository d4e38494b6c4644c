# SPDX-License-Identifier: Apache-2.0
"""usage: echo.py PORT | echo.py PORT HOST COUNT SIZE. The first form returns bytes as they arrive; the
second form sends bytes and compares what returns."""

import socket
import sys

if len(sys.argv) == 2:
    listener = socket.create_server(("", int(sys.argv[1])))
    print("ready", flush=True)
    connection = listener.accept()[0]
    while data := connection.recv(65536):
        connection.sendall(data)
else:
    connection = socket.create_connection((sys.argv[2], int(sys.argv[1])))
    for i in range(int(sys.argv[3])):
        sent = bytes([i % 251]) * int(sys.argv[4])
        connection.sendall(sent)
        got = b""
        while len(got) < len(sent):
            got += connection.recv(len(sent) - len(got))
        if got != sent:
            sys.exit(f"piece {i} is wrong")
