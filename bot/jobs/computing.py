"""Compute the answers of computer captains and of stand-ins, and recompute them to verify a record.

An answer follows from the state, its dice and the program. A time limit may stop a search, so a computation notes after
how many checks that was.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from bot.jobs.thinking import limit_time, repeat_thinking
from rules.chance.dice import derive_seed
from rules.core.protocol import Request
from rules.core.registry import RULESETS
from rules.core.replay import Computation
from rules.core.ruleset import Ruleset

ComputedGiver = Literal["computer", "deadline", "stored"]
"""A source of computed answers: a computer captain, the default for a late captain, or such a default that consists of
orders which the captain gave earlier in the game."""

_VERSION_DIGITS: Final = 12  # hexadecimal digits of the hash that distinguishes versions


class ComputedAnswer(Struct, frozen=True):
    body: str  # the answer in canonical notation
    computation: Computation


def compute_answer(
    rules: Ruleset[Any],
    state: Any,  # noqa: ANN401 - of any game
    request: Request,
    giver: ComputedGiver,
    *,
    excused: bool = False,
) -> ComputedAnswer:
    """Return an answer, and how to recompute it. `excused` is for a late captain (`ComputerCaptain.default_answer`)."""
    with limit_time() as thinking_log:
        body = _answer_text(rules, state, request, giver, excused=excused)
    computation = Computation(
        program=program_version(rules.name), excused=excused, stopped_after=thinking_log.stopped_after
    )
    return ComputedAnswer(body, computation)


def recompute_answer(
    rules: Ruleset[Any],
    state: Any,  # noqa: ANN401 - of any game
    request: Request,
    giver: ComputedGiver,
    computation: Computation,
) -> str:
    with repeat_thinking(computation.stopped_after):
        return _answer_text(rules, state, request, giver, excused=computation.excused)


def _answer_text(rules: Ruleset[Any], state: Any, request: Request, giver: ComputedGiver, *, excused: bool) -> str:  # noqa: ANN401
    if giver == "computer":
        # The dice seed changes when a game goes back, so the computer may then choose otherwise.
        seed = derive_seed(state.dice.seed, f"captain {request.id}")
        return rules.format_answer(request, rules.computer_answer(rules.view(state, request.seat), request, seed))
    return rules.format_answer(request, rules.default_answer(state, request, excused=excused))


@cache
def program_version(system: str) -> str:
    """Return the version of the program with a hash of all code on which a game's computed answers depend.

    That is the game's own code and what games share, but not other games.
    """
    folders = {name: _folder_of(name) for name in RULESETS}
    others = {folder for name, folder in folders.items() if name != system}
    shared = Path(sys.modules["rules"].__path__[0])
    digest = hashlib.sha256()
    for root in (shared, folders[system]):
        for file in sorted(root.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and others.isdisjoint(file.parents):
                digest.update(hashlib.sha256(file.relative_to(root).as_posix().encode() + file.read_bytes()).digest())
    return f"{version('war-galley')}+{digest.hexdigest()[:_VERSION_DIGITS]}"


def _folder_of(system: str) -> Path:
    """Return the folder of the package that contains a game's rules."""
    file = sys.modules[type(RULESETS[system]).__module__].__file__
    assert file is not None  # noqa: S101 - games are loaded from files
    return Path(file).parent
