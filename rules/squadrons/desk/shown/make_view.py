"""What a seat may see of a fleet game: the open sea, and its own unfinished sheet on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import structs

from rules.errors import Scalar
from rules.protocol import EMPTY, Draft, Request, Seat
from rules.squadrons.desk.drafts import activations, deployments, sheets
from rules.squadrons.desk.drafts.sheets import OrderContext, OrderDraft
from rules.squadrons.desk.flow import requests
from rules.squadrons.desk.preview import attack_plans, track_preview
from rules.squadrons.desk.preview.hand import Hand
from rules.squadrons.desk.preview.reachability import reach, threats
from rules.squadrons.desk.preview.view import FleetView, Overlay
from rules.squadrons.desk.shown import guarding
from rules.squadrons.table.events import barred
from rules.squadrons.table.notation import order_words
from rules.squadrons.table.notation.orders import Doctrines, Side
from rules.squadrons.table.phases.aftermath import victory
from rules.squadrons.table.phases.command import ownership
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import FACINGS
from rules.squadrons.table.sea.squadron_words import groups
from rules.squadrons.table.sea.state import Position, Ship, State
from rules.view import Gauge, Near, Param, Piece, Text

_BEARINGS: Final = ("ahead", "bow_s", "quarter_s", "astern", "quarter_p", "bow_p")
"""Where something lies from a ship: sixths of a circle, clockwise."""


def view(state: State, seat: Seat | None, draft: Draft = EMPTY) -> FleetView:
    """The view of a seat (None: a spectator), with its draft for what it is asked."""
    asked = next((one for one in requests.pending(state) if seat is not None and one.seat == seat), None)
    position = _placed(state, asked, draft) or state.position
    overlay = _overlay(state, asked, draft) if asked else Overlay()
    side: Side | None = state.captains[seat].side if seat is not None else None
    state = structs.replace(state, position=position)
    orders = side if asked and asked.kind in ("orders", "act") else None
    return FleetView(
        seat=seat,
        round=state.position.turn,
        phase=_phase(state),
        ground=Text("ground", {"width": state.position.width, "height": state.position.height}),
        pieces=tuple(_pieces(state)),
        plan=tuple(_plan(overlay)),
        position=state.position,
        captain=state.captain,
        pace=state.pace,
        captains=state.captains,
        side=side,
        before=state.before,
        squadrons=state.squadrons,
        first=state.first,
        active=state.active,
        running=state.running.acting if state.running else (),
        slowed=state.running.slowed if state.running else (),
        able=_able(state, asked),
        points=victory.points(state.position),
        score=(guarding.danger(position, orders) if orders else None) or victory.score(state.position, side),
        goal=guarding.goal(position, orders) if orders else None,
        doctrines=state.doctrines["BR".index(side)] if side else Doctrines(),
        groups=groups(state.position, side),
        overlay=overlay,
    )


def _able(state: State, asked: Request | None) -> tuple[str, ...]:
    if asked is None or asked.kind != "act":
        return ()
    return tuple(one.flagship for one in activations.activation_context(state, asked).offered)


def _overlay(state: State, asked: Request, draft: Draft) -> Overlay:
    match asked.kind:
        case "place":
            context = deployments.deployment_context(state, state.captains[asked.seat].side)
            hand = deployments.NOTEBOOK.read(context, draft).hand
            return Overlay(current=hand if hand in state.position.by_id else None, start=deployments.start(context))
        case "act":
            acting = activations.activation_context(state, asked)
            unit = activations.NOTEBOOK.read(acting, draft)
            return laid(activations.squadron_context(acting, unit), unit.orders)
        case "orders":
            orders = sheets.order_context(state, asked.seat)
            return laid(orders, sheets.NOTEBOOK.read(orders, draft))
    return Overlay(current=str(asked.params.get("ship", "")) or None)


def _placed(state: State, asked: Request | None, draft: Draft) -> Position | None:
    """The position with the viewer's fleet where the draft places it, though it is not on the map yet."""
    if asked is None or asked.kind != "place":
        return None
    side = state.captains[asked.seat].side
    placed = deployments.NOTEBOOK.read(deployments.deployment_context(state, side), draft)
    return deployments.deployed(state.position, side, deployments.answer(placed))


