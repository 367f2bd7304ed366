"""A watch: galleys row a leg, and meet on the way and in places (CA parts 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterable

from rules.campaign.table.fighting.meeting import Meeting, carry_out_meeting
from rules.campaign.table.sea.state import Galley
from rules.campaign.table.work import TurnInProgress


def carry_out_watch(work: TurnInProgress, number: int) -> None:
    """Carry out the first or the second watch: all row at the same time (CA-2.2, CA-4.1, CA-4.4)."""
    for galley in work.galleys.values():
        doing = work.doing[galley.id]
        doing.began = doing.bound = galley.place
        doing.quiet = False
    # What a chase sees is judged when the watch begins, before anybody has rowed (CA-4.5).
    bound = {galley.id: _destination(work, galley, number) for galley in work.free()}
    for name, to in bound.items():
        work.doing[name].bound = to
    _meet_on_the_way(work)
    _complete_legs(work)
    _meet_in_places(work)


def _destination(work: TurnInProgress, galley: Galley, number: int) -> str:
    """Where a galley rows in this watch (CA-4.1 to CA-4.5)."""
    doing = work.doing[galley.id]
    if doing.stopped or (doing.alone and number > 1):
        return galley.place
    if doing.chase:
        return _chase_destination(work, galley, doing.chase)
    return doing.route[number - 1] if len(doing.route) >= number else galley.place


def _chase_destination(work: TurnInProgress, galley: Galley, prey: str) -> str:
    """Where a chase leads: the adjoining place with most free galleys of the prey (CA-4.5)."""
    counts: dict[str, int] = {}
    for other in work.free():
        if other.captain == prey:
            counts[other.place] = counts.get(other.place, 0) + 1
    # Its captain sees all these places, as the galley lies beside them (CA-12.1).
    near = [code for code in work.position.sea_map.places[galley.place].legs if code in counts]
    if galley.place in counts or not near:
        return galley.place
    return max(near, key=lambda code: counts[code])


def _may_meet(work: TurnInProgress, galley: Galley) -> bool:
    """Whether a galley may meet anybody now (CA-5.1)."""
    doing = work.doing[galley.id]
    return not (galley.battle or doing.fought or doing.quiet)


def _sorted_ids(work: TurnInProgress, galleys: Iterable[Galley]) -> tuple[str, ...]:
    return tuple(galley.id for galley in work.sorted(galleys))


def _meet_on_the_way(work: TurnInProgress) -> None:
    """Meetings of those who row one leg against each other, leg by leg (CA-5.2)."""
    legs: dict[tuple[str, str], list[Galley]] = {}
    for galley in work.free():
        to = work.doing[galley.id].bound
        if to != galley.place:
            work.doing[galley.id].rowed = True
            one, other = sorted((galley.place, to))
            legs.setdefault((one, other), []).append(galley)
    places = work.position.sea_map.places
    for leg in sorted(legs):
        rowing = legs[leg]
        ways = {galley.id: work.doing[galley.id].bound for galley in rowing}
        if len({*ways.values()}) < 2:
            continue
        seas = [code for code in leg if not places[code].port]

        def fought_in(first: str, seas: list[str] = seas, ways: dict[str, str] = ways) -> str:
            """The leg's sea; between two seas, the one for which this galley was bound."""
            return seas[0] if len(seas) == 1 else ways[first]

        carry_out_meeting(work, Meeting(_sorted_ids(work, rowing), fought_in, ways))


def _complete_legs(work: TurnInProgress) -> None:
    """Galleys that were not stopped on the way complete their legs."""
    for galley in list(work.free()):
        doing = work.doing[galley.id]
        if doing.bound != galley.place and not doing.fought:
            work.put(galley.id, place=doing.bound)


def _meet_in_places(work: TurnInProgress) -> None:
    """Meetings of those who lie in one place, place by place (CA-5.3)."""
    for place in work.position.sea_map.places:
        there = [galley for galley in work.free() if galley.place == place and _may_meet(work, galley)]
        if len({galley.captain for galley in there}) > 1:
            carry_out_meeting(work, Meeting(_sorted_ids(work, there), lambda _, place=place: place, {}))  # type: ignore[misc]
