"""A headline to everybody says the best deed; that there were no blows, only where no deed is all there is to tell."""

import pytest

from bot.texts.story import story_lines, tell_story
from tests.laws.length import times
from tests.laws.play import tape, tapes, words

EVERY = times(3, 1)
"""Of a game's steps, one in so many becomes a story."""


@pytest.mark.parametrize(("system", "number"), tapes())
def test_the_only_deed_of_a_step_is_its_headline(system, number):
    for turn in tape(system, number).turns[number % EVERY :: EVERY]:
        for language in words(system):
            story = tell_story(language, turn.step.events, None)
            if story.headline == language.say("headline.quiet") and len(story.lines) == 1:
                assert "`" in story.lines[0] or len(story.lines[0]) > 160 or not names_ships(turn.step.events), story
            headings = {line.heading for line in story_lines(language, turn.step.events) if line.heading}
            assert not any(heading in story.headline for heading in headings), "who acts stands above their lines"
            assert not any(row.startswith("· ") for row in story.lines[:1]), "a row that continues nothing"


def names_ships(events):
    return any(event.ship_ids for event in events if event.weight)
