"""Orders: the answers of captains, their notation, and checks (CA-3).

Treaties, threats and lies are talk, for which no order exists (CA-3.9).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NoReturn, cast

from msgspec import Struct, structs

from rules.campaign.engine.sea.state import MASTS_BY_OARS, STANCES, Galley, Position, Stance, building_ports
from rules.core.errors import IllegalOrder, UnreadableOrder, quote_excerpt
from rules.interface.typed import expand_id_ranges, fold_text, split_pieces, typed_meanings

VERBS: Final = typed_meanings({"build": ["epit"], "repair": ["javit"], "pay": ["fizet"], "spare": ["kimel"]})
STANCE_WORDS: Final = typed_meanings({"attack": ["tamad"], "hold": ["tart"], "evade": ["kiter"], "chase": ["uldoz"]})
ALL_WORDS: Final = ("all", "mind")
NOBODY_WORDS: Final = ("none", "senki")
DICE_WORDS: Final = ("dice", "kocka")
PLAY_WORDS: Final = ("play", "jatek")
MAX_LEGS: Final = 2
_GALLEY_PATTERN: Final = re.compile(r"[a-z][0-9]{1,4}")  # `a1`
_BARE_ROUTE_PATTERN: Final = re.compile(r"^((?:[a-z][0-9]{1,4}[-, ]*)+)>")  # `a1-a5 >`, without its colon
_NUMBER_PATTERN: Final = re.compile(r"-?[0-9]{1,6}")


class PortOrders(Struct, frozen=True, kw_only=True):
    build: tuple[tuple[str, int], ...] = ()  # yards and types, in the order written (CA-10.4)
    repair: tuple[str, ...] = ()  # ids of galleys to repair (CA-10.5)
    repair_all: bool = False  # whether all damaged galleys are to be repaired


PortOrdersByCaptain = Mapping[str, PortOrders]


class FleetOrder(Struct, frozen=True, kw_only=True):
    galleys: tuple[str, ...]  # ids of the galleys, all in one place
    route: tuple[str, ...] = ()  # codes of the places to row to, at most two; empty: they stay
    chase: str = ""  # the letter of the captain who is chased; empty: nobody
    stance: Stance = "hold"  # what they do when they meet enemies (CA-3.4)


class TurnOrders(Struct, frozen=True, kw_only=True, tag="Orders"):
    """A captain's answer for a turn (CA-3.1)."""

    fleets: tuple[FleetOrder, ...] = ()  # orders of galleys; others stay and hold
    port_orders: PortOrders = PortOrders()  # what ports are to build and repair
    gifts: tuple[tuple[str, int], ...] = ()  # captains and talents, in the order written (CA-10.6)
    spared: str | None = None  # sorted letters of the captains spared from now on; None: no change (CA-3.7)
    dice: bool | None = None
    """Whether dice settle battles from now on, if all captains in them agree; None: no change (CA-6.2)."""

    def order_for(self, galley: str) -> FleetOrder | None:
        """Return the order for a galley, or None if it stays and holds (CA-3.6)."""
        return next((fleet for fleet in self.fleets if galley in fleet.galleys), None)


def parse_orders(position: Position, captain: str, text: str, before: TurnOrders = TurnOrders()) -> TurnOrders:  # noqa: B008 - frozen
    """Return orders changed by typed text; what it does not mention stays. Raises `OrderError` (CA-3.10).

    Galleys to build, and gifts to a captain, replace earlier ones. Typing a text twice therefore orders it once.
    """
    typed = [_BARE_ROUTE_PATTERN.sub(r"\1:", piece) for piece in split_pieces(fold_text(text))]
    orders = _drop_replaced(before, typed)
    named: set[str] = set()  # galleys that have an order in this text
    for piece in typed:
        verb = VERBS.get(piece.split()[0])
        if verb == "spare" and ":" not in piece:
            orders = structs.replace(orders, spared=_parse_spared(position, captain, piece))
    # a chase is checked against the spare list of the same answer, wherever that is in the text (CA-3.7).
    spares = position.spares.get(captain, "") if orders.spared is None else orders.spared
    for piece in typed:
        verb_word, *words = piece.split()
        if ":" in piece:
            orders = _with_fleet_order(orders, _parse_fleet(position, captain, piece, spares, named))
            continue
        match VERBS.get(verb_word):
            case "build":
                build = (*orders.port_orders.build, _parse_build(position, captain, piece, words))
                orders = structs.replace(orders, port_orders=structs.replace(orders.port_orders, build=build))
            case "repair":
                orders = structs.replace(
                    orders, port_orders=_parse_repair(position, captain, piece, words, orders.port_orders)
                )
            case "pay":
                orders = structs.replace(orders, gifts=(*orders.gifts, _parse_gift(position, captain, piece, words)))
            case None if verb_word in (*DICE_WORDS, *PLAY_WORDS) and not words:
                orders = structs.replace(orders, dice=verb_word in DICE_WORDS)
            case None:
                raise_unreadable(piece)
    return orders


