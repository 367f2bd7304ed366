"""A player-turn: the wind, single actions, and the checks at its end (NB-03 to NB-09).

Actions of different ships come in any order; ships may also do nothing (NB-03.4, NB-03.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct, structs

from rules.core.errors import Fault, OrderError, Scalar
from rules.core.finding import find_by_id, with_updated
from rules.core.protocol import Event, Seat
from rules.forts.engine import actions, fire, sailing
from rules.forts.engine.boards import FortSide, all_hexes, sea_hexes
from rules.forts.engine.events import (
    ActionSkipped,
    BattleScored,
    FortCaptured,
    HindranceReason,
    ShipMoved,
    ShipSunk,
    ShotFired,
    SiegeOpened,
    WindRolled,
)
from rules.forts.engine.fire import FireLine
from rules.forts.engine.state import (
    COLOURS,
    Action,
    ClassCode,
    EndOrder,
    MoveOrder,
    PlanBlock,
    PlayerColour,
    Position,
    Ship,
    ShipId,
    ShootOrder,
    Siege,
)

DEFAULT_TURN_LIMIT: Final = 60  # NB-09.1: the last player-turn of the standard game
MAX_QUIET_TURNS: Final = 16  # NB-09.1: consecutive player-turns without a hit that end the game
CALM_DICE: Final = (1, 2)  # NB-03.1: numbers of the wind's die that mean calm

RULE_BY_REASON: Final[dict[HindranceReason, str]] = {
    "ship_gone": "NB-07.2",
    "moved_already": "NB-04.3",
    "no_such_hex": "NB-01.1",
    "own_hex": "NB-04.5",
    "becalmed": "NB-03.2",
    "hex_barred": "NB-04.2",
    "too_far_to_sail": "NB-04.4",
    "no_shots_left": "NB-05.4",
    "target_gone": "NB-07.2",
    "out_of_range": "NB-05.1",
    "line_blocked": "NB-05.1",
}
"""The rule for each reason. A ship that sails too far in a calm breaks NB-03.2 instead."""


class TurnInProgress(Struct, frozen=True, kw_only=True):
    position: Position  # the position after the actions so far
    dice_source: Any  # a `rules.chance.dice.DiceSource`; each throw is for `wind` or a shot such as `wBB*rGA`
    seats: tuple[Seat, Seat] = (0, 1)  # seats of White's and red's captains
    events: tuple[Event, ...] = ()  # events of the player-turn so far
    sunk: tuple[Ship, ...] = ()  # all ships that sank in the game
    undoable_moves: tuple[tuple[ShipId, str], ...] = ()  # moves since the last die: the ship and its previous hex
    is_over: bool = False  # whether the player-turn is over
    winner: PlayerColour | Literal["draw"] | None = None  # the colour that won, or `draw`; None: the game goes on


class Hindrance(NamedTuple):
    reason: HindranceReason  # why an action cannot be carried out
    rule: str  # number of the rule that forbids it
    params: dict[str, Scalar]  # values for the fault's sentence

    def to_error(self, action: Action) -> OrderError:
        piece = actions.format_action(action)
        return OrderError(Fault(kind="illegal", code=self.reason, rule=self.rule, piece=piece, params=self.params))


def other_colour(colour: PlayerColour) -> PlayerColour:
    return "red" if colour == "white" else "white"


def fort_side_of(position: Position, colour: PlayerColour) -> FortSide:
    if colour == "white":
        return position.white
    return "east" if position.white == "west" else "west"


def find_ship(position: Position, colour: PlayerColour, code: ClassCode) -> Ship | None:
    return next((ship for ship in position.ships if ship.colour == colour and ship.code == code), None)


def flagship_of(position: Position, colour: PlayerColour) -> Ship | None:
    return find_ship(position, colour, position.flagships[COLOURS.index(colour)])


def with_ship(position: Position, changed: Ship) -> Position:
    return structs.replace(position, ships=with_updated(position.ships, changed))


def with_ready_ships(position: Position) -> Position:
    # at the beginning of a player-turn no ship has moved, and ships of the active colour have all their shots
    ships = []
    for ship in position.ships:
        shots = ship.ship_class.shots if ship.colour == position.active_colour else 0
        ships.append(structs.replace(ship, moved=False, shots=shots))
    return structs.replace(position, ships=tuple(ships))


def open_turn(play: TurnInProgress) -> TurnInProgress:
    """Roll the wind (NB-03.1), unless the previous roll still applies, and count the player-turn as quiet."""
    position = play.position
    dice, wind = play.dice_source, position.wind
    die = 0  # no die is thrown while the previous roll applies
    if wind is None:
        die, dice = dice.throw_die("wind")
        wind = "calm" if die in CALM_DICE else "wind"
    seat = play.seats[COLOURS.index(position.active_colour)]
    rolled = WindRolled(
        turn=position.turn, seat=seat, colour=position.active_colour, die=die, wind=wind, rule="NB-03.1"
    )
    position = structs.replace(position, wind=wind, quiet=position.quiet + 1)
    return structs.replace(play, position=position, dice_source=dice, events=(*play.events, rolled), undoable_moves=())


def find_hindrance(position: Position, action: Action) -> Hindrance | None:
    """Return why the active player may not do this now, or None."""
    match action:
        case MoveOrder():
            return _find_move_hindrance(position, action)
        case ShootOrder():
            return _find_shots_hindrance(position, action)
        case EndOrder():
            return None


def carry_out(play: TurnInProgress, action: Action) -> TurnInProgress:
    match action:
        case MoveOrder():
            return _move_ship(play, action)
        case ShootOrder():
            return _shoot(play, action)
        case EndOrder():
            return structs.replace(play, is_over=True)


def run_live(play: TurnInProgress, todo: Sequence[Action]) -> TurnInProgress:
    """Carry out actions until one is impossible; `ActionSkipped` gives it and the rest back (NB-10.1)."""
    for number, action in enumerate(todo):
        if _is_over(play):
            break
        if hindrance := find_hindrance(play.position, action):
            further_actions = actions.format_actions(todo[number + 1 :])
            return _add_events(play, _skipped_event(action, hindrance, further_actions))
        play = carry_out(play, action)
    return play


def run_plan(play: TurnInProgress, blocks: Iterable[PlanBlock]) -> TurnInProgress:
    """Carry out a plan's actions for the present wind, skip impossible ones, and end the player-turn (NB-10.3)."""
    todo = [action for block in blocks if block.when in ("any", play.position.wind) for action in block.actions]
    for action in todo:
        if _is_over(play):
            break
        hindrance = find_hindrance(play.position, action)
        play = _add_events(play, _skipped_event(action, hindrance)) if hindrance else carry_out(play, action)
    return play if play.winner else structs.replace(play, is_over=True)


