"""A turn, in steps or as a whole: FIRE, initiative, player-turns, melee, prizes and end check (RS-03).

Every function is pure: it takes a position, orders, doctrines and dice, and returns the new position, the events and
the remaining dice. In sealed mode `run_turn` runs all steps; in live mode they are called one by one (RS-03.8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct, structs

from rules.chance.dice import DiceSource
from rules.core.protocol import DrawReason, Event, Seat
from rules.core.view import Text
from rules.ramspeed.engine import events, orders
from rules.ramspeed.engine.events import GameEnded
from rules.ramspeed.engine.geometry import aim, moves
from rules.ramspeed.engine.geometry.aim import LegalAttack
from rules.ramspeed.engine.geometry.hindrance import find_hindrance
from rules.ramspeed.engine.notation.sheets import format_alternative, format_step
from rules.ramspeed.engine.phases import attacks, command, fire, melee, transfer
from rules.ramspeed.engine.phases.play import TurnInProgress
from rules.ramspeed.engine.state import Position, with_ship
from rules.ramspeed.engine.tables import CONSTANTS, TABLES

DRAW_WINNER = "draw"  # the value of `GameEnded.winner` if nobody has won


ShipFate = Literal["captured", "sunk", "crewless", "conceded"]


class ScoredShip(NamedTuple):
    side: str  # the side that scores for her
    ship: str
    fate: ShipFate
    points: int


def scored_ships(position: Position, conceded: str = "") -> Iterator[ScoredShip]:
    """Yield each ship that scores for the side that she was hostile to at the start (RS-20.3).

    All ships of a side that has conceded count as sunk (RS-20.4).
    """
    for ship in position.ships:
        if ship.status == "withdrawn":
            continue
        (enemy_side,) = (side for side in position.sides if side != ship.side0)
        owner_side = position.side_of_ship(ship)
        fate: ShipFate
        if not ship.is_afloat:
            fate = "sunk"
        elif not ship.crew:
            fate = "crewless"
        elif owner_side == conceded:
            fate = "conceded"
        elif owner_side == enemy_side:
            fate = "captured"
        else:
            continue
        factor = TABLES.score.captured if fate == "captured" else TABLES.score.sunk
        yield ScoredShip(enemy_side, ship.id, fate, factor * ship.ship_class.value)


def side_scores(position: Position, conceded: str = "") -> tuple[int, int]:
    points = dict.fromkeys(position.sides, 0)
    for scored in scored_ships(position, conceded):
        points[scored.side] += scored.points
    a, b = points.values()
    return a, b


def side_key(position: Position, side: str) -> str:
    """Return the catalogue key of a side: its own name in built-in scenarios, else `first` or `second`."""
    return side if side in events.SIDES else ("first", "second")[position.sides.index(side)]


def score_breakdowns(position: Position, conceded: str = "") -> tuple[Text, Text]:
    """Return the points of each side, in the order of the position, with the ships that scored (RS-20.3)."""
    scored = tuple(scored_ships(position, conceded))
    a, b = (
        _score_breakdown(side_key(position, side), [ship for ship in scored if ship.side == side])
        for side in position.sides
    )
    return a, b


def _score_breakdown(side: str, scored: Sequence[ScoredShip]) -> Text:
    ships_by_fate: dict[ShipFate, list[Text]] = {}
    for ship in scored:
        text = Text("scored.ship", {"ship": ship.ship, "points": ship.points})
        ships_by_fate.setdefault(ship.fate, []).append(text)
    sources = tuple(Text(f"scored.{fate}", {"ships": tuple(ships)}) for fate, ships in ships_by_fate.items())
    points = sum(ship.points for ship in scored)
    if not sources:
        return Text("scored.total", {"side": side, "points": points})
    return Text("scored.side", {"side": side, "points": points, "what": sources})


def fighting_sides(position: Position) -> tuple[str, ...]:
    crewed_sides = {position.side_of_ship(ship) for ship in position.ships if ship.is_afloat and ship.crew}
    return tuple(side for side in position.sides if side in crewed_sides)


def find_end(position: Position) -> GameEnded | None:
    """Return how the game ends after a turn whose `quiet` count is up to date, or None (RS-20.1, RS-20.2)."""
    sides_left = fighting_sides(position)
    reason: events.EndReason | None = None
    if len(sides_left) < 2:
        reason = "wiped_out"
    elif position.turn >= position.limit:
        reason = "turns"
    elif position.quiet >= CONSTANTS.quiet_limit:
        reason = "quiet"
    if reason is None:
        return None
    points = side_scores(position)
    winner = sides_left[0] if len(sides_left) == 1 else _higher_side(position, points)
    rule = "RS-20.1" if reason == "wiped_out" else "RS-20.2"
    seats, name = _seats_of_side(position, winner), _winner_key(position, winner)
    return GameEnded(
        reason=reason,
        score=points,
        winner=winner,
        winner_key=name,
        seats=seats,
        is_on_points=not sides_left and winner != DRAW_WINNER,
        rule=rule,
    )


def end_by_concession(position: Position, side: str) -> GameEnded:
    winner = next(other for other in position.sides if other != side)
    points, seats = side_scores(position, side), _seats_of_side(position, winner)
    name = _winner_key(position, winner)
    return GameEnded(reason="conceded", score=points, winner=winner, winner_key=name, seats=seats, rule="RS-20.4")


def end_undecided(position: Position, reason: DrawReason) -> GameEnded:
    return GameEnded(
        reason=reason, score=side_scores(position), winner=DRAW_WINNER, rule="RS-20.4" if reason == "agreed" else ""
    )


def finished_position(position: Position) -> Position:
    return structs.replace(position, phase="over")


def _winner_key(position: Position, winner: str) -> str:
    return winner if winner == DRAW_WINNER else side_key(position, winner)


def _seats_of_side(position: Position, side: str) -> tuple[Seat, ...]:
    """Return the seats that hold a side; empty for a draw, or outside games among captains."""
    holders = (events.name_of(captain.player) for captain in position.seats if captain.side == side)
    return tuple(sorted(seat for seat in holders if isinstance(seat, int)))


def _higher_side(position: Position, points: tuple[int, int]) -> str:
    if points[0] == points[1]:
        return DRAW_WINNER
    return position.sides[0 if points[0] > points[1] else 1]


_STAY_ALTERNATIVE = orders.Alternative((orders.StayOrder(),))


class Legality(NamedTuple):
    rule: str  # the rule that forbids the alternative; empty: it is legal
    attack: LegalAttack | None = None  # where the attack would hit; None: no attack, or an illegal one


def check_legality(position: Position, name: str, alternative: orders.Alternative) -> Legality:
    ship = position.ship_by_id(name)
    if alternative.is_igniting:
        ship = fire.ship_as_fireship(ship)
        position = with_ship(position, ship)
    if alternative.attack:
        aimed = aim.aim_attack(position, ship, alternative)
        return Legality(aimed.rule, aimed.attack)
    steps = alternative.manoeuvres
    goals = [step.target for step in steps if isinstance(step, orders.SteerOrder | orders.FaceOrder)]
    if not all(position.ship_by_id(goal).is_afloat for goal in goals):
        return Legality("RS-21.2")
    if order := alternative.transfer:
        moved_ship = moves.carry_out_manoeuvre(position, ship, steps).ship
        return Legality(transfer.transfer_forbidden_by(position, moved_ship, order))
    return Legality("")


def activate_ship(play: TurnInProgress, line: orders.OrderLine) -> None:
    """Carry out the first legal alternative of a ship's line, or `stay` if there is none (RS-21.1, RS-22.4)."""
    match command.roll_obedience(play, line.ship):
        case "obeys":
            _carry_out_first(play, line.ship, line.alternatives)
        case "moves":
            _carry_out_first(play, line.ship, command.without_attacks(line.alternatives))
        case "waits":
            _carry_out(play, line.ship, _STAY_ALTERNATIVE, None)
        case "charges":
            _charge(play, line.ship)


