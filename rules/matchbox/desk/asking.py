"""Questions in mid-round: what may be answered, in what words, and what holds if nobody answers (MB part 10)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Final

from rules.errors import IllegalOrder, UnreadableOrder, excerpt
from rules.matchbox.desk.standing import meant
from rules.matchbox.table import aim, damage, hull, volley
from rules.matchbox.table.notation import number
from rules.matchbox.table.state import Decision, Galley, Question, State
from rules.protocol import Choices, Group, Option
from rules.view import Text

RULES: Final = {"target": "MB-6.1", "aim": "MB-6.5", "casualties": "MB-7.1", "reorganize": "MB-7.3"}
"""The rule under which each kind of question is asked."""
STANDING_AIMS: Final = ("steady", "safe")
_ONCE: Final = ascii_uppercase
"""Names that the points to aim at had before they were numbered; they can still be typed."""

_POINT: Final = re.compile(r"@?\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)\s*[,\s]\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)")
_EXPECTED: Final = {"target": "B1", "aim": "600,400", "casualties": "1-1+1", "reorganize": "4-2"}


def parse(state: State, question: Question, text: str) -> Decision:
    """Read a decision: one of the question's choices, or for an aim `x,y`, a numbered point, `steady` or `safe`.

    Raises `OrderError` on anything else.
    """
    words = text.strip()
    if question.kind == "aim":
        return Decision(_aim(state, question, words))
    choice = re.sub(r"\s+", "", words).upper()
    if choice in question.choices:
        return Decision(choice)
    legal = ", ".join(question.choices)
    known = re.fullmatch(r"[A-Z][0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}(\+[0-9]{1,2})?", choice)
    if known:
        raise IllegalOrder("not_a_choice", RULES[question.kind], piece=excerpt(text), legal=legal)
    raise UnreadableOrder("decision_unreadable", piece=excerpt(text), expected=_EXPECTED[question.kind], legal=legal)


def default(state: State, question: Question) -> Decision:
    """The answer of the standing orders that everybody has to begin with."""
    galley = find(state.galleys, question.galley)
    if question.kind == "target":
        gaps = [round(hull.gap_mm(galley.pose, find(state.galleys, other).pose), 6) for other in question.choices]
        return Decision(question.choices[gaps.index(min(gaps))])
    if question.kind == "aim":
        return Decision("steady")
    if question.kind == "casualties":
        port, starboard, masts = damage.choose([_split(choice) for choice in question.choices], galley, "seaworthy")
        return Decision(f"{port}-{starboard}+{masts}")
    port, starboard = damage.reorganize(galley, (0, 0))
    return Decision(f"{port}-{starboard}")


def choices(state: State, question: Question, decided: Decision | None) -> Choices:
    """Show the legal choices; each completes the answer."""
    chosen = decided.choice if decided else ""
    if question.kind == "aim":
        groups = _aim_groups(state, question, chosen)
    else:
        options = tuple(_option(choice, _label(question, choice), chosen) for choice in question.choices)
        groups = (Group(key=question.kind, style="buttons" if len(options) <= 5 else "select", options=options),)
    lines = (Text("line.decision", {"choice": chosen}),) if chosen else ()
    return Choices(groups=groups, lines=lines, missing=() if chosen else (Text("missing.decision"),))


def samples(state: State, question: Question) -> tuple[Decision, ...]:
    """Give every choice; for an aim the standing ones and the corners of the numbered points."""
    if question.kind != "aim":
        return tuple(map(Decision, question.choices))
    points = aim.points(find(state.galleys, question.about))
    corners = [_write(state, points[number][1], points[number][2]) for number in (0, 4, 20, 24)]
    return tuple(map(Decision, dict.fromkeys((*STANDING_AIMS, *corners))))


def find(galleys: Sequence[Galley], galley_id: str) -> Galley:
    """Find a galley by its id."""
    return next(galley for galley in galleys if galley.id == galley_id)


def shot(state: State, question: Question) -> aim.Shot:
    """Lay out the volley that a question about the aim is about."""
    firer, target = find(state.galleys, question.galley), find(state.galleys, question.about)
    count = volley.matches(firer.masts, hull.gap_mm(firer.pose, target.pose))
    return aim.Shot(firer, target, state.galleys, state.lying, (state.width_mm, state.height_mm), count)


def _aim(state: State, question: Question, words: str) -> str:
    if meant(words) in STANDING_AIMS:
        return meant(words)
    for letter, (name, x, y) in zip(_ONCE, aim.points(find(state.galleys, question.about)), strict=False):
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
    """Write a point of the table; one that lies off it is put on its edge."""
    x, y = min(max(x, 0.0), state.width_mm), min(max(y, 0.0), state.height_mm)
    return f"{number(x)},{number(y)}"


def _split(choice: str) -> tuple[int, int, int]:
    port, starboard, masts = re.split(r"[-+]", choice)
    return int(port), int(starboard), int(masts)


def _label(question: Question, choice: str) -> Text:
    if question.kind == "target":
        return Text("choice.target", {"galley": choice})
    if question.kind == "casualties":
        port, starboard, masts = _split(choice)
        return Text("choice.casualties", {"port": port, "starboard": starboard, "masts": masts})
    port, starboard = (int(part) for part in choice.split("-"))
    return Text("choice.wish", {"port": port, "starboard": starboard})


def _option(choice: str, label: Text, chosen: str) -> Option:
    token = choice.replace(",", "/")
    return Option(token=token, label=label, draft=choice, chosen=choice == chosen, seals=True)


def _aim_groups(state: State, question: Question, chosen: str) -> tuple[Group, ...]:
    volley_at = shot(state, question)
    chart = aim.near_map(volley_at)
    standing = []
    for kind in STANDING_AIMS:
        hits, misfire = aim.chances(chart, *aim.best(chart, kind))
        standing.append(_option(kind, _chances(f"choice.aim.{kind}", hits, misfire), chosen))
    numbered = []
    for point, x, y in aim.points(volley_at.target):
        choice = _write(state, x, y)
        hits, misfire = aim.chances(chart, x, y)
        label = _chances("choice.aim.point", hits, misfire, point=point)
        numbered.append(Option(token=point, label=label, draft=choice, chosen=choice == chosen, seals=True))
    return (
        Group(key="aim", style="buttons", options=tuple(standing)),
        Group(key="point", style="select", options=tuple(numbered)),
    )


def _chances(key: str, hits: float, misfire: float, **params: str) -> Text:
    return Text(key, {**params, "hits": round(hits, 2), "misfire": round(100 * misfire)})
