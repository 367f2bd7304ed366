"""What a seat may see of a state: the open table, with the captain's own unfinished plans."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, degrees
from typing import Final

from msgspec import structs

from rules.finding import nearest
from rules.geometry import compass
from rules.matchbox.desk import deployments, fleets, order_drafts, standing_orders
from rules.matchbox.desk.order_context import OrderContext
from rules.matchbox.desk.view import Plan, Reach, TableView
from rules.matchbox.table import hull, laying, orders, placing, points, reach, scenarios, volley
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.sea import Sea
from rules.matchbox.table.state import Galley, State
from rules.matchbox.table.terrain import KINDS
from rules.plane import Ring
from rules.protocol import EMPTY, Draft, Seat
from rules.sides import seat_of
from rules.view import Gauge, Near, Piece, Text

_OVER_AN_EDGE: Final = ("escort", "break-out")
"""Scenarios in which the south wants to leave over the edge of the north."""
_BEARINGS: Final = (
    "ahead",
    "starboard_bow",
    "starboard_beam",
    "starboard_quarter",
    "astern",
    "port_quarter",
    "port_beam",
    "port_bow",
)


def view(state: State, seat: Seat | None, unfinished: Draft = EMPTY) -> TableView:
    """What a seat (None: a spectator) may see, with its draft for the request."""
    public = TableView(
        seat=seat,
        round=state.round,
        phase=_phase(state),
        ground=_ground(state.sea),
        pieces=_pieces(state, state.galleys),
        width_mm=state.width_mm,
        height_mm=state.height_mm,
        land=state.sea.land,
        sides=state.sides,
        galleys=state.galleys,
        lost=state.lost,
        lying=state.lying,
        notes=_notes(state),
        scenario=state.scenario,
        scored=state.score,
        score=_score(state, seat),
        quiet_rounds=state.quiet_rounds,
        captain=state.captain,
        builds=tuple((state.builds or {}).items()),
    )
    if seat is None:
        return public
    questions = tuple(question for question in state.questions if question.seat == seat)
    current = questions[0].galley if questions else ""
    own = structs.replace(
        public, questions=questions, current=current, standing=state.standing[seat], goal=_goal(state, seat)
    )
    if state.phase == "choosing":
        context = fleets.muster(state, seat)
        plan = fleets.lines(context, fleets.NOTEBOOK.read(context, unfinished))
        return structs.replace(own, muster=context, plan=plan)
    if state.phase == "placing":
        return _placing(own, state, seat, unfinished)
    if state.phase == "orders" and any(galley.seat == seat for galley in state.galleys):
        return _ordering(own, OrderContext(state, seat), unfinished)
    return own


def _placing(shown: TableView, state: State, seat: Seat, unfinished: Draft) -> TableView:
    """The view with the captain's strip and, if they are asked, the galleys that they set down (MB-2.2)."""
    context = deployments.deployment_context(state, seat)
    to_come = tuple(galley for galley in state.to_place if seat_of(galley) == seat)
    shown = structs.replace(shown, to_place=to_come, zone=context.berth.strip, berth=context.berth.share)
    if not context.asked or (state.deployment != "sealed" and state.to_place[0] != context.asked[0]):
        return shown
    draft = deployments.NOTEBOOK.read(context, unfinished)
    galleys = placing.in_order((*state.galleys, *deployments.whole(context, draft.named)))
    return structs.replace(
        shown,
        galleys=galleys,
        pieces=_pieces(state, galleys),
        plan=deployments.lines(context, draft.named),
        current=deployments.current(context, draft).id,
    )


