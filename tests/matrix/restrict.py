#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""restrict.py BUILD: AF_ALG at each level of crypto.af_alg_restrict (Linux 7.3), for users with and
without capabilities.

The rows that kcrypto list offers reach the kernel in differential rounds, and no others; of each other
row, list gives a reason, and its advice names the sysctl. Runs as root in a machine and prints a table.
"""
import json
import os
import re
import subprocess
import sys
from collections import Counter

LEVEL = "/proc/sys/crypto/af_alg_restrict"
NOBODY = ["setpriv", "--reuid=nobody", "--clear-groups"]
USERS = {
    "root": [],
    "root without the capabilities": ["setpriv", "--bounding-set=-net_admin,-sys_admin"],
    "nobody": NOBODY,
    "nobody, CAP_NET_ADMIN": [*NOBODY, "--inh-caps=+net_admin", "--ambient-caps=+net_admin"],
    "nobody, CAP_SYS_ADMIN": [*NOBODY, "--inh-caps=+sys_admin", "--ambient-caps=+sys_admin"],
    "nobody, root of a user namespace": [*NOBODY, "unshare", "--map-root-user"],
}
build = sys.argv[1]
env = dict(os.environ, OPENSSL_MODULES=os.path.abspath(build))


def configure(name):
    """Writes /run/NAME, by which programs use all that tests/cnf/NAME configures; returns its path."""
    with open(f"{build}/tests/cnf/{name}") as f:
        text = f.read().replace("[init]", "[init]\nalg_section = preferred", 1)
    text = text.replace("[providers]", "[providers]\nlegacy = default_section", 1)
    with open(f"/run/{name}", "w") as f:
        f.write(text + "\n[preferred]\ndefault_properties = ?provider=kcrypto\n")
    return f"/run/{name}"


def said(who, *command, **more):
    run = subprocess.run([*who, *command], env=dict(env, **more), capture_output=True, text=True)
    return run.stdout + run.stderr


def listed(who, cnf):
    rows = json.loads(said(who, f"{build}/kcrypto", "list", "--json", "--config", cnf))
    return {row["name"]: row for row in rows["algorithms"]}


def reached(who, absent, name, *options):
    """Returns the rows, those with requests, and the number of mismatches."""
    text = said(who, f"{build}/tests/kcrypto-diff", *options, "--config", f"{build}/tests/cnf/{name}",
                "--rounds", "1000", "--expect", "0", KC_ABSENT=":".join(absent))
    counts = dict(re.findall(r"^  (\S+) +(\d+) requests", text, re.M))
    return set(counts), {name for name in counts if counts[name] != "0"}, \
        int(re.search(r"(\d+) mismatches", text)[1])


def play(who, name, *options):
    """Returns the cell, the number of mismatches, why rows are not offered, and what is wrong."""
    cnf = configure(name)
    rows = listed(who, cnf)
    absent = [row for row in rows if not rows[row]["offered"]]
    played, used, wrong = reached(who, absent, name, *options)
    offered = played.difference(absent)
    why = Counter(rows[row]["reason"] for row in played.intersection(absent))
    complaints = [f"{row} was offered and not used" for row in sorted(offered - used)] + \
        [f"{row} was used and not offered" for row in sorted(used - offered)]
    if "ok" in why:
        complaints.append("a row is not offered and nothing is wrong with it")
    if level != "0" and why and "crypto.af_alg_restrict" not in " ".join(
            said(who, f"{build}/kcrypto", "list", "--config", cnf).split()):
        complaints.append("kcrypto list does not name the sysctl")
    return f"{len(offered)}, {len(used)}", wrong, why, complaints


failed = False
print("| crypto.af_alg_restrict | user | ciphers: offered, used | digests and MACs | mismatches | "
      "why not the others |")
print("|---|---|---|---|---|---|")
for level in "012":
    with open(LEVEL, "w") as f:
        f.write(level)
    for user, who in USERS.items():
        if level != "1" and user not in ("root", "nobody"):
            continue
        ciphers, wrong, why, complaints = play(who, "all.cnf")
        hashes, wrong_too, why_too, more = play(who, "hash.cnf", "--hashes")
        reasons = ", ".join(f"{n} {word}" for word, n in sorted((why + why_too).items()))
        print(f"| {level} | {user} | {ciphers} | {hashes} | {wrong + wrong_too} | {reasons} |", flush=True)
        failed = failed or wrong + wrong_too or complaints or more
        for complaint in complaints + more:
            print(f"{level}, {user}: {complaint}", file=sys.stderr)
sys.exit(bool(failed))
