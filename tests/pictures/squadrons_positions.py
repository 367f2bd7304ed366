"""Positions, plans and turns of the fleet game to be drawn, built by hand: for their looks, not by the rules."""

from collections.abc import Callable
from random import Random

from msgspec.structs import replace

import render
from rules.core.protocol import Event
from rules.core.view import Text
from rules.squadrons.engine import events
from rules.squadrons.engine.sea.grid import FACING_NAMES, hex_label, next_hex, parse_place
from rules.squadrons.engine.sea.state import Captain, Leader, Position, RuleOptions, Ship, Squadron, Wind
from rules.squadrons.engine.tables import CLASSES
from rules.squadrons.interface.flow.opening import land_hexes
from rules.squadrons.interface.preview.view import (
    AttackPreview,
    FleetView,
    NextStep,
    Overlay,
    PlannedTrack,
    ReachableHex,
)
from rules.squadrons.retelling import split_moments

FLEET = ("5", "5", "5", "5", "5", "5", "5m", "5m", "5m", "5T", "5T", "4", "4", "cat3", "7")
"""Classes of fifteen galleys, about 200 points."""


def ship(name: str, code: str, place: str, speed: str = "C", **fields) -> Ship:
    at = parse_place(place)
    return Ship(id=name, code=code, bow=at.bow, facing=at.facing, speed=speed, **fields)


def sea(ships, *, width: int = 44, height: int = 28, **fields) -> Position:
    base = {"turn": 4, "phase": "E", "target": 55, "limit": 12}
    by_id = tuple(sorted(ships, key=lambda ship: (ship.id[0], int(ship.id[1:]))))
    return Position(width=width, height=height, ships=by_id, **{**base, **fields})


def view_of(where: Position, **fields) -> FleetView:
    base = {
        "seat": None,
        "round": where.turn,
        "phase": Text("phase.orders"),
        "pieces": (),
        "position": where,
        "captains": (Captain(seat=0, side="B"), Captain(seat=1, side="R")),
        "points": (8, 13),
    }
    return FleetView(**{**base, **fields})


LEADERS = (
    Leader(id="BL1", name="Steady", ship="B3"),
    Leader(id="BL2", name="SqC", ship="B11"),
    Leader(id="RL1", name="Bold", ship="R8"),
    Leader(id="RL2", name="SqC", ship="R13", reduced="temp"),
)


def battle(count: int = 15, **fields) -> Position:
    """Two lines abreast, three squadrons each, the last of which has no leader."""
    ships = []
    for side, row, facing in (("B", 19, "N"), ("R", 10, "S")):
        for number in range(1, count + 1):
            column = 22 - count // 2 + number
            code = FLEET[(number - 1) % len(FLEET)]
            squadron = 1 if number <= count * 0.45 else 2 if number <= count * 0.85 else 0
            speed = "M" if squadron == 1 else "C"
            ships.append(ship(f"{side}{number}", code, f"{column:02}{row}{facing}", speed, squadron=squadron))
    return sea(ships, leaders=LEADERS, **fields)


