"""A fleet while its captain builds it by points (D-1, SQ-23): its notation, and what may be pressed.

A roster is written `6x5, 3x5m, 2xcat3; Steady`: how many of each class, then the Admiral. Where crews may be chosen,
`5+` is a class with a better crew, and `5-` one with a worse. `+5` adds a ship to a draft, and `-5` takes one out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from msgspec import Struct, structs

from rules.errors import IllegalOrder, Scalar, excerpt
from rules.notebook import Notebook
from rules.protocol import Choices, Draft, Group, Option, Request
from rules.squadrons.desk.drafts.answers import Roster
from rules.squadrons.table.notation.typed_words import fold
from rules.squadrons.table.odds import Barred
from rules.squadrons.table.sea import fleet_words, fleets
from rules.squadrons.table.sea.fleets import ADMIRALS
from rules.squadrons.table.sea.state import State
from rules.squadrons.table.tables import CLASSES, CODES, FLEETS, LEADERS
from rules.view import Text

MOST_TEXT: Final = 400
"""Characters: all classes with any crew, and as many words besides."""
_CREWS: Final = {"": 0, "+": 1, "-": -1}
"""How a class with another crew is written, and what that changes."""
_CLASS: Final = {code.lower(): code for code in CODES}
_SHIPS: Final = re.compile(r"(?:([0-9]{1,2})x|([+-]))?([a-z0-9]+?)([+-]?)")
_TIMES: Final = re.compile(r"(?<=[0-9]) ?[x×*] ?(?=[0-9a-z])")
_WORDS: Final = {
    typed: meant
    for meant, words in {
        "stock": ("stock", "alap", "alapflotta"),
        "clear": ("clear", "torol", "torold"),
        "Bold": ("bold", "meresz"),
        "Steady": ("steady", "higgadt"),
        "Grand": ("grand", "nagy"),
    }.items()
    for typed in words
}
"""What else may be typed, without accents."""


class RosterContext(Struct, frozen=True):
    """Read-only inputs for building one fleet: its points, and what the options allow."""

    points: str
    crews: bool = False
    """Whether crews may be chosen."""
    captains: int = 1
    """Captains of the side: each must have a ship."""


class RosterDraft(Struct, frozen=True):
    """An unfinished fleet."""

    roster: Roster = Roster(ships=())
    crew: str = ""
    """With what crew the classes of the list are bought: `+`, `-`, or their own."""


def roster_context(state: State, request: Request) -> RosterContext:
    """The inputs for building one side's fleet."""
    captains = sum(one.side == state.captains[request.seat].side for one in state.captains)
    return RosterContext(str(state.points), state.crews, captains)


def stock(points: str) -> Roster:
    """The stock fleet of a size (6.F). Raises `KeyError`."""
    fleet = FLEETS[points]
    return Roster(ships=_sorted(fleet.ships), admiral=cast("Any", fleet.leaders[0]))


def codes(roster: Roster) -> tuple[str, ...]:
    """The class of each ship."""
    return tuple(code for code, count in roster.ships for _ in range(count))


def leaders(points: str, roster: Roster) -> tuple[str, ...]:
    """The leaders of a fleet, the Admiral first."""
    return fleets.leaders(points, roster.admiral, len(codes(roster)))


def write(roster: Roster) -> str:
    """A roster as text that `NOTEBOOK.finish` reads back; empty without ships and with the usual Admiral."""
    ships = ", ".join(f"{count}x{code}" for code, count in roster.ships)
    admiral = roster.admiral if ships or roster.admiral != Roster(ships=()).admiral else ""
    return "; ".join(filter(None, (ships, admiral)))


# --- reading -----------------------------------------------------------------------------------------------------


def take(context: RosterContext, draft: RosterDraft, text: str) -> RosterDraft:
    """The draft with typed ships in it. Raises `OrderError` for what no fleet may be."""
    roster = draft.roster
    for piece in re.split(r"[\s,;]+", _TIMES.sub("x", fold(text).replace("\n", ", "))):
        if piece:
            roster = _taken(context, roster, piece)
    barred = _barred(context, roster) if roster.ships else None
    if barred and barred.code != "too_few_ships":
        raise _refused(context, barred, text, draft.roster, roster)
    return structs.replace(draft, roster=roster)


def complete(context: RosterContext, draft: RosterDraft) -> Roster:
    """The fleet of a draft. Raises `IllegalOrder` if it has too few ships."""
    if barred := _barred(context, draft.roster):
        raise _refused(context, barred, write(draft.roster), Roster(ships=()), draft.roster)
    return draft.roster


def look(context: RosterContext, draft: RosterDraft, focus: str) -> RosterDraft:
    """The draft with another crew for the classes of the list."""
    return structs.replace(draft, crew=focus if context.crews and focus in _CREWS else "")


def _taken(context: RosterContext, roster: Roster, piece: str) -> Roster:
    word = _WORDS.get(piece)
    if word == "stock":
        return stock(context.points)
    if word == "clear":
        return structs.replace(roster, ships=())
    if word:
        return structs.replace(roster, admiral=cast("Any", word))
    found = _SHIPS.fullmatch(piece)
    code = _CLASS.get(found[3]) if found else None
    if found is None or code is None:
        raise IllegalOrder("no_class", "SQ-23.2", piece=excerpt(piece), legal=", ".join(CODES))
    code += found[4]
    now = dict(roster.ships).get(code, 0)
    change = {"+": 1, "-": -1}.get(found[2] or "")
    return _with(roster, code, now + change if change else int(found[1] or 1))


