"""The toy game: packs of ships against one captain, each of whom orders all of his ships at once.

TG-1 A captain orders his own ships. TG-2 Land stops ships. TG-3 Who comes within a square of an enemy fights him.
TG-4 After the last round the side with more ships has won; before, whoever alone has any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, structs

from rules.dice import Dice
from rules.errors import IllegalOrder
from rules.protocol import (
    EMPTY,
    NOBODY,
    Act,
    AgreeDraw,
    Battle,
    Draft,
    Event,
    OptionSpec,
    Report,
    Request,
    Result,
    Seat,
    Setup,
    Step,
)
from rules.ruleset import Ruleset
from rules.tally import Tally, Tallying
from rules.view import Text, View
from tests.toygame.rules.questions import QUESTIONS
from tests.toygame.rules.state import (
    WAYS,
    Ended,
    Fled,
    Fought,
    Happening,
    Line,
    Met,
    Orders,
    Sailed,
    Ship,
    State,
    ToyView,
    Vanished,
    Wind,
    WindCalled,
    piece,
    read_scenario,
)

OPEN_SEA = """
size = [24, 16]
sight = 5
land = [[[11, 6], [13, 6], [13, 10], [11, 10]]]
ships = [[[2, 4], [2, 8]], [[4, 6], [4, 10]], [[3, 12]], [[9, 4], [20, 8], [20, 12]]]
"""
"""Where no scenario is named. The last captain is alone against the others."""
DUEL = "size = [6, 6]\nsight = 9\nships = [[[1, 3]], [[5, 3]]]\n"
"""On which a fight is played."""
NEAR = 1.0
VARIANCE_OF_A_DIE = 35 / 12


class Toy(Ruleset[State]):
    """The toy game."""

    name = "toygame"
    data = "tests.toygame.data"
    options = (
        OptionSpec("packs", ("3", "2", "1"), "3"),
        OptionSpec("rounds", ("3", "6"), "3"),
        OptionSpec("fights", ("dice", "played"), "dice"),
    )
    first = {"packs": "2"}  # noqa: RUF012 - read only, as all of a game
    takes_scenario = True
    state_type = State
    event_type = Happening
    view_type = ToyView
    questions = QUESTIONS

    def seats(self, options: Mapping[str, str]) -> tuple[int, ...]:
        """One, two or three captains against one."""
        return (*[0] * int(options.get("packs", "3")), 1)

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        options = {spec.key: setup.options.get(spec.key, spec.default) for spec in self.options}
        for spec in self.options:
            if options[spec.key] not in spec.values:
                allowed = ", ".join(spec.values)
                raise IllegalOrder("unknown_option_value", "TG", piece=options[spec.key], key=spec.key, legal=allowed)
        scenario = read_scenario(OPEN_SEA if setup.scenario is UNSET else setup.scenario)
        if setup.teams != self.seats(options) or len(scenario.ships) < len(setup.teams):
            raise IllegalOrder("bad_teams", "TG", piece=str(setup.teams), most=3)
        # The lone captain has the last fleet, however few there are against him.
        fleets = [*scenario.ships[: len(setup.teams) - 1], scenario.ships[-1]]
        state = State(
            dice=dice,
            teams=setup.teams,
            size=scenario.size,
            sight=scenario.sight,
            land=tuple(scenario.land),
            ships=tuple(
                Ship(f"{chr(ord('A') + seat)}{number}", seat, x, y)
                for seat, fleet in enumerate(fleets)
                for number, (x, y) in enumerate(fleet, 1)
            ),
            last=int(options["rounds"]),
            played=options["fights"] == "played",
        )
        return Step(state, ())

    def pending(self, state: State) -> tuple[Request, ...]:
        """The wind, with orders that may be given ahead; orders; or fights that are played."""
        if state.phase == "over":
            return ()
        if state.phase == "fights":
            return tuple(self._fight(state, *pair) for pair in state.met)
        waits = state.phase == "wind"
        lone = len(state.teams) - 1
        wind = Request(id=f"r{state.round}.wind", seat=lone, kind="wind", round=state.round, sealed=False)
        orders = [
            Request(id=f"r{state.round}.orders.{seat}", seat=seat, kind="orders", round=state.round, ahead=waits)
            for seat in range(len(state.teams))
            if state.own(seat)
        ]
        return (wind, *orders) if waits else tuple(orders)

    def _fight(self, state: State, by: str, to: str) -> Request:
        ships = {ship.id: ship for ship in state.ships}
        options = {"packs": "1", "rounds": "3", "fights": "dice"}
        setup = Setup(system=self.name, teams=(0, 1), options=options, scenario=DUEL)
        return Request(
            id=f"r{state.round}.fight.{by}-{to}",
            seat=NOBODY,
            kind="fight",
            round=state.round,
            live=True,
            battle=Battle(setup=setup, seats=(ships[by].seat, ships[to].seat)),
            params={"by": by, "to": to},
        )

    def resolve(self, state: State, answers: Mapping[str, Any]) -> Step:
        """Carry out answers. Raises `ValueError` if they are not those to all that is asked."""
        asked = {request.id for request in self.pending(state) if not request.ahead}
        if asked != answers.keys():
            raise ValueError(f"asked for {sorted(asked)}, not for {sorted(answers)}")
        if state.phase == "wind":
            (wind,) = answers.values()
            after = structs.replace(state, phase="orders", wind=1 if wind.name == "calm" else 2)
            return Step(after, (WindCalled(round=state.round, name=wind.name),))
        if state.phase == "orders":
            return _sail(state, [answers[one] for one in sorted(answers)])
        return _decided(state, [answers[request.id] for request in self.pending(state)])

    def act(self, state: State, act: Act) -> Step:
        """Carry out what a captain did unasked."""
        if state.phase == "over":
            return Step(state, ())
        if isinstance(act, AgreeDraw):
            return _ended(state, ())
        left = structs.replace(state, ships=tuple(ship for ship in state.ships if ship.seat != act.seat))
        afloat = {ship.id for ship in left.ships}
        left = structs.replace(left, met=tuple(pair for pair in state.met if afloat.issuperset(pair)))
        events = (Fled(seat=act.seat),)
        if over := _over(left, events):
            return over
        return _round_over(left, events) if state.phase == "fights" and not left.met else Step(left, events)

    def view(self, state: State, seat: Seat | None, draft: Draft = EMPTY) -> ToyView:
        """What a seat sees, with its orders as they would lead if nobody were in the way."""
        seen = tuple(ship for ship in state.ships if state.sees(seat, ship))
        planned: list[Ship] = []
        lines: tuple[Text, ...] = ()
        request = next((one for one in self.pending(state) if one.seat == seat and one.kind == "orders"), None)
        if request:
            choices = self.choices(state, request, draft)
            lines = choices.lines
            own = {ship.id: ship for ship in seen}
            planned = [_moved(state, own[str(line.params["ship"])], line.params) for line in lines]
        return ToyView(
            seat=seat,
            round=state.round,
            phase=Text(f"phase.{state.phase}", {"round": state.round}),
            ground=Text("ground", {"width": state.size[0], "height": state.size[1]}),
            pieces=tuple(piece(ship, state.teams[ship.seat]) for ship in seen),
            plan=lines,
            size=state.size,
            land=state.land,
            ships=seen,
            planned=tuple(planned),
            focus=draft.focus,
        )

    def captain(self, view: View, request: Request, seed: str) -> Any:
        """A computer captain sails at the nearest enemy that he sees, or to where some may be."""
        assert isinstance(view, ToyView)
        if request.kind == "wind":
            return Wind("breeze" if int(seed[-1], 16) % 2 else "calm")
        if request.kind == "fight":
            return Report(digest="", winners=(), ending="")
        own = [ship for ship in view.ships if ship.seat == request.seat]
        sides = {one.id: one.side for one in view.pieces}
        enemies = [ship for ship in view.ships if own and sides[ship.id] != sides[own[0].id]]
        lines = []
        for ship in own:
            goal = min(enemies, key=lambda one: (one.x - ship.x) ** 2 + (one.y - ship.y) ** 2, default=None)
            x, y = (goal.x, goal.y) if goal else (view.size[0] - ship.x, ship.y)
            east, north = x - ship.x, y - ship.y
            along, way = (east, "EW"[east < 0]) if abs(east) > abs(north) else (north, "NS"[north < 0])
            lines.append(Line(ship.id, way, min(3, max(1, round(abs(along) / 2)))))  # type: ignore[arg-type]
        return Orders(tuple(lines))

    def ending(self, state: State) -> str:
        """Whose ships are afloat."""
        return " ".join(ship.id for ship in state.ships)

    def tally(self, state: State, events: Iterable[Event]) -> Mapping[Seat, Tally]:
        """How often each captain's ships sailed, and what dice gave in his fights."""
        books = [Tallying("fights", "sunk") for _ in state.teams]
        for event in events:
            match event:
                case Sailed():
                    books[event.seat].ordered("sail")
                case Fought():
                    for ship, threw in ((event.by, event.threw), (event.to, event.against)):
                        book = books[ord(ship[0]) - ord("A")]
                        book.happened("fights")
                        lost = event.sunk == ship
                        book.tried("won", int(bool(event.sunk) and not lost), 1)
                        if threw:
                            book.threw("fight", threw, 3.5, VARIANCE_OF_A_DIE)
                        if lost:
                            book.happened("sunk")
        return {seat: book.tally() for seat, book in enumerate(books)}


