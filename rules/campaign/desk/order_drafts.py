"""How a turn's orders are written and offered (CA part 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import structs

from rules.campaign.desk.rehearsal import rehearsed, undecided
from rules.campaign.table.orders import MOST_LEGS, FleetOrder, Orders, Wish, read, write
from rules.campaign.table.sea.naming import captains, coded
from rules.campaign.table.sea.state import STANCES, TYPES, Galley, Position, State, price, yards
from rules.campaign.table.sea.ways import ways
from rules.errors import Scalar
from rules.notebook import Notebook, Seated, seated, try_read
from rules.panels import buttons, select, shown
from rules.protocol import Choices, Draft, Option
from rules.sides import letter_of, seat_of
from rules.spans import spans
from rules.view import Param, Text


class OrderDraft(NamedTuple):
    """Unfinished orders, and the galley or place that the panel looks at."""

    orders: Orders = Orders()
    focus: str = ""


Desk = Seated[State]


def _captain(desk: Desk) -> str:
    return letter_of(desk.seat)


def _take(desk: Desk, draft: OrderDraft, text: str) -> OrderDraft:
    return draft._replace(orders=read(desk.state.position, _captain(desk), text, draft.orders))


NOTEBOOK: Notebook[State, Desk, OrderDraft, Orders] = Notebook(
    context=seated,
    empty=lambda _: OrderDraft(),
    take=_take,
    written=lambda _, draft: Draft(write(draft.orders), draft.focus),
    complete=lambda _, draft: draft.orders,
    format=write,
    look=lambda _, draft, focus: draft._replace(focus=focus),
)


def readable(position: Position, captain: str, draft: Draft) -> Orders:
    """The orders of a draft; one that can't be read counts as empty."""
    return try_read(read, position, captain, draft.text) or Orders()


def default(desk: Desk) -> Orders | None:
    """Where galleys hold for who is late, no more than repairs; else None: the computer captain plays (CA-14.1)."""
    return Orders(wish=Wish(repair_all=True)) if desk.state.missed == "hold" else None


# --- in words ----------------------------------------------------------------------------------------------------


def lines(orders: Orders, sea: str) -> tuple[Text, ...]:
    """Orders in words, a line a piece; places by their names on this map."""
    return tuple(_lines(orders, sea)) or (Text("line.none"),)


def _none(position: Position, captain: str) -> Text:
    """That all stay, and which ports they go on to besiege by that (CA-9.3)."""
    ports = [port for port, (by, _) in position.sieges.items() if by == captain]
    return Text("line.none.siege", {"ports": coded(position.map, *ports)}) if ports else Text("line.none")


def _lines(orders: Orders, sea: str) -> Iterator[Text]:
    for fleet in orders.fleets:
        yield Text(f"line.{_kind(fleet)}.{fleet.stance}", _values(fleet, sea))
    for port, holes in orders.wish.build:
        yield Text("line.build", {"port": coded(sea, port), "type": holes})
    if orders.wish.repair_all:
        yield Text("line.repair_all")
    elif orders.wish.repair:
        yield Text("line.repair", {"galleys": " ".join(spans(orders.wish.repair))})
    for to, talents in orders.gifts:
        yield Text("line.pay", {"to": seat_of(to), "talents": talents})
    if orders.spare is not None:
        key = "line.spare" if orders.spare else "line.spare_nobody"
        yield Text(key, {"captains": captains(orders.spare)})
    if orders.dice is not None:
        yield Text("line.dice" if orders.dice else "line.play")


def _kind(fleet: FleetOrder) -> str:
    return "chase" if fleet.chase else "row" if fleet.route else "stay"


def _values(fleet: FleetOrder, sea: str) -> dict[str, Param]:
    route = " > ".join(fleet.route)
    values: dict[str, Param] = {"galleys": " ".join(spans(fleet.galleys)), "route": route}
    return (
        {**values, "end": coded(sea, *fleet.route[-1:])}
        if not fleet.chase
        else {**values, "prey": seat_of(fleet.chase)}
    )


# --- what may be pressed -----------------------------------------------------------------------------------------

GIFTS: Final = (1, 2, 3, 5, 10)
"""Talents that may be given by pressing; other sums can be typed."""


