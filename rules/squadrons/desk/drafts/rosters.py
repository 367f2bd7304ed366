"""A fleet while its captain builds it by points (D-1, SQ-23): its notation, and what may be pressed.

A roster is written `6x5, 3x5m, 2xcat3; Steady`: how many of each class, then the Admiral. Where crews may be chosen,
`5+` is a class with a better crew, and `5-` one with a worse. `+5` adds a ship to a draft, and `-5` takes one out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, cast

from msgspec import Struct, structs

from rules.errors import Fault, IllegalOrder, Scalar, excerpt, refuse
from rules.notebook import Notebook
from rules.panels import buttons, select, shown
from rules.protocol import Choices, Draft, Group, Option, Request
from rules.squadrons.desk.drafts.answers import Roster
from rules.squadrons.table.sea import fleet_words, fleets
from rules.squadrons.table.sea.fleets import ADMIRALS
from rules.squadrons.table.sea.state import State
from rules.squadrons.table.tables import CLASSES, CODES, FLEETS, LEADERS
from rules.typed import fold, meanings
from rules.view import Text

MOST_TEXT: Final = 400
"""Characters: all classes with any crew, and as many words besides."""
_CREWS: Final = {"": 0, "+": 1, "-": -1}
"""How more or fewer of a class, or a class with another crew, is written, and what that changes."""
_CLASS: Final = {code.lower(): code for code in CODES}
_SHIPS: Final = re.compile(r"(?:([0-9]{1,2})x|([+-]))?([a-z0-9]+?)([+-]?)")
_TIMES: Final = re.compile(r"(?<=[0-9]) ?[x×*] ?(?=[0-9a-z])")
_WORDS: Final = meanings(
    {
        "stock": ("alap", "alapflotta"),
        "clear": ("torol", "torold"),
        "Bold": ("bold", "meresz"),
        "Steady": ("steady", "higgadt"),
        "Grand": ("grand", "nagy"),
    }
)
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
    fault = _fault(context, roster, text, draft.roster) if roster.ships else None
    refuse(None if fault and fault.code == "too_few_ships" else fault)
    return structs.replace(draft, roster=roster)


def complete(context: RosterContext, draft: RosterDraft) -> Roster:
    """The fleet of a draft. Raises `OrderError` if it has too few ships."""
    refuse(_fault(context, draft.roster, write(draft.roster), Roster(ships=())))
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
    if found[2]:
        return _bought(roster, code, _CREWS[found[2]])
    return structs.replace(roster, ships=_sorted({**dict(roster.ships), code: int(found[1] or 1)}))


def _bought(roster: Roster, code: str, more: int) -> Roster:
    """The roster with so many more of a class, or fewer."""
    ships = dict(roster.ships)
    return structs.replace(roster, ships=_sorted({**ships, code: max(0, ships.get(code, 0) + more)}))


def _sorted(ships: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    def place(code: str) -> tuple[int, str]:
        return CODES.index(fleets.manned(code)[0]), code

    return tuple((code, ships[code]) for code in sorted(ships, key=place) if ships[code])


def _fault(context: RosterContext, roster: Roster, piece: str, before: Roster) -> Fault | None:
    """Why a fleet may not be so; of what is too dear also how much more it costs, and what is left for it."""
    given = codes(roster)
    wrong = fleets.roster_barred(
        context.points, given, leaders(context.points, roster), crews=context.crews, captains=context.captains
    )
    if wrong is None:
        return None
    costs: dict[str, Scalar] = {}
    if wrong.code == "fleet_cost":
        spent = fleets.cost(codes(before))
        costs = {"more": fleets.cost(given) - spent, "left": int(context.points) - spent}
    return wrong.fault(excerpt(piece), legal=", ".join(CODES), most=wrong.expected, **costs)


# --- pressing ----------------------------------------------------------------------------------------------------


def choices(context: RosterContext, draft: RosterDraft) -> Choices:
    """The stock fleet as a beginning, a class more or less, the Admiral; the fleet so far, and what it costs."""
    roster, ships = draft.roster, codes(draft.roster)
    sums: dict[str, Scalar] = {"spent": fleets.cost(ships), "points": int(context.points), "ships": len(ships)}
    bought = (fleet_words.line(code, count) for code, count in roster.ships)
    unready = _fault(context, roster, "", roster) is not None
    return Choices(
        groups=shown(*_groups(context, draft)),
        lines=(Text("line.fleet", sums), *bought, Text("admiral.line", {"name": roster.admiral})),
        missing=(Text("missing.fleet", {"least": max(1, context.captains)}),) if unready else (),
        progress=Text("progress.fleet", sums),
    )


def _groups(context: RosterContext, draft: RosterDraft) -> Iterator[Group]:
    typed = partial(NOTEBOOK.typed, context, draft)
    whole = ("stock", "clear") if draft.roster.ships else ("stock",)
    yield buttons("fleet", (typed(f"all.{key}", Text(f"fleet.{key}"), key) for key in whole))
    if context.crews:
        yield buttons("crew", _crews(context, draft))
    more = ((f"more.{code}", _rated(code), f"+{code}") for code in (kind + draft.crew for kind in CODES))
    every = (typed(*one, adds=True) for one in more)
    yield select("more", (one for one in every if one.fault is None or one.fault.code != "no_such_crew"))
    fewer = ((f"less.{code}", _counted(code, count), f"-{code}") for code, count in draft.roster.ships)
    yield select("less", (typed(*one, adds=True) for one in fewer))
    yield buttons("admiral", (typed(f"admiral.{name}", _ranked(name), name) for name in ADMIRALS))


def _crews(context: RosterContext, draft: RosterDraft) -> Iterator[Option]:
    """With what crew the classes of the list are bought."""
    for sign, key in (("", "own"), ("+", "better"), ("-", "worse")):
        after = structs.replace(draft, crew=sign)
        yield NOTEBOOK.option(context, after, f"crew.{key}", Text(f"crew.{key}"), chosen=sign == draft.crew)


def _rated(code: str) -> Text:
    """A class with its cost and ratings."""
    kind, more = fleets.manned(code)
    one = CLASSES[kind]
    ratings = {"cruise": one.cruise, "max": one.max, "ram": one.ram[0], "hull": one.rd, "marines": one.m}
    return Text(
        "roster.class",
        {"code": code, "points": fleets.cost((code,)), "kind": kind, "crew": one.crew + more, **ratings},
    )


def _counted(code: str, count: int) -> Text:
    return Text("roster.less", {"count": count, "code": code, "kind": fleets.manned(code)[0]})


def _ranked(name: str) -> Text:
    return Text(f"admiral.{name}", {"initiative": LEADERS[name].initiative, "range": LEADERS[name].range})


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
