"""Every figure as a benchmark of pytest-benchmark, for `python -m tests.bench`. Its name keeps it from `make test`."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rules.matchbox.engine import aim
from tests.bench.figures import Figure, absent, figures


def marks(figure: Figure) -> list[pytest.MarkDecorator]:
    missing = pytest.mark.skip(reason=f"{figure.peer} is not installed")
    return [pytest.mark.benchmark(timer=figure.timer), *([missing] if figure.peer and absent(figure.peer) else [])]


@pytest.mark.parametrize("name", [pytest.param(figure.name, marks=marks(figure)) for figure in figures()])
def test_figure(name: str, benchmark: BenchmarkFixture) -> None:
    figure = next(figure for figure in figures() if figure.name == name)
    works = figure.works() if figure.times else list(figure.works()) * figure.quickest_of
    coming = iter(works)

    def setup() -> tuple[tuple[object, ...], dict[str, object]]:
        # Each round looks for its aims again, even if it was resolved before.
        aim._blurred_chances.cache_clear()
        return (next(coming),), {}

    benchmark.pedantic(lambda work: work(), setup=setup, rounds=figure.times or len(works))
