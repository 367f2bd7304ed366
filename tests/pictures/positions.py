"""Positions and rounds to be drawn, built by hand: pictures are tested without a game being played."""

from math import atan2, degrees
from random import Random

from msgspec.structs import replace
from shapely.geometry import Polygon, box

from rules.chance.dice import Dice
from rules.core.protocol import Event
from rules.core.view import Text
from rules.matchbox.engine import events, laying, reach
from rules.matchbox.engine import events as happened
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.hull import hull_corners
from rules.matchbox.engine.notation import parse_position
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import load_maps
from rules.matchbox.engine.state import Galley, LaidMatch, OrderList, PendingDecision
from rules.matchbox.interface.view import PlannedMove, Reach, TableView

NAMES = {0: "Anna", 1: "Őszi Ürge", 2: "Cecil", 3: "Tűzhányó"}
TABLES = ((900.0, 600.0), (1200.0, 800.0), (1600.0, 900.0), (2400.0, 1000.0))


def view_of(galleys, **fields) -> TableView:
    base = {
        "seat": None,
        "round": 3,
        "phase": Text("phase.orders"),
        "pieces": (),
        "width_mm": 1200.0,
        "height_mm": 800.0,
        "sides": ("south", "north"),
        "galleys": tuple(galleys),
    }
    return TableView(**{**base, **fields})


def fleet(seed: int, *, size=(1200.0, 800.0), each=2, seats=2) -> tuple[Galley, ...]:
    """Random galleys, whole or damaged, none on another."""
    chance, ships, taken = Random(seed), [], []
    for seat in range(seats):
        for number in range(1, each + 1):
            while True:
                heading = chance.choice((0.0, 60.0, 90.0, 180.0, chance.uniform(0, 359.9)))
                pose = Pose(chance.uniform(0, size[0]), chance.uniform(0, size[1]), heading)
                hull = Polygon(hull_corners(pose))
                if box(0, 0, *size).contains(hull) and all(hull.distance(other) > 1 for other in taken):
                    break
            taken.append(hull)
            holes = chance.choice((6, 5, 4))
            ships.append(
                Galley(
                    id=f"{chr(65 + seat)}{number}",
                    seat=seat,
                    side=("south", "north")[seat % 2],
                    holes=holes,
                    port=chance.randint(1, holes),
                    starboard=chance.randint(1, holes),
                    masts=chance.randint(0, 8 - holes),
                    pose=pose,
                )
            )
    return tuple(ships)


def lay(ship: Galley, orders: str) -> tuple[tuple[LaidMatch, ...], tuple[Pose, ...]]:
    """Return order matches and the poses after each of them."""
    matches, poses = laying.lay_free(ship.pose, orders)
    return tuple(replace(match, galley=ship.id) for match in matches), poses


def duel() -> tuple[Galley, ...]:
    return parse_position(
        "1200x800 ; A1:south 6-5+1/6 @420,430^60 ; A2:south 4-4+4/4 @300,210^0 ; B1:north 3-4+3/5 @720,560^200 ; "
        "B2:north 5-5+2/5 @960,400^270"
    ).galleys


_ORDERS = {"A1": "FFFXX", "A2": "RFXXL", "B1": "FRXXF", "B2": "FXFLF"}


def a_round() -> tuple[TableView, tuple[Event, ...]]:
    """A whole round of the duel with at least one of every event but those of beginnings and endings."""
    ships, chance = {ship.id: ship for ship in duel()}, Random(4)
    out: list[Event] = [happened.RoundBegan(round=3, galleys=tuple(ships.values()))]
    out += [happened.OrdersRevealed(galley=g, seat=ord(g[0]) - 65, orders=o) for g, o in _ORDERS.items()]
    for step in range(1, 6):
        lying = [
            replace(match, step=match.step + step - 1)
            for name, orders in _ORDERS.items()
            for match in lay(ships[name], orders[step - 1 :])[0]
        ]
        out.append(happened.MatchesLaid(step=step, lying=tuple(lying), in_hand=("A2",)))
        for name, orders in _ORDERS.items():
            order = orders[step - 1]
            if order in "FLR":
                end = lay(ships[name], order)[1][0]
                start, ships[name] = ships[name].pose, replace(ships[name], pose=end)
                out.append(happened.ShipMoved(step=step, galley=name, order=order, start=start, end=end, part=1.0))
        if step == 3:
            out += [
                happened.HullsCollided(step=3, a="A1", b="B1"),
                happened.ShipRammed(step=3, by="A1", to="B1", kind="side", edge="port", run=3, damage=5),
                happened.PartsLost(step=3, galley="B1", by="A1", port=2, starboard=2, masts=1, facing="port"),
                happened.HullsScraped(step=3, a="A2", b="B2"),
            ]
            ships["B1"] = replace(ships["B1"], port=1, starboard=2, masts=2)
        out += [_volley(chance, step, ships, name) for name, orders in _ORDERS.items() if orders[step - 1] == "X"]
    out += [
        happened.VolleyHeld(step=5, by="A2", reason="range"),
        happened.RowersReseated(step=5, galley="B2", port=4, starboard=5),
        happened.ShipSunk(step=5, galley="B1", by="A1"),
    ]
    away = Pose(ships["A1"].pose.x_mm - 39.0, ships["A1"].pose.y_mm - 22.5, ships["A1"].pose.heading_deg)
    out += [
        happened.ShipBackedOff(galley="A1", start=ships["A1"].pose, end=away, distance_mm=45.0),
        happened.RoundEnded(round=3),
    ]
    ships["A1"] = replace(ships["A1"], pose=away)
    ships["B2"] = replace(ships["B2"], port=4)
    sunk = ships.pop("B1")
    return view_of(ships.values(), lost=(sunk,)), tuple(out)


