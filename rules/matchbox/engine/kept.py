"""Crews that captains keep from game to game: how they come aboard, and what they bring home (MX-4.3 to 4.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct, structs

from rules.core.errors import IllegalOrder, UnreadableOrder
from rules.core.keepsakes import MAX_KEEPSAKES, OWN_NOTE_NUMBER, Keepsake, KeepsakeUpdate, name_number
from rules.core.parsing import decode_checked
from rules.core.protocol import Seat, Step
from rules.core.sides import seat_of
from rules.core.view import Param, Text
from rules.matchbox.engine import crews, points
from rules.matchbox.engine.crews import KeptCrew
from rules.matchbox.engine.points import VesselBuild
from rules.matchbox.engine.state import PROMOTION_LETTERS, BroughtCrew, CaptainRecord, State

_MAX_XP: Final = 1_000_000
_KEPT_MARK: Final = points.KEPT_MARK


class _CrewBody(Struct, frozen=True, omit_defaults=True):
    """A crew as it is kept."""

    build: Annotated[str, Meta(max_length=3)]
    xp: Annotated[int, Meta(ge=0, le=_MAX_XP)] = 0
    promotions: str = ""
    battered: bool = False

    def __post_init__(self) -> None:
        """Raise `ValueError` for a crew that can't be."""
        build = points.parse_build(self.build)
        if build.crew or build.is_battered or len(self.promotions) > len(crews.PROMOTION_XP):
            raise ValueError(f"{self.build} {self.promotions}")
        if self.promotions != "".join(one for one in PROMOTION_LETTERS if one in self.promotions):
            raise ValueError(self.promotions)


class _CaptainNote(Struct, frozen=True, omit_defaults=True):
    """What is kept of the captain."""

    fleet: Annotated[str, Meta(max_length=200)] = ""
    wishes: str = ""

    def __post_init__(self) -> None:
        """Raise `ValueError` for wishes that nobody can have had."""
        if self.wishes and not is_wish(self.wishes):
            raise ValueError(self.wishes)


def record_from_keepsakes(keepsakes: Sequence[Keepsake]) -> CaptainRecord:
    """What a captain brings. Raises `UnreadableOrder` if nobody can have kept that."""
    found, note = list[BroughtCrew](), _CaptainNote()
    for one in keepsakes[: MAX_KEEPSAKES + 1]:
        if one.number == OWN_NOTE_NUMBER:
            note = decode_checked(one.body, _CaptainNote, "json", "bad_keepsake")
            continue
        found.append(_parse_kept_crew(one))
    if len({one.number for one in found}) < len(found) or len(keepsakes) > MAX_KEEPSAKES + 1:
        raise UnreadableOrder("bad_keepsake", piece=str(len(keepsakes)))
    return CaptainRecord(crews=tuple(found), last=note.fleet, wishes=note.wishes)


def _parse_kept_crew(one: Keepsake) -> BroughtCrew:
    """A crew as its captain brings it. Raises `UnreadableOrder`."""
    body = decode_checked(one.body, _CrewBody, "json", "bad_keepsake", piece=str(one.number))
    return BroughtCrew(
        number=one.number,
        build=body.build,
        xp=body.xp,
        promotions=body.promotions,
        battered=body.battered,
        elsewhere=one.elsewhere,
    )


def crew_state(one: BroughtCrew) -> KeptCrew:
    """What it has learnt."""
    return KeptCrew(xp=one.xp, promotions=one.promotions, is_battered=one.battered)


def build_with_crew(one: BroughtCrew, letters: str | None = None, wishes: str = "") -> VesselBuild:
    """A kept crew with its vessel, as it may be put into a fleet: each promotion costs a point (MX-4.4).

    With these promotions, or those that its captain wishes first (part 7). Raises `IllegalOrder` for promotions that it
    has not earned, or if it has earned others, too.
    """
    crew = crew_state(one)
    chosen = crews.with_promotions(crew, wishes).promotions if letters is None else letters
    if letters is not None and not crews.may_have(crew, letters):
        raise IllegalOrder(
            "no_such_choice_of_promotion",
            "MX-4.4",
            piece=letters,
            xp=one.xp,
            expected=", ".join(crews.promotions_open(crew)),
        )
    return points.parse_build(one.build)._replace(crew=chosen, crew_number=one.number, is_battered=one.battered)


