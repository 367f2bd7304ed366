"""Stories begin with the outcome of one's own orders, whole and in order, in every game."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import pytest

from bot.jobs.showing import _short_caption
from bot.texts.speech import MAX_MESSAGE_CHARS, visible_events
from bot.texts.story import LONG_LINE_CHARS, MAX_LINES, MIN_LINES, StoryLine, max_lines, story_lines, tell_story
from render.drawing.style import FULL_WIDTH
from render.marks.legend import _fit_caption
from rules.core.protocol import Event
from rules.interface import outcomes
from rules.interface.outcomes import StoryShips
from tests.laws.length import times
from tests.laws.play import GAMES, SYSTEMS, tape, words

MOST = 1800
"""Characters of a story in a panel."""
SHORT = 500
"""Characters of a story where there is hardly room, as in a panel for fleets of thirty ships."""
OTHERS = 4
"""Lines that others may need beside, with the one for what is left out."""
TAPES = times(3, GAMES)
"""Games of each system whose rounds are told."""


class Round(NamedTuple):
    """The events that a seat may know of a step, or of several that are reported together."""

    seat: int
    events: Sequence[Event]
    whose: StoryShips
    ships: int
    """In the game."""


@cache
def rounds(system: str) -> tuple[Round, ...]:
    """Return steps of some games, singly and by three, as a captain without a request between them reads three."""
    all_rounds = []
    for game in (tape(system, number) for number in range(TAPES)):
        teams, turns = game.setup.teams, game.turns
        for start, many in product(range(len(turns)), (1, 3)):
            steps = [turn.step for turn in turns[start : start + many]]
            seat, last = start % len(teams), steps[-1]
            events = [event for step in steps for event in step.events]
            view = game.rules.view(last.state, seat)
            whose = outcomes.story_ships(outcomes.ship_holders(view), seat, teams, events)
            all_rounds.append(Round(seat, visible_events(events, seat), whose, len(view.pieces)))
    return tuple(all_rounds)


def concerned(events: Sequence[Event], own: Sequence[str]) -> set[str]:
    """Return the own ships that the events report on."""
    reported = (event for event in events if event.weight or event.tells_orders)
    return {ship for event in reported for part in event.split_by_ship() for ship in part.ship_ids} & set(own)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_ship_of_ones_own_has_one_line_and_nothing_that_befell_her_is_left_out(system):
    for story in rounds(system):
        lines = outcomes.event_lines(story.events, story.whose.own_ships)
        mine = [line for line in lines if line.is_own]
        assert lines[: len(mine)] == tuple(mine)
        heads = [ship for line in mine for ship in line.ships]
        assert len(heads) == len(set(heads))
        named = {ship for line in mine for event in line.events for ship in event.ship_ids}
        assert concerned(story.events, story.whose.own_ships) <= named
        kinds = [(type(event), event.ship_ids) for line in mine for event in line.events]
        for event in (
            part
            for unsplit in story.events
            if unsplit.weight and not unsplit.is_heading
            for part in unsplit.split_by_ship()
        ):
            if set(event.ship_ids) & set(story.whose.own_ships) and not event.dedup_key:
                assert (type(event), event.ship_ids) in kinds


@pytest.mark.parametrize("system", SYSTEMS)
def test_events_of_a_line_keep_their_order_and_none_is_told_twice(system):
    for story in rounds(system):
        order = {id(event): number for number, event in enumerate(story.events)}
        lines = outcomes.event_lines(story.events, story.whose.own_ships)
        for line in lines:
            numbers = [order[id(event)] for event in line.events if id(event) in order]
            assert numbers == sorted(numbers)
        every = [id(event) for line in lines for event in line.events]
        assert len(every) == len(set(every))
        firsts = [line.events[0] for line in lines if not line.ships and id(line.events[0]) in order]
        places: dict[str, int] = {}  # of the first event of each topic, such as a battle
        for event in firsts:
            places.setdefault(event.topic, order[id(event)])
        moments = [places[event.topic] if event.topic else order[id(event)] for event in firsts]
        assert moments == sorted(moments)


@pytest.mark.parametrize("system", SYSTEMS)
def test_of_each_ship_of_ones_own_no_result_stands_before_its_cause(system):
    for story in rounds(system):
        order = {id(event): number for number, event in enumerate(story.events)}
        everybody = [*dict.fromkeys(ship for event in story.events for ship in event.ship_ids)]
        # A ship that was captured belongs to the reader, too, with all that she did before. Few random games have one.
        for own in (story.whose.own_ships, everybody, everybody[::-1]):
            lines = outcomes.event_lines(story.events, own)
            for ship in own:
                told = [event for line in lines for event in line.events if ship in event.ship_ids]
                numbers = [order[id(event)] for event in told if id(event) in order]
                assert numbers == sorted(numbers)
                assert sum(ship in line.ships for line in lines) <= 1


@pytest.mark.parametrize("system", SYSTEMS)
def test_ones_own_lines_are_never_cut_and_a_story_is_short(system):
    for story, speech_of in product(rounds(system), words(system)):
        mine = [line for line in story_lines(speech_of, story.events, story.whose) if line.is_own]
        told_story = tell_story(speech_of, story.events, story.seat, MOST, story_ships=story.whose)
        assert all(map(well_marked, (told_story.headline, *told_story.lines)))
        assert all(well_marked(speech_of.style.bold(line)) for line in told_story.lines), "as the head of a panel"
        assert len(told_story.lines) < (MIN_LINES if story.ships <= 4 else MAX_LINES)
        if sum(len(line.text) for line in mine) < MOST - 200:
            text = unbroken("\n".join(told_story.lines))
            assert all(unbroken(line.text) in text for line in mine)
            # Losses come before gains, and of either the line of which the headline is before the others.
            losses, gains = (
                [line for line in mine if harms(line, story)],
                [line for line in mine if not harms(line, story)],
            )
            orders = [*product(led_by_each(losses), led_by_each(gains))]
            starts = ["".join(unbroken(line.text) for line in (*losses, *gains)) for losses, gains in orders]
            assert any(map(text.startswith, starts)) or len(mine) > MIN_LINES


def harms(line: StoryLine, story: Round) -> bool:
    """Return if a line tells of a loss of the reader."""
    held_before = {*story.whose.own_ships} - story.whose.gained_ships
    return any(event.harmed_ship in held_before or story.seat in event.harmed_seats for event in line.events)


def led_by_each(lines: Sequence[StoryLine]) -> list[list[StoryLine]]:
    """Return the lines in order, and with each of them moved before the others."""
    return [[*lines], *([leader, *(line for line in lines if line is not leader)] for leader in lines)]


def well_marked(text: str) -> bool:
    """Return if all bold texts end, and none is empty."""
    return "****" not in text and text.count("**") % 2 == 0


def unbroken(text: str) -> str:
    """Return a text without white space and marks between its parts."""
    return re.sub(r"[\s·;]+", "", text)


@pytest.mark.parametrize("system", SYSTEMS)
def test_of_a_ship_of_ones_own_each_step_has_a_line_as_long_as_there_are_lines(system):
    for story, speech_of in product(rounds(system), words(system)):
        mine = [line for line in story_lines(speech_of, story.events, story.whose) if line.is_own]
        told_story = tell_story(speech_of, story.events, story.seat, MAX_MESSAGE_CHARS, story_ships=story.whose)
        longest = max((len(piece.text) for line in mine for piece in line.fragments), default=0)
        room = max_lines(story.events) - 1 - OTHERS
        if sum(len(line.fragments) for line in mine) <= room and all(line.text != told_story.headline for line in mine):
            own = len("".join(unbroken(line.text) for line in mine))
            for line in told_story.lines:
                own -= len(unbroken(line))
                assert own < 0 or len(line) <= max(LONG_LINE_CHARS, longest) + len("· "), line


@pytest.mark.parametrize("most", [MOST, SHORT])
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_ship_of_ones_own_to_which_anything_happened_is_named_however_little_room_there_is(system, most):
    (speech_of, *_) = words(system)
    for story in rounds(system):
        told_story = tell_story(speech_of, story.events, story.seat, most, story_ships=story.whose)
        text = "\n".join((told_story.headline, *told_story.lines))
        assert len(text) <= most
        for ship in concerned(story.events, story.whose.own_ships):
            name = speech_of.say("outcome.ship", ship=ship).strip("*")
            assert re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE), (ship, text)


def test_a_story_of_four_ships_has_twelve_lines_and_one_of_thirty_twenty_and_between_them_it_is_a_straight_line():
    def fought(ships: int) -> list[Any]:
        return [Fought(by=f"A{n}", to=f"B{n}") for n in range(ships // 2)]

    assert max_lines(fought(4)) == MIN_LINES == 12
    assert max_lines(fought(30)) == MAX_LINES == 20
    assert [max_lines(fought(ships)) for ships in (2, 10, 18, 24, 40)] == [12, 14, 16, 18, 20]


class Fought(Event, frozen=True, kw_only=True):
    ship_fields = ("by", "to")

    by: str
    to: str


@pytest.mark.parametrize("system", SYSTEMS)
def test_why_a_game_is_over_is_said_in_whole_sentences(system):
    for speech_of in words(system):
        reasons = {key: text for key, text in speech_of.catalogue.messages.items() if key.startswith("reason.")}
        ends = {key: text for key, text in reasons.items() if key.endswith((".short", ".yours"))}
        assert not [key for key, text in ends.items() if not text.endswith((".", "}"))]
        drawn = re.compile(r"\bdraw\b|döntetlen", re.IGNORECASE)  # which the headline above the reason says
        assert not [key for key, text in reasons.items() if f"{key}.short" not in reasons and drawn.search(text)]
        assert not [key for key, text in ends.items() if drawn.search(text)]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_caption_of_a_last_picture_loses_sentences_and_no_words(system):
    px = 400 / FULL_WIDTH
    for number in range(GAMES):
        game = tape(system, number)
        for speech_of in words(system):
            caption = _short_caption(game.rules.final_view(game.states[-1]), speech_of)
            fitted = _fit_caption(caption, round(40 * px), 250)
            assert fitted
            assert caption.startswith(fitted), "nothing is cut within a sentence"
