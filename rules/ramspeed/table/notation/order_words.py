"""Orders in words: what a line says, as sentences of the catalogue, for panels, stories and alt texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.errors import Scalar
from rules.ramspeed.table.notation import sheets
from rules.ramspeed.table.notation.doctrine import KEYS
from rules.ramspeed.table.orders import (
    Alternative,
    Attack,
    Back,
    DoctrineLine,
    Exit,
    Face,
    Fwd,
    Grapple,
    Ignite,
    Launch,
    Line,
    Manoeuvre,
    Ram,
    Shoot,
    Stay,
    Steer,
    Step,
    Swipe,
    Transfer,
    Turn,
    Veer,
)
from rules.ramspeed.table.tables import CONSTANTS
from rules.view import Text

_ROWS: Final = (Fwd, Back, Veer, Turn, Steer, Face)
_BRIEF_MOST: Final = 2
"""Steps of an order, where there is little room."""


def written(order: str) -> tuple[Text, ...]:
    """An alternative, or a step of one, that was written in canonical notation. Raises `IllegalOrder`."""
    return steps(sheets.read_steps(order))


def attempt(order: str) -> tuple[Text, ...]:
    """What an alternative, in canonical notation, does to another ship, without the way to her; empty: nothing."""
    return steps([step for step in sheets.read_steps(order) if isinstance(step, Attack | Shoot)])


def rows(order: str) -> bool:
    """Whether an alternative, in canonical notation, moves or turns a ship without an attack."""
    found = sheets.read_steps(order)
    return any(isinstance(step, _ROWS) for step in found) and not any(isinstance(step, Attack) for step in found)


def chain(alternatives: Sequence[Alternative]) -> Text:
    """What is tried one after the other."""
    first, *others = alternatives
    tried = steps(first.steps)
    if not others:
        return Text("order.alone", {"first": tried})
    return Text("order.else", {"first": tried, "then": (chain(others),)})


def brief(key: str, line: Line | None, **params: Scalar) -> Text:
    """What a ship tries first, where there is little room: a sentence of a key, or `.more` or `.none` of it."""
    if line is None:
        return Text(f"{key}.none", params)
    first, *others = line.alternatives
    tried = steps(first.steps)
    more = others or len(tried) > _BRIEF_MOST
    return Text(f"{key}.more" if more else key, {**params, "orders": tried[:_BRIEF_MOST]})


def steps(found: Sequence[Step]) -> tuple[Text, ...]:
    """One alternative, a step a sentence."""
    attacks = any(isinstance(step, Attack) for step in found)
    return tuple(text for step in found for text in (_pivot(step) if attacks else _step(step)))


def _pivot(step: Step) -> tuple[Text, ...]:
    """A step of an attack, whose moves are but the pivot before its run."""
    match step:
        case Fwd():
            return (Text("order.straight"),)
        case Veer():
            return (Text(f"order.pivot.{step.side}", {"degrees": step.degrees}),)
    return _step(step)


def _step(step: Step) -> tuple[Text, ...]:  # noqa: PLR0911 - a table
    match step:
        case Ignite():
            return (Text("order.ignite"),)
        case Ram(target):
            return (Text("order.ram", {"target": target}),)
        case Swipe(target, past, side):
            further = (Text("order.past", {"inches": past}),) if past != CONSTANTS.past_min else ()
            return (Text("order.swipe", {"target": target}), *further, *_beside(side))
        case Grapple(target, side):
            return (Text("order.grapple", {"target": target}), *_beside(side))
        case Shoot(target, kind):
            return (Text(f"order.shoot.{kind}", {"target": target}),)
        case Transfer(crew, way, partner):
            return (Text(f"choice.crew.{way}", {"ship": partner, "crew": crew}),)
    return _manoeuvre(step)


def _manoeuvre(step: Manoeuvre) -> tuple[Text, ...]:  # noqa: PLR0911 - a table
    match step:
        case Fwd(inches):
            return (_ahead(inches),)
        case Back(inches):
            return (Text("order.back", {"inches": inches}),)
        case Turn(degrees, side):
            return (Text(f"order.turn.{side}", {"degrees": degrees}),)
        case Veer(degrees, side, inches):
            return (Text(f"order.pivot.{side}", {"degrees": degrees}), _ahead(inches))
        case Steer(target, inches):
            return (Text("order.steer", {"target": target, "inches": inches}),)
        case Face(target):
            return (Text("order.face", {"target": target}),)
        case Stay():
            return (Text("order.stay"),)
        case Launch():
            return (Text("order.launch"),)
        case Exit():
            return (Text("order.exit"),)


def _ahead(inches: float | None) -> Text:
    return Text("order.ahead") if inches is None else Text("order.fwd", {"inches": inches})


def _beside(side: str) -> tuple[Text, ...]:
    return (Text(f"order.beside.{side}"),) if side else ()


def doctrine(line: DoctrineLine) -> Text:
    """What a ship, or each, is to do unasked from now on."""
    says = tuple(
        Text(f"says.{key}", {"value": (value_of(key, str(value)),)})
        for key in KEYS
        if (value := getattr(line, key)) is not None
    )
    if line.ship == "all":
        return Text("line.doctrine.all", {"says": says})
    return Text("line.doctrine", {"ship": line.ship, "says": says})


def value_of(key: str, value: str) -> Text:
    """What a key of a doctrine may be."""
    if key == "slip" and value.startswith("turn"):
        return Text(f"doctrine.slip.turn.{value[-1]}", {"degrees": int(value[4:-1])})
    if key == "prize" and value.isdigit():
        return Text("doctrine.prize.crew", {"crew": int(value)})
    return Text(f"doctrine.{key}.{value}")
