"""What a seat may see of a state: the open table, with the captain's own unfinished plans."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, degrees
from typing import Final, NamedTuple

from msgspec import structs

from rules.matchbox.desk import deploy, placing, sheets, standing
from rules.matchbox.desk.view import Plan, Reach, TableView
from rules.matchbox.table import hull, laying, orders, reach
from rules.matchbox.table.state import MATCH_MM, Galley, Pose, Standing, State
from rules.protocol import EMPTY, Draft, Seat
from rules.view import Gauge, Piece, Text

_COMPASS: Final = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
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


class _Own(NamedTuple):
    """What the viewer's draft puts on the table."""

    galleys: tuple[Galley, ...] = ()
    plans: tuple[Plan, ...] = ()
    plan: tuple[Text, ...] = ()
    reach: tuple[Reach, ...] = ()
    current: str = ""
    standing: Standing = Standing()


def view(state: State, seat: Seat | None, unfinished: Draft = EMPTY) -> TableView:
    """Return what a seat (None: a spectator) may see, with its draft for the request."""
    own = _Own() if seat is None else _own(state, seat, unfinished)
    questions = tuple(question for question in state.questions if question.seat == seat)
    galleys = tuple(sorted((*state.galleys, *own.galleys), key=lambda galley: (galley.seat, int(galley.id[1:]))))
    placing_now = state.phase == "placing" and seat is not None
    return TableView(
        seat=seat,
        round=state.round,
        phase=_phase(state),
        ground=Text("ground.table", {"width_mm": state.width_mm, "height_mm": state.height_mm}),
        pieces=tuple(_piece(state, galley, galleys, afloat=afloat) for afloat, galley in _all(galleys, state.lost)),
        plan=own.plan,
        width_mm=state.width_mm,
        height_mm=state.height_mm,
        sides=state.sides,
        galleys=galleys,
        lost=state.lost,
        lying=state.lying,
        plans=own.plans,
        reach=own.reach,
        current=questions[0].galley if questions else own.current,
        standing=own.standing,
        question=questions[0] if questions else None,
        questions=questions,
        to_place=tuple(galley for galley in state.to_place if placing.seat_of(galley) == seat),
        zone=placing.berth(state, seat).strip if placing_now and seat is not None else None,
        berth=placing.berth(state, seat).share if placing_now and seat is not None else None,
        quiet_rounds=state.quiet_rounds,
        captain=state.captain,
    )


def _all(afloat: tuple[Galley, ...], lost: tuple[Galley, ...]) -> list[tuple[bool, Galley]]:
    return [*((True, galley) for galley in afloat), *((False, galley) for galley in lost)]


def _own(state: State, seat: Seat, unfinished: Draft) -> _Own:
    if state.phase == "placing":
        return _own_placing(state, seat, unfinished)
    if state.phase == "orders" and any(galley.seat == seat for galley in state.galleys):
        return _own_orders(state, seat, unfinished)
    return _Own(standing=state.standing[seat])


def _own_placing(state: State, seat: Seat, unfinished: Draft) -> _Own:
    place = deploy.quay(state, seat)
    asked = place.asked and (state.deployment == "sealed" or state.to_place[0] == place.asked[0])
    if not asked:
        return _Own()
    berthed = deploy.NOTEBOOK.read(place, unfinished)
    return _Own(
        galleys=deploy.whole(place, berthed.named),
        plan=deploy.lines(place, berthed.named),
        current=deploy.current(place, berthed).id,
    )


def _own_orders(state: State, seat: Seat, unfinished: Draft) -> _Own:
    desk = sheets.desk_of(state, seat)
    sheet = sheets.NOTEBOOK.read(desk, unfinished)
    plans, told = [], []
    for galley, drawn in sheets.ordered_lists(desk, sheet):
        if not drawn.orders:
            told.append(Text("plan.none", {"galley": galley.id}))
            continue
        matches, ghosts = laying.way(galley.pose, drawn.orders)
        own = tuple(structs.replace(match, galley=galley.id) for match in matches)
        plans.append(Plan(galley=galley.id, orders=orders.write(drawn), matches=own, ghosts=ghosts))
        params = {"galley": galley.id, "orders": orders.write(drawn), **_where(state, ghosts[-1])}
        told.append(Text("plan.orders", params))
    threats = tuple(_reach(state, enemy) for enemy in desk.waters.enemies) if sheet.reach else ()
    far = (Text("plan.reach", {"galley": one.galley, "far_mm": one.moves * MATCH_MM}) for one in threats)
    return _Own(
        plans=tuple(plans),
        plan=(*told, *far, standing.line(sheet.standing)),
        reach=threats,
        current=sheets.current(desk, sheet).id,
        standing=sheet.standing,
    )


def _reach(state: State, galley: Galley) -> Reach:
    """Where an enemy may get to in this round, with the oars that she has."""
    shape = reach.outline(galley, (state.width_mm, state.height_mm))
    return Reach(galley=galley.id, moves=reach.moves(galley), outline=shape)


def _phase(state: State) -> Text:
    if state.outcome:
        return state.outcome.reason
    if state.phase == "placing":
        if state.deployment == "sealed":
            return Text("phase.deploying")
        galley = state.to_place[0]
        return Text("phase.placing", {"galley": galley, "seat": placing.seat_of(galley)})
    if state.phase == "orders":
        return Text("phase.orders", {"round": state.round})
    return Text("phase.asking", {"round": state.round, "step": state.step})


def _piece(state: State, galley: Galley, all_afloat: Sequence[Galley], *, afloat: bool) -> Piece:
    place = Text("place.afloat", _where(state, galley.pose)) if afloat else Text("place.lost")
    return Piece(
        id=galley.id,
        seat=galley.seat,
        side=galley.side,
        afloat=afloat,
        gauges=(
            Gauge("port", galley.port, galley.holes),
            Gauge("starboard", galley.starboard, galley.holes),
            Gauge("masts", galley.masts, galley.mast_holes),
        ),
        place=place,
        near=_near(galley, all_afloat) if afloat else None,
    )


def _near(galley: Galley, galleys: Sequence[Galley]) -> Text | None:
    """Which enemy is nearest, the gap between the hulls (MB-6.2), and where she is as seen from the bridge."""
    enemies = [other for other in galleys if other.side != galley.side]
    if not enemies:
        return None
    gaps = [hull.gap_mm(galley.pose, enemy.pose) for enemy in enemies]
    gap, enemy = min(zip(gaps, enemies, strict=True), key=lambda found: found[0])
    (x, y), (ex, ey) = hull.middle(galley.pose), hull.middle(enemy.pose)
    turn = (degrees(atan2(ex - x, ey - y)) - galley.pose.heading_deg) % 360
    return Text("near.enemy", {"galley": enemy.id, "gap_mm": round(gap), "bearing": _BEARINGS[round(turn / 45) % 8]})


def _where(state: State, pose: Pose) -> dict[str, str | int | float | bool]:
    """Say where a hull is, for those who cannot see it: the ninth of the table, its prow and its heading."""
    return {
        "column": ("west", "centre", "east")[_third(pose.x_mm, state.width_mm)],
        "row": ("south", "middle", "north")[_third(pose.y_mm, state.height_mm)],
        "x_mm": round(pose.x_mm),
        "y_mm": round(pose.y_mm),
        "heading": deploy.bearing(pose),
        "compass": _COMPASS[round(pose.heading_deg / 45) % 8],
    }


def _third(place: float, length: float) -> int:
    return min(2, max(0, int(3 * place / length)))
