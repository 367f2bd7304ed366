"""Victory points, withdrawal, and the end of a battle (SQ-22)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import structs

from rules.core.protocol import Event
from rules.core.view import Param, Text
from rules.squadrons.engine import events
from rules.squadrons.engine.events import EndReason
from rules.squadrons.engine.notation.orders import SIDES, FleetSide
from rules.squadrons.engine.odds import non_zero
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea.state import Position, Ship, other_side
from rules.squadrons.engine.tables import TABLES

Points = tuple[int, int]  # victory points of Blue and Red
CAPTURE_BONUS = 1  # SQ-22.2
WITHDRAWAL_BONUS = 25  # SQ-22.7


class Ending(NamedTuple):
    winner: FleetSide | Literal["draw"]
    reason: EndReason
    withdrawer_won: bool = False  # the side that withdrew is ahead on points


def hull_points(ship: Ship) -> int:
    """Return the victory points of a hull for the enemy of her builder (SQ-22.1, SQ-22.2, SQ-22.3, SQ-22.4)."""
    if ship.status == "sunk":
        return ship.ram_defence
    if not ship.is_afloat:
        return 0
    is_scored = ship.rammed or ship.aground or ship.was_aground or ship.held in ("CAP", "CAP0")
    return (ship.ram_defence if is_scored else 0) + (CAPTURE_BONUS if ship.held == "CAP" else 0)


def enemy_hull_points(position: Position, side: FleetSide) -> tuple[str, str]:
    """Return the points of an enemy hull that is sunk or rammed, and captured, as a number or a range such as `6–8`."""
    hulls = [ship.ram_defence for ship in position.ships if ship.builder != side] or [0]
    least, most = min(hulls), max(hulls)
    ranges = ((least + bonus, most + bonus) for bonus in (0, CAPTURE_BONUS))
    sunk, captured = (str(low) if low == high else f"{low}–{high}" for low, high in ranges)
    return sunk, captured


def victory_points(position: Position) -> Points:  # SQ-22.1, SQ-22.2, SQ-22.3, SQ-22.4
    """Return the victory points of Blue and Red: each side scores for the hulls that the other one built."""
    blue_bonus, red_bonus = position.bonus
    blue = blue_bonus + sum(hull_points(ship) for ship in position.ships if ship.builder == "R")
    red = red_bonus + sum(hull_points(ship) for ship in position.ships if ship.builder == "B")
    return blue, red


def score_text(position: Position, side: FleetSide | None) -> Text | None:
    """Return the score as text, for a side or for everybody (None); None while nobody has points (SQ-22.1)."""
    blue, red = victory_points(position)
    values = {"blue": blue, "red": red, "target": position.target}
    return Text(f"score.{side}" if side else "score", values) if blue or red else None


def end_reason_text(
    position: Position, end: events.GameEnded, last_events: Sequence[Event] = (), before: Position | None = None
) -> Text:
    """Return why the battle ended, with each side's points. `before`: the position at the start of the last turn."""
    withdrawn = [event.side for event in last_events if isinstance(event, events.WithdrawalRolled) and event.ok]
    blue = _score_breakdown(position, "B", end.blue, withdrawn)
    red = _score_breakdown(position, "R", end.red, withdrawn)
    breakdowns: dict[str, Param] = {"blue": (blue,), "red": (red,)}
    if end.winner == "draw":
        return Text(f"reason.{end.reason}.drawn", {"points": end.blue, "against": end.red, **breakdowns})
    own_points, enemy_points = (end.blue, end.red) if end.winner == "B" else (end.red, end.blue)
    values = {
        "side": end.winner,
        "points": own_points,
        "against": enemy_points,
        "target": position.target,
        **breakdowns,
    }
    if end.reason == "target" and enemy_points >= position.target:
        return Text("reason.target.both", values)
    if end.reason == "eliminated" and not _has_ships(position, end.winner):
        return Text("reason.eliminated.gone", values)
    if end.drawish:
        return Text(f"reason.{end.reason}.ahead", values)
    if withdrawn and before and (ship := _lost_flagship(position, before, withdrawn[0])):
        return Text(f"reason.{end.reason}.ship", {**values, "ship": ship})
    return Text(f"reason.{end.reason}", values)


def _lost_flagship(position: Position, before: Position, side: FleetSide) -> str | None:
    """Return the ship of a side's only Admiral in the position `before` if the side has lost her since, else None."""
    admirals = before.admirals(side)
    if len(admirals) != 1:
        return None
    ship = position.ships_by_id.get(admirals[0].ship)
    is_still_held = ship is not None and ship.is_afloat and ship.side == side
    return ship.id if ship and not is_still_held else None


def _score_breakdown(position: Position, side: FleetSide, total: int, withdrawn: Sequence[FleetSide]) -> Text:
    """Return a side's points by source: enemy hulls by their worst fate, the withdrawal bonus, and exits."""
    ships_by_fate: dict[str, list[Text]] = {"sunk": [], "taken": [], "rammed": [], "aground": []}
    for ship in position.ships:
        if ship.builder != side and hull_points(ship):
            text = Text("scored.ship", {"ship": ship.id, "points": hull_points(ship)})
            ships_by_fate[_worst_fate(ship)].append(text)
    sources = [Text(f"scored.{fate}", {"ships": tuple(ships)}) for fate, ships in ships_by_fate.items() if ships]
    withdrawal = WITHDRAWAL_BONUS if other_side(side) in withdrawn else 0
    if withdrawal:
        sources.append(Text("scored.bonus", {"points": withdrawal}))
    if exits := position.bonus[SIDES.index(side)] - withdrawal:
        sources.append(Text("scored.exits", {"points": exits}))
    return Text("scored.side", {"side": side, "points": total, "what": tuple(sources) or (Text("scored.none"),)})


