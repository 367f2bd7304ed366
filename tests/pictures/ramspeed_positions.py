"""Positions, plans and turns of Biremes … Oh My! to be drawn, built by hand."""

from collections.abc import Callable
from math import cos, radians, sin
from random import Random

import render
from rules.chance.dice import Dice
from rules.core.protocol import Draft, Event, Setup
from rules.core.view import Text
from rules.ramspeed.engine import events as happened
from rules.ramspeed.engine.events import CrewAboard, InheritedShip
from rules.ramspeed.engine.notation.scenarios import SCENARIOS, scenario_position
from rules.ramspeed.engine.odds import ResultChance
from rules.ramspeed.engine.state import Captain, Link, Position, Ship
from rules.ramspeed.engine.tables import CLASS_CODES, CLASSES, NATIONS
from rules.ramspeed.game import RamSpeed
from rules.ramspeed.interface.view import AttackPreview, PlannedCourse, PlannedLine, Pose, Reach, SeaView


def ship(name: str, code: str, x: float, y: float, heading: int, **fields) -> Ship:
    """A ship of the first player if her name begins with an A, R or N, else of the second."""
    mine = name[0] in "ARN"
    base = {
        "owner": "ann" if mine else "bob",
        "side0": "Rome" if mine else "Carthage",
        "nation": "roman" if mine else "carthaginian",
        "crew": CLASSES[code].crew_max,
    }
    return Ship(id=name, code=code, x=x, y=y, heading=heading, **{**base, **fields})


def sea(ships, links=(), *, board: str = "corvus", **fields) -> Position:
    scenario = SCENARIOS.get(board, SCENARIOS["corvus"])
    width, height = scenario.table
    base = {
        "width": width,
        "height": height,
        "board": board,
        "land": scenario.land,
        "turn": 6,
        "seats": (Captain("ann", "Rome"), Captain("bob", "Carthage")),
        "ships": tuple(sorted(ships, key=lambda ship: (ship.id[0], int(ship.id[1:])))),
        "links": tuple(links),
    }
    return Position(**{**base, **fields})


def view_of(where: Position, **fields) -> SeaView:
    base = {
        "seat": None,
        "round": where.turn,
        "phase": Text("phase.orders"),
        "pieces": (),
        "position": where,
        "seats": tuple(range(len(where.seats))),
    }
    return SeaView(**{**base, **fields})


def opening(board: str) -> SeaView:
    """A scenario as it begins."""
    sides = [fleet.name for fleet in SCENARIOS[board].sides]
    where = scenario_position(SCENARIOS[board], (Captain("ann", sides[0]), Captain("bob", sides[1])))
    return view_of(where, round=1)


def _before() -> tuple[tuple[Ship, ...], tuple[Link, ...]]:
    ships = (
        ship("R1", "V", 17, 13, 90, corvus=True),
        ship("R2", "V", 16.4, 18.4, 95, crew=42, corvus=True),
        ship("R3", "Q", 17.2, 22.6, 85),
        ship("C1", "V", 25.6, 14.2, 272),
        ship("C2", "Q", 21.5, 19.5, 275, fire=1),
        ship("C3", "T", 18.48, 7.98, 350),
        ship("C4", "T", 21.4, 23.2, 176, banks_lost=1),
        ship("C5", "B", 28, 24, 250),
        ship("C6", "B", 27.4, 17.6, 300, crew=0),
        ship("R7", "T", 12.4, 9.4, 40, owner="bob", nation="carthaginian", crew=5),
    )
    return ships, ()


