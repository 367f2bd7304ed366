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
from rules.protocol import EMPTY, NOBODY, Battle, Draft, Event, OptionSpec, Report, Request, Result, Seat, Setup, Step
from rules.ruleset import Ruleset
from rules.tally import Tally, Tallying
from rules.view import Text
from tests.toygame.rules import state as sea
from tests.toygame.rules.questions import QUESTIONS
from tests.toygame.rules.state import Ended, Fought, Line, Met, Orders, Sailed, Ship, State, ToyView, Wind

OPEN_SEA = """
size = [24, 16]
sight = 5
land = [[[11, 6], [13, 6], [13, 10], [11, 10]]]
ships = [[[2, 4], [2, 8]], [[4, 6], [4, 10]], [[3, 12]], [[9, 4], [20, 8], [20, 12]]]
"""
"""Where no scenario is named. The last captain is alone against the others."""
DUEL = "size = [6, 6]\nsight = 9\nships = [[[1, 3]], [[5, 3]]]\n"
"""On which a fight is played."""
FIGHT = {"packs": "1", "rounds": "3", "fights": "dice"}


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
    event_type = sea.Happening
    view_type = ToyView
    questions = QUESTIONS

    def seats(self, options: Mapping[str, str]) -> tuple[int, ...]:
        """One, two or three captains against one."""
        return (*[0] * int(options.get("packs", "3")), 1)

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        options = OptionSpec.chosen(self.options, setup.options, "TG")
        scenario = sea.read_scenario(OPEN_SEA if setup.scenario is UNSET else setup.scenario)
        if setup.teams != self.seats(options) or len(scenario.ships) < len(setup.teams):
            raise IllegalOrder("bad_teams", "TG", piece=str(setup.teams), most=3)
        # The lone captain has the last fleet, however few there are against him.
        fleets = [*scenario.ships[: len(setup.teams) - 1], scenario.ships[-1]]
        places = [(seat, number, at) for seat, fleet in enumerate(fleets) for number, at in enumerate(fleet, 1)]
        state = State(
            dice=dice,
            teams=setup.teams,
            size=scenario.size,
            sight=scenario.sight,
            land=tuple(scenario.land),
            ships=tuple(Ship(f"{chr(ord('A') + seat)}{number}", seat, *at) for seat, number, at in places),
            last=int(options["rounds"]),
            played=options["fights"] == "played",
        )
        return Step(state, ())

    def pending(self, state: State) -> tuple[Request, ...]:
        """The wind, with orders that may be given ahead; orders; or fights that are played."""
        if state.phase == "over":
            return ()
        if state.phase == "fights":
            return tuple(_fight(state, *pair) for pair in state.met)
        name, waits, lone = f"r{state.round}", state.phase == "wind", len(state.teams) - 1
        orders = [
            Request(id=f"{name}.orders.{seat}", seat=seat, kind="orders", round=state.round, ahead=waits)
            for seat in range(len(state.teams))
            if state.own(seat)
        ]
        wind = Request(id=f"{name}.wind", seat=lone, kind="wind", round=state.round, sealed=False)
        return (wind, *orders) if waits else tuple(orders)

    def carry_out(self, state: State, given: Sequence[tuple[Request, Any]]) -> Step:
        """Call the wind, sail, or end the fights."""
        answers = [answer for _, answer in given]
        if state.phase == "wind":
            (wind,) = answers
            after = structs.replace(state, phase="orders", wind=1 if wind.name == "calm" else 2)
            return Step(after, (sea.WindCalled(round=state.round, name=wind.name),))
        if state.phase == "orders":
            return _sail(state, answers)
        return _round_over(state, [_played(pair, report) for pair, report in zip(state.met, answers, strict=True)])

    def concede(self, state: State, seat: Seat) -> Step:
        """His ships leave the sea; whoever was to fight them fights nobody."""
        events = (sea.Fled(seat=seat),)
        left = _afloat(state, [ship.id for ship in state.own(seat)])
        if _alone(left):
            return _ended(left, events)
        return _round_over(left, events) if state.phase == "fights" and not left.met else Step(left, events)

    def draw(self, state: State) -> Step:
        """It ends as it stands."""
        return _ended(state, ())

    def view(self, state: State, seat: Seat | None, draft: Draft = EMPTY) -> ToyView:
        """What a seat sees, with its orders as they would lead if nobody were in the way."""
        seen = tuple(ship for ship in state.ships if state.sees(seat, ship))
        request = next((one for one in self.pending(state) if one.seat == seat and one.kind == "orders"), None)
        lines = self.choices(state, request, draft).lines if request else ()
        own = {ship.id: ship for ship in seen}
        return ToyView(
            seat=seat,
            round=state.round,
            phase=Text(f"phase.{state.phase}", {"round": state.round}),
            ground=Text("ground", {"width": state.size[0], "height": state.size[1]}),
            pieces=tuple(sea.piece(ship, state.teams[ship.seat]) for ship in seen),
            plan=lines,
            size=state.size,
            land=state.land,
            ships=seen,
            planned=tuple(_moved(state, own[str(line.params["ship"])], line.params) for line in lines),
            focus=draft.focus,
        )

    def captain(self, view: Any, request: Request, seed: str) -> Any:
        """A computer captain sails at the nearest enemy that he sees, or to where some may be."""
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
            east, north = (goal.x - ship.x, goal.y - ship.y) if goal else (view.size[0] - 2 * ship.x, 0)
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
                        book.tried("won", int(event.sunk not in {"", ship}), 1)
                        if threw:
                            book.threw_dice("fight", threw)
                        if event.sunk == ship:
                            book.happened("sunk")
        return {seat: book.tally() for seat, book in enumerate(books)}


