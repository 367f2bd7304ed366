"""Legal answers to any request of a game: enough to cause every kind of event, few enough to try them all.

`tests/samples/<system>.py`, or `invariants.py` beside a game from elsewhere, has `SAMPLES`: functions of a question's
context, by kind of request. Where it has none, each option that seals is a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rules.core.protocol import Report, Request
from rules.core.ruleset import Ruleset
from tests import games


def sample_answers(rules: Ruleset[Any], state: Any, request: Request) -> Sequence[Any]:
    if request.battle:
        seats = range(len(request.battle.seats))
        return [Report(digest="", winners=winners, ending="") for winners in ((), *((seat,) for seat in seats))]
    home = games.home(rules.name)
    module = f"{home}.invariants" if home else f"tests.samples.{rules.name}"
    samples = getattr(import_module(module), "SAMPLES", {}) if find_spec(module) else {}
    if request.kind in samples:
        answers: Sequence[Any] = samples[request.kind](rules.questions[request.kind].notation.context(state, request))
        return answers
    options = [option for group in rules.draft_choices(state, request).groups for option in group.options]
    return [
        rules.parse_answer(state, request, option.draft)
        for option in options
        if option.seals_answer and not option.fault
    ]
