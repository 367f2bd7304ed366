"""The fleet that a captain brings, while it is chosen in secret: for points, or so many vessels (MX-4.1, part 7).

A draft is text such as `5 5 8h`, each vessel as it stands in a position: her oars a side, the letter of her kind, and
her crew's promotions, `6{rm}`; one with a crew that its captain keeps is `c3{rm}`. Its focus is the vessel whose crew
is looked at, by her number.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from rules.errors import Fault, IllegalOrder, OrderError, Scalar, UnreadableOrder, excerpt
from rules.keepsakes import name_of
from rules.matchbox.desk.standing_orders import refuse_early
from rules.matchbox.table import crews, kept, placing, points
from rules.matchbox.table.kinds import KINDS, LETTERS
from rules.matchbox.table.points import MOST, Build
from rules.matchbox.table.state import NEWEST, PROMOTIONS, Book, Fleet, State
from rules.notebook import Notebook
from rules.panels import buttons, select, shown
from rules.protocol import Choices, Draft, Edition, Option, Seat
from rules.view import Param, Text

MOST_PROMOTIONS: Final = 3
"""MX-4.4: of one crew."""
_FULL: Final = re.compile(r"(?P<count>[1-9][0-9]?)\s*[x×*]\s*")
"""Before a vessel: so many of them, such as `3x5`."""
_WISHES: Final = "wishes="
"""Before the letters of the promotions that a captain wants first (part 7)."""
_SEEN_SINGLY: Final = 5
"""Vessels that a phone's row has room for one by one."""
_SPARE: Final = 36
"""A ready fleet leaves at most one point in so many."""
_MASTS: Final = re.compile(r"(?P<build>[0-9][a-z]?)/(?P<masts>[0-9])")
"""Of a type, such as `5/3`: the number of masts follows from that of oars, and may be left out."""


class Muster(Struct, frozen=True):
    """What a captain may bring."""

    points: int
    """To spend; 0: no points are counted, and the fleet is of `most` vessels."""
    most: int
    """Vessels in the fleet."""
    vessels: bool
    """Whether special vessels may be chosen."""
    crews: bool
    """Whether any crew may have promotions for points."""
    boarding: bool
    """Whether galleys may be boarded, so that towered galleys cost more (MX-4.2)."""
    edition: Edition
    """Whose prices hold."""
    book: Book | None = None
    """The captain's own crews; None: none are kept in this game."""
    seat: Seat = 0

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
        crews=state.crews is True and not state.kept,
        boarding=state.boards,
        edition=state.edition,
        book=state.kept[seat] if state.kept else None,
        seat=seat,
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
    wishes: str = ""
    """Promotions that the captain wants first from now on; empty: as before."""


def look(_: Muster, draft: FleetDraft, focus: str) -> FleetDraft:
    """The draft with another vessel's crew in hand."""
    return structs.replace(draft, focus=int(focus) - 1) if focus.isdecimal() and 0 < int(focus) <= MOST else draft


def take(context: Muster, draft: FleetDraft, text: str) -> FleetDraft:
    """The draft with a typed fleet in its place; `+8h` adds a vessel to it, `-5` takes one out.

    Raises `OrderError` for what can't be read, and for a fleet that is too dear or too large (MX-4.1).
    """
    refuse_early(text)
    fleet = list(draft.fleet)
    pieces = re.sub(r"(?<=[x×*])\s+|\s+(?=[x×*{])", "", text.strip()).replace(",", " ").replace(";", " ").split()
    wishes = _wished(context, pieces)
    context = _wishing(context, wishes or draft.wishes)
    pieces = [piece for piece in pieces if not piece.startswith(_WISHES)] if wishes else pieces
    if pieces and pieces[0][0] not in "+-":
        fleet = []
    for piece in pieces:
        many = _FULL.match(piece.lstrip("+-"))
        build = _read(context, piece.lstrip("+-")[many.end() if many else 0 :], piece)
        count = int(many["count"]) if many else 1
        if piece.startswith("-"):
            there = [one for one in fleet if one == build or 0 < one.kept == build.kept]
            if len(there) < count:
                raise IllegalOrder("no_such_vessel_in_fleet", "MX-4.1", piece=excerpt(piece))
            for one in there[:count]:
                fleet.remove(one)
        else:
            fleet += [build] * count
    _refuse_excess(context, fleet)
    return FleetDraft(tuple(fleet), min(draft.focus, max(0, len(fleet) - 1)), wishes or draft.wishes)


