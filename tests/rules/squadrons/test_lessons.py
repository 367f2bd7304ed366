"""The lessons: what they show reaches the goal whatever the dice say, typed and pressed, in every language."""

import re

import pytest

from bot.jobs import practice
from bot.jobs.values import PictureStyle, StillSettings
from bot.texts.i18n import Catalogue
from rules.core.protocol import EMPTY_DRAFT
from rules.core.registry import RULESETS

GAME = RULESETS["squadrons"]
NUMBERS = {lesson.key: number for number, lesson in enumerate(GAME.lessons)}
PRESSED = {
    "ram": ("unit.B1", "do.ram.R1.C"),
    "squadron": ("course.F4", "unit.B3", "line.back", "line.back"),
    "rake": ("unit.B1", "do.rake.R1.C"),
}


def look(language):
    return PictureStyle(
        system="squadrons", language=language, names={0: "Anna", 1: "Bob"}, stills=StillSettings(width_px=320)
    )


@pytest.mark.parametrize("language", ["en", "hu"])
@pytest.mark.parametrize("key", NUMBERS)
def test_what_a_lesson_shows_reaches_its_goal_and_no_battle_ends_drawn(key, language, monkeypatch):
    monkeypatch.setattr(practice, "_draw_round", lambda *_: None)  # its film has tests of its own
    words = Catalogue.load(language, "squadrons").messages
    drawn = {text for name, text in words.items() if name.endswith(".drawn") and name.startswith("headline.")}
    number, lesson = NUMBERS[key], GAME.lessons[NUMBERS[key]]
    said = set()
    for seed in range(12):
        tried = practice.try_orders("squadrons", number, lesson.solution, look(language), f"{seed:02x}")
        assert tried.is_goal_reached, tried.reason
        assert tried.story[0] not in drawn
        stops = words["event.StepStopped"].split("{", 2)[1].split("}")[1]
        assert not [line for line in tried.story if stops in line]
        said.add(re.split(r"\d", tried.reason)[0])  # as far as the dice
    assert len(said) == (1 if key == "squadron" else 2)  # hit and miss are not told alike


@pytest.mark.parametrize("key", NUMBERS)
@pytest.mark.slow
def test_what_a_lesson_asks_for_can_be_pressed(key, monkeypatch):
    monkeypatch.setattr(practice, "_draw_round", lambda *_: None)
    draft = EMPTY_DRAFT
    for token in PRESSED[key]:
        draft = practice.draw_lesson_panel("squadrons", NUMBERS[key], draft, token, look("en")).draft
    assert practice.try_orders("squadrons", NUMBERS[key], draft.text, look("en"), "01").is_goal_reached
