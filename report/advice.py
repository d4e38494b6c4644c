# SPDX-License-Identifier: Apache-2.0
"""Where software and kernel cross, and the sentence that follows from it."""

import dataclasses
import re

QUOTED = 16384  # a TLS record
FASTER = 1.05  # times as fast as software; a smaller gain does not count
WORTH = 0.1  # of the CPU time, to advise for that alone

# Each measure of a row, converted to the time of one request.
COST = {
    "mb_per_s": lambda row, size: size / row["mb_per_s"],
    "machine_s_per_gb": lambda row, size: size * row["machine_s_per_gb"],
    "process_s_per_gb": lambda row, size: size * row["process_s_per_gb"],
}

# Algorithms, the names of their instructions in /proc/cpuinfo, and their names in words.
INSTRUCTIONS = (
    (r"AES", {"aes", "vaes", "msa"}, "AES"),
    (r"SHA(1|224|256)$", {"sha_ni", "sha1", "sha2", "msa"}, "SHA"),
    (r"SHA(384|512)$", {"sha512", "msa"}, "SHA-512"),
    (r"SHA3-", {"sha3", "msa"}, "SHA-3"),
    (r"SM3$", {"sm3"}, "SM3"),
    (r"SM4", {"sm4"}, "SM4"),
)


@dataclasses.dataclass
class Advice:
    kind: str
    sentence: str
    backend: object = None  # of the contenders, the one it is about
    crossings: dict = dataclasses.field(default_factory=dict)  # bytes, by measure; None: never


def costs(contender, measure):
    """{size: time of a request}, as far as known."""
    return {size: COST[measure](row, size) for size, row in contender.rows.items()
            if row[measure] is not None}


def crossover(software, kernel, measure):
    """The size in bytes from which the kernel is better at all that were measured, None for never.

    A request costs a fixed time and so much per byte, so between two sizes its time is on a
    straight line: the crossing is where the lines meet.
    """
    a, b = costs(software, measure), costs(kernel, measure)
    sizes = [size for size in a if size in b]
    gain = [a[size] - b[size] for size in sizes]
    if not sizes or gain[-1] <= 0:
        return None
    i = len(sizes) - 1
    while i and gain[i - 1] > 0:
        i -= 1
    if not i:
        return sizes[0]
    return sizes[i - 1] + (sizes[i] - sizes[i - 1]) * -gain[i - 1] / (gain[i] - gain[i - 1])


def size_text(n):
    """Two digits, or whole units: 640 bytes, 9.3 KiB, 16 KiB."""
    if n < 1000:
        return f"{n:.0f} bytes"
    n, unit = (n / 1024, "KiB") if n < 1000 * 1024 else (n / 1024**2, "MiB")
    return f"{n:.1f} {unit}".replace(".0 ", " ") if n < 9.95 else f"{n:.0f} {unit}"


def unbroken(text):
    """No line ends between a number and its unit."""
    return re.sub(r"(\d) (?=%|bytes|KiB|MiB)", "\\1\N{NO-BREAK SPACE}", text)


def speed_text(ratio):
    text = f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"
    if text == "1.0":
        return "as fast"
    return f"{text} times as fast" if ratio > 1 else f"slower ({text} of software's speed)"


def free_part(software, kernel):
    """The part of the machine's CPU time that is saved; None if it is not known."""
    if not software["machine_s_per_gb"] or kernel["machine_s_per_gb"] is None:
        return None
    return 1 - kernel["machine_s_per_gb"] / software["machine_s_per_gb"]


def free_text(part):
    percent = round(100 * (part or 0))
    if part is None:
        return ""
    if percent > 0:
        return f", {percent} % of the CPU free"
    return f", but {-percent} % more CPU time" if percent < 0 else ", no CPU free"


def compared(algorithm, backend, start, least=0):
    """At a TLS record's size if that was measured, is offloaded and so many times as fast as @least,
    otherwise at the largest: (times as fast, part of the CPU free, text)."""
    a, b = algorithm.software.known, backend.known
    ratios = {size: b[size]["mb_per_s"] / a[size]["mb_per_s"] for size in a if size in b}
    size = QUOTED
    if size < start or ratios.get(size, -1) < least:
        size = max(ratios)
    free = free_part(a[size], b[size])
    return ratios[size], free, f"{speed_text(ratios[size])} at {size_text(size)}{free_text(free)}"


def best_backend(algorithm):
    """Of those that lead to more than the kernel's software: the fastest at its largest size."""
    known = [b for b in algorithm.backends if b.driver and b.kind != "software"
             and set(b.known) & set(algorithm.software.known)]
    return max(known, key=lambda b: list(b.known.values())[-1]["mb_per_s"], default=None)


def instructions(algorithm, names):
    for pattern, words, text in INSTRUCTIONS:
        if re.search(pattern, algorithm.name):
            return text if words & set(names or ()) else None
    return None


def no_backend(algorithm):
    """Why there is nothing to compare with software."""
    if not algorithm.software.known:
        return Advice("no_software", "No advice: software was not measured.")
    drivers = [b for b in algorithm.backends if b.driver]
    if not drivers:
        return Advice("no_driver", "Leave it off: the kernel lists no driver for it.")
    if all(b.kind == "software" for b in drivers):
        return Advice("kernel_software", "Leave it off: the kernel does it in software, too "
                      f"({drivers[0].driver}).")
    return Advice("not_done", f"No advice: {drivers[0].driver} did not do the work.")


def leave_off(algorithm, backend, names, crossings):
    ratio, _, _ = compared(algorithm, backend, float("inf"))
    size = size_text(max(set(backend.known) & set(algorithm.software.known)))
    faster = f"software is {speed_text(1 / ratio)} at {size}"
    if speed_text(1 / ratio) == "as fast":
        faster = f"the kernel is no faster, not even at {size}"
    has = instructions(algorithm, names)
    if has:
        return Advice("instructions", f"Leave it off: this CPU has {has} instructions; {faster}.",
                      backend, crossings)
    return Advice("slower", f"Leave it off: {faster}.", backend, crossings)


def no_advice(board):
    """Of figures that nobody should believe."""
    return Advice("busy", "No advice: this machine was too busy with other work; measure again.") \
        if board.is_noisy else None


def advise(algorithm, names):
    """One sentence on @algorithm, on a board whose CPU has instructions of these @names."""
    backend = best_backend(algorithm)
    if not backend:
        return no_backend(algorithm)
    crossings = {m: crossover(algorithm.software, backend, m) for m in COST}
    several = len([b for b in algorithm.backends if b.known]) > 1
    by = f" by {backend.label}" if several else ""
    start = crossings["mb_per_s"]
    if start is not None:
        ratio, _, text = compared(algorithm, backend, start, FASTER)
        if ratio >= FASTER:
            return Advice("offload", f"Offload from {size_text(start)}{by}: {text}.", backend, crossings)
    start = crossings["machine_s_per_gb"]
    if start is not None:
        _, free, text = compared(algorithm, backend, start)
        if free is not None and free >= WORTH:
            return Advice("offload_cpu", f"Offload from {size_text(start)}{by} if the CPU is short of "
                          f"time (prefer = cpu): {text}.", backend, crossings)
    return leave_off(algorithm, backend, names, crossings)
