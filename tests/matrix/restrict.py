#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""restrict.py BUILD: AF_ALG at each level of crypto.af_alg_restrict (Linux 7.3), as root and as nobody.

The rows that kcrypto list offers reach the kernel in differential rounds, and no others; where hardware
is there and hidden, list says so. Runs as root in a machine and prints a table.
"""
import json
import os
import re
import subprocess
import sys

LEVEL = "/proc/sys/crypto/af_alg_restrict"
NOBODY = ["setpriv", "--reuid=nobody", "--clear-groups"]
build = sys.argv[1]
env = dict(os.environ, OPENSSL_MODULES=os.path.abspath(build))
with open(f"{build}/tests/cnf/all.cnf") as f:
    text = f.read().replace("[init]", "[init]\nalg_section = preferred", 1)
    text = text.replace("[providers]", "[providers]\nlegacy = default_section", 1)
with open("/run/restrict.cnf", "w") as f:
    f.write(text + "\n[preferred]\ndefault_properties = ?provider=kcrypto\n")


def said(who, *command):
    run = subprocess.run([*who, *command], env=env, capture_output=True, text=True)
    return run.stdout + run.stderr


def listed(who):
    rows = json.loads(said(who, f"{build}/kcrypto", "list", "--json", "--config", "/run/restrict.cnf"))
    return {row["name"]: row for row in rows["algorithms"]}


def reached(who):
    """Returns the rows, those with requests, and the number of mismatches."""
    text = said(who, f"{build}/tests/kcrypto-diff", "--config", f"{build}/tests/cnf/all.cnf",
                "--rounds", "1000")
    counts = dict(re.findall(r"^  (\S+) +(\d+) requests", text, re.M))
    return set(counts), {name for name in counts if counts[name] != "0"}, \
        re.search(r"(\d+) mismatches", text)[1]


failed = False
print("| crypto.af_alg_restrict | user | offered | reached the kernel | mismatches | virtio-crypto: why not |")
print("|---|---|---|---|---|---|")
for level in "012":
    with open(LEVEL, "w") as f:
        f.write(level)
    for user, who in ("root", []), ("nobody", NOBODY):
        rows = listed(who)
        ciphers, used, wrong = reached(who)
        offered = {name for name in ciphers if rows[name]["offered"]}
        why = rows["AES-128-CBC"]["reason"]
        print(f"| {level} | {user} | {len(offered)} | {len(used)} | {wrong} | {why} |", flush=True)
        if used != offered or wrong != "0":
            failed = True
            print("offered and not used:", *sorted(offered - used), "used and not offered:",
                  *sorted(used - offered), file=sys.stderr)
sys.exit(failed)
