"""A captain's fleet while it is chosen in secret, for points or of a fixed size (MX-4.1).

A draft is text such as `5 5 8h`. Each vessel is written as in a position: oar holes on each side, the letter of its
kind, and promotions, as in `6{rm}`. A vessel with a kept crew is `c3{rm}`. The focus is the number of the vessel whose
crew is shown.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Final

from msgspec import Struct, structs

from rules.core.errors import Fault, IllegalOrder, OrderError, Scalar, UnreadableOrder, quote_excerpt
from rules.core.keepsakes import name_number
from rules.core.protocol import Choices, Draft, Option, Seat
from rules.core.view import Param, Text
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row, drop_empty, select_menu
from rules.matchbox.engine import kept, placing, points
from rules.matchbox.engine.kinds import KINDS, NAME_BY_LETTER
from rules.matchbox.engine.points import MAX_VESSELS, VesselBuild
from rules.matchbox.engine.state import PROMOTION_LETTERS, CaptainRecord, Fleet, State, sort_promotions
from rules.matchbox.interface.standing_orders import refuse_early

MAX_PROMOTIONS: Final = 3  # promotions of one crew (MX-4.4)
_COUNT_PATTERN: Final = re.compile(r"(?P<count>[1-9][0-9]?)\s*[x×*]\s*")
"""Precedes a vessel to repeat it, such as `3x5`."""
_WISHES_PREFIX: Final = "wishes="  # precedes letters of preferred promotions
_MAX_LISTED_SINGLY: Final = 5  # vessels that fit on one line of a phone
_SPARE_POINTS_DIVISOR: Final = 36  # a ready fleet may leave one point unspent for this many of the budget
_TYPE_PATTERN: Final = re.compile(r"(?P<build>[0-9][a-z]?)/(?P<masts>[0-9])")
"""A type such as `5/3`. The number of masts follows from the oars and may be omitted."""


class FleetContext(Struct, frozen=True):
    """A seat's limits for a fleet."""

    points: int  # the budget; 0: no points, and exactly `max_vessels` vessels
    max_vessels: int  # the most vessels that a captain may bring
    allows_special: bool  # whether kinds other than galleys may be brought
    allows_promotions: bool  # whether any crew may buy promotions
    allows_boarding: bool  # whether the game has boarding, which makes towered galleys more expensive (MX-4.2)
    record: CaptainRecord | None = None  # the captain's kept crews; None: the game keeps none
    seat: Seat = 0  # the seat whose captain chooses

    def fleet_cost(self, fleet: Sequence[VesselBuild]) -> int:
        return sum(points.build_cost(build, boarding=self.allows_boarding) for build in fleet)

    @property
    def available_builds(self) -> tuple[VesselBuild, ...]:
        kinds = KINDS.items() if self.allows_special else [("galley", KINDS["galley"])]
        return tuple(
            VesselBuild(NAME_BY_LETTER[kind.letter], holes) for _, kind in kinds for holes in kind.masts_by_holes
        )

    def default_fleet(self) -> tuple[VesselBuild, ...]:
        """Return the fleet of a captain who chooses none."""
        plain = points.default_fleet(self.points) if self.points else (VesselBuild("galley", 5),) * self.max_vessels
        return plain[: self.max_vessels]


def fleet_context(state: State, seat: Seat) -> FleetContext:
    """Return a seat's limits. The vessels must fit into the deployment area (MB-2.3, MX-1.7)."""
    room = min(MAX_VESSELS, placing.surely_placeable(state, seat))
    spend = state.points or 0
    return FleetContext(
        points=spend,
        max_vessels=room if spend else state.galleys_each,
        allows_special=state.vessels is True,
        allows_promotions=state.crews is True and not state.kept,
        allows_boarding=state.allows_boarding,
        record=state.kept[seat] if state.kept else None,
        seat=seat,
    )


def request_params(state: State, seat: Seat) -> dict[str, Scalar]:
    rules = fleet_context(state, seat)
    return {"points": rules.points, "vessels": rules.max_vessels}


class FleetDraft(Struct, frozen=True):
    fleet: tuple[VesselBuild, ...] = ()  # the vessels chosen so far
    focus: int = 0  # index of the vessel whose crew is shown
    wishes: str = ""  # new preferred promotions; empty: unchanged


