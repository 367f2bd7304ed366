"""The fleet that a captain brings, while it is chosen in secret: for points, or so many vessels (MX-4.1, part 7).

A draft is text such as `5 5 8h`, each vessel as it stands in a position: her oars a side, the letter of her kind, and
her crew's promotions, `6{rm}`. Its focus is the vessel whose crew is looked at, by her number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from rules.errors import Fault, IllegalOrder, OrderError, Scalar, UnreadableOrder, excerpt
from rules.matchbox.table import placing, points
from rules.matchbox.table.kinds import KINDS, LETTERS
from rules.matchbox.table.points import MOST, Build
from rules.matchbox.table.state import PROMOTIONS, Edition, Fleet, State
from rules.notebook import Notebook
from rules.panels import buttons, select, shown
from rules.protocol import Choices, Draft, Option, Seat
from rules.view import Param, Text

MOST_PROMOTIONS: Final = 3
"""MX-4.4: of one crew."""
_FULL: Final = re.compile(r"(?P<count>[1-8])\s*[x×*]\s*")
"""Before a vessel: so many of them, such as `3x5`."""
_MASTS: Final = re.compile(r"/[0-9]")
"""Of a type, such as `5/3`: the number of masts follows from that of oars."""


class Muster(Struct, frozen=True):
    """What a captain may bring."""

    points: int
    """To spend; 0: no points are counted, and the fleet is of `most` vessels."""
    most: int
    """Vessels in the fleet."""
    vessels: bool
    """Whether special vessels may be chosen."""
    crews: bool
    """Whether crews may have promotions."""
    boarding: bool
    """Whether galleys may be boarded, so that towered galleys cost more (MX-4.2)."""
    edition: Edition
    """Whose prices hold."""

    def cost(self, fleet: Sequence[Build]) -> int:
        """The points of a fleet."""
        return sum(points.cost(one, self.edition, boarding=self.boarding) for one in fleet)

    @property
    def builds(self) -> tuple[Build, ...]:
        """All that may be chosen from, without promotions."""
        kinds = KINDS.items() if self.vessels else [("galley", KINDS["galley"])]
        return tuple(Build(LETTERS[kind.letter], holes) for _, kind in kinds for holes in kind.builds)

    def usual(self) -> tuple[Build, ...]:
        """The fleet of somebody who chooses none (part 7)."""
        plain = points.usual(self.points, self.edition) if self.points else (Build("galley", 5),) * self.most
        return plain[: self.most]


def muster(state: State, seat: Seat) -> Muster:
    """What a seat may bring: no more vessels than have room to be set down (MB-2.3, MX-1.7)."""
    room = min(MOST, placing.room(state, seat))
    spend = state.points or 0
    return Muster(
        points=spend,
        most=room if spend else state.galleys_each,
        vessels=state.vessels is True,
        crews=state.crews is True,
        boarding=state.boards,
        edition=state.edition,
    )


def asked(state: State, seat: Seat) -> dict[str, Scalar]:
    """What the request says: points to spend, and vessels."""
    rules = muster(state, seat)
    return {"points": rules.points, "vessels": rules.most}


class FleetDraft(Struct, frozen=True):
    """A fleet that is being chosen."""

    fleet: tuple[Build, ...] = ()
    focus: int = 0
    """The vessel whose crew is looked at; 0 is the first."""


def look(_: Muster, draft: FleetDraft, focus: str) -> FleetDraft:
    """The draft with another vessel's crew in hand."""
    return FleetDraft(draft.fleet, int(focus) - 1) if focus.isdecimal() and 0 < int(focus) <= MOST else draft


def take(context: Muster, draft: FleetDraft, text: str) -> FleetDraft:
    """The draft with a typed fleet in its place; `+8h` adds a vessel to it, `-5` takes one out.

    Raises `OrderError` for what can't be read, and for a fleet that is too dear or too large (MX-4.1).
    """
    fleet = list(draft.fleet)
    pieces = re.sub(r"(?<=[x×*])\s+|\s+(?=[x×*{])", "", text.strip()).replace(",", " ").replace(";", " ").split()
    if pieces and pieces[0][0] not in "+-":
        fleet = []
    for piece in pieces:
        many = _FULL.match(piece.lstrip("+-"))
        build = _read(context, piece.lstrip("+-")[many.end() if many else 0 :], piece)
        count = int(many["count"]) if many else 1
        if piece.startswith("-"):
            if build not in fleet:
                raise IllegalOrder("no_such_vessel_in_fleet", "MX-4.1", piece=excerpt(piece))
            fleet.remove(build)
        else:
            fleet += [build] * count
    _refuse_excess(context, fleet)
    return FleetDraft(tuple(fleet), min(draft.focus, max(0, len(fleet) - 1)))