def _wishing(context: Muster, wishes: str) -> Muster:
    """The same for a captain who wants these promotions first."""
    return (
        structs.replace(context, book=structs.replace(context.book, wishes=wishes))
        if context.book and wishes
        else context
    )


def _wished(context: Muster, pieces: Sequence[str]) -> str:
    """The order of wishes among typed pieces, if there is one. Raises `UnreadableOrder`."""
    found = [piece.removeprefix(_WISHES) for piece in pieces if context.book and piece.startswith(_WISHES)]
    if found and not kept.is_wish(found[-1]):
        raise UnreadableOrder("bad_wishes", piece=excerpt(found[-1]), expected=PROMOTIONS)
    return found[-1] if found else ""


def _read(context: Muster, text: str, piece: str) -> Build:
    if context.book and kept.is_kept(text):
        return kept.read(context.book, text)
    plain = text.strip().lower()
    typed = _MASTS.match(plain)
    plain = typed["build"] + plain[typed.end() :] if typed else plain
    legal = ", ".join(one.text for one in context.builds)
    unknown = "bad_manned_build" if context.crews else "bad_build"  # promotions are named only where they can be bought
    try:
        build = points.read(plain)
    except OrderError:
        raise UnreadableOrder(unknown, piece=excerpt(piece), expected=legal) from None
    if build.battered or (typed and int(typed["masts"]) != KINDS[build.vessel].builds[build.holes]):
        raise UnreadableOrder(unknown, piece=excerpt(piece), expected=legal)
    if build.vessel != "galley" and not context.vessels:
        raise IllegalOrder("no_vessels", "MX-0.2", piece=excerpt(piece), legal=legal)
    if build.crew and not context.crews:
        if context.book:
            raise IllegalOrder("fresh_crew", "MX-4.4", piece=excerpt(piece))
        raise IllegalOrder("no_crews", "MX-0.2", piece=excerpt(piece))
    if len(build.crew) > MOST_PROMOTIONS:
        raise IllegalOrder("too_many_promotions", "MX-4.4", piece=excerpt(piece), most=MOST_PROMOTIONS)
    return build


def _refuse_excess(context: Muster, fleet: Sequence[Build]) -> None:
    """Refuse what can't become legal by adding more. Raises `IllegalOrder`."""
    numbers = [one.kept for one in fleet if one.kept]
    if twice := next((one for one in numbers if numbers.count(one) > 1), 0):
        raise IllegalOrder("crew_twice", "MX-4.1", piece=f"{points.KEPT}{twice}")
    spent = context.cost(fleet)
    if context.points and spent > context.points:
        raise IllegalOrder(
            "fleet_too_dear", "MX-4.1", piece=excerpt(points.write(fleet)), spent=spent, most=context.points
        )
    if len(fleet) > context.most:
        raise IllegalOrder(
            "too_many_vessels", "MX-4.1", piece=excerpt(points.write(fleet)), given=len(fleet), most=context.most
        )


def complete(context: Muster, draft: FleetDraft) -> Fleet:
    """The fleet of a draft. Raises `IllegalOrder` for one that may not be brought (MX-4.1)."""
    fleet = draft.fleet
    if not context.points and len(fleet) < context.most:
        raise IllegalOrder("too_few_vessels", "MX-4.1", piece=points.write(fleet), given=len(fleet), most=context.most)
    points.check(fleet, context.points or context.cost(fleet), context.edition, boarding=context.boarding)
    return Fleet(tuple(one.text for one in fleet), draft.wishes)


def _text(vessels: Sequence[str], wishes: str) -> str:
    return " ".join([*vessels, *([f"{_WISHES}{wishes}"] if wishes else [])])


NOTEBOOK: Final[Notebook[State, Muster, FleetDraft, Fleet]] = Notebook(
    context=lambda state, request: muster(state, request.seat),
    empty=lambda _: FleetDraft(),
    take=take,
    written=lambda _, draft: Draft(
        _text([one.text for one in draft.fleet], draft.wishes), str(draft.focus + 1) if draft.focus else ""
    ),
    complete=complete,
    format=lambda fleet: _text(fleet.vessels, fleet.wishes),
    look=look,
)


