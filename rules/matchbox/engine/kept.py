"""Crews that captains keep from game to game: how they enter a game, and how it changes them (MX-4.3 to 4.7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta, Struct, structs

from rules.core.errors import IllegalOrder, UnreadableOrder, decode_checked
from rules.core.keepsakes import MAX_KEEPSAKES, OWN_NOTE_NUMBER, Keepsake, KeepsakeUpdate, name_number
from rules.core.protocol import Event, Seat, Step
from rules.core.sides import seat_of
from rules.core.view import Param, Text
from rules.matchbox.engine import points
from rules.matchbox.engine.events import HouseBurnt, ShipCaptured, ShipLeft, ShipRammed, ShipSunk, VolleyDropped
from rules.matchbox.engine.points import VesselBuild
from rules.matchbox.engine.state import (
    PROMOTION_LETTERS,
    BroughtCrew,
    CaptainRecord,
    Galley,
    State,
    TableSide,
    sort_promotions,
)

PROMOTION_XP: Final = (4, 9, 16)  # experience needed for one, two and three promotions (MX-4.4)
DEFAULT_WISHES: Final = "rmcbp"  # the order of promotions for captains who state no wishes
MAX_XP_PER_GAME: Final = 6  # MX-4.3
_INSTRUCTIVE_DAMAGE: Final = 3  # damage of a ram, or hits of a volley, that give experience (MX-4.3)
_CAPTURE_XP: Final = 2


class KeptCrew(Struct, frozen=True, kw_only=True):
    """A crew between two games. It keeps the name of its vessel."""

    xp: int = 0  # experience points gained in all games
    promotions: str = ""  # letters of its promotions, in the order r m b p c (MX-4.5)
    is_battered: bool = False
    """Whether it begins the next game with one oar less on each side, unless it stays at home (MX-4.7)."""


def promotions_due(crew: KeptCrew) -> int:
    """Return how many promotions a crew may still choose (MX-4.4); negative: must lose (MX-4.6)."""
    return _promotions_earned(crew) - len(crew.promotions)


def _promotions_earned(crew: KeptCrew) -> int:
    return sum(crew.xp >= needed_xp for needed_xp in PROMOTION_XP)


def crew_after_game(crew: KeptCrew, gained: int, galley: Galley | None) -> KeptCrew:
    """Return the crew after a game, before its captain chooses promotions to give up.

    If its galley is lost (None), the crew keeps half of its experience (MX-4.6), and its new vessel is undamaged. A
    galley with half of its oars or fewer is battered (MX-4.7).
    """
    if galley is None:
        return structs.replace(crew, xp=(crew.xp + gained) // 2, is_battered=False)
    return structs.replace(crew, xp=crew.xp + gained, is_battered=galley.port + galley.starboard <= galley.holes)


def with_promotions(crew: KeptCrew, wishes: str) -> KeptCrew:
    """Return the crew with as many promotions as it has earned, by its captain's wishes.

    The crew keeps its promotions first, preferred ones before others, and then gets further ones in order of wishes.
    """
    owned_letters = (*(letter for letter in wishes if letter in crew.promotions), *crew.promotions)
    letters_by_preference = dict.fromkeys((*owned_letters, *wishes, *DEFAULT_WISHES))
    return structs.replace(crew, promotions=sort_promotions([*letters_by_preference][: _promotions_earned(crew)]))


def promotions_open(crew: KeptCrew) -> str:
    """Return the letters that may be chosen: all of them, only its own if the crew must lose some, or none."""
    due = promotions_due(crew)
    if due < 0:
        return crew.promotions
    return PROMOTION_LETTERS if due else ""


def may_have(crew: KeptCrew, letters: str) -> bool:
    """Return whether a crew can have exactly these promotions, keeping its own (MX-4.4, 4.6)."""
    is_sorted = letters == sort_promotions(letters)
    owned, requested = set(crew.promotions), set(letters)
    keeps_or_loses = owned <= requested or requested <= owned
    return is_sorted and len(letters) == _promotions_earned(crew) and keeps_or_loses


def experience_gained(learnt: int, *, home: bool, won: bool) -> int:
    """Return a crew's experience from a game (MX-4.3): for deeds, for coming `home` on its own side, for victory."""
    return min(MAX_XP_PER_GAME, learnt + home + won)