def a_turn() -> tuple[SeaView, tuple[Event, ...]]:
    """A whole turn: a fire, a ram, an oar swipe, a grapple, shots, a boarding, a ship that sinks, and moves."""
    ships, links = _before()
    events: tuple[Event, ...] = (
        happened.TurnBegan(turn=6, ships=ships, links=links),
        happened.FireFought(ship="C2", die=3, markers=2),
        happened.InitiativeRolled(player="ann", dice=(2, 3), total=5),
        happened.InitiativeRolled(player="bob", dice=(5, 4), total=9),
        happened.OrderOfPlaySet(players=("bob", "ann")),
        happened.PlayerTurnBegan(player="bob"),
        happened.ShipActivated(ship="C3", order="ram R1"),
        happened.ShipRammed(
            by="C3", to="R1", heading=350, run=3.3, zone="dead_on", modifier=0, dice=(2, 3), total=5,
            result="immobilised", x=17.91, y=11.22,
        ),
        happened.ShipActivated(ship="C1", order="fwd 3; shoot R1 fire"),
        happened.ShipMoved(ship="C1", x=22.6, y=14.3, heading=272),
        happened.ShotFired(by="C1", to="R1", kind="fire", distance=1.9, die=6, crew=50, caught=True),
        happened.ShipActivated(ship="C5", order="veer 10L 4"),
        happened.ShipMoved(ship="C5", x=24.6, y=22.3, heading=240),
        happened.ShipActivated(ship="R7", order="veer 20R"),
        happened.ShipMoved(ship="R7", x=17.6, y=12.4 - 3.6, heading=60),
        happened.PlayerTurnBegan(player="ann"),
        happened.ShipActivated(ship="R2", order="grapple C2"),
        happened.ShipGrappled(by="R2", to="C2", heading=95, run=2.2, zone="bow_on", automatic=False),
        happened.DefenceTried(ship="C2", option="turn", die=3, success=False),
        happened.ShipMoved(ship="R2", x=21.42, y=18.55, heading=95),
        happened.HooksThrown(by="R2", to="C2", modifier=1, dice=(4, 3), success=True),
        happened.ShipsLinked(a="C2", b="R2", kind="grapple"),
        happened.FireSpreadChecked(from_="C2", to="R2", need=4, die=2, caught=False),
        happened.ShipActivated(ship="R3", order="ram C4"),
        happened.ShipRammed(
            by="R3", to="C4", heading=84, run=2.7, zone="dead_on", modifier=0, dice=(6, 5), total=11,
            result="sunk", x=19.9, y=22.88,
        ),
        happened.ShipSunk(ship="C4", cause="ram"),
        happened.MeleeFought(
            ships=("C2", "R2"), strengths=(42, 30), dice=((3, 5), (4, 6)), inflicted=(13, 15), crews=(17, 27),
        ),
        happened.MarkerRemoved(ship="C4", marker="immob"),
    )  # fmt: skip
    after = (
        ship("R1", "V", 17, 13, 90, corvus=True, fire=1, immob=True),
        ship("R2", "V", 21.42, 18.55, 95, crew=27, corvus=True),
        ship("R3", "Q", 19.9, 22.88, 84),
        ship("C1", "V", 22.6, 14.3, 272),
        ship("C2", "Q", 21.5, 19.5, 275, fire=2, crew=17),
        ship("C3", "T", 17.91, 11.22, 350),
        ship("C4", "T", 21.4, 23.2, 176, banks_lost=1, status="sunk", crew=0),
        ship("C5", "B", 24.6, 22.3, 240),
        ship("C6", "B", 27.4, 17.6, 300, crew=0),
        ship("R7", "T", 17.6, 8.8, 60, owner="bob", nation="carthaginian", crew=5),
    )
    where = sea(after, (Link(a="C2", b="R2", kind="grapple"),), turn=7)
    began = happened.TurnBegan(turn=7, ships=where.ships, links=where.links)
    return view_of(where, position_before=sea(ships, links)), (*events, began)


def moved(pose: Pose, far: float, veer: int = 0) -> Pose:
    """A pose after a pivot and a straight."""
    heading = (pose.heading + veer) % 360
    turn = radians(heading)
    return Pose(pose.x + far * sin(turn), pose.y + far * cos(turn), heading)


