"""Nothing is said twice: no sentence of a panel's first page or of a report stands there once more, in any game."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import pytest
from msgspec import structs

from bot.jobs.showing import panel_options_at
from bot.presenters.glance import fit_panel_texts
from bot.presenters.panel import story_lines
from bot.texts.story import tell_story
from rules.core.protocol import EMPTY_DRAFT
from rules.interface import outcomes
from tests.laws import panels
from tests.laws.length import times
from tests.laws.play import GAMES, SYSTEMS, encode, tape, words

TAPES = times(2, GAMES)
"""Games of each system that are looked at."""
WORDS_LEAST = 3
"""Names and orders have fewer words; they may be repeated."""
_BRACKETS = re.compile(r"\([^()]*\)")
_MARKUP = re.compile(r"^[>\s·#-]+|[*`_]")
_STEP = re.compile(r"(?:> )?\*\*([^*:]* \d+|\d+\. [^*:]*)\*\*")
_ENDS = re.compile(r"(?<=[.!?])\s+(?![a-záéíóöőúüű])| · ")  # an ordinal such as "1. csata" ends none


def repeated(texts: Iterable[str]) -> list[str]:
    """Return sentences of these lines that occur twice, apart from markup, dice in brackets, and who acts in them.

    Events of another step of a round name that step.
    """
    counts, ends, step = Counter[str](), set[str](), ""
    for line in "\n".join(texts).split("\n"):
        step = heading[1] if (heading := _STEP.match(line)) else step
        for sentence in _ENDS.split(_BRACKETS.sub("", _MARKUP.sub("", line))):
            bare = " ".join(sentence.strip(" .!?").casefold().split())
            if len(re.findall(r"\w+", bare)) >= WORDS_LEAST:
                counts[f"{step}{bare}"] += 1
                ends.add(f"{step}{bare.partition(': ')[2]}")
    return [sentence for sentence, times in counts.items() if times > 1 or sentence in ends]


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_report_says_a_sentence_twice_or_cuts_one(system: str) -> None:
    for number in range(TAPES):
        game = tape(system, number)
        teams = game.setup.teams
        for turn in game.turns:
            for seat in (None, 0):
                view = game.rules.view(turn.step.state, seat)
                whose = outcomes.story_ships(outcomes.ship_holders(view), seat, teams, turn.step.events)
                for own in words(system):
                    story = tell_story(own, turn.step.events, seat, story_ships=whose)
                    lines = (story.headline, *story.lines) if seat is None else story_lines(own, story)
                    assert not repeated(lines), story
                    assert not any("…" in line for line in lines), [line for line in lines if "…" in line]


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_panel_says_a_sentence_twice(system: str) -> None:
    for number in range(TAPES):
        game = tape(system, number)
        for before, turn in pairwise(game.turns):
            for request in (request for request in turn.requests if not request.battle):
                offer = panel_options_at(game.rules, turn.before, request, EMPTY_DRAFT)
                happened = (encode(before.step.events).decode(),)
                pending = structs.replace(panels.asked(system, request), events_by_step=happened)
                for own in words(system):
                    texts = fit_panel_texts(own, pending, offer)
                    assert not repeated((texts.above, texts.beside, texts.below)), texts