def parse_kept_crew(book: CaptainRecord, text: str) -> VesselBuild:
    """A kept crew from its text, such as `c3` or `c3{rm}`. Raises `OrderError`."""
    number, brace, letters = text.strip().lower().removeprefix(_KEPT_MARK).removesuffix("}").partition("{")
    found = next((one for one in book.crews if number == str(one.number)), None)
    if found is None:
        legal = ", ".join(f"{_KEPT_MARK}{one.number}" for one in book.crews)
        raise UnreadableOrder("no_such_crew", piece=text[:20], expected=legal)
    if found.elsewhere:
        raise IllegalOrder("crew_elsewhere", "MX-4.3", piece=text[:20])
    return build_with_crew(found, letters if brace else None, book.wishes)


def is_kept(text: str) -> bool:
    """Whether a vessel is written as one of a kept crew."""
    return text.lower().startswith(_KEPT_MARK)


def man_fleet(book: CaptainRecord, vessels: Sequence[str]) -> tuple[VesselBuild, ...]:
    """The vessels of a fleet that was chosen, each with her crew."""
    return tuple(parse_kept_crew(book, one) if is_kept(one) else points.parse_build(one) for one in vessels)


def keepsakes_in_use(state: State) -> dict[Seat, tuple[int, ...]]:
    """The crews that can't go to sea in another game meanwhile: while fleets are chosen, all that may still be."""
    if not state.kept or state.result:
        return {}
    if state.phase == "choosing":
        return {
            seat: tuple(one.number for one in book.crews if not one.elsewhere and seat not in state.conceded)
            for seat, book in enumerate(state.kept)
        }
    found: dict[Seat, tuple[int, ...]] = dict.fromkeys(range(len(state.kept)), ())
    for galley, number in (state.aboard or {}).items():
        found[seat_of(galley)] = (*found[seat_of(galley)], number)
    return found


def with_experience(before: State, step: Step) -> Step:
    """The step, with what vessels have learnt in it (MX-4.3) added up; nothing in a game without kept crews."""
    if not before.kept or before.phase == "choosing":
        return step
    sides = {galley.id: galley.side for galley in (*before.lost, *before.galleys)}
    own = {name: before.sides[seat_of(name)] for name in before.builds or {}}
    learnt = crews.experience_by_deeds(before.learnt or {}, own, {**own, **sides}, step.events)
    return Step(structs.replace(step.state, learnt=learnt), step.events) if learnt else step


def keepsakes_after(state: State, *, taught: bool) -> dict[Seat, tuple[KeepsakeUpdate, ...]]:
    """What becomes of each captain's crews; in a game that has not `taught` anything, none learns, but any may be lost.

    Not the winners' own: the enemy could bring fresh vessels, do harm, and give up before anybody can learn.

    A crew that stayed at home is no longer battered (MX-4.7), if the game has taught. A fresh vessel's crew is kept if
    it has learnt something.
    """
    if not state.kept or not state.builds:
        return {}
    fleets: dict[Seat, dict[str, VesselBuild]] = {}
    for name, build in state.builds.items():
        fleets.setdefault(seat_of(name), {})[name] = points.parse_build(build)
    return {
        seat: tuple(_updates_of_captain(state, seat, fleets[seat], taught=taught))
        for seat in range(len(state.kept))
        if seat in fleets
    }


def describe_keepsake(body: str, *, away: bool = False) -> Text:
    """A kept crew in words. Raises `UnreadableOrder`.

    Of one that is `away`, in a game, not which promotions it may choose: it has done so there, or still may.
    """
    one = _parse_kept_crew(Keepsake(number=1, body=body))
    crew = crew_state(one)
    build = points.parse_build(one.build)._replace(crew=one.promotions)
    what = tuple(_condition_texts(crew, choosing=not away))
    return Text(
        "kept.listed.more" if what else "kept.listed",
        {"vessel": (points.build_name(build),), "xp": one.xp, "what": what},
    )


