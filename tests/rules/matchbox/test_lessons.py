"""The lessons: their hints reach the goal, other orders miss it for a reason that is named, and all of it has words."""

from string import Formatter

import pytest

from bot.texts.i18n import Catalogue, languages
from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.core.registry import RULESETS
from rules.interface.lessons import LessonVerdict

GAME = RULESETS["matchbox"]
LESSONS = {lesson.key: lesson for lesson in GAME.lessons}
MISSED = {
    "row": {"A1 FRF": "far", "A1 RFF": "far"},
    "turn": {"A1 RRFFF": "heading", "A1 RRRLF": "heading"},
    "ram": {"A1 RRFFF": "none", "A1 FFFLF": "scraped", "A1 FFLRF": "slow"},
    "fire": {"A1 FFFFF": "none", "A1 XFFFF": "ahead", "A1 LXFFF": "far", "A1 FFRFX": "out_of_range"},
    "land": {"A1 FFFFX": "hurt", "A1 FXFLL": "hidden", "A1 LLLLL": "none"},
    "board": {"A1 FFXXF": "none", "A1 GXFFF": "far"},
    "mend": {"A1 LFFXX": "unhurt", "A1 FFFFX": "not_mended", "A1 ZZ(6-2)FFX": "uneven"},
}


def tried(key: str, orders: str, number: int = 0) -> LessonVerdict:
    lesson = LESSONS[key]
    start = GAME.start(
        Setup(system=GAME.name, teams=(0, 1), position=lesson.position, options=lesson.options),
        Dice(seed=f"{number:064x}"),
    )
    asked = GAME.pending_requests(start.state)
    texts = {request.id: orders if request.seat == 0 else lesson.script[request.id] for request in asked}
    step = GAME.resolve(start.state, {r.id: GAME.parse_answer(start.state, r, texts[r.id]) for r in asked})
    return GAME.judge_lesson(key, step.state, (*start.events, *step.events))


def test_who_boards_the_wreck_but_does_not_take_her_is_told_so() -> None:
    reasons = {tried("board", "A1 FFGFF", number).reason.key for number in range(60)}
    assert reasons == {"lesson.board.reached", "lesson.board.beaten"}


@pytest.mark.parametrize("key", LESSONS)
def test_the_hint_reaches_the_goal_with_any_dice(key: str) -> None:
    for number in range(20):
        verdict = tried(key, LESSONS[key].solution, number)
        assert verdict.is_reached
        assert verdict.reason.key == f"lesson.{key}.reached"


@pytest.mark.parametrize(
    ("key", "orders"), [(key, orders) for key, all_of_it in MISSED.items() for orders in all_of_it]
)
def test_other_orders_miss_it_and_are_told_why(key: str, orders: str) -> None:
    verdict = tried(key, orders)
    assert not verdict.is_reached
    assert verdict.reason.key == f"lesson.{key}.{MISSED[key][orders]}"


def test_every_lesson_is_told_in_every_language() -> None:
    for key, lesson in LESSONS.items():
        for language in languages():
            catalogue = Catalogue.load(language, GAME.name)
            for part in ("title", "text", "goal", "reached", *set(MISSED[key].values())):
                assert catalogue.has(f"lesson.{key}.{part}"), (language, key, part)
        texts = [Catalogue.load(language, GAME.name).messages[f"lesson.{key}.reached"] for language in languages()]
        named = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in texts]
        assert all(names <= set(tried(key, lesson.solution).reason.params) for names in named)
