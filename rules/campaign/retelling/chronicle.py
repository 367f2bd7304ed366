"""The chronicle of a season: standings, public events of its turns, and the fiercest battle (CA-12.3, CA-13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from rules.campaign.engine.events import BattleEnded, BattleMet, TurnEnded
from rules.campaign.engine.sea.naming import battle_number, battle_request_id, captain_names, place_names
from rules.campaign.engine.sea.state import LAURELS_PER_WORTH, TURNS_PER_MONTH, Position, State
from rules.campaign.engine.turn import final_places as places_of
from rules.campaign.interface import make_view
from rules.campaign.interface.view import SeasonView
from rules.core.protocol import Event, Seat
from rules.core.sides import seat_of
from rules.core.view import Param, Text
from rules.interface.chronicle import Chronicle, ChronicleBattle, ChronicleChapter, ChronicleLine, FinalStanding


def compose_chronicle(first: State, last: State, rounds: Sequence[tuple[int, Sequence[Event]]]) -> Chronicle:
    """Return the public story of a finished season, from the states before and after it, and each turn's events."""
    start, end = first.position, last.position
    public_rounds = [(number, [event for event in events if event.seen_by is None]) for number, events in rounds]
    # scores at the start and after each round
    scores = [_scores_by_seat({captain: start.laurels_of(captain) for captain in start.captains})]
    for _, events in public_rounds:
        laurels_by_turn = [event.laurels for event in events if isinstance(event, TurnEnded)]
        scores.append(_scores_by_seat(laurels_by_turn[-1]) if laurels_by_turn else scores[-1])
    battle_stories = [
        _BattleStory(number, event, _ending_of(public_rounds, event))
        for number, events in public_rounds
        for event in events
        if isinstance(event, BattleMet)
    ]
    return Chronicle(
        place=Text(f"chronicle.where.{end.map}"),
        standings=tuple(_final_standings(last)),
        chapters=tuple(
            ChronicleChapter(
                round=number,
                time=Text("chronicle.when", {"month": (number - 1) // TURNS_PER_MONTH}),
                lines=(*_chronicle_lines(events), *_lead_changes(before, after)),
            )
            for (number, events), before, after in zip(public_rounds, scores, scores[1:], strict=False)
        ),
        score_name=Text("chronicle.scores"),
        scores=tuple(scores),
        battles=tuple(story.chronicle_battle for story in battle_stories if story.met.mode == "play"),
        best_battle=max(battle_stories, key=_BattleStory.fierceness).chronicle_battle if battle_stories else None,
    )


def final_view(state: State) -> SeasonView:
    """Return the view after the season's end, when all fleets and sieges are public."""
    position = state.position
    pieces = tuple(make_view.galley_piece(position.map, galley) for galley in position.galleys)
    public = make_view.make_view(state, None)
    notes = (*public.note_lines, Text("note.revealed")) if state.result else public.note_lines
    return structs.replace(public, galleys=position.galleys, pieces=pieces, sieges=position.sieges, note_lines=notes)


class _BattleStory(NamedTuple):
    """A battle from meeting to end; `ended` is None if it was still played when the season ended."""

    turn: int  # the turn in which it began
    met: BattleMet  # the event that began it
    ended: BattleEnded | None  # the event that ended it; None: not yet

    @property
    def chronicle_battle(self) -> ChronicleBattle:
        request = battle_request_id(self.met.id) if self.met.mode == "play" else ""
        outcome = _outcome_texts(self.ended) if self.ended else ()
        return ChronicleBattle(round=self.turn, request=request, sentences=(_meeting_text(self.met), *outcome))

    def fierceness(self) -> tuple[int, int, int]:
        lost = len(self.ended.sunk) + len(self.ended.taken) if self.ended else 0
        return lost, sum(map(len, self.met.galleys)), self.turn


def _ending_of(rounds: Iterable[tuple[int, Sequence[Event]]], met: BattleMet) -> BattleEnded | None:
    all_events = (event for _, events in rounds for event in events)
    return next((event for event in all_events if isinstance(event, BattleEnded) and event.id == met.id), None)


def _chronicle_lines(events: Sequence[Event]) -> Iterator[ChronicleLine]:
    met = {event.id: event for event in events if isinstance(event, BattleMet)}
    ended = {event.id: event for event in events if isinstance(event, BattleEnded)}
    for event in events:
        match event:
            case BattleMet():
                yield (
                    _meeting_text(event),
                    *(_outcome_texts(ended[event.id]) if event.id in ended else [_opening_text(event)]),
                )
            case BattleEnded() if event.id in met:
                continue
            case BattleEnded():
                yield (_ending_text(event), *_outcome_texts(event))
            case _ if event.weight:
                yield (event,)


def _meeting_text(met: BattleMet) -> Text:
    place, (ours, theirs) = place_names(met.map, met.place), map(len, met.galleys)
    sides = {"attackers": captain_names(met.attackers), "defenders": captain_names(met.defenders)}
    return Text("chronicle.met", {**sides, "place": place, "ours": ours, "theirs": theirs})


def _opening_text(met: BattleMet) -> Text:
    return Text("chronicle.opened", {"number": battle_number(met.id)})


def _ending_text(ended: BattleEnded) -> Text:
    params: dict[str, Param] = {"number": battle_number(ended.id), "place": place_names(ended.map, ended.place)}
    return Text("chronicle.closed", params)


def _outcome_texts(ended: BattleEnded) -> Iterator[Text]:
    yield Text("chronicle.held", {"holds": captain_names(ended.holds)}) if ended.holds else Text("chronicle.empty")
    for key, galleys in (("sunk", ended.sunk), ("taken", ended.taken)):
        if galleys:
            yield Text(f"chronicle.{key}", {"galleys": ", ".join(galleys)})


def _scores_by_seat(laurels: Mapping[str, int]) -> dict[Seat, int]:
    return {seat_of(captain): count for captain, count in laurels.items()}


def _lead_changes(before: Mapping[Seat, int], after: Mapping[Seat, int]) -> Iterator[ChronicleLine]:
    leaders = _leaders(after)
    if len(leaders) == 1 and leaders != _leaders(before):
        yield (Text("chronicle.lead", {"captain": leaders[0], "laurels": after[leaders[0]]}),)


def _leaders(scores: Mapping[Seat, int]) -> list[Seat]:
    return [seat for seat, score in scores.items() if score == max(scores.values())]


def _final_standings(state: State) -> Iterator[FinalStanding]:
    position = state.position
    ended = final_places(state)
    for captain in sorted(position.captains, key=lambda letter: (ended[seat_of(letter)], letter)):
        seat, figures = seat_of(captain), _standing_figures(position, captain)
        port_laurels = LAURELS_PER_WORTH * figures["worth"]
        key = "chronicle.standing.fame" if position.old_fame(captain) else "chronicle.standing"
        line = Text(key, {"place": ended[seat], "seat": seat, "port_laurels": port_laurels, **figures})
        home = Text("chronicle.home", {"home": place_names(position.map, position.home_city(captain))})
        yield FinalStanding(seat=seat, place=ended[seat], sentence=line, figures={"home": home, **figures})


def final_places(state: State) -> dict[Seat, int]:
    """Return the place of each seat after the season, from 1; without winners, ranks go by the standing alone."""
    winners = state.result.winners if state.result else ()
    return places_of(state.position, winners, state.conceded)


def _standing_figures(position: Position, captain: str) -> dict[str, int]:
    figures = {
        "laurels": position.laurels_of(captain),
        "ports": len(position.ports_of(captain)),
        "worth": position.ports_worth(captain),
        "trophies": position.trophies.get(captain, 0),
        "galleys": len(position.galleys_of(captain)),
    }
    if any(position.old_fame(letter) for letter in position.captains):
        figures["fame"] = position.old_fame(captain)
    return figures