def _fight(state: State, by: str, to: str) -> Request:
    seat = {ship.id: ship.seat for ship in state.ships}
    setup = Setup(system=Toy.name, teams=(0, 1), options=FIGHT, scenario=DUEL)
    return Request(
        id=f"r{state.round}.fight.{by}-{to}",
        seat=NOBODY,
        kind="fight",
        round=state.round,
        live=True,
        battle=Battle(setup=setup, seats=(seat[by], seat[to])),
        params={"by": by, "to": to},
    )


def _moved(state: State, ship: Ship, order: Mapping[str, Any]) -> Ship:
    """Where an order leads a ship that meets nothing but land and the edge of the sea."""
    x, y = sea.WAYS[order["way"]]
    edge = {"N": state.size[1] - ship.y, "E": state.size[0] - ship.x, "S": ship.y, "W": ship.x}[order["way"]]
    reach = ship.way(order["way"], max(0.0, min(edge, state.wind * order["steps"])), state.land)
    way = int(1000 * reach) / 1000
    return ship.at(round(ship.x + way * x, 3), round(ship.y + way * y, 3))


def _sail(state: State, given: Sequence[Orders]) -> Step:
    """Ships sail seat by seat, line by line; whoever then is beside an enemy fights him."""
    ships = {ship.id: ship for ship in state.ships}
    for line in (line for orders in given for line in orders.lines):
        there = _moved(state, ships[line.ship], structs.asdict(line))
        if not any(there.near(one, 0.9) for one in ships.values() if one.seat == there.seat and one.id != there.id):
            ships[line.ship] = there
    after = structs.replace(state, ships=tuple(ships.values()))
    sailed, lost = list[Event](), list[Event]()
    for before, ship in zip(state.ships, after.ships, strict=True):
        if ship != before:
            seen = after.seen_by(ship)
            sailed.append(Sailed(rule="TG-2", seen_by=seen, ship=ship.id, seat=ship.seat, x=ship.x, y=ship.y))
        if gone := tuple(seat for seat in state.seen_by(before) if not after.sees(seat, ship)):
            lost.append(sea.Vanished(seen_by=gone, ship=ship.id))
    after = structs.replace(after, met=_meetings(after))
    events = [*sailed, *lost, *(Met(rule="TG-3", by=by, to=to) for by, to in after.met)]
    if after.met and state.played:
        return Step(structs.replace(after, phase="fights"), tuple(events))
    return _thrown(after, events)


def _meetings(state: State) -> tuple[tuple[str, str], ...]:
    """Who fights whom; each ship once at most."""
    found: dict[str, str] = {}
    for ship in (one for one in state.ships if not state.teams[one.seat]):
        free = [one for one in state.ships if state.teams[one.seat] and one.id not in found.values()]
        if other := next((one for one in free if ship.near(one, 1.0 + 1e-9)), None):
            found[ship.id] = other.id
    return tuple(found.items())


def _thrown(state: State, events: list[Event]) -> Step:
    """Decide fights by a die each: the lower one sinks."""
    dice = state.dice
    for by, to in state.met:
        threw, dice = dice.die(6)
        against, dice = dice.die(6)
        sunk = "" if threw == against else by if threw < against else to
        events.append(Fought(rule="TG-3", by=by, to=to, threw=threw, against=against, sunk=sunk))
    return _round_over(structs.replace(state, dice=dice), events)


def _played(pair: tuple[str, str], report: Report) -> Fought:
    """A fight was played: whoever has not won it is sunk, unless nobody has."""
    sunk = pair[1 - report.winners[0]] if len(report.winners) == 1 else ""
    return Fought(rule="TG-3", by=pair[0], to=pair[1], threw=0, against=0, sunk=sunk)


def _afloat(state: State, sunk: Sequence[str]) -> State:
    ships = tuple(ship for ship in state.ships if ship.id not in sunk)
    return structs.replace(state, ships=ships, met=tuple(pair for pair in state.met if not {*pair} & {*sunk}))


def _alone(state: State) -> bool:
    return len({state.teams[ship.seat] for ship in state.ships}) < 2


def _round_over(state: State, events: Sequence[Event]) -> Step:
    left = _afloat(state, [event.sunk for event in events if isinstance(event, Fought)])
    after = structs.replace(left, round=state.round + 1, phase="wind", met=())
    return _ended(after, events) if _alone(after) or after.round > state.last else Step(after, tuple(events))


def _ended(state: State, events: Sequence[Event]) -> Step:
    """The side with more ships has won; where captains agree on a draw, or ships are equal, nobody."""
    counts = [sum(state.teams[ship.seat] == team for ship in state.ships) for team in (0, 1)]
    best = None if not events or counts[0] == counts[1] else counts.index(max(counts))
    winners = tuple(seat for seat, team in enumerate(state.teams) if team == best)
    outcome = Result(winners=winners, reason=Text("result.won" if winners else "result.drawn"))
    over = structs.replace(state, phase="over", met=(), outcome=outcome)
    return Step(over, (*events, Ended(rule="TG-4", seats=winners, ships=over.ships)))