def move_focus(_: FleetContext, draft: FleetDraft, focus: str) -> FleetDraft:
    """Return the draft with the focus on the vessel of this number, from 1; unchanged if `focus` is no such number."""
    is_number = focus.isdecimal() and 0 < int(focus) <= MAX_VESSELS
    return structs.replace(draft, focus=int(focus) - 1) if is_number else draft


def parse_into(context: FleetContext, draft: FleetDraft, text: str) -> FleetDraft:
    """Return the draft with a typed fleet in its place. `+8h` adds a vessel, and `-5` removes one.

    Raises `OrderError` for unreadable text, and for a fleet that is too expensive or too large (MX-4.1).
    """
    refuse_early(text)
    fleet = list(draft.fleet)
    # Spaces around the sign of a count and before promotions do not separate pieces: `3 x 5` is `3x5`.
    joined = re.sub(r"(?<=[x×*])\s+|\s+(?=[x×*{])", "", text.strip())
    pieces = joined.replace(",", " ").replace(";", " ").split()
    wishes = _parse_wishes(context, pieces)
    context = _with_wishes(context, wishes or draft.wishes)
    if wishes:
        pieces = [piece for piece in pieces if not piece.startswith(_WISHES_PREFIX)]
    if pieces and pieces[0][0] not in "+-":
        fleet = []
    for piece in pieces:
        unsigned = piece.lstrip("+-")
        count_match = _COUNT_PATTERN.match(unsigned)
        count = int(count_match["count"]) if count_match else 1
        build_text = unsigned[count_match.end() :] if count_match else unsigned
        build = _parse_build(context, build_text, piece)
        if piece.startswith("-"):
            # A kept crew is the same whatever promotions are typed; it has a number above 0.
            matching = [each for each in fleet if each == build or 0 < each.crew_number == build.crew_number]
            if len(matching) < count:
                raise IllegalOrder("no_such_vessel_in_fleet", "MX-4.1", piece=quote_excerpt(piece))
            for each in matching[:count]:
                fleet.remove(each)
        else:
            fleet += [build] * count
    _refuse_excess(context, fleet)
    return FleetDraft(tuple(fleet), min(draft.focus, max(0, len(fleet) - 1)), wishes or draft.wishes)


def _with_wishes(context: FleetContext, wishes: str) -> FleetContext:
    if not context.record or not wishes:
        return context
    return structs.replace(context, record=structs.replace(context.record, wishes=wishes))


def _parse_wishes(context: FleetContext, pieces: Sequence[str]) -> str:
    """Return the preferred promotions among typed pieces, or an empty string. Raises `UnreadableOrder`."""
    typed = [piece.removeprefix(_WISHES_PREFIX) for piece in pieces if piece.startswith(_WISHES_PREFIX)]
    if not context.record or not typed:
        return ""
    wishes = typed[-1]
    if not kept.is_wish(wishes):
        raise UnreadableOrder("bad_wishes", piece=quote_excerpt(wishes), expected=PROMOTION_LETTERS)
    return wishes


def _parse_build(context: FleetContext, text: str, piece: str) -> VesselBuild:
    """Return the vessel in `text`, such as `8h` or `5/3{rm}`. `piece` is all that was typed, for refusals."""
    if context.record and kept.is_kept(text):
        return kept.parse_kept_crew(context.record, text)
    lowered = text.strip().lower()
    type_match = _TYPE_PATTERN.match(lowered)
    build_text = type_match["build"] + lowered[type_match.end() :] if type_match else lowered
    legal = ", ".join(available.text for available in context.available_builds)
    # The refusal mentions promotions only where they can be bought.
    unknown_code = "bad_manned_build" if context.allows_promotions else "bad_build"
    try:
        build = points.parse_build(build_text)
    except OrderError:
        raise UnreadableOrder(unknown_code, piece=quote_excerpt(piece), expected=legal) from None
    if build.is_battered or (
        type_match and int(type_match["masts"]) != KINDS[build.vessel].masts_by_holes[build.holes]
    ):
        raise UnreadableOrder(unknown_code, piece=quote_excerpt(piece), expected=legal)
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
    """Raise `IllegalOrder` for a fleet that cannot become legal by adding vessels."""
    crew_numbers = [build.crew_number for build in fleet if build.crew_number]
    repeated_numbers = [number for number in crew_numbers if crew_numbers.count(number) > 1]
    if repeated_numbers:
        raise IllegalOrder("crew_twice", "MX-4.1", piece=f"{points.KEPT_MARK}{repeated_numbers[0]}")
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
    """Return the fleet of a draft. Raises `IllegalOrder` if it may not be brought (MX-4.1)."""
    fleet = draft.fleet
    if not context.points and len(fleet) < context.max_vessels:
        raise IllegalOrder(
            "too_few_vessels", "MX-4.1", piece=points.format_fleet(fleet), given=len(fleet), most=context.max_vessels
        )
    points.check_fleet(fleet, context.points or context.fleet_cost(fleet), boarding=context.allows_boarding)
    return Fleet(tuple(build.text for build in fleet), draft.wishes)


