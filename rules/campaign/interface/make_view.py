"""From a state to what one seat may see of it (CA part 12)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.campaign.engine.money.night import SIEGE_NIGHTS
from rules.campaign.engine.sea.naming import captain_names, coded_place_names, place_names
from rules.campaign.engine.sea.sight import SeenGalleys, seen_galleys, visible_places, visible_sieges
from rules.campaign.engine.sea.state import MASTS_BY_OARS, Galley, Position, State, galley_price
from rules.campaign.interface import order_drafts
from rules.campaign.interface.view import SeasonView
from rules.core.protocol import EMPTY_DRAFT, Draft, Seat
from rules.core.sides import letter_of, seat_of
from rules.core.view import Gauge, Param, Piece, Text


def make_view(state: State, seat: Seat | None, draft: Draft = EMPTY_DRAFT) -> SeasonView:
    """What a seat sees, with its unfinished orders; None: a spectator, who sees what all know (CA-12.3)."""
    position = state.position
    captain = "" if seat is None else letter_of(seat)
    galleys = position.galleys_of(captain)
    seen = seen_galleys(position, captain, position.galleys) if captain else {}
    orders = order_drafts.orders_of_draft(position, captain, draft) if captain else None
    return SeasonView(
        seat=seat,
        round=position.turn,
        phase=Text(f"phase.{state.phase}", {"turn": position.turn, "month": (position.turn - 1) // 3}),
        ground_text=Text(f"ground.{position.map}"),
        pieces=tuple(galley_piece(position.map, galley) for galley in galleys),
        note_lines=tuple(_note_lines(position, captain, seen)),
        plan_lines=order_drafts.order_lines(orders, position.map) if orders else (),
        map=position.map,
        captains=position.captains,
        teams=position.teams,
        homes=position.homes,
        turns=position.turns,
        ports=position.ports,
        trophies=position.trophies,
        laurels={one: position.laurels_of(one) for one in position.captains},
        battles=position.battles,
        captain=captain,
        galleys=galleys,
        talents=position.talents[captain] if captain else 0,
        spares=position.spares.get(captain, ""),
        settled_for_dice=bool(captain) and captain in position.agree,
        seen_places=tuple(sorted(visible_places(position, captain, position.galleys))) if captain else (),
        others_galleys=seen,
        sieges=visible_sieges(position, captain, position.galleys) if captain else {},
        planned_orders=orders.fleets if orders else (),
        focus=draft.focus,
        score=_nearest_to_falling(position, captain) if captain and not state.result else None,
    )


def _nearest_to_falling(position: Position, captain: str) -> Text | None:
    """Which of a captain's ports is nearest to falling, and how near; None if none is besieged (CA-9.3)."""
    own, places = position.ports_of(captain), position.sea_map.places
    left = {
        port: SIEGE_NIGHTS[places[port].worth] - nights for port, (_, nights) in position.sieges.items() if port in own
    }
    if not left:
        return None
    port = min(left, key=lambda one: (left[one], one))
    by, nights = position.sieges[port]
    told: dict[str, Param] = {"by": captain_names(by), "port": place_names(position.map, port), "nights": nights}
    return Text("score.siege", {**told, "of": nights + left[port]})


def galley_piece(sea: str, galley: Galley) -> Piece:
    """A galley in the terms that every game shares."""
    return Piece(
        id=galley.id,
        seat=seat_of(galley.captain),
        side=f"captain.{galley.captain}",
        gauges=(
            Gauge("port_oars", galley.port, galley.holes),
            Gauge("starboard_oars", galley.starboard, galley.holes),
            Gauge("masts", galley.masts, MASTS_BY_OARS[galley.holes]),
        ),
        place=Text("place.engaged" if galley.battle else "place.lies", {"place": coded_place_names(sea, galley.place)}),
    )


def _note_lines(position: Position, captain: str, seen: dict[str, tuple[SeenGalleys, ...]]) -> Iterator[Text]:
    """How captains stand, what the viewer owns, and what lies where, a sentence each."""
    for one in position.captains:
        counts = {
            "laurels": position.laurels_of(one),
            "ports": len(position.ports_of(one)),
            "trophies": position.trophies[one],
        }
        yield Text("note.standing", {"letter": one, "captain": captain_names(one), **counts})
    if captain:
        yield Text("note.talents", {"talents": position.talents[captain], "price": galley_price(position, captain)})
    for battle in position.battles:
        sides = {"attackers": captain_names(battle.sides[0]), "defenders": captain_names(battle.sides[1])}
        yield Text("note.battle", {"id": battle.id, "place": coded_place_names(position.map, battle.place), **sides})
    for port, (by, nights) in (visible_sieges(position, captain, position.galleys) if captain else {}).items():
        of = SIEGE_NIGHTS[position.sea_map.places[port].worth]
        told = {"port": coded_place_names(position.map, port), "by": captain_names(by)}
        yield Text("note.siege", {**told, "nights": nights, "of": of})
    for place, there in seen.items():
        for lying_there in there:
            yield _lying_line(position, place, lying_there)


def _lying_line(position: Position, place: str, one: SeenGalleys) -> Text:
    told: dict[str, Param] = {"place": coded_place_names(position.map, place), "captain": captain_names(one.captain)}
    told |= {"galleys": one.galleys, "engaged": one.engaged}
    known = one.lame >= 0
    return Text("note.lying.known", {**told, "lame": one.lame}) if known else Text("note.lying.unknown", told)
