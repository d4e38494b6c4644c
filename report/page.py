# SPDX-License-Identifier: Apache-2.0
"""Puts together boards, advice and charts."""

import pathlib

import jinja2

import advice
import drawing

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = (("mb_per_s", "MB/s"), ("machine_s_per_gb", "machine s/GB"),
           ("process_s_per_gb", "process s/GB"))


def number(value):
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def columns_of(algorithm):
    """The measures that any row has."""
    rows = [row for c in algorithm.contenders.values() for row in c.rows.values()]
    return [(key, text) for key, text in COLUMNS if any(row[key] is not None for row in rows)]


def sections(boards):
    """{(name, direction): [(board, algorithm, advice) or (board, None, None)]}"""
    keys = {key: None for b in boards for key in b.algorithms}
    found = {}
    for key in keys:
        found[key] = []
        for b in boards:
            a = b.algorithms.get(key)
            names = b.facts.get("cpu_instructions")
            found[key].append((b, a, (advice.no_advice(b) or advice.advise(a, names)) if a else None))
    return found


def compare(cells):
    pairs = [(b.label, a, advised) for b, a, advised in cells if a]
    return drawing.comparison(pairs) if len(pairs) > 1 else None


def style():
    return (HERE / "page.css").read_text(encoding="utf-8").split("*/", 1)[1].strip()


def page(boards, note):
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True,
                             undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    env.filters.update(number=number, unbroken=advice.unbroken)
    return env.get_template("page.html").render(
        boards=boards, note=note, sections=sections(boards), panels=drawing.panels, compare=compare,
        columns_of=columns_of, style=style(), percent=lambda b: round(100 * b.noisy_rows / b.all_rows))


def picture(boards):
    """A file of its own: the page's colours, and what an SVG needs outside a page."""
    cells = next(iter(sections(boards).values()))
    columns = [(b.label, a, advised) for b, a, advised in cells if a]
    colours = style().split("/* end of colours */")[0]
    back = '<rect width="100%" height="100%" fill="#ffffff" class="fill-paper"/>'
    head, rest = drawing.picture(columns).split(">", 1)
    head = head.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" '
                        'xmlns:xlink="http://www.w3.org/1999/xlink"')
    return f"{head}>\n<style>{colours}</style>\n{back}{rest}"