def _volley(chance: Random, step: int, ships: dict[str, Galley], name: str) -> happened.VolleyDropped:
    by, to = ships[name], ships["B1" if name[0] == "A" else "A1"]
    drops = []
    for number in range(4):
        x = to.pose.x_mm * 0.6 + by.pose.x_mm * 0.4 + chance.gauss(0, 30)
        y = to.pose.y_mm * 0.6 + by.pose.y_mm * 0.4 + chance.gauss(0, 30)
        hit = ("head", "", "tail", "")[number] if name != "B2" else ""
        way = degrees(atan2(to.pose.x_mm - x, to.pose.y_mm - y))
        bearing = {"head": way, "tail": way + 180, "": chance.uniform(0, 360)}[hit]
        drops.append(
            happened.DroppedMatch(x_mm=x, y_mm=y, bearing_deg=bearing % 360, hit=hit, on_table=number < 3 or bool(hit))
        )
    misfire = name == "A2" and step == 4
    if misfire:
        drops[0] = replace(drops[0], touches="B1")
    return happened.VolleyDropped(
        step=step,
        by=name,
        to=to.id,
        gap_mm=50.0,
        matches=4,
        broadside=True,
        misfire=misfire,
        hits=0 if misfire else sum(bool(drop.hit) for drop in drops),
        aim_x_mm=to.pose.x_mm,
        aim_y_mm=to.pose.y_mm,
        drops=tuple(drops),
    )


def ceremonies() -> tuple[Event, ...]:
    """The events that are not of a round."""
    first = duel()[0]
    return (
        happened.SidesDrawn(south=(0,), north=(1,)),
        happened.FirstPlacerDrawn(seat=1),
        happened.GalleyPlaced(galley=first.id, seat=0, holes=6, masts=2, pose=first.pose),
        happened.CaptainConceded(seat=1),
        happened.ShipStruck(galley="B2"),
        happened.GameWon(side="south", seats=(0,)),
        happened.GameDrawn(reason="agreed"),
    )


def on_land() -> tuple[Event, ...]:
    first = duel()[0]
    return (
        events.ShipGrounded(step=2, galley=first.id, damage=1),
        events.ReefStruck(step=3, galley=first.id),
        events.ShipPoledOff(galley=first.id, start=first.pose, end=first.pose, to="port", distance_mm=10.0),
    )


def of_vessels() -> tuple[Event, ...]:
    first, *_, last = duel()
    return (
        events.FleetRevealed(seat=0, vessels=("6", "4f")),
        events.KeptCrewAboard(galley="A1", crew=1001),
        events.FireShipStruck(step=2, galley=first.id, by=last.id, edge="bow"),
        events.FireCaught(step=2, galley=first.id),
        events.FireExtinguished(step=4, galley=first.id),
        events.OarRepaired(step=4, galley=first.id),
        events.FireShipSpent(step=2, galley=last.id),
    )


def in_a_scenario() -> tuple[Event, ...]:
    """Return events that need a goal besides sinking the enemy."""
    last = duel()[-1]
    return (
        happened.GoalSet(scenario="raid", south=(0,), north=(1,), enough=4, rounds=12),
        events.HouseBurnt(step=1, galley=last.id),
        events.ShipLeft(galley=last.id),
        happened.ScoreCounted(scenario="raid", south=1, north=0, enough=4, rounds_left=3),
    )


def on_deck(view: TableView) -> tuple[Event, ...]:
    """Return boarding events: the first galley of one side boards the last of the other."""
    first = view.galleys[0]
    other = [galley for galley in view.galleys if galley.side != first.side][-1]
    return (
        events.ShipGrappled(step=2, galley=other.id, by=first.id),
        events.MeleeFought(
            step=2,
            galley=other.id,
            by=first.id,
            thrown=(2, 1),
            hits=(1, 0),
            lost=(0, 1),
            bearings=((0.0, 120.0), (240.0,)),
            both=False,
        ),
        events.ShipCaptured(step=2, galley=other.id, by=first.id, side=first.side, seat=0, crew=1),
    )