def a_turn() -> tuple[FleetView, tuple[Event, ...]]:
    """A turn: rams, a rake, an avoidance, a grapple, a boarding, shots, fire, and a ship that sinks."""
    before = {ship.id: ship for ship in battle().ships}
    before["R3"] = ship("R3", "5", "1715S", squadron=1)
    before["R5"] = ship("R5", "4", "2015N", squadron=1)
    before["R7"] = ship("R7", "5m", "2215SW", depletion=1, squadron=2)
    before["R14"] = ship("R14", "cat3", "2913S", rammed="B9", burning=True)
    before["B6"] = ship("B6", "5", "2117N", "C", squadron=1, fatigue=2)
    before["B15"] = ship("B15", "L", "3118NW", "M")
    start = sea(before.values(), leaders=LEADERS, grapples=(), fouls=())
    happened: tuple[Event, ...] = (
        events.TurnBegan(turn=4, position=start),
        events.InitiativeRolled(side="B", die=5, total=7),
        events.InitiativeRolled(side="R", die=3, total=6),
        events.SquadronActivated(side="B", number=1, flagship="B3", ships=("B1", "B2", "B3", "B4", "B5", "B6")),
        events.ShipMoved(ship="B1", step="F", to="1618N", mp=1),
        events.ShipMoved(ship="B1", step="F", to="1617N", mp=2),
        events.ShipMoved(ship="B1", step="F", to="1616N", mp=3),
        events.ShipRammed(
            by="B1", target="R3", ra=8, rd=8, need=8, drm=1, dice=(5, 3), adjusted=9, result="rammed", rule="SQ-13.9"
        ),
        events.RetractRolled(ship="B1", value=5, result="back", to="1617N", target="R3"),
        events.ShipMoved(ship="B4", step="F", to="1918N", mp=1),
        events.ShipMoved(ship="B4", step="F", to="1917N", mp=2),
        events.ShipMoved(ship="B4", step="F", to="1916N", mp=3),
        events.AvoidanceTried(ship="R5", by="B4", die=5, crew=3, ok=False, to=None),
        events.ShipRaked(by="B4", target="R5", side="p", need=8, drm=0, dice=(6, 4), adjusted=10, ok=True),
        events.ShipMoved(ship="B4", step="F", to="1915N", mp=4),
        events.FatigueRolled(ship="B4", mp=4, drm=1, die=5, result=3),
        events.ShotFired(by="B6", target="R7", reaction=False, range=2, m=2, flame=False, drm=-1, die=6, result="D"),
        events.ManpowerLost(ship="R7", eff_m=2),
        events.SquadronActivated(side="R", number=2, flagship="R8", ships=("R7", "R8", "R9")),
        events.ShipMoved(ship="R7", step="F", to="2115SW", mp=1),
        events.ShipGrappled(by="R7", target="B6", need=4, drm=0, die=5, ok=True),
        events.ShipMoved(ship="R8", step="F", to="2311S", mp=1),
        events.ShipMoved(ship="R8", step="F", to="2312S", mp=2),
        events.ShipMoved(ship="R8", step="P", to="2413SE", mp=3),
        events.ShipBoarded(
            target="B6", by=(events.BoardingShip(ship="R7", m=2),), m=2, need=8, drm=0, dice=(6, 3), adjusted=9,
            result="captured",
        ),
        events.ManpowerLost(ship="R7", eff_m=1),
        events.SquadronRowed(ships=(events.ShipEndPlace("R8", "2413"),), stayed=("R9",)),
        events.SquadronActivated(side="B", number=0, flagship="B15", ships=("B15",)),
        events.ControlRolled(ship="B15", die=2, crew=2, ok=True),
        events.ShipMoved(ship="B15", step="F", to="3017NW", mp=1),
        events.ShipMoved(ship="B15", step="S", to="3016N", mp=2),
        events.ShipMoved(ship="B15", step="F", to="3015N", mp=3),
        events.FireFought(ship="R14", die=6, effect="burns"),
        events.SinkRolled(ship="R3", die=2, sinks=False),
        events.SinkRolled(ship="R14", die=6, sinks=True),
        events.ShipSunk(ship="R14", cause="sinks"),
        events.ScoreCounted(blue=16, red=13),
    )  # fmt: skip
    now = split_moments(view_of(start), happened)[-1].after
    return view_of(now, position_before=start, points=(16, 13)), happened


