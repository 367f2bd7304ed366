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

from rules.core.errors import Fault, IllegalOrder, OrderError, Scalar, UnreadableOrder, quote_excerpt
from rules.core.keepsakes import name_number
from rules.core.protocol import Choices, Draft, Edition, Option, Seat
from rules.core.view import Param, Text
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row, drop_empty, select_menu
from rules.matchbox.engine import crews, kept, placing, points
from rules.matchbox.engine.kinds import KINDS, NAME_BY_LETTER
from rules.matchbox.engine.points import MAX_VESSELS, VesselBuild
from rules.matchbox.engine.state import NEWEST_EDITION, PROMOTION_LETTERS, CaptainRecord, Fleet, State
from rules.matchbox.interface.standing_orders import refuse_early

MAX_PROMOTIONS: Final = 3
"""MX-4.4: of one crew."""
_COUNT_PATTERN: Final = re.compile(r"(?P<count>[1-9][0-9]?)\s*[x×*]\s*")
"""Before a vessel: so many of them, such as `3x5`."""
_WISHES_PREFIX: Final = "wishes="
"""Before the letters of the promotions that a captain wants first (part 7)."""
_MAX_LISTED_SINGLY: Final = 5
"""Vessels that a phone's row has room for one by one."""
_SPARE_POINTS_DIVISOR: Final = 36
"""A ready fleet leaves at most one point in so many."""
_TYPE_PATTERN: Final = re.compile(r"(?P<build>[0-9][a-z]?)/(?P<masts>[0-9])")
"""Of a type, such as `5/3`: the number of masts follows from that of oars, and may be left out."""


class FleetContext(Struct, frozen=True):
    """What a captain may bring."""

    points: int
    """To spend; 0: no points are counted, and the fleet is of `most` vessels."""
    max_vessels: int
    """Vessels in the fleet."""
    allows_special: bool
    """Whether special vessels may be chosen."""
    allows_promotions: bool
    """Whether any crew may have promotions for points."""
    allows_boarding: bool
    """Whether galleys may be boarded, so that towered galleys cost more (MX-4.2)."""
    edition: Edition
    """Whose prices hold."""
    record: CaptainRecord | None = None
    """The captain's own crews; None: none are kept in this game."""
    seat: Seat = 0

    def fleet_cost(self, fleet: Sequence[VesselBuild]) -> int:
        """The points of a fleet."""
        return sum(points.build_cost(one, self.edition, boarding=self.allows_boarding) for one in fleet)

    @property
    def available_builds(self) -> tuple[VesselBuild, ...]:
        """All that may be chosen from, without promotions."""
        kinds = KINDS.items() if self.allows_special else [("galley", KINDS["galley"])]
        return tuple(
            VesselBuild(NAME_BY_LETTER[kind.letter], holes) for _, kind in kinds for holes in kind.masts_by_holes
        )

    def default_fleet(self) -> tuple[VesselBuild, ...]:
        """The fleet of somebody who chooses none (part 7)."""
        plain = (
            points.default_fleet(self.points, self.edition)
            if self.points
            else (VesselBuild("galley", 5),) * self.max_vessels
        )
        return plain[: self.max_vessels]


def fleet_context(state: State, seat: Seat) -> FleetContext:
    """What a seat may bring: no more vessels than have room to be set down (MB-2.3, MX-1.7)."""
    room = min(MAX_VESSELS, placing.surely_placeable(state, seat))
    spend = state.points or 0
    return FleetContext(
        points=spend,
        max_vessels=room if spend else state.galleys_each,
        allows_special=state.vessels is True,
        allows_promotions=state.crews is True and not state.kept,
        allows_boarding=state.allows_boarding,
        edition=state.edition,
        record=state.kept[seat] if state.kept else None,
        seat=seat,
    )