def _ordering(shown: TableView, context: OrderContext, unfinished: Draft) -> TableView:
    """The view with the captain's orders as they are written, and where enemies may get to."""
    draft = order_drafts.NOTEBOOK.read(context, unfinished)
    plans, told = [], []
    for galley in context.mine:
        ordered = draft.list_of(galley)
        if not ordered.orders:
            told.append(Text("plan.none", {"galley": galley.id}))
            continue
        matches, ghosts = laying.way(galley.pose, ordered.orders, galley.kind)
        own = tuple(structs.replace(match, galley=galley.id) for match in matches)
        written = orders.write(ordered)
        plans.append(Plan(galley=galley.id, orders=written, matches=own, ghosts=ghosts))
        told.append(Text("plan.orders", {"galley": galley.id, "orders": written, **_where(context.state, ghosts[-1])}))
    looks = unfinished.focus.removesuffix(order_drafts.REACH)
    threats = tuple(_reach(context.state, enemy) for enemy in context.enemies) if draft.reach else ()
    far = (Text("plan.reach", {"galley": one.galley, "far_mm": one.far_mm}) for one in threats)
    return structs.replace(
        shown,
        plans=tuple(plans),
        plan=(*told, *far, standing_orders.line(draft.standing)),
        reach=threats,
        # Who has ordered all of several galleys, as a hint does, and looks at none, sees what all of them will do.
        current=draft.focus if looks or not 1 < len(context.mine) == len(plans) else "",
        standing=draft.standing,
    )


def _reach(state: State, galley: Galley) -> Reach:
    """Where an enemy may get to in this round, with the oars that she has."""
    shape = reach.outline(galley, state.sea)
    return Reach(galley=galley.id, far_mm=reach.moves(galley) * galley.kind.move_mm, outline=shape)


def _ground(sea: Sea) -> Text:
    """How large the table is, and what lies on it: each piece from west to east and from south to north."""
    size = {"width_mm": sea.width_mm, "height_mm": sea.height_mm}
    if not sea.land:
        return Text("ground.table", size)
    kinds = []
    for kind in KINDS:
        places = tuple(_place(piece.corners) for piece in sea.land if piece.kind == kind)
        kinds += [Text(f"ground.{kind}", {"places": places})] if places else []
    return Text("ground.land", {**size, "land": tuple(kinds)})


def _score(state: State, seat: Seat | None) -> Text | None:
    """How a scenario stands, for a captain over whose edge it goes, and how many rounds are left; or how it ended."""
    title = state.scenario
    if not title or (state.outcome and state.outcome.reason.key.startswith("reason.basin")):
        return None  # the reason names the points
    played, score = scenarios.SCENARIOS[title], state.score or {}
    # A last round may do more than is needed, such as burn a fifth of four houses.
    reached = min(score.get(played.keys[0], 0), played.enough)
    stands = {"south": reached, "north": score.get("north", 0), "enough": played.enough}
    left = played.rounds - max(state.round - 1, 0)
    side = f".{state.sides[seat]}" if seat is not None and title in _OVER_AN_EDGE else ""
    side = ".over" if state.outcome else side
    return Text(f"score.{title}{side}", {**stands, "rounds_left": left})


def _goal(state: State, seat: Seat) -> Text | None:
    """What a scenario wants of a captain's side (MX part 5)."""
    title = state.scenario
    if not title:
        return None
    played = scenarios.SCENARIOS[title]
    return Text(f"goal.{title}.{state.sides[seat]}", {"enough": played.enough, "rounds": played.rounds})


def _notes(state: State) -> tuple[Text, ...]:
    """What a scenario is about, and where."""
    title = state.scenario
    if not title:
        return ()
    (west, east), (south, north) = (
        (round(min(places)), round(max(places))) for places in zip(*scenarios.zone(title, state.sea), strict=True)
    )
    where = {"west": west, "east": east, "low": south, "high": north}
    played = scenarios.SCENARIOS[title]
    left = max(0, played.enough - (state.score or {}).get(played.keys[0], 0))
    return (Text(f"note.{title}", {**where, "enough": played.enough, "left": left}),)


