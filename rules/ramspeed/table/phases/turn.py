"""A turn, step by step or whole: FIRE, initiative, the player-turns, melee and prizes, the end (RS part 2).

Every function is pure: what there is, orders, doctrines and dice in; what there is then, what happened and the dice
left out. In sealed mode `run` does all of it; in live mode (part 2) the steps are called one by one.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from rules.cup import Cup
from rules.protocol import Event
from rules.ramspeed.table.events import End, Ignored, Initiative, PlayerTurn, Recovered, Sequence
from rules.ramspeed.table.events.base import name_of
from rules.ramspeed.table.orders import Doctrines, Line, Sheet
from rules.ramspeed.table.phases import activation, ending, fire, melee
from rules.ramspeed.table.phases.play import Play
from rules.ramspeed.table.state import Position

Plans = Mapping[str, Doctrines]
"""Doctrines by player."""


class Progress(Struct, frozen=True, kw_only=True):
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


class Outcome(Struct, frozen=True):
    """What came of a step."""

    progress: Progress
    events: tuple[Event, ...]
    cup: Cup

    @property
    def position(self) -> Position:
        """What lies on the table."""
        return self.progress.position

    @property
    def end(self) -> End | None:
        """How the game has ended, if it has."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, End) else None


def burn(progress: Progress, cup: Cup) -> Outcome:
    """FIRE; nothing, if it was rolled already (RS-15.2)."""
    play = _open(progress, cup, {})
    if play.position.phase == "fire":
        fire.burn(play)
        play.position = structs.replace(play.position, phase="orders")
    return _close(play, progress)


def roll_initiative(progress: Progress, cup: Cup) -> Outcome:
    """INITIATIVE: the order of the player-turns (RS-03.1, RS-03.2)."""
    play = _open(progress, cup, {})
    order = _rolled(play, tuple(player for player in play.position.players if play.position.owned(player)))
    play.say(Sequence(players=order, rule="RS-03.1"))
    return _close(play, structs.replace(progress, order=order))


def open_player(progress: Progress, cup: Cup, plans: Plans) -> Outcome:
    """The player-turn of the first player in the order begins; their crewless fireships drift (RS-03.7)."""
    player = progress.order[0]
    progress = structs.replace(progress, named=(), captured=progress.spent)
    play = _open(progress, cup, plans)
    play.say(PlayerTurn(player=player, rule="RS-03.3"))
    for ship in play.position.ships:
        if ship.fresh:
            play.change(ship.id, fresh=False)
    for ship in play.position.owned(player):
        if fire.drifts(play, play.ship(ship.id)):
            fire.drift(play, ship.id)
    return _close(play, progress)


def activate(progress: Progress, line: Line, cup: Cup, plans: Plans) -> Outcome:
    """One line of the active player: the ship acts, or the line is ignored (RS-21.1, RS-21.5)."""
    play = _open(progress, cup, plans)
    ship = play.ship(line.ship)
    readable = line.alternatives and line.ship not in (*progress.named, *progress.captured)
    if readable and ship.afloat and ship.owner == progress.order[0]:
        activation.activate(play, line)
    else:
        # What a captain ordered is secret: others do not learn of a line that could not be carried out.
        seat = name_of(progress.order[0])
        play.say(Ignored(ship=line.ship, rule="RS-21.5", seen_by=(seat,) if isinstance(seat, int) else None))
    return _close(play, structs.replace(progress, named=(*progress.named, line.ship)))


def close_player(progress: Progress, cup: Cup, plans: Plans) -> Outcome:
    """The active player-turn ends: ships without a line may shoot, then markers go (part 8.3, RS-18.2, RS-18.3)."""
    player, *rest = progress.order
    play = _open(progress, cup, plans)
    for ship in play.position.owned(player):
        if ship.id not in (*progress.named, *progress.captured):
            activation.idle(play, ship.id)
    for ship in play.position.owned(player):
        if ship.immob and not ship.fresh:
            play.change(ship.id, immob=False)
            play.say(Recovered(ship=ship.id, marker="immob", rule="RS-18.2"))
        if ship.beached:
            play.change(ship.id, beached=False)
            play.say(Recovered(ship=ship.id, marker="beached", rule="RS-18.3"))
    return _close(play, structs.replace(progress, order=tuple(rest)))


def close(progress: Progress, cup: Cup, plans: Plans) -> Outcome:
    """MELEE, PRIZE and END_CHECK: the next turn's FIRE comes next, or nothing (RS-11, 12, 20)."""
    play = _open(progress, cup, plans)
    melee.fight(play)
    before = play.position
    position = structs.replace(
        before,
        quiet=0 if play.attacked else before.quiet + 1,
        links=tuple(structs.replace(link, fresh=False) for link in before.links),
        ships=tuple(structs.replace(ship, fresh=False) if ship.fresh else ship for ship in before.ships),
    )
    if end := ending.end(position):
        play.say(end)
        play.position = ending.over(position)
    else:
        play.position = structs.replace(position, turn=position.turn + 1, phase="fire")
    return _close(play, Progress(position=play.position))


def player_turn(progress: Progress, sheet: Sheet, cup: Cup, plans: Plans) -> Outcome:
    """The whole player-turn of the first player in the order, by their sheet (RS-03.5, RS-03.8)."""
    told: list[Event] = []
    done = open_player(progress, cup, plans)
    told += done.events
    for line in sheet.lines:
        done = activate(done.progress, line, done.cup, plans)
        told += done.events
    done = close_player(done.progress, done.cup, plans)
    return Outcome(done.progress, (*told, *done.events), done.cup)


def run(position: Position, sheets: Mapping[str, Sheet], plans: Plans, cup: Cup) -> Outcome:
    """One whole turn in sealed mode; who has no sheet lets all ships stay."""
    told: list[Event] = []
    done = burn(Progress(position=position), cup)
    told += done.events
    done = roll_initiative(done.progress, done.cup)
    told += done.events
    while done.progress.order:
        done = player_turn(done.progress, sheets.get(done.progress.order[0], Sheet()), done.cup, plans)
        told += done.events
    done = close(done.progress, done.cup, plans)
    return Outcome(done.progress, (*told, *done.events), done.cup)


def _open(progress: Progress, cup: Cup, plans: Plans) -> Play:
    play = Play(progress.position, cup, plans)
    play.attacked = progress.attacked
    play.captured = list(progress.captured)
    return play


def _close(play: Play, progress: Progress) -> Outcome:
    after = structs.replace(progress, position=play.position, attacked=play.attacked, captured=tuple(play.captured))
    return Outcome(after, tuple(play.events), play.cup)


def _rolled(play: Play, players: tuple[str, ...]) -> tuple[str, ...]:
    """Players by their rolls, the highest first; those who are tied roll again among themselves (RS-03.2, RS-03.6)."""
    totals = {}
    for player in players:
        dice = play.two(f"initiative {player}")
        totals[player] = sum(dice)
        play.say(Initiative(player=player, dice=dice, total=sum(dice), rule="RS-03.1"))
    order: tuple[str, ...] = ()
    for total in sorted(set(totals.values()), reverse=True):
        block = tuple(player for player in players if totals[player] == total)
        order += block if len(block) == 1 else _rolled(play, block)
    return order