def laid(context: OrderContext, draft: OrderDraft) -> Overlay:
    """What a sheet adds to the view: every line, and what the ship in hand could do."""
    hand = Hand(context, draft)
    speeds: Mapping[str, Any] = {} if context.fixed else sheets.speeds(context, draft.sheet)
    wanted = track_preview.needs(hand.start, hand.lines)
    found, _ = track_preview.tracks(hand.start, hand.lines)
    tracks = tuple(structs.replace(track, odds=wanted.get(track.ship, ())) for track in found)
    own = Overlay(speeds=tuple(speeds.items()), lines=hand.lines, boards=draft.sheet.boards, tracks=tracks)
    if hand.name not in context.position.by_id:
        return own
    walk, plans = hand.walk(), attack_plans.attacks(hand.sea, hand.name, hand.ship.speed)
    return structs.replace(
        own,
        current=hand.name,
        steps=tuple(track_preview.next_steps(walk)),
        odds=tuple(
            track_preview.shown(hand.name, plan.target, plan.attack, plan.steps[-1], plan.odds) for plan in plans
        ),
        reach=reach(walk.position, hand.name, walk.run),
        threats=threats(walk.position, context.position.ship(hand.name).side, walk.position.ship(hand.name).hexes),
    )


def _plan(overlay: Overlay) -> Iterator[Text]:
    """A sheet in words, a line a ship."""
    orders = {line.ship: (order_words.line(line),) for line in overlay.lines}
    for track in overlay.tracks:
        params: dict[str, Param] = {"ship": track.ship, "orders": orders[track.ship], "to": track.places[-1]}
        if track.rule:
            yield Text("plan.barred", {**params, "step": order_words.written(track.step), "why": barred(track.rule)})
        else:
            yield Text("plan", params)


def _phase(state: State) -> Text:
    position = state.position
    blue, red = victory.points(position)
    params: dict[str, Scalar] = {
        "turn": position.turn,
        "limit": position.limit,
        "blue": blue,
        "red": red,
        "target": position.target,
    }
    if state.outcome:
        return Text("phase.over", params)
    if state.stage == "roster":
        return Text("phase.building", {"points": state.points})
    if state.stage == "deploy":
        return Text("phase.placing", {"side": state.active or "B"})
    if state.running:
        return Text("phase.asked", {**params, "seat": state.running.asked.seat})
    if state.stage in ("activation", "order") and state.active:
        return Text("phase.acting", {**params, "side": state.active})
    return Text("phase.ordering", params)


def _pieces(state: State) -> Iterator[Piece]:
    position = state.position
    whose = ownership.owners(state)
    for ship in position.ships:
        seat = whose.get(ship.id)
        if seat is None:
            seat = next((one.seat for one in state.captains if one.side == ship.side), 0)
        yield Piece(
            id=ship.id,
            seat=seat,
            side=ship.side,
            afloat=ship.afloat,
            gauges=(Gauge("m", ship.m, ship.kind.m),) if ship.afloat and ship.kind.m else (),
            place=_place(position, ship),
            near=_near(position, ship) if ship.afloat else None,
        )


def _place(position: Position, ship: Ship) -> Text:
    if not ship.afloat:
        return Text(f"place.{ship.status}", {"kind": ship.code})
    where: dict[str, Scalar] = {
        "kind": ship.code,
        "hex": grid.label(ship.bow),
        "compass": FACINGS[ship.facing],
        "speed": ship.speed,
    }
    if position.outside(ship):
        return Text("place.outside", {"kind": ship.code})
    return Text(f"place.{condition(position, ship)}", where)


def condition(position: Position, ship: Ship) -> str:
    """The worst that is the matter with a ship; `afloat`: nothing."""
    found = (
        ("captured", ship.held),
        ("rammed", ship.rammed),
        ("aground", ship.aground),
        ("burning", ship.burning),
        ("fouled", position.fouled_with(ship.id)),
        ("grappled", position.grappled_to(ship.id)),
        ("crippled", ship.crippled),
        ("tired", ship.fatigue),
        ("half", ship.half_speed),
    )
    return next((name for name, holds in found if holds), "afloat")


def _near(position: Position, ship: Ship) -> Near | None:
    """Which enemy is nearest, how far and in which direction."""
    others = attack_plans.enemies(position, ship)
    if not others:
        return None
    other = others[0]
    away = grid.distance(ship.hexes, other.hexes)
    return Near("near.ship", {"ship": other.id, "away": away, "bearing": _BEARINGS[_bearing(ship, other)]}, gap=away)


def _bearing(ship: Ship, other: Ship) -> int:
    """In which sixth of the circle another lies, from ahead clockwise."""
    dq, dr = other.bow[0] - ship.bow[0], other.bow[1] - ship.bow[1]
    along = ((-dq - 2 * dr), (dq - dr), (2 * dq + dr), (dq + 2 * dr), (dr - dq), (-2 * dq - dr))
    return (along.index(max(along)) - ship.facing) % 6
