"""Checks exported games, which anybody may have made up, within limits; for chat and for the shell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from bot.record import bundle, export
from bot.record.export import Ending, Proof
from bot.store.publications import Published
from bot.work.worker import Bounds, Worker, alone
from rules.registry import RULESETS
from rules.replay import Flaw, Fought

BOUNDS: Final = Bounds(memory=2**30, cpu_s=30, nice=10)
"""Limits of the process that replays a game; `tests.bench.checking` prints what the longest record needs."""
CHECK_MOST_S: Final = 90.0
"""Seconds until a check is given up, even if a busy machine gave it little processor time."""
BRIEF: Final = Bounds(memory=2**30, cpu_s=5, nice=10)
BRIEF_MOST_S: Final = 15.0
"""The same of a brief check, for which others wait."""


class Checked(Struct, frozen=True):
    """What a file is, and whether it holds."""

    whole: bool
    """Whether the game is over."""
    digest: str
    flaw: Flaw | None
    proof: Proof
    """What was proved, if there is no flaw."""
    battles: tuple[Fought, ...] = ()
    """The battles that answered its questions; each has a record of its own."""
    ending: Ending | None = None
    """How it began and ended, if it was a battle that knew its name in another game, and there is no flaw."""


def check(data: bytes, published: str = "", kept: Sequence[Published] = (), before: str = "") -> Checked:
    """Return what a file is, after replaying it without limits. Raises as `export.check`.

    `before` is the digest that was published before a name was withdrawn: a file that has it is held against that.
    """
    tuple(RULESETS.values())  # Games are loaded first: a file made to fill the memory would leave none for them.
    seen = export.glance(data)
    published = before if before and seen.digest == before else published
    flaw = export.check(data, published, kept)
    battles = () if flaw else export.battles(data)
    return Checked(
        whole=seen.whole,
        digest=seen.digest,
        flaw=flaw,
        proof=export.proof(data, kept),
        battles=battles,
        ending=export.ending(data) if seen.whole and seen.battle and not flaw else None,
    )


async def checked(
    data: bytes, published: str = "", kept: Sequence[Published] = (), before: str = "", *, brief: bool = False
) -> Checked:
    """As `check`, in a process of its own.

    Raises `OrderError`; `TooMuch` if it takes more than any game does, or where it is to be `brief`, than most do.
    """
    bounds, most_s = (BRIEF, BRIEF_MOST_S) if brief else (BOUNDS, CHECK_MOST_S)
    return await alone(bounds, most_s, check, data, published, kept, before)


async def unpacked(data: bytes) -> tuple[bytes, ...]:
    """Return the records in a file that was handed in, the game's own first; a bundle is unpacked in its own process.

    Raises `OrderError`, and `TooMuch` if it takes more than any bundle does.
    """
    return await alone(BRIEF, BRIEF_MOST_S, bundle.unpack, data) if bundle.is_bundle(data) else (data,)


def unpacked_here(data: bytes) -> tuple[bytes, ...]:
    """As `unpacked`, for the shell."""
    return Worker(BRIEF).do_once(partial(bundle.unpack, data), BRIEF_MOST_S) if bundle.is_bundle(data) else (data,)


def ending_here(data: bytes) -> Ending:
    """Return how a flawless record began and ended; in a process of its own, for the shell.

    Raises `ValueError` if the game isn't over, `TooMuch` if it takes more than any game does.
    """
    return Worker(BOUNDS).do_once(partial(export.ending, data), CHECK_MOST_S)


def checked_here(data: bytes, published: str = "") -> Checked:
    """As `check`, for the shell, which has no event loop."""
    return Worker(BOUNDS).do_once(partial(check, data, published), CHECK_MOST_S)
