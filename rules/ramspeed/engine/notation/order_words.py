"""Orders as sentences of the catalogue, for panels, stories and alt texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.core.errors import Scalar
from rules.core.view import Text
from rules.ramspeed.engine import orders
from rules.ramspeed.engine.notation import sheets
from rules.ramspeed.engine.notation.doctrine import DOCTRINE_KEYS
from rules.ramspeed.engine.tables import CONSTANTS

_ROWING_STEPS: Final = (
    orders.ForwardOrder,
    orders.BackOrder,
    orders.VeerOrder,
    orders.TurnOrder,
    orders.SteerOrder,
    orders.FaceOrder,
)
_REACH_RULES: Final = {orders.RamOrder: "RS-08.5", orders.SwipeOrder: "RS-09.6", orders.GrappleOrder: "RS-10.1"}
_MAX_BRIEF_STEPS: Final = 2


def order_sentences(order: str) -> tuple[Text, ...]:
    """Return the sentences of an alternative or step in canonical notation. Raises `IllegalOrder`."""
    return step_sentences(sheets.parse_steps(order))


def attempt_sentences(order: str) -> tuple[Text, ...]:
    """Return the sentences of an alternative's attacks and shots, without the way to the target."""
    steps = sheets.parse_steps(order)
    return step_sentences([step for step in steps if isinstance(step, orders.AttackOrder | orders.ShootOrder)])


def reach_rule(order: str) -> str:
    """Return the rule on how far the attack of an alternative reaches; empty without one."""
    attacks = [step for step in sheets.parse_steps(order) if isinstance(step, orders.AttackOrder)]
    return _REACH_RULES[type(attacks[0])] if attacks else ""


def angle_reason(order: str, rule: str) -> str:
    """Return the key of the reason for an attack at a bad angle (RS-07.4), which has its limit; else an empty text."""
    attacks = [step for step in sheets.parse_steps(order) if isinstance(step, orders.AttackOrder)]
    if rule != "RS-07.4" or not attacks:
        return ""
    return "angle.ram" if isinstance(attacks[0], orders.RamOrder) else "angle.alongside"


def is_rowing(order: str) -> bool:
    """Return whether an alternative in canonical notation moves or turns the ship, without an attack."""
    steps = sheets.parse_steps(order)
    has_attack = any(isinstance(step, orders.AttackOrder) for step in steps)
    return not has_attack and any(isinstance(step, _ROWING_STEPS) for step in steps)


def chain_sentence(alternatives: Sequence[orders.Alternative]) -> Text:
    first, *others = alternatives
    sentences = step_sentences(first.steps)
    if not others:
        return Text("order.alone", {"first": sentences})
    return Text("order.else", {"first": sentences, "then": (chain_sentence(others),)})


def brief_sentence(key: str, line: orders.OrderLine | None, **params: Scalar) -> Text:
    """Return a short sentence for a ship's first alternative, by the key `key`, `key.more` or `key.none`."""
    if line is None:
        return Text(f"{key}.none", params)
    first, *others = line.alternatives
    sentences = step_sentences(first.steps)
    has_more = others or len(sentences) > _MAX_BRIEF_STEPS
    return Text(f"{key}.more" if has_more else key, {**params, "orders": sentences[:_MAX_BRIEF_STEPS]})


def step_sentences(steps: Sequence[orders.OrderStep]) -> tuple[Text, ...]:
    has_attack = any(isinstance(step, orders.AttackOrder) for step in steps)
    to_sentences = _pivot_sentences if has_attack else _step_sentence
    return tuple(text for step in steps for text in to_sentences(step))


def _pivot_sentences(step: orders.OrderStep) -> tuple[Text, ...]:
    """Return the sentence of a step before an attack, where moves only give the pivot before the run."""
    match step:
        case orders.ForwardOrder():
            return (Text("order.straight"),)
        case orders.VeerOrder():
            return (Text(f"order.pivot.{step.side}", {"degrees": step.degrees}),)
    return _step_sentence(step)


def _step_sentence(step: orders.OrderStep) -> tuple[Text, ...]:  # noqa: PLR0911 - a table
    match step:
        case orders.IgniteOrder():
            return (Text("order.ignite"),)
        case orders.RamOrder(target):
            return (Text("order.ram", {"target": target}),)
        case orders.SwipeOrder(target, past, side):
            past_sentence = (Text("order.past", {"inches": past}),) if past != CONSTANTS.past_min else ()
            return (Text("order.swipe", {"target": target}), *past_sentence, *_side_sentence(side))
        case orders.GrappleOrder(target, side):
            return (Text("order.grapple", {"target": target}), *_side_sentence(side))
        case orders.ShootOrder(target, kind):
            return (Text(f"order.shoot.{kind}", {"target": target}),)
        case orders.CrewTransferOrder(crew, way, partner):
            return (Text(f"choice.crew.{way}", {"ship": partner, "crew": crew}),)
    return _manoeuvre_sentence(step)


def _manoeuvre_sentence(step: orders.Manoeuvre) -> tuple[Text, ...]:  # noqa: PLR0911 - a table
    match step:
        case orders.ForwardOrder(inches):
            return (_ahead_sentence(inches),)
        case orders.BackOrder(inches):
            return (Text("order.back", {"inches": inches}),)
        case orders.TurnOrder(degrees, side):
            return (Text(f"order.turn.{side}", {"degrees": degrees}),)
        case orders.VeerOrder(degrees, side, inches):
            return (Text(f"order.pivot.{side}", {"degrees": degrees}), _ahead_sentence(inches))
        case orders.SteerOrder(target, inches):
            return (Text("order.steer", {"target": target, "inches": inches}),)
        case orders.FaceOrder(target):
            return (Text("order.face", {"target": target}),)
        case orders.StayOrder():
            return (Text("order.stay"),)
        case orders.LaunchOrder():
            return (Text("order.launch"),)
        case orders.ExitOrder():
            return (Text("order.exit"),)


def _ahead_sentence(inches: float | None) -> Text:
    return Text("order.ahead") if inches is None else Text("order.fwd", {"inches": inches})


def _side_sentence(side: str) -> tuple[Text, ...]:
    return (Text(f"order.beside.{side}"),) if side else ()


def doctrine_sentence(line: orders.DoctrineLine) -> Text:
    says = tuple(
        Text(f"says.{key}", {"value": (value_sentence(key, str(value)),)})
        for key in DOCTRINE_KEYS
        if (value := getattr(line, key)) is not None
    )
    if line.ship == "all":
        return Text("line.doctrine.all", {"says": says})
    return Text("line.doctrine", {"ship": line.ship, "says": says})


def value_sentence(key: str, value: str) -> Text:
    if key == "slip" and value.startswith("turn"):
        return Text(f"doctrine.slip.turn.{value[-1]}", {"degrees": int(value[4:-1])})
    if key == "prize" and value.isdigit():
        return Text("doctrine.prize.crew", {"crew": int(value)})
    return Text(f"doctrine.{key}.{value}")