def experience_by_deeds(
    learnt: Mapping[str, int],
    home_sides: Mapping[str, TableSide],
    sides: Mapping[str, TableSide],
    events: Iterable[Event],
) -> dict[str, int]:
    """Return experience by vessel id after these events (MX-4.3), without vessels that have none.

    `home_sides` are the vessels' sides when the game began, and `sides` those of all vessels before these events.
    """
    counter = _DeedCounter({**dict.fromkeys(home_sides, 0), **learnt}, home_sides, sides)
    for event in events:
        counter.count(event)
    return {name: xp for name, xp in counter.xp.items() if xp}


class _DeedCounter:
    """Adds up what crews learn from events: damaging rams and volleys, sinkings, captures and goals (MX-4.3)."""

    def __init__(self, xp: dict[str, int], home_sides: Mapping[str, TableSide], sides: Mapping[str, TableSide]) -> None:
        self.xp = xp  # experience points by vessel id
        self._home_sides = home_sides  # each vessel's side when the game began
        self._side = dict(sides)  # each vessel's present side

    def count(self, event: Event) -> None:
        match event:
            case ShipRammed():
                self._add_xp(event.by, event.damage >= _INSTRUCTIVE_DAMAGE)
            case VolleyDropped():
                self._add_xp(event.by, event.hits >= _INSTRUCTIVE_DAMAGE)
            case ShipSunk():
                self._add_xp(event.by, self._side[event.by] != self._side[event.galley])
            case ShipCaptured():
                self._add_xp(event.by, _CAPTURE_XP)
                self._side[event.galley] = event.side
            case HouseBurnt() | ShipLeft():
                self._add_xp(event.galley, 1)

    def _add_xp(self, galley: str, xp: int) -> None:
        # A captured vessel has a prize crew, whose deeds do not count for the crew that lost the vessel.
        if self._side[galley] == self._home_sides[galley]:
            self.xp[galley] += xp


_MAX_XP: Final = 1_000_000
_KEPT_MARK: Final = points.KEPT_MARK


class _CrewBody(Struct, frozen=True, omit_defaults=True):
    build: Annotated[str, Meta(max_length=3)]  # its vessel: oar holes and the letter of its kind, such as `8h`
    xp: Annotated[int, Meta(ge=0, le=_MAX_XP)] = 0  # experience points
    promotions: str = ""  # letters of its promotions
    battered: bool = False  # whether its vessel begins with one oar less on each side

    def __post_init__(self) -> None:
        build = points.parse_build(self.build)
        if build.crew or build.is_battered or len(self.promotions) > len(PROMOTION_XP):
            raise ValueError(f"{self.build} {self.promotions}")
        if self.promotions != sort_promotions(self.promotions):
            raise ValueError(self.promotions)


class _CaptainNote(Struct, frozen=True, omit_defaults=True):
    fleet: Annotated[str, Meta(max_length=200)] = ""  # the captain's previous fleet, as text; empty: none
    wishes: str = ""  # letters of preferred promotions; empty: none

    def __post_init__(self) -> None:
        if self.wishes and not is_wish(self.wishes):
            raise ValueError(self.wishes)


def record_from_keepsakes(keepsakes: Sequence[Keepsake]) -> CaptainRecord:
    """Return what a captain brings. Raises `UnreadableOrder` if the keepsakes are invalid."""
    # A keepsake is a stored text: one for each crew, and one with the captain's own note.
    brought_crews: list[BroughtCrew] = []
    note = _CaptainNote()
    for keepsake in keepsakes[: MAX_KEEPSAKES + 1]:  # the note counts, too
        if keepsake.number == OWN_NOTE_NUMBER:
            note = decode_checked(keepsake.body, _CaptainNote, "json", "bad_keepsake")
            continue
        brought_crews.append(_parse_kept_crew(keepsake))
    crew_numbers = {crew.number for crew in brought_crews}
    if len(crew_numbers) < len(brought_crews) or len(keepsakes) > MAX_KEEPSAKES + 1:
        raise UnreadableOrder("bad_keepsake", piece=str(len(keepsakes)))
    return CaptainRecord(crews=tuple(brought_crews), last=note.fleet, wishes=note.wishes)