def _format_fleet(vessels: Sequence[str], wishes: str) -> str:
    return " ".join([*vessels, f"{_WISHES_PREFIX}{wishes}"] if wishes else vessels)


FLEET_NOTATION: Final[AnswerNotation[State, FleetContext, FleetDraft, Fleet]] = AnswerNotation(
    context=lambda state, request: fleet_context(state, request.seat),
    empty_draft=lambda _: FleetDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: Draft(
        _format_fleet([build.text for build in draft.fleet], draft.wishes), str(draft.focus + 1) if draft.focus else ""
    ),
    complete_answer=complete_fleet,
    format_answer=lambda fleet: _format_fleet(fleet.vessels, fleet.wishes),
    move_focus=move_focus,
)


def default_fleet(context: FleetContext) -> Fleet:
    """Return as many 5/3 as affordable. Kept crews stay at home unless their captain chooses them."""
    return Fleet(tuple(build.text for build in context.default_fleet()))


def last_fleet(context: FleetContext) -> tuple[VesselBuild, ...]:
    """Return the captain's previous fleet with its crews' current promotions; empty: no longer possible."""
    if not context.record or not context.record.last:
        return ()
    try:
        return tuple(_parse_build(context, text, text) for text in context.record.last.split())
    except OrderError:
        return ()


def ready_fleets(context: FleetContext) -> dict[str, tuple[VesselBuild, ...]]:
    """Return ready fleets by key. With points, each spends all but one in 36, so that they are equally strong."""
    fleets_by_key: dict[str, tuple[VesselBuild, ...]] = {}
    for key, pattern in _ready_patterns(context).items():
        builds = [points.parse_build(text) for text in pattern.split()]
        fleet = _fill_pattern(context, builds) if set(builds) <= set(context.available_builds) else ()
        points_left = context.points - context.fleet_cost(fleet) if context.points else 0
        spends_enough = points_left * _SPARE_POINTS_DIVISOR <= context.points
        is_new = fleet not in fleets_by_key.values()
        is_legal = fleet_fault(context, fleet) is None
        if fleet and spends_enough and is_new and is_legal:
            fleets_by_key[key] = fleet
    return fleets_by_key


def is_even_fleet(context: FleetContext, fleet: Fleet) -> bool:
    """Return whether a fleet is one of several balanced ready fleets for points."""
    ready_texts = [tuple(build.text for build in ready) for ready in ready_fleets(context).values()]
    return context.points > 0 and len(ready_texts) > 1 and fleet.vessels in ready_texts


def _ready_patterns(context: FleetContext) -> dict[str, str]:
    if not context.points:
        return points.READY_FLEETS_BY_NUMBER
    return points.READY_FLEETS if context.allows_special else points.READY_FLEETS_PLAIN


def _fill_pattern(context: FleetContext, pattern: Sequence[VesselBuild]) -> tuple[VesselBuild, ...]:
    """Repeat the pattern while its next vessel fits, then spend remaining points on the dearest fighting vessels."""
    fleet: list[VesselBuild] = []

    def fits(build: VesselBuild) -> bool:
        fire_ships = sum(own.vessel == "fire" for own in fleet)
        is_allowed = build.vessel != "fire" or fire_ships < math.ceil((len(fleet) + 1) / 3)
        is_affordable = not context.points or context.fleet_cost([*fleet, build]) <= context.points
        return is_allowed and is_affordable and len(fleet) < context.max_vessels

    for build in cycle(pattern):
        if not fits(build):
            break
        fleet.append(build)
    fighting = [build for build in context.available_builds if KINDS[build.vessel].is_fighting]
    for build in sorted(fighting, key=lambda build: -context.fleet_cost([build])):
        while context.points and fits(build):
            fleet.append(build)
    return tuple(fleet)


