"""From a state to what one seat may see of it (CA part 12)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.campaign.desk import order_drafts
from rules.campaign.desk.view import SeasonView
from rules.campaign.table.events import Lying
from rules.campaign.table.sight import lying, seen_places, sieges_seen
from rules.campaign.table.state import TYPES, Galley, Position, State
from rules.protocol import EMPTY, Draft, Seat
from rules.sides import letter_of, seat_of
from rules.view import Gauge, Param, Piece, Text


def view(state: State, seat: Seat | None, draft: Draft = EMPTY) -> SeasonView:
    """What a seat sees, with its unfinished orders; None: a spectator, who sees what all know (CA-12.3)."""
    position = state.position
    captain = "" if seat is None else letter_of(seat)
    galleys = position.fleet(captain)
    seen = lying(position, captain, position.galleys) if captain else {}
    orders = order_drafts.readable(position, captain, draft) if captain else None
    return SeasonView(
        seat=seat,
        round=position.turn,
        phase=Text(f"phase.{state.phase}", {"turn": position.turn, "month": (position.turn - 1) // 3}),
        ground=Text("ground", {"map": position.map}),
        pieces=tuple(map(_piece, galleys)),
        groups=tuple(_told(position, seen)),
        plan=order_drafts.lines(orders) if orders else (),
        map=position.map,
        captains=position.captains,
        teams=position.teams,
        homes=position.homes,
        turns=position.turns,
        ports=position.ports,
        trophies=position.trophies,
        laurels={one: position.laurels(one) for one in position.captains},
        battles=position.battles,
        captain=captain,
        galleys=galleys,
        talents=position.talents[captain] if captain else 0,
        spares=position.spares.get(captain, ""),
        agree=bool(captain) and captain in position.agree,
        sees=tuple(sorted(seen_places(position, captain, position.galleys))) if captain else (),
        lying=seen,
        sieges=sieges_seen(position, captain, position.galleys) if captain else {},
        planned=orders.fleets if orders else (),
        focus=draft.focus,
    )


def _piece(galley: Galley) -> Piece:
    return Piece(
        id=galley.id,
        seat=seat_of(galley.captain),
        side=f"captain.{galley.captain}",
        gauges=(
            Gauge("port_oars", galley.port, galley.holes),
            Gauge("starboard_oars", galley.starboard, galley.holes),
            Gauge("masts", galley.masts, TYPES[galley.holes]),
        ),
        place=Text("place.engaged" if galley.battle else "place.lies", {"place": galley.place}),
    )


def _told(position: Position, seen: dict[str, tuple[Lying, ...]]) -> Iterator[Text]:
    """What lies where, a sentence for each captain's galleys in a place."""
    for place, there in seen.items():
        for one in there:
            where = Text(f"place.{position.map}.{place}")
            told: dict[str, Param] = {
                "captain": one.captain,
                "galleys": one.galleys,
                "engaged": one.engaged,
                "lame": one.lame,
            }
            yield Text("group.lying", {"place": (where,)} | told)
