"""What a seat may see of a state: the open sea, with the viewer's own draft of orders on it (part 8.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.errors import Scalar
from rules.protocol import EMPTY, Draft, Seat
from rules.ramspeed.desk import live_orders, order_drafts
from rules.ramspeed.desk.game_flow import side_key
from rules.ramspeed.desk.overlay import Overlay, compass, overlay
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.table.geometry import hulls
from rules.ramspeed.table.geometry.measure import bearing
from rules.ramspeed.table.state import Position, Ship, State
from rules.view import Gauge, Piece, Text

BEARINGS: Final = ("ahead", "bow_s", "beam_s", "quarter_s", "astern", "quarter_p", "beam_p", "bow_p")
"""Where something lies from a ship: eighths of a circle, to starboard."""


def view(state: State, seat: Seat | None, draft: Draft = EMPTY) -> SeaView:
    """What a seat (None: a spectator) may see, with the seat's draft for its pending request."""
    position = state.position
    own = Overlay() if seat is None else _own(state, seat, draft)
    live = state.live
    return SeaView(
        seat=seat,
        round=position.turn,
        phase=_phase(state),
        ground=_ground(position),
        pieces=tuple(_pieces(state)),
        plan=own.plan,
        position=position,
        seats=state.seats,
        captain=state.captain,
        before=state.before,
        sequence=tuple(state.seat(player) for player in state.sequence),
        active=state.seat(live.order[0]) if live and live.order and not state.outcome else None,
        acted=(*live.named, *live.captured) if live else (),
        current=own.current,
        lines=own.lines,
        reach=own.reach,
        aims=own.aims,
    )


def ordering(state: State, seat: Seat) -> bool:
    """Whether a seat is asked for orders just now."""
    if state.outcome:
        return False
    if state.live is None:
        return any(ship.crew for ship in state.position.owned(state.player(seat)))
    live = state.live
    return live.asked is None and bool(live.order) and live.order[0] == state.player(seat)


def _own(state: State, seat: Seat, draft: Draft) -> Overlay:
    live = state.live
    if live and live.asked and live.asked.seat == seat:
        return Overlay(current=live.asked.ship)
    if not ordering(state, seat):
        return Overlay()
    notebook = live_orders.NOTEBOOK if state.live else order_drafts.NOTEBOOK
    context = live_orders.live_context(state, seat) if state.live else order_drafts.order_context(state, seat)
    return overlay(context, notebook.read(context, draft))


def _phase(state: State) -> Text:
    position, live = state.position, state.live
    if state.outcome:
        return Text("phase.battle_over")
    params: dict[str, Scalar] = {"turn": position.turn, "limit": position.limit}
    if live is None:
        return Text("phase.ordering", params)
    seat = live.asked.seat if live.asked else state.seat(live.order[0])
    return Text("phase.asked" if live.asked else "phase.acting", {**params, "seat": seat})


def _ground(position: Position) -> Text:
    """Describe the table, for those who cannot see it."""
    land = "; ".join(", ".join(f"{x:g}/{y:g}" for x, y in ring) for ring in position.land)
    key = "ground.land" if land else "ground.open"
    return Text(key, {"width": position.width, "height": position.height, "land": land})


def _pieces(state: State) -> Iterator[Piece]:
    position = state.position
    for ship in position.ships:
        yield Piece(
            id=ship.id,
            seat=state.seat(ship.owner),
            side=side_key(position, position.side_of(ship)),
            afloat=ship.afloat,
            gauges=(Gauge("crew", ship.crew, ship.kind.crew_max),) if ship.afloat else (),
            place=_place(position, ship),
            near=_near(position, ship) if ship.afloat else None,
        )


def _place(position: Position, ship: Ship) -> Text:
    if not ship.afloat:
        return Text(f"place.{ship.status}", {"kind": ship.code})
    where: dict[str, Scalar] = {"x": ship.x, "y": ship.y, "heading": ship.heading, "compass": compass(ship.heading)}
    return Text(f"place.{condition(position, ship)}", {"kind": ship.code, **where, "fire": ship.fire})


def condition(position: Position, ship: Ship) -> str:
    """The worst that is the matter with a ship; `afloat`: nothing."""
    found = (
        ("derelict", ship.derelict),
        ("locked", position.locked(ship.id)),
        ("fireship", ship.fireship),
        ("burning", ship.fire > 0),
        ("dead", ship.dead),
        ("immob", ship.immob),
        ("beached", ship.beached),
        ("halved", ship.halved),
    )
    return next((name for name, holds in found if holds), "afloat")


def _near(position: Position, ship: Ship) -> Text | None:
    """Which enemy is nearest, how far and in which direction."""
    away, other = min(
        ((hulls.measured(ship, one), one) for one in position.enemies(ship)),
        default=(0.0, None),
        key=lambda found: found[0],
    )
    if other is None:
        return None
    relative = (bearing(ship.x, ship.y, other.x, other.y) - ship.heading) % 360
    return Text("near.ship", {"ship": other.id, "away": away, "bearing": BEARINGS[round(relative / 45) % 8]})
