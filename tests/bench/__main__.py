"""Print one table of what takes how long: `python -m tests.bench [--json FILE] [--only WORDS]`.

Times are seconds of processor time on one core, so that others on the machine disturb them less; each anchor is
measured in the same run. Ends with 1 if a goal is missed. What cannot be measured never counts as reached.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from tests.bench.figures import Figure, figures

UNMEASURED = "not measured"
COLUMNS = ("figure", "median", "p95", "anchor", "ratio", "goal", "verdict")
WRITTEN = Path("build/bench.json")

Samples = Mapping[str, Sequence[float]]  # seconds by the figure's name


def measure(wanted: Sequence[Figure]) -> Samples:
    """Run benchmarks, and give what was measured. Raises `SystemExit` with what pytest said if one fails."""
    names = {name for figure in wanted for name in (figure.name, figure.anchor) if name}
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "measured.json"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest"),
                *(f"{Path(__file__).with_name('timing.py')}::test_figure[{name}]" for name in sorted(names)),
                *("-q", "-o", "addopts=", "-p", "no:cacheprovider", "--timeout=900"),
                *("--benchmark-only", f"--benchmark-json={written}"),
            ],
            # Two threads that wait for each other would both be counted.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        benchmarks = json.loads(written.read_text())["benchmarks"]
    quickest_of = {figure.name: figure.quickest_of for figure in figures()}
    return {
        name: quickest(one["stats"]["data"], quickest_of[name])
        for one in benchmarks
        for name in (one["params"]["name"],)
    }


def quickest(seconds: Sequence[float], of: int) -> Sequence[float]:
    """What each work took at best, if all were done so often in turn."""
    count = len(seconds) // of
    return [min(seconds[number::count]) for number in range(count)]


def row(of: Figure, samples: Samples) -> dict[str, Any]:
    own = samples.get(of.name, ())
    middle = _middle_ms(own)
    anchor = _middle_ms(samples.get(of.anchor, ()))
    ratio = middle / anchor if middle is not None and anchor else None
    return {
        "figure": of.name,
        "count": len(own),
        "median_ms": middle,
        "p95_ms": quantiles(own, n=20, method="inclusive")[-1] * 1e3 if len(own) > 1 else middle,
        "anchor": of.anchor,
        "anchor_ms": anchor,
        "ratio": ratio,
        "goal_ms": of.most_s * 1e3 if of.most_s is not None else None,
        "goal_ratio": of.most_ratio,
        "verdict": verdict(of, middle, ratio),
    }


def _middle_ms(samples: Sequence[float]) -> float | None:
    return median(samples) * 1e3 if samples else None


def verdict(of: Figure, median_ms: float | None, ratio: float | None) -> str:
    """`ok` or `too slow`; empty without a goal. One missed goal is enough to be too slow, measured or not the other."""
    goals = [(median_ms, of.most_s and of.most_s * 1e3), (ratio, of.most_ratio)]
    asked = [(value, most) for value, most in goals if most is not None]
    if any(value is not None and value > most for value, most in asked):
        return "too slow"
    if median_ms is None or any(value is None for value, _ in asked):
        return UNMEASURED
    return "ok" if asked else ""


def cells(line: dict[str, Any]) -> tuple[str, ...]:
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
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="What takes how long.")
    parser.add_argument("--json", type=Path, metavar="FILE", default=WRITTEN, help=f"where to write it, else {WRITTEN}")
    parser.add_argument("--only", metavar="WORDS", default="", help="figures whose names hold these words")
    chosen = parser.parse_args()
    wanted = [figure for figure in figures() if chosen.only in figure.name]
    samples = measure(wanted)
    anchors = {figure.anchor for figure in wanted}
    lines = [row(figure, samples) for figure in wanted if figure.name not in anchors]
    table = [COLUMNS, *map(cells, lines)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cut in table:
        sys.stdout.write("  ".join(cell.ljust(width) for cell, width in zip(cut, widths, strict=True)).rstrip() + "\n")
    sys.stdout.write("Processor time of one core; the number of samples in brackets.\n")
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps(lines, indent=2) + "\n")
    return int(any(line["verdict"] == "too slow" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