def close_turn(
    play: TurnInProgress, limit: int | None = DEFAULT_TURN_LIMIT, *, keep_wind: bool = False
) -> TurnInProgress:
    """Settle sieges and limits at the end of a player-turn (NB-08, NB-09), and make the other colour active.

    If the game ends, the position stays unchanged. `keep_wind`: one roll applies to both colours (B-01).
    """
    play = _settle_sieges(play)
    if not play.winner:
        play = _settle_limits(play, limit)
    if play.winner:
        return play
    wind = play.position.wind if keep_wind else None
    next_position = structs.replace(play.position, turn=play.position.turn + 1, wind=wind)
    return structs.replace(play, position=with_ready_ships(next_position), undoable_moves=(), is_over=False)


def total_hits_left(position: Position, colour: PlayerColour) -> int:
    """Return the hits that a colour's ships can still take (NB-09.2)."""
    return sum(ship.hits_left for ship in position.ships if ship.colour == colour)


def _is_over(play: TurnInProgress) -> bool:
    return play.is_over or play.winner is not None


def _add_events(play: TurnInProgress, *events: Event) -> TurnInProgress:
    return structs.replace(play, events=(*play.events, *events))


def _skipped_event(action: Action, hindrance: Hindrance, left: str = "") -> ActionSkipped:
    return ActionSkipped(action=actions.format_action(action), reason=hindrance.reason, left=left, rule=hindrance.rule)


# --- moves -------------------------------------------------------------------------------------------------------


def _find_move_hindrance(position: Position, action: MoveOrder) -> Hindrance | None:
    ship = find_ship(position, position.active_colour, action.ship)
    if ship is None:
        return _make_hindrance("ship_gone", ship=action.ship)
    if ship.moved:
        return _make_hindrance("moved_already", ship=action.ship)
    return _find_hex_hindrance(position, ship, action.hex)


