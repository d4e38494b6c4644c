# SPDX-License-Identifier: Apache-2.0
"""nginx, haproxy and stunnel, with curl as the client, whose libcrypto uses kcrypto, too."""

import http.client
import os
import shutil
import signal
import ssl
import threading

from app import SOFTWARE, Failed, alive, certificate, children, expect, wait_until
from served import NGINX

CBC = ("1.2", "ECDHE-RSA-AES256-SHA384")
SUITES = (CBC, ("1.2", "ECDHE-RSA-AES128-GCM-SHA256"), ("1.2", "ECDHE-RSA-CHACHA20-POLY1305"),
          ("1.3", "TLS_AES_256_GCM_SHA384"), ("1.3", "TLS_CHACHA20_POLY1305_SHA256"))
SIZE = int(os.environ.get("KC_APPS_MB", 48)) << 20
SMALL = 20_000


class Nginx:
    """A running nginx with the test's files."""

    def __init__(self, app, config=NGINX, port=8443, place="nginx"):
        self.app, self.port, self.place = app, port, place
        conf = app.write(place + "/conf", config.format(
            main="user www-data;\n", dir=app.path(place), files=app.path("files"),
            cert=certificate(), port=port))
        app.run([shutil.which("nginx"), "-p", app.path(place), "-c", conf,
                 "-e", app.path(place + "/log")])
        self.wait_for_workers()

    def read(self, name):
        return self.app.read(os.path.join(self.place, name))

    def master(self):
        return int(self.read("pid") or 0)

    def workers(self):
        return children(self.master())

    def wait_for_workers(self):
        wait_until(lambda: self.master() and len(self.workers()) >= 2, "nginx has no workers")
        if self.master() not in self.app.daemons:
            self.app.daemons.append(self.master())

    def reload(self, count):
        before = self.workers()
        os.kill(self.master(), signal.SIGHUP)
        wait_until(lambda: self.read("log").count("reconfiguring") >= count, "nginx does not reload")
        wait_until(lambda: not any(map(alive, before)) and len(self.workers()) == 2,
                   "old workers do not end")

    def upgrade(self):
        """Replaces the running binary by itself, as an upgrade does: the new process takes over the
        sockets."""
        old = self.master()
        os.kill(old, signal.SIGUSR2)
        wait_until(lambda: self.read("pid.oldbin") and self.master() not in (0, old),
                   "there is no new binary")
        self.wait_for_workers()
        os.kill(old, signal.SIGWINCH)
        wait_until(lambda: not children_but(old, self.master()), "the old workers do not end")
        os.kill(old, signal.SIGQUIT)
        wait_until(lambda: not alive(old), "the old nginx does not end")

    def judge_log(self):
        log = self.read("log")
        for word in ("[emerg]", "[alert]", "[crit]", "exited on signal"):
            expect(word not in log, next((x for x in log.split("\n") if word in x), ""))


def children_but(pid, other):
    return [p for p in children(pid) if p != other]


def curl(app, port, name, suite=None, to="got"):
    argv = ["curl", "-sSk", "-o", app.path(to), f"https://127.0.0.1:{port}/{name}"]
    if suite:
        version, cipher = suite
        argv += [f"--tlsv{version}", "--tls-max", version,
                 "--tls13-ciphers" if version == "1.3" else "--ciphers", cipher]
    app.run(argv)
    app.same_files(app.path(to), app.path("files/" + name))
    os.unlink(app.path(to))


def curl_each_suite(app, port):
    for suite in SUITES:
        curl(app, port, "large", suite)
        app.progress(suite[1])


def keep_alive(app, port, count):
    """Fetches @count times over one connection, with curl."""
    said = app.run(["curl", "-sSk", "-w", "%{num_connects} ", "-o", app.path("got#1"),
                    f"https://127.0.0.1:{port}/small?[1-{count}]"])
    expect(said.split().count(b"1") == 1, "curl's connection was not kept alive")
    for i in range(1, count + 1):
        app.same_files(app.path(f"got{i}"), app.path("files/small"))
        os.unlink(app.path(f"got{i}"))
    app.progress("keep-alive")
    app.say(f"keep-alive {count}/{count}")