def _read(context: Muster, text: str, piece: str) -> Build:
    plain = _MASTS.sub("", text.strip()).lower()
    legal = ", ".join(one.text for one in context.builds)
    try:
        build = points.read(plain)
    except OrderError:
        raise UnreadableOrder("bad_build", piece=excerpt(piece), expected=legal) from None
    if build.vessel != "galley" and not context.vessels:
        raise IllegalOrder("no_vessels", "MX-0.2", piece=excerpt(piece), legal=legal)
    if build.crew and not context.crews:
        raise IllegalOrder("no_crews", "MX-0.2", piece=excerpt(piece))
    if len(build.crew) > MOST_PROMOTIONS:
        raise IllegalOrder("too_many_promotions", "MX-4.4", piece=excerpt(piece), most=MOST_PROMOTIONS)
    return build


def _refuse_excess(context: Muster, fleet: Sequence[Build]) -> None:
    """Refuse what can't become legal by adding more. Raises `IllegalOrder`."""
    spent = context.cost(fleet)
    if context.points and spent > context.points:
        raise IllegalOrder("fleet_too_dear", "MX-4.1", piece=points.write(fleet), spent=spent, most=context.points)
    if len(fleet) > context.most:
        raise IllegalOrder("too_many_vessels", "MX-4.1", piece=points.write(fleet), given=len(fleet), most=context.most)


def complete(context: Muster, draft: FleetDraft) -> Fleet:
    """The fleet of a draft. Raises `IllegalOrder` for one that may not be brought (MX-4.1)."""
    fleet = draft.fleet
    if not context.points and len(fleet) < context.most:
        raise IllegalOrder("too_few_vessels", "MX-4.1", piece=points.write(fleet), given=len(fleet), most=context.most)
    points.check(fleet, context.points or context.cost(fleet), context.edition, boarding=context.boarding)
    return Fleet(tuple(one.text for one in fleet))


NOTEBOOK: Final[Notebook[State, Muster, FleetDraft, Fleet]] = Notebook(
    context=lambda state, request: muster(state, request.seat),
    empty=lambda _: FleetDraft(),
    take=take,
    written=lambda _, draft: Draft(points.write(draft.fleet), str(draft.focus + 1) if draft.focus else ""),
    complete=complete,
    format=lambda fleet: " ".join(fleet.vessels),
    look=look,
)


def default(context: Muster) -> Fleet:
    """As many 5/3 as fit (part 7)."""
    return Fleet(tuple(one.text for one in context.usual()))


def stock(context: Muster) -> dict[str, tuple[Build, ...]]:
    """Fleets to start from, by key. For points each spends all of them, so that all are about as strong."""
    found: dict[str, tuple[Build, ...]] = {}
    for key, pattern in (points.READY if context.points else points.READY_BY_NUMBER).items():
        builds = [points.read(one) for one in pattern.split()]
        fleet = _filled(context, builds) if set(builds) <= set(context.builds) else ()
        spent = not context.points or context.cost(fleet) == context.points
        if fleet and spent and fleet not in found.values() and _fault(context, fleet) is None:
            found[key] = fleet
    return found


def _filled(context: Muster, pattern: Sequence[Build]) -> tuple[Build, ...]:
    """A pattern again and again, as long as its next vessel fits; then what else of it fits."""
    fleet: list[Build] = []

    def fits(one: Build) -> bool:
        fires = one.vessel != "fire" or [b.vessel for b in fleet].count("fire") < math.ceil((len(fleet) + 1) / 3)
        cheap = not context.points or context.cost([*fleet, one]) <= context.points
        return fires and cheap and len(fleet) < context.most

    while fits(pattern[len(fleet) % len(pattern)]):
        fleet.append(pattern[len(fleet) % len(pattern)])
    for one in sorted(
        (one for one in context.builds if KINDS[one.vessel].fighting), key=lambda one: -context.cost([one])
    ):
        while context.points and fits(one):
            fleet.append(one)
    return tuple(fleet)


def _fault(context: Muster, fleet: Sequence[Build]) -> Fault | None:
    """Why a fleet may not be brought; None: it may."""
    try:
        _refuse_excess(context, fleet)
        complete(context, FleetDraft(tuple(fleet)))
    except OrderError as wrong:
        return wrong.fault
    return None


