"""Drafts of a turn's orders, and the options to write them (CA-3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import structs

from rules.campaign.engine.orders import MAX_LEGS, FleetOrder, PortOrders, TurnOrders, format_orders, parse_orders
from rules.campaign.engine.sea.naming import captain_names, coded_place_names
from rules.campaign.engine.sea.state import (
    MASTS_BY_OARS,
    STANCES,
    Galley,
    Position,
    State,
    building_ports,
    galley_price,
)
from rules.campaign.engine.sea.ways import shortest_routes
from rules.campaign.interface.forecasts import own_battle_lines
from rules.campaign.interface.rehearsal import open_decisions, rehearsal_lines
from rules.core.errors import Scalar
from rules.core.protocol import Choices, Draft, Option
from rules.core.sides import letter_of, seat_of
from rules.core.view import Param, Text
from rules.interface.drafts import AnswerNotation, SeatContext, seat_context, try_read
from rules.interface.panels import button_row, drop_empty, select_menu
from rules.interface.typed import join_id_ranges


class OrderDraft(NamedTuple):
    orders: TurnOrders = TurnOrders()  # the orders so far
    focus: str = ""  # ids of the galleys that are shown, joined as in `A1_A2`; empty: the first fleet


OrderContext = SeatContext[State]


def _captain_of(context: OrderContext) -> str:
    return letter_of(context.seat)


def _parse_into(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    return draft._replace(orders=parse_orders(context.state.position, _captain_of(context), text, draft.orders))


ORDER_NOTATION: AnswerNotation[State, OrderContext, OrderDraft, TurnOrders] = AnswerNotation(
    context=seat_context,
    empty_draft=lambda _: OrderDraft(),
    parse_into=_parse_into,
    write_draft=lambda _, draft: Draft(format_orders(draft.orders), draft.focus),
    complete_answer=lambda _, draft: draft.orders,
    format_answer=format_orders,
    move_focus=lambda _, draft, focus: draft._replace(focus=focus),
)


def orders_of_draft(position: Position, captain: str, draft: Draft) -> TurnOrders:
    """Return the orders of a draft; an unreadable one counts as empty."""
    return try_read(parse_orders, position, captain, draft.text) or TurnOrders()


def default_orders(context: OrderContext) -> TurnOrders | None:
    """Return orders that hold and repair if the game holds late fleets, else None for the computer's (CA-14.1)."""
    return TurnOrders(port_orders=PortOrders(repair_all=True)) if context.state.missed == "hold" else None


# --- in words ----------------------------------------------------------------------------------------------------


def order_lines(orders: TurnOrders, map_name: str) -> tuple[Text, ...]:
    return tuple(_iterate_lines(orders, map_name)) or (Text("line.none"),)


def _no_orders_line(position: Position, captain: str) -> Text:
    """Return the sentence that all galleys stay, with the ports whose siege goes on (CA-9.3)."""
    ports = [port for port, (by, _) in position.sieges.items() if by == captain]
    return Text("line.none.siege", {"ports": coded_place_names(position.map, *ports)}) if ports else Text("line.none")


def _iterate_lines(orders: TurnOrders, map_name: str) -> Iterator[Text]:
    for fleet in orders.fleets:
        yield Text(f"line.{_line_key(fleet)}.{fleet.stance}", _line_params(fleet, map_name))
    for port, holes in orders.port_orders.build:
        yield Text("line.build", {"port": coded_place_names(map_name, port), "type": holes})
    if orders.port_orders.repair_all:
        yield Text("line.repair_all")
    elif orders.port_orders.repair:
        yield Text("line.repair", {"galleys": " ".join(join_id_ranges(orders.port_orders.repair))})
    for to, talents in orders.gifts:
        yield Text("line.pay", {"to": seat_of(to), "talents": talents})
    if orders.spared is not None:
        key = "line.spare" if orders.spared else "line.spare_nobody"
        yield Text(key, {"captains": captain_names(orders.spared)})
    if orders.dice is not None:
        yield Text("line.dice" if orders.dice else "line.play")


def _line_key(fleet: FleetOrder) -> str:
    if fleet.chase:
        return "chase"
    return "row" if fleet.route else "stay"


def _line_params(fleet: FleetOrder, map_name: str) -> dict[str, Param]:
    route = " > ".join(fleet.route)
    values: dict[str, Param] = {"galleys": " ".join(join_id_ranges(fleet.galleys)), "route": route}
    if fleet.chase:
        return {**values, "prey": seat_of(fleet.chase)}
    end = coded_place_names(map_name, *fleet.route[-1:])
    if len(fleet.route) > 1:
        end = (Text("place.via", {"end": end, "by": " > ".join(fleet.route[:-1])}),)
    return {**values, "end": end}


# --- what may be pressed -----------------------------------------------------------------------------------------

GIFT_CHOICES: Final = (1, 2, 3, 5, 10)  # talents that can be given by pressing; other sums can be typed