def at_once(app, port, count):
    """Opens all connections before the first request. This client uses software alone."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with open(app.path("files/small"), "rb") as f:
        want = f.read()
    open_ones = [http.client.HTTPSConnection("127.0.0.1", port, context=context) for _ in range(count)]
    for c in open_ones:
        c.connect()
    for _ in range(3):
        for c in open_ones:
            c.request("GET", "/small")
        for c in open_ones:
            app.same(c.getresponse().read(), want, "a connection of many")
    for c in open_ones:
        c.close()
    app.say(f"connections {count}/{count}")


class Load:
    """Fetches in the background until the context is left. Each failure counts."""

    def __init__(self, app, port):
        self.app, self.port, self.wrong, self.count = app, port, None, 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.go)

    def go(self):
        while not self.over.is_set():
            try:
                curl(self.app, self.port, "medium", CBC if self.count % 2 else None, "load")
            except Failed as e:
                self.wrong = self.wrong or str(e)
            self.count += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.over.set()
        self.thread.join()
        if kind is None:
            expect(not self.wrong, f"under load: {self.wrong}")


def files(app):
    for name, size in (("large", SIZE), ("medium", 2_000_000), ("small", SMALL)):
        app.random_file("files/" + name, size)


def nginx(app):
    files(app)
    n = Nginx(app)
    curl(app, n.port, "medium")
    at_once(app, n.port, 60)
    app.mark("workers", n.workers())
    curl_each_suite(app, n.port)
    keep_alive(app, n.port, 300)
    at_once(app, n.port, 60)
    app.mark("workers", n.workers())
    with Load(app, n.port) as load:
        for i in range(1, 6):
            done = load.count
            wait_until(lambda: load.count > done, "the load stands still")
            n.reload(i)
            app.mark("master", [n.master()])
    app.say("reloads 5/5")
    with Load(app, n.port):
        n.upgrade()
    curl(app, n.port, "medium")
    app.say("upgrade 1/1")
    n.judge_log()


HAPROXY = """global
    stats socket {dir}/socket
    log stderr local0
defaults
    mode http
    timeout connect 1h
    timeout client 1h
    timeout server 1h
    log global
frontend front
    bind 127.0.0.1:8444 ssl crt {cert} ssl-min-ver TLSv1.2 ciphers ALL:@SECLEVEL=0
    default_backend back
backend back
    server one 127.0.0.1:8443 ssl verify none
"""

STUNNEL = """foreground = yes
pid =
[server]
accept = 127.0.0.1:8445
connect = 127.0.0.1:8080
cert = {cert}
ciphers = ECDHE:@SECLEVEL=0
[client]
client = yes
accept = 127.0.0.1:8081
connect = 127.0.0.1:8445
sslVersion = TLSv1.2
ciphers = {cipher}:@SECLEVEL=0
"""


def haproxy(app):
    """TLS on both sides: curl, haproxy, nginx."""
    files(app)
    Nginx(app)
    app.write("haproxy", HAPROXY.format(dir=app.dir, cert=certificate()))
    master = app.start(["haproxy", "-W", "-f", app.path("haproxy")])
    for i in range(2):
        wait_until(lambda: "Loading success" in app.read(master.log), "haproxy is not up")
        wait_until(lambda: app.read(master.log).count("forked") > i, "haproxy has no worker")
        curl(app, 8444, "medium")
        at_once(app, 8444, 20)
        app.mark("worker", children(master.pid)[-1:])
        curl(app, 8444, "large", CBC)
        curl(app, 8444, "large", SUITES[3])
        at_once(app, 8444, 20)
        app.mark("worker", children(master.pid)[-1:])
        if i == 0:
            os.kill(master.pid, signal.SIGUSR2)
    app.say("reloads 1/1")


def stunnel(app):
    """One process is both ends, in threads."""
    files(app)
    app.start(["python3", "-um", "http.server", "-b", "127.0.0.1", "-d", app.path("files"), "8080"],
              "Serving", env=SOFTWARE)
    app.write("stunnel", STUNNEL.format(cert=certificate(), cipher=CBC[1]))
    process = app.start(["stunnel4", app.path("stunnel")], "Configuration successful")
    for i, name in enumerate(("medium", "large", "large")):
        app.run(["curl", "-sS", "--retry-connrefused", "--retry", "100", "-o", app.path("got"),
                 "http://127.0.0.1:8081/" + name])
        app.same_files(app.path("got"), app.path("files/" + name))
        app.mark("stunnel", [process.pid])