def _worst_fate(ship: Ship) -> str:
    if ship.status == "sunk":
        return "sunk"
    if ship.held in ("CAP", "CAP0"):
        return "taken"
    return "rammed" if ship.rammed else "aground"


def max_points(position: Position) -> Points:  # SQ-22
    """Return the most victory points that Blue and Red can still reach: each takes every enemy hull on the map."""
    blue_bonus, red_bonus = position.bonus
    return blue_bonus + _max_hull_points(position, "R"), red_bonus + _max_hull_points(position, "B")


def _max_hull_points(position: Position, builder: FleetSide) -> int:
    hulls = [ship for ship in position.ships if ship.builder == builder and ship.status != "exited"]
    return sum(ship.ram_defence + (CAPTURE_BONUS if ship.status != "sunk" else 0) for ship in hulls)


def match_points(position: Position, winner: FleetSide | None) -> dict[FleetSide, int]:
    """Return each side's points of a finished battle for a match: the target for the winner, fewer for the loser."""
    most = position.target if winner is None else max(0, position.target - 1)
    points = {side: min(own, most) for side, own in zip(SIDES, victory_points(position), strict=True)}
    return points if winner is None else {**points, winner: position.target}


def run_phase_h(play: TurnInProgress) -> Ending | None:
    """Carry out phase H and return the end of the battle, or begin the next turn and return None (SQ-22)."""
    points_before = victory_points(play.position)
    play.add_event(events.ScoreCounted(blue=points_before[0], red=points_before[1], rule="SQ-22.1"))
    withdrawn = [side for side in SIDES if _roll_withdrawal(play, side, points_before)]
    for side in withdrawn:
        bonus = list(play.position.bonus)
        bonus[1 - SIDES.index(side)] += WITHDRAWAL_BONUS  # for its enemy
        play.position = structs.replace(play.position, bonus=(bonus[0], bonus[1]))
    end = find_ending(play.position, withdrawn)
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
            rule=_RULE_BY_REASON[end.reason],
        )
    )
    return end


_RULE_BY_REASON: dict[str, str] = {
    "withdrawal": "SQ-22.7",
    "target": "SQ-22.5",
    "eliminated": "SQ-22.10",
    "unreachable": "SQ-22.6",
    "limit": "SQ-22.6",
}


def _roll_withdrawal(play: TurnInProgress, side: FleetSide, points: Points) -> bool:
    """Roll for a side that lost its only Admiral in this turn, and return whether it withdraws; else return False."""
    side_number = SIDES.index(side)
    initiative = play.position.lost[side_number]  # of the lost Admiral; None if not lost in this turn
    if initiative is None:
        return False
    die = play.throw_die("withdraw")
    is_behind = points[side_number] < points[1 - side_number]
    modifiers = non_zero(("initiative", initiative), ("behind", int(is_behind)))
    total = die + initiative + is_behind
    ok = total >= TABLES.need.withdraw
    play.add_event(events.WithdrawalRolled(side=side, die=die, modifiers=modifiers, total=total, ok=ok, rule="SQ-22.7"))
    return ok


def find_ending(position: Position, withdrawn: list[FleetSide]) -> Ending | None:
    """Return the first reason to end the battle after a turn; None if it goes on (SQ-22)."""
    blue, red = victory_points(position)
    ahead: FleetSide | Literal["draw"] = "draw"
    if blue != red:
        ahead = "B" if blue > red else "R"
    if withdrawn:
        return Ending(ahead, "withdrawal", ahead in withdrawn)
    if max(blue, red) >= position.target and blue != red:
        return Ending(ahead, "target")
    remaining = [side for side in SIDES if _has_ships(position, side)]
    if len(remaining) < 2:  # with equal points the side that still has ships wins (SQ-22.10)
        return Ending(remaining[0] if remaining and ahead == "draw" else ahead, "eliminated")
    if max(max_points(position)) < position.target:
        return Ending(ahead, "unreachable")
    if position.limit and position.turn >= position.limit:
        return Ending(ahead, "limit")
    return None


def _has_ships(position: Position, side: FleetSide) -> bool:
    return any(ship.side == side and ship.status in ("afloat", "waiting") for ship in position.ships)


def _begin_next_turn(play: TurnInProgress) -> None:  # SQ-17.11: marks of one turn are removed
    ships = tuple(
        structs.replace(ship, done=False, repulsed=False, ram_tried=False, collided=False)
        for ship in play.position.ships
    )
    leaders = tuple(structs.replace(leader, tried=False) for leader in play.position.leaders)
    play.position = structs.replace(
        play.position, turn=play.position.turn + 1, phase="A", ships=ships, leaders=leaders, lost=(None, None)
    )
