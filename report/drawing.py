# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG. Their colours are the page's, which has light and dark ones; lines differ by dashes
and marks, too, for those who see no colours."""

import io
import itertools
import re

import matplotlib

matplotlib.use("svg")
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.font_manager import FontProperties  # noqa: E402
from matplotlib.textpath import TextPath  # noqa: E402
from matplotlib.ticker import LogLocator, NullLocator  # noqa: E402

import advice  # noqa: E402
from results import CONFIGURED, SOFTWARE  # noqa: E402

MEASURES = (
    ("mb_per_s", "Throughput, MB/s"),
    ("machine_s_per_gb", "CPU time of the machine, s/GB"),
    ("process_s_per_gb", "CPU time of the process, s/GB"),
)

# The page's light colours, for programs that know no CSS variables; classes let the page override
# them. Software's lines have the colour of ink.
ROLES = {"#1a1a1a": "ink", "#d9d9d9": "grid", "#0072b2": "c1", "#d55e00": "c2", "#009e73": "c3",
         "#9a6b00": "c4", "#b5528a": "c5"}
INK, GRID, *BACKENDS = ROLES
SERIES = [INK, *BACKENDS]
# Colour, dashes, mark: software, then backends or boards.
STYLES = [(c, dashes, mark) for c, dashes, mark in
          zip(SERIES, ("--", "-", "-.", (0, (1, 1)), (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1))), "osD^vP")]
STEPS = 12  # of a curve, from one size to the next

SETTINGS = {
    "svg.fonttype": "none", "text.parse_math": False, "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "sans-serif"], "font.size": 9, "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "axes.titlecolor": INK,
    "xtick.color": INK, "ytick.color": INK, "grid.color": GRID, "legend.labelcolor": INK,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "figure.facecolor": "none", "axes.facecolor": "none", "path.simplify": False,
}
PLAIN = FontProperties(family="DejaVu Sans", size=9)
BOLD = FontProperties(family="DejaVu Sans", size=11, weight="bold")
numbers = itertools.count()


def styles(contenders):
    """{label: style}: software and what is configured look alike on each chart."""
    found, backends = {}, iter(STYLES[1:5])
    for c in contenders:
        if c.label == SOFTWARE:
            found[c.label] = STYLES[0]
        elif c.label == CONFIGURED:
            found[c.label] = (STYLES[5][0], "none", "x")
        else:
            found[c.label] = next(backends, STYLES[4])
    return found


def value(measure, size, cost):
    return size / cost if measure == "mb_per_s" else cost / size


def curve(measure, costs):
    """Between two sizes the time of a request is on a straight line, which in throughput is none."""
    points = list(costs.items())
    xs, ys = [], []
    for (s, a), (t, b) in zip(points, points[1:]):
        for i in range(STEPS):
            x = s * (t / s) ** (i / STEPS)
            xs.append(x)
            ys.append(value(measure, x, a + (b - a) * (x - s) / (t - s)))
    s, a = points[-1]
    return xs + [s], ys + [value(measure, s, a)]


def cost_at(costs, x):
    points = list(costs.items())
    for (s, a), (t, b) in zip(points, points[1:]):
        if s <= x <= t:
            return a + (b - a) * (x - s) / (t - s)
    return points[0][1]


def draw_line(ax, measure, contender, style):
    costs = {s: c for s, c in advice.costs(contender, measure).items() if c}
    if not costs:
        return
    colour, dashes, mark = style
    how = {"color": colour, "marker": mark, "markersize": 7 if mark == "x" else 5,
           "markeredgewidth": 1.6 if mark == "x" else 0}
    if dashes != "none":
        ax.plot(*curve(measure, costs), color=colour, linestyle=dashes, linewidth=1.8)
    ax.plot(list(costs), [value(measure, s, c) for s, c in costs.items()], linestyle="none", **how)
    ax.plot([], [], linestyle=dashes, linewidth=1.8, label=contender.label, **how)


def mark_crossing(ax, measure, algorithm, advised):
    start = advised.crossings.get(measure)
    if start is None:
        return
    costs = advice.costs(advised.backend, measure)
    ax.axvline(start, color=INK, linestyle=":", linewidth=1)
    ax.plot([start], [value(measure, start, cost_at(costs, start))], marker="o", markersize=11,
            color=INK, markerfacecolor="none", markeredgewidth=1.4)
    left = start > algorithm.sizes[len(algorithm.sizes) // 2]
    ax.annotate(advice.size_text(start), (start, 1), xycoords=("data", "axes fraction"),
                xytext=(-4 if left else 4, -2), textcoords="offset points", va="top",
                ha="right" if left else "left", weight="bold")


def tick_text(size):
    for unit, text in ((1024**2, "M"), (1024, "K")):
        if size % unit == 0:
            return f"{size // unit}{text}"
    return str(size)


def set_sizes(ax, sizes):
    """Ticks at the sizes, without those whose names would touch."""
    shown = []
    for size in reversed(sizes):
        if not shown or shown[-1] / size >= (sizes[-1] / sizes[0]) ** (1 / 12.5):
            shown.append(size)
    ax.set_xscale("log", base=2)
    ax.set_xticks(shown, [tick_text(size) for size in shown])
    ax.set_xticks([], minor=True)
    ax.grid(True, axis="y", linewidth=0.6)
    ax.set_xlabel("bytes in a request")


def set_decades(ax, values):
    """A scale of ratios, of a decade at least, so that there are numbers on it."""
    low, high = min(values), max(values)
    spare = max(1.3, (10 * low / high) ** 0.5)
    ax.set_yscale("log")
    ax.set_ylim(low / spare, high * spare)
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 200 else (1,)))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(lambda y, _: f"{y:g}")


def set_title(ax, title, columns):
    """Above the chart, with what the lines are below it."""
    rows = -(-len(ax.get_legend_handles_labels()[0]) // columns)
    ax.set_title(title, loc="left", pad=10 + 13 * rows)
    ax.legend(loc="lower left", bbox_to_anchor=(-0.02, 0.99), ncol=columns, columnspacing=1.5,
              handlelength=3, borderaxespad=0.2)


def draw_panel(ax, measure, title, algorithm, advised):
    found = styles(algorithm.contenders.values())
    for c in algorithm.contenders.values():
        draw_line(ax, measure, c, found[c.label])
    set_sizes(ax, algorithm.sizes)
    if measure == "mb_per_s":
        ax.set_ylim(bottom=0)
    else:
        values = [row[measure] for c in algorithm.contenders.values() for row in c.known.values()]
        if any(values):
            set_decades(ax, [v for v in values if v])
    mark_crossing(ax, measure, algorithm, advised)
    set_title(ax, title, 2)


def themed(style):
    """Colours as attributes, which a style sheet's classes override, unlike a style."""
    rest, attributes, classes = [], "", []
    for declaration in style.group(1).split("; "):
        name, value = declaration.split(": ", 1)
        if value in ROLES:
            attributes += f' {name}="{value}"'
            classes.append(f"{name}-{ROLES[value]}")
        else:
            rest.append(declaration)
    if classes:
        attributes += f' class="{" ".join(classes)}"'
    return (f'style="{"; ".join(rest)}"' if rest else "") + attributes