def draft_choices(context: OrderContext, draft: OrderDraft) -> Choices:
    position, captain = context.state.position, _captain_of(context)
    free_galleys = [galley for galley in position.galleys_of(captain) if not galley.battle]
    fleets = _group_fleets(free_galleys, draft.orders)
    focus = draft.focus if draft.focus in fleets else next(iter(fleets), "")
    labels = {key: _fleet_label(position, draft.orders, fleet) for key, fleet in fleets.items()}
    focus_options = ORDER_NOTATION.focus_options(context, "look", labels, lambda key: draft._replace(focus=key), focus)
    shown_fleet = fleets.get(focus, ())
    return Choices(
        groups=drop_empty(
            select_menu("fleets", focus_options),
            select_menu("row", _route_options(context, draft, shown_fleet)),
            button_row("stance", _stance_options(context, draft, shown_fleet)),
            select_menu("chase", _chase_options(context, draft, shown_fleet)),
            select_menu("port", _port_options(context, draft)),
            select_menu("pay", _gift_options(context, draft)),
            select_menu("spare", _spare_options(context, draft)),
            button_row("settle", _dice_options(context, draft)),
        ),
        lines=(
            *(tuple(_iterate_lines(draft.orders, position.map)) or (_no_orders_line(position, captain),)),
            *_idle_lines(free_galleys, draft.orders),
            *rehearsal_lines(position, captain, draft.orders),
        ),
        decisions=(
            *own_battle_lines(context.state, captain),
            *open_decisions(position, captain, draft.orders),
        ),
        progress=Text(
            "progress.galleys", {"ordered": _count_ordered(free_galleys, draft.orders), "galleys": len(free_galleys)}
        ),
    )


def _idle_lines(free: list[Galley], orders: TurnOrders) -> Iterator[Text]:
    """Yield which galleys have no orders, if others have some."""
    idle = [galley.id for galley in free if orders.order_for(galley.id) is None]
    if idle and orders.fleets:
        yield Text("line.idle", {"galleys": " ".join(join_id_ranges(idle))})


def _count_ordered(free: list[Galley], orders: TurnOrders) -> int:
    return sum(orders.order_for(galley.id) is not None for galley in free)


def _group_fleets(free: list[Galley], orders: TurnOrders) -> dict[str, tuple[Galley, ...]]:
    """Return galleys with one order, and those of a place without orders, by ids joined as in `A1_A2`.

    Each galley follows as a fleet of its own, so that fleets can be split.
    """
    galleys_by_order: dict[tuple[str, FleetOrder | None], list[Galley]] = {}
    for galley in free:
        galleys_by_order.setdefault((galley.place, orders.order_for(galley.id)), []).append(galley)
    fleets = {"_".join(galley.id for galley in fleet): tuple(fleet) for fleet in galleys_by_order.values()}
    return {**fleets, **{galley.id: (galley,) for galley in free}}


def _fleet_label(position: Position, orders: TurnOrders, fleet: tuple[Galley, ...]) -> Text:
    key = "option.fleet_ordered" if orders.order_for(fleet[0].id) else "option.fleet"
    galleys = " ".join(galley.id for galley in fleet)
    return Text(key, {"galleys": galleys, "place": coded_place_names(position.map, fleet[0].place)})


def _present_order(draft: OrderDraft, fleet: tuple[Galley, ...]) -> FleetOrder:
    return draft.orders.order_for(fleet[0].id) or FleetOrder(galleys=())


def _fleet_option(
    context: OrderContext, draft: OrderDraft, token: str, label: Text, fleet: FleetOrder, *, chosen: bool
) -> Option:
    text = format_orders(TurnOrders(fleets=(fleet,)))
    return ORDER_NOTATION.typed_option(
        context, draft._replace(focus="_".join(fleet.galleys)), token, label, text, chosen=chosen
    )


def _route_options(context: OrderContext, draft: OrderDraft, fleet: tuple[Galley, ...]) -> Iterator[Option]:
    if not fleet:
        return
    position, start = context.state.position, fleet[0].place
    present_order = _present_order(draft, fleet)
    max_legs = 1 if any(galley.is_lame for galley in fleet) else MAX_LEGS
    routes = [
        route
        for route in shortest_routes(position.map, len(position.captains), start).values()
        if len(route) <= max_legs
    ]
    for route in sorted(routes, key=len):
        after = structs.replace(present_order, galleys=tuple(galley.id for galley in fleet), route=route, chase="")
        label = Text("option.row" if route else "option.stay", {"route": _route_names(position, *(route or (start,)))})
        token = f"row.{'-'.join(route) or start}"
        yield _fleet_option(
            context, draft, token, label, after, chosen=route == present_order.route and not present_order.chase
        )


def _route_names(position: Position, *route: str) -> tuple[Text, ...]:
    *earlier_places, end = route
    if not earlier_places:
        return coded_place_names(position.map, end)
    params: dict[str, Param] = {"place": coded_place_names(position.map, end), "over": " > ".join(earlier_places)}
    return (Text("option.row_over", params),)


