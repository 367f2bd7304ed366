"""What came of one's own orders stands first in every story, whole and in order, whatever the game."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from bot.words.speech import visible
from bot.words.story import LINES_LEAST, LINES_MOST, lines_most, story, told
from rules import outcomes
from rules.outcomes import Whose
from rules.protocol import Event
from tests.laws.play import SYSTEMS, Tape, tape, words

MOST = 1800
"""Characters of a story in a panel."""
EVERY = 3
"""Of so many steps of a game one is tried."""


class Round(NamedTuple):
    """What a seat may know of a step."""

    seat: int
    events: Sequence[Event]
    whose: Whose


def rounds(game: Tape) -> Iterator[Round]:
    teams = game.setup.teams
    for number, turn in enumerate(game.turns[::EVERY]):
        seat, step = number % len(teams), turn.step
        held = outcomes.held(game.rules.view(step.state, seat))
        yield Round(seat, visible(step.events, seat), outcomes.whose(held, seat, teams, step.events))


def concerned(events: Sequence[Event], own: Sequence[str]) -> set[str]:
    """Own ships of which there is anything to tell."""
    found = (event for event in events if event.weight or event.tells_orders)
    return {ship for event in found for part in event.apart() for ship in part.concerned} & set(own)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_ship_of_ones_own_has_one_line_and_nothing_that_befell_her_is_left_out(system):
    for one in rounds(tape(system, 1)):
        lines = outcomes.lines(one.events, one.whose.own)
        mine = [line for line in lines if line.own]
        assert lines[: len(mine)] == tuple(mine)
        heads = [ship for line in mine for ship in line.ships]
        assert len(heads) == len(set(heads))
        named = {ship for line in mine for event in line.events for ship in event.concerned}
        assert concerned(one.events, one.whose.own) <= named
        kinds = [(type(event), event.concerned) for line in mine for event in line.events]
        for event in (part for whole in one.events if whole.weight and not whole.heads for part in whole.apart()):
            if set(event.concerned) & set(one.whose.own) and not event.dedup_key:
                assert (type(event), event.concerned) in kinds


@pytest.mark.parametrize("system", SYSTEMS)
def test_events_of_a_line_keep_their_order_and_none_is_told_twice(system):
    for one in rounds(tape(system, 1)):
        order = {id(event): number for number, event in enumerate(one.events)}
        lines = outcomes.lines(one.events, one.whose.own)
        for line in lines:
            found = [order[id(event)] for event in line.events if id(event) in order]
            assert found == sorted(found)
        every = [id(event) for line in lines for event in line.events]
        assert len(every) == len(set(every))
        moments = [order[id(line.events[0])] for line in lines if not line.ships and id(line.events[0]) in order]
        assert moments == sorted(moments)


@pytest.mark.parametrize("system", SYSTEMS)
def test_ones_own_lines_are_never_cut_and_a_story_is_short(system):
    for one in rounds(tape(system, 1)):
        for speech_of in words(system):
            mine = [line for line in told(speech_of, one.events, one.whose) if line.own]
            shown = story(speech_of, one.events, one.seat, MOST, whose=one.whose)
            assert len(shown.lines) < lines_most(one.events) <= LINES_MOST
            text = "\n".join(shown.lines)
            assert all(line.text in text for line in mine)
            assert text.startswith("\n".join(line.text for line in mine)) or len(mine) > LINES_LEAST


def test_a_story_of_four_ships_has_twelve_lines_and_one_of_thirty_twenty():
    def fought(ships: int) -> list[Any]:
        return [Fought(by=f"A{n}", to=f"B{n}") for n in range(ships // 2)]

    assert lines_most(fought(4)) == LINES_LEAST == 12
    assert lines_most(fought(30)) == LINES_MOST == 20


class Fought(Event, frozen=True, kw_only=True):
    befell = ("by", "to")

    by: str
    to: str