def fleet_fault(context: FleetContext, fleet: Sequence[VesselBuild]) -> Fault | None:
    try:
        _refuse_excess(context, fleet)
        complete_fleet(context, FleetDraft(tuple(fleet)))
    except OrderError as error:
        return error.fault
    return None


def draft_choices(context: FleetContext, draft: FleetDraft) -> Choices:
    """Return the options, the fleet in words with the points left, and what is missing."""
    fault = fleet_fault(context, draft.fleet)
    emptiness_fault = None if draft.fleet else Fault(kind="illegal", code="no_vessels_yet", piece="-")
    promotion_menus = (
        select_menu("crew", _crew_choice_options(context, draft)),
        select_menu("promote", _promotion_options(context, draft)),
    )
    vessel_menus = (
        select_menu("stock", _ready_options(context, draft)),
        select_menu("own", _crew_options(context, draft)),
        select_menu("build", _build_options(context, draft)),
        select_menu("drop", _removal_options(context, draft)),
    )
    clear = FLEET_NOTATION.make_option(context, _with_fleet(draft, ()), "fleet.clear", fault=emptiness_fault)
    # Permanent choices come first, so that nobody seals without seeing them.
    is_promotion_due = any(_promotion_line(context, build) for build in draft.fleet)
    menus = (*promotion_menus, *vessel_menus) if is_promotion_due else (*vessel_menus, *promotion_menus)
    return Choices(
        groups=drop_empty(*menus, button_row("edit", [clear])),
        lines=draft_lines(context, draft),
        missing_parts=(Text(f"missing.fleet.{fault.code}", fault.params),) if fault else (),
    )


def draft_lines(context: FleetContext, draft: FleetDraft) -> tuple[Text, ...]:
    """Return a fleet in words, with its cost and the points left."""
    fleet = draft.fleet
    points_left = context.points - context.fleet_cost(fleet)
    summary = Text("line.fleet.count", {"most": context.max_vessels, "count": len(fleet)})
    fresh_vessels = [build for build in fleet if not build.crew_number]
    kept_crews = [build for build in fleet if build.crew_number]
    named = (*points.fleet_names(fresh_vessels), *(_vessel_name(context, build) for build in kept_crews))
    written: Param = points.format_fleet(fleet) if len(fleet) <= _MAX_LISTED_SINGLY else _format_counted(fleet)
    if kept_crews:
        written = tuple(_short_name(context, build) for build in fleet)
    params: dict[str, Param] = {"vessels": named, "written": written, "left": points_left, "points": context.points}
    vessels = [Text("line.fleet.costing" if context.points else "line.fleet", params)] if fleet else []
    wishes = tuple(Text(f"promotion.{letter}") for letter in draft.wishes)
    no_crews = [Text("line.own.none")] if context.record and not (context.record.crews or fleet) else []
    promotions = [line for build in fleet if (line := _promotion_line(context, build))]
    preferences = [Text("line.wishes", {"wishes": wishes})] if wishes else []
    return (*promotions, *vessels, summary, *no_crews, *preferences)


def _format_counted(fleet: Sequence[VesselBuild]) -> str:
    counts = Counter(each.text for each in fleet)
    return " ".join(f"{count}x{build}" if count > 1 else build for build, count in counts.items())


def draft_warnings(context: FleetContext, draft: FleetDraft) -> tuple[Text, ...]:
    """Return a warning if a legal fleet leaves enough points for another fighting vessel."""
    points_left = context.points - context.fleet_cost(draft.fleet)
    cheapest = min(context.fleet_cost([build]) for build in context.available_builds if KINDS[build.vessel].is_fighting)
    is_wasteful = context.points and points_left >= cheapest and fleet_fault(context, draft.fleet) is None
    return (Text("warn.fleet.unspent", {"left": points_left}),) if is_wasteful else ()


def _vessel_name(context: FleetContext, build: VesselBuild) -> Text:
    return Text("vessel.of_crew", _crew_params(context, build))