def _find_hex_hindrance(position: Position, ship: Ship, label: str) -> Hindrance | None:
    """Return why a ship that may still move cannot move to a hex, or None if it can."""
    target_hex = all_hexes(position.board).get(label)
    if target_hex is None:
        return _make_hindrance("no_such_hex", hex=label)
    if label == ship.hex:
        return _make_hindrance("own_hex", ship=ship.code, hex=label)
    max_hexes = sailing.move_allowance(ship, position.wind)
    if not max_hexes:
        return _make_hindrance("becalmed", ship=ship.code)
    if target_hex not in sea_hexes(position.board) or any(other.hex == label for other in position.ships):
        return _make_hindrance("hex_barred", hex=label)
    if label not in sailing.shortest_ways(position, ship):
        rule = "NB-03.2" if position.wind == "calm" else "NB-04.4"
        return Hindrance("too_far_to_sail", rule, {"ship": ship.code, "hex": label, "most": max_hexes})
    return None


def _move_ship(play: TurnInProgress, action: MoveOrder) -> TurnInProgress:
    position = play.position
    ship = _own_ship(position, action.ship)
    path = sailing.shortest_ways(position, ship)[action.hex]
    moved = structs.replace(ship, hex=action.hex, moved=True)
    sailed = ShipMoved(ship=ship.id, start=ship.hex, end=action.hex, path=path, steps=len(path) - 1, rule="NB-04.1")
    return structs.replace(
        play,
        position=with_ship(position, moved),
        events=(*play.events, sailed),
        undoable_moves=(*play.undoable_moves, (ship.id, ship.hex)),
    )


# --- shots -------------------------------------------------------------------------------------------------------


def _find_shots_hindrance(position: Position, action: ShootOrder) -> Hindrance | None:
    """Return why a ship cannot shoot at any of its targets, as a reason about the first; None if it can."""
    ship = find_ship(position, position.active_colour, action.ship)
    if ship is None:
        return _make_hindrance("ship_gone", ship=action.ship)
    if not ship.shots:
        return _make_hindrance("no_shots_left", ship=action.ship)
    if any(_usable_fire_line(position, ship, target.code) for target in action.targets):
        return None
    first_code = action.targets[0].code
    target = find_ship(position, other_colour(position.active_colour), first_code)
    if target is None:
        return _make_hindrance("target_gone", target=first_code)
    line = fire.fire_line(position, ship, target)
    if line is None:
        distance = fire.hex_distance(position.board, ship.hex, target.hex)
        return _make_hindrance("out_of_range", target=first_code, distance=distance, most=ship.ship_class.range)
    return _make_hindrance(
        "line_blocked", target=first_code, by=", ".join(blocker.hex for blocker in line.blockers if blocker.hex)
    )


def _shoot(play: TurnInProgress, action: ShootOrder) -> TurnInProgress:
    """Shoot at the targets from left to right; shots left over at a target pass to the next.

    Each shot is settled before the next (NB-05.6). A ship may shoot before and after its move (NB-05.5).
    """
    quota = 0  # shots to fire at the present target
    for target in action.targets:
        quota += target.most or _own_ship(play.position, action.ship).shots  # `most` 0: all shots left
        while quota and not play.winner:
            ship = _own_ship(play.position, action.ship)
            line = _usable_fire_line(play.position, ship, target.code)
            if not ship.shots or line is None:
                break
            play = _fire_shot(play, ship, line)
            quota -= 1
    return play


def _fire_shot(play: TurnInProgress, ship: Ship, line: FireLine) -> TurnInProgress:
    position = play.position
    target = find_by_id(position.ships, line.to)
    die, dice = play.dice_source.throw_die(f"{line.by}*{line.to}")
    hit = die >= line.need
    target_after = structs.replace(target, hits=target.hits + hit)
    rule = {fire.MIN_HIT: "NB-05.2", fire.MIN_HIT_ADJACENT: "NB-05.3", fire.MIN_HIT_PLUNGING: "NB-06.1"}[line.need]
    shot = ShotFired(
        by=line.by,
        to=line.to,
        start=line.start,
        end=line.end,
        distance=line.distance,
        plunging=line.fire == "plunging",
        need=line.need,
        die=die,
        hit=hit,
        left=target_after.hits_left,
        blockers=line.blockers,
        rule=rule,
    )
    position = with_ship(position, structs.replace(ship, shots=ship.shots - 1))
    position = structs.replace(with_ship(position, target_after), quiet=0 if hit else position.quiet)
    play = structs.replace(play, position=position, dice_source=dice, events=(*play.events, shot), undoable_moves=())
    return play if target_after.hits_left else _sink_ship(play, target_after, ship)


