#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""restrict.py BUILD: AF_ALG at each level of crypto.af_alg_restrict (Linux 7.3), for users with and
without capabilities.

What kcrypto list offers works (offered.py); for each other row, it gives a reason, and names the sysctl.
Needs root in a machine; prints a table."""
import sys
from collections import Counter
from pathlib import Path

from offered import Rows

LEVEL = Path("/proc/sys/crypto/af_alg_restrict")
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


def complaints(rows):
    yield from rows.complaints()
    if level != "0" and rows.reasons and "crypto.af_alg_restrict" not in " ".join(rows.list().split()):
        yield "kcrypto list does not name the sysctl"


failed = False
print("| crypto.af_alg_restrict | user | ciphers: offered, used | digests and MACs | mismatches | "
      "why not the others |")
print("|---|---|---|---|---|---|")
for level in "012":
    LEVEL.write_text(level)
    for user, who in USERS.items():
        if level != "1" and user not in ("root", "nobody"):
            continue
        both = Rows(build, who, "all.cnf", 1000), Rows(build, who, "hash.cnf", 1000, "--hashes")
        numbers = " | ".join(f"{len(rows.offered)}, {len(rows.used)}" for rows in both)
        why = Counter(both[0].reasons + both[1].reasons)
        reasons = ", ".join(f"{n} {word}" for word, n in sorted(why.items()))
        print(f"| {level} | {user} | {numbers} | {sum(rows.mismatches for rows in both)} | {reasons} |",
              flush=True)
        for complaint in [*complaints(both[0]), *complaints(both[1])]:
            failed = True
            print(f"{level}, {user}: {complaint}", file=sys.stderr)
sys.exit(failed)
