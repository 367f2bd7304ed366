"""Questions in the middle of a round: legal answers, their notation, and defaults."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from rules.core.errors import IllegalOrder, Scalar, UnreadableOrder, quote_excerpt
from rules.core.finding import find_by_id
from rules.core.protocol import Choices, Option
from rules.core.view import Text
from rules.interface.panels import select_menu, single_choice
from rules.matchbox.engine import aim, damage, hull
from rules.matchbox.engine.deciding import compared_gap_mm
from rules.matchbox.engine.notation import format_number
from rules.matchbox.engine.state import Decision, Galley, PendingDecision, State
from rules.matchbox.interface.standing_orders import notation_word

RULE_BY_KIND: Final = {
    "target": "MB-6.1",
    "aim": "MB-6.5",
    "casualties": "MB-7.1",
    "reorganize": "MB-7.3",
    "grapple": "MX-3.2",
    "prize": "MX-3.5",
}
STANDING_AIMS: Final = ("steady", "safe")
_POINT_PATTERN: Final = re.compile(r"@?\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)\s*[,\s]\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)")
"""An aim in mm, such as `@600,400.5`."""
_WELL_FORMED_PATTERN: Final = re.compile(r"[A-Z][0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}(\+[0-9]{1,2})?")
"""A choice such as `B1`, `4-2` or `1-1+1`, legal or not."""


def parse_decision(state: State, question: PendingDecision, text: str) -> Decision:
    """Return the decision in a text: a choice of the question, or an aim as `x,y`, numbered point, `steady` or `safe`.

    Raises `OrderError` for anything else.
    """
    words = text.strip()
    if question.kind == "aim":
        return Decision(_parse_aim(state, question, words))
    choice = re.sub(r"\s+", "", words).upper()
    if choice in question.choices:
        return Decision(choice)
    legal = ", ".join(question.choices)
    is_number_of_men = question.kind == "prize" and choice.isdecimal()
    if is_number_of_men or _WELL_FORMED_PATTERN.fullmatch(choice):
        raise IllegalOrder("not_a_choice", RULE_BY_KIND[question.kind], piece=quote_excerpt(text), legal=legal)
    raise UnreadableOrder("decision_unreadable", piece=quote_excerpt(text), legal=legal)


def example_values(state: State, question: PendingDecision) -> dict[str, Scalar]:
    """Return a choice of the question, or for an aim the middle of the table."""
    if question.kind == "aim":
        return {"point": f"{state.width_mm // 2:.0f},{state.height_mm // 2:.0f}"}
    return {"choice": question.choices[0]}


def default_decision(galleys: Sequence[Galley], question: PendingDecision) -> Decision:
    """Return the decision for a captain who makes none."""
    galley = find_by_id(galleys, question.galley)
    if question.kind in {"target", "grapple"}:
        gaps = {
            target: compared_gap_mm(hull.hull_gap_mm(galley, find_by_id(galleys, target)))
            for target in question.choices
        }
        return Decision(min(question.choices, key=lambda target: gaps[target]))
    if question.kind == "aim":
        return Decision("steady")
    if question.kind == "prize":
        return Decision(question.choices[0])
    if question.kind == "casualties":
        splits = [(port, starboard, masts) for port, starboard, masts in map(choice_numbers, question.choices)]
        return Decision("{}-{}+{}".format(*damage.choose_split(splits, galley, "seaworthy")))
    return Decision("{}-{}".format(*damage.reseat(galley, (0, 0))))


def draft_choices(state: State, question: PendingDecision, decided: Decision | None) -> Choices:
    """Return the legal choices, each a complete answer. An aim may be a standing one or a point near the target."""
    chosen = decided.choice if decided else ""
    if question.kind != "aim":
        labels = {choice: _choice_label(question, choice) for choice in question.choices}
        choices = single_choice(question.kind, labels, chosen, missing="missing.decision")
        return structs.replace(choices, lines=_decision_line(labels.get(chosen)))
    shot = aim.volley_of_decision(question, state.galleys, state.lying, state.sea)
    aim_map = aim.near_map(shot)
    labels_of_aims = {
        kind: _chance_text(f"choice.aim.{kind}", aim_map, *aim.best_point(aim_map, kind)) for kind in STANDING_AIMS
    }
    choices = single_choice("aim", labels_of_aims, chosen, missing="missing.decision")
    points = select_menu("point", _point_options(state, aim.aim_points(shot.target), aim_map, chosen))
    groups = (*choices.groups, points)
    label = next((option.label for group in groups for option in group.options if option.is_chosen), None)
    if chosen and label is None:  # a point that no option offers
        x, y = map(float, chosen.split(","))
        label = _chance_text("choice.aim.point", aim_map, x, y, point=chosen)
    return structs.replace(choices, groups=groups, lines=_decision_line(label))


def _decision_line(label: Text | None) -> tuple[Text, ...]:
    return (Text("line.decision", {"choice": (label,)}),) if label else ()


def _parse_aim(state: State, question: PendingDecision, words: str) -> str:
    """Return the aim in a text: `steady`, `safe`, or a point as `x,y`. The number of a point becomes its place."""
    if notation_word(words) in STANDING_AIMS:
        return notation_word(words)
    for name, x, y in aim.aim_points(find_by_id(state.galleys, question.about)):
        if words == name:
            return _format_point(state, x, y)
    match = _POINT_PATTERN.fullmatch(words)
    if not match:
        raise UnreadableOrder(
            "decision_unreadable",
            piece=quote_excerpt(words),
            legal=", ".join(STANDING_AIMS),
        )
    x, y = float(match[1]), float(match[2])
    if not (0 <= x <= state.width_mm and 0 <= y <= state.height_mm):
        raise IllegalOrder(
            "aim_off_table", "MB-6.5", piece=quote_excerpt(words), width_mm=state.width_mm, height_mm=state.height_mm
        )
    return _format_point(state, x, y)


def _format_point(state: State, x: float, y: float) -> str:  # moved onto the table
    x, y = min(max(x, 0.0), state.width_mm), min(max(y, 0.0), state.height_mm)
    return f"{format_number(x)},{format_number(y)}"


def choice_numbers(choice: str) -> tuple[int, ...]:  # `1-1+1` becomes (1, 1, 1)
    return tuple(map(int, re.split(r"[-+]", choice)))


def _choice_label(question: PendingDecision, choice: str) -> Text:
    if question.kind in {"target", "grapple"}:
        return Text(f"choice.{question.kind}", {"galley": choice})
    if question.kind == "prize":
        return Text("choice.prize", {"crew": int(choice)})
    key = "choice.casualties" if question.kind == "casualties" else "choice.wish"
    return Text(key, dict(zip(("port", "starboard", "masts"), choice_numbers(choice), strict=False)))


def _point_options(
    state: State, points: Sequence[tuple[str, float, float]], chart: aim.AimMap, chosen: str
) -> Iterator[Option]:
    for name, x, y in points:
        choice = _format_point(state, x, y)
        label = _chance_text("choice.aim.point", chart, x, y, point=name)
        yield Option(name, label, draft=choice, is_chosen=choice == chosen, seals_answer=True)


def _chance_text(key: str, chart: aim.AimMap, x: float, y: float, **params: str) -> Text:
    hits, misfire = aim.chances_at(chart, x, y)
    return Text(key, {**params, "hits": round(hits, 2), "misfire": round(100 * misfire)})
