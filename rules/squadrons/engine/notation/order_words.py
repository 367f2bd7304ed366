"""Orders in words: what a line says, as sentences of the catalogue, for panels, stories and alt texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from rules.core.errors import OrderError, Scalar
from rules.core.view import Param, Text
from rules.interface.spans import join_id_ranges
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.notation.orders import (
    AnastropheOrder,
    BoardingOrder,
    BoardingParty,
    CutOrder,
    DoctrineLine,
    GrappleOrder,
    JettisonOrder,
    LeaderTransferOrder,
    MoveOrder,
    OrderLine,
    OrderStep,
    PassOrder,
    PassThroughOrder,
    RakeOrder,
    RamOrder,
    SailOrder,
    SquadronForm,
    VolleyOrder,
    VolleyTarget,
)

_MAX_BRIEF_PARTS: Final = 2
"""Parts of an order, where there is little room."""
_POINTS_PATTERN: Final = re.compile("m([0-9]+)")
_SQUADRON_PATTERN: Final = re.compile("[BR]?S?Q([0-9]+)")


def target_text(target: str) -> Text:
    """The target of orders in words: all, the rest, a squadron or a ship."""
    if target in ("all", "rest", "B", "R"):
        return Text("who.rest" if target == "rest" else "who.all")
    if found := _SQUADRON_PATTERN.fullmatch(target):
        return Text("who.squadron", {"number": found[1]})
    return Text("who.ship", {"ship": target})


def ship_ranges(names: Sequence[str]) -> tuple[Text, ...]:
    """Ships one after another, three or more that follow each other by number as `B1–B5`."""
    return tuple(Text("who.ship", {"ship": name}) for name in join_id_ranges(names))


# --- lines -------------------------------------------------------------------------------------------------------


def line_text(found: OrderLine, *, follow: bool = False) -> Text:
    """What a line says, both of its branches."""
    first = (*_announced_texts(found), *step_texts(found.steps)) or (Text("order.stay"),)
    if follow:
        first = (Text("order.follow"), *first)
    if found.alternative is None:
        return Text("order.alone", {"first": first})
    then = step_texts(found.alternative) or (Text("order.blank"),)
    return Text("order.else", {"first": first, "then": then})


def attack_text(who: tuple[Text, ...], found: OrderLine, *, follow: bool = False, **odds: Scalar) -> Text:
    """Who attacks, with what odds (`need`, `dice`, `chance`), and by what course: that comes last, if it can."""
    before = (*_announced_texts(found), *step_texts(found.steps[:-1]))
    if follow or not before or found.alternative is not None or isinstance(found.steps[-1], MoveOrder):
        return Text("line.odds", {"who": who, "orders": (line_text(found, follow=follow),), **odds})
    return Text("line.odds.first", {"who": who, "deed": step_texts(found.steps[-1:]), "course": before, **odds})


def sort_attacks_first(lines: Iterable[Text]) -> tuple[Text, ...]:
    """Lines of orders, with the attacks whose odds are known before all others."""
    return tuple(sorted(lines, key=lambda one: not one.key.startswith("line.odds")))


def _announced_texts(found: OrderLine) -> tuple[Text, ...]:
    return () if found.mp is None else (Text("order.points", {"n": found.mp}),)


def brief_text(key: str, found: OrderLine | None, **params: Param) -> Text:
    """The beginning of a line, where there is little room: a sentence of a key, or `.more` or `.none` of it."""
    if found is None:
        return Text(f"{key}.none", params)
    said = step_texts(found.steps) or (Text("order.stay"),)
    more = found.alternative or len(said) > _MAX_BRIEF_PARTS
    return Text(f"{key}.more" if more else key, {**params, "orders": said[:_MAX_BRIEF_PARTS]})


def written_texts(text: str) -> tuple[Text, ...]:
    """Steps that were written in canonical notation, or points announced as `m5`; else the text as it stands."""
    if found := _POINTS_PATTERN.fullmatch(str(text)):
        return (Text("order.points", {"n": int(found[1])}),)
    try:
        return step_texts(order_text.parse_body("", str(text)).steps) or (Text("order.stay"),)
    except OrderError:
        return (Text("order.typed", {"orders": str(text)}),)


def step_texts(found: Sequence[OrderStep]) -> tuple[Text, ...]:
    """Steps, those that are repeated told together."""
    return tuple(text for step, same in groupby(found) for text in _step_texts(step, len([*same])))


def _step_texts(step: OrderStep, times: int) -> Iterator[Text]:
    match step:
        case MoveOrder(code):
            yield _move_text(code, times)
        case VolleyOrder(shots, flame):
            for number, shot in enumerate(shots):
                yield _shot_text(shot, flame=flame and not number)
        case _:
            yield _order_text(step)


def _move_text(code: str, times: int) -> Text:
    if code in ("F", "B"):
        return Text(f"order.{code}", {"n": times})
    return Text(f"order.{code}") if times == 1 else Text("order.times", {"n": times, "what": (Text(f"order.{code}"),)})


def _shot_text(shot: VolleyTarget, *, flame: bool) -> Text:
    params: dict[str, Scalar] = {"target": shot.target}
    if shot.m is not None:
        return Text("order.fire.flame.some" if flame else "order.fire.some", {**params, "m": shot.m})
    return Text("order.fire.flame" if flame else "order.fire", params)


def _order_text(step: OrderStep) -> Text:  # noqa: PLR0911 - a table
    match step:
        case PassThroughOrder(target, side):
            return Text("order.X", {"target": target, "side": side})
        case AnastropheOrder(target, side, through):
            return Text("order.ana.through" if through else "order.ana", {"target": target, "side": side})
        case RakeOrder(target):
            return Text("order.rake", {"target": target})
        case RamOrder(target, pots):
            return Text("order.ram.pots" if pots else "order.ram", {"target": target})
        case GrappleOrder(target):
            return Text("order.grap", {"target": target})
        case CutOrder(ships):
            return Text("order.cut", {"ships": ship_ranges(ships)})
        case SailOrder(up):
            return Text("order.sail.up" if up else "order.sail.down")
        case JettisonOrder():
            return Text("order.jettison")
        case LeaderTransferOrder(leader, to):
            return Text("order.xfer", {"leader": leader, "to": to})
    assert isinstance(step, PassOrder | MoveOrder | VolleyOrder)  # noqa: S101 - all others are above
    return Text("order.stay")


# --- the rest of a sheet -----------------------------------------------------------------------------------------


def boarding_text(found: BoardingOrder) -> Text:
    """A boarding in words: the target, and with how many men from each ship."""
    return Text("order.board", {"target": found.target, "by": tuple(map(_share_text, found.shares))})


def _share_text(share: BoardingParty) -> Text:
    if share.m is None:
        return Text("who.ship", {"ship": share.ship})
    return Text("order.share", {"ship": share.ship, "m": share.m})


def form_text(found: SquadronForm) -> Text:
    """How a squadron is formed."""
    named = {"who": (target_text(found.leader),), "ships": ship_ranges(found.ships)}
    if found.form == "astern":
        return Text(
            "order.astern", {"who": (target_text(found.leader),), "ships": tuple(map(target_text, found.ships))}
        )
    return (
        Text("order.range.with", named) if found.ships else Text("order.range", {"who": (target_text(found.leader),)})
    )


def doctrine_text(found: DoctrineLine) -> Text:
    """What all, a squadron or a ship do unasked from now on."""
    says = tuple(
        Text("says", {"key": (key_text(key),), "value": (value_text(key, value),)})
        for key, value in found.values.items()
    )
    if found.protect is not None:
        says = (
            *says,
            Text("says.protect", {"ships": ship_ranges(found.protect)}) if found.protect else Text("says.protect.none"),
        )
    return Text("line.doctrine", {"who": (target_text(found.who),), "says": says})


def key_text(key: str) -> Text:
    """The name of a key of doctrines."""
    return Text(f"doctrine.{key}")


def value_text(key: str, value: str) -> Text:
    """What a key of doctrines may be."""
    return Text(f"doctrine.{key}.{'both' if '+' in value else value}")