def _drop_replaced(before: TurnOrders, typed: Iterable[str]) -> TurnOrders:
    """Return orders without gifts and galleys to build that typed pieces replace."""
    verbs_and_words = [(VERBS.get(first), words) for first, *words in map(str.split, typed)]
    paid_captains = {words[0].upper() for verb, words in verbs_and_words if verb == "pay" and words}
    gifts = tuple(gift for gift in before.gifts if gift[0] not in paid_captains)
    has_builds = any(verb == "build" for verb, _ in verbs_and_words)
    port_orders = structs.replace(before.port_orders, build=()) if has_builds else before.port_orders
    return structs.replace(before, gifts=gifts, port_orders=port_orders)


def raise_unreadable(piece: str) -> NoReturn:
    """Raise `UnreadableOrder` for a word that has no meaning there (CA-3.10)."""
    raise UnreadableOrder("no_such_order", rule="CA-3.10", piece=quote_excerpt(piece))


def _with_fleet_order(orders: TurnOrders, fleet: FleetOrder) -> TurnOrders:
    others = [
        structs.replace(earlier, galleys=tuple(name for name in earlier.galleys if name not in fleet.galleys))
        for earlier in orders.fleets
    ]
    return structs.replace(orders, fleets=(*(earlier for earlier in others if earlier.galleys), fleet))


# --- fleets ------------------------------------------------------------------------------------------------------


def _parse_fleet(position: Position, captain: str, piece: str, spares: str, named: set[str]) -> FleetOrder:
    """Return an order such as `A1-A3: S2 > KOR attack`. `named` are galleys that have an order, with these added."""
    galleys_text, _, route_text = piece.partition(":")
    galleys = _parse_galleys(position, captain, piece, galleys_text, named)
    order = _parse_route(position, piece, route_text)
    if order.chase:
        if order.route:
            raise IllegalOrder("chase_and_route", "CA-3.5", piece=quote_excerpt(piece))
        prey = order.chase
        if prey not in position.captains or prey in spares or position.team_of(prey) == position.team_of(captain):
            raise IllegalOrder("no_prey", "CA-3.5", piece=quote_excerpt(piece))
    _check_route(position, galleys, order.route, piece)
    return structs.replace(order, galleys=tuple(galley.id for galley in galleys))


def _parse_galleys(position: Position, captain: str, piece: str, galleys_text: str, named: set[str]) -> list[Galley]:
    galleys: list[Galley] = []
    own_galleys = {galley.id: galley for galley in position.galleys_of(captain)}
    for word in expand_id_ranges(galleys_text).replace(",", " ").split():
        if not _GALLEY_PATTERN.fullmatch(word):
            raise_unreadable(word)
        name = word.upper()
        if name not in own_galleys:
            raise IllegalOrder("no_galley_of_yours", "CA-3.2", piece=quote_excerpt(name))
        if name in named:
            raise IllegalOrder("named_twice", "CA-3.2", piece=quote_excerpt(name))
        if own_galleys[name].battle:
            raise IllegalOrder("engaged", "CA-6.6", piece=quote_excerpt(name))
        if galleys and own_galleys[name].place != galleys[0].place:
            raise IllegalOrder("lies_elsewhere", "CA-3.2", piece=quote_excerpt(name), place=own_galleys[name].place)
        named.add(name)
        galleys.append(own_galleys[name])
    if not galleys:
        raise_unreadable(piece)
    return sorted(galleys, key=lambda galley: galley.number)


def _parse_route(position: Position, piece: str, route_text: str) -> FleetOrder:
    """Parse what follows the galleys: places, a stance or a chase, in any order. The result has no galleys yet."""
    route: list[str] = []
    chase, stance = "", ""
    words = re.findall(r">|[^\s>,]+", route_text)
    expects_place = True
    if not words or words[-1] == ">":
        raise_unreadable(piece)
    while words:
        word = words.pop(0)
        stance_word = STANCE_WORDS.get(word)
        if word == ">":
            if expects_place or not route:
                raise_unreadable(piece)
            expects_place = True
        elif stance_word == "chase" and not chase:
            # a chase without a captain is refused later, by the invalid letter "?"
            chase = words.pop(0).upper() if words and words[0] not in STANCE_WORDS else "?"
        elif stance_word in STANCES and not stance:
            stance = stance_word
        elif expects_place and not stance_word:
            if word.upper() not in position.sea_map.places:
                raise IllegalOrder("no_such_place", "CA-3.3", piece=quote_excerpt(word.upper()))
            route.append(word.upper())
            expects_place = False
        else:
            raise_unreadable(word)
    return FleetOrder(galleys=(), route=tuple(route), chase=chase, stance=cast("Stance", stance or "hold"))


