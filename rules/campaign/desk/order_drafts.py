"""How a turn's orders are written and offered (CA part 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import structs

from rules.campaign.table.orders import FleetOrder, Orders, read, write
from rules.campaign.table.state import STANCES, TYPES, Galley, Position, State, yards
from rules.errors import Scalar
from rules.notebook import Notebook, Seated, seated, try_read
from rules.panels import buttons, rows, select, shown
from rules.protocol import Choices, Draft, Option
from rules.sides import letter_of
from rules.view import Text


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


def default(_: Desk) -> None:
    """Nothing: who is late is played by the computer captain (CA-14.1)."""
    return


# --- in words ----------------------------------------------------------------------------------------------------


def lines(orders: Orders) -> tuple[Text, ...]:
    """Orders in words, a line a piece."""
    return tuple(_lines(orders))


def _lines(orders: Orders) -> Iterator[Text]:
    for fleet in orders.fleets:
        yield Text(f"line.{_kind(fleet)}.{fleet.stance}", _values(fleet))
    for port, holes in orders.wish.build:
        yield Text("line.build", {"port": port, "type": holes})
    if orders.wish.repair_all:
        yield Text("line.repair_all")
    elif orders.wish.repair:
        yield Text("line.repair", {"galleys": " ".join(orders.wish.repair)})
    for to, talents in orders.gifts:
        yield Text("line.pay", {"to": to, "talents": talents})
    if orders.spare is not None:
        yield Text("line.spare" if orders.spare else "line.spare_nobody", {"captains": " ".join(orders.spare)})


def _kind(fleet: FleetOrder) -> str:
    return "chase" if fleet.chase else "row" if fleet.route else "stay"


def _values(fleet: FleetOrder) -> dict[str, Scalar]:
    galleys = " ".join(fleet.galleys)
    return {"galleys": galleys, "route": " > ".join(fleet.route), "prey": fleet.chase}


# --- what may be pressed -----------------------------------------------------------------------------------------


def choices(desk: Desk, draft: OrderDraft) -> Choices:
    """Fleets, where the one in hand may row, its stance and chase; yards, repair and treaties."""
    position, captain = desk.state.position, _captain(desk)
    free = [galley for galley in position.fleet(captain) if not galley.battle]
    fleets = _fleets(free, draft.orders)
    focus = draft.focus if draft.focus in fleets else next(iter(fleets), "")
    labels = {key: Text("option.fleet", {"galleys": key.replace("_", " ")}) for key in fleets}
    looks = NOTEBOOK.looks(desk, "look", labels, lambda key: draft._replace(focus=key), focus)
    hand = fleets.get(focus, ())
    return Choices(
        groups=shown(
            *rows("fleets", looks),
            select("row", _ways(desk, draft, hand)),
            buttons("stance", _stances(desk, draft, hand)),
            buttons("chase", _chases(desk, draft, hand)),
            buttons("yard", _yards(desk, draft)),
            buttons("spare", _spares(desk, draft)),
        ),
        lines=lines(draft.orders),
        progress=Text("progress.galleys", {"ordered": _ordered(free, draft.orders), "galleys": len(free)}),
    )


def _ordered(free: list[Galley], orders: Orders) -> int:
    return sum(orders.of(galley.id) is not None for galley in free)


def _fleets(free: list[Galley], orders: Orders) -> dict[str, tuple[Galley, ...]]:
    """Galleys that have one order, and those of a place that have none, by their ids joined as `A1_A2`."""
    found: dict[tuple[str, FleetOrder | None], list[Galley]] = {}
    for galley in free:
        found.setdefault((galley.place, orders.of(galley.id)), []).append(galley)
    return {"_".join(galley.id for galley in fleet): tuple(fleet) for fleet in found.values()}


def _order(draft: OrderDraft, hand: tuple[Galley, ...]) -> FleetOrder:
    return draft.orders.of(hand[0].id) or FleetOrder(galleys=())


def _typed(desk: Desk, draft: OrderDraft, token: str, label: Text, fleet: FleetOrder, *, chosen: bool) -> Option:
    """One thing to press that gives the fleet in hand this order."""
    text = write(Orders(fleets=(fleet,)))
    return NOTEBOOK.typed(desk, draft, token, label, text, chosen=chosen)


def _ways(desk: Desk, draft: OrderDraft, hand: tuple[Galley, ...]) -> Iterator[Option]:
    """Every route of one or two legs: those that end elsewhere, the nearer first."""
    if not hand:
        return
    position, now, here = desk.state.position, _order(draft, hand), hand[0].place
    names = tuple(galley.id for galley in hand)
    legs = position.sea_map.places
    routes: list[tuple[str, ...]] = [(), *((one,) for one in legs[here].legs)]
    if not any(galley.lame for galley in hand):
        near = {here, *legs[here].legs}
        seen: set[str] = set()
        for one in legs[here].legs:
            for far in legs[one].legs:
                if far not in near | seen and not legs[one].port:
                    seen.add(far)
                    routes.append((one, far))
    for route in routes:
        after = structs.replace(now, galleys=names, route=route, chase="")
        label = Text("option.row" if route else "option.stay", {"route": " > ".join(route) or here})
        token = f"row.{'-'.join(route) or here}"
        yield _typed(desk, draft, token, label, after, chosen=route == now.route and not now.chase)


def _stances(desk: Desk, draft: OrderDraft, hand: tuple[Galley, ...]) -> Iterator[Option]:
    for stance in STANCES if hand else ():
        now = _order(draft, hand)
        after = structs.replace(now, galleys=tuple(galley.id for galley in hand), stance=stance)
        yield _typed(desk, draft, f"stance.{stance}", Text(f"stance.{stance}"), after, chosen=now.stance == stance)


def _chases(desk: Desk, draft: OrderDraft, hand: tuple[Galley, ...]) -> Iterator[Option]:
    position, captain = desk.state.position, _captain(desk)
    for prey in position.captains if hand else "":
        if position.team(prey) != position.team(captain):
            now = _order(draft, hand)
            after = structs.replace(now, galleys=tuple(galley.id for galley in hand), route=(), chase=prey)
            label = Text("option.chase", {"prey": prey})
            yield _typed(desk, draft, f"chase.{prey}", label, after, chosen=now.chase == prey)


def _yards(desk: Desk, draft: OrderDraft) -> Iterator[Option]:
    for port in yards(desk.state.position, _captain(desk)):
        for holes in TYPES:
            label = Text("option.build", {"port": port, "type": holes})
            chosen = (port, holes) in draft.orders.wish.build
            yield NOTEBOOK.typed(desk, draft, f"build.{port}-{holes}", label, f"build {port} {holes}", chosen=chosen)
    chosen = draft.orders.wish.repair_all
    yield NOTEBOOK.typed(desk, draft, "repair", Text("option.repair_all"), "repair all", chosen=chosen)


def _spares(desk: Desk, draft: OrderDraft) -> Iterator[Option]:
    """Put each other captain on the spare list, or take them off it."""
    position, captain = desk.state.position, _captain(desk)
    now = position.spares.get(captain, "") if draft.orders.spare is None else draft.orders.spare
    for other in position.captains:
        if position.team(other) != position.team(captain):
            after = "".join(sorted({*now} ^ {other}))
            orders = structs.replace(draft.orders, spare=after)
            label = Text("option.attack_again" if other in now else "option.spare", {"captain": other})
            yield NOTEBOOK.option(desk, draft._replace(orders=orders), f"spare.{other}", label, chosen=other in now)


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
