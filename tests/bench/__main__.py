"""Print one table of what takes how long: `python -m tests.bench [WORDS]`, of all figures or those with these words.

Times are seconds of processor time on one core, so that others on the machine disturb them less; each anchor is
measured in the same run. Ends with 1 if a goal is missed. What cannot be measured never counts as reached.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from tests.bench.figures import Figure, figures

UNMEASURED = "not measured"
Samples = Mapping[str, Sequence[float]]  # seconds by the figure's name


def measure(wanted: Sequence[Figure]) -> Samples:
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
    timed = {benchmark["params"]["name"]: benchmark["stats"]["data"] for benchmark in benchmarks}
    return {name: quickest(seconds, quickest_of[name]) for name, seconds in timed.items()}


def quickest(seconds: Sequence[float], of: int) -> Sequence[float]:
    count = len(seconds) // of
    return [min(seconds[number::count]) for number in range(count)]


def row(figure: Figure, samples: Samples) -> tuple[str, ...]:
    seconds, anchors = samples.get(figure.name), samples.get(figure.anchor)
    took_s = median(seconds) if seconds else None
    ratio = took_s / median(anchors) if took_s is not None and anchors else None
    goals = [(took_s, figure.most_s), (ratio, figure.most_ratio)]
    wanted = [(value, most) for value, most in goals if most is not None]
    if any(value is not None and value > most for value, most in wanted):
        verdict = "too slow"
    else:
        verdict = UNMEASURED if took_s is None or any(value is None for value, _ in wanted) else "ok" if wanted else ""
    return (
        figure.name,
        UNMEASURED if took_s is None else f"{took_s * 1e3:.2f} ms",
        f"{ratio:.2f} of {figure.anchor}" if ratio is not None else "",
        f"{figure.most_s * 1e3:.0f} ms" if figure.most_s is not None else "",
        f"{figure.most_ratio:.1f} of it" if figure.most_ratio is not None else "",
        verdict,
    )


def main(words: str) -> int:
    wanted = [figure for figure in figures() if words in figure.name]
    samples = measure(wanted)
    table = [row(figure, samples) for figure in wanted]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())
    return int(any(cells[-1] == "too slow" for cells in table))


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:])))