def crowd(seed: int, count: int = 60, size: tuple[int, int] = (44, 28), **fields) -> FleetView:
    """Many ships in all states, in any places."""
    chance = Random(seed)
    ships: list[Ship] = []
    taken = set()
    codes = list(CLASSES)
    number = 0
    while len(ships) < count:
        name = f"{'BR'[len(ships) % 2]}{len(ships) // 2 + 1}"
        place = f"{chance.randint(2, size[0] - 1):02}{chance.randint(2, size[1] - 1):02}{chance.choice(FACING_NAMES)}"
        states = {
            "rammed": "R1" if chance.random() < 0.1 else "",
            "crippled_port": chance.random() < 0.12,
            "crippled_starboard": chance.random() < 0.12,
            "fatigue": chance.choice((0, 0, 0, 0, 1, 2, 3, 4)),
            "half_speed": chance.random() < 0.1,
            "burning": chance.random() < 0.06,
            "held": chance.choice(("",) * 12 + ("CAP", "CAP0", "REC")),
            "depletion": chance.choice((0, 0, 0, 1, 2)),
            "squadron": chance.randint(0, 4),
            "done": chance.random() < 0.3,
        }
        hurt = any(
            states[key] for key in ("rammed", "crippled_port", "crippled_starboard", "fatigue", "half_speed", "held")
        )
        new = ship(name, codes[number % len(codes)], place, "C" if hurt else chance.choice("CM"), **states)
        if taken & set(new.hexes):
            continue
        number += 1
        taken |= set(new.hexes)
        ships.append(new)
    leaders = [
        Leader(id=f"{ship.id[0]}L{1 + i // 4}", name="Bold" if i < 2 else "SqC", ship=ship.id)
        for i, ship in enumerate(ships[:8])
        if (not ship.held and i % 2 == 0) or i < 2
    ]
    return view_of(sea(ships, width=size[0], height=size[1], leaders=tuple(leaders), **fields))


def ordering(current: str | None = "B4") -> FleetView:
    """A captain who writes a sheet: a ram with an `else`, a grapple, a step that is not legal, one ship in hand."""
    view, _ = a_turn()
    before = view.position_before
    assert before is not None
    tracks = (
        PlannedTrack(ship="B1", places=("1619N", "1618N", "1617N", "1616N"), alternative=("1616N", "1615N"), mp=4,
              attacks=(("ram", "R3"),),
              odds=(AttackPreview(by="B1", target="R3", attack="ram", min_roll=7, drm=1,
                                  percent=58),)),
        PlannedTrack(ship="B3", places=("1819N", "1818N", "1717NW", "1716N"), mp=3),
        PlannedTrack(ship="B6", places=("2117N",), attacks=(("fire", "R7"),),
              odds=(AttackPreview(by="B6", target="R7", attack="fire", min_roll=5, dice_count=1, percent=33),)),
        PlannedTrack(ship="B7", places=("2219N", "2218N"), step="S", rule="SQ-06.7"),
    )  # fmt: skip
    fan = []
    at = parse_place("1919N")
    for far in range(1, 9):
        for facing in (5, 0, 1):
            here = at.bow
            for _ in range(far):
                here = next_hex(here, facing)
            if here not in before.ships_by_hex and before.is_on_map(here):
                fan.append((here, far))
    odds = (
        AttackPreview(by="B4", target="R5", attack="rake", min_roll=8, percent=42),
        AttackPreview(by="B4", target="R5", attack="ram", min_roll=9, percent=28),
        AttackPreview(by="B4", target="R3", attack="ram", rule="SQ-13.2"),
        AttackPreview(by="B4", target="R7", attack="grap", rule="SQ-16.3"),
    )
    steps = (NextStep(step="F", to="1918N", mp=1), NextStep(step="P", to="1818NW", mp=1, rule="SQ-06.7"))
    overlay = Overlay(
        current_ship=current, tracks=tracks, next_steps=steps if current else (),
        attack_previews=odds if current else (),
        reachable_hexes=tuple(ReachableHex(hex=hex_label(here), mp=mp) for here, mp in fan) if current else (),
        threatened_hexes=tuple(f"{column}{row}" for column in range(18, 24) for row in (17, 18)),
    )  # fmt: skip
    return view_of(before, seat=0, side="B", active="B", overlay=overlay)


def in_a_strait() -> FleetView:
    """Fleets between two shores."""
    where = battle(15)
    return view_of(replace(where, land=land_hexes(where, "strait")))


