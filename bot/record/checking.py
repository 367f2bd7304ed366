"""Checks exported games, which anybody may have made up, within limits; for chat and for the shell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from bot.jobs.worker import ProcessLimits, Worker, run_in_own_process
from bot.record import bundle, export
from bot.record.export import GameEnding, RecordProof
from bot.store.queries.publications import PublishedHash
from rules.core.registry import RULESETS
from rules.core.replay import Flaw, RecordedBattle

CHECK_LIMITS: Final = ProcessLimits(memory_bytes=2**30, cpu_s=30, nice=10)
"""Limits of the process that replays a game; `tests.bench.checking` prints what the longest record needs."""
CHECK_TIMEOUT_S: Final = 90.0
"""Seconds until a check is given up, even if a busy machine gave it little processor time."""
BRIEF_CHECK_LIMITS: Final = ProcessLimits(memory_bytes=2**30, cpu_s=5, nice=10)
BRIEF_CHECK_TIMEOUT_S: Final = 15.0
"""The same of a brief check, for which others wait."""


class CheckResult(Struct, frozen=True):
    """What a file is, and whether it holds."""

    is_finished: bool
    """Whether the game is over."""
    digest: str
    flaw: Flaw | None
    proof: RecordProof
    """What was proved, if there is no flaw."""
    battles: tuple[RecordedBattle, ...] = ()
    """The battles that answered its questions; each has a record of its own."""
    ending: GameEnding | None = None
    """How it began and ended, if it was a battle that knew its name in another game, and there is no flaw."""


def check_file(data: bytes, published: str = "", kept: Sequence[PublishedHash] = (), before: str = "") -> CheckResult:
    """Return what a file is, after replaying it without limits. Raises as `export.check_export`.

    `before` is the digest that was published before a name was withdrawn: a file that has it is held against that.
    """
    tuple(RULESETS.values())  # Games are loaded first: a file made to fill the memory would leave none for them.
    seen = export.read_header(data)
    published = before if before and seen.digest == before else published
    flaw = export.check_export(data, published, kept)
    battles = () if flaw else export.recorded_battles(data)
    return CheckResult(
        is_finished=seen.is_finished,
        digest=seen.digest,
        flaw=flaw,
        proof=export.build_proof(data, kept),
        battles=battles,
        ending=export.game_ending(data) if seen.is_finished and seen.is_battle and not flaw else None,
    )


async def check_in_process(
    data: bytes, published: str = "", kept: Sequence[PublishedHash] = (), before: str = "", *, brief: bool = False
) -> CheckResult:
    """As `check_file`, in a process of its own.

    Raises `OrderError`; `JobLimitExceeded` if it takes more than any game does, or where it is to be `brief`, than most
    do.
    """
    bounds, most_s = (BRIEF_CHECK_LIMITS, BRIEF_CHECK_TIMEOUT_S) if brief else (CHECK_LIMITS, CHECK_TIMEOUT_S)
    return await run_in_own_process(bounds, most_s, check_file, data, published, kept, before)


async def unpack_in_process(data: bytes) -> tuple[bytes, ...]:
    """Return the records in a file that was handed in, the game's own first; a bundle is unpacked in its own process.

    Raises `OrderError`, and `JobLimitExceeded` if it takes more than any bundle does.
    """
    return (
        await run_in_own_process(BRIEF_CHECK_LIMITS, BRIEF_CHECK_TIMEOUT_S, bundle.unpack_records, data)
        if bundle.is_bundle(data)
        else (data,)
    )


def unpack_for_shell(data: bytes) -> tuple[bytes, ...]:
    """As `unpack_in_process`, for the shell."""
    return (
        Worker(BRIEF_CHECK_LIMITS).run_once(partial(bundle.unpack_records, data), BRIEF_CHECK_TIMEOUT_S)
        if bundle.is_bundle(data)
        else (data,)
    )


def ending_for_shell(data: bytes) -> GameEnding:
    """Return how a flawless record began and ended; in a process of its own, for the shell.

    Raises `ValueError` if the game isn't over, `JobLimitExceeded` if it takes more than any game does.
    """
    return Worker(CHECK_LIMITS).run_once(partial(export.game_ending, data), CHECK_TIMEOUT_S)


def check_for_shell(data: bytes, published: str = "") -> CheckResult:
    """As `check_file`, for the shell, which has no event loop."""
    return Worker(CHECK_LIMITS).run_once(partial(check_file, data, published), CHECK_TIMEOUT_S)