def choices(context: Muster, draft: FleetDraft) -> Choices:
    """What may be pressed next, the fleet in words with what is left to spend, and what is missing."""
    wrong = _fault(context, draft.fleet)
    nothing = None if draft.fleet else Fault(kind="illegal", code="no_vessels_yet", piece="-")
    return Choices(
        groups=shown(
            select("stock", _stock(context, draft)),
            select("build", _builds(context, draft)),
            select("drop", _drops(context, draft)),
            select("crew", _crews(context, draft)),
            buttons("promote", _promotions(context, draft)),
            buttons("edit", [NOTEBOOK.option(context, FleetDraft(), "fleet.clear", fault=nothing, stays=True)]),
        ),
        lines=lines(context, draft),
        missing=(Text(f"missing.fleet.{wrong.code}", wrong.params),) if wrong else (),
    )


def lines(context: Muster, draft: FleetDraft) -> tuple[Text, ...]:
    """A fleet in words, with what it costs and what is left to spend."""
    fleet, spent = draft.fleet, context.cost(draft.fleet)
    told = {"spent": spent, "points": context.points, "left": context.points - spent, "most": context.most}
    summary = Text("line.fleet.points" if context.points else "line.fleet.count", {**told, "count": len(fleet)})
    vessels = [Text("line.fleet", {"vessels": points.named(fleet), "written": points.write(fleet)})] if fleet else []
    return (*vessels, summary)


def _stock(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    for key, fleet in stock(context).items():
        said: dict[str, Param] = {
            "name": (Text(f"stock.{key}"),),
            "vessels": points.write(fleet),
            "spent": context.cost(fleet),
        }
        label = Text("choice.stock" if context.points else "choice.stock.count", said)
        yield NOTEBOOK.option(context, FleetDraft(fleet), f"stock.{key}", label, chosen=fleet == draft.fleet)


def _builds(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """One more vessel of each kind and type."""
    for one in context.builds:
        key = "choice.build" if context.points else "choice.build.count"
        label = Text(key, {"vessel": (points.name_of(one),), "cost": context.cost([one])})
        yield NOTEBOOK.typed(context, draft, f"build.{one.text}", label, f"+{one.text}", adds=True, chosen=False)


def _drops(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """One vessel fewer."""
    for one in dict.fromkeys(draft.fleet):
        label = Text("choice.drop", {"vessel": (points.name_of(one._replace(crew="")),), "build": one.text})
        yield NOTEBOOK.typed(context, draft, f"drop.{one.text}", label, f"-{one.text}", chosen=False)


def _crews(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """Whose crew is to have promotions."""
    if context.crews and len(draft.fleet) > 1:
        said = {
            str(number): Text("choice.crew", {"number": number, "vessel": one.text})
            for number, one in enumerate(draft.fleet, 1)
        }
        yield from NOTEBOOK.looks(context, "crew", said, lambda at: look(context, draft, at), str(draft.focus + 1))


def _promotions(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """A promotion more, or one fewer, of the crew in hand (MX-4.4)."""
    if not context.crews or not draft.fleet:
        return
    at = min(draft.focus, len(draft.fleet) - 1)
    now = draft.fleet[at]
    for letter in PROMOTIONS:
        has = letter in now.crew
        crew = "".join(one for one in PROMOTIONS if (one in now.crew) != (one == letter))
        fleet = (*draft.fleet[:at], now._replace(crew=crew), *draft.fleet[at + 1 :])
        fault = None if has else _crew_fault(context, fleet, crew)
        label = Text(f"choice.promote.{letter}")
        after = draft if fault else FleetDraft(fleet, draft.focus)
        yield NOTEBOOK.option(context, after, f"promote.{letter}", label, fault=fault, chosen=has)


def _crew_fault(context: Muster, fleet: Sequence[Build], crew: str) -> Fault | None:
    if len(crew) > MOST_PROMOTIONS:
        return IllegalOrder("too_many_promotions", "MX-4.4", piece=crew, most=MOST_PROMOTIONS).fault
    try:
        _refuse_excess(context, fleet)
    except OrderError as wrong:
        return wrong.fault
    return None


def samples(context: Muster) -> list[Fleet]:
    """The ready fleets, and the one of somebody who chooses none; with crews, one of veterans."""
    found = [Fleet(tuple(one.text for one in fleet)) for fleet in (context.usual(), *stock(context).values())]
    if context.crews:
        veteran = Build("galley", 6, "rc")
        found += [Fleet((veteran.text,))] if _fault(context, [veteran]) is None else []
    return list(dict.fromkeys(found))


def captains_choice(context: Muster, die: int) -> Fleet:
    """One of the ready fleets, by a number: what computer captains bring."""
    known = list(stock(context).values())
    return Fleet(tuple(one.text for one in known[die % len(known)])) if known else default(context)