def svg(figure, name):
    """For a page: without what only a file needs; its ids are no other chart's."""
    out = io.StringIO()
    matplotlib.rcParams["svg.hashsalt"] = f"kcrypto{next(numbers)}"
    figure.savefig(out, format="svg", metadata={k: None for k in ("Creator", "Date", "Format", "Type")})
    text = out.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r'<g id="[^"]*"/>', "", text)
    text = re.sub(r'<g id="[^"]*">', "<g>", text)
    text = re.sub(r'style="([^"]*)"', themed, text)
    head = re.search(r"<svg ([^>]*)>", text, re.S)
    box = re.search(r'viewBox="[^"]*"', head.group(1)).group(0)
    return f'<svg {box} role="img" aria-label="{name}">' + text[head.end():]


def panels(algorithm, advised):
    """The charts of one algorithm on one board."""
    with matplotlib.rc_context(SETTINGS):
        for measure, title in MEASURES:
            figure = Figure(figsize=(4.6, 3.3))
            figure.subplots_adjust(left=0.12, right=0.98, bottom=0.14, top=0.79)
            draw_panel(figure.subplots(), measure, title, algorithm, advised)
            yield svg(figure, title)


def comparison(pairs):
    """Kernel ÷ software of several boards; @pairs: board's label, algorithm, advice. None without any."""
    drawn = [p for p in pairs if p[2].backend]
    if not drawn:
        return None
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7, 3.3))
        figure.subplots_adjust(left=0.08, right=0.98, bottom=0.14, top=0.79)
        ax = figure.subplots()
        ax.axhline(1, color=INK, linewidth=1)
        values = [1]
        for (label, a, advised), (colour, dashes, mark) in zip(drawn, itertools.cycle(STYLES[1:])):
            soft, kernel = a.software.known, advised.backend.known
            ratios = {s: kernel[s]["mb_per_s"] / soft[s]["mb_per_s"] for s in soft if s in kernel}
            ax.plot(list(ratios), list(ratios.values()), color=colour, linestyle=dashes, marker=mark,
                    markersize=5, linewidth=1.8, label=label)
            values += ratios.values()
        set_sizes(ax, sorted({s for _, a, _ in drawn for s in a.sizes}))
        set_decades(ax, values)
        set_title(ax, "Throughput, kernel ÷ software: above 1 the kernel wins", 2)
        return svg(figure, "kernel divided by software")


def width_of(text, font):
    """In points; the font that matplotlib brings, which is wider than most."""
    return TextPath((0, 0), text, prop=font).get_extents().width if text.strip() else 0


def wrapped(text, room, font):
    """Lines no wider than so many points."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, font) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def picture(columns):
    """Boards side by side, as one file: the label, algorithm and advice of each."""
    with matplotlib.rc_context(SETTINGS):
        width = 4.6 * len(columns)
        figure = Figure(figsize=(width, 7.6))
        figure.subplots_adjust(left=0.6 / width, right=1 - 0.1 / width, bottom=0.06, top=0.78,
                               wspace=0.15, hspace=0.5)
        grid = figure.subplots(2, len(columns), squeeze=False)
        room = grid[0][0].get_position().width * width * 72  # points
        for i, (label, algorithm, advised) in enumerate(columns):
            for j, (measure, title) in enumerate(MEASURES[:2]):
                draw_panel(grid[j][i], measure, title, algorithm, advised)
            about = wrapped(advice.unbroken(advised.sentence), room, PLAIN)
            grid[0][i].annotate(wrapped(label, room, BOLD) + f"\n{algorithm.name}", (0, 1), xycoords="axes fraction",
                                xytext=(0, 84), textcoords="offset points", weight="bold", size=11)
            grid[0][i].annotate(about, (0, 1), xycoords="axes fraction", xytext=(0, 80), va="top",
                                textcoords="offset points")
        return svg(figure, "boards side by side")
