"""A captain's fleet for a free battle while it is chosen in secret (RS-22.5).

A draft is text such as `3xT, 1xQ`. Where a fleet may have several nations, each class names one: `3xT greek`. `+T` adds
a ship and `-T` removes one. The focus is the nation of the ships that are offered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, cast

from msgspec import Struct, structs

from rules.core.errors import Fault, IllegalOrder, Scalar, UnreadableOrder, illegal_fault, quote_excerpt, raise_fault
from rules.core.protocol import Choices, Draft, Option, Request, Seat
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row, drop_empty, select_menu
from rules.interface.typed import fold_text, typed_meanings
from rules.ramspeed.engine import free_battle
from rules.ramspeed.engine.free_battle import SEA, FleetLimits, FleetShip
from rules.ramspeed.engine.state import Position, SetUp, State
from rules.ramspeed.engine.tables import CLASS_CODES, CLASSES, NATIONS, ClassCode, Nation

RULE: Final = "RS-22.5"
_TIMES_PATTERN: Final = re.compile(r"(?<=[0-9]) ?[x×*] ?(?=[a-z])")  # ` x ` in `3 x T`
_PIECE_PATTERN: Final = re.compile(r"(?:([0-9]{1,2}) ?x?|([+-]) ?)?([a-z]+)(?: ([a-z]+))?")  # `3xt greek`, `+t`
_CLEAR_WORD: Final = "clear"
_STOCK_WORD: Final = "stock"
_CLASS_BY_WORD: Final = typed_meanings(
    {
        "B": ("b", "bireme", "biremes", "biremisz"),
        "T": ("t", "trireme", "triremes", "trierisz"),
        "Q": ("q", "quadrireme", "quadriremes", "quadreme", "quadriremisz"),
        "V": ("v", "quinquereme", "quinqueremes", "quinqueremisz"),
        _CLEAR_WORD: ("torol", "torold"),
        _STOCK_WORD: ("alap", "alapflotta"),
    }
)
_NATION_BY_WORD: Final = typed_meanings(
    {
        "greek": ("gorog",),
        "persian": ("perzsa",),
        "athenian": ("atheni",),
        "spartan": ("spartai",),
        "roman": ("romai",),
        "carthaginian": ("karthagoi",),
        "pirate": ("kaloz",),
        "other": ("mas",),
    }
)


class ChosenFleet(Struct, frozen=True, tag="Fleet"):
    ships: tuple[FleetShip, ...]  # by class, the largest first
    has_nations: bool = False  # whether the captain chose a nation for each ship


class FleetDraft(Struct, frozen=True):
    ships: tuple[FleetShip, ...] = ()  # chosen so far
    nation: Nation | None = None  # of the ships that are offered; None: the side's own


def fleet_limits(position: Position, set_up: SetUp, player: str) -> FleetLimits:
    """Return what a captain may bring: an equal share of the side's points and ships."""
    side = position.side_of_player(player)
    allies = [captain.player for captain in position.seats if captain.side == side]
    number = position.sides.index(side)
    own_nation = set_up.nations[number]
    others = tuple(nation for nation in NATIONS if nation != own_nation)
    return FleetLimits(
        points=free_battle.captain_share(set_up.points[number], len(allies), allies.index(player)),
        max_ships=SEA.max_ships // len(allies),
        nations=(own_nation, *others) if position.mixed else (own_nation,),
    )


def limits_of_seat(state: State, seat: Seat) -> FleetLimits:
    assert state.set_up is not None  # noqa: S101 - fleets are asked for before the battle
    return fleet_limits(state.position, state.set_up, state.player_of(seat))


def request_params(limits: FleetLimits) -> dict[str, str | int]:
    return {"points": limits.points, "ships": limits.max_ships, "nations": ",".join(limits.nations)}


def limits_of_request(request: Request) -> FleetLimits:
    """Return the limits that `request_params` wrote."""
    nations = cast("tuple[Nation, ...]", tuple(str(request.params["nations"]).split(",")))
    return FleetLimits(points=int(request.params["points"]), max_ships=int(request.params["ships"]), nations=nations)


