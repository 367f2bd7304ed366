"""Victory points, fleets that withdraw, and when a battle is over (SQ-22)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import structs

from rules.core.protocol import Event
from rules.core.view import Param, Text
from rules.squadrons.engine import events
from rules.squadrons.engine.events import EndReason
from rules.squadrons.engine.notation.orders import SIDES, FleetSide
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea.state import Position, Ship, other_side
from rules.squadrons.engine.tables import TABLES

Points = tuple[int, int]
"""Of Blue and Red."""
CAPTURE_BONUS = 1
"""Victory points for holding a captured ship (SQ-22.2)."""
WITHDRAWAL_BONUS = 25
"""Victory points when the other fleet withdraws (SQ-22.7)."""


class Ending(NamedTuple):
    """Why a battle ends, and for which side."""

    winner: FleetSide | Literal["draw"]
    reason: EndReason
    withdrawer_won: bool = False
    """The fleet that withdrew has won."""


def hull_points(ship: Ship) -> int:
    """The victory points that a hull has brought the enemy of her builder (SQ-22.1, SQ-22.2, SQ-22.3, SQ-22.4)."""
    if ship.status == "sunk":
        return ship.ram_defence
    if not ship.is_afloat:
        return 0
    scored = ship.rammed or ship.aground or ship.held in ("CAP", "CAP0")
    return (ship.ram_defence if scored else 0) + (CAPTURE_BONUS if ship.held == "CAP" else 0)


def victory_points(position: Position) -> Points:
    """The victory points of both sides (SQ-22.1, SQ-22.2, SQ-22.3, SQ-22.4)."""
    blue, red = (
        position.bonus[number] + sum(hull_points(ship) for ship in position.ships if ship.builder != side)
        for number, side in enumerate(SIDES)
    )
    return blue, red


def score_text(position: Position, side: FleetSide | None) -> Text | None:
    """How points stand for a side (None: for everybody), as soon as there are any (SQ-22.1)."""
    blue, red = victory_points(position)
    values = {"blue": blue, "red": red, "target": position.target}
    return Text(f"score.{side}" if side else "score", values) if blue or red else None


def end_reason_text(
    position: Position, end: events.GameEnded, told: Sequence[Event] = (), before: Position | None = None
) -> Text:
    """Why a battle has ended as it has, with what has scored for either side.

    `told` happened at its end, and `before` is how its last turn began: they say who withdrew, and which ship their
    Admiral was on.
    """
    gone = [one.side for one in told if isinstance(one, events.WithdrawalRolled) and one.ok]
    blue, red = (_score_breakdown(position, side, n, gone) for side, n in zip(SIDES, (end.blue, end.red), strict=True))
    scored: dict[str, Param] = {"blue": (blue,), "red": (red,)}
    if end.winner == "draw":
        return Text(f"reason.{end.reason}.drawn", {"points": end.blue, "against": end.red, **scored})
    own, theirs = (end.blue, end.red) if end.winner == "B" else (end.red, end.blue)
    values = {"side": end.winner, "points": own, "against": theirs, "target": position.target, **scored}
    if end.reason == "target" and theirs >= position.target:
        return Text("reason.target.both", values)
    if end.drawish:
        return Text(f"reason.{end.reason}.ahead", values)
    if gone and before and (ship := _lost_flagship(position, before, gone[0])):
        return Text(f"reason.{end.reason}.ship", {**values, "ship": ship})
    return Text(f"reason.{end.reason}", values)


def _lost_flagship(position: Position, before: Position, side: FleetSide) -> str | None:
    """The ship that a side's only Admiral was on when a turn began, if the side has lost her since."""
    admirals = before.admirals(side)
    ship = position.ships_by_id.get(admirals[0].ship) if len(admirals) == 1 else None
    return ship.id if ship and not (ship.is_afloat and ship.side == side) else None


