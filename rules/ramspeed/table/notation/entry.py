"""What is refused when it is entered: against the table as it lies then, and ships as they were built (RS-21.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rules.errors import IllegalOrder, OrderError, Scalar, UnreadableOrder
from rules.ramspeed.table.orders import (
    Attack,
    Back,
    Exit,
    Face,
    Fwd,
    Grapple,
    Ignite,
    Ram,
    Shoot,
    Steer,
    Step,
    Swipe,
    Transfer,
    Turn,
    Veer,
)
from rules.ramspeed.table.state import Position, Ship
from rules.ramspeed.table.tables import CONSTANTS

RULE: Final = "RS-21.4"
_NO_ORDER: Final = ("bad_line", "bad_step")
"""Codes of what is written in no way that this game knows."""
"""By which everything is refused here."""
_EXCERPT_MOST: Final = 60
"""Characters of a player's own text that a refusal quotes."""


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, with their numbers from 1."""
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def known(position: Position, name: str, number: int, text: str) -> Ship:
    """A ship of the game by her id. Raises `OrderError`."""
    try:
        return position.ship(name.upper())
    except KeyError:
        every = ", ".join(ship.id for ship in position.ships)
        raise refused("unknown_ship", number, text, ship=name.upper(), known=every) from None


def refused(code: str, line: int, piece: str, **params: Scalar) -> OrderError:
    """Refuse a piece of a line; what is no order of this game at all can't be read."""
    piece = " ".join(piece.split())
    short = piece if len(piece) <= _EXCERPT_MOST else piece[: _EXCERPT_MOST - 1] + "…"
    if code in _NO_ORDER:
        return UnreadableOrder(code, rule=RULE, piece=short, line=line, **params)
    return IllegalOrder(code, RULE, piece=short, line=line, **params)


def named(step: Step) -> str:
    """The other ship that a step names; empty if none."""
    match step:
        case Ram() | Swipe() | Grapple() | Shoot() | Steer() | Face():
            return step.target
        case Transfer():
            return step.partner
    return ""


class Checked(NamedTuple):
    """An alternative that is held against RS-21.4."""

    ship: Ship
    position: Position
    number: int
    text: str
    steps: tuple[Step, ...]

    def sequence(self) -> None:
        """Only sequences of part 8.2: `[shoot] [manoeuvre] [transfer] [shoot]`, an attack, each after `ignite`.

        One shot, first or last, never with an attack (RS-14.1); only biremes turn and move (RS-05.6).
        """
        steps = self.steps[1:] if isinstance(self.steps[0], Ignite) else self.steps
        ignites, letters = len(steps) < len(self.steps), "".join(map(_letter_of, steps))
        if "a" in letters and "s" in letters:
            raise self._refused("shot_and_attack")
        if "s" in letters and ignites:
            raise self._refused("shot_and_fire")
        if re.search("m.*m", letters) and not self._pair(steps):
            raise self._refused("turn_and_move" if not self.ship.kind.turn_and_move else "bad_sequence")
        if not re.fullmatch("(?:m?a|s?m{0,2}t?|m{0,2}t?s)", letters) or not (letters or ignites):
            raise self._refused("bad_sequence")
        if "a" in letters and "m" in letters:
            first = steps[0]
            if isinstance(first, Turn) and not self.ship.kind.turn_and_move:
                raise self._refused("turn_and_move")
            if not isinstance(first, Turn | Veer | Fwd):
                raise self._refused("bad_sequence")
        if any(isinstance(step, Exit) for step in steps):
            if not self.position.exit:
                raise self._refused("no_exit")
            if "t" in letters:
                raise self._refused("exit_transfer")

    def _pair(self, steps: tuple[Step, ...]) -> bool:
        """Whether the manoeuvres are a bireme's pair (RS-05.7)."""
        kinds = [type(step) for step in steps if _letter_of(step) == "m"]
        pairs = ([Turn, Fwd], [Turn, Back], [Fwd, Turn], [Back, Turn])
        return self.ship.kind.turn_and_move and kinds in pairs

    def limits(self) -> None:
        """No distance or angle is above what an undamaged ship of the class can do."""
        kind, letters = self.ship.kind, "".join(map(_letter_of, self.steps))
        attack = next((step for step in self.steps if isinstance(step, Attack)), None)
        paired = letters.count("m") > 1
        share = CONSTANTS.halved if paired else 1.0
        ahead = kind.fwd * share + (kind.ram_bonus if isinstance(attack, Ram) else 0.0)
        turn = min(kind.turn, CONSTANTS.opening_turn_max) if paired or attack else kind.turn
        for step in self.steps:
            match step:
                case Fwd(inches=inches) | Veer(inches=inches) | Steer(inches=inches) if inches is not None:
                    self._most("too_far_ahead", inches, ahead)
                case Back(inches=inches):
                    self._most("too_far_back", inches, kind.back * share)
                case Swipe(past=past):
                    if past < CONSTANTS.past_min:
                        raise self._refused("past_too_short", least=CONSTANTS.past_min)
                    self._most("past_too_far", past, kind.fwd)
                case Transfer(crew=0):
                    raise self._refused("nobody_goes")
            match step:
                case Turn(degrees=degrees):
                    self._most("turn_too_far", degrees, turn)
                case Veer(degrees=degrees):
                    self._most("veer_too_far", degrees, CONSTANTS.veer_max)
            if isinstance(step, Turn | Veer) and not step.degrees:
                raise self._refused("no_turn")

    def targets(self) -> None:
        """No ship is her own target, or attacks her own side; but a friend in a melee may be grappled (RS-10.7)."""
        side = self.position.side_of(self.ship)
        for step in self.steps:
            name = named(step)
            if name == self.ship.id:
                raise self._refused("own_self", ship=name)
            if isinstance(step, Ram | Swipe | Shoot) and self.position.side_of(self.position.ship(name)) == side:
                raise self._refused("own_side", target=name)

    def _most(self, code: str, given: float, most: float) -> None:
        if given > most:
            raise self._refused(code, given=given, most=most)

    def _refused(self, code: str, **params: Scalar) -> OrderError:
        return refused(code, self.number, self.text, **{"ship": self.ship.id, **params})


def _letter_of(step: Step) -> str:
    """What a step is in a sequence: attack, shot, transfer, `ignite` out of its place, or a manoeuvre."""
    match step:
        case Ram() | Swipe() | Grapple():
            return "a"
        case Shoot():
            return "s"
        case Transfer():
            return "t"
        case Ignite():
            return "i"
    return "m"