def _charge(play: TurnInProgress, name: str) -> None:
    """Carry out the first order that a ship gives herself and that is legal (RS-22.4)."""
    for alternative in command.charge_orders(play.position, play.ship_now(name)):
        legality = check_legality(play.position, name, alternative)
        if not legality.rule:
            _carry_out(play, name, alternative, legality.attack)
            return


def _carry_out_first(play: TurnInProgress, name: str, alternatives: Sequence[orders.Alternative]) -> None:
    for alternative in alternatives:
        legality = check_legality(play.position, name, alternative)
        if not legality.rule:
            _carry_out(play, name, alternative, legality.attack)
            return
        order = alternative.attack or alternative.transfer
        why = find_hindrance(play.position, play.ship_now(name), order, legality.rule)
        play.add_event(
            events.OrderSkipped(ship=name, order=format_alternative(alternative), why=why, rule=legality.rule)
        )
    _carry_out(play, name, _STAY_ALTERNATIVE, None)


def act_without_line(play: TurnInProgress, name: str) -> None:
    """Let a ship without a line shoot, if its doctrine says so; one that is out of command may charge (RS-22.4)."""
    obedience = command.roll_obedience(play, name)
    if obedience == "charges":
        _charge(play, name)
    if obedience != "obeys":
        return
    ship = play.ship_now(name)
    if play.doctrine_of(ship).idle == "shoot" and (target := fire.nearest_target(play.position, ship)):
        _carry_out(play, name, orders.Alternative((orders.ShootOrder(target, "crew"),)), None)


