# SPDX-License-Identifier: Apache-2.0
"""OpenVPN between two network namespaces."""

import os
import subprocess

from app import HERE, certificate, expect, wait_until

CIPHERS = ("AES-256-CBC", "AES-128-CBC", "AES-256-GCM", "CHACHA20-POLY1305")


# ip-netns(8) would change the mounts of "/", which is not a mount point in a chroot.
FAR = ["nsenter", "--net=/run/netns/far"]


def two_namespaces():
    if os.path.exists("/run/netns/far"):
        return
    ours = ("netns add far", "link add near type veth peer name far netns far",
            "addr add 192.168.7.1/24 dev near", "link set near up")
    theirs = ("addr add 192.168.7.2/24 dev far", "link set far up", "link set lo up")
    for prefix, lines in (([], ours), (FAR, theirs)):
        for line in lines:
            subprocess.run([*prefix, "ip", *line.split()], check=True)


def fingerprint(app):
    said = app.run(["openssl", "x509", "-in", certificate(), "-noout", "-fingerprint", "-sha256"])
    return said.decode().strip().split("=")[1]


def ends(app, options, files=("", "")):
    """The two processes, once both report that they are up. @files: their configurations."""
    started = []
    for n, role, prefix in ((1, "--tls-server", []), (2, "--tls-client", FAR)):
        argv = [*prefix, "openvpn", "--dev", "tun", "--ifconfig", f"10.9.0.{n}", f"10.9.0.{3 - n}",
                "--remote", f"192.168.7.{3 - n}", role, "--cert", certificate(), "--key",
                certificate(), "--peer-fingerprint", fingerprint(app), *options]
        if role == "--tls-server":
            argv += ["--dh", "none"]
        started.append(app.start(argv))
    for process in started:
        wait_until(lambda: "Initialization Sequence Completed" in app.read(process.log) or
                   process.poll() is not None, "the tunnel does not come up")
        expect(process.poll() is None, f"openvpn ended: {app.read(process.log)[-300:]}")
    return started


def through(app, count, size=1200):
    """Sends bytes through the tunnel and back again. @count blocks of @size bytes."""
    echo = ["/usr/bin/python3", os.path.join(HERE, "echo.py"), "7000"]
    far = app.start([*FAR, *echo], "ready", env={"OPENSSL_CONF": "/dev/null"})
    app.run([*echo, "10.9.0.2", str(count), str(size)], env={"OPENSSL_CONF": "/dev/null"})
    app.bytes += 2 * size * count
    app.stop(far)


def openvpn(app):
    two_namespaces()
    for cipher in CIPHERS:
        both = ends(app, ["--data-ciphers", cipher, "--cipher", cipher, "--disable-dco"])
        before = app.requests()
        through(app, 500)
        app.mark(cipher, [p.pid for p in both])
        through(app, 2000)
        app.mark(cipher, [p.pid for p in both])
        app.progress(f"{cipher}: {app.requests() - before} requests")
        for process in both:
            app.stop(process)
    app.say(f"{len(CIPHERS)} ciphers")