def request_params(state: State, seat: Seat) -> dict[str, Scalar]:
    """What the request says: points to spend, and vessels."""
    rules = fleet_context(state, seat)
    return {"points": rules.points, "vessels": rules.max_vessels}


class FleetDraft(Struct, frozen=True):
    """A fleet that is being chosen."""

    fleet: tuple[VesselBuild, ...] = ()
    focus: int = 0
    """The vessel whose crew is looked at; 0 is the first."""
    wishes: str = ""
    """Promotions that the captain wants first from now on; empty: as before."""


def move_focus(_: FleetContext, draft: FleetDraft, focus: str) -> FleetDraft:
    """The draft with another vessel's crew in hand."""
    return (
        structs.replace(draft, focus=int(focus) - 1) if focus.isdecimal() and 0 < int(focus) <= MAX_VESSELS else draft
    )


def parse_into(context: FleetContext, draft: FleetDraft, text: str) -> FleetDraft:
    """The draft with a typed fleet in its place; `+8h` adds a vessel to it, `-5` takes one out.

    Raises `OrderError` for what can't be read, and for a fleet that is too dear or too large (MX-4.1).
    """
    refuse_early(text)
    fleet = list(draft.fleet)
    pieces = re.sub(r"(?<=[x×*])\s+|\s+(?=[x×*{])", "", text.strip()).replace(",", " ").replace(";", " ").split()
    wishes = _parse_wishes(context, pieces)
    context = _with_wishes(context, wishes or draft.wishes)
    pieces = [piece for piece in pieces if not piece.startswith(_WISHES_PREFIX)] if wishes else pieces
    if pieces and pieces[0][0] not in "+-":
        fleet = []
    for piece in pieces:
        many = _COUNT_PATTERN.match(piece.lstrip("+-"))
        build = _parse_build(context, piece.lstrip("+-")[many.end() if many else 0 :], piece)
        count = int(many["count"]) if many else 1
        if piece.startswith("-"):
            there = [one for one in fleet if one == build or 0 < one.crew_number == build.crew_number]
            if len(there) < count:
                raise IllegalOrder("no_such_vessel_in_fleet", "MX-4.1", piece=quote_excerpt(piece))
            for one in there[:count]:
                fleet.remove(one)
        else:
            fleet += [build] * count
    _refuse_excess(context, fleet)
    return FleetDraft(tuple(fleet), min(draft.focus, max(0, len(fleet) - 1)), wishes or draft.wishes)


def _with_wishes(context: FleetContext, wishes: str) -> FleetContext:
    """The same for a captain who wants these promotions first."""
    return (
        structs.replace(context, record=structs.replace(context.record, wishes=wishes))
        if context.record and wishes
        else context
    )


def _parse_wishes(context: FleetContext, pieces: Sequence[str]) -> str:
    """The order of wishes among typed pieces, if there is one. Raises `UnreadableOrder`."""
    found = [
        piece.removeprefix(_WISHES_PREFIX) for piece in pieces if context.record and piece.startswith(_WISHES_PREFIX)
    ]
    if found and not kept.is_wish(found[-1]):
        raise UnreadableOrder("bad_wishes", piece=quote_excerpt(found[-1]), expected=PROMOTION_LETTERS)
    return found[-1] if found else ""