def _parse_kept_crew(keepsake: Keepsake) -> BroughtCrew:
    body = decode_checked(keepsake.body, _CrewBody, "json", "bad_keepsake", piece=str(keepsake.number))
    return BroughtCrew(
        number=keepsake.number,
        build=body.build,
        xp=body.xp,
        promotions=body.promotions,
        battered=body.battered,
        elsewhere=keepsake.elsewhere,
    )


def crew_state(brought: BroughtCrew) -> KeptCrew:
    return KeptCrew(xp=brought.xp, promotions=brought.promotions, is_battered=brought.battered)


def build_with_crew(brought: BroughtCrew, letters: str | None = None, wishes: str = "") -> VesselBuild:
    """Return a kept crew with its vessel. In a fleet each promotion costs a point (MX-4.4).

    It has the promotions `letters` or, if None, those that its captain prefers. Raises `IllegalOrder` if the
    crew has not earned these promotions, or has already chosen others.
    """
    crew = crew_state(brought)
    if letters is None:
        promotions = with_promotions(crew, wishes).promotions
    elif may_have(crew, letters):
        promotions = letters
    else:
        raise IllegalOrder(
            "no_such_choice_of_promotion",
            "MX-4.4",
            piece=letters,
            xp=brought.xp,
            expected=", ".join(promotions_open(crew)),
        )
    return points.parse_build(brought.build)._replace(
        crew=promotions, crew_number=brought.number, is_battered=brought.battered
    )


def parse_kept_crew(record: CaptainRecord, text: str) -> VesselBuild:
    """Return a kept crew from its text, such as `c3` or `c3{rm}`. Raises `OrderError`."""
    number_text, brace, letters = text.strip().lower().removeprefix(_KEPT_MARK).removesuffix("}").partition("{")
    brought = next((crew for crew in record.crews if number_text == str(crew.number)), None)
    if brought is None:
        legal = ", ".join(f"{_KEPT_MARK}{crew.number}" for crew in record.crews)
        raise UnreadableOrder("no_such_crew", piece=text[:20], expected=legal)
    if brought.elsewhere:
        raise IllegalOrder("crew_elsewhere", "MX-4.3", piece=text[:20])
    return build_with_crew(brought, letters if brace else None, record.wishes)


def is_kept(text: str) -> bool:  # whether it names a kept crew, such as `c3`, and not a fresh vessel
    return text.lower().startswith(_KEPT_MARK)


def man_fleet(record: CaptainRecord, vessels: Sequence[str]) -> tuple[VesselBuild, ...]:
    """Return the vessels of kept crews (texts such as `c3{rm}`) and fresh vessels (`5`, `8h`)."""
    return tuple(parse_kept_crew(record, text) if is_kept(text) else points.parse_build(text) for text in vessels)


def keepsakes_in_use(state: State) -> dict[Seat, tuple[int, ...]]:
    """Return the numbers of crews that cannot join another game. While fleets are chosen, all that may be chosen."""
    if not state.kept or state.result:
        return {}
    if state.phase == "choosing":
        return {
            seat: () if seat in state.conceded else tuple(crew.number for crew in record.crews if not crew.elsewhere)
            for seat, record in enumerate(state.kept)
        }
    numbers_by_seat: dict[Seat, tuple[int, ...]] = dict.fromkeys(range(len(state.kept)), ())
    for galley, number in (state.aboard or {}).items():
        seat = seat_of(galley)
        numbers_by_seat[seat] = (*numbers_by_seat[seat], number)
    return numbers_by_seat