def stock_answer(limits: FleetLimits) -> ChosenFleet:
    return ChosenFleet(free_battle.stock_fleet(limits), has_nations=len(limits.nations) > 1)


def format_fleet(ships: Iterable[FleetShip], *, has_nations: bool) -> str:
    counts = Counter(ships)
    return ", ".join(f"{count}x{ship.code}{f' {ship.nation}' if has_nations else ''}" for ship, count in counts.items())


def example_values(limits: FleetLimits) -> dict[str, Scalar]:
    fleet = stock_answer(limits)
    return {"fleet": format_fleet(fleet.ships, has_nations=fleet.has_nations)}


# --- reading -----------------------------------------------------------------------------------------------------


def parse_into(limits: FleetLimits, draft: FleetDraft, text: str) -> FleetDraft:
    """Return the draft with a typed fleet in its place, or with ships added (`+T`) and removed (`-T`).

    Raises `OrderError` for unreadable text, and for a fleet that is too dear or too large.
    """
    ships = list(draft.ships)
    is_replaced = False
    for piece in re.split(r"[,;\n]+| (?=[0-9+-])", _TIMES_PATTERN.sub("x", fold_text(text))):
        if not piece.strip():
            continue
        match = _PIECE_PATTERN.fullmatch(piece.strip())
        word = _CLASS_BY_WORD.get(match[3]) if match else None
        if match is None or word is None:
            raise UnreadableOrder("bad_fleet", piece=quote_excerpt(piece.strip()), expected=", ".join(CLASS_CODES))
        if word == _CLEAR_WORD:
            ships, is_replaced = [], True
            continue
        if word == _STOCK_WORD:
            ships, is_replaced = list(free_battle.stock_fleet(limits)), True
            continue
        count, sign, _, nation_word = match.groups()
        ship = FleetShip(cast("ClassCode", word), _read_nation(limits, draft, nation_word, piece))
        if sign == "-":
            if ship not in ships:
                raise IllegalOrder("no_such_ship_in_fleet", RULE, piece=quote_excerpt(piece.strip()))
            ships.remove(ship)
        elif sign:
            ships.append(ship)
        else:
            ships = [*ships, *[ship] * int(count or 1)] if is_replaced else [ship] * int(count or 1)
            is_replaced = True
    fault = _excess_fault(limits, ships, text)
    if fault:
        raise_fault(fault)
    return structs.replace(draft, ships=free_battle.sort_fleet(ships, limits.nations))


def _read_nation(limits: FleetLimits, draft: FleetDraft, word: str | None, piece: str) -> Nation:
    if word is None:
        return draft.nation or limits.nations[0]
    nation = _NATION_BY_WORD.get(word)
    if nation is None:
        expected = ", ".join(limits.nations)
        raise UnreadableOrder("bad_nation", piece=quote_excerpt(piece.strip()), expected=expected)
    if nation not in limits.nations:
        raise IllegalOrder("one_nation", "RS-22.7", piece=quote_excerpt(piece.strip()), nation=limits.nations[0])
    return nation


def _excess_fault(limits: FleetLimits, ships: list[FleetShip], piece: str) -> Fault | None:
    """Return why a fleet may not be had, even if no ship is added to it."""
    spent = free_battle.fleet_cost(ships)
    if spent > limits.points:
        return illegal_fault("fleet_too_dear", RULE, piece=quote_excerpt(piece), spent=spent, most=limits.points)
    if len(ships) > limits.max_ships:
        return illegal_fault(
            "fleet_too_large", RULE, piece=quote_excerpt(piece), given=len(ships), most=limits.max_ships
        )
    return None


def complete_fleet(limits: FleetLimits, draft: FleetDraft) -> ChosenFleet:
    """Return the fleet of a draft. Raises `IllegalOrder` if it has no ship."""
    if not draft.ships:
        raise IllegalOrder("fleet_empty", RULE, piece="-", points=limits.points)
    return ChosenFleet(draft.ships, has_nations=len(limits.nations) > 1)


