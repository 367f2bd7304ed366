"""Questions in mid-round: what may be answered, in what words, and what holds if nobody answers (MB part 10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Final

from msgspec import structs

from rules.errors import IllegalOrder, UnreadableOrder, excerpt
from rules.finding import by_id
from rules.matchbox.desk.standing_orders import meant
from rules.matchbox.table import aim, damage, hull
from rules.matchbox.table.deciding import nearness_mm
from rules.matchbox.table.notation import number
from rules.matchbox.table.state import Decision, Galley, Question, State
from rules.panels import pick, select
from rules.protocol import Choices, Option
from rules.view import Text

RULES: Final = {
    "target": "MB-6.1",
    "aim": "MB-6.5",
    "casualties": "MB-7.1",
    "reorganize": "MB-7.3",
    "grapple": "MX-3.2",
    "prize": "MX-3.5",
}
"""The rule under which each kind of question is asked."""
STANDING_AIMS: Final = ("steady", "safe")
_OLD_NAMES: Final = ascii_uppercase
"""Names that the points to aim at had before they were numbered; they can still be typed."""

_POINT: Final = re.compile(r"@?\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)\s*[,\s]\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)")
_WELL_FORMED: Final = re.compile(r"[A-Z][0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}(\+[0-9]{1,2})?")
_EXPECTED: Final = {
    "target": "B1",
    "aim": "600,400",
    "casualties": "1-1+1",
    "reorganize": "4-2",
    "grapple": "B1",
    "prize": "1",
}


def parse(state: State, question: Question, text: str) -> Decision:
    """The decision in a text: one of the question's choices, or for an aim `x,y`, a numbered point, `steady` or `safe`.

    Raises `OrderError` on anything else.
    """
    words = text.strip()
    if question.kind == "aim":
        return Decision(_aim(state, question, words))
    choice = re.sub(r"\s+", "", words).upper()
    if choice in question.choices:
        return Decision(choice)
    legal = ", ".join(question.choices)
    if _WELL_FORMED.fullmatch(choice) or (question.kind == "prize" and choice.isdecimal()):
        raise IllegalOrder("not_a_choice", RULES[question.kind], piece=excerpt(text), legal=legal)
    raise UnreadableOrder("decision_unreadable", piece=excerpt(text), expected=_EXPECTED[question.kind], legal=legal)


def default(galleys: Sequence[Galley], question: Question) -> Decision:
    """The answer of the standing orders that everybody has to begin with, from the galleys afloat."""
    galley = by_id(galleys, question.galley)
    if question.kind in {"target", "grapple"}:
        gaps = {one: nearness_mm(hull.gap_mm(galley, by_id(galleys, one))) for one in question.choices}
        return Decision(min(question.choices, key=lambda one: gaps[one]))
    if question.kind == "aim":
        return Decision("steady")
    if question.kind == "prize":
        return Decision(question.choices[0])
    if question.kind == "casualties":
        splits = [(port, starboard, masts) for port, starboard, masts in map(numbers, question.choices)]
        return Decision("{}-{}+{}".format(*damage.choose(splits, galley, "seaworthy")))
    return Decision("{}-{}".format(*damage.reorganize(galley, (0, 0))))


def choices(state: State, question: Question, decided: Decision | None) -> Choices:
    """The legal choices; each completes the answer."""
    chosen = decided.choice if decided else ""
    line = Text("line.decision", {"choice": chosen}) if chosen else None
    if question.kind != "aim":
        labels = {choice: _label(question, choice) for choice in question.choices}
        return pick(question.kind, labels, chosen, line=line, missing="missing.decision")
    volley_at = aim.asked(question, state.galleys, state.lying, state.sea)
    chart = aim.near_map(volley_at)
    standing = {kind: _chances(f"choice.aim.{kind}", chart, *aim.best(chart, kind)) for kind in STANDING_AIMS}
    found = pick("aim", standing, chosen, line=line, missing="missing.decision")
    points = select("point", _points(state, aim.points(volley_at.target), chart, chosen))
    return structs.replace(found, groups=(*found.groups, points))


def _aim(state: State, question: Question, words: str) -> str:
    if meant(words) in STANDING_AIMS:
        return meant(words)
    for letter, (name, x, y) in zip(_OLD_NAMES, aim.points(by_id(state.galleys, question.about)), strict=False):
        if words.upper() in {name, letter}:
            return _write(state, x, y)
    found = _POINT.fullmatch(words)
    if not found:
        raise UnreadableOrder(
            "decision_unreadable", piece=excerpt(words), expected=_EXPECTED["aim"], legal=", ".join(STANDING_AIMS)
        )
    x, y = float(found[1]), float(found[2])
    if not (0 <= x <= state.width_mm and 0 <= y <= state.height_mm):
        raise IllegalOrder(
            "aim_off_table", "MB-6.5", piece=excerpt(words), width_mm=state.width_mm, height_mm=state.height_mm
        )
    return _write(state, x, y)


def _write(state: State, x: float, y: float) -> str:
    """A point of the table as text; one that lies off it is put on its edge."""
    x, y = min(max(x, 0.0), state.width_mm), min(max(y, 0.0), state.height_mm)
    return f"{number(x)},{number(y)}"


def numbers(choice: str) -> tuple[int, ...]:
    """The numbers of a choice: port, starboard, and masts if it has them."""
    return tuple(map(int, re.split(r"[-+]", choice)))


def _label(question: Question, choice: str) -> Text:
    if question.kind in {"target", "grapple"}:
        return Text(f"choice.{question.kind}", {"galley": choice})
    if question.kind == "prize":
        return Text("choice.prize", {"crew": int(choice)})
    key = "choice.casualties" if question.kind == "casualties" else "choice.wish"
    return Text(key, dict(zip(("port", "starboard", "masts"), numbers(choice), strict=False)))


def _points(
    state: State, points: Sequence[tuple[str, float, float]], chart: aim.AimMap, chosen: str
) -> Iterator[Option]:
    """The numbered points of the target's hull, each with what may be expected there."""
    for name, x, y in points:
        choice = _write(state, x, y)
        label = _chances("choice.aim.point", chart, x, y, point=name)
        yield Option(name, label, draft=choice, chosen=choice == chosen, seals=True)


def _chances(key: str, chart: aim.AimMap, x: float, y: float, **params: str) -> Text:
    hits, misfire = aim.chances(chart, x, y)
    return Text(key, {**params, "hits": round(hits, 2), "misfire": round(100 * misfire)})