def default(context: Muster) -> Fleet:
    """As many 5/3 as fit (part 7): no crew of their own goes to sea unless its captain says so."""
    return Fleet(_plain(context))


def _plain(context: Muster) -> tuple[str, ...]:
    return tuple(one.text for one in context.usual())


def brought_last(context: Muster) -> tuple[Build, ...]:
    """The fleet that the captain brought last, with what its crews can do by now; empty: it can't be had any more."""
    if not context.book or not context.book.last:
        return ()
    try:
        return tuple(_read(context, one, one) for one in context.book.last.split())
    except OrderError:
        return ()


def stock(context: Muster) -> dict[str, tuple[Build, ...]]:
    """Fleets to start from, by key. For points each spends all but one in 36, so that all are about as strong."""
    found: dict[str, tuple[Build, ...]] = {}
    for key, pattern in _patterns(context).items():
        builds = [points.read(one) for one in pattern.split()]
        fleet = _filled(context, builds) if set(builds) <= set(context.builds) else ()
        left = context.points - context.cost(fleet) if context.points else 0
        if fleet and left * _SPARE <= context.points and fleet not in found.values() and _fault(context, fleet) is None:
            found[key] = fleet
    return found


def are_even(context: Muster, fleet: Fleet) -> bool:
    """Whether this is one of several ready fleets that fare about equally well: those for points, by today's prices."""
    known = [tuple(one.text for one in ready) for ready in stock(context).values()]
    return context.points > 0 and context.edition == NEWEST and len(known) > 1 and fleet.vessels in known


def _patterns(context: Muster) -> dict[str, str]:
    if not context.points:
        return points.READY_BY_NUMBER
    return points.READY if context.vessels else points.READY_PLAIN


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
    training = (select("crew", _crews(context, draft)), select("promote", _promotions(context, draft)))
    # What is chosen for good comes first, so that nobody seals without having seen it.
    due = any(_promoted(context, one) for one in draft.fleet)
    return Choices(
        groups=shown(
            *(training if due else ()),
            select("stock", _stock(context, draft)),
            select("own", _own(context, draft)),
            select("build", _builds(context, draft)),
            select("drop", _drops(context, draft)),
            *(() if due else training),
            buttons("edit", [NOTEBOOK.option(context, _with(draft, ()), "fleet.clear", fault=nothing)]),
        ),
        lines=lines(context, draft),
        missing=(Text(f"missing.fleet.{wrong.code}", wrong.params),) if wrong else (),
    )


def lines(context: Muster, draft: FleetDraft) -> tuple[Text, ...]:
    """A fleet in words, with what it costs and what is left to spend."""
    fleet, left = draft.fleet, context.points - context.cost(draft.fleet)
    summary = Text("line.fleet.count", {"most": context.most, "count": len(fleet)})
    named = (*points.named(one for one in fleet if not one.kept), *(_named(context, one) for one in fleet if one.kept))
    written: Param = points.write(fleet) if len(fleet) <= _SEEN_SINGLY else _counted(fleet)
    if any(one.kept for one in fleet):
        written = tuple(_brief(context, one) for one in fleet)
    brought: dict[str, Param] = {"vessels": named, "written": written, "left": left, "points": context.points}
    vessels = [Text("line.fleet.costing" if context.points else "line.fleet", brought)] if fleet else []
    wishes = tuple(Text(f"promotion.{letter}") for letter in draft.wishes)
    none = [Text("line.own.none")] if context.book and not (context.book.crews or fleet) else []
    due = [said for one in fleet if (said := _promoted(context, one))]
    return (*due, *vessels, summary, *none, *([Text("line.wishes", {"wishes": wishes})] if wishes else []))


def _counted(fleet: Sequence[Build]) -> str:
    """A fleet as it may be typed, vessels that are alike counted: `3x5 8h`."""
    counts = Counter(one.text for one in fleet)
    return " ".join(f"{count}x{build}" if count > 1 else build for build, count in counts.items())