def _moved(state: State, ship: Ship, order: Mapping[str, Any]) -> Ship:
    """Where an order leads a ship that meets nothing but land and the edge of the sea."""
    x, y = WAYS[order["way"]]
    edge = {"N": state.size[1] - ship.y, "E": state.size[0] - ship.x, "S": ship.y, "W": ship.x}[order["way"]]
    reach = ship.way(order["way"], max(0.0, min(edge, state.wind * order["steps"])), state.land)
    way = int(1000 * reach) / 1000
    return ship.at(round(ship.x + way * x, 3), round(ship.y + way * y, 3))


def _sail(state: State, given: Sequence[Orders]) -> Step:
    """Ships sail seat by seat, line by line; whoever then is beside an enemy fights him."""
    ships = {ship.id: ship for ship in state.ships}
    for line in (line for orders in given for line in orders.lines):
        there = _moved(state, ships[line.ship], structs.asdict(line))
        own = [ship for ship in ships.values() if ship.seat == there.seat and ship.id != there.id]
        if not any(_near(there, other, 0.9) for other in own):
            ships[line.ship] = there
    after = structs.replace(state, ships=tuple(ships.values()))
    moved = [ship for ship, before in zip(after.ships, state.ships, strict=True) if ship != before]
    events: list[Event] = [
        Sailed(rule="TG-2", seen_by=after.seen_by(ship), ship=ship.id, seat=ship.seat, x=ship.x, y=ship.y)
        for ship in moved
    ]
    for before, ship in zip(state.ships, after.ships, strict=True):
        if lost := tuple(seat for seat in state.seen_by(before) if not after.sees(seat, ship)):
            events.append(Vanished(seen_by=lost, ship=ship.id))
    met = _meetings(after)
    events += [Met(rule="TG-3", by=by, to=to) for by, to in met]
    if met and state.played:
        return Step(structs.replace(after, phase="fights", met=met), tuple(events))
    return _thrown(structs.replace(after, met=met), events)