def _rams(modifier: int) -> tuple[ResultChance, ...]:
    """Return the results of a ram with their chances, by the rules' tables."""
    ways = [sum(1 for a in range(1, 7) for b in range(1, 7) if a + b >= n) for n in range(14)]
    least = {"sunk": 10, "stuck": 8, "dead": 6, "immobilised": 4, "glanced": 2}
    odds, above = [], 0
    for result, total in least.items():
        need = min(13, max(2, total - modifier)) if result != "glanced" else 2
        odds.append(ResultChance(result=result, min_roll=need, percent=round((ways[need] - above) * 100 / 36)))
        above = ways[need]
    return tuple(odds)


def ordering(current: str | None = "A1") -> SeaView:
    """A captain who writes a sheet: one ship in hand, another with a line of two alternatives."""
    ships = (
        ship("A1", "T", 9.5, 10.2, 78, nation="athenian"),
        ship("A2", "T", 8.2, 14.6, 95, nation="athenian", crew=14, banks_lost=1),
        ship("S1", "T", 16.8, 11.6, 352, nation="spartan"),
        ship("S2", "T", 12.4, 16.6, 255, nation="spartan", fire=1, crew=11),
        ship("S3", "B", 20.6, 9.4, 280, nation="spartan"),
    )
    where = sea(ships, board="skerries")
    a1, a2 = Pose(9.5, 10.2, 78), Pose(8.2, 14.6, 95)
    lane = moved(a1, 5.7, 5)
    alongside = Pose(11.9, 16.05, 75)
    lines = (
        PlannedLine(
            ship="A2",
            number=1,
            courses=(
                PlannedCourse(
                    order="veer 25L; grapple S2",
                    kind="grapple",
                    path=(a2, moved(a2, 0, -25), alongside),
                    target="S2",
                    odds=(ResultChance(result="linked", min_roll=3, dice_count=1, percent=58),),
                ),
                PlannedCourse(order="fwd 3", kind="move", path=(a2, moved(a2, 3))),
            ),
        ),
        PlannedLine(
            ship="A1",
            number=2,
            courses=(
                PlannedCourse(
                    order="ram S1", kind="ram", path=(a1, moved(a1, 0, 5), lane), target="S1", odds=_rams(1), modifier=1
                ),
                PlannedCourse(order="veer 20R 5", kind="move", path=(a1, moved(a1, 0, 20), moved(a1, 5, 20))),
            ),
        ),
    )
    reach = Reach(
        ship="A1", start=a1, fan=tuple((veer, 6.0) for veer in range(-25, 26, 5)), astern=2.0, max_turn_deg=180
    )
    aims = (
        AttackPreview(
            by="A1", target="S1", kind="ram", start=moved(a1, 0, 5), end=lane, run=5.7, zone="dead_on", modifier=1,
            odds=_rams(1),
        ),
        AttackPreview(by="A1", target="S2", kind="grapple", start=a1, end=a1, fault="angle",
                      rule="RS-07.4", measured=74),
        AttackPreview(by="A1", target="S3", kind="ram", start=a1, end=a1, fault="far",
                      rule="RS-08.5", measured=9.84, limit=8),
    )  # fmt: skip
    if current is None:
        return view_of(where, seat=0, lines=lines)
    return view_of(where, seat=0, current_ship=current, lines=lines, reach=reach, attack_previews=aims)