def warnings(context: Muster, draft: FleetDraft) -> tuple[Text, ...]:
    """Of a fleet that may be brought: that points would be lost which are enough for one more vessel that fights."""
    left = context.points - context.cost(draft.fleet)
    least = min(context.cost([one]) for one in context.builds if KINDS[one.vessel].fighting)
    lost = context.points and left >= least and _fault(context, draft.fleet) is None
    return (Text("warn.fleet.unspent", {"left": left}),) if lost else ()


def _named(context: Muster, one: Build) -> Text:
    """A vessel with a kept crew, by its name."""
    return Text("vessel.of_crew", _who(context, one))


def _who(context: Muster, one: Build) -> dict[str, Param]:
    """A kept crew's name, and its vessel's."""
    return {"crew": name_of(context.seat, one.kept), "vessel": (points.name_of(one),)}


def _promoted(context: Muster, one: Build) -> Text | None:
    """What a kept crew is promoted to that has earned it, or what it keeps that must give up some, for good.

    Unless its captain chooses something else, if there is anything to choose. None: neither.
    """
    crew = _crew_in(context, one)
    due = crews.due(crew) if crew else 0
    if crew is None or not due:
        return None
    letters = [letter for letter in one.crew if due < 0 or letter not in crew.promotions]
    key = "line.own.due" if due > 0 else "line.own.owes" if letters else "line.own.owes.all"
    skills = tuple(Text(f"promotion.{letter}") for letter in letters or crew.promotions)
    return Text(key, {"crew": name_of(context.seat, one.kept), "skills": skills})


def _brief(context: Muster, one: Build) -> Text:
    """A vessel in few words: her crew's name, or how she is typed."""
    if one.kept:
        return Text("fleet.crew", {"crew": name_of(context.seat, one.kept)})
    return Text("fleet.fresh", {"vessel": one.text})


def _with(draft: FleetDraft, fleet: Sequence[Build]) -> FleetDraft:
    return structs.replace(draft, fleet=tuple(fleet))