def _parse_build(context: FleetContext, text: str, piece: str) -> VesselBuild:
    if context.record and kept.is_kept(text):
        return kept.parse_kept_crew(context.record, text)
    plain = text.strip().lower()
    typed = _TYPE_PATTERN.match(plain)
    plain = typed["build"] + plain[typed.end() :] if typed else plain
    legal = ", ".join(one.text for one in context.available_builds)
    unknown = (
        "bad_manned_build" if context.allows_promotions else "bad_build"
    )  # promotions are named only where they can be bought
    try:
        build = points.parse_build(plain)
    except OrderError:
        raise UnreadableOrder(unknown, piece=quote_excerpt(piece), expected=legal) from None
    if build.is_battered or (typed and int(typed["masts"]) != KINDS[build.vessel].masts_by_holes[build.holes]):
        raise UnreadableOrder(unknown, piece=quote_excerpt(piece), expected=legal)
    if build.vessel != "galley" and not context.allows_special:
        raise IllegalOrder("no_vessels", "MX-0.2", piece=quote_excerpt(piece), legal=legal)
    if build.crew and not context.allows_promotions:
        if context.record:
            raise IllegalOrder("fresh_crew", "MX-4.4", piece=quote_excerpt(piece))
        raise IllegalOrder("no_crews", "MX-0.2", piece=quote_excerpt(piece))
    if len(build.crew) > MAX_PROMOTIONS:
        raise IllegalOrder("too_many_promotions", "MX-4.4", piece=quote_excerpt(piece), most=MAX_PROMOTIONS)
    return build


def _refuse_excess(context: FleetContext, fleet: Sequence[VesselBuild]) -> None:
    """Refuse what can't become legal by adding more. Raises `IllegalOrder`."""
    numbers = [one.crew_number for one in fleet if one.crew_number]
    if twice := next((one for one in numbers if numbers.count(one) > 1), 0):
        raise IllegalOrder("crew_twice", "MX-4.1", piece=f"{points.KEPT_MARK}{twice}")
    spent = context.fleet_cost(fleet)
    if context.points and spent > context.points:
        raise IllegalOrder(
            "fleet_too_dear",
            "MX-4.1",
            piece=quote_excerpt(points.format_fleet(fleet)),
            spent=spent,
            most=context.points,
        )
    if len(fleet) > context.max_vessels:
        raise IllegalOrder(
            "too_many_vessels",
            "MX-4.1",
            piece=quote_excerpt(points.format_fleet(fleet)),
            given=len(fleet),
            most=context.max_vessels,
        )


def complete_fleet(context: FleetContext, draft: FleetDraft) -> Fleet:
    """The fleet of a draft. Raises `IllegalOrder` for one that may not be brought (MX-4.1)."""
    fleet = draft.fleet
    if not context.points and len(fleet) < context.max_vessels:
        raise IllegalOrder(
            "too_few_vessels", "MX-4.1", piece=points.format_fleet(fleet), given=len(fleet), most=context.max_vessels
        )
    points.check_fleet(
        fleet, context.points or context.fleet_cost(fleet), context.edition, boarding=context.allows_boarding
    )
    return Fleet(tuple(one.text for one in fleet), draft.wishes)


def _format_fleet(vessels: Sequence[str], wishes: str) -> str:
    return " ".join([*vessels, *([f"{_WISHES_PREFIX}{wishes}"] if wishes else [])])


FLEET_NOTATION: Final[AnswerNotation[State, FleetContext, FleetDraft, Fleet]] = AnswerNotation(
    context=lambda state, request: fleet_context(state, request.seat),
    empty_draft=lambda _: FleetDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: Draft(
        _format_fleet([one.text for one in draft.fleet], draft.wishes), str(draft.focus + 1) if draft.focus else ""
    ),
    complete_answer=complete_fleet,
    format_answer=lambda fleet: _format_fleet(fleet.vessels, fleet.wishes),
    move_focus=move_focus,
)


def default_fleet(context: FleetContext) -> Fleet:
    """As many 5/3 as fit (part 7): no crew of their own goes to sea unless its captain says so."""
    return Fleet(_default_vessels(context))


def _default_vessels(context: FleetContext) -> tuple[str, ...]:
    return tuple(one.text for one in context.default_fleet())


def last_fleet(context: FleetContext) -> tuple[VesselBuild, ...]:
    """The fleet that the captain brought last, with what its crews can do by now; empty: it can't be had any more."""
    if not context.record or not context.record.last:
        return ()
    try:
        return tuple(_parse_build(context, one, one) for one in context.record.last.split())
    except OrderError:
        return ()


