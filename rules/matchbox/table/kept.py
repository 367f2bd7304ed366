"""Crews that captains keep from game to game: how they come aboard, and what they bring home (MX-4.3 to 4.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct, structs

from rules.errors import IllegalOrder, UnreadableOrder
from rules.keepsakes import MOST, OWN_NOTE, HandedOn, Keepsake, name_of
from rules.matchbox.table import crews, points
from rules.matchbox.table.crews import Crew
from rules.matchbox.table.points import Build
from rules.matchbox.table.state import PROMOTIONS, Book, Kept, State
from rules.protocol import Seat, Step
from rules.reading import decoded
from rules.sides import seat_of
from rules.view import Param, Text

_XP_MOST: Final = 1_000_000
_MARK: Final = points.KEPT


class _Body(Struct, frozen=True, omit_defaults=True):
    """A crew as it is kept."""

    build: Annotated[str, Meta(max_length=3)]
    xp: Annotated[int, Meta(ge=0, le=_XP_MOST)] = 0
    promotions: str = ""
    battered: bool = False

    def __post_init__(self) -> None:
        """Raise `ValueError` for a crew that can't be."""
        build = points.read(self.build)
        if build.crew or build.battered or len(self.promotions) > len(crews.STEPS_XP):
            raise ValueError(f"{self.build} {self.promotions}")
        if self.promotions != "".join(one for one in PROMOTIONS if one in self.promotions):
            raise ValueError(self.promotions)


class _Note(Struct, frozen=True, omit_defaults=True):
    """What is kept of the captain."""

    fleet: Annotated[str, Meta(max_length=200)] = ""
    wishes: str = ""

    def __post_init__(self) -> None:
        """Raise `ValueError` for wishes that nobody can have had."""
        if self.wishes and not is_wish(self.wishes):
            raise ValueError(self.wishes)


def book_of(keepsakes: Sequence[Keepsake]) -> Book:
    """What a captain brings. Raises `UnreadableOrder` if nobody can have kept that."""
    found, note = list[Kept](), _Note()
    for one in keepsakes[: MOST + 1]:
        if one.number == OWN_NOTE:
            note = decoded(one.body, _Note, "json", "bad_keepsake")
            continue
        found.append(_kept(one))
    if len({one.number for one in found}) < len(found) or len(keepsakes) > MOST + 1:
        raise UnreadableOrder("bad_keepsake", piece=str(len(keepsakes)))
    return Book(crews=tuple(found), last=note.fleet, wishes=note.wishes)


def _kept(one: Keepsake) -> Kept:
    """A crew as its captain brings it. Raises `UnreadableOrder`."""
    body = decoded(one.body, _Body, "json", "bad_keepsake", piece=str(one.number))
    return Kept(
        number=one.number,
        build=body.build,
        xp=body.xp,
        promotions=body.promotions,
        battered=body.battered,
        elsewhere=one.elsewhere,
    )


def crew_of(one: Kept) -> Crew:
    """What it has learnt."""
    return Crew(xp=one.xp, promotions=one.promotions, battered=one.battered)


def manned(one: Kept, letters: str | None = None, wishes: str = "") -> Build:
    """A kept crew with its vessel, as it may be put into a fleet: each promotion costs a point (MX-4.4).

    With these promotions, or those that its captain wishes first (part 7). Raises `IllegalOrder` for promotions that it
    has not earned, or if it has earned others, too.
    """
    crew = crew_of(one)
    chosen = crews.settled(crew, wishes).promotions if letters is None else letters
    if letters is not None and not crews.may_have(crew, letters):
        raise IllegalOrder(
            "no_such_choice_of_promotion", "MX-4.4", piece=letters, xp=one.xp, expected=", ".join(crews.open_to(crew))
        )
    return points.read(one.build)._replace(crew=chosen, kept=one.number, battered=one.battered)


def read(book: Book, text: str) -> Build:
    """A kept crew from its text, such as `c3` or `c3{rm}`. Raises `OrderError`."""
    number, brace, letters = text.strip().lower().removeprefix(_MARK).removesuffix("}").partition("{")
    found = next((one for one in book.crews if number == str(one.number)), None)
    if found is None:
        legal = ", ".join(f"{_MARK}{one.number}" for one in book.crews)
        raise UnreadableOrder("no_such_crew", piece=text[:20], expected=legal)
    if found.elsewhere:
        raise IllegalOrder("crew_elsewhere", "MX-4.3", piece=text[:20])
    return manned(found, letters if brace else None, book.wishes)


def is_kept(text: str) -> bool:
    """Whether a vessel is written as one of a kept crew."""
    return text.lower().startswith(_MARK)


def aboard(book: Book, vessels: Sequence[str]) -> tuple[Build, ...]:
    """The vessels of a fleet that was chosen, each with her crew."""
    return tuple(read(book, one) if is_kept(one) else points.read(one) for one in vessels)


def held(state: State) -> dict[Seat, tuple[int, ...]]:
    """The crews that can't go to sea in another game meanwhile: while fleets are chosen, all that may still be."""
    if not state.kept or state.outcome:
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


def entered(before: State, step: Step) -> Step:
    """The step, with what vessels have learnt in it (MX-4.3) added up; nothing in a game without kept crews."""
    if not before.kept or before.phase == "choosing":
        return step
    sides = {galley.id: galley.side for galley in (*before.lost, *before.galleys)}
    own = {name: before.sides[seat_of(name)] for name in before.builds or {}}
    learnt = crews.deeds(before.learnt or {}, own, {**own, **sides}, step.events)
    return Step(structs.replace(step.state, learnt=learnt), step.events) if learnt else step


