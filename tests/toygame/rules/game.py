"""The toy game: captains of packs of ships against one captain; each orders all of their own ships at once.

TG-1 Captains order their own ships. TG-2 Land stops ships. TG-3 Who comes within a square of an enemy fights.
TG-4 After the last round the side with more ships has won; before, the one that alone has any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from msgspec import structs

from rules.chance.dice import Dice
from rules.core.endings import CaptainConceded, end_game
from rules.core.errors import IllegalOrder
from rules.core.finding import with_updated
from rules.core.protocol import (
    EMPTY_DRAFT,
    Draft,
    Event,
    OptionSpec,
    Report,
    Request,
    Seat,
    Setup,
    Step,
    ask_battle,
    ask_each,
)
from rules.core.ruleset import Ruleset
from rules.core.sides import leading_seats, letter_of, seat_of
from rules.core.view import Piece, Text
from rules.interface.order_lines import ShipOrderList
from rules.interface.statistics import Statistics, StatisticsCounter, tally_events
from tests.toygame.rules import state as sea
from tests.toygame.rules.questions import QUESTIONS
from tests.toygame.rules.state import Fought, Met, Sailed, Scenario, Ship, State, ToyView

OPEN_SEA = """
size = [24, 16]
sight = 5
land = [[[11, 6], [13, 6], [13, 10], [11, 10]]]
ships = [[[2, 4], [2, 8]], [[4, 6], [4, 10]], [[3, 12]], [[9, 4], [20, 8], [20, 12]]]
"""  # where no scenario is named. The last captain is alone against the others.
FIGHT = Setup(
    system="toygame",
    teams=(0, 1),
    options={"packs": "1"},
    scenario="size = [6, 6]\nsight = 9\nships = [[[1, 3]], [[5, 3]]]\n",
)  # the game that is played for a fight


class Toy(Ruleset[State]):
    name = "toygame"
    data_package = "tests.toygame.data"
    options = (
        OptionSpec("packs", ("3", "2", "1"), "3"),
        OptionSpec("rounds", ("3", "6"), "3"),
        OptionSpec("fights", ("dice", "played"), "dice"),
    )
    first_game_options = {"packs": "2"}  # noqa: RUF012 - read only, as all of a game
    accepts_scenario = True
    example_scenario = OPEN_SEA
    state_type = State
    event_type = sea.Happening
    view_type = ToyView
    questions = QUESTIONS

    def seats(self, options: Mapping[str, str]) -> tuple[int, ...]:
        return (*[0] * int(options.get("packs", "3")), 1)

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        options = self.option_values(setup, "TG")
        scenario = self.parse_scenario(setup, Scenario)
        if len(scenario.ships) < len(setup.teams):
            raise IllegalOrder("bad_teams", "TG", piece=str(setup.teams), most=3)
        # The lone captain has the last fleet, however few there are against them.
        fleets = [*scenario.ships[: len(setup.teams) - 1], scenario.ships[-1]]
        ships = [
            Ship(f"{letter_of(seat)}{number}", seat, setup.teams[seat], *at)
            for seat, fleet in enumerate(fleets)
            for number, at in enumerate(fleet, 1)
        ]
        last, played = int(options["rounds"]), options["fights"] == "played"
        return Step(State(dice=dice, teams=setup.teams, sea=scenario, ships=tuple(ships), last=last, played=played), ())

    def pending_requests(self, state: State) -> tuple[Request, ...]:
        if state.phase in ("over", "fights"):
            fights = [(by, to, (seat_of(by), seat_of(to))) for by, to in state.met]
            return tuple(ask_battle("fight", state.round, FIGHT, seats, by=by, to=to) for by, to, seats in fights)
        waits, lone = state.phase == "wind", len(state.teams) - 1
        wind = Request(id=f"r{state.round}.wind", seat=lone, kind="wind", round=state.round, sealed=False)
        orders = ask_each(filter(state.own, range(len(state.teams))), "orders", state.round, ahead=waits)
        return (wind, *orders) if waits else orders

    def carry_out(self, state: State, given: Sequence[tuple[Request, Any]]) -> Step:
        answers = [answer for _, answer in given]
        if state.phase == "wind":
            (wind,) = answers
            after = structs.replace(state, phase="orders", wind=1 if wind.choice == "calm" else 2)
            return Step(after, (sea.WindCalled(round=state.round, name=wind.choice),))
        if state.phase == "orders":
            return _sail(state, tuple(line for lines in answers for line in lines))
        return _round_over(state, [_played(pair, report) for pair, report in zip(state.met, answers, strict=True)])

    def concede(self, state: State, seat: Seat) -> Step:
        events = (CaptainConceded(seat=seat),)
        left = _without(state, [ship.id for ship in state.own(seat)])
        if left.alone:
            return _ended(left, events)
        return _round_over(left, events) if state.phase == "fights" and not left.met else Step(left, events)

    def agree_draw(self, state: State) -> Step:
        return _over(state, (), ())

    def view(self, state: State, seat: Seat | None, draft: Draft = EMPTY_DRAFT) -> ToyView:
        seen = tuple(ship for ship in state.ships if state.sees(seat, ship))
        lines = self.plan_lines(state, seat, draft, "orders")
        return ToyView(
            seat=seat,
            round=state.round,
            phase=Text(f"phase.{state.phase}", {"round": state.round}),
            ground_text=Text("ground", {"width": state.sea.size[0], "height": state.sea.size[1]}),
            pieces=tuple(map(_piece, seen)),
            plan_lines=lines,
            sea=state.sea,
            ships=seen,
            planned=tuple(state.moved(str(line.params["ship"]), str(line.params["word"])) for line in lines),
            focus=draft.focus,
        )

    def final_position(self, state: State) -> str:
        return " ".join(ship.id for ship in state.ships)

    def count_statistics(self, state: State, events: Iterable[Event]) -> Mapping[Seat, Statistics]:
        return tally_events(range(len(state.teams)), ("sunk",), events, _count)


def _count(books: Mapping[Seat, StatisticsCounter], event: Event) -> None:
    match event:
        case Sailed():
            books[event.seat].count_order("sail")
        case Fought():
            for ship, threw in ((event.by, event.threw), (event.to, event.against)):
                book = books[seat_of(ship)]
                book.count_event("sunk", event.sunk == ship)
                book.count_attempts("won", int(event.sunk not in {"", ship}), 1)
                book.count_dice("fight", threw, threw > 0)


def _piece(ship: Ship) -> Piece:
    place = Text("place", {"x": ship.x, "y": ship.y})
    return Piece(id=ship.id, seat=ship.seat, side="lone" if ship.team else "pack", place=place)


def _sail(state: State, lines: ShipOrderList) -> Step:
    """Ships sail seat by seat, line by line; those that are beside an enemy then fight."""
    after = state
    for line in lines:
        there = after.moved(line.ship, line.word)
        if not any(
            there.near(other, 0.9) for other in after.ships if other.seat == there.seat and other.id != there.id
        ):
            after = structs.replace(after, ships=with_updated(after.ships, there))
    after = structs.replace(after, met=_meetings(after), phase="fights" if state.played else state.phase)
    events = list[Event]()
    for before, ship in zip(state.ships, after.ships, strict=True):
        seen = after.seers(ship)
        if ship != before:
            events.append(Sailed(rule="TG-2", seen_by=seen, ship=ship.id, seat=ship.seat, x=ship.x, y=ship.y))
        if gone := tuple(seat for seat in state.seers(before) if seat not in seen):
            events.append(sea.Vanished(seen_by=gone, ship=ship.id))
    events += [Met(rule="TG-3", by=by, to=to) for by, to in after.met]
    return Step(after, tuple(events)) if after.met and state.played else _thrown(after, events)


def _meetings(state: State) -> tuple[tuple[str, str], ...]:
    """Return the pairs of enemies that fight; each ship is in one pair at most."""
    foes: dict[str, str] = {}
    for ship, foe in combinations(state.ships, 2):
        if ship.team < foe.team and ship.near(foe, 1.0 + 1e-9) and not {ship.id, foe.id} & {*foes, *foes.values()}:
            foes[ship.id] = foe.id
    return tuple(foes.items())


def _thrown(state: State, events: Sequence[Event]) -> Step:
    dice, fought = state.dice, list[Event]()
    for by, to in state.met:
        threw, dice = dice.throw_die(6)
        against, dice = dice.throw_die(6)
        sunk = "" if threw == against else by if threw < against else to
        fought.append(Fought(rule="TG-3", by=by, to=to, threw=threw, against=against, sunk=sunk))
    return _round_over(structs.replace(state, dice=dice), (*events, *fought))


def _played(pair: tuple[str, str], report: Report) -> Fought:
    """A fight was played: the ship that has not won it is sunk, unless nobody has."""
    sunk = pair[1 - report.winners[0]] if len(report.winners) == 1 else ""
    return Fought(rule="TG-3", by=pair[0], to=pair[1], threw=0, against=0, sunk=sunk)


def _without(state: State, sunk: Sequence[str]) -> State:
    ships = tuple(ship for ship in state.ships if ship.id not in sunk)
    return structs.replace(state, ships=ships, met=tuple(pair for pair in state.met if not {*pair} & {*sunk}))


def _round_over(state: State, events: Sequence[Event]) -> Step:
    left = _without(state, [event.sunk for event in events if isinstance(event, Fought)])
    after = structs.replace(left, round=state.round + 1, phase="wind", met=())
    return _ended(after, events) if after.alone or after.round > state.last else Step(after, tuple(events))


def _ended(state: State, events: Sequence[Event]) -> Step:
    return _over(state, events, leading_seats(state.teams, Counter(ship.team for ship in state.ships)))


def _over(state: State, events: Sequence[Event], winners: tuple[Seat, ...]) -> Step:
    ended = sea.Ended(rule="TG-4", seats=winners, ships=state.ships)
    reason = Text("result.won" if winners else "result.drawn")
    return end_game(state, (*events, ended), winners, reason, phase="over", met=())