def _place(corners: Ring) -> Text:
    (west, east), (south, north) = ((round(min(places)), round(max(places))) for places in zip(*corners, strict=True))
    return Text("ground.place", {"west": west, "east": east, "south": south, "north": north})


def _phase(state: State) -> Text:
    if state.outcome:
        return state.outcome.reason
    if state.phase == "choosing":
        return Text("phase.choosing")
    if state.phase == "placing":
        if state.deployment == "sealed":
            return Text("phase.deploying")
        galley = state.to_place[0]
        return Text("phase.placing", {"galley": galley, "seat": seat_of(galley)})
    if state.phase == "orders":
        return Text("phase.orders", {"round": state.round})
    return Text("phase.asking", {"round": state.round, "step": state.step})


def _pieces(state: State, galleys: Sequence[Galley]) -> tuple[Piece, ...]:
    """Galleys afloat, then those that are lost, then those that have left (MX-5.1)."""
    sea = state.sea
    afloat = (_piece(galley, _told(state, galley), galleys, sea) for galley in galleys)
    gone = (_piece(galley, Text("place.lost")) for galley in state.lost)
    return (*afloat, *gone, *(_piece(galley, Text("place.left"), left=True) for galley in state.left or ()))


def _told(state: State, galley: Galley) -> Text:
    """Where a galley is, with what she is if she is a special vessel or has a trained crew, and whether she burns."""
    told = Text("place.afloat", _where(state, galley.pose))
    if galley.vessel or galley.crew:
        told = Text("place.vessel", {"vessel": (points.name_of(points.of(galley)),), "where": (told,)})
    return Text("place.burning", {"where": (told,)}) if galley.burning else told


def _piece(
    galley: Galley, place: Text, afloat: Sequence[Galley] = (), sea: Sea | None = None, *, left: bool = False
) -> Piece:
    """A galley, and which of those afloat is nearest; none of them: she is lost."""
    return Piece(
        id=galley.id,
        seat=galley.seat,
        side=galley.side,
        afloat=bool(afloat),
        left=left,
        gauges=(
            Gauge("port", galley.port, galley.holes),
            Gauge("starboard", galley.starboard, galley.holes),
            Gauge("masts", galley.masts, galley.mast_holes),
        ),
        place=place,
        near=_near(galley, afloat, sea),
    )


def _near(galley: Galley, galleys: Sequence[Galley], sea: Sea | None) -> Near | None:
    """Which enemy is nearest, the gap between the hulls (MB-6.2), and where she is as seen from the bridge.

    It says so if an island hides her (MX-1.13).
    """
    enemies = (other for other in galleys if other.side != galley.side)
    found = nearest(enemies, lambda other: hull.gap_mm(galley, other))
    if found is None:
        return None
    gap, enemy = found
    (x, y), (ex, ey) = hull.middle(galley.pose, galley.kind), hull.middle(enemy.pose, enemy.kind)
    turn = (degrees(atan2(ex - x, ey - y)) - galley.pose.heading_deg) % 360
    bearing = _BEARINGS[round(turn / 45) % 8]
    key = "near.enemy" if sea is None or volley.in_sight(galley, enemy, sea) else "near.hidden"
    return Near(key, {"galley": enemy.id, "gap_mm": round(gap), "bearing": bearing}, gap=gap)


def _where(state: State, pose: Pose) -> dict[str, str | int | float | bool]:
    """Where a hull is, for those who cannot see it: the ninth of the table, its prow and its heading."""
    return {
        "column": ("west", "centre", "east")[_third(pose.x_mm, state.width_mm)],
        "row": ("south", "middle", "north")[_third(pose.y_mm, state.height_mm)],
        "x_mm": round(pose.x_mm),
        "y_mm": round(pose.y_mm),
        "heading": f"{round(pose.heading_deg) % 360:03d}",
        "compass": compass(pose.heading_deg),
    }


def _third(place: float, length: float) -> int:
    return min(2, max(0, int(3 * place / length)))