def _check_route(position: Position, galleys: Sequence[Galley], route: Sequence[str], piece: str) -> None:
    """Refuse a route that cannot be rowed (CA-4.1 to CA-4.3)."""
    if len(route) > MAX_LEGS:
        raise IllegalOrder("too_many_legs", "CA-4.2", piece=quote_excerpt(piece.upper()), most=MAX_LEGS)
    lame = next((galley.id for galley in galleys if galley.is_lame), "")
    if lame and len(route) > 1:
        raise IllegalOrder("lame_fleet", "CA-4.2", piece=quote_excerpt(piece.upper()), galley=lame)
    place = galleys[0].place
    for next_place in route:
        if next_place != place and not position.sea_map.are_adjacent(place, next_place):
            raise IllegalOrder("no_leg", "CA-4.1", piece=f"{place} > {next_place}")
        place = next_place


# --- all else ----------------------------------------------------------------------------------------------------


def _parse_spared(position: Position, captain: str, piece: str) -> str:
    words = piece.replace(",", " ").split()[1:]
    if not words:
        raise_unreadable(piece)
    if len(words) == 1 and words[0] in NOBODY_WORDS:
        return ""
    for word in words:
        if word.upper() not in {*position.captains} - {captain}:
            raise IllegalOrder("nobody_to_spare", "CA-3.7", piece=quote_excerpt(word.upper()))
    return "".join(sorted({word.upper() for word in words}))


def _parse_build(position: Position, captain: str, piece: str, words: Sequence[str]) -> tuple[str, int]:
    if len(words) > 1 and words[0].isdecimal():  # as the panel writes it: type and port
        words = (words[1], words[0], *words[2:])
    port = words[0].upper() if words else ""
    if len(words) > 2:
        raise_unreadable(piece)
    if words and port not in position.sea_map.places:
        raise IllegalOrder("no_such_place", "CA-3.3", piece=quote_excerpt(port))
    if port not in building_ports(position, captain):
        raise IllegalOrder(
            "no_yard", "CA-10.2", piece=quote_excerpt(port), legal=" ".join(building_ports(position, captain))
        )
    if len(words) < 2 or words[1] not in {str(holes) for holes in MASTS_BY_OARS}:
        raise IllegalOrder(
            "no_such_type", "CA-10.2", piece=quote_excerpt(piece), legal=" ".join(map(str, MASTS_BY_OARS))
        )
    return port, int(words[1])


def _parse_repair(
    position: Position, captain: str, piece: str, words: Sequence[str], port_orders: PortOrders
) -> PortOrders:
    if len(words) == 1 and words[0] in ALL_WORDS:
        return structs.replace(port_orders, repair_all=True, repair=())
    own_ids = {galley.id for galley in position.galleys_of(captain)}
    names = [word.strip(",").upper() for word in words]
    for name in names:
        if not _GALLEY_PATTERN.fullmatch(name.lower()):
            raise_unreadable(name)
        if name not in own_ids:
            raise IllegalOrder("no_galley_to_repair", "CA-10.5", piece=quote_excerpt(name))
    if not names:
        raise_unreadable(piece)
    if port_orders.repair_all:
        return port_orders
    return structs.replace(port_orders, repair=tuple(dict.fromkeys((*port_orders.repair, *names))))


def _parse_gift(position: Position, captain: str, piece: str, words: Sequence[str]) -> tuple[str, int]:
    if len(words) != 2 or not _NUMBER_PATTERN.fullmatch(words[1]):
        raise_unreadable(piece)
    to, talents = words[0].upper(), int(words[1])
    if to not in {*position.captains} - {captain} or talents < 1:
        raise IllegalOrder("no_gift", "CA-10.6", piece=quote_excerpt(piece))
    return to, talents


# --- writing -----------------------------------------------------------------------------------------------------


def format_orders(orders: TurnOrders) -> str:
    lines = [_write_fleet(fleet) for fleet in orders.fleets]
    lines += [f"build {port} {holes}" for port, holes in orders.port_orders.build]
    if orders.port_orders.repair_all:
        lines.append("repair all")
    elif orders.port_orders.repair:
        lines.append(f"repair {' '.join(orders.port_orders.repair)}")
    lines += [f"pay {to} {talents}" for to, talents in orders.gifts]
    if orders.spared is not None:
        lines.append(f"spare {' '.join(orders.spared) or 'none'}")
    if orders.dice is not None:
        lines.append(DICE_WORDS[0] if orders.dice else PLAY_WORDS[0])
    return "; ".join(lines)


def _write_fleet(fleet: FleetOrder) -> str:
    heading = f"chase {fleet.chase}" if fleet.chase else " > ".join(fleet.route)
    return f"{' '.join(fleet.galleys)}: {' '.join(filter(None, (heading, fleet.stance)))}"