def move_focus(limits: FleetLimits, draft: FleetDraft, focus: str) -> FleetDraft:
    is_other = focus in limits.nations[1:]
    return structs.replace(draft, nation=cast("Nation", focus) if is_other else None)


FLEET_NOTATION: Final[AnswerNotation[State, FleetLimits, FleetDraft, ChosenFleet]] = AnswerNotation(
    context=lambda state, request: limits_of_seat(state, request.seat),
    empty_draft=lambda _: FleetDraft(),
    parse_into=parse_into,
    write_draft=lambda limits, draft: Draft(
        format_fleet(draft.ships, has_nations=len(limits.nations) > 1), draft.nation or ""
    ),
    complete_answer=complete_fleet,
    format_answer=lambda fleet: format_fleet(fleet.ships, has_nations=fleet.has_nations),
    move_focus=move_focus,
)


# --- pressing ----------------------------------------------------------------------------------------------------


def draft_choices(limits: FleetLimits, draft: FleetDraft) -> Choices:
    spent = free_battle.fleet_cost(draft.ships)
    totals = {"spent": spent, "points": limits.points, "ships": len(draft.ships)}
    groups = drop_empty(
        button_row("fleet", _ready_options(limits, draft)),
        select_menu("nation", _nation_options(limits, draft)),
        select_menu("more", _more_options(limits, draft)),
        select_menu("less", _less_options(limits, draft)),
    )
    return Choices(
        groups=groups,
        lines=(Text("line.fleet", totals), *draft_lines(limits, draft)),
        missing_parts=() if draft.ships else (Text("missing.fleet"),),
        progress=Text("progress.fleet", totals),
    )


def draft_lines(limits: FleetLimits, draft: FleetDraft) -> Iterator[Text]:
    for ship, count in Counter(draft.ships).items():
        key = "line.bought" if len(limits.nations) == 1 else "line.bought.nation"
        yield Text(key, {"count": count, "kind": ship.code, "nation": ship.nation})


def _ready_options(limits: FleetLimits, draft: FleetDraft) -> Iterator[Option]:
    offered: set[tuple[FleetShip, ...]] = set()
    for name, ships in free_battle.fitting_fleets(limits).items():
        if ships in offered:
            continue
        offered.add(ships)
        after = structs.replace(draft, ships=ships)
        yield FLEET_NOTATION.make_option(
            limits, after, f"ready.{name}", Text(f"fleet.{name}"), chosen=draft.ships == ships
        )
    if draft.ships:
        yield FLEET_NOTATION.make_option(limits, structs.replace(draft, ships=()), "ready.none", Text("fleet.none"))


def _nation_options(limits: FleetLimits, draft: FleetDraft) -> Iterator[Option]:
    if len(limits.nations) == 1:
        return
    for nation in limits.nations:
        after = structs.replace(draft, nation=None if nation == limits.nations[0] else nation)
        is_chosen = nation == (draft.nation or limits.nations[0])
        yield FLEET_NOTATION.make_option(limits, after, f"nation.{nation}", Text(f"nation.{nation}"), chosen=is_chosen)


def _more_options(limits: FleetLimits, draft: FleetDraft) -> Iterator[Option]:
    for code in CLASS_CODES:
        kind = CLASSES[code]
        label = Text("choice.more", {"kind": code, "points": kind.value, "crew": kind.crew_max, "rows": kind.fwd})
        yield FLEET_NOTATION.typed_option(limits, draft, f"more.{code}", label, f"+{code}", chosen=False, adds=True)


def _less_options(limits: FleetLimits, draft: FleetDraft) -> Iterator[Option]:
    for ship, count in Counter(draft.ships).items():
        label = Text("choice.less", {"kind": ship.code, "count": count, "nation": ship.nation})
        has_nations = len(limits.nations) > 1
        label = structs.replace(label, key="choice.less.nation") if has_nations else label
        yield FLEET_NOTATION.typed_option(
            limits, draft, f"less.{ship.code}.{ship.nation}", label, f"-{ship.code} {ship.nation}", chosen=False
        )
