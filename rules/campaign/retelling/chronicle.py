"""The chronicle of a season: standings, the turns as all know them, and the fiercest battle (CA-12.3, CA part 13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from rules.campaign.desk import make_view
from rules.campaign.desk.view import SeasonView
from rules.campaign.table.ending import places as places_of
from rules.campaign.table.events import BattleEnded, BattleMet, TurnEnded
from rules.campaign.table.sea.naming import captains, named, request_of
from rules.campaign.table.sea.state import MONTH, Position, State
from rules.chronicle import Chapter, Chronicle, Fight, Line, Standing
from rules.protocol import Event, Seat
from rules.sides import seat_of
from rules.view import Text


def chronicle(first: State, last: State, rounds: Sequence[tuple[int, Sequence[Event]]]) -> Chronicle:
    """A season from its first and last state, and the events of its turns; what not all may know is left out."""
    start, end = first.position, last.position
    told = [(number, [event for event in events if event.seen_by is None]) for number, events in rounds]
    scores = [_scores({captain: start.laurels(captain) for captain in start.captains})]
    for _, events in told:
        ended = [event.laurels for event in events if isinstance(event, TurnEnded)]
        scores.append(_scores(ended[-1]) if ended else scores[-1])
    fights = [
        _Fought(number, event, _ending_of(told, event))
        for number, events in told
        for event in events
        if isinstance(event, BattleMet)
    ]
    return Chronicle(
        where=Text(f"chronicle.where.{end.map}"),
        standings=tuple(_standings(last)),
        chapters=tuple(
            Chapter(
                round=number,
                when=Text("chronicle.when", {"month": (number - 1) // MONTH}),
                lines=(*_lines(events), *_lead(before, after)),
            )
            for (number, events), before, after in zip(told, scores, scores[1:], strict=False)
        ),
        score=Text("chronicle.scores"),
        scores=tuple(scores),
        fights=tuple(one.told for one in fights if one.met.mode == "play"),
        best=max(fights, key=_Fought.fierceness).told if fights else None,
    )


def revealed(state: State) -> SeasonView:
    """What everybody may see once the season is over: all fleets and sieges, as its record holds them."""
    position = state.position
    pieces = tuple(make_view.piece(position.map, galley) for galley in position.galleys)
    seen = make_view.view(state, None)
    return structs.replace(seen, galleys=position.galleys, pieces=pieces, sieges=position.sieges)


class _Fought(NamedTuple):
    """A battle from meeting to end; one that was still being fought when the season ended has none."""

    turn: int
    met: BattleMet
    ended: BattleEnded | None

    @property
    def told(self) -> Fight:
        request = request_of(self.met.id) if self.met.mode == "play" else ""
        outcome = _outcome(self.ended) if self.ended else ()
        return Fight(round=self.turn, request=request, line=(_meeting(self.met), *outcome))

    def fierceness(self) -> tuple[int, int, int]:
        """How many galleys were lost in it, how many fought, and when: of equal ones the last is the best."""
        lost = len(self.ended.sunk) + len(self.ended.taken) if self.ended else 0
        return lost, sum(map(len, self.met.galleys)), self.turn


def _ending_of(rounds: Iterable[tuple[int, Sequence[Event]]], met: BattleMet) -> BattleEnded | None:
    every = (event for _, events in rounds for event in events)
    return next((event for event in every if isinstance(event, BattleEnded) and event.id == met.id), None)


def _lines(events: Sequence[Event]) -> Iterator[Line]:
    """What happened in a turn; how a battle met and ended is one line if it did both."""
    met = {event.id: event for event in events if isinstance(event, BattleMet)}
    ended = {event.id: event for event in events if isinstance(event, BattleEnded)}
    for event in events:
        match event:
            case BattleMet():
                yield (_meeting(event), *(_outcome(ended[event.id]) if event.id in ended else [_opened(event)]))
            case BattleEnded() if event.id in met:
                continue
            case BattleEnded():
                yield (_closed(event), *_outcome(event))
            case _ if event.weight:
                yield (event,)


def _meeting(met: BattleMet) -> Text:
    place, (ours, theirs) = named(met.map, met.place), map(len, met.galleys)
    sides = {"attackers": captains(met.attackers), "defenders": captains(met.defenders)}
    return Text("chronicle.met", {**sides, "place": place, "ours": ours, "theirs": theirs})


def _opened(met: BattleMet) -> Text:
    return Text("chronicle.opened", {"id": met.id})


def _closed(ended: BattleEnded) -> Text:
    return Text("chronicle.closed", {"id": ended.id, "place": named(ended.map, ended.place)})


def _outcome(ended: BattleEnded) -> Iterator[Text]:
    """Who held the sea, and which galleys were lost."""
    yield Text("chronicle.held", {"holds": captains(ended.holds)}) if ended.holds else Text("chronicle.empty")
    for key, galleys in (("sunk", ended.sunk), ("taken", ended.taken)):
        if galleys:
            yield Text(f"chronicle.{key}", {"galleys": ", ".join(galleys)})


def _scores(laurels: Mapping[str, int]) -> dict[Seat, int]:
    return {seat_of(captain): count for captain, count in laurels.items()}


def _lead(before: Mapping[Seat, int], after: Mapping[Seat, int]) -> Iterator[Line]:
    """Who has most laurels alone, and had not before."""
    now = _leaders(after)
    if len(now) == 1 and now != _leaders(before):
        yield (Text("chronicle.lead", {"captain": now[0], "laurels": after[now[0]]}),)


def _leaders(scores: Mapping[Seat, int]) -> list[Seat]:
    return [seat for seat, score in scores.items() if score == max(scores.values())]


def _standings(state: State) -> Iterator[Standing]:
    position = state.position
    ended = places(state)
    for captain in sorted(position.captains, key=lambda one: (ended[seat_of(one)], one)):
        seat, figures = seat_of(captain), _figures(position, captain)
        line = Text("chronicle.standing", {"place": ended[seat], "seat": seat, **figures})
        home = Text("chronicle.home", {"home": named(position.map, position.home(captain))})
        yield Standing(seat=seat, place=ended[seat], line=line, figures={"home": home, **figures})


def places(state: State) -> dict[Seat, int]:
    """The place of each seat once a season is over, from 1; none of a season that nobody has won."""
    winners = state.outcome.winners if state.outcome else ()
    return places_of(state.position, winners, state.conceded)


def _figures(position: Position, captain: str) -> dict[str, int]:
    figures = {
        "laurels": position.laurels(captain),
        "ports": len(position.owned(captain)),
        "worth": position.worth(captain),
        "trophies": position.trophies.get(captain, 0),
        "galleys": len(position.fleet(captain)),
    }
    if any(position.fame(one) for one in position.captains):
        figures["fame"] = position.fame(captain)
    return figures