def with_experience(before: State, step: Step) -> Step:
    """Return the step with experience from its events added (MX-4.3), unchanged without kept crews."""
    if not before.kept or before.phase == "choosing":
        return step
    current_sides = {galley.id: galley.side for galley in (*before.lost, *before.galleys)}
    home_sides = {name: before.sides[seat_of(name)] for name in before.builds or {}}
    learnt = experience_by_deeds(before.learnt or {}, home_sides, {**home_sides, **current_sides}, step.events)
    return Step(structs.replace(step.state, learnt=learnt), step.events) if learnt else step


def keepsakes_after(state: State, *, taught: bool) -> dict[Seat, tuple[KeepsakeUpdate, ...]]:
    """Return how each captain's crews change by a game, by seat.

    If the game has not `taught` anything, no crew learns, but any crew may be lost, except those of the winners.
    Otherwise an enemy with fresh vessels could do harm and give up before anybody can learn. A crew that stayed at home
    is no longer battered (MX-4.7) if the game has taught. A fresh vessel's crew is kept if it has learnt something.
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
    """Return a kept crew in words. Raises `UnreadableOrder`.

    For a crew that is `away` in a game, open promotions are omitted, because it may choose them there.
    """
    brought = _parse_kept_crew(Keepsake(number=1, body=body))
    crew = crew_state(brought)
    build = points.parse_build(brought.build)._replace(crew=brought.promotions)
    conditions = tuple(_condition_texts(crew, choosing=not away))
    return Text(
        "kept.listed.more" if conditions else "kept.listed",
        {"vessel": (points.build_name(build),), "xp": brought.xp, "what": conditions},
    )


class _CrewAfterGame(NamedTuple):
    galley: str  # id of its vessel in this game
    build: VesselBuild  # its vessel as it entered the game
    brought: BroughtCrew | None  # None: a fresh crew
    crew: KeptCrew  # experience, promotions and condition after the game
    gained: int  # experience points from this game
    is_lost: bool  # whether its vessel did not come home


def _updates_of_captain(
    state: State, seat: Seat, fleet: Mapping[str, VesselBuild], *, taught: bool
) -> Iterator[KeepsakeUpdate]:
    """Yield updates of a captain's crews, old and new, and of the note with the fleet to propose next time."""
    record = (state.kept or ())[seat]
    numbers = state.aboard or {}  # numbers of kept crews by vessel id
    crews_after = [_crew_after_game(state, seat, galley, build, taught=taught) for galley, build in fleet.items()]
    fresh_crews = [after for after in crews_after if not after.brought]
    experienced_crews = [after for after in fresh_crews if after.crew.xp]
    joining_crews = experienced_crews[: max(0, MAX_KEEPSAKES - len(record.crews))]
    for after in crews_after:
        if after.brought:
            yield _known_crew_update(seat, after.brought, after, taught=taught)
        elif after in joining_crews:
            yield _new_crew_update(seat, after)
    if taught:
        yield from _rested_crew_updates(record, {numbers[galley] for galley in fleet if galley in numbers})
    # The note names kept crews by their numbers, and other vessels by their builds.
    fleet_texts = (
        f"{_KEPT_MARK}{numbers[galley]}" if galley in numbers else build.text for galley, build in fleet.items()
    )
    note = _CaptainNote(fleet=" ".join(fleet_texts), wishes=record.wishes)
    sentences = []
    if turned_away := len(experienced_crews) - len(joining_crews):
        sentences.append(Text("kept.full", {"seat": seat, "count": turned_away, "most": MAX_KEEPSAKES}))
    if unskilled := [after.galley for after in fresh_crews if taught and not after.crew.xp]:
        sentences.append(Text("kept.none", {"seat": seat, "galleys": ", ".join(unskilled)}))
    yield KeepsakeUpdate(number=OWN_NOTE_NUMBER, body=msgspec.json.encode(note).decode(), sentences=tuple(sentences))


