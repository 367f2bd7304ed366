"""The view of a seat (CA-12)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.campaign.engine.money.night import SIEGE_NIGHTS
from rules.campaign.engine.sea.naming import captain_names, coded_place_names, place_names
from rules.campaign.engine.sea.sight import SeenGalleys, seen_galleys, visible_places, visible_sieges
from rules.campaign.engine.sea.state import MASTS_BY_OARS, TURNS_PER_MONTH, Galley, Position, State, galley_price
from rules.campaign.interface import order_drafts
from rules.campaign.interface.standings import standing_line
from rules.campaign.interface.view import SeasonView, battle_line
from rules.core.protocol import EMPTY_DRAFT, Draft, Seat
from rules.core.sides import letter_of, seat_of
from rules.core.view import Gauge, Param, Piece, Text


def make_view(state: State, seat: Seat | None, draft: Draft = EMPTY_DRAFT) -> SeasonView:
    """Return what a seat sees, with its draft; a spectator (None) sees what is public (CA-12.3)."""
    position = state.position
    captain = "" if seat is None else letter_of(seat)
    galleys = position.galleys_of(captain)
    others_galleys = seen_galleys(position, captain, position.galleys) if captain else {}
    orders = order_drafts.orders_of_draft(position, captain, draft) if captain else None
    return SeasonView(
        seat=seat,
        round=position.turn,
        phase=Text(f"phase.{state.phase}", {"turn": position.turn, "month": (position.turn - 1) // TURNS_PER_MONTH}),
        ground_text=Text(f"ground.{position.map}"),
        pieces=tuple(galley_piece(position.map, galley) for galley in galleys),
        note_lines=tuple(_note_lines(state, captain, others_galleys)),
        plan_lines=order_drafts.order_lines(orders, position.map) if orders else (),
        map=position.map,
        captains=position.captains,
        teams=position.teams,
        homes=position.homes,
        turns=position.turns,
        ports=position.ports,
        trophies=position.trophies,
        laurels={letter: position.laurels_of(letter) for letter in position.captains},
        battles=position.battles,
        captain=captain,
        galleys=galleys,
        talents=position.talents[captain] if captain else 0,
        spares=position.spares.get(captain, ""),
        settled_for_dice=bool(captain) and captain in position.agree,
        seen_places=tuple(sorted(visible_places(position, captain, position.galleys))) if captain else (),
        others_galleys=others_galleys,
        sieges=visible_sieges(position, captain, position.galleys) if captain else {},
        planned_orders=orders.fleets if orders else (),
        focus=draft.focus,
        score=_nearest_to_falling(position, captain) if captain and not state.result else None,
    )


def _nearest_to_falling(position: Position, captain: str) -> Text | None:
    """Return a sentence about the own port nearest to falling, or None if none is besieged (CA-9.3)."""
    own_ports, places = position.ports_of(captain), position.sea_map.places
    nights_left = {
        port: SIEGE_NIGHTS[places[port].worth] - nights
        for port, (_, nights) in position.sieges.items()
        if port in own_ports
    }
    if not nights_left:
        return None
    port = min(nights_left, key=lambda code: (nights_left[code], code))
    by, nights = position.sieges[port]
    params: dict[str, Param] = {"by": captain_names(by), "port": place_names(position.map, port), "nights": nights}
    return Text("score.siege", {**params, "of": nights + nights_left[port]})


def galley_piece(map_name: str, galley: Galley) -> Piece:
    return Piece(
        id=galley.id,
        seat=seat_of(galley.captain),
        side=f"captain.{galley.captain}",
        gauges=(
            Gauge("port_oars", galley.port, galley.holes),
            Gauge("starboard_oars", galley.starboard, galley.holes),
            Gauge("masts", galley.masts, MASTS_BY_OARS[galley.holes]),
        ),
        place=Text(
            "place.engaged" if galley.battle else "place.lies", {"place": coded_place_names(map_name, galley.place)}
        ),
    )


def _note_lines(state: State, captain: str, others_galleys: dict[str, tuple[SeenGalleys, ...]]) -> Iterator[Text]:
    position = state.position
    for letter in position.captains:
        yield standing_line(position, letter)
    if not captain and not state.result:
        yield Text("note.hidden")
    if captain:
        yield Text("note.talents", {"talents": position.talents[captain], "price": galley_price(position, captain)})
    for battle in position.battles:
        yield battle_line(position.map, battle)
    sieges = visible_sieges(position, captain, position.galleys) if captain else {}
    for port, (by, nights) in sieges.items():
        needed_nights = SIEGE_NIGHTS[position.sea_map.places[port].worth]
        params = {"port": coded_place_names(position.map, port), "by": captain_names(by)}
        yield Text("note.siege", {**params, "nights": nights, "of": needed_nights})
    for place, groups in others_galleys.items():
        for group in groups:
            yield _lying_line(position, place, group)


def _lying_line(position: Position, place: str, group: SeenGalleys) -> Text:
    params: dict[str, Param] = {
        "place": coded_place_names(position.map, place),
        "captain": captain_names(group.captain),
        "galleys": group.galleys,
        "engaged": group.engaged,
    }
    is_lame_known = group.lame >= 0
    return (
        Text("note.lying.known", {**params, "lame": group.lame})
        if is_lame_known
        else Text("note.lying.unknown", params)
    )