def crowd(seed: int, count: int = 30) -> SeaView:
    """Many ships on a large table, in all states."""
    chance = Random(seed)
    ships, spots = [], []
    while len(ships) < count:
        x, y = chance.uniform(3, 57), chance.uniform(3, 37)
        if any((x - a) ** 2 + (y - b) ** 2 < 10 for a, b in spots):
            continue
        spots.append((x, y))
        number = len(ships)
        code = CLASS_CODES[number % 4]
        fields = {
            "crew": chance.randint(0, CLASSES[code].crew_max),
            "nation": NATIONS[(number // 2) % 4 * 2 + number % 2],
            "banks_lost": int(chance.random() < 0.2),
            "dead": chance.random() < 0.1,
            "immob": chance.random() < 0.15,
            "fire": chance.choice((0, 0, 0, 0, 1, 2)),
        }
        name = f"{'RC'[number % 2]}{number // 2 + 1}"
        ships.append(ship(name, code, round(x, 2), round(y, 2), chance.randrange(360), **fields))
    land = (((26.0, 17.0), (33.0, 16.0), (35.0, 20.0), (30.0, 23.0)),)
    return view_of(sea(ships, width=60.0, height=40.0, board="open", land=land, exit=True))


def stills(draw: Callable[..., render.Picture]) -> dict[str, Callable[[], render.Picture]]:
    view, events = a_turn()
    return {
        "sea": lambda: draw(view, caption="7"),
        "sea after a turn": lambda: draw(view, events, caption="7"),
        "sea, attacks": lambda: draw(view, events, kind="attacks", crop="action"),
        "sea, turn": lambda: draw(view, events, kind="round", crop="action"),
        "sea, orders": lambda: draw(ordering(), kind="plan", crop="action"),
        "sea, thirty ships": lambda: draw(crowd(3)),
    }


def goldens(draw: Callable[..., render.Picture]) -> dict[str, render.Picture]:
    view, events = a_turn()
    return {
        "sea": draw(view, events, caption="7. kör", crop="action"),
        "sea-orders": draw(ordering(), kind="plan", caption="A1: ram S1", crop="action"),
    }


def placing() -> SeaView:
    """A fleet on a zone of the prepared situation, seen by the captain who places it after the enemy."""
    rules = RamSpeed()
    options = {"scenario": "free", "situation": "prepared", "opponents": "rolled", "sides": "first"}
    state = rules.start(Setup(system="ramspeed", teams=(0, 1), options=options), Dice(seed="04")).state
    for _ in range(2):  # the fleets, then the places of the prepared side
        requests = rules.pending_requests(state)
        state = rules.resolve(state, {request.id: rules.default_answer(state, request) for request in requests}).state
    return rules.view(state, 0, Draft("A3 @17,5^30", "A3"))


def rolled() -> tuple[Event, ...]:
    return (
        happened.InitiativeRolled(player="ann", dice=(6, 5), total=11),
        happened.OrderOfPlaySet(players=("ann", "bob")),
        happened.PlayerTurnBegan(player="ann"),
    )


def others() -> tuple[Event, ...]:
    """The events that no turn of ours has."""
    return (
        happened.ShipDrifted(ship="C6", x=26.5, y=17.1),
        happened.LineIgnored(ship="C6"),
        happened.OrderSkipped(ship="C1", order="ram R2", rule="RS-08.5"),
        happened.FireshipLit(ship="C5"),
        happened.ShipWithdrawn(ship="C5"),
        happened.OarsSwiped(by="C1", to="R1", heading=270, run=3, zone="bow_on", past=1, defence="draw"),
        happened.SwipeResolved(ship="R1", modifier=-1, dice=(6, 5), total=10, result="bank"),
        happened.CrewTransferred(ship="R2", partner="R3", crew=-6, die=5, done=False),
        happened.DerelictManned(ship="C6", by="R3"),
        happened.CaptainConceded(seat=0, heirs=(2,), given=(InheritedShip("R1", "bob"),)),
        happened.ShipCaptured(ship="C2", player="ann", crew=5, nation="roman", gave=(CrewAboard("R2", 22),)),
        happened.DerelictLeft(ship="C2"),
        happened.ShipsPlaced(seat=0, ships=(ship("A9", "T", 4, 4, 0),)),
        happened.ShipsSeparated(ships=("C2", "R2")),
        happened.GameEnded(reason="turns", score=(4, 2), winner="Rome"),
    )
