"""Checks exported games, which anybody may have made up, within bounds: in chat and in the shell alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from bot.record import export
from bot.record.export import Ending, Proof
from bot.store.publications import Published
from bot.work.worker import Bounds, Worker, alone
from rules.replay import Flaw, Fought

BOUNDS: Final = Bounds(memory=2**30, cpu_s=30, nice=10)
"""Of the process that replays a game. What the longest record takes `tests.bench.checking` prints."""
CHECK_MOST_S: Final = 90.0
"""Seconds until it is given up, however little processor time a busy machine gave it."""


class Checked(Struct, frozen=True):
    """What a file is, and whether it holds."""

    whole: bool
    """Whether the game is over."""
    digest: str
    flaw: Flaw | None
    proof: Proof
    """What it is that holds, if there is no flaw."""
    battles: tuple[Fought, ...] = ()
    """Games of their own, each with a record of its own, whose ends it has taken for answers."""


def check(data: bytes, published: str = "", kept: Sequence[Published] = ()) -> Checked:
    """Look at an export's file and replay it, without any bounds. As `export.check`."""
    seen = export.glance(data)
    flaw = export.check(data, published, kept)
    battles = () if flaw else export.battles(data)
    return Checked(whole=seen.whole, digest=seen.digest, flaw=flaw, proof=export.proof(data, kept), battles=battles)


async def checked(data: bytes, published: str = "", kept: Sequence[Published] = ()) -> Checked:
    """The same in a process of its own. Raises `OrderError`; `TooMuch` if it takes more than any game."""
    return await alone(BOUNDS, CHECK_MOST_S, check, data, published, kept)


def ending_here(data: bytes) -> Ending:
    """How a game began and ended, of whose file no flaw was found; in a process of its own, for the shell.

    Raises `ValueError` if it goes on, `TooMuch` if it takes more than any game.
    """
    return Worker(BOUNDS).do_once(partial(export.ending, data), CHECK_MOST_S)


def checked_here(data: bytes, published: str = "") -> Checked:
    """The same for the shell, which has no event loop."""
    return Worker(BOUNDS).do_once(partial(check, data, published), CHECK_MOST_S)