def _score_breakdown(position: Position, side: FleetSide, total: int, gone: Sequence[FleetSide]) -> Text:
    """By what a side has its points: each of the enemy's hulls under the worst that happened to it.

    And what it has because the enemy is among those who are `gone`.
    """
    found: dict[str, list[Text]] = {"sunk": [], "taken": [], "rammed": [], "aground": []}
    for ship in position.ships:
        if ship.builder != side and hull_points(ship):
            held = ship.held in ("CAP", "CAP0")
            word = "sunk" if ship.status == "sunk" else "taken" if held else "rammed" if ship.rammed else "aground"
            found[word].append(Text("scored.ship", {"ship": ship.id, "points": hull_points(ship)}))
    what = [Text(f"scored.{word}", {"ships": tuple(ships)}) for word, ships in found.items() if ships]
    withdrawn = WITHDRAWAL_BONUS if other_side(side) in gone else 0
    what += [Text("scored.bonus", {"points": withdrawn})] if withdrawn else []
    if exits := position.bonus[SIDES.index(side)] - withdrawn:
        what.append(Text("scored.exits", {"points": exits}))
    return Text("scored.side", {"side": side, "points": total, "what": tuple(what) or (Text("scored.none"),)})


def max_points(position: Position) -> Points:
    """The most that either side can still reach (10.4 H)."""
    blue, red = (
        position.bonus[number]
        + sum(
            ship.ram_defence + (CAPTURE_BONUS if ship.status != "sunk" else 0)
            for ship in position.ships
            if ship.builder != side and ship.status != "exited"
        )
        for number, side in enumerate(SIDES)
    )
    return blue, red


def run_phase_h(play: TurnInProgress) -> Ending | None:
    """Phase H: victory points, fleets that withdraw, the end; or the next turn begins, and None (10.4 H)."""
    before = victory_points(play.position)
    play.add_event(events.ScoreCounted(blue=before[0], red=before[1], rule="SQ-22.1"))
    gone = [side for side in SIDES if _roll_withdrawal(play, side, before)]
    for side in gone:
        bonus = list(play.position.bonus)
        bonus[1 - SIDES.index(side)] += WITHDRAWAL_BONUS
        play.position = structs.replace(play.position, bonus=(bonus[0], bonus[1]))
    end = find_ending(play.position, gone)
    if end is None:
        _begin_next_turn(play)
        return None
    blue, red = victory_points(play.position)
    play.add_event(
        events.GameEnded(
            winner=end.winner,
            reason=end.reason,
            blue=blue,
            red=red,
            drawish=end.withdrawer_won,
            rule=_RULES[end.reason],
        )
    )
    return end


_RULES: dict[str, str] = {
    "withdrawal": "SQ-22.7",
    "target": "SQ-22.5",
    "eliminated": "SQ-22.10",
    "unreachable": "SQ-22.6",
    "limit": "SQ-22.6",
}


def _roll_withdrawal(play: TurnInProgress, side: FleetSide, before: Points) -> bool:
    """A side that has lost its only Admiral in this turn rolls (SQ-22.7)."""
    number = SIDES.index(side)
    initiative = play.position.lost[number]
    if initiative is None:
        return False
    die = play.throw_die("withdraw")
    total = die + initiative + (before[number] < before[1 - number])
    ok = total >= TABLES.need.withdraw
    play.add_event(events.WithdrawalRolled(side=side, die=die, total=total, ok=ok, rule="SQ-22.7"))
    return ok


def find_ending(position: Position, withdrawn: list[FleetSide]) -> Ending | None:
    """The first reason that applies to end a battle after a turn; None: it goes on (10.4 H)."""
    blue, red = victory_points(position)
    ahead: FleetSide | Literal["draw"] = "B" if blue > red else "R" if red > blue else "draw"
    if withdrawn:
        return Ending(ahead, "withdrawal", ahead in withdrawn)
    if max(blue, red) >= position.target and blue != red:
        return Ending(ahead, "target")
    left = [side for side in SIDES if any(ship.side == side and _is_fighting(ship) for ship in position.ships)]
    if len(left) < 2:
        return Ending(left[0] if left else ahead, "eliminated")
    if max(max_points(position)) < position.target:
        return Ending(ahead, "unreachable")
    if position.limit and position.turn >= position.limit:
        return Ending(ahead, "limit")
    return None


def _is_fighting(ship: Ship) -> bool:
    return ship.status in ("afloat", "waiting")


def _begin_next_turn(play: TurnInProgress) -> None:
    """What holds for a turn is over (SQ-17.11)."""
    ships = tuple(
        structs.replace(ship, done=False, repulsed=False, ram_tried=False, collided=False)
        for ship in play.position.ships
    )
    leaders = tuple(structs.replace(leader, tried=False) for leader in play.position.leaders)
    play.position = structs.replace(
        play.position,
        turn=play.position.turn + 1,
        phase="A",
        ships=ships,
        leaders=leaders,
        lost=(None, None),
    )
