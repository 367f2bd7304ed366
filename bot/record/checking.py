"""Check exported records from untrusted sources in a limited process, for the bot and for the shell."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import Struct, structs

from bot.jobs.worker import ProcessLimits, Worker, run_in_own_process
from bot.record import bundle, export
from bot.record.export import FinishedGame, GameEnding, RecordProof
from bot.record.recomputing import Recomputation, recompute_answers
from bot.store.queries.publications import PublishedHash
from rules.core.registry import RULESETS
from rules.core.replay import Flaw, RecordedBattle

CHECK_LIMITS: Final = ProcessLimits(memory_bytes=2**30, cpu_s=30, nice=10)  # of the process that replays a game
CHECK_TIMEOUT_S: Final = 90.0
RECOMPUTING_S: Final = 15.0  # processor time of a check after which it recomputes no further answer
BRIEF_CHECK_LIMITS: Final = ProcessLimits(memory_bytes=2**30, cpu_s=5, nice=10)
BRIEF_CHECK_TIMEOUT_S: Final = 15.0
BRIEF_RECOMPUTING_S: Final = 2.0
SHELL_LIMITS: Final = ProcessLimits(memory_bytes=2**30, cpu_s=3600, nice=10)
"""Limits of the process that recomputes all answers of a game. The longest games take about a minute."""
SHELL_TIMEOUT_S: Final = 4 * 3600.0


class CheckResult(Struct, frozen=True):
    is_finished: bool  # whether it is the record of a finished game
    digest: str  # of the file, as it claims
    flaw: Flaw | None  # the first contradiction; None: the record is flawless
    proof: RecordProof  # figures about what was checked
    battles: tuple[RecordedBattle, ...] = ()  # those whose results the record contains
    ending: GameEnding | None = None  # begin and end of a flawless battle that names its parent game; else None
    recomputation: Recomputation = Recomputation()  # of a finished game without other flaws


def check_file(
    data: bytes,
    published: str = "",
    stored_hashes: Sequence[PublishedHash] = (),
    former_digest: str = "",
    recomputing_s: float = math.inf,
) -> CheckResult:
    """Replay a record without limits and return the result. Raises like `export.check_export`.

    `former_digest` was published before a name was withdrawn. A file with this digest is compared with it instead of
    `published`. Computed answers are recomputed until the check has taken `recomputing_s` of processor time.
    """
    began_s = time.process_time()
    tuple(RULESETS.values())  # Load games first, because a malicious file may fill the memory that they need.
    header = export.read_header(data)
    published = former_digest if former_digest and header.digest == former_digest else published
    flaw = export.check_export(data, published, stored_hashes)
    recomputation = Recomputation()
    if header.is_finished and not flaw:
        recomputation = _recompute(data, began_s + recomputing_s)
        flaw = recomputation.flaw
    battles = () if flaw else export.recorded_battles(data)
    return CheckResult(
        is_finished=header.is_finished,
        digest=header.digest,
        flaw=flaw,
        proof=export.build_proof(data, stored_hashes),
        battles=battles,
        ending=export.game_ending(data) if header.is_finished and header.is_battle and not flaw else None,
        recomputation=recomputation,
    )


def _recompute(data: bytes, until_s: float = math.inf) -> Recomputation:
    """Recompute computed answers of a flawless finished game until this processor time of the process."""
    game_export = export.decode_export(data)
    assert isinstance(game_export, FinishedGame)  # noqa: S101 - the caller has read its header
    return recompute_answers(game_export.record, game_export.digest, lambda: time.process_time() < until_s)


async def check_in_process(
    data: bytes,
    published: str = "",
    stored_hashes: Sequence[PublishedHash] = (),
    former_digest: str = "",
    *,
    brief: bool = False,
) -> CheckResult:
    """Like `check_file`, in a limited process.

    Raises `OrderError`, or `JobLimitExceeded` if the check takes more than any real game does; with `brief`, more than
    most do.
    """
    limits = BRIEF_CHECK_LIMITS if brief else CHECK_LIMITS
    timeout_s = BRIEF_CHECK_TIMEOUT_S if brief else CHECK_TIMEOUT_S
    recomputing_s = BRIEF_RECOMPUTING_S if brief else RECOMPUTING_S
    return await run_in_own_process(
        limits, timeout_s, check_file, data, published, stored_hashes, former_digest, recomputing_s
    )


async def unpack_in_process(data: bytes) -> tuple[bytes, ...]:
    """Return the records in a submitted file, the main game first. A bundle is unpacked in a limited process.

    Raises `OrderError`, or `JobLimitExceeded` if it takes more than any real bundle does.
    """
    if not bundle.is_bundle(data):
        return (data,)
    return await run_in_own_process(BRIEF_CHECK_LIMITS, BRIEF_CHECK_TIMEOUT_S, bundle.unpack_records, data)


def unpack_for_shell(data: bytes) -> tuple[bytes, ...]:
    if not bundle.is_bundle(data):
        return (data,)
    return Worker(BRIEF_CHECK_LIMITS).run_once(partial(bundle.unpack_records, data), BRIEF_CHECK_TIMEOUT_S)


def ending_for_shell(data: bytes) -> GameEnding:
    """Return how a flawless record began and ended, computed in a limited process.

    Raises `ValueError` if the game isn't over, and `JobLimitExceeded`.
    """
    return Worker(CHECK_LIMITS).run_once(partial(export.game_ending, data), CHECK_TIMEOUT_S)


def check_for_shell(data: bytes, published: str = "") -> CheckResult:
    """Like `check_file`, in a limited process, and recompute all computed answers in another one.

    Raises like `check_in_process`.
    """
    replay = partial(check_file, data, published, recomputing_s=0.0)
    result = Worker(CHECK_LIMITS).run_once(replay, CHECK_TIMEOUT_S)
    if result.flaw or not result.recomputation.computed_count:
        return result
    recomputation = Worker(SHELL_LIMITS).run_once(partial(_recompute, data), SHELL_TIMEOUT_S)
    return structs.replace(result, flaw=recomputation.flaw, recomputation=recomputation)