def _carry_out(play: TurnInProgress, name: str, alternative: orders.Alternative, attack: LegalAttack | None) -> None:
    play.add_event(events.ShipActivated(ship=name, order=format_alternative(alternative), rule="RS-21.1"))
    if alternative.is_igniting:
        fire.ignite_ship(play, name)
    if attack and alternative.attack:
        attacks.carry_out_attack(play, name, alternative.attack, attack)
        return
    manoeuvres = alternative.manoeuvres
    for step in alternative.steps:
        match step:
            case orders.IgniteOrder():
                pass
            case orders.ShootOrder():
                _shoot_or_skip(play, name, step)
            case orders.CrewTransferOrder():
                transfer.carry_out_transfer(play, name, step)
            case _ if step is manoeuvres[0]:
                _carry_out_manoeuvre(play, name, manoeuvres)


def _shoot_or_skip(play: TurnInProgress, name: str, order: orders.ShootOrder) -> None:
    """Shoot, or report an illegal shot as skipped (RS-21.3)."""
    if rule := fire.shot_forbidden_by(play.position, play.ship_now(name), play.ship_now(order.target)):
        why = find_hindrance(play.position, play.ship_now(name), order, rule)
        play.add_event(events.OrderSkipped(ship=name, order=format_step(order), why=why, rule=rule))
    else:
        fire.carry_out_shot(play, name, order)


def _carry_out_manoeuvre(play: TurnInProgress, name: str, steps: tuple[orders.Manoeuvre, ...]) -> None:
    result = moves.carry_out_manoeuvre(play.position, play.ship_now(name), steps)
    if not result.ship.is_afloat:
        play.set_ship(result.ship)
        play.add_event(events.ShipWithdrawn(ship=name, rule="RS-06.2"))
    elif result.is_move:
        play.set_moved_ship(result.ship, "RS-05.7" if len(steps) > 1 else "RS-04.1")


DoctrinesByPlayer = Mapping[str, orders.Doctrines]


class TurnProgress(Struct, frozen=True, kw_only=True):
    position: Position  # so far
    players_left: tuple[str, ...] = ()  # the players whose player-turn is not over, the active one first
    acted_ships: tuple[str, ...] = ()  # ships that have acted in this player-turn
    captured_ships: tuple[str, ...] = ()  # ships captured in this player-turn, which act from the next turn
    idle_until_next_turn: tuple[str, ...] = ()  # ships that acted in this turn under a captain who has given up
    had_attack: bool = False  # whether any ship attacked or boarded in this turn (RS-20.2)


