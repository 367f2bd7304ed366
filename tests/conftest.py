"""`pytest --game NAME` tests one game: its rules, cases, laws, playthroughs, words and pictures, without the bot."""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from _pytest.nodeid import NodeId
from hypothesis import HealthCheck, settings

from bot.loading import without_garbage_collection
from bot.sandbox.strict import guard
from tests import games, pg
from tests.laws.length import LONG as LONG_LAWS
from tests.laws.length import SHARED
from tests.skipped import pytest_sessionfinish, pytest_unconfigure

__all__ = ["pytest_sessionfinish", "pytest_unconfigure"]

# Here, for all of them: tests of the bot read modules of laws, too, whose settings follow from these.
settings.register_profile(
    "laws",
    derandomize=not LONG_LAWS,  # short runs try the same examples every time, long ones look for new ones
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),  # whole games are large, and are played but once
)
settings.load_profile("laws")

PROCESSORS = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
"""Those that the tests may use."""
LONG = ("crash", "e2e")  # folders whose tests start bots, sandboxes and browsers
PLAYED = ("laws", "pictures", "cases")  # folders whose tests share what is played and drawn of a game
MARGIN_S = 10
"""So much sooner than pytest's own limit a test of the bot ends: that one raises in any callback that is running, and
an event loop logs it and waits on."""


class UnaskedRefusals(logging.Handler):
    """Keeps what the simulated Discords have refused, but no script has ordered or expected."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.refused: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.refused.append(record.getMessage())


UNASKED = UnaskedRefusals()
logging.getLogger(guard.LOGGER_NAME).addHandler(UNASKED)


@pytest.fixture(autouse=True)
def discord_refuses_nothing_unasked() -> Iterator[None]:
    """Fail a test during which Discord refused what no rule in `CallGuard.expected` and no order of the test says."""
    yield
    refused, UNASKED.refused = UNASKED.refused, []
    assert not refused, "\n".join(refused)


@pytest.fixture
def unasked() -> UnaskedRefusals:
    return UNASKED


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--game", metavar="NAME", help="one game's rules, cases, laws, words and pictures alone")


def pytest_configure(config: pytest.Config) -> None:
    if name := config.getoption("--game"):
        games.choose(name)
    if config.getoption("dist", "no") != "no":  # processes that test inherit it from the one that starts them
        shared = tempfile.TemporaryDirectory(prefix="war-galley-tapes-")
        os.environ[SHARED] = shared.name
        config.add_cleanup(shared.cleanup)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignore files that have no tests for the games of this run."""
    return games.elsewhere(collection_path) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests of other games and, in short runs, long tests. Group the tests that share a tape or a server."""
    others = [item for item in items if (named := games.about(item)) and named.isdisjoint(games.tested)]
    others += [item for item in items if not LONG_LAWS and item.get_closest_marker("long")]
    if others:
        config.hook.pytest_deselected(items=others)
        left_out = set(others)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        if config.getoption("loadgroup", default=False):
            # xdist 3.8 does the same for a mark, but writes it where pytest 9.2 reads no name of a test any more: so it
            # handed out each test alone, and every process played every game for itself (pytest-xdist #1386).
            item._id = NodeId.parse(f"{item.nodeid}@{_together(item)}")
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.obj = _bounded(item.obj, _most_s(item))
    # What takes long comes first, so that no process is at it when the others have nothing left to do.
    items.sort(
        key=lambda item: [item.path.parent.name not in some for some in ((*LONG, "gaps"), PLAYED)] + [not _slow(item)]
    )


def pytest_xdist_auto_num_workers() -> int:
    """Return two processes for each processor, because many tests wait now and then."""
    return 2 * len(PROCESSORS)


@pytest.fixture(autouse=True)
def one_processor(request: pytest.FixtureRequest, worker_id: str) -> Iterator[None]:
    """Keep an event loop on one processor, with SQLite's thread; where bots and browsers are started, they may use all.

    The two wait for each other by turns, and a wake-up on another processor takes three times as long as one on the
    same: together they need an eighth less.
    """
    alone = worker_id == "master" or not hasattr(os, "sched_setaffinity")
    if alone or request.path.parent.name in LONG or not inspect.iscoroutinefunction(request.function):
        yield
        return
    os.sched_setaffinity(0, {PROCESSORS[int(worker_id.removeprefix("gw")) % len(PROCESSORS)]})
    yield
    os.sched_setaffinity(0, PROCESSORS)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    with without_garbage_collection():
        return (yield)


def pytest_collection_finish() -> None:
    """Let Python's collector pass over what lives as long as the tests do: it took a tenth of their time."""
    gc.collect()
    gc.freeze()


def _slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None


def _most_s(item: pytest.Item) -> float | None:
    """Return the seconds that a test may take in its event loop, or None for no limit."""
    own = item.get_closest_marker("timeout")
    most = float(own.args[0] if own else item.config.getoption("timeout") or item.config.getini("timeout"))
    return most - MARGIN_S if most else None


def _bounded(test: Callable[..., Any], most_s: float | None) -> Callable[..., Any]:
    """Wrap an asynchronous test, so that it fails by `TimeoutError` where it waits in vain."""

    @wraps(test)
    async def bounded(*args: Any, **kwargs: Any) -> None:
        async with asyncio.timeout(most_s):
            await test(*args, **kwargs)

    return bounded


def _on_postgres(item: pytest.Item) -> bool:
    """Return if a test needs the server that `postgres` starts."""
    called = getattr(item, "callspec", None)
    return "postgres" in getattr(item, "fixturenames", ()) or (
        called is not None and "postgres" in called.params.values()
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that says so on a real PostgreSQL, too; all there alone if that is asked for, but those of SQLite."""
    if "database" not in metafunc.fixturenames:
        return
    of_sqlite, of_both = map(metafunc.definition.get_closest_marker, ("sqlite", "postgres"))
    if pg.EVERYWHERE:
        metafunc.parametrize("database", ["sqlite" if of_sqlite else "postgres"], indirect=True)
    elif of_both:
        metafunc.parametrize("database", ["sqlite", "postgres"], indirect=True)


def _together(item: pytest.Item) -> str:
    """Return the group of tests that one process runs, because they share a game's tapes or their module's fixtures."""
    if _on_postgres(item) and not pg.EVERYWHERE:
        return "PostgreSQL"  # starting a server takes some seconds
    folder = item.path.parent.name
    about = games.about(item)
    return f"{folder} {about.pop()}" if folder in PLAYED and len(about) == 1 else str(item.path.relative_to(games.HERE))