def choices(desk: Desk, draft: OrderDraft) -> Choices:
    """Fleets, where the one in hand may row, its stance and chase; then yards, gifts, treaties and dice."""
    position, captain = desk.state.position, _captain(desk)
    free = [galley for galley in position.fleet(captain) if not galley.battle]
    fleets = _fleets(free, draft.orders)
    focus = draft.focus if draft.focus in fleets else next(iter(fleets), "")
    labels = {key: _fleet_label(position, draft.orders, fleet) for key, fleet in fleets.items()}
    looks = NOTEBOOK.looks(desk, "look", labels, lambda key: draft._replace(focus=key), focus)
    hand = fleets.get(focus, ())
    return Choices(
        groups=shown(
            select("fleets", looks),
            select("row", _ways(desk, draft, hand)),
            buttons("stance", _stances(desk, draft, hand)),
            select("chase", _chases(desk, draft, hand)),
            select("port", _ports(desk, draft)),
            select("pay", _gifts(desk, draft)),
            select("spare", _spares(desk, draft)),
            buttons("settle", _settling(desk, draft)),
        ),
        lines=(
            *(tuple(_lines(draft.orders, position.map)) or (_none(position, captain),)),
            *rehearsed(position, captain, draft.orders),
            *undecided(position, captain, draft.orders),
        ),
        progress=Text("progress.galleys", {"ordered": _ordered(free, draft.orders), "galleys": len(free)}),
    )


def _ordered(free: list[Galley], orders: Orders) -> int:
    return sum(orders.of(galley.id) is not None for galley in free)


def _fleets(free: list[Galley], orders: Orders) -> dict[str, tuple[Galley, ...]]:
    """Galleys that have one order, and those of a place that have none, by their ids joined as `A1_A2`.

    Then each galley of these fleets by herself, so that a fleet may be split.
    """
    found: dict[tuple[str, FleetOrder | None], list[Galley]] = {}
    for galley in free:
        found.setdefault((galley.place, orders.of(galley.id)), []).append(galley)
    fleets = {"_".join(galley.id for galley in fleet): tuple(fleet) for fleet in found.values()}
    return {**fleets, **{galley.id: (galley,) for galley in free}}


def _fleet_label(position: Position, orders: Orders, fleet: tuple[Galley, ...]) -> Text:
    key = "option.fleet_ordered" if orders.of(fleet[0].id) else "option.fleet"
    galleys = " ".join(galley.id for galley in fleet)
    return Text(key, {"galleys": galleys, "place": coded(position.map, fleet[0].place)})


def _order(draft: OrderDraft, hand: tuple[Galley, ...]) -> FleetOrder:
    return draft.orders.of(hand[0].id) or FleetOrder(galleys=())


def _typed(desk: Desk, draft: OrderDraft, token: str, label: Text, fleet: FleetOrder, *, chosen: bool) -> Option:
    """One thing to press that gives the fleet in hand this order."""
    text = write(Orders(fleets=(fleet,)))
    return NOTEBOOK.typed(desk, draft._replace(focus="_".join(fleet.galleys)), token, label, text, chosen=chosen)


def _ways(desk: Desk, draft: OrderDraft, hand: tuple[Galley, ...]) -> Iterator[Option]:
    """To stay, and each place that can be reached in one leg or two: the nearer first."""
    if not hand:
        return
    position, now, here = desk.state.position, _order(draft, hand), hand[0].place
    most = 1 if any(galley.lame for galley in hand) else MOST_LEGS
    routes = [way for way in ways(position.map, len(position.captains), here).values() if len(way) <= most]
    for route in sorted(routes, key=len):
        after = structs.replace(now, galleys=tuple(galley.id for galley in hand), route=route, chase="")
        label = Text("option.row" if route else "option.stay", {"route": _route(position, *(route or (here,)))})
        token = f"row.{'-'.join(route) or here}"
        yield _typed(desk, draft, token, label, after, chosen=route == now.route and not now.chase)


def _route(position: Position, *route: str) -> tuple[Text, ...]:
    """The end of a route, and what lies on the way."""
    *over, end = route
    if not over:
        return coded(position.map, end)
    way = {"place": coded(position.map, end), "over": coded(position.map, *over)}
    return (Text("option.row_over", way),)


def _stances(desk: Desk, draft: OrderDraft, hand: tuple[Galley, ...]) -> Iterator[Option]:
    for stance in STANCES if hand else ():
        now = _order(draft, hand)
        after = structs.replace(now, galleys=tuple(galley.id for galley in hand), stance=stance)
        yield _typed(desk, draft, f"stance.{stance}", Text(f"stance.{stance}"), after, chosen=now.stance == stance)


def _chases(desk: Desk, draft: OrderDraft, hand: tuple[Galley, ...]) -> Iterator[Option]:
    for prey in _others(desk) if hand else ():
        now = _order(draft, hand)
        after = structs.replace(now, galleys=tuple(galley.id for galley in hand), route=(), chase=prey)
        label = Text("option.chase", {"prey": seat_of(prey)})
        yield _typed(desk, draft, f"chase.{prey}", label, after, chosen=now.chase == prey)


def _others(desk: Desk) -> list[str]:
    """Captains of other sides."""
    position, captain = desk.state.position, _captain(desk)
    return [one for one in position.captains if position.team(one) != position.team(captain)]