def _stance_options(context: OrderContext, draft: OrderDraft, fleet: tuple[Galley, ...]) -> Iterator[Option]:
    if not fleet:
        return
    for stance in STANCES:
        present_order = _present_order(draft, fleet)
        after = structs.replace(present_order, galleys=tuple(galley.id for galley in fleet), stance=stance)
        yield _fleet_option(
            context, draft, f"stance.{stance}", Text(f"stance.{stance}"), after, chosen=present_order.stance == stance
        )


def _chase_options(context: OrderContext, draft: OrderDraft, fleet: tuple[Galley, ...]) -> Iterator[Option]:
    if not fleet:
        return
    for prey in _other_captains(context):
        present_order = _present_order(draft, fleet)
        after = structs.replace(present_order, galleys=tuple(galley.id for galley in fleet), route=(), chase=prey)
        label = Text("option.chase", {"prey": seat_of(prey)})
        yield _fleet_option(context, draft, f"chase.{prey}", label, after, chosen=present_order.chase == prey)


def _other_captains(context: OrderContext) -> list[str]:
    position, captain = context.state.position, _captain_of(context)
    return [other for other in position.captains if position.team_of(other) != position.team_of(captain)]


def _port_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    position, captain = context.state.position, _captain_of(context)
    port_orders = draft.orders.port_orders
    after = structs.replace(port_orders, repair_all=not port_orders.repair_all, repair=())
    yield _port_option(context, draft, "repair", Text("option.repair_all"), after, chosen=port_orders.repair_all)
    for port in building_ports(position, captain):
        for holes in MASTS_BY_OARS:
            build_order = (port, holes)
            build = tuple(other for other in port_orders.build if other[0] != port)  # orders of other ports
            after = structs.replace(
                port_orders, build=build if build_order in port_orders.build else (*build, build_order)
            )
            values: dict[str, Param] = {
                "port": coded_place_names(position.map, port),
                "type": holes,
                "masts": MASTS_BY_OARS[holes],
                "price": galley_price(position, captain),
            }
            label = Text("option.build", values)
            yield _port_option(
                context, draft, f"build.{port}-{holes}", label, after, chosen=build_order in port_orders.build
            )


def _port_option(
    context: OrderContext, draft: OrderDraft, token: str, label: Text, port_orders: PortOrders, *, chosen: bool
) -> Option:
    orders = structs.replace(draft.orders, port_orders=port_orders)
    return ORDER_NOTATION.make_option(context, draft._replace(orders=orders), token, label, chosen=chosen)


def _gift_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    position, captain = context.state.position, _captain_of(context)
    for other in position.captains:
        if other == captain:
            continue
        for talents in GIFT_CHOICES:
            if talents <= position.talents[captain]:
                gift = (other, talents)
                other_gifts = tuple(earlier for earlier in draft.orders.gifts if earlier[0] != other)
                gifts = other_gifts if gift in draft.orders.gifts else (*other_gifts, gift)
                label = Text("option.pay", {"to": seat_of(other), "talents": talents})
                after = draft._replace(orders=structs.replace(draft.orders, gifts=gifts))
                token, chosen = f"pay.{other}-{talents}", gift in draft.orders.gifts
                yield ORDER_NOTATION.make_option(context, after, token, label, chosen=chosen)


def _spare_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    position, captain = context.state.position, _captain_of(context)
    present_list = position.spares.get(captain, "") if draft.orders.spared is None else draft.orders.spared
    for other in _other_captains(context):
        new_list = "".join(sorted({*present_list} ^ {other}))
        orders = structs.replace(draft.orders, spared=new_list)
        label = Text("option.attack_again" if other in present_list else "option.spare", {"captain": seat_of(other)})
        yield ORDER_NOTATION.make_option(
            context, draft._replace(orders=orders), f"spare.{other}", label, chosen=other in present_list
        )


def _dice_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """Yield the options to play battles or settle them by dice, from this turn on (CA-6.2d)."""
    was_for_dice = _captain_of(context) in context.state.position.agree
    is_for_dice = was_for_dice if draft.orders.dice is None else draft.orders.dice
    for word, dice in (("play", False), ("dice", True)):
        orders = structs.replace(draft.orders, dice=None if dice == was_for_dice else dice)
        after = draft._replace(orders=orders)
        yield ORDER_NOTATION.make_option(
            context, after, f"settle.{word}", Text(f"option.{word}"), chosen=is_for_dice == dice
        )


def example_values(context: OrderContext) -> dict[str, Scalar]:
    position, captain = context.state.position, _captain_of(context)
    free = [galley for galley in position.galleys_of(captain) if not galley.battle]
    other = next(letter for letter in position.captains if letter != captain)
    if not free:
        return {"orders": f"spare {other}"}
    return {"orders": f"{free[0].id}: {position.sea_map.places[free[0].place].legs[0]} hold"}