def _sink_ship(play: TurnInProgress, lost: Ship, by: Ship) -> TurnInProgress:
    position = play.position
    was_flagship = flagship_of(position, lost.colour) == lost
    ships = tuple(ship for ship in position.ships if ship.id != lost.id)
    sunk = ShipSunk(
        ship=lost.id, by=by.id, hex=lost.hex, flagship=was_flagship, rule="NB-07.3" if was_flagship else "NB-07.2"
    )
    return structs.replace(
        play,
        position=structs.replace(position, ships=ships),
        events=(*play.events, sunk),
        sunk=(*play.sunk, lost),
        winner=by.colour if was_flagship else None,
    )


def _usable_fire_line(position: Position, ship: Ship, code: ClassCode) -> FireLine | None:
    """Return the line along which a ship can shoot at an enemy now, or None."""
    target = find_ship(position, other_colour(ship.colour), code)
    line = target and fire.fire_line(position, ship, target)
    return line if line and line.need else None


# --- the end of a player-turn ------------------------------------------------------------------------------------


def _settle_sieges(play: TurnInProgress) -> TurnInProgress:
    """Let the opponent's siege capture the fort, else open or end the active player's own (NB-08.4)."""
    position = play.position
    active = position.active_colour
    enemy_besieges = position.siege is not None and position.siege.by != active
    if enemy_besieges and (ship := _besieging_flagship(position, other_colour(active))):
        fell = FortCaptured(by=ship.id, fort=fort_side_of(position, active), hex=ship.hex, rule="NB-08.2")
        return structs.replace(play, events=(*play.events, fell), winner=ship.colour)
    ship = _besieging_flagship(position, active)
    if ship is None:
        return structs.replace(play, position=structs.replace(position, siege=None))
    siege = Siege(by=active, since=position.turn)
    opened = SiegeOpened(by=ship.id, fort=fort_side_of(position, other_colour(active)), hex=ship.hex, rule="NB-08.1")
    position = structs.replace(position, siege=siege, quiet=0)
    return structs.replace(play, position=position, events=(*play.events, opened))


def may_besiege(position: Position, flagship: Ship) -> bool:
    """Return whether a flagship can reach the enemy fort in her next player-turn (NB-08.1, NB-08.3).

    The wind is taken to blow, and her own side's ships to make way.
    """
    others = tuple(ship for ship in position.ships if ship.colour != flagship.colour)
    windy = structs.replace(position, wind="wind", ships=others)
    fort = position.board.harbour_of(fort_side_of(position, other_colour(flagship.colour))).fort
    ends = (flagship.hex, *sailing.shortest_ways(windy, flagship))
    return any(fire.hex_distance(position.board, end, fort) == 1 for end in ends)


def _besieging_flagship(position: Position, colour: PlayerColour) -> Ship | None:
    """Return a colour's flagship if it is beside the enemy fort (NB-08.1, NB-08.3)."""
    ship = flagship_of(position, colour)
    fort = position.board.harbour_of(fort_side_of(position, other_colour(colour))).fort
    return ship if ship and fire.hex_distance(position.board, ship.hex, fort) == 1 else None


def _settle_limits(play: TurnInProgress, limit: int | None) -> TurnInProgress:
    """Score the game if the last player-turn is over, or too many passed without a hit (NB-09.1).

    Without a limit, no count ends the game.
    """
    position = play.position
    if limit is None:
        return play
    if position.turn < limit and position.quiet < MAX_QUIET_TURNS:
        return play
    reason: Literal["turns", "hitless"] = "turns" if position.turn >= limit else "hitless"
    white, red = total_hits_left(position, "white"), total_hits_left(position, "red")
    scored = BattleScored(white=white, red=red, reason=reason, rule="NB-09.1")
    leader: PlayerColour = "white" if white > red else "red"
    winner: PlayerColour | Literal["draw"] = "draw" if white == red else leader
    return structs.replace(play, events=(*play.events, scored), winner=winner)


def _make_hindrance(reason: HindranceReason, **params: Scalar) -> Hindrance:
    return Hindrance(reason, RULE_BY_REASON[reason], params)


def _own_ship(position: Position, code: ClassCode) -> Ship:
    return next(ship for ship in position.ships if ship.colour == position.active_colour and ship.code == code)
