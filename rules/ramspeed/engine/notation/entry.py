"""Checks of orders on entry, against the present position and undamaged ships (RS-21.4)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from rules.core.errors import IllegalOrder, OrderError, Scalar, UnreadableOrder
from rules.ramspeed.engine.orders import (
    AttackOrder,
    BackOrder,
    CrewTransferOrder,
    ExitOrder,
    FaceOrder,
    ForwardOrder,
    GrappleOrder,
    IgniteOrder,
    OrderStep,
    RamOrder,
    ShootOrder,
    SteerOrder,
    SwipeOrder,
    TurnOrder,
    VeerOrder,
)
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS

ENTRY_RULE: Final = "RS-21.4"
_UNREADABLE_CODES: Final = ("bad_line", "bad_step", "empty_step")
_MAX_EXCERPT_CHARS: Final = 60


def require_ship(position: Position, name: str, number: int, text: str) -> Ship:
    """Return a ship of the game by id in any case. Raises `OrderError`."""
    try:
        return position.ship_by_id(name.upper())
    except KeyError:
        all_ids = ", ".join(ship.id for ship in position.ships if ship.is_afloat)
        raise entry_error("unknown_ship", number, text, ship=name.upper(), known=all_ids) from None


def entry_error(code: str, line: int, piece: str, **params: Scalar) -> OrderError:
    piece = " ".join(piece.split())
    excerpt = piece if len(piece) <= _MAX_EXCERPT_CHARS else piece[: _MAX_EXCERPT_CHARS - 1] + "…"
    if code in _UNREADABLE_CODES:
        return UnreadableOrder(code, rule=ENTRY_RULE, piece=excerpt, line=line, **params)
    return IllegalOrder(code, ENTRY_RULE, piece=excerpt, line=line, **params)


def named_ship(step: OrderStep) -> str:
    """Return the id of the other ship that a step names, or ""."""
    match step:
        case RamOrder() | SwipeOrder() | GrappleOrder() | ShootOrder() | SteerOrder() | FaceOrder():
            return step.target
        case CrewTransferOrder():
            return step.partner
    return ""


class CheckedAlternative(NamedTuple):
    """An alternative to check against RS-21.4; each check raises `OrderError`."""

    ship: Ship
    position: Position
    number: int  # of the line in the sheet, from 1
    text: str  # as typed, for error messages
    steps: tuple[OrderStep, ...]

    def check_sequence(self) -> None:
        """Allow `[shoot] [manoeuvre] [transfer] [shoot]` or an attack, each after an optional `ignite` (RS-21).

        There is at most one shot, first or last and never with an attack (RS-14.1). Only biremes turn and move
        (RS-05.6).
        """
        steps = self.steps[1:] if isinstance(self.steps[0], IgniteOrder) else self.steps
        ignites = len(steps) < len(self.steps)  # `ignite` was the first step
        letters = "".join(map(_step_letter, steps))  # such as `sm`: a shot, then a manoeuvre
        if "a" in letters and "s" in letters:
            raise self._error("shot_and_attack")
        if "s" in letters and ignites:
            raise self._error("shot_and_fire")
        if re.search("m.*m", letters) and not self._is_pair(steps):
            raise self._error("turn_and_move" if not self.ship.ship_class.turn_and_move else "bad_sequence")
        if not re.fullmatch("(?:m?a|s?m{0,2}t?|m{0,2}t?s)", letters) or not (letters or ignites):
            raise self._error("bad_sequence")
        if "a" in letters and "m" in letters:  # a manoeuvre before an attack
            first = steps[0]
            if isinstance(first, TurnOrder) and not self.ship.ship_class.turn_and_move:
                raise self._error("turn_and_move")
            if not isinstance(first, TurnOrder | VeerOrder | ForwardOrder):
                raise self._error("bad_sequence")
        if any(isinstance(step, ExitOrder) for step in steps):
            if not self.position.exit:
                raise self._error("no_exit")
            if "t" in letters:
                raise self._error("exit_transfer")

    def _is_pair(self, steps: tuple[OrderStep, ...]) -> bool:
        """Return whether the manoeuvres are a bireme's pair (RS-05.7)."""
        kinds = [type(step) for step in steps if _step_letter(step) == "m"]
        pairs = ([TurnOrder, ForwardOrder], [TurnOrder, BackOrder], [ForwardOrder, TurnOrder], [BackOrder, TurnOrder])
        return self.ship.ship_class.turn_and_move and kinds in pairs

    def check_limits(self) -> None:
        """Refuse distances and angles beyond those of an undamaged ship of the class."""
        ship_class = self.ship.ship_class
        manoeuvres = [step for step in self.steps if _step_letter(step) == "m"]
        attack = next((step for step in self.steps if isinstance(step, AttackOrder)), None)
        is_pair = len(manoeuvres) > 1
        share = CONSTANTS.halved if is_pair else 1.0  # of the allowance
        max_ahead = ship_class.fwd * share + (ship_class.ram_bonus if isinstance(attack, RamOrder) else 0.0)
        max_turn = min(ship_class.turn, CONSTANTS.opening_turn_max) if is_pair or attack else ship_class.turn
        for step in self.steps:
            match step:
                case ForwardOrder(inches=inches) | VeerOrder(inches=inches) | SteerOrder(inches=inches) if (
                    inches is not None
                ):
                    self._refuse_above("too_far_ahead", inches, max_ahead)
                case BackOrder(inches=inches):
                    self._refuse_above("too_far_back", inches, ship_class.back * share)
                case SwipeOrder(past=past):
                    if past < CONSTANTS.past_min:
                        raise self._error("past_too_short", least=CONSTANTS.past_min)
                    self._refuse_above("past_too_far", past, ship_class.fwd)
                case CrewTransferOrder(crew=0):
                    raise self._error("nobody_goes")
            match step:
                case TurnOrder(degrees=degrees):
                    self._refuse_above("turn_too_far", degrees, max_turn)
                case VeerOrder(degrees=degrees):
                    self._refuse_above("veer_too_far", degrees, CONSTANTS.veer_max)
            if isinstance(step, TurnOrder | VeerOrder) and not step.degrees:
                raise self._error("no_turn")

    def check_targets(self) -> None:
        """Refuse orders against the ship itself or its own side; a friend in a melee may be grappled (RS-10.7)."""
        side = self.position.side_of_ship(self.ship)
        for step in self.steps:
            name = named_ship(step)
            if name == self.ship.id:
                raise self._error("own_self", ship=name)
            if isinstance(step, RamOrder | SwipeOrder | ShootOrder):
                target = self.position.ship_by_id(name)
                if self.position.side_of_ship(target) == side:
                    raise self._error("own_side", target=name)

    def _refuse_above(self, code: str, value: float, most: float) -> None:
        if value > most:
            raise self._error(code, given=value, most=most)

    def _error(self, code: str, **params: Scalar) -> OrderError:
        return entry_error(code, self.number, self.text, **{"ship": self.ship.id, **params})


def _step_letter(step: OrderStep) -> str:
    """Return a letter for a step: `a` attack, `s` shot, `t` transfer, `i` ignite, `m` manoeuvre."""
    match step:
        case RamOrder() | SwipeOrder() | GrappleOrder():
            return "a"
        case ShootOrder():
            return "s"
        case CrewTransferOrder():
            return "t"
        case IgniteOrder():
            return "i"
    return "m"
