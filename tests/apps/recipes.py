# SPDX-License-Identifier: Apache-2.0
"""docs/recipes.md: runs each program with the lines that the page has for it."""

import json
import os
import re
import subprocess

import shell
import tunnel
import web
from app import SOFTWARE, TOP, alive, expect


def block(kind):
    with open(os.path.join(TOP, "docs/recipes.md")) as f:
        found = re.findall(rf"^```{kind}\n(.*?)^```$", f.read(), re.M | re.S)
    expect(len(found) == 1, f"docs/recipes.md has {len(found)} blocks of {kind}")
    return found[0]


def begin(app):
    """Configures the line for kcrypto stats, with counters where that command looks for them."""
    app.configure(("default", "kcrypto"), block("ini"))
    del app.env["KCRYPTO_STATS"]


def shown(app, program, row):
    """What kcrypto stats reports of the running program and of this row."""
    said = json.loads(app.run([f"{TOP}/build/kcrypto", "stats", "--json"], env=SOFTWARE))
    mine = [p for p in said["processes"] if p["program"].split("/")[-1] == program]
    expect(mine, f"kcrypto stats does not know {program}: {said}")
    kernel = [way for p in mine for a in p["algorithms"] if a["algorithm"] == row for way in a["kernel"]]
    count, size = (sum(way[key] for way in kernel) for key in ("requests", "bytes"))
    expect(count or not app.is_all, f"kcrypto stats shows no request for {row} of {program}'s: {mine}")
    app.shown += count
    return size // max(count, 1)


def nginx(app):
    begin(app)
    web.files(app)
    lines = "        ssl_protocols TLSv1.2 TLSv1.3;\n        ssl_ciphers ALL:@SECLEVEL=0;\n"
    expect(lines in web.NGINX, "nginx's configuration has lost its ciphers")
    server = web.Nginx(app, web.NGINX.replace(lines, block("nginx")))
    web.curl(app, server.port, "medium")
    size = shown(app, "nginx", "AES-256-CBC")
    expect(size > 8192 or not app.is_all, f"a request has {size} bytes")
    server.judge_log()


def openssh(app):
    begin(app)
    server = shell.Sshd(app, block("sshd_config"))
    options = app.write("ssh", block("ssh_config"))
    data = os.urandom(shell.SIZE)
    argv = ["ssh", "-F", options, "-p", "2222", *shell.options(app), "root@127.0.0.1"]
    app.same(app.run([*argv, "cat"], input=data), data, "ssh")
    with subprocess.Popen([*argv, "cat"], env=app.env, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as s:
        s.stdin.write(data[:100_000])
        s.stdin.flush()
        app.same(s.stdout.read(100_000), data[:100_000], "ssh")
        shown(app, "ssh", "AES-256-CTR")
        s.stdin.close()
    server.judge(2)


def openvpn(app):
    begin(app)
    tunnel.two_namespaces()
    both = tunnel.ends(app, ["--config", app.write("lines", block("openvpn"))])
    tunnel.through(app, 200, 24000)
    size = shown(app, "openvpn", "AES-256-GCM")
    expect(size > 4096 or not app.is_all, f"a request has {size} bytes")
    expect(all(map(alive, (p.pid for p in both))), "openvpn ended")