class TurnStepResult(Struct, frozen=True):
    progress: TurnProgress  # after the step
    events: tuple[Event, ...]  # events of the step
    dice_source: DiceSource  # the dice that remain

    @property
    def position(self) -> Position:
        return self.progress.position

    @property
    def end(self) -> GameEnded | None:
        last = self.events[-1] if self.events else None
        return last if isinstance(last, GameEnded) else None


def fight_fires(progress: TurnProgress, dice_source: DiceSource) -> TurnStepResult:
    """Run FIRE, unless it was rolled before (RS-15.2)."""
    play = _start_play(progress, dice_source, {})
    if play.position.phase == "fire":
        fire.fight_fires(play)
        play.position = structs.replace(play.position, phase="orders")
    return _result_of_play(play, progress)


def roll_initiative(progress: TurnProgress, dice_source: DiceSource) -> TurnStepResult:
    play = _start_play(progress, dice_source, {})
    players_with_ships = tuple(player for player in play.position.players if play.position.ships_of(player))
    order = _order_by_rolls(play, players_with_ships)
    play.add_event(events.OrderOfPlaySet(players=order, turn=play.position.turn, rule="RS-03.1"))
    return _result_of_play(play, structs.replace(progress, players_left=order))


def open_player(progress: TurnProgress, dice_source: DiceSource, doctrines: DoctrinesByPlayer) -> TurnStepResult:
    """Begin the player-turn of the first player in the order, and drift their crewless fireships (RS-03.7)."""
    player = progress.players_left[0]
    progress = structs.replace(progress, acted_ships=(), captured_ships=progress.idle_until_next_turn)
    play = _start_play(progress, dice_source, doctrines)
    play.add_event(events.PlayerTurnBegan(player=player, rule="RS-03.3"))
    for ship in play.position.ships:
        if ship.fresh:
            play.change_ship(ship.id, fresh=False)
    for ship in play.position.ships_of(player):
        if fire.is_drifting(play, play.ship_now(ship.id)):
            fire.drift_fireship(play, ship.id)
    return _result_of_play(play, progress)


def activate_line(
    progress: TurnProgress, line: orders.OrderLine, dice_source: DiceSource, doctrines: DoctrinesByPlayer
) -> TurnStepResult:
    """Activate the ship of one line, or ignore the line (RS-21.1, RS-21.5)."""
    play = _start_play(progress, dice_source, doctrines)
    ship = play.ship_now(line.ship)
    may_act = line.alternatives and line.ship not in (*progress.acted_ships, *progress.captured_ships)
    if may_act and ship.is_afloat and ship.owner == progress.players_left[0]:
        activate_ship(play, line)
    else:
        # orders are secret, so other captains do not see a line that could not be carried out
        seat = events.name_of(progress.players_left[0])
        seen_by = (seat,) if isinstance(seat, int) else None
        play.add_event(events.LineIgnored(ship=line.ship, rule="RS-21.5", seen_by=seen_by))
    return _result_of_play(play, structs.replace(progress, acted_ships=(*progress.acted_ships, line.ship)))


def close_player(progress: TurnProgress, dice_source: DiceSource, doctrines: DoctrinesByPlayer) -> TurnStepResult:
    """End the player-turn: ships without a line may shoot, then markers are removed (RS-18.2, RS-18.3)."""
    player, *rest = progress.players_left
    play = _start_play(progress, dice_source, doctrines)
    for ship in play.position.ships_of(player):
        if ship.id not in (*progress.acted_ships, *progress.captured_ships):
            act_without_line(play, ship.id)
    for ship in play.position.ships_of(player):
        if ship.immob and not ship.fresh:
            play.change_ship(ship.id, immob=False)
            play.add_event(events.MarkerRemoved(ship=ship.id, marker="immob", rule="RS-18.2"))
        if ship.beached:
            play.change_ship(ship.id, beached=False)
            play.add_event(events.MarkerRemoved(ship=ship.id, marker="beached", rule="RS-18.3"))
    return _result_of_play(play, structs.replace(progress, players_left=tuple(rest)))


