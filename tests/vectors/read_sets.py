# SPDX-License-Identifier: Apache-2.0
"""read_sets.py BUILD SET DIRECTORY OUT: turns a set of vectors into records for evp.py.

SET is nist (cryptography-vectors: NIST's .rsp files and others in that form) or wycheproof.
Writes OUT/SET.txt, the records, and OUT/SET.json: {"expect": {id: valid, invalid or acceptable},
"rows": {id: row}, "skipped": {why: number}, "keys": {row: key}}. Vectors for no row of kcrypto's table
are skipped.
"""

import collections
import glob
import json
import os
import re
import sys
from pathlib import Path

from algorithms import Tool
from plan import Sorter

PAIR = re.compile(r"^([A-Za-z_][A-Za-z_ ]*?)\d?\s*[=:]\s*(.*)$")


class Records:
    def __init__(self, build):
        self.sorter = Sorter(Tool(build))
        self.lines, self.expect, self.rows = [], {}, {}
        self.skipped = collections.Counter()

    def row(self, kind, name, inner, key):
        if kind == "mac":
            return self.sorter.mac(name, inner, len(key) // 2)
        return self.sorter.tool.row_of("digests" if kind == "digest" else "ciphers", name)

    def add(self, where, kind, name, *, directions="ed", inner="", expect="valid", key="", iv="",
            aad="", data="", out="", tag=""):
        row = self.row(kind, name, inner, key)
        if not row:
            self.skipped[f"no row for {name}{' ' + inner if kind == 'mac' else ''}"] += 1
            return
        number = f"{where}:{len(self.lines)}"
        fields = [number, kind, directions, name, inner, key, iv, aad, data, out, tag]
        self.lines.append(" ".join(str(field) or "-" for field in fields))
        self.expect[number], self.rows[number] = expect, row

    def write(self, out, name):
        os.makedirs(out, exist_ok=True)
        Path(out, name + ".txt").write_text("".join(line + "\n" for line in self.lines))
        with open(os.path.join(out, name + ".json"), "w") as f:
            json.dump({"expect": self.expect, "rows": self.rows, "skipped": self.skipped,
                       "keys": self.sorter.keys}, f)


def hexadecimal(value):
    """The hexadecimal form of a value, which some files give as text in quotation marks."""
    return value[1:-1].encode().hex() if value.startswith('"') else value.replace(" ", "").lower()


def blocks(path):
    """Fields of one record after the other, names in lower case, those of the section included.

    A record begins with its number, or where a file has none with the length; keys of several
    parts are put together.
    """
    with open(path, encoding="latin-1") as f:
        lines = [line.strip() for line in f if not line.startswith("#")]
    first = "count" if any(line.lower().startswith("count") for line in lines) else "len"
    section, record = {}, None
    for line in lines + ["[end]"]:
        # A text in quotation marks may contain commas.
        parts = line.strip("[]").split(",") if line.startswith("[") else [line]
        fields = [PAIR.match(part.strip()) for part in parts]
        fields = [(m[1].strip().lower(), m[2].strip()) for m in fields if m]
        if line.startswith("[") or (fields and fields[0][0] == first):
            if record is not None:
                yield {**section, **record}
            record = None if line.startswith("[") else {}
        if line == "FAIL":
            record["fail"] = ""
        into = section if record is None else record
        for name, value in fields:
            if name == "key" and record is not None and "key" in record:
                value = record["key"] + value
            into[name] = value


def pick(record, *names):
    return next((hexadecimal(record[name]) for name in names if name in record), "")


def is_bad(record):
    return "fail" in record or record.get("result", "pass").lower() not in ("pass", "valid")


class Nist:
    """Files are sorted by directory. Unknown directories are not read."""

    def __init__(self, records, top):
        self.records, self.top = records, top

    def mode_of(self, path):
        """(name with {} for the key's bits, kind), or None where EVP has no call."""
        folder = os.path.relpath(os.path.dirname(path), os.path.join(self.top, "ciphers"))
        family, mode = (folder + "/").split("/")[:2]
        file = os.path.basename(path)
        if re.search(r"CFB1(?!28)|CFBP|MCT|Monte|CBCI|OFBI|Readme", file):
            return None
        families = {"AES": "AES-{}-", "3DES": "DES-EDE3-", "Blowfish": "BF-", "CAST5": "CAST5-",
                    "Camellia": "CAMELLIA-{}-", "SM4": "SM4-"}
        if family in ("ChaCha20", "ChaCha20Poly1305"):
            return ("ChaCha20-Poly1305", "aead") if "Poly" in family else ("ChaCha20", "cipher")
        if family not in families:
            return None
        found = re.search(r"(cbc|cfb|ctr|ecb|ofb)(8?)\.txt$", file)
        mode = mode or (found[1].upper() if found else "")
        if mode not in ("CBC", "CFB", "CTR", "ECB", "OFB", "XTS", "GCM", "CCM"):
            return None
        name = families[family] + mode + ("8" if "CFB8" in file else "")
        return name, "aead" if mode in ("GCM", "CCM") else "cipher"

    def cipher(self, where, name, kind, record):
        key = pick(record, "key", "keys")
        if name.startswith("DES-EDE3") and len(key) == 16:
            key *= 3
        name = name.format(len(key) * 4 // (2 if name.endswith("XTS") else 1))
        bad = is_bad(record)
        iv = pick(record, "iv", "nonce", "i")
        if "dataunitseqnumber" in record:
            iv = int(record["dataunitseqnumber"]).to_bytes(16, "little").hex()
        if int(record.get("dataunitlen", 0)) % 8:
            self.records.skipped["data of no whole bytes"] += 1
            return
        if "initial_block_counter" in record:
            iv = int(record["initial_block_counter"]).to_bytes(4, "little").hex() + iv
        data = pick(record, "plaintext", "pt", "payload", "in")
        out = pick(record, "ciphertext", "ct")
        aad, tag = pick(record, "aad", "adata", "ad"), pick(record, "tag")
        if "tlen" in record:
            tag_len = 2 * int(record["tlen"])
            aad, data = aad[:2 * int(record["alen"])], data[:2 * int(record["plen"])]
            out, tag = out[:-tag_len], out[-tag_len:]
        self.records.add(where, kind, name, key=key, iv=iv, aad=aad, data=data, out=out, tag=tag,
                         directions="d" if bad else "ed", expect="invalid" if bad else "valid")

    def digest(self, where, path, record):
        name = re.sub(r"(Short|Long)Msg\.rsp$", "", os.path.basename(path)).replace("_", "-")
        name = {"MD5": "MD5", "SM3": "SM3", "ripemd160": "RIPEMD160"}.get(
            os.path.basename(os.path.dirname(path)), name)
        data = pick(record, "msg")[:int(record["len"]) // 4]
        self.records.add(where, "digest", name, directions="e", data=data, out=pick(record, "md"))

    def mac(self, where, path, record):
        file = os.path.basename(path)
        if "CMAC" in path:
            bits = re.search(r"aes(\d+)", file)
            name, inner = "CMAC", f"AES-{bits[1]}-CBC" if bits else "DES-EDE3-CBC"
        else:
            name, inner = "HMAC", re.search(r"-([a-z0-9]+)\.txt", file)[1].upper()
        data = pick(record, "msg", "message")
        if "len" in record:
            data = data[:int(record["len"]) // 4]
        self.records.add(where, "mac", name, inner=inner, key=pick(record, "key"), data=data,
                         directions="e", out=pick(record, "md", "output"))

    def camellia(self, path):
        """Lines such as "P No.001 : 80 00": a key, and then texts for it."""
        values = {}
        with open(path, encoding="latin-1") as f:
            for line in f:
                found = re.match(r"^([KPC]) No\.\d+ : (.*)$", line)
                if not found:
                    continue
                values[found[1]] = hexadecimal(found[2].strip())
                if found[1] == "C":
                    self.cipher("camellia-ecb", "CAMELLIA-{}-ECB", "cipher", {
                        "key": values["K"], "plaintext": values["P"], "ciphertext": values["C"]})

    def read(self):
        for path in sorted(glob.glob(os.path.join(self.top, "**", "*.*"), recursive=True)):
            where = os.path.relpath(path, self.top).rsplit(".", 1)[0].replace("/", ".")
            if not path.endswith((".txt", ".rsp")) or os.path.exists(path[:-4] + ".rsp") > (
                    path.endswith(".rsp")):
                continue
            if where.startswith("ciphers.") and re.search(r"camellia-\d+-ecb", where):
                self.camellia(path)
            elif where.startswith("ciphers."):
                found = self.mode_of(path)
                for record in blocks(path) if found else ():
                    self.cipher(where, *found, record)
            elif where.startswith("hashes."):
                if not re.search(r"Monte|SHAKE|blake|Readme", where):
                    for record in blocks(path):
                        self.digest(where, path, record)
            elif where.startswith(("HMAC.", "CMAC.")):
                for record in blocks(path):
                    self.mac(where, path, record)


class Wycheproof:
    def __init__(self, records, top):
        self.records, self.top = records, top

    def test(self, where, algorithm, group, test):
        bits = group.get("keySize", 0)
        expect = test["result"]
        given = {"expect": expect, "key": test.get("key", ""), "data": test.get("msg", ""),
                 "directions": "d" if expect == "invalid" else "ed"}
        cipher = re.fullmatch(r"(AES|ARIA|CAMELLIA|SM4|SEED)-(CBC-PKCS5|XTS|GCM|CCM|CMAC)",
                              algorithm)
        mac = re.fullmatch(r"HMAC(.*)", algorithm)
        if mac:
            inner = mac[1].replace("SHA512/", "SHA512-")
            self.records.add(where, "mac", "HMAC", inner=inner, out=test["tag"], **given)
        elif cipher and cipher[2] == "CMAC":
            self.records.add(where, "mac", "CMAC", inner=f"{cipher[1]}-{bits}-CBC",
                             out=test["tag"], **given)
        elif cipher and cipher[2] in ("GCM", "CCM"):
            name = cipher[1] + (f"-{bits}-" if cipher[1] not in ("SM4", "SEED") else "-") + cipher[2]
            self.records.add(where, "aead", name, iv=test["iv"], aad=test["aad"], out=test["ct"],
                             tag=test["tag"], **given)
        elif algorithm == "CHACHA20-POLY1305":
            self.records.add(where, "aead", algorithm, iv=test["iv"], aad=test["aad"],
                             out=test["ct"], tag=test["tag"], **given)
        elif cipher and cipher[2] == "XTS":
            self.records.add(where, "cipher", f"AES-{bits // 2}-XTS", out=test["ct"],
                             iv=test["iv"].ljust(32, "0"), **given)
        elif cipher:
            self.records.add(where, "cipher", f"{cipher[1]}-{bits}-CBC", inner="pad",
                             iv=test["iv"], out=test["ct"], **given)
        else:
            self.records.skipped[f"not read: {algorithm}"] += 1

    def read(self):
        for path in sorted(glob.glob(os.path.join(self.top, "*.json"))):
            got = json.loads(Path(path).read_text())
            for group in got.get("testGroups", ()):
                if group.get("type") in ("AeadTest", "IndCpaTest", "MacTest"):
                    for test in group["tests"]:
                        self.test(os.path.basename(path)[:-10], got.get("algorithm", ""), group,
                                  test)


def main():
    build, name, top, out = sys.argv[1:]
    records = Records(build)
    {"nist": Nist, "wycheproof": Wycheproof}[name](records, top).read()
    records.write(out, name)
    print(f"{name}: {len(records.lines)} records, {sum(records.skipped.values())} skipped", file=sys.stderr)


if __name__ == "__main__":
    main()
