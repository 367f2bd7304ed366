"""What the shell commands do with positions and records."""

from __future__ import annotations

import json
from typing import Any

import msgspec

import render
from bot import speech
from bot.i18n import Catalogue, Words, best
from rules import replay
from rules.dice import Dice
from rules.errors import OrderError, UnreadableOrder
from rules.protocol import Setup
from rules.registry import ADJUDICATORS, RULESETS

_FAIR = "0" * 64


def judge(text: str) -> dict[str, Any]:
    """Carry out one JSON case. Raises `OrderError` naming the field or rule, and what was expected."""
    try:
        case = json.loads(text)
    except ValueError as unreadable:
        raise UnreadableOrder("bad_json", piece="case", expected=str(unreadable)) from unreadable
    name = case.get("ruleset", "") if isinstance(case, dict) else ""
    adjudicator = ADJUDICATORS.get(name) if isinstance(name, str) else None
    if adjudicator is None:
        raise UnreadableOrder("unknown_system", piece="ruleset", expected=" or ".join(ADJUDICATORS))
    return adjudicator(text.encode())


def fault_line(error: OrderError) -> str:
    """One line that begins with the field or rule and says what was expected, for programs; always English."""
    fault = error.fault
    where = fault.rule or fault.piece or fault.kind
    words = Words(Catalogue.load("en"), plain=True)
    sentence = words.say(f"fault.{fault.code}", **{**fault.params, "piece": fault.piece, "rule": fault.rule})
    return f"{where}: {' '.join(sentence.split())}"


def draw_position(system: str, position: str, *, width: int, language: str) -> bytes:
    """Draw a position in a game's notation. Raises `OrderError` if it cannot be read."""
    rules = RULESETS.get(system)
    if rules is None:
        raise UnreadableOrder("unknown_system", piece=system, expected=", ".join(RULESETS))
    step = rules.start(Setup(system=system, teams=(0, 1), position=position), Dice(seed=_FAIR))
    view = rules.view(step.state, None)
    words = Words(Catalogue.load(best(language)), plain=True)
    return render.draw(view, caption=words.text(view.phase), width=width).data


def describe_position(system: str, position: str, *, language: str) -> str:
    """Describe a position in words. Raises `OrderError` if it cannot be read."""
    rules = RULESETS[system]
    step = rules.start(Setup(system=system, teams=(0, 1), position=position), Dice(seed=_FAIR))
    return "\n".join(speech.table_text(Words(Catalogue.load(best(language))), rules.view(step.state, None)))


def check_record(text: bytes) -> str:
    """Replay an exported game; what does not hold, in one line, or nothing."""
    try:
        record = msgspec.json.decode(text, type=replay.Record)
    except msgspec.MsgspecError as unreadable:
        return f"this is no exported game: {unreadable}"
    rules = RULESETS.get(record.setup.system)
    if rules is None:
        return f"unknown game: {record.setup.system}"
    flaw = replay.verify(rules, record)
    return f"step {flaw.step} does not hold: {flaw.what}: {flaw.piece}" if flaw else ""