def handed_on(state: State, *, taught: bool) -> dict[Seat, tuple[HandedOn, ...]]:
    """What becomes of each captain's crews; in a game that has not `taught` anything, none learns, but any may be lost.

    Not the winners' own: the enemy could bring fresh vessels, do harm, and give up before anybody can learn.

    A crew that stayed at home is no longer battered (MX-4.7), if the game has taught. A fresh vessel's crew is kept if
    it has learnt something.
    """
    if not state.kept or not state.builds:
        return {}
    fleets: dict[Seat, dict[str, Build]] = {}
    for name, build in state.builds.items():
        fleets.setdefault(seat_of(name), {})[name] = points.read(build)
    return {
        seat: tuple(_of_captain(state, seat, fleets[seat], taught=taught))
        for seat in range(len(state.kept))
        if seat in fleets
    }


def listed(body: str, *, away: bool = False) -> Text:
    """A kept crew in words. Raises `UnreadableOrder`.

    Of one that is `away`, in a game, not which promotions it may choose: it has done so there, or still may.
    """
    one = _kept(Keepsake(number=1, body=body))
    crew = crew_of(one)
    build = points.read(one.build)._replace(crew=one.promotions)
    what = tuple(_standing(crew, choosing=not away))
    return Text(
        "kept.listed.more" if what else "kept.listed", {"vessel": (points.name_of(build),), "xp": one.xp, "what": what}
    )


def _of_captain(state: State, seat: Seat, fleet: Mapping[str, Build], *, taught: bool) -> Iterator[HandedOn]:
    book = (state.kept or ())[seat]
    known, numbers = {one.number: one for one in book.crews}, state.aboard or {}
    room, turned_away, none = MOST - len(book.crews), 0, list[str]()
    afloat, lost = {galley.id: galley for galley in state.galleys}, {galley.id for galley in state.lost}
    won = state.outcome is not None and seat in state.outcome.winners
    for name, build in fleet.items():
        one = known.get(numbers.get(name, -1))
        before = structs.replace(crew_of(one), promotions=build.crew) if one else Crew()
        ended = afloat.get(name)
        waits = ended is None and name not in lost and seat not in state.conceded  # she was never set down
        floats = waits or (ended is not None and ended.side == state.sides[seat])
        learnt = (state.learnt or {}).get(name, 0)
        gained = crews.gained(learnt, home=floats, won=won) if taught else 0
        spared = waits or (won and not taught and seat not in state.conceded)
        after = before if spared else crews.aftermath(before, gained, ended if floats else None)
        if before.battered and floats and not taught:
            after = structs.replace(after, battered=True)  # as for who stayed at home, it was no game to get over it in
        if one:
            told = _told(seat, one, name, after, gained, lost=not (floats or spared), taught=taught)
            yield HandedOn(number=one.number, body=_body(one.build, after), told=told)
        elif after.xp and room <= 0:
            turned_away += 1
        elif after.xp:
            room -= 1
            plain = build._replace(crew="", battered=False).text
            what = (Text("kept.has", {"xp": after.xp}), *_standing(after))
            told = (Text("kept.new", {"seat": seat, "galley": name, "what": what}),)
            yield HandedOn(number=None, body=_body(plain, after), told=told)
        elif taught:
            none.append(name)
    sailed = {numbers[name] for name in fleet if name in numbers}
    for one in book.crews:
        if taught and one.battered and one.number not in sailed and not one.elsewhere:
            rested = structs.replace(crew_of(one), battered=False)
            yield HandedOn(number=one.number, body=_body(one.build, rested))
    last = (f"{_MARK}{numbers[name]}" if name in numbers else build.text for name, build in fleet.items())
    note = _Note(fleet=" ".join(last), wishes=book.wishes)
    full = [Text("kept.full", {"seat": seat, "count": turned_away, "most": MOST})] if turned_away else []
    full += [Text("kept.none", {"seat": seat, "galleys": ", ".join(none)})] if none else []
    yield HandedOn(number=OWN_NOTE, body=msgspec.json.encode(note).decode(), told=tuple(full))


def _told(
    seat: Seat, one: Kept, galley: str, after: Crew, gained: int, *, lost: bool, taught: bool
) -> tuple[Text, ...]:
    """What a crew brings home, in a sentence; nothing if all is as it was in a game that has `taught` nothing."""
    counted: dict[str, Param] = {"gained": gained, "total": one.xp + gained, "xp": after.xp}
    what = [Text("kept.lost.gained" if gained else "kept.lost", counted)] if lost else []
    what += [Text("kept.gained", {"gained": gained, "xp": after.xp})] if gained and not lost else []
    what += [Text("kept.same", {"xp": after.xp})] if taught and not what else []
    what += _standing(after)
    crew = name_of(seat, one.number)
    return (Text("kept.crew", {"crew": crew, "galley": galley, "what": tuple(what)}),) if what else ()


def _standing(crew: Crew, *, choosing: bool = True) -> Iterator[Text]:
    """What is particular about a crew: it is battered, it may choose, or must give up, promotions."""
    if crew.battered:
        yield Text("kept.battered")
    due = crews.due(crew) if choosing else 0
    if due:
        yield Text("kept.due" if due > 0 else "kept.owes", {"count": abs(due)})


def _body(build: str, crew: Crew) -> str:
    body = _Body(build=build, xp=min(crew.xp, _XP_MOST), promotions=crew.promotions, battered=crew.battered)
    return msgspec.json.encode(body).decode()


def is_wish(text: str) -> bool:
    """Whether these are letters of promotions in an order of wishes, each once (part 7)."""
    return bool(text) and len(set(text)) == len(text) and set(text) <= set(PROMOTIONS)