def _updates_of_captain(
    state: State, seat: Seat, fleet: Mapping[str, VesselBuild], *, taught: bool
) -> Iterator[KeepsakeUpdate]:
    book = (state.kept or ())[seat]
    known, numbers = {one.number: one for one in book.crews}, state.aboard or {}
    room, turned_away, none = MAX_KEEPSAKES - len(book.crews), 0, list[str]()
    afloat, lost = {galley.id: galley for galley in state.galleys}, {galley.id for galley in state.lost}
    won = state.result is not None and seat in state.result.winners
    for name, build in fleet.items():
        one = known.get(numbers.get(name, -1))
        before = structs.replace(crew_state(one), promotions=build.crew) if one else KeptCrew()
        ended = afloat.get(name)
        waits = ended is None and name not in lost and seat not in state.conceded  # she was never set down
        floats = waits or (ended is not None and ended.side == state.sides[seat])
        learnt = (state.learnt or {}).get(name, 0)
        gained = crews.experience_gained(learnt, home=floats, won=won) if taught else 0
        spared = waits or (won and not taught and seat not in state.conceded)
        after = before if spared else crews.crew_after_game(before, gained, ended if floats else None)
        if before.is_battered and floats and not taught:
            after = structs.replace(
                after, is_battered=True
            )  # as for who stayed at home, it was no game to get over it in
        if one:
            told = _update_sentences(seat, one, name, after, gained, lost=not (floats or spared), taught=taught)
            yield KeepsakeUpdate(number=one.number, body=_encode_body(one.build, after), sentences=told)
        elif after.xp and room <= 0:
            turned_away += 1
        elif after.xp:
            room -= 1
            plain = build._replace(crew="", is_battered=False).text
            what = (Text("kept.has", {"xp": after.xp}), *_condition_texts(after))
            told = (Text("kept.new", {"seat": seat, "galley": name, "what": what}),)
            yield KeepsakeUpdate(number=None, body=_encode_body(plain, after), sentences=told)
        elif taught:
            none.append(name)
    sailed = {numbers[name] for name in fleet if name in numbers}
    for one in book.crews:
        if taught and one.battered and one.number not in sailed and not one.elsewhere:
            rested = structs.replace(crew_state(one), is_battered=False)
            yield KeepsakeUpdate(number=one.number, body=_encode_body(one.build, rested))
    last = (f"{_KEPT_MARK}{numbers[name]}" if name in numbers else build.text for name, build in fleet.items())
    note = _CaptainNote(fleet=" ".join(last), wishes=book.wishes)
    full = [Text("kept.full", {"seat": seat, "count": turned_away, "most": MAX_KEEPSAKES})] if turned_away else []
    full += [Text("kept.none", {"seat": seat, "galleys": ", ".join(none)})] if none else []
    yield KeepsakeUpdate(number=OWN_NOTE_NUMBER, body=msgspec.json.encode(note).decode(), sentences=tuple(full))


def _update_sentences(
    seat: Seat, one: BroughtCrew, galley: str, after: KeptCrew, gained: int, *, lost: bool, taught: bool
) -> tuple[Text, ...]:
    """What a crew brings home, in a sentence; nothing if all is as it was in a game that has `taught` nothing."""
    counted: dict[str, Param] = {"gained": gained, "total": one.xp + gained, "xp": after.xp}
    what = [Text("kept.lost.gained" if gained else "kept.lost", counted)] if lost else []
    what += [Text("kept.gained", {"gained": gained, "xp": after.xp})] if gained and not lost else []
    what += [Text("kept.same", {"xp": after.xp})] if taught and not what else []
    what += _condition_texts(after)
    crew = name_number(seat, one.number)
    return (Text("kept.crew", {"crew": crew, "galley": galley, "what": tuple(what)}),) if what else ()


def _condition_texts(crew: KeptCrew, *, choosing: bool = True) -> Iterator[Text]:
    """What is particular about a crew: it is battered, it may choose, or must give up, promotions."""
    if crew.is_battered:
        yield Text("kept.battered")
    due = crews.promotions_due(crew) if choosing else 0
    if due:
        yield Text("kept.due" if due > 0 else "kept.owes", {"count": abs(due)})


def _encode_body(build: str, crew: KeptCrew) -> str:
    body = _CrewBody(build=build, xp=min(crew.xp, _MAX_XP), promotions=crew.promotions, battered=crew.is_battered)
    return msgspec.json.encode(body).decode()


def is_wish(text: str) -> bool:
    """Whether these are letters of promotions in an order of wishes, each once (part 7)."""
    return bool(text) and len(set(text)) == len(text) and set(text) <= set(PROMOTION_LETTERS)
