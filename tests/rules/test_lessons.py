"""Lessons of all games: what they show reaches the goal, and what misses it is named, in every language."""

import re

import pytest

from bot.jobs import practice
from bot.jobs.values import PictureStyle, StillSettings
from bot.texts.i18n import Catalogue, languages
from rules.core.registry import RULESETS
from tests import games

LESSONS = [(system, number) for system in games.tested for number in range(len(RULESETS[system].lessons))]
MISSED = {
    "matchbox": {
        "row": {"A1 FRF": "far", "A1 RFF": "far"},
        "turn": {"A1 RRFFF": "heading", "A1 RRRLF": "heading"},
        "ram": {"A1 RRFFF": "none", "A1 FFFLF": "scraped", "A1 FFLRF": "slow"},
        "fire": {"A1 FFFFF": "none", "A1 XFFFF": "ahead", "A1 LXFFF": "far", "A1 FFRFX": "out_of_range"},
        "land": {"A1 FFFFX": "hurt", "A1 FXFLL": "hidden", "A1 LLLLL": "none"},
        "board": {"A1 FFXXF": "none", "A1 GXFFF": "far"},
        "mend": {"A1 LFFXX": "unhurt", "A1 FFFFX": "not_mended", "A1 ZZ(6-2)FFX": "uneven"},
    },
    "forts": {
        "shoot": {"BB>G7": "none", "BB>F6\nBB*FR": "far", "BB>F7\nBB*FRx1": "far"},
        "calm": {"BR>F6": "sailed", "end": "none"},
        "siege": {"BB>Q6\nend": "none", "BB>R6": "none", "end": "none"},
    },
    "campaign": {
        "attack": {"A1 A2: EGU attack": "few", "A1 A2 A3: EGU hold": "held", "": "none"},
        "siege": {"A1: SOU > SUN": "slow", "A1 A2: SOU": "none"},
    },
}
"""By game and lesson: orders that miss the goal, and the reason."""


@pytest.fixture(autouse=True)
def no_film(monkeypatch):
    monkeypatch.setattr(practice, "_draw_round", lambda *_: None)


def tried(system, number, orders, seed="01"):
    names, stills = {0: "Anna", 1: "the enemy"}, StillSettings(width_px=320)
    style = PictureStyle(system=system, language="en", names=names, stills=stills)
    return practice.try_orders(system, number, orders, style, seed)


def says(system, template, text):
    """Return if a text is made of a template of the catalogue."""
    words = re.split(r"\{[^}]*\}", Catalogue.load("en", system).messages[template])
    return re.match(".*".join(map(re.escape, words)), text)


@pytest.mark.parametrize(("system", "number"), LESSONS)
def test_what_a_lesson_shows_reaches_its_goal_with_any_dice(system, number):
    orders = f"{RULESETS[system].lessons[number].solution} "  # the same text has dice of its own
    reached = [tried(system, number, orders, f"{seed:02x}").is_goal_reached for seed in range(12)]
    assert sum(reached) >= (11 if system == "ramspeed" else 12), "of the boarded, one man may be left"


@pytest.mark.parametrize(
    ("system", "key", "orders", "why"),
    [
        (system, key, orders, why)
        for system in games.tested
        if system in MISSED
        for key, missed in MISSED[system].items()
        for orders, why in missed.items()
    ],
)
def test_other_orders_miss_it_and_are_told_why(system, key, orders, why):
    number = next(number for number, lesson in enumerate(RULESETS[system].lessons) if lesson.key == key)
    result = tried(system, number, orders)
    assert not result.is_goal_reached
    assert says(system, f"lesson.{key}.{why}", result.reason)


@pytest.mark.parametrize(("system", "number"), LESSONS)
def test_a_lesson_is_told_in_every_language(system, number):
    key = RULESETS[system].lessons[number].key
    missed = MISSED.get(system, {}).get(key, {})
    for language in languages():
        for part in ("title", "text", "goal", "reached", *missed.values()):
            assert Catalogue.load(language, system).has(f"lesson.{key}.{part}"), (language, part)


@pytest.mark.game("ramspeed")
def test_to_stay_reaches_no_goal():
    for number in range(len(RULESETS["ramspeed"].lessons)):
        assert not tried("ramspeed", number, "stay").is_goal_reached


@pytest.mark.game("matchbox")
def test_who_boards_the_wreck_but_does_not_take_her_is_told_so():
    number = next(number for number, lesson in enumerate(RULESETS["matchbox"].lessons) if lesson.key == "board")
    reasons = {tried("matchbox", number, "A1 FFGFF", f"{seed:02x}").reason for seed in range(60)}
    for why in ("reached", "beaten"):
        assert any(says("matchbox", f"lesson.board.{why}", reason) for reason in reasons)