def _crew_after_game(state: State, seat: Seat, galley: str, build: VesselBuild, *, taught: bool) -> _CrewAfterGame:
    """Return what became of a vessel's crew. From a game that has not `taught` anything, no crew gains."""
    number = (state.aboard or {}).get(galley, -1)
    brought = next((crew for crew in (state.kept or ())[seat].crews if crew.number == number), None)
    before = structs.replace(crew_state(brought), promotions=build.crew) if brought else KeptCrew()
    afloat = next((ship for ship in state.galleys if ship.id == galley), None)
    has_conceded = seat in state.conceded
    was_lost = any(ship.id == galley for ship in state.lost)
    never_placed = afloat is None and not was_lost and not has_conceded
    came_home = never_placed or (afloat is not None and afloat.side == state.sides[seat])
    won = state.result is not None and seat in state.result.winners
    experience = (state.learnt or {}).get(galley, 0)
    gained = experience_gained(experience, home=came_home, won=won) if taught else 0
    is_spared = never_placed or (won and not taught and not has_conceded)  # the crew cannot be lost
    after = before if is_spared else crew_after_game(before, gained, afloat if came_home else None)
    if before.is_battered and came_home and not taught:
        after = structs.replace(after, is_battered=True)  # a crew recovers only in a game that teaches
    return _CrewAfterGame(galley, build, brought, after, gained, is_lost=not (came_home or is_spared))


def _known_crew_update(seat: Seat, brought: BroughtCrew, after: _CrewAfterGame, *, taught: bool) -> KeepsakeUpdate:
    sentences = _update_sentences(seat, brought, after, taught=taught)
    return KeepsakeUpdate(number=brought.number, body=_encode_body(brought.build, after.crew), sentences=sentences)


def _new_crew_update(seat: Seat, after: _CrewAfterGame) -> KeepsakeUpdate:
    vessel_text = after.build._replace(crew="", is_battered=False).text
    condition = (Text("kept.has", {"xp": after.crew.xp}), *_condition_texts(after.crew))
    sentences = (Text("kept.new", {"seat": seat, "galley": after.galley, "what": condition}),)
    return KeepsakeUpdate(number=None, body=_encode_body(vessel_text, after.crew), sentences=sentences)


def _rested_crew_updates(record: CaptainRecord, numbers_in_game: Collection[int]) -> Iterator[KeepsakeUpdate]:
    """Yield updates of crews that stayed at home and are no longer battered (MX-4.7)."""
    for brought in record.crews:
        if brought.battered and brought.number not in numbers_in_game and not brought.elsewhere:
            rested = structs.replace(crew_state(brought), is_battered=False)
            yield KeepsakeUpdate(number=brought.number, body=_encode_body(brought.build, rested))


def _update_sentences(seat: Seat, brought: BroughtCrew, after: _CrewAfterGame, *, taught: bool) -> tuple[Text, ...]:
    """Return a sentence on how a kept crew changed; empty: nothing changed and the game taught nothing."""
    xp, gained = after.crew.xp, after.gained
    changes: list[Text] = []
    if after.is_lost:
        figures: dict[str, Param] = {"gained": gained, "total": brought.xp + gained, "xp": xp}
        changes.append(Text("kept.lost.gained" if gained else "kept.lost", figures))
    elif gained:
        changes.append(Text("kept.gained", {"gained": gained, "xp": xp}))
    elif taught:
        changes.append(Text("kept.same", {"xp": xp}))
    changes += _condition_texts(after.crew)
    if not changes:
        return ()
    crew = name_number(seat, brought.number)
    return (Text("kept.crew", {"crew": crew, "galley": after.galley, "what": tuple(changes)}),)


def _condition_texts(crew: KeptCrew, *, choosing: bool = True) -> Iterator[Text]:
    # A crew may be due promotions, or owe some that it must give up (MX-4.4, 4.6).
    if crew.is_battered:
        yield Text("kept.battered")
    due = promotions_due(crew) if choosing else 0
    if due:
        yield Text("kept.due" if due > 0 else "kept.owes", {"count": abs(due)})


def _encode_body(build: str, crew: KeptCrew) -> str:
    body = _CrewBody(build=build, xp=min(crew.xp, _MAX_XP), promotions=crew.promotions, battered=crew.is_battered)
    return msgspec.json.encode(body).decode()


def is_wish(text: str) -> bool:
    """Return whether a text lists letters of promotions, each at most once."""
    return bool(text) and len(set(text)) == len(text) and set(text) <= set(PROMOTION_LETTERS)
