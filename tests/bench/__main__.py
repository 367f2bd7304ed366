"""Print one table of what takes how long: `python -m tests.bench [--json FILE]`.

Times are seconds of this process's processor time on one core, so that others on the machine disturb them less; each
anchor is measured in the same run. Ends with 1 if a goal is missed. What cannot be measured never counts as reached.
"""

from __future__ import annotations

import os

# Before numpy is loaded: two threads that wait for each other would both be counted.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import sys
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from tests.bench.figures import Figure, figures

UNMEASURED = "not measured"
COLUMNS = ("figure", "median", "p95", "anchor", "ratio", "goal", "verdict")


def row(of: Figure) -> dict[str, Any]:
    """Sum up a figure; times in ms, None where there is nothing to tell."""
    measured = bool(of.samples)
    middle = median(of.samples) * 1e3 if measured else None
    anchor = median(of.anchor_samples) * 1e3 if of.anchor_samples else None
    ratio = middle / anchor if middle is not None and anchor else None
    return {
        "figure": of.name,
        "count": len(of.samples),
        "median_ms": middle,
        "p95_ms": quantiles(of.samples, n=20, method="inclusive")[-1] * 1e3 if len(of.samples) > 1 else middle,
        "anchor": of.anchor,
        "anchor_ms": anchor,
        "ratio": ratio,
        "goal_ms": of.most_s * 1e3 if of.most_s is not None else None,
        "goal_ratio": of.most_ratio,
        "verdict": verdict(of, middle, ratio),
    }


def verdict(of: Figure, middle: float | None, ratio: float | None) -> str:
    """`ok` or `too slow`; empty without a goal."""
    if middle is None or (of.anchor and ratio is None):
        return UNMEASURED
    bounds = [(middle / 1e3, of.most_s), (ratio, of.most_ratio)]
    kept = [value <= most for value, most in bounds if value is not None and most is not None]
    return "" if not kept else "ok" if all(kept) else "too slow"


def cells(line: dict[str, Any]) -> tuple[str, ...]:
    """Put a row into words."""
    ms = [UNMEASURED if line[key] is None else f"{line[key]:.2f} ms" for key in ("median_ms", "p95_ms", "anchor_ms")]
    goals = [f"{line['goal_ms']:.0f} ms"] if line["goal_ms"] is not None else []
    goals += [f"{line['goal_ratio']:.1f} of it"] if line["goal_ratio"] is not None else []
    return (
        f"{line['figure']} ({line['count']})",
        ms[0],
        ms[1],
        f"{line['anchor']}: {ms[2]}" if line["anchor"] else "",
        "" if not line["anchor"] else UNMEASURED if line["ratio"] is None else f"{line['ratio']:.2f}",
        ", ".join(goals),
        line["verdict"],
    )


def main() -> int:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="What takes how long.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    chosen = parser.parse_args()
    lines = [row(figure) for figure in figures()]
    table = [COLUMNS, *map(cells, lines)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cut in table:
        sys.stdout.write("  ".join(cell.ljust(width) for cell, width in zip(cut, widths, strict=True)).rstrip() + "\n")
    sys.stdout.write("Processor time of one core; the number of samples in brackets.\n")
    if chosen.json:
        chosen.json.write_text(json.dumps(lines, indent=2) + "\n")
    return int(any(line["verdict"] == "too slow" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
