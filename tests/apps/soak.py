# SPDX-License-Identifier: Apache-2.0
"""nginx for a long time: one instance that is reloaded again and again, and one whose workers stay, while
kernel modules are unloaded and loaded."""

import os
import subprocess
import time

import web

MINUTES = float(os.environ.get("KC_APPS_MINUTES", 60))
# Modules of the interfaces and algorithms. Those that are in use stay loaded.
MODULES = ("algif_skcipher", "algif_aead", "algif_hash", "gcm", "ghash_generic", "ctr", "cbc",
           "chacha20poly1305", "chacha_generic", "poly1305_generic", "hmac", "cmac", "sha512_generic")


def unload():
    """Unloads what is not in use, and returns the number of modules. The kernel loads them again when they
    are needed."""
    return sum(subprocess.run(["rmmod", name], capture_output=True).returncode == 0 for name in MODULES)


def load(app, server):
    for suite in web.SUITES:
        web.curl(app, server.port, "medium", suite)
    web.at_once(app, server.port, 20)
    app.said.clear()


def line(app, begin, counts):
    now = {label: marks[-1] for label, marks in app.marks.items()}
    minutes = (time.time() - begin) / 60
    app.progress(", ".join([
        f"{minutes:4.1f} min", f"{app.bytes / 1e6:.0f} MB", f"{app.requests()} requests",
        *(f"{n} {what}" for what, n in counts.items()),
        *(f"{label}: {fds} descriptors, {kib} KiB" for label, (fds, kib, _) in now.items())]))


def soak(app):
    app.kib = 8 << 10  # malloc() takes long to have room for every mix of connections
    web.files(app)
    turning, steady = web.Nginx(app), web.Nginx(app, port=8446, place="steady")
    begin, counts = time.time(), {"rounds": 0, "reloads": 0, "unloaded": 0}
    while time.time() - begin < 60 * MINUTES or counts["rounds"] < 3:
        counts["rounds"] += 1
        counts["unloaded"] += unload()
        for server in (turning, steady):
            load(app, server)
        with web.Load(app, turning.port):
            counts["unloaded"] += unload()
            counts["reloads"] += 1
            turning.reload(counts["reloads"])
        # Everything has been loaded and allocated after the first round.
        app.mark("reloaded master", [turning.master()])
        app.mark("steady workers", steady.workers())
        app.mark("steady master", [steady.master()])
        line(app, begin, counts)
    for server in (turning, steady):
        server.judge_log()
    app.say(", ".join(f"{n} {what}" for what, n in counts.items()))
