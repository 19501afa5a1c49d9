#!/usr/bin/env python3
"""Draws the figures: results/*.json to docs/img/*.svg. Standard library only.

    python3 benches/plot.py

throughput.svg: ns per id, one panel for one thread and one for two; a bar is the median, its whisker the range.
tail.svg: percentiles of a single call, one call each microsecond, one panel each.
The colours are chosen to be read on white and on black; there is no background.
"""

import json
import math
import pathlib
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
IMAGES = HERE.parent / "docs" / "img"
COLOUR = {"floor": "#8a8f98", "ours": "#d9622b", "plain": "#4f8fd6", "peer": "#3f9d78"}
MEANING = {"floor": "floor", "ours": "Monoflake", "plain": "plain algorithm, mutex", "peer": "other crates"}
TEXT, LINE = "#7d828b", "#7d828b55"
ROW, BAR, TOP, BOTTOM = 22, 13, 64, 46


class Drawing:
    """SVG elements, and their size."""

    def __init__(self, width, height, title):
        self.size = (width, height)
        self.title = title
        self.elements = []

    def text(self, x, y, words, anchor="start", size=12, colour=TEXT, weight="normal"):
        self.elements.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}" fill="{colour}">{escape(words)}</text>'
        )

    def line(self, x1, y1, x2, y2, colour=LINE, width=1.0):
        self.elements.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'
        )

    def bar(self, x, y, width, colour):
        self.elements.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{BAR}" rx="2" fill="{colour}"/>'
        )

    def dot(self, x, y, colour):
        self.elements.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{colour}"/>')

    def save(self, path):
        width, height = self.size
        body = "\n".join(self.elements)
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" font-family="system-ui, sans-serif">\n'
            f"<title>{escape(self.title)}</title>\n{body}\n</svg>\n"
        )


class Axis:
    """A logarithmic axis from `low` to `high`, drawn between two x."""

    def __init__(self, low, high, left, right):
        self.low, self.high, self.left, self.right = low, high, left, right

    def x(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.left + min(max(share, 0), 1) * (self.right - self.left)

    def ticks(self):
        step = [1, 2, 5] if self.high / self.low < 300 else [1]
        values = (m * 10**e for e in range(0, 8) for m in step)
        return [value for value in values if self.low <= value <= self.high]

    def draw(self, drawing, top, bottom, label):
        for value in self.ticks():
            drawing.line(self.x(value), top, self.x(value), bottom)
            drawing.text(self.x(value), bottom + 15, f"{value:,}", "middle", 11)
        drawing.text((self.left + self.right) / 2, bottom + 33, label, "middle", 12)


def number(ns):
    return f"{ns:.1f}" if ns < 99.95 else f"{ns:,.0f}"


def legend(drawing, x, kinds):
    for kind in kinds:
        drawing.bar(x, 30, 13, COLOUR[kind])
        drawing.text(x + 18, 41, MEANING[kind])
        x += 34 + 6.9 * len(MEANING[kind])


def machine(report):
    return f'{report["machine"]["cpu"]}, {report["machine"]["cores"]} cores'


def throughput(report):
    figures = [f for f in report["figures"] if f["what"] == "one at a time"]
    of = {(f["name"], f["threads"]): f for f in figures}
    names = sorted({(f["kind"], f["name"]) for f in figures}, key=lambda n: of[n[1], 1]["median_ns"])
    kinds = [kind for kind in COLOUR if any(kind == k for k, _ in names)]
    bottom = TOP + ROW * len(names)
    drawing = Drawing(980, bottom + BOTTOM, "Nanoseconds per id, by contestant and number of threads")
    drawing.text(10, 20, f"ns per id, less is better ({machine(report)})", size=14, weight="bold")
    legend(drawing, 10, kinds)
    panels = [(1, Axis(2, 100_000, 240, 560)), (2, Axis(2, 100_000, 610, 930))]
    for threads, axis in panels:
        heading = "1 thread" if threads == 1 else f"{threads} threads on one generator"
        drawing.text(axis.left, TOP - 6, heading, weight="bold")
        axis.draw(drawing, TOP, bottom, "ns per id (logarithmic)")
    for row, (kind, name) in enumerate(names):
        middle = TOP + ROW * row + ROW / 2
        mine = kind == "ours"
        drawing.text(232, middle + 4, shown(kind, name), "end", 12, COLOUR[kind] if mine else TEXT, "bold" if mine else "normal")
        for threads, axis in panels:
            figure = of[name, threads]
            median, most = axis.x(figure["median_ns"]), axis.x(figure["most_ns"])
            drawing.bar(axis.left, middle - BAR / 2, median - axis.left, COLOUR[kind])
            drawing.line(axis.x(figure["least_ns"]), middle, most, middle, TEXT, 1.5)
            drawing.text(max(median, most) + 5, middle + 4, number(figure["median_ns"]), size=11)
    drawing.save(IMAGES / "throughput.svg")


def labelled(points):
    """The percentiles that have room for a label: the last, and from the first on those that leave the others alone."""

    def apart(a, b):
        return abs(a[1] - b[1]) > 3 * (len(a[0]) + len(b[0])) - 4

    chosen = [points[-1]]
    for point in points[:-1]:
        if all(apart(point, other) for other in chosen):
            chosen.append(point)
    return chosen


def shown(kind, name):
    return f"Monoflake, {name}" if kind == "ours" else name


def tail(report):
    lines = [line for line in report["tail"] if line["pace"] == "paced"]
    names = list(dict.fromkeys((line["kind"], line["name"]) for line in lines))
    kinds = [kind for kind in COLOUR if any(kind == k for k, _ in names)]
    height = ROW * 1.3
    bottom = TOP + height * len(names)
    drawing = Drawing(980, bottom + BOTTOM, "Percentiles of the time of a single call")
    drawing.text(
        10, 20, f"time of one call, one call each µs, p50 to p99.99 ({machine(report)})", size=14, weight="bold"
    )
    legend(drawing, 10, kinds)
    highest = max(ns for line in lines for _, ns in line["percentiles_ns"]) * 1.3
    panels = [(1, Axis(10, highest, 240, 580)), (2, Axis(10, highest, 620, 960))]
    for threads, axis in panels:
        heading = "1 thread" if threads == 1 else f"{threads} threads on one generator"
        drawing.text(axis.left, TOP - 6, heading, weight="bold")
        axis.draw(drawing, TOP, bottom, "ns per call (logarithmic; 25 ns of timing included)")
    for row, (kind, name) in enumerate(names):
        middle = TOP + height * row + height * 0.68
        mine = kind == "ours"
        drawing.text(232, middle + 4, shown(kind, name), "end", 12, COLOUR[kind] if mine else TEXT, "bold" if mine else "normal")
        for threads, axis in panels:
            line = next(l for l in lines if (l["name"], l["threads"]) == (name, threads))
            points = [(label, axis.x(max(ns, 1))) for label, ns in line["percentiles_ns"]]
            drawing.line(points[0][1], middle, points[-1][1], middle, COLOUR[kind], 2)
            for label, x in points:
                drawing.dot(x, middle, COLOUR[kind])
            for label, x in labelled(points):
                drawing.text(x, middle - 7, label[1:], "middle", 9)
    drawing.save(IMAGES / "tail.svg")


def main():
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, draw in (("ratios.json", throughput), ("tail.json", tail)):
        draw(json.loads((HERE / "results" / name).read_text()))


if __name__ == "__main__":
    main()