def _ports(desk: Desk, draft: OrderDraft) -> Iterator[Option]:
    """Repair, and what may be built where; pressed again, what was to be done is not done."""
    position, captain = desk.state.position, _captain(desk)
    wish = draft.orders.wish
    after = structs.replace(wish, repair_all=not wish.repair_all, repair=())
    yield _wished(desk, draft, "repair", Text("option.repair_all"), after, chosen=wish.repair_all)
    for port in yards(position, captain):
        for holes in TYPES:
            one = (port, holes)
            build = tuple(other for other in wish.build if other[0] != port)
            after = structs.replace(wish, build=build if one in wish.build else (*build, one))
            values: dict[str, Param] = {
                "port": coded(position.map, port),
                "type": holes,
                "masts": TYPES[holes],
                "price": price(position, captain),
            }
            label = Text("option.build", values)
            yield _wished(desk, draft, f"build.{port}-{holes}", label, after, chosen=one in wish.build)


def _wished(desk: Desk, draft: OrderDraft, token: str, label: Text, wish: Wish, *, chosen: bool) -> Option:
    orders = structs.replace(draft.orders, wish=wish)
    return NOTEBOOK.option(desk, draft._replace(orders=orders), token, label, chosen=chosen)


def _gifts(desk: Desk, draft: OrderDraft) -> Iterator[Option]:
    """Talents for each other captain; pressed again, they get none."""
    position, captain = desk.state.position, _captain(desk)
    for other in position.captains:
        for talents in GIFTS if other != captain else ():
            if talents <= position.talents[captain]:
                gift = (other, talents)
                left = tuple(one for one in draft.orders.gifts if one[0] != other)
                gifts = left if gift in draft.orders.gifts else (*left, gift)
                label = Text("option.pay", {"to": seat_of(other), "talents": talents})
                after = draft._replace(orders=structs.replace(draft.orders, gifts=gifts))
                token, chosen = f"pay.{other}-{talents}", gift in draft.orders.gifts
                yield NOTEBOOK.option(desk, after, token, label, chosen=chosen)


def _spares(desk: Desk, draft: OrderDraft) -> Iterator[Option]:
    """Put each other captain on the spare list, or take them off it."""
    position, captain = desk.state.position, _captain(desk)
    now = position.spares.get(captain, "") if draft.orders.spare is None else draft.orders.spare
    for other in _others(desk):
        after = "".join(sorted({*now} ^ {other}))
        orders = structs.replace(draft.orders, spare=after)
        label = Text("option.attack_again" if other in now else "option.spare", {"captain": seat_of(other)})
        yield NOTEBOOK.option(desk, draft._replace(orders=orders), f"spare.{other}", label, chosen=other in now)


def _settling(desk: Desk, draft: OrderDraft) -> Iterator[Option]:
    """Whether battles are played or settled by dice, from this turn on (CA-6.2d)."""
    settled = _captain(desk) in desk.state.position.agree
    now = settled if draft.orders.dice is None else draft.orders.dice
    for word, dice in (("play", False), ("dice", True)):
        orders = structs.replace(draft.orders, dice=None if dice == settled else dice)
        after = draft._replace(orders=orders)
        yield NOTEBOOK.option(desk, after, f"settle.{word}", Text(f"option.{word}"), chosen=now == dice)


def samples(desk: Desk) -> list[Orders]:
    """No orders; all galleys of a place sent along each of its legs in each stance; and all else once."""
    position, captain = desk.state.position, _captain(desk)
    free = [galley for galley in position.fleet(captain) if not galley.battle]
    texts = ["", "repair all", *(f"build {port} 5" for port in yards(position, captain))]
    texts += [f"pay {other} 1; spare {other}" for other in position.captains if other != captain][:1]
    texts.append("spare none")
    for place in dict.fromkeys(galley.place for galley in free):
        names = " ".join(galley.id for galley in free if galley.place == place)
        for number, leg in enumerate(position.sea_map.places[place].legs):
            texts.append(f"{names}: {leg} {STANCES[number % 3]}")
        texts.append(f"{names}: attack")
    found = [try_read(read, position, captain, text) for text in texts]
    return [one for number, one in enumerate(found) if one is not None and one not in found[:number]]


def example(desk: Desk) -> dict[str, Scalar]:
    """A captain's own galley, where she may row, and a captain who may be spared."""
    position, captain = desk.state.position, _captain(desk)
    free = [galley for galley in position.fleet(captain) if not galley.battle]
    other = next(one for one in position.captains if one != captain)
    if not free:
        return {"orders": f"spare {other}"}
    return {"orders": f"{free[0].id}: {position.sea_map.places[free[0].place].legs[0]} hold"}