def ready_fleets(context: FleetContext) -> dict[str, tuple[VesselBuild, ...]]:
    """Fleets to start from, by key. For points each spends all but one in 36, so that all are about as strong."""
    found: dict[str, tuple[VesselBuild, ...]] = {}
    for key, pattern in _ready_patterns(context).items():
        builds = [points.parse_build(one) for one in pattern.split()]
        fleet = _fill_pattern(context, builds) if set(builds) <= set(context.available_builds) else ()
        left = context.points - context.fleet_cost(fleet) if context.points else 0
        if (
            fleet
            and left * _SPARE_POINTS_DIVISOR <= context.points
            and fleet not in found.values()
            and _fleet_fault(context, fleet) is None
        ):
            found[key] = fleet
    return found


def is_even_fleet(context: FleetContext, fleet: Fleet) -> bool:
    """Whether this is one of several ready fleets that fare about equally well: those for points, by today's prices."""
    known = [tuple(one.text for one in ready) for ready in ready_fleets(context).values()]
    return context.points > 0 and context.edition == NEWEST_EDITION and len(known) > 1 and fleet.vessels in known


def _ready_patterns(context: FleetContext) -> dict[str, str]:
    if not context.points:
        return points.READY_FLEETS_BY_NUMBER
    return points.READY_FLEETS if context.allows_special else points.READY_FLEETS_PLAIN


def _fill_pattern(context: FleetContext, pattern: Sequence[VesselBuild]) -> tuple[VesselBuild, ...]:
    """A pattern again and again, as long as its next vessel fits; then what else of it fits."""
    fleet: list[VesselBuild] = []

    def fits(one: VesselBuild) -> bool:
        fires = one.vessel != "fire" or [b.vessel for b in fleet].count("fire") < math.ceil((len(fleet) + 1) / 3)
        cheap = not context.points or context.fleet_cost([*fleet, one]) <= context.points
        return fires and cheap and len(fleet) < context.max_vessels

    while fits(pattern[len(fleet) % len(pattern)]):
        fleet.append(pattern[len(fleet) % len(pattern)])
    for one in sorted(
        (one for one in context.available_builds if KINDS[one.vessel].is_fighting),
        key=lambda one: -context.fleet_cost([one]),
    ):
        while context.points and fits(one):
            fleet.append(one)
    return tuple(fleet)


def _fleet_fault(context: FleetContext, fleet: Sequence[VesselBuild]) -> Fault | None:
    """Why a fleet may not be brought; None: it may."""
    try:
        _refuse_excess(context, fleet)
        complete_fleet(context, FleetDraft(tuple(fleet)))
    except OrderError as wrong:
        return wrong.fault
    return None


def draft_choices(context: FleetContext, draft: FleetDraft) -> Choices:
    """What may be pressed next, the fleet in words with what is left to spend, and what is missing."""
    wrong = _fleet_fault(context, draft.fleet)
    nothing = None if draft.fleet else Fault(kind="illegal", code="no_vessels_yet", piece="-")
    training = (
        select_menu("crew", _crew_choice_options(context, draft)),
        select_menu("promote", _promotion_options(context, draft)),
    )
    # What is chosen for good comes first, so that nobody seals without having seen it.
    due = any(_promotion_line(context, one) for one in draft.fleet)
    return Choices(
        groups=drop_empty(
            *(training if due else ()),
            select_menu("stock", _ready_options(context, draft)),
            select_menu("own", _crew_options(context, draft)),
            select_menu("build", _build_options(context, draft)),
            select_menu("drop", _removal_options(context, draft)),
            *(() if due else training),
            button_row(
                "edit", [FLEET_NOTATION.make_option(context, _with_fleet(draft, ()), "fleet.clear", fault=nothing)]
            ),
        ),
        lines=draft_lines(context, draft),
        missing_parts=(Text(f"missing.fleet.{wrong.code}", wrong.params),) if wrong else (),
    )


