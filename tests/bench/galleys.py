"""A turn of the fleet game, 15 galleys against 15 that meet in two lines: all attack, and all defend themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from msgspec import structs

from rules.chance.dice import Dice
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.notation.orders import DoctrineLine, Doctrines, Speed, SquadronActivation, SquadronOrders
from rules.squadrons.engine.phases.activation import activation
from rules.squadrons.engine.phases.aftermath import recovery, victory
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.play import RecordedDice, TurnInProgress
from rules.squadrons.engine.sea import position_text
from rules.squadrons.engine.sea.state import Phase, Position

EACH = 15  # ships a side
TURNS = 20  # turns, each with other dice
HEADER = "squadrons 3 {phase} 44x28 - vp=55 limit=12 bonus=0/0 lost=-/-"
CODES = ("5", "5m", "4", "cat3", "3")
EAGER = Doctrines(tuple(DoctrineLine(who=side, values={"avoid": "any", "board": "always"}) for side in "BR"))


def lines() -> Position:
    records = [HEADER.format(phase="A")]
    for number in range(EACH):
        code = CODES[number % len(CODES)]
        records.append(f"B{number + 1} {code}@{4 + 2 * number:02}17N C")
        records.append(f"R{number + 1} {code}@{5 + 2 * number:02}12S C")
    for number in range(3):
        name = "SqC" if number else "Steady"
        records += [f"lead {side}L{number + 1} {name}@{side}{5 * number + 3}" for side in "BR"]
    return position_text.parse_position(" ; ".join(records))


def _orders(own: str, enemy: str) -> SquadronOrders:
    return order_text.parse_orders(
        "\n".join(
            f"{own}{n}: F4 rake {enemy}{n} fire {enemy}{n} | else P ram {enemy}{n} grap {enemy}{n}"
            for n in range(1, EACH + 1)
        )
    )


def _turn(lying: Position, orders: dict[str, SquadronOrders], seed: str) -> Position:
    """Carry out phases A to H, with all galleys at the speed that most of them can row."""
    play = TurnInProgress(lying, RecordedDice(Dice(seed=seed)), EAGER)
    formed = turn_start.run_phase_b(play, {})
    turn_start.run_phase_c(play)
    fast: dict[str, Speed] = {ship.id: "M" for ship in lying.ships}
    turn_start.run_phase_d(play, {"B": fast, "R": fast})
    for squadron in sorted(formed, key=lambda squadron: (squadron.number == 0, squadron.number, squadron.side)):
        phase = "E" if squadron.number else "F"
        play = TurnInProgress(_at(play.position, phase), play.dice_source, EAGER)
        if activation.ready_galleys(play.position, squadron):
            activation.activate_squadrons(
                play, formed, SquadronActivation(squadron=squadron.flagship, orders=orders[squadron.side])
            )
    play = TurnInProgress(_at(play.position, "G"), play.dice_source, EAGER)
    recovery.run_phase_g(play)
    victory.run_phase_h(play)
    return play.position


def _at(lying: Position, phase: Phase) -> Position:
    return structs.replace(lying, phase=phase)


def turns() -> Iterable[Callable[[], object]]:
    lying, orders = lines(), {"B": _orders("B", "R"), "R": _orders("R", "B")}
    return [partial(_turn, lying, orders, f"{number:02x}") for number in range(TURNS)]