def in_the_wind() -> FleetView:
    """Galleys under sail on a strong wind, one that has lost her mast, and one aground on an island."""
    ships = [
        ship("B1", "3", "0306N", sails=True, squadron=1),
        ship("B2", "Trm", "0507NE", sails=True, squadron=1),
        ship("B3", "5", "0809N", mast_down=True, no_sails=True),
        ship("R1", "5", "0705S", aground=3),
    ]
    island = tuple(parse_place(f"{label}N").bow for label in ("0606", "0705", "0706", "0806"))
    options = RuleOptions(wind=True, land=True)
    return view_of(sea(ships, width=10, height=11, wind=Wind(2, 1), land=island, options=options))


def stills(draw: Callable[..., render.Picture]) -> dict[str, Callable[[], render.Picture]]:
    view, events = a_turn()
    return {
        "fleets": lambda: draw(view, caption="4"),
        "fleets, report of 15 v 15": lambda: draw(view, events, kind="round", crop="action", caption="4"),
        "fleets, attacks": lambda: draw(view, events, kind="attacks", crop="action"),
        "fleets, orders": lambda: draw(ordering(), kind="plan", crop="action"),
        "fleets, 30 v 30": lambda: draw(crowd(3)),
        "fleets in the wind": lambda: draw(in_the_wind()),
        "fleets in a strait": lambda: draw(in_a_strait()),
    }


def goldens(draw: Callable[..., render.Picture]) -> dict[str, render.Picture]:
    view, events = a_turn()
    plan = ordering(None)
    island = tuple(parse_place(f"{label}N").bow for label in ("2413", "2513", "2514"))
    windy = replace(plan, position=replace(plan.position, wind=Wind(2, 1), land=island))
    return {
        "fleets": draw(view, events, caption="4. forduló", crop="action"),
        "fleets-orders": draw(windy, kind="plan", caption="B4: F3", crop="action"),
    }


def others() -> tuple[Event, ...]:
    """The events that no turn of ours has."""
    return (
        events.CutTried(ship="B6", of="R7", need=4, drm=-1, die=6, ok=True),
        events.TowersJettisoned(ship="B10"),
        events.LeaderTransferred(leader="BL1", of="B3", to="B2", die=5, ok=True),
        events.ShipExited(ship="B15", mp=2),
        events.AvoidanceTried(ship="R5", by="B4", die=1, crew=3, ok=True, to="2014N"),
        events.AttackAvoided(by="B4", target="R5", attack="ram"),
        events.IgnitionRolled(ship="R7", cause="flame", die=5, ok=True),
        events.ShipRammed(
            by="B4", target="R5", ra=7, rd=7, need=8, drm=-1, dice=(2, 3), adjusted=4, result="collision"
        ),
        events.StepStopped(ship="B4", step="F", rule="SQ-06.7"),
        events.OrderSkipped(target="R5", rule="SQ-17.1"),
        events.LeaderLost(leader="BL2", ship="B11", to="B12"),
        events.LeaderLost(leader="BL2", ship="B11", to=None),
        events.UnfoulTried(ship="B6", of="R7", need=4, die=5, ok=True),
        events.CrewRecovered(ship="B6", fatigue=1),
        events.OrdersConfused(flagship="B3", die=5, effect="cruise"),
        events.SquadronsFormed(
            squadrons=(Squadron(side="B", number=2, ships=("B1", "B2"), leader="BL1", flagship="B1"),)
        ),
        events.WithdrawalRolled(side="R", die=3, total=5, ok=False),
        events.SpeedSet(ships=("B7", "B8"), speed="M"),
        events.WindRose(die=3, wind=Wind(1, 2)),
        events.WindChanged(dice=(6, 5), wind=Wind(2, 2), outcome="changed"),
        events.FormingRolled(blue=2, red=5),
        events.SailsChanged(ship="B7", up=True),
        events.MastLost(ship="B7", cleared=False),
        events.ShipGrounded(ship="B7", mp=1),
        events.RefloatRolled(ship="B7", die=2, crew=3, result="freed", to="2220N"),
        events.ReactionRolled(ship="R5", by="B4", die=2, crew=3, ok=True),
        events.LeaderRestored(leader="RL2"),
        events.GameEnded(winner="B", reason="target", blue=56, red=13, drawish=False),
    )