def draft_lines(context: FleetContext, draft: FleetDraft) -> tuple[Text, ...]:
    """A fleet in words, with what it costs and what is left to spend."""
    fleet, left = draft.fleet, context.points - context.fleet_cost(draft.fleet)
    summary = Text("line.fleet.count", {"most": context.max_vessels, "count": len(fleet)})
    named = (
        *points.fleet_names(one for one in fleet if not one.crew_number),
        *(_vessel_name(context, one) for one in fleet if one.crew_number),
    )
    written: Param = points.format_fleet(fleet) if len(fleet) <= _MAX_LISTED_SINGLY else _format_counted(fleet)
    if any(one.crew_number for one in fleet):
        written = tuple(_short_name(context, one) for one in fleet)
    brought: dict[str, Param] = {"vessels": named, "written": written, "left": left, "points": context.points}
    vessels = [Text("line.fleet.costing" if context.points else "line.fleet", brought)] if fleet else []
    wishes = tuple(Text(f"promotion.{letter}") for letter in draft.wishes)
    none = [Text("line.own.none")] if context.record and not (context.record.crews or fleet) else []
    due = [said for one in fleet if (said := _promotion_line(context, one))]
    return (*due, *vessels, summary, *none, *([Text("line.wishes", {"wishes": wishes})] if wishes else []))


def _format_counted(fleet: Sequence[VesselBuild]) -> str:
    """A fleet as it may be typed, vessels that are alike counted: `3x5 8h`."""
    counts = Counter(one.text for one in fleet)
    return " ".join(f"{count}x{build}" if count > 1 else build for build, count in counts.items())


def draft_warnings(context: FleetContext, draft: FleetDraft) -> tuple[Text, ...]:
    """Of a fleet that may be brought: that points would be lost which are enough for one more vessel that fights."""
    left = context.points - context.fleet_cost(draft.fleet)
    least = min(context.fleet_cost([one]) for one in context.available_builds if KINDS[one.vessel].is_fighting)
    lost = context.points and left >= least and _fleet_fault(context, draft.fleet) is None
    return (Text("warn.fleet.unspent", {"left": left}),) if lost else ()


def _vessel_name(context: FleetContext, one: VesselBuild) -> Text:
    """A vessel with a kept crew, by its name."""
    return Text("vessel.of_crew", _crew_params(context, one))


def _crew_params(context: FleetContext, one: VesselBuild) -> dict[str, Param]:
    """A kept crew's name, and its vessel's."""
    return {"crew": name_number(context.seat, one.crew_number), "vessel": (points.build_name(one),)}


def _promotion_line(context: FleetContext, one: VesselBuild) -> Text | None:
    """What a kept crew is promoted to that has earned it, or what it keeps that must give up some, for good.

    Unless its captain chooses something else, if there is anything to choose. None: neither.
    """
    crew = _kept_crew(context, one)
    due = crews.promotions_due(crew) if crew else 0
    if crew is None or not due:
        return None
    letters = [letter for letter in one.crew if due < 0 or letter not in crew.promotions]
    key = "line.own.due" if due > 0 else "line.own.owes" if letters else "line.own.owes.all"
    skills = tuple(Text(f"promotion.{letter}") for letter in letters or crew.promotions)
    return Text(key, {"crew": name_number(context.seat, one.crew_number), "skills": skills})


def _short_name(context: FleetContext, one: VesselBuild) -> Text:
    """A vessel in few words: her crew's name, or how she is typed."""
    if one.crew_number:
        return Text("fleet.crew", {"crew": name_number(context.seat, one.crew_number)})
    return Text("fleet.fresh", {"vessel": one.text})


def _with_fleet(draft: FleetDraft, fleet: Sequence[VesselBuild]) -> FleetDraft:
    return structs.replace(draft, fleet=tuple(fleet))


