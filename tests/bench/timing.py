"""Every figure as a benchmark of pytest-benchmark, for `python -m tests.bench`. Its name keeps it from `make test`."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rules.matchbox.engine import aim
from tests.bench.figures import figures

TIMED = [pytest.param(figure.name, marks=pytest.mark.benchmark(timer=figure.timer)) for figure in figures()]


@pytest.mark.parametrize("name", TIMED)
def test_figure(name: str, benchmark: BenchmarkFixture) -> None:
    figure = next(figure for figure in figures() if figure.name == name)
    works = figure.works() if figure.times else list(figure.works()) * figure.quickest_of
    coming = iter(works)

    def setup() -> tuple[tuple[object, ...], dict[str, object]]:
        # Each round looks for its aims again, even if it was resolved before.
        aim._blurred_chances.cache_clear()
        return (next(coming),), {}

    benchmark.pedantic(lambda work: work(), setup=setup, rounds=figure.times or len(works))
