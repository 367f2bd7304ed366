"""Building a fleet with points: notation and options (SQ-23.1, SQ-23).

A roster is written `6x5, 3x5m, 2xcat3; Steady`: the number of each class, then the Admiral. If crews may be chosen,
`5+` is a class with a better crew, and `5-` with a worse one. `+5` adds a ship to a draft, and `-5` removes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, cast

from msgspec import Struct, structs

from rules.core.errors import Fault, IllegalOrder, Scalar, quote_excerpt, raise_fault
from rules.core.protocol import Choices, Draft, Option, OptionGroup, Request
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row, drop_empty, select_menu
from rules.interface.typed import fold_text, typed_meanings
from rules.squadrons.engine.sea import fleets
from rules.squadrons.engine.sea.fleets import ADMIRALS
from rules.squadrons.engine.sea.state import State
from rules.squadrons.engine.tables import CLASS_CODES, CLASSES, FLEETS, LEADERS
from rules.squadrons.interface.drafts.answers import Roster

MAX_TEXT_CHARS: Final = 400
_CHANGE_BY_SIGN: Final = {"": 0, "+": 1, "-": -1}
"""Signs for one more or fewer of a class and for another crew, with the change that they mean."""
_CLASS_BY_WORD: Final = {code.lower(): code for code in CLASS_CODES}
_SHIPS_PATTERN: Final = re.compile(r"(?:([0-9]{1,2})x|([+-]))?([a-z0-9]+?)([+-]?)")  # `6x5m`, `+5m`, `5m-`
_TIMES_PATTERN: Final = re.compile(r"(?<=[0-9]) ?[x×*] ?(?=[0-9a-z])")  # ` x ` in `6 x 5`
_WORDS: Final = typed_meanings(
    {
        "stock": ("alap", "alapflotta"),
        "clear": ("torol", "torold"),
        "Bold": ("bold", "meresz"),
        "Steady": ("steady", "higgadt"),
        "Grand": ("grand", "nagy"),
    }
)


class RosterContext(Struct, frozen=True):
    points: str  # of a fleet, a key of `FLEETS`
    allows_crews: bool = False  # Crews may be changed (SQ-02)
    captain_count: int = 1  # captains of the side. Each must have a ship.


class RosterDraft(Struct, frozen=True):
    roster: Roster = Roster(ships=())
    crew: str = ""  # crew of the classes offered: `+`, `-`, or empty for their own


def roster_context(state: State, request: Request) -> RosterContext:
    captains = sum(captain.side == state.captains[request.seat].side for captain in state.captains)
    return RosterContext(str(state.points), state.crews, captains)


def stock_roster(points: str) -> Roster:
    """Return the stock fleet of a size (SQ-23). Raises `KeyError` for an unknown size."""
    fleet = FLEETS[points]
    return Roster(ships=_sort_ships(fleet.ships), admiral=cast("Any", fleet.leaders[0]))


def ship_codes(roster: Roster) -> tuple[str, ...]:
    return tuple(code for code, count in roster.ships for _ in range(count))


def fleet_leaders(points: str, roster: Roster) -> tuple[str, ...]:
    return fleets.free_leaders(points, roster.admiral, len(ship_codes(roster)))


def format_roster(roster: Roster) -> str:
    """Return a roster as text for `ROSTER_NOTATION.finish`; empty if it has no ships and the default Admiral."""
    ships = ", ".join(f"{count}x{code}" for code, count in roster.ships)
    admiral = roster.admiral if ships or roster.admiral != Roster(ships=()).admiral else ""
    return "; ".join(filter(None, (ships, admiral)))


# --- reading -----------------------------------------------------------------------------------------------------


def parse_into(context: RosterContext, draft: RosterDraft, text: str) -> RosterDraft:
    """Return the draft with typed ships added. Raises `OrderError` if no fleet may have them."""
    roster = draft.roster
    for piece in re.split(r"[\s,;]+", _TIMES_PATTERN.sub("x", fold_text(text).replace("\n", ", "))):
        if piece:
            roster = _parse_piece(context, roster, piece)
    fault = _roster_fault(context, roster, text, draft.roster) if roster.ships else None
    if fault and fault.code != "too_few_ships":  # more ships may still be added
        raise_fault(fault)
    return structs.replace(draft, roster=roster)


def complete_roster(context: RosterContext, draft: RosterDraft) -> Roster:
    """Return the roster of a draft. Raises `OrderError` if it has too few ships."""
    raise_fault(_roster_fault(context, draft.roster, format_roster(draft.roster), Roster(ships=())))
    return draft.roster


def move_focus(context: RosterContext, draft: RosterDraft, focus: str) -> RosterDraft:
    return structs.replace(draft, crew=focus if context.allows_crews and focus in _CHANGE_BY_SIGN else "")


def _parse_piece(context: RosterContext, roster: Roster, piece: str) -> Roster:
    word = _WORDS.get(piece)
    if word == "stock":
        return stock_roster(context.points)
    if word == "clear":
        return structs.replace(roster, ships=())
    if word:
        return structs.replace(roster, admiral=cast("Any", word))
    match = _SHIPS_PATTERN.fullmatch(piece)
    count, sign, class_word, crew_sign = match.groups() if match else (None, None, "", "")
    if class_word not in _CLASS_BY_WORD:
        raise IllegalOrder("no_class", "SQ-23.2", piece=quote_excerpt(piece), legal=", ".join(CLASS_CODES))
    code = _CLASS_BY_WORD[class_word] + crew_sign
    if sign:
        return _with_more(roster, code, _CHANGE_BY_SIGN[sign])
    return structs.replace(roster, ships=_sort_ships({**dict(roster.ships), code: int(count or 1)}))


def _with_more(roster: Roster, code: str, change: int) -> Roster:
    ships = dict(roster.ships)
    return structs.replace(roster, ships=_sort_ships({**ships, code: max(0, ships.get(code, 0) + change)}))


def _sort_ships(ships: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    def place(code: str) -> tuple[int, str]:
        return CLASS_CODES.index(fleets.class_and_crew_change(code)[0]), code

    return tuple((code, ships[code]) for code in sorted(ships, key=place) if ships[code])


def _roster_fault(context: RosterContext, roster: Roster, piece: str, before: Roster) -> Fault | None:
    """Return why a fleet may not be built, with what the change from `before` costs; None if it may."""
    codes = ship_codes(roster)
    barred = fleets.why_roster_barred(
        context.points,
        codes,
        fleet_leaders(context.points, roster),
        crews=context.allows_crews,
        captains=context.captain_count,
    )
    if barred is None:
        return None
    costs: dict[str, Scalar] = {}
    if barred.code == "fleet_cost":
        points_before = fleets.fleet_cost(ship_codes(before))
        costs = {"more": fleets.fleet_cost(codes) - points_before, "left": int(context.points) - points_before}
    return barred.to_fault(quote_excerpt(piece), legal=", ".join(CLASS_CODES), most=barred.expected, **costs)


# --- pressing ----------------------------------------------------------------------------------------------------


def draft_choices(context: RosterContext, draft: RosterDraft) -> Choices:
    roster = draft.roster
    ships = ship_codes(roster)
    totals: dict[str, Scalar] = {"spent": fleets.fleet_cost(ships), "points": int(context.points), "ships": len(ships)}
    bought = (fleets.class_text(code, count) for code, count in roster.ships)
    is_unready = _roster_fault(context, roster, "", roster) is not None
    return Choices(
        groups=drop_empty(*_option_groups(context, draft)),
        lines=(Text("line.fleet", totals), *bought, Text("admiral.line", {"name": roster.admiral})),
        missing_parts=(Text("missing.fleet", {"least": max(1, context.captain_count)}),) if is_unready else (),
        progress=Text("progress.fleet", totals),
    )


def _option_groups(context: RosterContext, draft: RosterDraft) -> Iterator[OptionGroup]:
    make_option = partial(ROSTER_NOTATION.typed_option, context, draft)  # from token, label and typed text
    fleet_words = ("stock", "clear") if draft.roster.ships else ("stock",)
    yield button_row("fleet", (make_option(f"all.{word}", Text(f"fleet.{word}"), word) for word in fleet_words))
    if context.allows_crews:
        yield button_row("crew", _crew_options(context, draft))
    codes = [kind + draft.crew for kind in CLASS_CODES]
    more_options = [make_option(f"more.{code}", _class_text(code), f"+{code}", adds=True) for code in codes]
    yield select_menu(
        "more", (option for option in more_options if option.fault is None or option.fault.code != "no_such_crew")
    )
    less_options = (
        make_option(f"less.{code}", _count_text(code, count), f"-{code}", adds=True)
        for code, count in draft.roster.ships
    )
    yield select_menu("less", less_options)
    yield button_row("admiral", (make_option(f"admiral.{name}", _admiral_text(name), name) for name in ADMIRALS))


def _crew_options(context: RosterContext, draft: RosterDraft) -> Iterator[Option]:
    for sign, key in (("", "own"), ("+", "better"), ("-", "worse")):
        after = structs.replace(draft, crew=sign)
        yield ROSTER_NOTATION.make_option(context, after, f"crew.{key}", Text(f"crew.{key}"), chosen=sign == draft.crew)


def _class_text(code: str) -> Text:
    kind, crew_change = fleets.class_and_crew_change(code)
    ship_class = CLASSES[kind]
    ratings = {
        "cruise": ship_class.cruise,
        "max": ship_class.max,
        "ram": ship_class.ram[0],
        "hull": ship_class.rd,
        "marines": ship_class.m,
    }
    return Text(
        "roster.class",
        {
            "code": code,
            "points": fleets.fleet_cost((code,)),
            "kind": kind,
            "crew": ship_class.crew + crew_change,
            **ratings,
        },
    )


def _count_text(code: str, count: int) -> Text:
    return Text("roster.less", {"count": count, "code": code, "kind": fleets.class_and_crew_change(code)[0]})


def _admiral_text(name: str) -> Text:
    return Text(f"admiral.{name}", {"initiative": LEADERS[name].initiative, "range": LEADERS[name].range})


ROSTER_NOTATION: Final[AnswerNotation[State, RosterContext, RosterDraft, Roster]] = AnswerNotation(
    context=roster_context,
    empty_draft=lambda _: RosterDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: Draft(format_roster(draft.roster), draft.crew),
    complete_answer=complete_roster,
    format_answer=format_roster,
    move_focus=move_focus,
    max_chars=MAX_TEXT_CHARS,
)
