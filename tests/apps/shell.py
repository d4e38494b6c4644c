# SPDX-License-Identifier: Apache-2.0
"""OpenSSH, and programs that run over it: scp, git, borg."""

import os
import re
import shutil
import subprocess

from app import SOFTWARE, expect, wait_until
from served import SSH_CIPHERS as CIPHERS, SSHD, ssh_options

OTHERS = ["aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com"]
SIZE = 4_000_000


def options(app, *cipher):
    return ssh_options(app.path("user"), *cipher)


class Sshd:
    """A running sshd for root, whose shell has no start-up files."""

    def __init__(self, app, config=""):
        self.app = app
        os.makedirs("/run/sshd", exist_ok=True)
        for key in ("host", "user"):
            app.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", app.path(key)])
        app.write("sshd", config + SSHD.format(dir=app.dir, ciphers=",".join(CIPHERS + OTHERS)))
        self.process = app.start([shutil.which("sshd"), "-D", "-e", "-f", app.path("sshd")],
                                 "Server listening")

    def said(self):
        return self.app.read(self.process.log)

    def judge(self, logins):
        """Checks that the sandbox was active and killed nobody. The kernel's log would tell of that, too."""
        said = self.said()
        expect("attaching seccomp filter program" in said, "sshd had no sandbox")
        kernel = subprocess.run(["dmesg"], capture_output=True, text=True).stdout
        for word in ("SIGSYS", "unexpected system call", "killed by signal", "terminated by signal"):
            expect(word not in said, f"sshd said {word}")
        expect("sig=31" not in kernel, "the kernel killed a process that left its sandbox")
        expect(said.count("Accepted publickey") == logins,
               f"{said.count('Accepted publickey')} logins, not {logins}")


def ssh_to(app, cipher, command, data=b""):
    argv = ["ssh", "-F", "none", "-p", "2222", *options(app, cipher), "root@127.0.0.1", command]
    return app.run(argv, input=data)


def there_and_back(app, cipher):
    data = os.urandom(SIZE)
    app.same(ssh_to(app, cipher, f"tee {app.path('sent')}", data), data, f"ssh -c {cipher}")
    with open(app.path("sent"), "rb") as f:
        app.same(f.read(), data, f"to sshd by {cipher}")
    app.progress(cipher)


def copy(app, cipher):
    app.random_file("file", SIZE)
    scp = ["scp", "-F", "none", "-P", "2222", *options(app, cipher)]
    app.run([*scp, app.path("file"), f"root@127.0.0.1:{app.path('copied')}"])
    app.run([*scp, f"root@127.0.0.1:{app.path('copied')}", app.path("back")])
    for name in ("copied", "back"):
        app.same_files(app.path(name), app.path("file"))


def openssh(app):
    sshd = Sshd(app)
    there_and_back(app, CIPHERS[0])
    app.mark("sshd", [sshd.process.pid])
    for cipher in CIPHERS[1:] + OTHERS:
        there_and_back(app, cipher)
    copy(app, "aes256-cbc")
    copy(app, "aes256-ctr")
    app.mark("sshd", [sshd.process.pid])
    sshd.judge(len(CIPHERS + OTHERS) + 4)
    app.say(f"{len(CIPHERS)}/6 ciphers both ways, killed 0")


def openssh_in_two(app):
    """From 9.8 on, sshd executes a second program for each connection."""
    version = subprocess.run(["ssh", "-V"], capture_output=True, text=True, env=SOFTWARE).stderr
    expect(tuple(map(int, re.match(r"OpenSSH_(\d+)\.(\d+)", version).groups())) >= (9, 8), version)
    expect(os.path.exists("/usr/lib/openssh/sshd-session"), "there is no sshd-session")
    openssh(app)
    app.say(version.split()[0])


GIT = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main", "-c",
       "safe.directory=*", "-c", "gc.auto=0"]


def git(app):
    """Pushes and clones over ssh; both ends use kcrypto."""
    sshd = Sshd(app)
    ssh = ["ssh", "-F", "none", *options(app, "aes256-ctr")]
    env = {"GIT_SSH_COMMAND": " ".join(ssh), "HOME": app.dir}
    url = f"ssh://root@127.0.0.1:2222{app.path('far')}"
    app.run([*GIT, "init", "-q", app.path("near")])
    app.run([*GIT, "init", "-q", "--bare", app.path("far")])
    for i in range(3):
        app.random_file(f"near/{i}", SIZE)
        app.run([*GIT, "-C", app.path("near"), "add", "."])
        app.run([*GIT, "-C", app.path("near"), "commit", "-qm", str(i)])
        app.run([*GIT, "-C", app.path("near"), "push", "-q", url, "main"], env=env)
    app.run([*GIT, "clone", "-q", url, app.path("clone")], env=env)
    app.run([*GIT, "-C", app.path("clone"), "fsck", "--strict"])
    for i in range(3):
        app.same_files(app.path(f"clone/{i}"), app.path(f"near/{i}"))
    wait_until(lambda: sshd.said().count("Accepted publickey") == 4, "git did not go over ssh")
    sshd.judge(4)


def borg(app):
    """An encrypted archive: AES-CTR and HMAC-SHA256 in borg's own code over libcrypto."""
    # Each command derives its key by 200,000 digests of 96 bytes.
    app.configure(("default", "kcrypto"), "digests = ALL:512" if app.is_all else "")
    env = {"BORG_PASSPHRASE": "x", "BORG_REPO": app.path("repo"), "BORG_BASE_DIR": app.dir,
           "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes", "LANG": "C.UTF-8"}
    app.run(["borg", "init", "--encryption=repokey"], env=env)
    for i in range(3):
        app.random_file(f"tree/{i}", 4 * SIZE)
    for i in range(2):
        app.run(["borg", "create", f"::{i}", "tree"], env=env, cwd=app.dir)
        app.random_file("tree/1", SIZE)
    app.run(["borg", "check", "--verify-data"], env=env)
    os.rename(app.path("tree"), app.path("old"))
    app.run(["borg", "extract", "::1"], env=env, cwd=app.dir)
    for i in (0, 2):
        app.same_files(app.path(f"tree/{i}"), app.path(f"old/{i}"))
    # Software alone can read what was written with the kernel.
    app.run(["borg", "extract", "--dry-run", "::1"], env=env | {"OPENSSL_CONF": "/dev/null"})