def _stock(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """The fleet that was brought last, and ready ones."""
    if last := brought_last(context):
        label = Text("choice.stock.last", {"vessels": points.write(last), "spent": context.cost(last)})
        fault = _fault(context, last)
        yield NOTEBOOK.option(context, _with(draft, last), "stock.last", label, fault=fault, chosen=last == draft.fleet)
    for key, fleet in stock(context).items():
        said: dict[str, Param] = {
            "name": (Text(f"stock.{key}"),),
            "vessels": points.write(fleet),
            "named": points.named(fleet),
            "spent": context.cost(fleet),
        }
        label = Text("choice.stock" if context.points else "choice.stock.count", said)
        yield NOTEBOOK.option(context, _with(draft, fleet), f"stock.{key}", label, chosen=fleet == draft.fleet)


def _own(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """The captain's own crews that are not in the fleet yet; those that are elsewhere say so."""
    context, there = _wishing(context, draft.wishes), {one.kept for one in draft.fleet}
    for one in context.book.crews if context.book else ():
        if one.number not in there:
            build = kept.manned(one, wishes=context.book.wishes if context.book else "")
            typed = f"+{points.KEPT}{one.number}"
            said: dict[str, Param] = {
                "crew": name_of(context.seat, one.number),
                "vessel": (points.name_of(build),),
                "xp": one.xp,
            }
            label = Text("choice.own", {**said, "cost": context.cost([build])})
            yield NOTEBOOK.typed(context, draft, f"own.{one.number}", label, typed, adds=True, chosen=False)


def _builds(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """One more vessel of each kind and type."""
    for one in context.builds:
        key = "choice.build" if context.points else "choice.build.count"
        does = Text(f"does.{one.vessel}" if one.vessel != "galley" else f"does.galley.{one.holes}")
        told: dict[str, Param] = {"vessel": (points.name_of(one),), "cost": context.cost([one])}
        label = Text(key, {**told, "typed": one.text, "does": (does,)})
        yield NOTEBOOK.typed(context, draft, f"build.{one.text}", label, f"+{one.text}", adds=True, chosen=False)


def _drops(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """One vessel fewer."""
    for one in dict.fromkeys(draft.fleet):
        bare = one._replace(crew="")
        plain = _named(context, bare) if one.kept else points.name_of(bare)
        label = Text("choice.drop", {"vessel": (plain,), "build": one.text})
        token = f"drop.{points.KEPT}{one.kept}" if one.kept else f"drop.{one.text}"
        yield NOTEBOOK.typed(context, draft, token, label, f"-{one.text}", chosen=False)


def _crew_in(context: Muster, one: Build) -> crews.Crew | None:
    """What the kept crew of a vessel has learnt; None: it is a fresh one."""
    known = context.book.crews if context.book else ()
    return next((kept.crew_of(crew) for crew in known if crew.number == one.kept), None)


def _may_choose(context: Muster, one: Build) -> bool:
    """Whether the captain may choose promotions for a crew: for points, or as it has earned or lost them (MX-4.4)."""
    crew = _crew_in(context, one)
    return context.crews if crew is None else crews.due(crew) != 0


def _crews(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """Whose crew is to have promotions."""
    known = {number: one for number, one in enumerate(draft.fleet, 1) if _may_choose(context, one)}
    if len(draft.fleet) > 1 and known:
        said = {
            str(number): Text(
                "choice.crew.own", {"crew": name_of(context.seat, one.kept), "vessel": (points.name_of(one),)}
            )
            if one.kept
            else Text("choice.crew", {"number": number, "vessel": one.text})
            for number, one in known.items()
        }
        yield from NOTEBOOK.looks(context, "crew", said, lambda at: look(context, draft, at), str(draft.focus + 1))


def _promotions(context: Muster, draft: FleetDraft) -> Iterator[Option]:
    """A promotion more, or one fewer, of the crew in hand (MX-4.4)."""
    known = [number for number, one in enumerate(draft.fleet) if _may_choose(context, one)]
    if not known:
        return
    at = draft.focus if draft.focus in known else known[0]
    now = draft.fleet[at]
    if earned := _crew_in(context, now):
        yield from _earned(context, draft, at, earned)
        return
    for letter in PROMOTIONS:
        has = letter in now.crew
        crew = "".join(one for one in PROMOTIONS if (one in now.crew) != (one == letter))
        fleet = (*draft.fleet[:at], now._replace(crew=crew), *draft.fleet[at + 1 :])
        fault = None if has else _crew_fault(context, fleet, crew)
        label = Text(f"choice.promote.{letter}")
        after = draft if fault else _with(draft, fleet)
        yield NOTEBOOK.option(context, after, f"promote.{letter}", label, fault=fault, chosen=has)


def _earned(context: Muster, draft: FleetDraft, at: int, crew: crews.Crew) -> Iterator[Option]:
    """Another promotion in place of one that is chosen, for a crew that has earned it, or may keep it (MX-4.4, 4.6)."""
    now = draft.fleet[at]
    own = crew.promotions if crews.due(crew) > 0 else ""
    for letter in crews.open_to(crew):
        if letter in own:
            continue
        has = letter in now.crew
        others = [one for one in now.crew if one not in own]
        given = (
            now.crew
            if has
            else "".join(one for one in PROMOTIONS if one == letter or (one in now.crew and one != others[0]))
        )
        fleet = (*draft.fleet[:at], now._replace(crew=given), *draft.fleet[at + 1 :])
        label = Text(f"choice.promote.own.{letter}", {"crew": name_of(context.seat, now.kept)})
        yield NOTEBOOK.option(context, _with(draft, fleet), f"promote.{letter}", label, chosen=has)


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
    for own in [*_free(context), brought_last(context)]:
        if own and _fault(context, own) is None:
            found.append(Fleet(tuple(one.text for one in own)))
    return list(dict.fromkeys(found))


def _free(context: Muster) -> list[tuple[Build, ...]]:
    """Each of the captain's crews that may be brought, alone."""
    return [(kept.manned(one),) for one in (context.book.crews if context.book else ()) if not one.elsewhere]


def captains_choice(context: Muster, die: int) -> Fleet:
    """One of the ready fleets, by a number: what computer captains bring."""
    known = list(stock(context).values())
    return Fleet(tuple(one.text for one in known[die % len(known)]) if known else _plain(context))