def close_turn(progress: TurnProgress, dice_source: DiceSource, doctrines: DoctrinesByPlayer) -> TurnStepResult:
    """Run MELEE, PRIZE and END_CHECK, and go on to FIRE of the next turn unless the game ends (RS-11, 12, 20)."""
    play = _start_play(progress, dice_source, doctrines)
    melee.fight_melees(play)
    position_before = play.position
    position = structs.replace(
        position_before,
        quiet=0 if play.attacked else position_before.quiet + 1,
        links=tuple(structs.replace(link, fresh=False) for link in position_before.links),
        ships=tuple(structs.replace(ship, fresh=False) if ship.fresh else ship for ship in position_before.ships),
    )
    if end := find_end(position):
        play.add_event(end)
        play.position = finished_position(position)
    else:
        play.position = structs.replace(position, turn=position.turn + 1, phase="fire")
    return _result_of_play(play, TurnProgress(position=play.position))


def run_player_turn(
    progress: TurnProgress, sheet: orders.OrderSheet, dice_source: DiceSource, doctrines: DoctrinesByPlayer
) -> TurnStepResult:
    """Run the player-turn of the first player in the order, by their sheet (RS-03.5, RS-03.8)."""
    turn_events: list[Event] = []
    result = open_player(progress, dice_source, doctrines)
    turn_events += result.events
    for line in sheet.lines:
        result = activate_line(result.progress, line, result.dice_source, doctrines)
        turn_events += result.events
    result = close_player(result.progress, result.dice_source, doctrines)
    return TurnStepResult(result.progress, (*turn_events, *result.events), result.dice_source)


def run_turn(
    position: Position, sheets: Mapping[str, orders.OrderSheet], doctrines: DoctrinesByPlayer, dice_source: DiceSource
) -> TurnStepResult:
    """Run one whole turn in sealed mode. The ships of a player without a sheet stay."""
    turn_events: list[Event] = []
    result = fight_fires(TurnProgress(position=position), dice_source)
    turn_events += result.events
    result = roll_initiative(result.progress, result.dice_source)
    turn_events += result.events
    while result.progress.players_left:
        active_player = result.progress.players_left[0]
        sheet = sheets.get(active_player, orders.OrderSheet())
        result = run_player_turn(result.progress, sheet, result.dice_source, doctrines)
        turn_events += result.events
    result = close_turn(result.progress, result.dice_source, doctrines)
    return TurnStepResult(result.progress, (*turn_events, *result.events), result.dice_source)


def _start_play(progress: TurnProgress, dice_source: DiceSource, doctrines: DoctrinesByPlayer) -> TurnInProgress:
    play = TurnInProgress(progress.position, dice_source, doctrines)
    play.attacked = progress.had_attack
    play.captured = list(progress.captured_ships)
    return play


def _result_of_play(play: TurnInProgress, progress: TurnProgress) -> TurnStepResult:
    after = structs.replace(
        progress, position=play.position, had_attack=play.attacked, captured_ships=tuple(play.captured)
    )
    return TurnStepResult(after, tuple(play.events), play.dice_source)


def _order_by_rolls(play: TurnInProgress, players: tuple[str, ...]) -> tuple[str, ...]:
    """Return the players by their rolls, highest first; tied players roll again (RS-03.2, RS-03.6)."""
    totals = {}
    for player in players:
        dice = play.throw_two_dice(f"initiative {player}")
        totals[player] = sum(dice)
        play.add_event(events.InitiativeRolled(player=player, dice=dice, total=sum(dice), rule="RS-03.1"))
    order: tuple[str, ...] = ()
    for total in sorted(set(totals.values()), reverse=True):
        tied_players = tuple(player for player in players if totals[player] == total)
        order += tied_players if len(tied_players) == 1 else _order_by_rolls(play, tied_players)
    return order