def _ready_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    """The fleet that was brought last, and ready ones."""
    if last := last_fleet(context):
        label = Text("choice.stock.last", {"vessels": points.format_fleet(last), "spent": context.fleet_cost(last)})
        fault = _fleet_fault(context, last)
        yield FLEET_NOTATION.make_option(
            context, _with_fleet(draft, last), "stock.last", label, fault=fault, chosen=last == draft.fleet
        )
    for key, fleet in ready_fleets(context).items():
        said: dict[str, Param] = {
            "name": (Text(f"stock.{key}"),),
            "vessels": points.format_fleet(fleet),
            "named": points.fleet_names(fleet),
            "spent": context.fleet_cost(fleet),
        }
        label = Text("choice.stock" if context.points else "choice.stock.count", said)
        yield FLEET_NOTATION.make_option(
            context, _with_fleet(draft, fleet), f"stock.{key}", label, chosen=fleet == draft.fleet
        )


def _crew_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    """The captain's own crews that are not in the fleet yet; those that are elsewhere say so."""
    context, there = _with_wishes(context, draft.wishes), {one.crew_number for one in draft.fleet}
    for one in context.record.crews if context.record else ():
        if one.number not in there:
            build = kept.build_with_crew(one, wishes=context.record.wishes if context.record else "")
            typed = f"+{points.KEPT_MARK}{one.number}"
            said: dict[str, Param] = {
                "crew": name_number(context.seat, one.number),
                "vessel": (points.build_name(build),),
                "xp": one.xp,
            }
            label = Text("choice.own", {**said, "cost": context.fleet_cost([build])})
            yield FLEET_NOTATION.typed_option(
                context, draft, f"own.{one.number}", label, typed, adds=True, chosen=False
            )


def _build_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    """One more vessel of each kind and type."""
    for one in context.available_builds:
        key = "choice.build" if context.points else "choice.build.count"
        does = Text(f"does.{one.vessel}" if one.vessel != "galley" else f"does.galley.{one.holes}")
        told: dict[str, Param] = {"vessel": (points.build_name(one),), "cost": context.fleet_cost([one])}
        label = Text(key, {**told, "typed": one.text, "does": (does,)})
        yield FLEET_NOTATION.typed_option(
            context, draft, f"build.{one.text}", label, f"+{one.text}", adds=True, chosen=False
        )


def _removal_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    """One vessel fewer."""
    for one in dict.fromkeys(draft.fleet):
        bare = one._replace(crew="")
        plain = _vessel_name(context, bare) if one.crew_number else points.build_name(bare)
        label = Text("choice.drop", {"vessel": (plain,), "build": one.text})
        token = f"drop.{points.KEPT_MARK}{one.crew_number}" if one.crew_number else f"drop.{one.text}"
        yield FLEET_NOTATION.typed_option(context, draft, token, label, f"-{one.text}", chosen=False)


def _kept_crew(context: FleetContext, one: VesselBuild) -> crews.KeptCrew | None:
    """What the kept crew of a vessel has learnt; None: it is a fresh one."""
    known = context.record.crews if context.record else ()
    return next((kept.crew_state(crew) for crew in known if crew.number == one.crew_number), None)


def _may_choose(context: FleetContext, one: VesselBuild) -> bool:
    """Whether the captain may choose promotions for a crew: for points, or as it has earned or lost them (MX-4.4)."""
    crew = _kept_crew(context, one)
    return context.allows_promotions if crew is None else crews.promotions_due(crew) != 0


def _crew_choice_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    """Whose crew is to have promotions."""
    known = {number: one for number, one in enumerate(draft.fleet, 1) if _may_choose(context, one)}
    if len(draft.fleet) > 1 and known:
        said = {
            str(number): Text(
                "choice.crew.own",
                {"crew": name_number(context.seat, one.crew_number), "vessel": (points.build_name(one),)},
            )
            if one.crew_number
            else Text("choice.crew", {"number": number, "vessel": one.text})
            for number, one in known.items()
        }
        yield from FLEET_NOTATION.focus_options(
            context, "crew", said, lambda at: move_focus(context, draft, at), str(draft.focus + 1)
        )


