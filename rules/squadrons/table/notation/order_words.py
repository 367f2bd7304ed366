"""Orders in words: what a line says, as sentences of the catalogue, for panels, stories and alt texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from rules.errors import OrderError, Scalar
from rules.spans import spans
from rules.squadrons.table.notation import order_text
from rules.squadrons.table.notation.orders import (
    Anastrophe,
    Board,
    Cut,
    DoctrineLine,
    Fire,
    Form,
    Grapple,
    Jettison,
    Line,
    Move,
    Pass,
    Rake,
    Ram,
    Sail,
    Share,
    Shot,
    Step,
    Through,
    Transfer,
)
from rules.view import Param, Text

_BRIEF_MOST: Final = 2
"""Parts of an order, where there is little room."""
_POINTS: Final = re.compile("m([0-9]+)")
_SQUADRON: Final = re.compile("[BR]?S?Q([0-9]+)")


def who(target: str) -> Text:
    """The target of orders in words: all, the rest, a squadron or a ship."""
    if target in ("all", "rest", "B", "R"):
        return Text("who.rest" if target == "rest" else "who.all")
    if found := _SQUADRON.fullmatch(target):
        return Text("who.squadron", {"number": found[1]})
    return Text("who.ship", {"ship": target})


def ranged(names: Sequence[str]) -> tuple[Text, ...]:
    """Ships one after another, three or more that follow each other by number as `B1–B5`."""
    return tuple(Text("who.ship", {"ship": name}) for name in spans(names))


# --- lines -------------------------------------------------------------------------------------------------------


def line(found: Line, *, follow: bool = False) -> Text:
    """What a line says, both of its branches."""
    first = (*_announced(found), *steps(found.steps)) or (Text("order.stay"),)
    if follow:
        first = (Text("order.follow"), *first)
    if found.alternative is None:
        return Text("order.alone", {"first": first})
    then = steps(found.alternative) or (Text("order.blank"),)
    return Text("order.else", {"first": first, "then": then})


def attack(who: tuple[Text, ...], found: Line, *, follow: bool = False, **odds: Scalar) -> Text:
    """Who attacks, with what odds (`need`, `dice`, `chance`), and by what course: that comes last, if it can."""
    before = (*_announced(found), *steps(found.steps[:-1]))
    if follow or not before or found.alternative is not None or isinstance(found.steps[-1], Move):
        return Text("line.odds", {"who": who, "orders": (line(found, follow=follow),), **odds})
    return Text("line.odds.first", {"who": who, "deed": steps(found.steps[-1:]), "course": before, **odds})


def attacks_first(lines: Iterable[Text]) -> tuple[Text, ...]:
    """Lines of orders, with the attacks whose odds are known before all others."""
    return tuple(sorted(lines, key=lambda one: not one.key.startswith("line.odds")))


def _announced(found: Line) -> tuple[Text, ...]:
    return () if found.mp is None else (Text("order.points", {"n": found.mp}),)


def brief(key: str, found: Line | None, **params: Param) -> Text:
    """The beginning of a line, where there is little room: a sentence of a key, or `.more` or `.none` of it."""
    if found is None:
        return Text(f"{key}.none", params)
    said = steps(found.steps) or (Text("order.stay"),)
    more = found.alternative or len(said) > _BRIEF_MOST
    return Text(f"{key}.more" if more else key, {**params, "orders": said[:_BRIEF_MOST]})


def written(text: str) -> tuple[Text, ...]:
    """Steps that were written in canonical notation, or points announced as `m5`; else the text as it stands."""
    if found := _POINTS.fullmatch(str(text)):
        return (Text("order.points", {"n": int(found[1])}),)
    try:
        return steps(order_text.read_body("", str(text)).steps) or (Text("order.stay"),)
    except OrderError:
        return (Text("order.typed", {"orders": str(text)}),)


def steps(found: Sequence[Step]) -> tuple[Text, ...]:
    """Steps, those that are repeated told together."""
    return tuple(text for step, same in groupby(found) for text in _step(step, len([*same])))


def _step(step: Step, times: int) -> Iterator[Text]:
    match step:
        case Move(code):
            yield _move(code, times)
        case Fire(shots, flame):
            for number, shot in enumerate(shots):
                yield _shot(shot, flame=flame and not number)
        case _:
            yield _deed(step)


def _move(code: str, times: int) -> Text:
    if code in ("F", "B"):
        return Text(f"order.{code}", {"n": times})
    return Text(f"order.{code}") if times == 1 else Text("order.times", {"n": times, "what": (Text(f"order.{code}"),)})


def _shot(shot: Shot, *, flame: bool) -> Text:
    params: dict[str, Scalar] = {"target": shot.target}
    if shot.m is not None:
        return Text("order.fire.flame.some" if flame else "order.fire.some", {**params, "m": shot.m})
    return Text("order.fire.flame" if flame else "order.fire", params)


def _deed(step: Step) -> Text:  # noqa: PLR0911 - a table
    match step:
        case Through(target, side):
            return Text("order.X", {"target": target, "side": side})
        case Anastrophe(target, side, through):
            return Text("order.ana.through" if through else "order.ana", {"target": target, "side": side})
        case Rake(target):
            return Text("order.rake", {"target": target})
        case Ram(target, pots):
            return Text("order.ram.pots" if pots else "order.ram", {"target": target})
        case Grapple(target):
            return Text("order.grap", {"target": target})
        case Cut(ships):
            return Text("order.cut", {"ships": ranged(ships)})
        case Sail(up):
            return Text("order.sail.up" if up else "order.sail.down")
        case Jettison():
            return Text("order.jettison")
        case Transfer(leader, to):
            return Text("order.xfer", {"leader": leader, "to": to})
    assert isinstance(step, Pass | Move | Fire)  # noqa: S101 - all others are above
    return Text("order.stay")


# --- the rest of a sheet -----------------------------------------------------------------------------------------


def board(found: Board) -> Text:
    """A boarding in words: the target, and with how many men from each ship."""
    return Text("order.board", {"target": found.target, "by": tuple(map(_share, found.shares))})


def _share(share: Share) -> Text:
    if share.m is None:
        return Text("who.ship", {"ship": share.ship})
    return Text("order.share", {"ship": share.ship, "m": share.m})


def form(found: Form) -> Text:
    """How a squadron is formed."""
    named = {"who": (who(found.leader),), "ships": ranged(found.ships)}
    if found.form == "astern":
        return Text("order.astern", {"who": (who(found.leader),), "ships": tuple(map(who, found.ships))})
    return Text("order.range.with", named) if found.ships else Text("order.range", {"who": (who(found.leader),)})


def doctrine(found: DoctrineLine) -> Text:
    """What all, a squadron or a ship do unasked from now on."""
    says = tuple(
        Text("says", {"key": (key_of(key),), "value": (value_of(key, value),)}) for key, value in found.values.items()
    )
    if found.protect is not None:
        says = (
            *says,
            Text("says.protect", {"ships": ranged(found.protect)}) if found.protect else Text("says.protect.none"),
        )
    return Text("line.doctrine", {"who": (who(found.who),), "says": says})


def key_of(key: str) -> Text:
    """The name of a key of doctrines."""
    return Text(f"doctrine.{key}")


def value_of(key: str, value: str) -> Text:
    """What a key of doctrines may be."""
    return Text(f"doctrine.{key}.{'both' if '+' in value else value}")