def _crew_params(context: FleetContext, build: VesselBuild) -> dict[str, Param]:
    return {"crew": name_number(context.seat, build.crew_number), "vessel": (points.build_name(build),)}


def _promotion_line(context: FleetContext, build: VesselBuild) -> Text | None:
    """Return a sentence with the promotions that a kept crew will gain or, if it must lose some, keep permanently.

    The captain may choose others if there is a choice. None: no promotions are due.
    """
    crew = _kept_crew(context, build)
    due = kept.promotions_due(crew) if crew else 0  # negative: promotions to lose
    if crew is None or not due:
        return None
    letters = [letter for letter in build.crew if due < 0 or letter not in crew.promotions]
    owing_key = "line.own.owes" if letters else "line.own.owes.all"
    key = "line.own.due" if due > 0 else owing_key
    skills = tuple(Text(f"promotion.{letter}") for letter in letters or crew.promotions)
    return Text(key, {"crew": name_number(context.seat, build.crew_number), "skills": skills})


def _short_name(context: FleetContext, build: VesselBuild) -> Text:
    if build.crew_number:
        return Text("fleet.crew", {"crew": name_number(context.seat, build.crew_number)})
    return Text("fleet.fresh", {"vessel": build.text})


def _with_fleet(draft: FleetDraft, fleet: Sequence[VesselBuild]) -> FleetDraft:
    return structs.replace(draft, fleet=tuple(fleet))


def _ready_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    """Yield options to bring the fleet of the captain's last game, or a ready fleet."""
    if last := last_fleet(context):
        label = Text("choice.stock.last", {"vessels": points.format_fleet(last), "spent": context.fleet_cost(last)})
        fault = fleet_fault(context, last)
        yield FLEET_NOTATION.make_option(
            context, _with_fleet(draft, last), "stock.last", label, fault=fault, chosen=last == draft.fleet
        )
    for key, fleet in ready_fleets(context).items():
        params: dict[str, Param] = {
            "name": (Text(f"stock.{key}"),),
            "vessels": points.format_fleet(fleet),
            "named": points.fleet_names(fleet),
            "spent": context.fleet_cost(fleet),
        }
        label = Text("choice.stock" if context.points else "choice.stock.count", params)
        yield FLEET_NOTATION.make_option(
            context, _with_fleet(draft, fleet), f"stock.{key}", label, chosen=fleet == draft.fleet
        )


def _crew_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    """Yield an option for each kept crew that is not in the fleet yet."""
    context = _with_wishes(context, draft.wishes)
    if context.record is None:
        return
    numbers_in_fleet = {build.crew_number for build in draft.fleet}
    for crew in context.record.crews:
        if crew.number not in numbers_in_fleet:
            build = kept.build_with_crew(crew, wishes=context.record.wishes)
            addition_text = f"+{points.KEPT_MARK}{crew.number}"
            params = {**_crew_params(context, build), "xp": crew.xp, "cost": context.fleet_cost([build])}
            label = Text("choice.own", params)
            yield FLEET_NOTATION.typed_option(
                context, draft, f"own.{crew.number}", label, addition_text, adds=True, chosen=False
            )


def _build_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    for build in context.available_builds:
        key = "choice.build" if context.points else "choice.build.count"
        purpose = Text(f"does.{build.vessel}" if build.vessel != "galley" else f"does.galley.{build.holes}")
        params: dict[str, Param] = {"vessel": (points.build_name(build),), "cost": context.fleet_cost([build])}
        label = Text(key, {**params, "typed": build.text, "does": (purpose,)})
        yield FLEET_NOTATION.typed_option(
            context, draft, f"build.{build.text}", label, f"+{build.text}", adds=True, chosen=False
        )


def _removal_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    for build in dict.fromkeys(draft.fleet):
        unpromoted = build._replace(crew="")
        vessel_name = _vessel_name(context, unpromoted) if build.crew_number else points.build_name(unpromoted)
        label = Text("choice.drop", {"vessel": (vessel_name,), "build": build.text})
        token = f"drop.{points.KEPT_MARK}{build.crew_number}" if build.crew_number else f"drop.{build.text}"
        yield FLEET_NOTATION.typed_option(context, draft, token, label, f"-{build.text}", chosen=False)