def _near(a: Ship, b: Ship, most: float) -> bool:
    return (a.x - b.x) ** 2 + (a.y - b.y) ** 2 < most**2


def _meetings(state: State) -> tuple[tuple[str, str], ...]:
    """Who fights whom; each ship once at most."""
    found: list[tuple[str, str]] = []
    for ship in (one for one in state.ships if not state.teams[one.seat]):
        busy = {one for pair in found for one in pair}
        for other in (one for one in state.ships if state.teams[one.seat] and one.id not in busy):
            if _near(ship, other, NEAR + 1e-9):
                found.append((ship.id, other.id))
                break
    return tuple(found)


def _thrown(state: State, events: Sequence[Event]) -> Step:
    """Decide fights by a die each: the lower one sinks."""
    dice, told = state.dice, list(events)
    for by, to in state.met:
        threw, dice = dice.die(6)
        against, dice = dice.die(6)
        sunk = "" if threw == against else by if threw < against else to
        told.append(Fought(rule="TG-3", by=by, to=to, threw=threw, against=against, sunk=sunk))
    return _after_fights(structs.replace(state, dice=dice), told)


def _decided(state: State, reports: Sequence[Report]) -> Step:
    """Fights were played: whoever has not won them is sunk, unless nobody has."""
    told: list[Event] = []
    for (by, to), report in zip(state.met, reports, strict=True):
        sunk = "" if len(report.winners) != 1 else to if report.winners == (0,) else by
        told.append(Fought(rule="TG-3", by=by, to=to, threw=0, against=0, sunk=sunk))
    return _after_fights(state, told)


def _after_fights(state: State, told: Sequence[Event]) -> Step:
    sunk = {event.sunk for event in told if isinstance(event, Fought)}
    left = structs.replace(state, ships=tuple(ship for ship in state.ships if ship.id not in sunk), met=())
    return _round_over(left, told)


def _round_over(state: State, told: Sequence[Event]) -> Step:
    after = structs.replace(state, round=state.round + 1, phase="wind", met=())
    if over := _over(after, told):
        return over
    return _ended(after, told) if after.round > state.last else Step(after, tuple(told))


def _over(state: State, told: Sequence[Event]) -> Step | None:
    """The end, if a side has no ships left."""
    return _ended(state, told) if len({state.teams[ship.seat] for ship in state.ships}) < 2 else None


def _ended(state: State, told: Sequence[Event]) -> Step:
    """The side with more ships has won; where captains agree on a draw, or ships are equal, nobody."""
    counts = [sum(state.teams[ship.seat] == team for ship in state.ships) for team in (0, 1)]
    best = None if not told or counts[0] == counts[1] else counts.index(max(counts))
    winners = tuple(seat for seat, team in enumerate(state.teams) if team == best)
    outcome = Result(winners=winners, reason=Text("result.won" if winners else "result.drawn"))
    over = structs.replace(state, phase="over", met=(), outcome=outcome)
    return Step(over, (*told, Ended(rule="TG-4", seats=winners, ships=over.ships)))