def a_plan() -> TableView:
    ships = duel()
    plans = []
    for ship, orders in zip(ships, ("FFRXF", "ZZF"), strict=False):
        matches, ghosts = lay(ship, orders)
        plans.append(PlannedMove(galley=ship.id, orders=orders, matches=matches, ghosts=ghosts))
    return view_of(ships, seat=0, planned_moves=tuple(plans), current_galley="A1")


def a_northern_plan() -> TableView:
    ships = duel()
    matches, ghosts = lay(ships[2], "FFLX")
    plan = PlannedMove(galley="B1", orders="FFLX", matches=matches, ghosts=ghosts)
    return view_of(ships, seat=1, planned_moves=(plan,), current_galley="B1")


def threatened(view: TableView) -> TableView:
    """A captain's view who looks at where enemies may get to."""
    table = view.sea
    enemies = [ship for ship in view.galleys if ship.seat != view.seat]
    shapes = tuple(
        Reach(galley=s.id, max_distance_mm=45.0 * reach.max_moves(s), outline=reach.reach_outline(s, table))
        for s in enemies
    )
    return replace(view, reaches=shapes)


def lined_up(seat: int) -> TableView:
    """Two galleys a side before the first orders, as a captain sees them."""
    poses = (Pose(400.0, 80.0, 0.0), Pose(600.0, 80.0, 0.0), Pose(400.0, 720.0, 180.0), Pose(600.0, 720.0, 180.0))
    ships = [replace(ship, pose=pose) for ship, pose in zip(duel(), poses, strict=True)]
    return view_of(ships, seat=seat, round=1, current_galley="AB"[seat] + "1")


def a_placement() -> TableView:
    ships = duel()
    first, second = replace(ships[0], pose=Pose(500.0, 70.0, 0.0)), replace(ships[1], pose=Pose(760.0, 82.0, 30.0))
    return view_of((first, second), seat=0, current_galley="A2", strip=(0.0, 90.0), to_place=("A2",), round=0)


def on_a_map(name: str) -> TableView:
    sea = load_maps()[name]
    return view_of(duel(), width_mm=sea.width_mm, height_mm=sea.height_mm, land=sea.land)


def boarded() -> tuple[TableView, tuple[Event, ...]]:
    """A round in which one galley is taken, and another holds out."""
    position = parse_position(
        "900x600 ; A1:south 4-4+4/4 @300,200^0 ; A2:south 5-5+3/5 @560,230^90 ; B1:north 5-4+1/5 @352,240^4 ; "
        "B2:north 6-6+2/6 @640,282^270"
    )
    lists = [OrderList("A1", "FGXFF"), OrderList("A2", "FGXFF"), OrderList("B1", "XFFFF"), OrderList("B2", "FXXFF")]
    melees = {
        "A1@2": ((90.0, 90.0, 80.0, 270.0), (270.0, 90.0, 90.0)),
        "A2@2": ((0.0, 180.0, 180.0), (180.0, 0.0, 0.0, 0.0)),
    }
    came = rounds.run_round(
        position.sea, position.galleys, lists, {}, Dice("b0a7"), {}, number=3, melees=melees, options=("boarding",)
    )
    return view_of(came.galleys, width_mm=900.0, height_mm=600.0), came.events


def vessels() -> tuple[TableView, tuple[Event, ...]]:
    """A round of every kind of vessel, in which a fire ship does her work."""
    position = parse_position(
        "900x600 ; A1:south 8-7+3/8h @250,240^30 ; A2:south 5-5+2/5s @470,150^0 ; A3:south 4-4+0/4f @560,252^90 ; "
        "A4:south 3-3+1/3m @330,90^0 ; B1:north 4-4+4/4t @520,420^200 ; B2:north 5-4+3/5 @650,300^180 ; "
        "B3:north 5-5+1/5 @300,480^150 burning"
    )
    plans = {"A1": "FFRX", "A2": "FFFXX", "A3": "FFFF", "A4": "FXFF", "B1": "FXXFX", "B2": "FXFFF", "B3": "FFFFX"}
    lists = [OrderList(name, plan) for name, plan in plans.items()]
    came = rounds.run_round(position.sea, position.galleys, lists, {}, Dice("b0a7"), {}, number=3)
    view = view_of(came.galleys, width_mm=900.0, height_mm=600.0, lost=came.sunk)
    return view, came.events


def asked(kind: str) -> TableView:
    """A captain is asked something in the middle of a round."""
    ships = list(duel())
    ships[2] = replace(ships[2], pose=Pose(520.0, 440.0, 150.0))
    lying = lay(ships[0], "XFL")[0] + lay(ships[2], "RFX")[0]
    about = "B1" if kind in ("aim", "casualties") else ""
    choices = {"target": ("B1", "B2"), "casualties": ("1-0+0", "1-1+0"), "reorganize": ("5-6", "6-5")}.get(kind, ())
    question = PendingDecision(
        key=f"1.{kind}.A1", kind=kind, seat=0, galley="A1", step=1, about=about, choices=choices, damage=2
    )
    return view_of(ships, seat=0, decisions=(question,), current_galley="A1", laid_matches=lying)