def _with(roster: Roster, code: str, count: int) -> Roster:
    """The roster with so many of a class."""
    return structs.replace(roster, ships=_sorted({**dict(roster.ships), code: max(0, count)}))


def _sorted(ships: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    def place(code: str) -> tuple[int, str]:
        return CODES.index(fleets.manned(code)[0]), code

    return tuple((code, ships[code]) for code in sorted(ships, key=place) if ships[code])


def _barred(context: RosterContext, roster: Roster) -> Barred | None:
    return fleets.roster_barred(
        context.points, codes(roster), leaders(context.points, roster), crews=context.crews, captains=context.captains
    )


def _refused(context: RosterContext, barred: Barred, text: str, before: Roster, after: Roster) -> IllegalOrder:
    """Why the fleet may not be so; of what is too dear also how much more it costs, and what is left for it."""
    spent = fleets.cost(codes(before))
    costs: dict[str, Scalar] = {}
    if barred.code == "fleet_cost":
        costs = {"more": fleets.cost(codes(after)) - spent, "left": int(context.points) - spent}
    return IllegalOrder(
        barred.code, barred.rule, piece=excerpt(text), legal=", ".join(CODES), most=barred.expected, **costs
    )


# --- pressing ----------------------------------------------------------------------------------------------------


def choices(context: RosterContext, draft: RosterDraft) -> Choices:
    """The stock fleet as a beginning, a class more or less, the Admiral; the fleet so far, and what it costs."""
    roster, crew = draft.roster, draft.crew
    spent = fleets.cost(codes(roster))
    sums: dict[str, Scalar] = {"spent": spent, "points": int(context.points), "ships": len(codes(roster))}
    lines = [Text("line.fleet", sums), *(fleet_words.line(code, count) for code, count in roster.ships)]
    missing = _barred(context, roster)
    return Choices(
        groups=tuple(group for group in _groups(context, roster, crew) if group.options),
        lines=(*lines, Text("admiral.line", {"name": roster.admiral})),
        missing=(Text("missing.fleet", {"least": max(1, context.captains)}),) if missing else (),
        progress=Text("progress.fleet", sums),
    )


def _groups(context: RosterContext, roster: Roster, crew: str) -> Iterator[Group]:
    whole = [("stock", stock(context.points), bool(roster.ships) and roster == stock(context.points))]
    whole += [("clear", structs.replace(roster, ships=()), False)] if roster.ships else []
    yield Group(
        key="fleet",
        style="buttons",
        options=tuple(_option(f"all.{key}", Text(f"fleet.{key}"), one, crew, chosen=at) for key, one, at in whole),
    )
    if context.crews:
        yield Group(key="crew", style="buttons", options=tuple(_crews(roster, crew)))
    yield Group(key="more", style="select", options=tuple(_more(context, roster, crew)))
    yield Group(key="less", style="select", options=tuple(_less(roster, crew)))
    admirals = (
        _option(
            f"admiral.{name}",
            Text(f"admiral.{name}", {"initiative": LEADERS[name].initiative, "range": LEADERS[name].range}),
            structs.replace(roster, admiral=name),
            crew,
            chosen=name == roster.admiral,
        )
        for name in ADMIRALS
    )
    yield Group(key="admiral", style="buttons", options=tuple(admirals))


def _option(token: str, label: Text, after: Roster, crew: str, *, chosen: bool = False, adds: bool = False) -> Option:
    return Option(token=token, label=label, draft=write(after), focus=crew, chosen=chosen, adds=adds)


def _crews(roster: Roster, crew: str) -> Iterator[Option]:
    """With what crew the classes of the list are bought."""
    for sign, key in (("", "own"), ("+", "better"), ("-", "worse")):
        yield _option(f"crew.{key}", Text(f"crew.{key}"), roster, sign, chosen=sign == crew)


def _more(context: RosterContext, roster: Roster, crew: str) -> Iterator[Option]:
    """A ship more of each class, with its ratings; of one that is too dear it is said."""
    for kind in CODES:
        code = kind + crew
        after = _with(roster, code, dict(roster.ships).get(code, 0) + 1)
        barred = _barred(context, after)
        if barred and barred.code == "no_such_crew":
            continue
        option = _option(f"more.{code}", _rated(code), after, crew, adds=True)
        if barred and barred.code != "too_few_ships":
            option = structs.replace(option, fault=_refused(context, barred, code, roster, after).fault)
        yield option


def _rated(code: str) -> Text:
    kind, more = fleets.manned(code)
    one = CLASSES[kind]
    return Text(
        "roster.class",
        {
            "code": code,
            "points": fleets.cost((code,)),
            "kind": kind,
            "cruise": one.cruise,
            "max": one.max,
            "ram": one.ram[0],
            "hull": one.rd,
            "marines": one.m,
            "crew": one.crew + more,
        },
    )


def _less(roster: Roster, crew: str) -> Iterator[Option]:
    for code, count in roster.ships:
        kind, _ = fleets.manned(code)
        label = Text("roster.less", {"count": count, "code": code, "kind": kind})
        yield _option(f"less.{code}", label, _with(roster, code, count - 1), crew, adds=True)


NOTEBOOK: Final[Notebook[State, RosterContext, RosterDraft, Roster]] = Notebook(
    context=roster_context,
    empty=lambda _: RosterDraft(),
    take=take,
    written=lambda _, draft: Draft(write(draft.roster), draft.crew),
    complete=complete,
    format=write,
    look=look,
    most=MOST_TEXT,
)
