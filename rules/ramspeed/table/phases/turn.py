"""A turn, step by step or whole: FIRE, initiative, the player-turns, melee and prizes, the end (RS part 2).

Every function is pure: what there is, orders, doctrines and dice in; what there is then, what happened and the dice
left out. In sealed mode `run_turn` does all of it; in live mode (part 2) the steps are called one by one.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from rules.cup import DiceSource
from rules.protocol import Event
from rules.ramspeed.table.events import (
    GameEnded,
    InitiativeRolled,
    LineIgnored,
    MarkerRemoved,
    OrderOfPlaySet,
    PlayerTurnBegan,
)
from rules.ramspeed.table.events.base import name_of
from rules.ramspeed.table.orders import Doctrines, OrderLine, OrderSheet
from rules.ramspeed.table.phases import activation, ending, fire, melee
from rules.ramspeed.table.phases.play import TurnInProgress
from rules.ramspeed.table.state import Position

DoctrinesByPlayer = Mapping[str, Doctrines]
"""Doctrines by player."""


class TurnProgress(Struct, frozen=True, kw_only=True):
    """A turn that is being played."""

    position: Position
    order: tuple[str, ...] = ()
    """The players whose player-turn is not over, the active one first."""
    named: tuple[str, ...] = ()
    """Ships that have had their line in this player-turn."""
    captured: tuple[str, ...] = ()
    """Ships taken in this player-turn, which act from the next turn."""
    spent: tuple[str, ...] = ()
    """Ships that have had their go in this turn with a captain who is gone."""
    attacked: bool = False
    """Somebody has attacked or boarded in this turn (RS-20.2)."""


class TurnStepResult(Struct, frozen=True):
    """What came of a step."""

    progress: TurnProgress
    events: tuple[Event, ...]
    cup: DiceSource

    @property
    def position(self) -> Position:
        """What lies on the table."""
        return self.progress.position

    @property
    def end(self) -> GameEnded | None:
        """How the game has ended, if it has."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, GameEnded) else None


def fight_fires(progress: TurnProgress, cup: DiceSource) -> TurnStepResult:
    """FIRE; nothing, if it was rolled already (RS-15.2)."""
    play = _start_play(progress, cup, {})
    if play.position.phase == "fire":
        fire.fight_fires(play)
        play.position = structs.replace(play.position, phase="orders")
    return _result_of_play(play, progress)


def roll_initiative(progress: TurnProgress, cup: DiceSource) -> TurnStepResult:
    """INITIATIVE: the order of the player-turns (RS-03.1, RS-03.2)."""
    play = _start_play(progress, cup, {})
    order = _order_by_rolls(play, tuple(player for player in play.position.players if play.position.owned(player)))
    play.say(OrderOfPlaySet(players=order, rule="RS-03.1"))
    return _result_of_play(play, structs.replace(progress, order=order))


def open_player(progress: TurnProgress, cup: DiceSource, plans: DoctrinesByPlayer) -> TurnStepResult:
    """The player-turn of the first player in the order begins; their crewless fireships drift (RS-03.7)."""
    player = progress.order[0]
    progress = structs.replace(progress, named=(), captured=progress.spent)
    play = _start_play(progress, cup, plans)
    play.say(PlayerTurnBegan(player=player, rule="RS-03.3"))
    for ship in play.position.ships:
        if ship.fresh:
            play.change(ship.id, fresh=False)
    for ship in play.position.owned(player):
        if fire.is_drifting(play, play.ship(ship.id)):
            fire.drift_fireship(play, ship.id)
    return _result_of_play(play, progress)


def activate_line(progress: TurnProgress, line: OrderLine, cup: DiceSource, plans: DoctrinesByPlayer) -> TurnStepResult:
    """One line of the active player: the ship acts, or the line is ignored (RS-21.1, RS-21.5)."""
    play = _start_play(progress, cup, plans)
    ship = play.ship(line.ship)
    readable = line.alternatives and line.ship not in (*progress.named, *progress.captured)
    if readable and ship.afloat and ship.owner == progress.order[0]:
        activation.activate_ship(play, line)
    else:
        # What a captain ordered is secret: others do not learn of a line that could not be carried out.
        seat = name_of(progress.order[0])
        play.say(LineIgnored(ship=line.ship, rule="RS-21.5", seen_by=(seat,) if isinstance(seat, int) else None))
    return _result_of_play(play, structs.replace(progress, named=(*progress.named, line.ship)))