def _kept_crew(context: FleetContext, build: VesselBuild) -> kept.KeptCrew | None:  # None: a fresh crew
    known = context.record.crews if context.record else ()
    return next((kept.crew_state(crew) for crew in known if crew.number == build.crew_number), None)


def _may_choose(context: FleetContext, build: VesselBuild) -> bool:
    """Return whether promotions of a crew can be chosen: bought, or earned or lost by a kept crew (MX-4.4)."""
    crew = _kept_crew(context, build)
    return context.allows_promotions if crew is None else kept.promotions_due(crew) != 0


def _crew_choice_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    # Options that select the vessel whose promotions are shown.
    eligible = {number: build for number, build in enumerate(draft.fleet, 1) if _may_choose(context, build)}
    if len(draft.fleet) > 1 and eligible:
        labels: dict[str, Text] = {}
        for number, build in eligible.items():
            if build.crew_number:
                labels[str(number)] = Text("choice.crew.own", _crew_params(context, build))
            else:
                labels[str(number)] = Text("choice.crew", {"number": number, "vessel": build.text})
        yield from FLEET_NOTATION.focus_options(
            context, "crew", labels, lambda at: move_focus(context, draft, at), str(draft.focus + 1)
        )


def _promotion_options(context: FleetContext, draft: FleetDraft) -> Iterator[Option]:
    """Yield options to add or remove a promotion of the selected crew (MX-4.4)."""
    eligible = [index for index, build in enumerate(draft.fleet) if _may_choose(context, build)]
    if not eligible:
        return
    index = draft.focus if draft.focus in eligible else eligible[0]
    build = draft.fleet[index]
    if earned := _kept_crew(context, build):
        yield from _earned_options(context, draft, index, earned)
        return
    for letter in PROMOTION_LETTERS:
        is_chosen = letter in build.crew
        crew = sort_promotions({*build.crew} ^ {letter})
        fleet = (*draft.fleet[:index], build._replace(crew=crew), *draft.fleet[index + 1 :])
        fault = None if is_chosen else _crew_fault(context, fleet, crew)
        label = Text(f"choice.promote.{letter}")
        after = draft if fault else _with_fleet(draft, fleet)
        yield FLEET_NOTATION.make_option(context, after, f"promote.{letter}", label, fault=fault, chosen=is_chosen)


def _earned_options(context: FleetContext, draft: FleetDraft, at: int, crew: kept.KeptCrew) -> Iterator[Option]:
    """Yield options to exchange a promotion of the vessel at an index, if it has earned or must lose some (MX-4.4)."""
    build = draft.fleet[at]
    promotions_due = kept.promotions_due(crew)  # negative: promotions to lose
    permanent = crew.promotions if promotions_due > 0 else ""
    exchangeable = [each for each in build.crew if each not in permanent]
    for letter in kept.promotions_open(crew):
        is_chosen = letter in build.crew
        loses_all = promotions_due <= 0 and not is_chosen and not exchangeable
        if letter in permanent or loses_all:
            continue
        promotions = build.crew
        if not is_chosen:
            # The new promotion replaces the first one that may be exchanged.
            promotions = sort_promotions({*build.crew, letter} - {*exchangeable[:1]})
        fleet = (*draft.fleet[:at], build._replace(crew=promotions), *draft.fleet[at + 1 :])
        label = Text(f"choice.promote.own.{letter}", {"crew": name_number(context.seat, build.crew_number)})
        after = _with_fleet(draft, fleet)
        yield FLEET_NOTATION.make_option(context, after, f"promote.{letter}", label, chosen=is_chosen)


def _crew_fault(context: FleetContext, fleet: Sequence[VesselBuild], crew: str) -> Fault | None:
    if len(crew) > MAX_PROMOTIONS:
        return IllegalOrder("too_many_promotions", "MX-4.4", piece=crew, most=MAX_PROMOTIONS).fault
    try:
        _refuse_excess(context, fleet)
    except OrderError as error:
        return error.fault
    return None


def computer_fleet(context: FleetContext, die: int) -> Fleet:
    # A die chooses among the ready fleets.
    ready = list(ready_fleets(context).values())
    return Fleet(tuple(build.text for build in ready[die % len(ready)])) if ready else default_fleet(context)
