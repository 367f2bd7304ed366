"""Orders in words, as texts of the catalogue for panels, stories and alt texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from rules.core.errors import OrderError, Scalar
from rules.core.view import Param, Text
from rules.interface.typed import join_id_ranges
from rules.squadrons.engine.notation import order_text, orders

_MAX_BRIEF_PARTS: Final = 2
_TURNS_ON_THE_SPOT: Final = ("tp", "ts", "wp", "ws")  # with long names, two of which are too wide for a phone
_POINTS_PATTERN: Final = re.compile("m([0-9]+)")
_SQUADRON_PATTERN: Final = re.compile("[BR]?S?Q([0-9]+)")


def target_text(target: str) -> Text:
    if target in ("all", "rest", "B", "R"):
        return Text("who.rest" if target == "rest" else "who.all")
    if match := _SQUADRON_PATTERN.fullmatch(target):
        return Text("who.squadron", {"number": match[1]})
    return Text("who.ship", {"ship": target})


def ship_ranges(names: Sequence[str]) -> tuple[Text, ...]:
    """Return ships as texts, three or more consecutive numbers as a range such as `B1–B5`."""
    return tuple(Text("who.ship", {"ship": name}) for name in join_id_ranges(names))


# --- lines -------------------------------------------------------------------------------------------------------


def line_text(line: orders.OrderLine, *, follow: bool = False) -> Text:
    first = (*_announced_texts(line), *step_texts(line.steps)) or (Text("order.stay"),)
    if follow:
        first = (Text("order.follow"), *first)
    if line.alternative is None:
        return Text("order.alone", {"first": first})
    then = step_texts(line.alternative) or (Text("order.blank"),)
    return Text("order.else", {"first": first, "then": then})


def attack_text(who: tuple[Text, ...], line: orders.OrderLine, *, follow: bool = False, **odds: Scalar) -> Text:
    """Return the text of an attack: the attackers, their odds (`need`, `dice`, `chance`) and their course.

    With `board` (the throw for the boarding that follows a grapple) and `both` (the chance of both), it says these too.

    The course comes after the odds, unless the line follows another ship, has an `else` branch or consists of one step.
    """
    course = (*_announced_texts(line), *step_texts(line.steps[:-1]))
    if follow or not course or line.alternative is not None or isinstance(line.steps[-1], orders.MoveOrder):
        key = "line.odds.board" if "board" in odds else "line.odds"
        return Text(key, {"who": who, "orders": (line_text(line, follow=follow),), **odds})
    key = "line.odds.first.board" if "board" in odds else "line.odds.first"
    return Text(key, {"who": who, "deed": step_texts(line.steps[-1:]), "course": course, **odds})


def sort_attacks_first(lines: Iterable[Text]) -> tuple[Text, ...]:
    return tuple(sorted(lines, key=lambda line: not line.key.startswith("line.odds")))


def _announced_texts(line: orders.OrderLine) -> tuple[Text, ...]:
    return () if line.mp is None else (Text("order.points", {"n": line.mp}),)


def brief_text(key: str, line: orders.OrderLine | None, **params: Param) -> Text:
    """Return the first steps of a line: the text `key`, `key.more` if steps are left out, or `key.none`."""
    if line is None:
        return Text(f"{key}.none", params)
    steps = step_texts(line.steps) or (Text("order.stay"),)
    begins_with_turn = any(step == orders.MoveOrder(code) for step in line.steps[:1] for code in _TURNS_ON_THE_SPOT)
    max_parts = 1 if begins_with_turn else _MAX_BRIEF_PARTS
    has_more = line.alternative or len(steps) > max_parts
    return Text(f"{key}.more" if has_more else key, {**params, "orders": steps[:max_parts]})


def written_texts(text: str) -> tuple[Text, ...]:
    """Return steps in canonical notation, or announced points such as `m5`, in words. Any other text is quoted."""
    if match := _POINTS_PATTERN.fullmatch(str(text)):
        return (Text("order.points", {"n": int(match[1])}),)
    try:
        return step_texts(order_text.parse_body("", str(text)).steps) or (Text("order.stay"),)
    except OrderError:
        return (Text("order.typed", {"orders": str(text)}),)


def step_texts(steps: Sequence[orders.OrderStep]) -> tuple[Text, ...]:
    return tuple(text for step, repeats in groupby(steps) for text in _step_texts(step, len([*repeats])))


def _step_texts(step: orders.OrderStep, times: int) -> Iterator[Text]:
    match step:
        case orders.MoveOrder(code):
            yield _move_text(code, times)
        case orders.VolleyOrder(shots, flame):
            for number, shot in enumerate(shots):
                yield _shot_text(shot, flame=flame and not number)
        case _:
            yield _order_text(step)


def _move_text(code: str, times: int) -> Text:
    if code in ("F", "B"):
        return Text(f"order.{code}", {"n": times})
    return Text(f"order.{code}") if times == 1 else Text("order.times", {"n": times, "what": (Text(f"order.{code}"),)})


def _shot_text(shot: orders.VolleyTarget, *, flame: bool) -> Text:
    params: dict[str, Scalar] = {"target": shot.target}
    if shot.m is not None:
        return Text("order.fire.flame.some" if flame else "order.fire.some", {**params, "m": shot.m})
    return Text("order.fire.flame" if flame else "order.fire", params)


def _order_text(step: orders.OrderStep) -> Text:  # noqa: PLR0911 - a table
    match step:
        case orders.PassThroughOrder(target, side):
            return Text("order.X", {"target": target, "side": side})
        case orders.AnastropheOrder(target, side, through):
            return Text("order.ana.through" if through else "order.ana", {"target": target, "side": side})
        case orders.RakeOrder(target):
            return Text("order.rake", {"target": target})
        case orders.RamOrder(target, pots):
            return Text("order.ram.pots" if pots else "order.ram", {"target": target})
        case orders.GrappleOrder(target):
            return Text("order.grap", {"target": target})
        case orders.CutOrder(ships):
            return Text("order.cut", {"ships": ship_ranges(ships)})
        case orders.SailOrder(up):
            return Text("order.sail.up" if up else "order.sail.down")
        case orders.JettisonOrder():
            return Text("order.jettison")
        case orders.LeaderTransferOrder(leader, to):
            return Text("order.xfer", {"leader": leader, "to": to})
    assert isinstance(step, orders.PassOrder | orders.MoveOrder | orders.VolleyOrder)  # noqa: S101 - all others are above
    return Text("order.stay")


# --- the rest of a sheet -----------------------------------------------------------------------------------------


def boarding_text(boarding: orders.BoardingOrder) -> Text:
    return Text("line.board", {"target": boarding.target, "by": tuple(map(_share_text, boarding.shares))})


def _share_text(share: orders.BoardingParty) -> Text:
    if share.m is None:
        return Text("who.ship", {"ship": share.ship})
    return Text("order.share", {"ship": share.ship, "m": share.m})


def form_text(form: orders.SquadronForm) -> Text:
    squadron = (target_text(form.leader),)
    if form.form == "astern":
        return Text("order.astern", {"who": squadron, "ships": tuple(map(target_text, form.ships))})
    if form.ships:
        return Text("order.range.with", {"who": squadron, "ships": ship_ranges(form.ships)})
    return Text("order.range", {"who": squadron})


def doctrine_text(line: orders.DoctrineLine) -> Text:
    phrases = tuple(
        Text("says", {"key": (key_text(key),), "value": (value_text(key, value),)})
        for key, value in line.values.items()
    )
    if line.protect:
        phrases = (*phrases, Text("says.protect", {"ships": ship_ranges(line.protect)}))
    elif line.protect is not None:  # an empty list ends the protection
        phrases = (*phrases, Text("says.protect.none"))
    return Text("line.doctrine", {"who": (target_text(line.who),), "says": phrases})


def key_text(key: str) -> Text:
    return Text(f"doctrine.{key}")


def value_text(key: str, value: str) -> Text:
    return Text(f"doctrine.{key}.{'both' if '+' in value else value}")