def close_player(progress: TurnProgress, cup: DiceSource, plans: DoctrinesByPlayer) -> TurnStepResult:
    """The active player-turn ends: ships without a line may shoot, then markers go (part 8.3, RS-18.2, RS-18.3)."""
    player, *rest = progress.order
    play = _start_play(progress, cup, plans)
    for ship in play.position.owned(player):
        if ship.id not in (*progress.named, *progress.captured):
            activation.act_without_line(play, ship.id)
    for ship in play.position.owned(player):
        if ship.immob and not ship.fresh:
            play.change(ship.id, immob=False)
            play.say(MarkerRemoved(ship=ship.id, marker="immob", rule="RS-18.2"))
        if ship.beached:
            play.change(ship.id, beached=False)
            play.say(MarkerRemoved(ship=ship.id, marker="beached", rule="RS-18.3"))
    return _result_of_play(play, structs.replace(progress, order=tuple(rest)))


def close_turn(progress: TurnProgress, cup: DiceSource, plans: DoctrinesByPlayer) -> TurnStepResult:
    """MELEE, PRIZE and END_CHECK: the next turn's FIRE comes next, or nothing (RS-11, 12, 20)."""
    play = _start_play(progress, cup, plans)
    melee.fight_melees(play)
    before = play.position
    position = structs.replace(
        before,
        quiet=0 if play.attacked else before.quiet + 1,
        links=tuple(structs.replace(link, fresh=False) for link in before.links),
        ships=tuple(structs.replace(ship, fresh=False) if ship.fresh else ship for ship in before.ships),
    )
    if end := ending.find_end(position):
        play.say(end)
        play.position = ending.finished_position(position)
    else:
        play.position = structs.replace(position, turn=position.turn + 1, phase="fire")
    return _result_of_play(play, TurnProgress(position=play.position))


def run_player_turn(
    progress: TurnProgress, sheet: OrderSheet, cup: DiceSource, plans: DoctrinesByPlayer
) -> TurnStepResult:
    """The whole player-turn of the first player in the order, by their sheet (RS-03.5, RS-03.8)."""
    told: list[Event] = []
    done = open_player(progress, cup, plans)
    told += done.events
    for line in sheet.lines:
        done = activate_line(done.progress, line, done.cup, plans)
        told += done.events
    done = close_player(done.progress, done.cup, plans)
    return TurnStepResult(done.progress, (*told, *done.events), done.cup)


def run_turn(
    position: Position, sheets: Mapping[str, OrderSheet], plans: DoctrinesByPlayer, cup: DiceSource
) -> TurnStepResult:
    """One whole turn in sealed mode; who has no sheet lets all ships stay."""
    told: list[Event] = []
    done = fight_fires(TurnProgress(position=position), cup)
    told += done.events
    done = roll_initiative(done.progress, done.cup)
    told += done.events
    while done.progress.order:
        done = run_player_turn(done.progress, sheets.get(done.progress.order[0], OrderSheet()), done.cup, plans)
        told += done.events
    done = close_turn(done.progress, done.cup, plans)
    return TurnStepResult(done.progress, (*told, *done.events), done.cup)


def _start_play(progress: TurnProgress, cup: DiceSource, plans: DoctrinesByPlayer) -> TurnInProgress:
    play = TurnInProgress(progress.position, cup, plans)
    play.attacked = progress.attacked
    play.captured = list(progress.captured)
    return play


def _result_of_play(play: TurnInProgress, progress: TurnProgress) -> TurnStepResult:
    after = structs.replace(progress, position=play.position, attacked=play.attacked, captured=tuple(play.captured))
    return TurnStepResult(after, tuple(play.events), play.cup)


def _order_by_rolls(play: TurnInProgress, players: tuple[str, ...]) -> tuple[str, ...]:
    """Players by their rolls, the highest first; those who are tied roll again among themselves (RS-03.2, RS-03.6)."""
    totals = {}
    for player in players:
        dice = play.two(f"initiative {player}")
        totals[player] = sum(dice)
        play.say(InitiativeRolled(player=player, dice=dice, total=sum(dice), rule="RS-03.1"))
    order: tuple[str, ...] = ()
    for total in sorted(set(totals.values()), reverse=True):
        block = tuple(player for player in players if totals[player] == total)
        order += block if len(block) == 1 else _order_by_rolls(play, block)
    return order