def _promotion_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    """A promotion more, or one fewer, of the crew in hand (MX-4.4)."""
    known = [number for number, one in enumerate(draft.fleet) if _may_choose(context, one)]
    if not known:
        return
    at = draft.focus if draft.focus in known else known[0]
    now = draft.fleet[at]
    if earned := _kept_crew(context, now):
        yield from _earned_options(context, draft, at, earned)
        return
    for letter in PROMOTION_LETTERS:
        has = letter in now.crew
        crew = "".join(one for one in PROMOTION_LETTERS if (one in now.crew) != (one == letter))
        fleet = (*draft.fleet[:at], now._replace(crew=crew), *draft.fleet[at + 1 :])
        fault = None if has else _crew_fault(context, fleet, crew)
        label = Text(f"choice.promote.{letter}")
        after = draft if fault else _with_fleet(draft, fleet)
        yield FLEET_NOTATION.make_option(context, after, f"promote.{letter}", label, fault=fault, chosen=has)


def _earned_options(context: FleetContext, draft: FleetDraft, at: int, crew: crews.KeptCrew) -> Iterator[Option]:
    """Another promotion in place of one that is chosen, for a crew that has earned it, or may keep it (MX-4.4, 4.6)."""
    now = draft.fleet[at]
    own = crew.promotions if crews.promotions_due(crew) > 0 else ""
    for letter in crews.promotions_open(crew):
        if letter in own:
            continue
        has = letter in now.crew
        others = [one for one in now.crew if one not in own]
        given = (
            now.crew
            if has
            else "".join(one for one in PROMOTION_LETTERS if one == letter or (one in now.crew and one != others[0]))
        )
        fleet = (*draft.fleet[:at], now._replace(crew=given), *draft.fleet[at + 1 :])
        label = Text(f"choice.promote.own.{letter}", {"crew": name_number(context.seat, now.crew_number)})
        yield FLEET_NOTATION.make_option(context, _with_fleet(draft, fleet), f"promote.{letter}", label, chosen=has)


def _crew_fault(context: FleetContext, fleet: Sequence[VesselBuild], crew: str) -> Fault | None:
    if len(crew) > MAX_PROMOTIONS:
        return IllegalOrder("too_many_promotions", "MX-4.4", piece=crew, most=MAX_PROMOTIONS).fault
    try:
        _refuse_excess(context, fleet)
    except OrderError as wrong:
        return wrong.fault
    return None


def sample_fleets(context: FleetContext) -> list[Fleet]:
    """The ready fleets, and the one of somebody who chooses none; with crews, one of veterans."""
    found = [
        Fleet(tuple(one.text for one in fleet)) for fleet in (context.default_fleet(), *ready_fleets(context).values())
    ]
    if context.allows_promotions:
        veteran = VesselBuild("galley", 6, "rc")
        found += [Fleet((veteran.text,))] if _fleet_fault(context, [veteran]) is None else []
    for own in [*_single_crew_fleets(context), last_fleet(context)]:
        if own and _fleet_fault(context, own) is None:
            found.append(Fleet(tuple(one.text for one in own)))
    return list(dict.fromkeys(found))


def _single_crew_fleets(context: FleetContext) -> list[tuple[VesselBuild, ...]]:
    """Each of the captain's crews that may be brought, alone."""
    return [
        (kept.build_with_crew(one),) for one in (context.record.crews if context.record else ()) if not one.elsewhere
    ]


def computer_fleet(context: FleetContext, die: int) -> Fleet:
    """One of the ready fleets, by a number: what computer captains bring."""
    known = list(ready_fleets(context).values())
    return Fleet(tuple(one.text for one in known[die % len(known)]) if known else _default_vessels(context))
